// @ts-check
/** The message box with Send, Pause and Reset, available in every view. */
import { announceName } from '../core/live_region.js';
import { call } from '../core/connection.js';
import { byId, focusLater, setText } from '../core/dom.js';
import { uncoverChat } from './reveal.js';
import { hasTask } from '../core/state.js';
import { current, select } from '../core/tabs.js';
import { loadTasks, remember } from './saved_tasks.js';
import { setTexts, t } from '../core/i18n.js';

/** @typedef {import('../core/state.js').State} State */

/** Timeout of a request. */
const ANSWER_TIMEOUT_MS = 10_000;
/** How long a second press of Reset confirms it while a task is active. */
const CONFIRM_MS = 3000;

/** A browser has sent all events of a tap after this time. */
const TAP_MS = 300;

const DRAFT_KEY = 'cua-draft';
/** keyCode of a key that an input method handled; some browsers clear `isComposing` too early. */
const COMPOSING_KEY_CODE = 229;

/** @type {State | null} */
let state = null;

const box = () => byId('box', HTMLTextAreaElement);
const button = (/** @type {string} */ id) => byId(id, HTMLButtonElement);

export function mount() {
  byId('composer', HTMLFormElement).addEventListener('submit', onsubmit);
  box().addEventListener('keydown', onenter);
  box().addEventListener('input', onInput);
  box().value = sessionStorage.getItem(DRAFT_KEY) ?? '';
  fitHeight();
  makeRoom();
  button('pause').addEventListener('click', pauseOrResume);
  button('reset').addEventListener('click', reset);
  document.addEventListener('resume', () => isResting() && pauseOrResume());
}

/** @param {State} next */
export function update(next) {
  const asksNow = next.status === 'asking' && state?.status !== 'asking';
  const anew = next.connected !== state?.connected;
  state = { ...next };
  if (anew) resetButtons();
  const locked = isStopped() && !hasTask(next); // there is no task to resume
  box().placeholder = locked ? t('box.locked') : t(`box.${next.status}`);
  document.body.dataset.status = next.status;
  button('pause').textContent = t(locked ? 'unlock' : isResting() ? 'resume' : 'pause');
  if (!button('pause').ariaBusy) button('pause').disabled = !canPause();
  if (asksNow) uncoverChat().then(focus);
}

/** Enlarge the box on a small screen, but not during a press: the pressed button would move away. */
function makeRoom() {
  let pressed = false;
  const settle = () => {
    if (!pressed) document.body.toggleAttribute('data-writing', document.activeElement === box());
  };
  for (const kind of ['pointerdown', 'pointerup', 'pointercancel'])
    document.addEventListener(
      kind,
      () => {
        pressed = kind === 'pointerdown';
        setTimeout(settle, TAP_MS);
      },
      { capture: true },
    );
  for (const kind of ['focus', 'blur']) box().addEventListener(kind, () => setTimeout(settle, TAP_MS));
}

/** Put a text into the box for editing. @param {string} text */
export function setDraft(text) {
  box().value = text;
  onInput();
  box().focus();
}

/** Insert a text at the cursor. @param {string} text */
export function insert(text) {
  const room = box();
  const [start, end] = [room.selectionStart, room.selectionEnd];
  const before = room.value.slice(0, start);
  room.setRangeText(before && !before.endsWith(' ') ? ` ${text}` : text, start, end, 'end');
  select('chat');
  onInput();
  room.focus();
}

/** Focus the box, except during editing of settings or below a dialog. */
function focus() {
  if (current() === 'settings' || document.querySelector('dialog[open]')) return;
  select('chat');
  if (document.activeElement !== box()) focusLater(box());
}

/** @param {SubmitEvent} event */
async function onsubmit(event) {
  event.preventDefault();
  const said = box().value;
  const text = said.trim();
  const wantsWords = !state || ['idle', 'done', 'running'].includes(state.status);
  if (!text && wantsWords) return setText(byId('composer-error', HTMLElement), t('box.empty'));
  const begins = !state || !hasTask(state) || state.status === 'done';
  if (!(await order('send', resumePath(), { text }))) return;
  if (begins) remember(text);
  if (box().value.startsWith(said)) box().value = box().value.slice(said.length).trimStart();
  onInput();
  byId('composer', HTMLFormElement).dispatchEvent(new Event('sent'));
}

/** Ask for confirmation while a task is active. */
function reset() {
  const sure = !state || ['idle', 'done', 'failed'].includes(state.status);
  if (!sure && button('reset').dataset.t === 'reset') {
    setResetText('reset.sure');
    announceName(button('reset'));
    setTimeout(() => setResetText('reset'), CONFIRM_MS);
  } else {
    setResetText('reset');
    order('reset', '/api/reset', {});
  }
}

/** @param {string} key */
function setResetText(key) {
  button('reset').dataset.t = key;
  setTexts(button('reset'));
}

const isStopped = () => state?.status === 'stopped';
const isResting = () => isStopped() || state?.status === 'paused';
/** Only /api/resume clears the latch of a stop. */
const resumePath = () => (isStopped() ? '/api/resume' : '/api/send');
const canPause = () => isResting() || state?.status === 'running';
const pauseOrResume = () =>
  isResting() ? order('pause', resumePath(), { text: '' }) : order('pause', '/api/pause', {});

/** Requests of the lost connection may never be answered. */
function resetButtons() {
  for (const id of ['send', 'pause', 'reset']) button(id).ariaBusy = null;
  button('send').disabled = button('reset').disabled = false;
  setText(byId('composer-error', HTMLElement), '');
}

/**
 * Send a request once: its button is disabled until the answer arrives.
 * @param {string} id
 * @param {string} path
 * @param {object} body
 */
async function order(id, path, body) {
  const error = byId('composer-error', HTMLElement);
  if (button(id).ariaBusy) return false;
  const from = document.activeElement;
  button(id).ariaBusy = 'true';
  button(id).disabled = true;
  try {
    await call(path, body, ANSWER_TIMEOUT_MS);
    setText(error, '');
    return true;
  } catch (problem) {
    setText(error, /** @type {Error} */ (problem).message);
    return false;
  } finally {
    button(id).ariaBusy = null;
    button(id).disabled = id === 'pause' && !canPause();
    if (from === button(id) && document.activeElement === document.body) focusLater(button(id));
  }
}

/** Retry the failed task unchanged. */
export const retry = () => order('send', '/api/send', { text: '' });

/** @param {KeyboardEvent} event */
function onenter(event) {
  if (event.key === 'ArrowUp' && !box().value) return setDraft(loadTasks()[0]?.text ?? '');
  if (event.key !== 'Enter' || event.shiftKey || event.isComposing || event.keyCode === COMPOSING_KEY_CODE) return;
  event.preventDefault();
  byId('composer', HTMLFormElement).requestSubmit();
}

/** Keep the draft in the session: a phone may unload the page at any time. */
function onInput() {
  sessionStorage.setItem(DRAFT_KEY, box().value);
  fitHeight();
}

function fitHeight() {
  box().style.height = 'auto';
  box().style.height = `${box().scrollHeight + 2}px`;
}
