// @ts-check
/**
 * The emergency stop: always on screen, and by Esc or the space bar twice. It is sent over the socket and as a
 * request, so that neither a full queue nor a lost socket delays it.
 */
import { call, sendToSocket } from './connection.js';
import { byId, setText } from './dom.js';
import { setKey, t } from './i18n.js';

/** @typedef {import('./state.js').State} State */

const TWICE_MS = 700;
/** When a missing answer is reported, and when the request counts as lost. */
const LATE_MS = 1000;
const ANSWER_TIMEOUT_MS = 10_000;
/** How long a short note stays. */
export const NOTE_MS = 8000;
let lastKey = { key: '', at: 0 };
/** @typedef {'' | 'going' | 'late' | 'lost' | 'confirmed'} Order */
/** State of the last request. @type {Order} */
let order = '';
/** Text of the button at rest. */
let restKey = 'stop';
/** What is said at the message box: a text's key, or '', and its values. @type {[string, Record<string, unknown>?]} */
let note = [''];
/** The state at the last update. @type {Partial<State>} */
let lastState = {};

const button = () => byId('stop', HTMLButtonElement);
const isAsked = () => ['going', 'late', 'lost'].includes(order);

export function mount() {
  restKey = button().dataset.t ?? restKey;
  button().addEventListener('click', stop);
  showTitle();
  for (const show of [showNote, showTitle]) document.addEventListener('language', show);
  button().disabled = false; // a press before this would be lost
  document.addEventListener('keydown', onkey, { capture: true });
}

const showTitle = () => (button().title = t('stop.title'));

/** @param {State} state */
export function update({ status, stoppedStatus, reach, inManualControl, link }) {
  const stops = status === 'stopped' && lastState.status !== status;
  const goesOn = lastState.status === 'stopped' && (status !== 'stopped' || (inManualControl && !lastState.inManualControl));
  const begins = status === 'running' && !['running', 'paused'].includes(lastState.status ?? '');
  const changesHands = inManualControl !== lastState.inManualControl && !order;
  const back = link === 'open' && lastState.link !== 'open';
  lastState = { status, reach, inManualControl, link };
  button().disabled = status === 'stopped' && stoppedStatus !== 'idle' && !inManualControl; // without a task, text may be pasted
  showNote();
  if (stops && isAsked()) setOrder('confirmed');
  else if (back && isAsked()) stop(); // it was pressed before the page was admitted, or without a connection
  else if (goesOn) setOrder('');
  else if (begins || changesHands) setNote('');
}

/** Clear what is said at the message box, except of a stop that is not confirmed. */
export function clearMessages() {
  if (!isAsked()) setText(byId('composer-error', HTMLElement), '');
  setNote('');
}

/** The button goes into a dialog that covers all else, with what it says. @param {HTMLElement} room @returns {() => void} how it comes back */
export function moveInto(room) {
  const parts = ['composer-error', 'composer-note', 'stop'].map((id) => byId(id, HTMLElement));
  const homes = parts.map((part) => {
    const home = document.createComment('');
    part.replaceWith(home);
    return home;
  });
  room.append(...parts);
  return () => homes.forEach((home, n) => home.replaceWith(parts[n]));
}

/** Open a dialog; until it closes, the button is in its `room`. What the dialog began ends with it. @param {HTMLDialogElement} dialog @param {HTMLElement} room */
export function openWithStop(dialog, room) {
  document.body.append(dialog);
  const returnStop = moveInto(room);
  const closing = new AbortController();
  const onclose = () => {
    closing.abort();
    returnStop();
    dialog.remove();
  };
  dialog.addEventListener('close', onclose, { once: true });
  dialog.showModal();
  return closing.signal;
}

/** Stays enabled while waiting, so that it can be pressed again. */
async function stop() {
  setOrder('going');
  const late = setTimeout(() => order === 'going' && setOrder('late'), LATE_MS);
  sendToSocket('stop');
  try {
    await call('/api/stop', {}, AbortSignal.timeout(ANSWER_TIMEOUT_MS));
    if (isAsked()) setOrder('confirmed'); // not after the socket has told it: the person may have gone on since
  } catch (problem) {
    if (isAsked()) setOrder('lost', /** @type {Error} */ (problem).message);
  } finally {
    clearTimeout(late);
  }
}

/** Show whether the stop was delivered. @param {Order} now @param {string} [why] */
function setOrder(now, why = '') {
  order = now;
  const going = now === 'going' || now === 'late';
  button().ariaBusy = going ? 'true' : null;
  setKey(button(), going ? 'stop.going' : restKey);
  const words = now === 'late' ? t('stop.late') : now === 'lost' ? `${t('stop.lost')} ${why}` : '';
  setText(byId('composer-error', HTMLElement), words);
  // While the computer accepts no input, the release is pending and cannot be confirmed.
  setNote(now !== 'confirmed' ? '' : lastState.reach ? 'stop.owed' : 'stop.done');
}

/** Say something at the message box, also in another language later. @param {typeof note} said */
export function setNote(...said) {
  note = said;
  showNote();
}

/** Say that something is done, for a while: on a phone the words take the room of the chat. @param {typeof note} said */
export function setShortNote(...said) {
  setNote(...said);
  const shown = note;
  setTimeout(() => note === shown && setNote(''), NOTE_MS);
}

/** Without a connection, say what happens to the running task, unless there is another note. */
function showNote() {
  const isLost = lastState.link === 'lost' && lastState.status === 'running';
  const [key, values] = note[0] || !isLost ? note : ['link.pauses'];
  setText(byId('composer-note', HTMLElement), key && t(key, values));
}

/** Ignore the space bar in text fields and on buttons. @param {KeyboardEvent} event */
function onkey(event) {
  const { key, timeStamp: at, repeat, target } = event;
  if (target instanceof Element && target.closest('.input-overlay, .control-bar textarea')) return; // for the computer
  if (repeat || (key !== 'Escape' && key !== ' ')) return;
  if (
    key === ' ' &&
    target instanceof Element &&
    target.closest('input, textarea, select, button, summary, a')
  )
    return;
  if (key === 'Escape' && document.querySelector('dialog[open] #stop')) return; // it closes the dialog, which has the button in it
  const twice = lastKey.key === key && at - lastKey.at < TWICE_MS;
  if (key === 'Escape' && !twice && target instanceof HTMLInputElement && target.type === 'search' && target.value) {
    setTimeout(() => target.value && (lastKey = { key, at })); // not every browser clears it
    return;
  }
  lastKey = { key, at: twice ? 0 : at };
  if (twice) stop();
}
