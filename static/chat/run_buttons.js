// @ts-check
/** Pause and Reset of the run, and requests that disable their button until the answer arrives; all are disabled without a connection. */
import { announceName } from '../core/live_region.js';
import { call } from '../core/connection.js';
import { byId, fill, focusLater, h, setText } from '../core/dom.js';
import { setNote } from '../core/emergency_stop.js';
import { canGoUnanswered, hasTask, isIdleStop, kvmTitle, needsKvm, takesNoHints, taskStatus } from '../core/state.js';
import { setKey, setTexts, t } from '../core/i18n.js';

/** @typedef {import('../core/state.js').State} State */

/** Timeout of a request. */
const ANSWER_TIMEOUT_MS = 10_000;
/** How long a second press of a button confirms the first. */
const CONFIRM_MS = 3000;
/** Buttons whose request needs the connection; those of the queue come with the first task. */
const BUTTONS = ['pause', 'send', 'reset', 'queue-add', 'queue-continue'];
/** Buttons that ask at the moment, and what ends that. @type {Map<HTMLElement, () => void>} */
const asking = new Map();

/** @type {State | null} */
let state = null;
/** Whether this page asked for the reset that follows. */
let hasReset = false;
/** Entries of the chat at the last update. */
let drawnCount = 0;

const button = (/** @type {string} */ id) => byId(id, HTMLButtonElement);
const buttons = () => BUTTONS.filter((id) => document.getElementById(id)).map(button);

export function mount() {
  button('pause').addEventListener('click', pauseOrResume);
  button('reset').addEventListener('click', reset);
  document.addEventListener('resume', () => canResume() && resume());
}

/** @param {State} next */
export function update(next) {
  const anew = next.connected !== state?.connected;
  if (state?.boot === next.boot) noteReset(drawnCount, next.entries.length);
  drawnCount = next.entries.length;
  state = { ...next };
  if (anew) resetButtons();
  button('pause').textContent = t(canResume() ? 'resume' : 'pause');
  button('pause').classList.toggle('primary', isResting());
  for (const each of buttons()) if (!each.ariaBusy) each.disabled = isOff(each.id);
}

/** Say so if the chat was cleared by another page. @param {number} before @param {number} after */
function noteReset(before, after) {
  if (Boolean(before) === Boolean(after)) return;
  if (!after) setNote(hasReset ? '' : 'reset.elsewhere');
  else if (byId('composer-note', HTMLElement).textContent === t('reset.elsewhere')) setNote('');
  hasReset = false;
}

/** Ask for confirmation whenever there is a task in the chat. */
function reset() {
  const ended = state && ['done', 'failed'].includes(taskStatus(state));
  const question = ended ? 'reset.sure' : 'reset.sure_unfinished';
  if (state && hasTask(state) && !isConfirmed(button('reset'), question)) return;
  hasReset = true;
  sendOnce('reset', '/api/reset', {});
}

/** Whether a press is the second one: the first asks. @param {HTMLElement} pressed @param {string} question its key */
export function isConfirmed(pressed, question) {
  const end = asking.get(pressed);
  if (end) return end(), true;
  const nodes = [...pressed.childNodes];
  const { t: key } = pressed.dataset;
  setKey(pressed, question);
  pressed.ariaLabel = null;
  announceName(pressed);
  const stop = () => {
    clearTimeout(timer);
    asking.delete(pressed);
    fill(pressed, ...nodes);
    if (key) pressed.dataset.t = key;
    else delete pressed.dataset.t;
    setTexts(pressed);
  };
  const timer = setTimeout(stop, CONFIRM_MS);
  asking.set(pressed, stop);
  return false;
}

const isStopped = () => state?.status === 'stopped';
const isResting = () => (isStopped() && !(state && isIdleStop(state))) || state?.status === 'paused';
const canResume = () => isResting() || Boolean(state && canGoUnanswered(state));
/** Only /api/resume clears the latch of a stop. */
export const resumePath = () => (isStopped() ? '/api/resume' : '/api/send');
const canPause = () => canResume() || state?.status === 'running';
const isOff = (/** @type {string} */ id) =>
  state?.link === 'lost' || (id === 'pause' ? !canPause() : id === 'send' && (!state?.connected || takesNoHints(state)));
const resume = () => sendOnce('pause', resumePath(), { text: '' });
const pauseOrResume = () => (canResume() ? resume() : sendOnce('pause', '/api/pause', {}));

/** Requests of the lost connection may never be answered. */
function resetButtons() {
  for (const each of buttons()) each.ariaBusy = null;
  setText(byId('composer-error', HTMLElement), '');
}

/** Name what is missing first, and offer to connect it. @param {HTMLElement} error */
function offerToConnect(error) {
  if (!state || !(needsKvm(state) || state.unconnected)) return;
  const open = () => document.dispatchEvent(new Event('onboarding'));
  const words = h('span', {}, needsKvm(state) ? t(kvmTitle(state)) : error.textContent);
  fill(error, words, ' ', h('button', { onclick: open }, t('connect')));
}

/**
 * Send a request once: its button is disabled until the answer arrives.
 * @param {string} id
 * @param {string} path
 * @param {object} body
 */
export async function sendOnce(id, path, body) {
  const error = byId('composer-error', HTMLElement);
  if (button(id).ariaBusy) return false;
  const from = document.activeElement;
  button(id).ariaBusy = 'true';
  button(id).disabled = true;
  try {
    await call(path, body, AbortSignal.timeout(ANSWER_TIMEOUT_MS));
    setText(error, '');
    return true;
  } catch (problem) {
    setText(error, /** @type {Error} */ (problem).message);
    if (/** @type {import('../core/connection.js').Refusal} */ (problem).setting) offerToConnect(error);
    return false;
  } finally {
    button(id).ariaBusy = null;
    button(id).disabled = isOff(id);
    if (from === button(id) && document.activeElement === document.body) focusLater(button(id));
  }
}
