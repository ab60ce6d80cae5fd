// @ts-check
/**
 * Manual control: taps, drags, scrolls and keys over the live picture are sent to the computer one after the
 * other, while the agent is paused. A drag is sent while it happens: the button stays down as long as this page
 * keeps reporting the finger's position.
 */
import { announceName } from '../core/live_region.js';
import { call, page } from '../core/connection.js';
import { byId, fill, h, loadStyle, setText, tryTo } from '../core/dom.js';
import { setShortNote } from '../core/emergency_stop.js';
import { makeKeyBar } from './keybar.js';
import { Gestures } from './gestures.js';
import { drawActions } from './annotations.js';
import * as drawer from './drawer.js';
import { canGoUnanswered } from '../core/state.js';
import { setKey, t } from '../core/i18n.js';

/** @typedef {{ kind: string, [more: string]: unknown }} InputAction */
/** @typedef {import('../core/state.js').State} State */

await loadStyle('/static/live/manual_control.css');

/** Browser key name -> name in an action. @type {Record<string, string>} */
const KEY_NAMES = {
  Escape: 'ESC',
  ' ': 'SPACE',
  ArrowUp: 'UP',
  ArrowDown: 'DOWN',
  ArrowLeft: 'LEFT',
  ArrowRight: 'RIGHT',
};
const NAMED_KEY =
  /^(Enter|Tab|Backspace|Delete|Insert|Home|End|PageUp|PageDown|F\d\d?|Escape| |Arrow(Up|Down|Left|Right))$/;
const MODIFIERS = { ctrlKey: 'CTRL', altKey: 'ALT', shiftKey: 'SHIFT', metaKey: 'WIN' };

/** Longest interval between two reports of the finger's position, which keep the button held; and shortest. */
const HEARTBEAT_MS = 250;
const MOVE_INTERVAL_MS = 30;

/** Actions not sent yet; of consecutive pointer movements only the last. @type {InputAction[]} */
let queue = [];
let busy = false;
/** Resolves when the queue is empty. */
let processing = Promise.resolve();
/** Whether the chat was open before. */
let drawerWasOpen = false;
/** The service's number of this manual control; a stop ends it, and later actions with it are rejected. */
let turnNumber = 0;
/** Id of the button that is held on the computer; 0: none. */
let holdId = 0;
/** @type {unknown} */
let pointerAt;
let active = false;
/** Whether handing back goes on with the task: taking over paused it, or it asks what may be done by hand. */
let goesOn = false;
/** The state at the last update. @type {Partial<State>} */
let lastState = {};
/** Most notches of one scroll action. */
const MAX_NOTCHES = 100;
/** Content of the empty box, so that a phone's keyboard can delete something. */
const FILLER = ' ';
const COARSE = matchMedia('(pointer: coarse)');
/** keyCode of a key that an input method handled. */
const COMPOSING_KEY_CODE = 229;
const problem = h('p', { class: 'error', role: 'alert', hidden: true });
const overlay = h('div', { class: 'input-overlay', tabindex: 0, role: 'application' });
const box = h('textarea', { class: 'sr', rows: 1, autocapitalize: 'off', autocomplete: 'off' });
const recordButton = h('button', { onclick: () => toggleRecording(), 'data-t': 'take.record' });
let recording = false;
/** Resolves when what was recorded until the hand-back is saved or discarded. */
let recordingSaved = Promise.resolve();
const bar = makeKeyBar(
  (action) => enqueue(action),
  () => box.focus({ preventScroll: true }),
);

/**
 * Take over, or hand back if in control. `typing`: started by keyboard, so focus a text field, in which screen
 * readers pass on all keys.
 * @param {boolean} typing
 */
export async function toggle(typing) {
  if (active) {
    if (goesOn) handBackAndResume();
    else handBack();
    return announceName(byId('take', HTMLElement));
  }
  goesOn = lastState.status === 'running' || canGoUnanswered(lastState);
  await tryTo(async () => {
    ({ turn: turnNumber } = await call('/api/take-over', { stays: true }));
    begin(typing);
  }, byId('composer-error', HTMLElement));
}

/** @param {boolean} typing */
function begin(typing) {
  setActive(true);
  drawerWasOpen = drawer.isOpen();
  drawer.setOpen(false);
  overlay.setAttribute('aria-label', t('take.screen'));
  box.setAttribute('aria-label', t('take.typing'));
  byId('preview', HTMLElement).querySelector('.screen')?.append(overlay);
  const way = t(COARSE.matches ? 'take.fingers' : 'take.mouse');
  setRecording(false);
  fill(byId('control-bar', HTMLElement), problem, h('p', { class: 'gestures' }, way), h('div', { class: 'by-hand' }, recordButton, bar.node()), box);
  byId('control-bar', HTMLElement).hidden = false;
  setButtonText('take.back');
  clearBox();
  (typing ? box : overlay).focus();
}

