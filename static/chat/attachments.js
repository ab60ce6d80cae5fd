// @ts-check
/** Files that go with the next message: chosen, dropped, pasted or photographed, and checked by the service at once. */
import { upload } from '../core/connection.js';
import { byId, focusLater, h, setText } from '../core/dom.js';
import { clearMessages } from '../core/emergency_stop.js';
import { fadeEdges } from '../core/fades.js';
import { icon, iconButton } from '../core/icons.js';
import { t } from '../core/i18n.js';

/** As the service allows. */
const MAX_FILES = 6;
const MAX_FILE_MB = 10;
/** What has arrived, kept with the draft: the service still has it after a reload. */
const FILES_KEY = `cua-files${location.pathname}`;

/** Uploads under way. @type {Set<Promise<void>>} */
const uploads = new Set();
const chips = h('ul', { class: 'files', 'data-t-label': 'files', hidden: true });

const problem = () => byId('composer-error', HTMLElement);

export function mount() {
  const files = chooser({ multiple: true });
  const camera = chooser({ accept: 'image/*', capture: 'environment' });
  byId('attach', HTMLElement).append(icon('attach'));
  byId('attach', HTMLElement).addEventListener('click', () => files.click());
  byId('photo', HTMLElement).append(icon('photo'));
  byId('photo', HTMLElement).addEventListener('click', () => camera.click());
  byId('composer', HTMLElement).querySelector('.entry')?.prepend(chips);
  fadeEdges(chips);
  byId('composer', HTMLElement).addEventListener('sent', clear);
  byId('box', HTMLElement).addEventListener('paste', onpaste);
  for (const kind of ['dragover', 'dragleave', 'drop']) document.addEventListener(kind, ondrag);
  for (const { name, id } of JSON.parse(sessionStorage.getItem(FILES_KEY) ?? '[]')) addChip(name, icon('file')).dataset.file = id;
}

/** The ids of the files for the message, if there are any, when all have arrived. */
export async function fileIds() {
  await Promise.all(uploads);
  const ids = [...chips.children].map((chip) => /** @type {HTMLElement} */ (chip).dataset.file);
  return ids.length ? ids : undefined;
}

export const hasFiles = () => chips.children.length > 0;

/** @param {object} more */
function chooser(more) {
  const input = h('input', { type: 'file', ...more });
  input.addEventListener('change', () => {
    addAll([...(input.files ?? [])]);
    input.value = '';
  });
  return input;
}

/** @param {ClipboardEvent} event */
function onpaste(event) {
  const files = [...(event.clipboardData?.files ?? [])];
  if (!files.length) return;
  event.preventDefault();
  addAll(files);
}

/** A file that is dropped anywhere is attached; the browser would leave the page for it. @param {DragEvent} event */
function ondrag(event) {
  if (!event.dataTransfer?.types.includes('Files')) return;
  event.preventDefault();
  document.body.toggleAttribute('data-dropping', event.type === 'dragover');
  if (event.type === 'drop' && document.body.dataset.watching === undefined) addAll([...event.dataTransfer.files]);
}

/** @param {File[]} files */
function addAll(files) {
  clearMessages();
  const room = MAX_FILES - chips.childElementCount;
  for (const file of files.slice(0, room)) add(file);
  if (files.length > room) setText(problem(), t('files.too_many', { n: MAX_FILES }));
  byId('box', HTMLElement).focus();
}

/** @param {File} file */
function add(file) {
  const chip = addChip(file.name, file.type.startsWith('image/') ? thumbnail(file) : icon('file'));
  chip.ariaBusy = 'true';
  const sent = send(file, chip).finally(() => uploads.delete(sent));
  uploads.add(sent);
}

/** @param {string} name @param {Element} preview */
function addChip(name, preview) {
  const remove = iconButton('close', t('files.remove', { name }), () => drop(chip));
  const chip = h('li', {}, preview, h('span', {}, name), remove);
  chips.append(chip);
  chips.hidden = false;
  return chip;
}

/** Its address is released once it has loaded: a file may be refused before. @param {File} file */
function thumbnail(file) {
  const src = URL.createObjectURL(file);
  const release = () => URL.revokeObjectURL(src);
  return h('img', { src, alt: '', onload: release, onerror: release });
}

/** @param {File} file @param {HTMLElement} chip */
async function send(file, chip) {
  try {
    if (file.size > MAX_FILE_MB * 2 ** 20) throw new Error(t('files.too_large', { name: file.name, n: MAX_FILE_MB }));
    const { id } = await upload(`/api/files?name=${encodeURIComponent(file.name)}`, file);
    chip.dataset.file = id;
    chip.ariaBusy = null;
    keep();
  } catch (error) {
    remove(chip);
    setText(problem(), [problem().textContent, /** @type {Error} */ (error).message].filter(Boolean).join(' ')); // of each file
  }
}

/** @param {HTMLElement} chip */
function drop(chip) {
  clearMessages();
  remove(chip);
  focusLater(byId('box', HTMLElement));
}

/** @param {Element} chip */
function remove(chip) {
  chip.remove();
  chips.hidden = !chips.childElementCount;
  keep();
}

function keep() {
  const arrived = /** @type {HTMLElement[]} */ ([...chips.children]).filter((chip) => chip.dataset.file);
  sessionStorage.setItem(FILES_KEY, JSON.stringify(arrived.map((chip) => ({ name: chip.textContent, id: chip.dataset.file }))));
}

function clear() {
  for (const chip of [...chips.children]) remove(chip);
}
