// @ts-check
/** Power of the target computer, and the images of disks that the KVM shows to it. Each change is confirmed. */
import { announceName } from '../core/live_region.js';
import { call } from '../core/connection.js';
import { fill, h, loadStyle, setText, tryTo } from '../core/dom.js';
import { openWithStop } from '../core/emergency_stop.js';
import { t } from '../core/i18n.js';
import { followLines, sendFile } from './kvm_transfer.js';

/** @typedef {{ name: string, size: number }} Image */
/** @typedef {{ images: Image[], mounted: string, drive: 'cdrom' | 'disk', usb_reset_s: number }} Drive */
/** @typedef {{ powered: boolean | null, buttons: string[], wakes: boolean, drive: Drive | null }} Kvm */

await loadStyle('/static/dialogs.css');

const MIB = 2 ** 20;
/** Buttons by which what is not saved is lost. */
const FORCING = ['hold_power', 'reset'];

const dialog = h('dialog', { class: 'notice kvm', 'aria-labelledby': 'kvm-title' });
const power = h('section');
const drive = h('section');
const problem = h('p', { class: 'error', role: 'alert', hidden: true });
/** What is being done, and then that it is done. */
const result = h('p', { role: 'status' });
const progress = h('progress', { max: 1, 'aria-labelledby': 'kvm-transfer' });
const transferName = h('span', { id: 'kvm-transfer' });
const cancel = h('button', { class: 'quiet', onclick: () => transfer?.abort() });
const meter = h('p', { class: 'meter', hidden: true }, transferName, progress, cancel);
const close = h('button', { class: 'quiet', onclick: () => dialog.close() });
/** The upload or download that is under way. @type {AbortController | null} */
let transfer = null;
/** The button that waits for a second click. @type {HTMLButtonElement | null} */
let armed = null;
let before = /** @type {Element | null} */ (null);

dialog.addEventListener('close', () => {
  transfer?.abort();
  if (before instanceof HTMLElement) announceName(before);
});

export async function open() {
  before = document.activeElement;
  cancel.textContent = t('kvm.cancel');
  close.textContent = t('kvm.close');
  fill(power);
  fill(result);
  fill(drive, h('p', { class: 'help' }, t('kvm.loading')));
  const stop = h('div', { class: 'corner' });
  fill(dialog, h('h2', { id: 'kvm-title' }, t('kvm.title')), power, result, drive, meter, problem, h('div', { class: 'buttons' }, stop, close));
  openWithStop(dialog, stop); // the agent may be at work
  close.focus();
  await load();
}

const load = () => tryTo(async () => show(await call('/api/kvm')), problem);

/** @param {Kvm} kvm */
function show(kvm) {
  armed = null;
  const state = kvm.powered === null ? '' : t(kvm.powered ? 'kvm.on' : 'kvm.off');
  const buttons = [...kvm.buttons, ...(kvm.wakes ? ['wake'] : [])].map((button) =>
    confirming(t(`kvm.press.${button}`), { kind: 'power', button }, button !== 'wake', FORCING.includes(button)),
  );
  fill(power, h('h3', {}, t('kvm.power'), ' ', state && h('small', { class: kvm.powered && 'is-on' }, state)), buttons.length ? h('p', { class: 'row keys' }, ...buttons) : t('kvm.no_power'));
  if (kvm.drive) showDrive(kvm.drive);
  else fill(drive, h('h3', {}, t('kvm.drive')), t('kvm.no_drive'));
}

/** @param {Drive} found */
function showDrive({ images, mounted, usb_reset_s }) {
  const file = h('input', { type: 'file', accept: '.iso,.img', hidden: true });
  file.addEventListener('change', () => file.files?.[0] && upload(file.files[0]));
  const url = h('input', { type: 'url', placeholder: t('kvm.url'), 'aria-label': t('kvm.url'), required: true });
  const form = h('form', { class: 'row', onsubmit: (/** @type {Event} */ event) => fetchImage(event, url.value) });
  form.append(url, h('button', { type: 'submit' }, t('kvm.fetch')));
  fill(
    drive,
    h('h3', {}, t('kvm.drive')),
    usb_reset_s > 0 && h('p', { class: 'help' }, t('kvm.usb_reset', { seconds: usb_reset_s })),
    h('ul', {}, ...images.map((image) => imageRow(image, image.name === mounted))),
    !images.length && h('p', { class: 'help' }, t('kvm.no_images')),
    h('p', { class: 'row' }, h('button', { onclick: () => file.click() }, t('kvm.upload')), file),
    form,
  );
}

/** @param {Image} image @param {boolean} mounted */
function imageRow({ name, size }, mounted) {
  const about = size ? t('kvm.size', { n: Math.round(size / MIB) }) : '';
  const buttons = mounted
    ? [confirming(t('kvm.eject'), { kind: 'eject' }, false)]
    : ['cdrom', 'disk'].map((kind) => confirming(t(`kvm.mount.${kind}`), { kind: 'mount', image: name, drive: kind }, false));
  const label = h('span', { class: 'name' }, name.split('/').pop() ?? name, ' ', h('small', {}, mounted ? t('kvm.mounted') : about));
  return h('li', { class: 'row' }, label, ...buttons);
}

/**
 * A button whose second click does it.
 * @param {string} words @param {object} action @param {boolean} dangerous @param {boolean} [looksSo] also before the first click
 */
function confirming(words, action, dangerous, looksSo = false) {
  const plain = looksSo ? 'danger' : '';
  const button = h('button', { class: plain }, words);
  button.addEventListener('click', () => {
    if (armed === button) return act(button, words, action);
    disarm();
    armed = button;
    Object.assign(button.dataset, { words, plain });
    button.style.width = `${button.getBoundingClientRect().width}px`; // it stays under the finger
    button.textContent = t('kvm.sure', { action: words });
    button.className = dangerous ? 'danger' : 'primary';
  });
  button.addEventListener('blur', disarm);
  return button;
}

function disarm() {
  if (!armed) return;
  armed.textContent = armed.dataset.words ?? '';
  armed.className = armed.dataset.plain ?? '';
  armed = null;
}

/** @param {HTMLButtonElement} button @param {string} words @param {object} action */
async function act(button, words, action) {
  disarm();
  button.disabled = true;
  setText(problem, '');
  fill(result, `${words}…`); // a button of the case may be held for seconds
  const done = await tryTo(async () => {
    const { turn } = await call('/api/take-over', {});
    await call('/api/manual-action', { action, turn }, AbortSignal.timeout(60_000));
  }, problem);
  button.disabled = false;
  fill(result, done && t('kvm.done', { action: words }));
  await load();
}

/** @param {File} file */
function upload(file) {
  const query = new URLSearchParams({ name: file.name, size: String(file.size) });
  return during(file.name, (signal) => sendFile(`/api/kvm/upload?${query}`, file, signal, showPart));
}

/** @param {Event} event @param {string} url */
function fetchImage(event, url) {
  event.preventDefault();
  return during(url, (signal) => followLines('/api/kvm/fetch', { url }, signal, showPart));
}

/** @param {number} part */
const showPart = (part) => (progress.value = part);

/** @param {string} name @param {(signal: AbortSignal) => Promise<unknown>} work */
async function during(name, work) {
  transfer?.abort();
  const mine = (transfer = new AbortController());
  setText(problem, '');
  transferName.textContent = name;
  showPart(0);
  meter.hidden = false;
  const failed = await work(mine.signal).then(() => '', (error) => error.message);
  if (!mine.signal.aborted) setText(problem, failed);
  if (transfer !== mine) return;
  meter.hidden = true;
  transfer = null;
  if (!failed) await load();
}