/** Resolves to how much was done, once all is sent. @param {boolean} [thenResumes] @returns {Promise<number>} */
async function handBack(thenResumes) {
  if (recording) recordingSaved = toggleRecording(thenResumes);
  setActive(false);
  if (drawerWasOpen) drawer.setOpen(true);
  gestures.stop();
  queue = queue.filter(({ kind }) => kind === 'drag-end');
  overlay.remove();
  byId('control-bar', HTMLElement).hidden = true;
  setButtonText('take.over');
  await processing;
  return call('/api/hand-back', {}).then(({ done }) => done, () => 0); // a lost connection has no chat either
}

/** What the person does becomes a procedure. Resolves after the dialog that saves it. @param {boolean} [thenResumes] whether the task goes on then */
async function toggleRecording(thenResumes = false) {
  const begins = !recording;
  try {
    if (begins) await call('/api/procedures/record', {});
    setRecording(begins);
    if (begins) {
      setUnsaved(true);
      return overlay.focus();
    }
    await processing;
    const form = await (await import('../chat/make_procedure.js')).saveRecording(thenResumes);
    await new Promise((closed) => form.addEventListener('close', closed));
    setUnsaved(false);
  } catch (error) {
    setUnsaved(false);
    setText(active ? problem : byId('composer-error', HTMLElement), /** @type {Error} */ (error).message);
  }
}

/** @param {boolean} now */
function setRecording(now) {
  recording = now;
  setKey(recordButton, now ? 'take.record_end' : 'take.record');
}

/** Leaving the page asks first while a recording is not saved. @param {boolean} now */
const setUnsaved = (now) => document.body.toggleAttribute('data-unsaved-recording', now);

/** A question stays open if nothing was done. Nothing goes on behind the dialog of a recording, nor after a stop. */
async function handBackAndResume() {
  const asks = canGoUnanswered(lastState);
  const { stops } = lastState;
  const handedBack = handBack(true);
  byId('take', HTMLElement).focus();
  const done = await handedBack;
  await recordingSaved;
  if ((done || !asks) && lastState.stops === stops) document.dispatchEvent(new Event('resume'));
}

/** End manual control at a start, a stop, a reset, a restart of the service, a lost connection, or when another page has it. @param {State} state */
export function update(state) {
  const { status, stops, link, watching, entries, controller, pages } = state;
  const begins = status === 'running' && lastState.status !== 'running';
  const cut = stops !== lastState.stops || entries !== lastState.entries;
  const isTaken = controller !== lastState.controller && controller !== '' && controller !== page;
  const over = begins || cut || link !== 'open' || watching || isTaken;
  lastState = { ...state };
  const why = isTaken ? 'take.elsewhere' : begins && pages > 1 ? 'take.ended' : '';
  if (active && over) handBack().then(() => why && setShortNote(why));
}

/** @param {boolean} now */
function setActive(now) {
  active = now;
  document.body.toggleAttribute('data-manual-control', now);
  document.dispatchEvent(new CustomEvent('manual-control', { detail: now }));
}

/** @param {string} key */
const setButtonText = (key) => setKey(byId('take', HTMLElement), key);

const gestures = new Gestures(overlay, (action) => enqueue(action), drawPointerHold);
document.addEventListener('visibilitychange', () => document.hidden && gestures.stop());
setInterval(() => holdId && !busy && enqueue({ kind: 'drag-move', at: pointerAt }), HEARTBEAT_MS);
overlay.addEventListener('keydown', onkey);
box.addEventListener('keydown', onkey);
box.addEventListener('input', oninput);
box.addEventListener('compositionend', sendText);
box.addEventListener('beforeinput', ondelete);

/** Mark the dragged position; the live picture lags behind. @param {import('./annotations.js').Point} [at] */
function drawPointerHold(at) {
  fill(overlay, ...(at ? drawActions([{ kind: 'grip', words: '', at }]) : []));
}

/** @param {InputAction} action */
function enqueue(action) {
  if (action.kind === 'move' && queue.at(-1)?.kind === 'move') queue.pop();
  if (action.kind === 'scroll' && queue.at(-1)?.kind === 'scroll') action = mergeScrolls(action, queue.pop());
  if (action.kind.startsWith('drag-')) action = mergeDrag(action);
  queue.push(bar.held(action));
  document.body.dataset.waiting = String(queue.length);
  if (!busy) processing = processQueue();
}

