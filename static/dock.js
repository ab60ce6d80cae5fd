// @ts-check
/** Where the person speaks and stops: the box with Send, Pause and Reset, in reach in every view. */
import { call } from './connection.js';
import { byId, say } from './dom.js';
import { current, select } from './tabs.js';
import { t } from './words.js';

/** @typedef {import('./state.js').State} State */

const TWICE = 700;

/** @type {State | null} */
let state = null;
let escaped = 0;

const box = () => byId('box', HTMLTextAreaElement);
const button = (/** @type {string} */ id) => byId(id, HTMLButtonElement);

export function mount() {
  byId('dock', HTMLFormElement).addEventListener('submit', onsubmit);
  box().addEventListener('keydown', onenter);
  box().addEventListener('input', grow);
  button('pause').addEventListener('click', pause);
  button('reset').addEventListener('click', () => order('reset', '/api/reset', {}));
  document.addEventListener('keydown', onescape);
}

/** @param {State} next */
export function update(next) {
  const asksNow = next.status === 'asking' && state?.status !== 'asking';
  state = { ...next };
  box().placeholder = t(`box.${next.status}`);
  document.body.dataset.status = next.status;
  if (!button('pause').ariaBusy) button('pause').disabled = next.status !== 'running';
  if (asksNow) focus();
}

/** Puts words into the box, for the person to change and send. @param {string} text */
export function put(text) {
  box().value = text;
  grow();
  box().focus();
}

/** Never out of a form that is being filled in, nor from under a dialog. */
function focus() {
  if (current() === 'settings' || document.querySelector('dialog[open]')) return;
  select('chat');
  box().focus();
}

/** @param {SubmitEvent} event */
async function onsubmit(event) {
  event.preventDefault();
  const text = box().value.trim();
  const wantsWords = !state || ['idle', 'done', 'running'].includes(state.status);
  if (!text && wantsWords) return say(byId('dock-error', HTMLElement), t('box.empty'));
  if (!(await order('send', '/api/send', { text }))) return;
  box().value = '';
  grow();
}

const pause = () => order('pause', '/api/pause', {});

/**
 * The button rests until the answer is there, so that an order goes out once.
 * @param {string} id
 * @param {string} path
 * @param {object} body
 */
async function order(id, path, body) {
  const error = byId('dock-error', HTMLElement);
  if (button(id).ariaBusy) return false;
  button(id).ariaBusy = 'true';
  button(id).disabled = true;
  try {
    await call(path, body);
    say(error, '');
    return true;
  } catch (problem) {
    say(error, /** @type {Error} */ (problem).message);
    return false;
  } finally {
    button(id).ariaBusy = null;
    button(id).disabled = id === 'pause' && state?.status !== 'running';
  }
}

/** @param {KeyboardEvent} event */
function onenter(event) {
  if (event.key !== 'Enter' || event.shiftKey || event.isComposing) return;
  event.preventDefault();
  byId('dock', HTMLFormElement).requestSubmit();
}

/** Esc twice stops, wherever the focus is. @param {KeyboardEvent} event */
function onescape(event) {
  if (event.key !== 'Escape' || event.repeat) return;
  const twice = event.timeStamp - escaped < TWICE;
  escaped = event.timeStamp;
  if (twice && state?.status === 'running') pause();
}

function grow() {
  box().style.height = 'auto';
  box().style.height = `${box().scrollHeight + 2}px`;
}
