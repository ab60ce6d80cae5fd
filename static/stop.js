// @ts-check
/**
 * The emergency stop: always on screen, and twice Esc or twice the space bar. It goes out on two ways at
 * once, the open socket and a request, so that neither a full queue nor a lost socket can hold it up.
 */
import { call, shout } from './connection.js';
import { byId, say } from './dom.js';
import { dress, t } from './words.js';

/** @typedef {import('./state.js').State} State */

const TWICE = 700;
/** Milliseconds after which an order without an answer is said to have none, and counts as lost. */
const LATE = 1000;
const PATIENCE = 10_000;
let last = { key: '', at: 0 };
/** How far the last order is. @type {'' | 'going' | 'late' | 'lost' | 'confirmed'} */
let order = '';
/** What the page last heard. @type {Partial<State>} */
let heard = {};

const button = () => byId('stop', HTMLButtonElement);
const asked = () => ['going', 'late', 'lost'].includes(order);

export function mount() {
  button().addEventListener('click', stop);
  document.addEventListener('keydown', onkey, { capture: true });
}

/** @param {State} state */
export function update({ status, reach, driving, link }) {
  const goesOn = heard.status === 'stopped' && (status !== 'stopped' || (driving && !heard.driving));
  const back = link === 'open' && heard.link !== 'open';
  heard = { status, reach, driving, link };
  button().disabled = status === 'stopped' && !driving;
  if (status === 'stopped' && asked()) tell('confirmed');
  else if (back && asked()) stop(); // who has pressed it before the page was let in, or on a line that was cut
  else if (goesOn) tell('');
}

/** The button goes into a dialog that covers all else, with what it says. @param {HTMLElement} room @returns {() => void} how it comes back */
export function along(room) {
  const parts = ['dock-error', 'dock-note', 'stop'].map((id) => byId(id, HTMLElement));
  const homes = parts.map((part) => {
    const home = document.createComment('');
    part.replaceWith(home);
    return home;
  });
  room.append(...parts);
  return () => homes.forEach((home, n) => home.replaceWith(parts[n]));
}

/** It stays in reach while it waits: whoever is in need presses it again. */
async function stop() {
  tell('going');
  const late = setTimeout(() => order === 'going' && tell('late'), LATE);
  shout('stop');
  try {
    await call('/api/stop', {}, PATIENCE);
    tell('confirmed');
  } catch (problem) {
    if (asked()) tell('lost', /** @type {Error} */ (problem).message);
  } finally {
    clearTimeout(late);
  }
}

/** Who has pressed it must know whether it was heard. @param {typeof order} now @param {string} [why] */
function tell(now, why = '') {
  order = now;
  const going = now === 'going' || now === 'late';
  button().ariaBusy = going ? 'true' : null;
  button().dataset.t = going ? 'stop.going' : 'stop';
  dress(button());
  const words = now === 'late' ? t('stop.late') : now === 'lost' ? `${t('stop.lost')} ${why}` : '';
  say(byId('dock-error', HTMLElement), words);
  // Where the computer takes nothing at the moment, the release waits too: then nobody can say so.
  const done = now === 'confirmed' ? t(heard.reach ? 'stop.owed' : 'stop.done') : '';
  say(byId('dock-note', HTMLElement), done);
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
