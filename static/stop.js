// @ts-check
/**
 * The emergency stop: always on screen, and twice Esc or twice the space bar. It goes out on two ways at
 * once, the open socket and a request, so that neither a full queue nor a lost socket can hold it up.
 */
import { call, shout } from './connection.js';
import { byId, say } from './dom.js';

/** @typedef {import('./state.js').State} State */

const TWICE = 700;
/** Milliseconds. */
const PATIENCE = 10_000;
let last = { key: '', at: 0 };

const button = () => byId('stop', HTMLButtonElement);

export function mount() {
  button().addEventListener('click', stop);
  document.addEventListener('keydown', onkey, { capture: true });
}

/** @param {State} state */
export function update(state) {
  button().disabled = state.status === 'stopped';
}

async function stop() {
  const error = byId('dock-error', HTMLElement);
  shout('stop');
  try {
    await call('/api/stop', {}, PATIENCE);
    say(error, '');
  } catch (problem) {
    say(error, /** @type {Error} */ (problem).message);
  }
}

/** A space is a space where one writes, and a press where a button has the focus. @param {KeyboardEvent} event */
function onkey(event) {
  const { key, timeStamp: at, repeat, target } = event;
  if (target instanceof Element && target.closest('.helm, .helm-bar textarea')) return; // for the computer
  if (repeat || (key !== 'Escape' && key !== ' ')) return;
  if (
    key === ' ' &&
    target instanceof Element &&
    target.closest('input, textarea, select, button, summary, a')
  )
    return;
  const twice = last.key === key && at - last.at < TWICE;
  last = { key, at: twice ? 0 : at };
  if (twice) stop();
}
