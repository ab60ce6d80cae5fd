// @ts-check
/** Where the person speaks and stops: the box with Send, Pause and Reset, in reach in every view. */
import { renamed } from './announce.js';
import { call } from './connection.js';
import { byId, land, say } from './dom.js';
import { reveal } from './reveal.js';
import { begun } from './state.js';
import { current, select } from './tabs.js';
import { kept, remember } from './tasks.js';
import { dress, t } from './words.js';

/** @typedef {import('./state.js').State} State */

/** Milliseconds after which an order that nobody answers counts as lost. */
const PATIENCE = 10_000;
/** Milliseconds for which a second press of Reset clears what is at work. */
const SURE = 3000;

/** Milliseconds in which all has come that a browser makes of a tap. */
const TAPPED = 300;

const DRAFT = 'cua-draft';
/** Of a key that an input method has taken: some browsers have ended the composing by then. */
const COMPOSING = 229;

/** @type {State | null} */
let state = null;

const box = () => byId('box', HTMLTextAreaElement);
const button = (/** @type {string} */ id) => byId(id, HTMLButtonElement);

export function mount() {
  byId('dock', HTMLFormElement).addEventListener('submit', onsubmit);
  box().addEventListener('keydown', onenter);
  box().addEventListener('input', changed);
  box().value = sessionStorage.getItem(DRAFT) ?? '';
  grow();
  making();
  button('pause').addEventListener('click', pauseOrResume);
  button('reset').addEventListener('click', reset);
}

/** @param {State} next */
export function update(next) {
  const asksNow = next.status === 'asking' && state?.status !== 'asking';
  const anew = next.connected !== state?.connected;
  state = { ...next };
  if (anew) rested();
  const locked = stopped() && !begun(next); // there is nothing that could go on
  box().placeholder = locked ? t('box.locked') : t(`box.${next.status}`);
  document.body.dataset.status = next.status;
  button('pause').textContent = t(locked ? 'unlock' : rests() ? 'resume' : 'pause');
  if (!button('pause').ariaBusy) button('pause').disabled = !mayPress();
  if (asksNow) reveal().then(focus);
}

/** On a small screen the box makes itself room; not while a finger is down, or what it presses would move away. */
function making() {
  let pressed = false;
  const settle = () => {
    if (!pressed) document.body.toggleAttribute('data-writing', document.activeElement === box());
  };
  for (const kind of ['pointerdown', 'pointerup', 'pointercancel'])
    document.addEventListener(
      kind,
      () => {
        pressed = kind === 'pointerdown';
        setTimeout(settle, TAPPED);
      },
      { capture: true },
    );
  for (const kind of ['focus', 'blur']) box().addEventListener(kind, () => setTimeout(settle, TAPPED));
}

/** Puts words into the box, for the person to change and send. @param {string} text */
export function put(text) {
  box().value = text;
  changed();
  box().focus();
}

/** Puts words where the cursor is. @param {string} text */
export function insert(text) {
  const room = box();
  const [start, end] = [room.selectionStart, room.selectionEnd];
  const before = room.value.slice(0, start);
  room.setRangeText(before && !before.endsWith(' ') ? ` ${text}` : text, start, end, 'end');
  select('chat');
  changed();
  room.focus();
}

/** Never out of a form that is being filled in, nor from under a dialog. */
function focus() {
  if (current() === 'settings' || document.querySelector('dialog[open]')) return;
  select('chat');
  if (document.activeElement !== box()) land(box());
}

/** @param {SubmitEvent} event */
async function onsubmit(event) {
  event.preventDefault();
  const said = box().value;
  const text = said.trim();
  const wantsWords = !state || ['idle', 'done', 'running'].includes(state.status);
  if (!text && wantsWords) return say(byId('dock-error', HTMLElement), t('box.empty'));
  const begins = !state || !begun(state) || state.status === 'done';
  if (!(await order('send', onward(), { text }))) return;
  if (begins) remember(text);
  if (box().value.startsWith(said)) box().value = box().value.slice(said.length).trimStart();
  changed();
  byId('dock', HTMLFormElement).dispatchEvent(new Event('sent'));
}

/** What is at work is not lost by one slip. */
function reset() {
  const sure = !state || ['idle', 'done', 'failed'].includes(state.status);
  if (!sure && button('reset').dataset.t === 'reset') {
    name('reset.sure');
    renamed(button('reset'));
    setTimeout(() => name('reset'), SURE);
  } else {
    name('reset');
    order('reset', '/api/reset', {});
  }
}

/** @param {string} key */
function name(key) {
  button('reset').dataset.t = key;
  dress(button('reset'));
}

const stopped = () => state?.status === 'stopped';
const rests = () => stopped() || state?.status === 'paused';
/** How it goes on: the latch of a stop is opened by a word of its own. */
const onward = () => (stopped() ? '/api/resume' : '/api/send');
/** Of the button that pauses, and resumes. */
const mayPress = () => rests() || state?.status === 'running';
const pauseOrResume = () =>
  rests() ? order('pause', onward(), { text: '' }) : order('pause', '/api/pause', {});

/** On a new line nothing is waited for that the old one may have lost. */
function rested() {
  for (const id of ['send', 'pause', 'reset']) button(id).ariaBusy = null;
  button('send').disabled = button('reset').disabled = false;
  say(byId('dock-error', HTMLElement), '');
}

/**
 * The button rests until the answer is there, so that an order goes out once.
 * @param {string} id
 * @param {string} path
 * @param {object} body
 */
async function order(id, path, body) {
  const error = byId('dock-error', HTMLElement);
  if (button(id).ariaBusy) return false;
  const from = document.activeElement;
  button(id).ariaBusy = 'true';
  button(id).disabled = true;
  try {
    await call(path, body, PATIENCE);
    say(error, '');
    return true;
  } catch (problem) {
    say(error, /** @type {Error} */ (problem).message);
    return false;
  } finally {
    button(id).ariaBusy = null;
    button(id).disabled = id === 'pause' && !mayPress();
    if (from === button(id) && document.activeElement === document.body) land(from);
  }
}

/** What has failed is tried again as it is. */
export const again = () => order('send', '/api/send', { text: '' });

/** @param {KeyboardEvent} event */
function onenter(event) {
  if (event.key === 'ArrowUp' && !box().value) return put(kept()[0]?.text ?? '');
  if (event.key !== 'Enter' || event.shiftKey || event.isComposing || event.keyCode === COMPOSING) return;
  event.preventDefault();
  byId('dock', HTMLFormElement).requestSubmit();
}

/** What has been begun outlives the page, which a phone may let go of at any moment. */
function changed() {
  sessionStorage.setItem(DRAFT, box().value);
  grow();
}

function grow() {
  box().style.height = 'auto';
  box().style.height = `${box().scrollHeight + 2}px`;
}