/** Merge two scroll actions. @param {InputAction} action @param {InputAction} [last] @returns {InputAction} */
function mergeScrolls(action, last) {
  const both = (/** @type {string} */ way) =>
    Math.max(-MAX_NOTCHES, Math.min(MAX_NOTCHES, Number(action[way] ?? 0) + Number(last?.[way] ?? 0)));
  return { ...action, dx: both('dx'), dy: both('dy') };
}

/** Keep only the last position; a drag that ends before its start was sent becomes one action. @param {InputAction} action @returns {InputAction} */
function mergeDrag(action) {
  pointerAt = action.at;
  queue = queue.filter(({ kind }) => kind !== 'drag-move');
  const unsaid = queue.findIndex(({ kind }) => kind === 'drag-start');
  if (unsaid < 0 || action.kind !== 'drag-end') return action;
  queue.splice(unsaid, 1);
  return { kind: 'drag', path: action.path, button: action.button };
}

async function processQueue() {
  busy = true;
  for (let action = takeNext(); action; action = takeNext()) {
    try {
      await sendAction(action);
      if (action.kind !== 'move') setText(problem, ''); // a mouse moves on before anybody has read it
    } catch (error) {
      queue = [];
      holdId = 0;
      gestures.drop();
      setText(problem, /** @type {Error} */ (error).message);
    }
  }
  busy = false;
  document.body.dataset.waiting = String(queue.length);
}

/** While a button is held, everything else waits. Queued letters are sent as one text. */
function takeNext() {
  const at = holdId ? queue.findIndex(({ kind }) => kind.startsWith('drag-')) : 0;
  const [first] = at < 0 ? [] : queue.splice(at, 1);
  while (first?.kind === 'type' && queue[0]?.kind === 'type') first.text += String(queue.shift()?.text);
  return first;
}

/** @param {InputAction} action */
async function sendAction({ kind, at, ...more }) {
  if (kind === 'drag-start') holdId = (await call('/api/hold-button', { at, button: more.button, turn: turnNumber })).hold;
  else if (kind === 'drag-move') await Promise.all([followPointer({ at }), new Promise((done) => setTimeout(done, MOVE_INTERVAL_MS))]);
  else if (kind === 'drag-end') await followPointer({ at, over: true });
  else await call('/api/manual-action', { action: { kind, at, ...more }, turn: turnNumber });
}

/** @param {{ at: unknown, over?: boolean }} where */
async function followPointer(where) {
  await call('/api/hold-button/move', { hold: holdId, ...where });
  if (where.over) holdId = 0;
}

/** @param {KeyboardEvent} event */
function onkey(event) {
  if (event.isComposing || event.key === 'Unidentified' || event.keyCode === COMPOSING_KEY_CODE) return;
  if (event.ctrlKey && event.altKey && event.key === 'Home') return leaveScreen(event);
  if (event.repeat && queue.length) return event.preventDefault(); // it would continue after the release
  const keys = Object.entries(MODIFIERS)
    .filter(([flag]) => event[/** @type {keyof KeyboardEvent} */ (flag)])
    .map(([, name]) => name);
  const chord = keys.some((name) => name !== 'SHIFT');
  if (NAMED_KEY.test(event.key)) keys.push(KEY_NAMES[event.key] ?? event.key.toUpperCase());
  else if (event.key.length === 1 && chord) keys.push(event.key.toUpperCase());
  else if (event.key.length === 1 && event.target === overlay) {
    event.preventDefault();
    return enqueue({ kind: 'type', text: event.key });
  } else return;
  event.preventDefault();
  event.stopPropagation();
  enqueue({ kind: 'keypress', keys });
}

/** The exit shortcut of remote desktops; every other key, even Tab, goes to the computer. @param {KeyboardEvent} event */
function leaveScreen(event) {
  event.preventDefault();
  byId('take', HTMLElement).focus();
}

/** A phone's keyboard reports letters only by changing the box. @param {Event} event */
function oninput(event) {
  if (!(/** @type {InputEvent} */ (event).isComposing)) sendText();
}

/** Send composed text only when complete: "ni" becomes a Chinese character. */
function sendText() {
  const text = box.value.replace(FILLER, '');
  if (text && active) enqueue({ kind: 'type', text });
  clearBox();
}

function clearBox() {
  box.value = FILLER;
  box.setSelectionRange(FILLER.length, FILLER.length);
}

/** The only event of a phone's keyboard for Backspace. @param {InputEvent} event */
function ondelete(event) {
  if (event.isComposing || !/^delete.*Backward$/.test(event.inputType)) return;
  event.preventDefault();
  enqueue({ kind: 'keypress', keys: ['BACKSPACE'] });
}
