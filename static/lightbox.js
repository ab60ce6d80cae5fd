// @ts-check
/**
 * A screenshot at full size, with what was aimed at. Tap it to change between whole and real size; the arrow
 * keys, two buttons and a swipe lead to the steps beside it.
 */
import { renamed } from './announce.js';
import { byId, fill, h } from './dom.js';
import { icon } from './icons.js';
import { marks } from './marks.js';
import { load } from './pictures.js';
import { named } from './step.js';
import { along } from './stop.js';
import { t } from './words.js';
import { zoomable } from './zoom.js';

/** @typedef {import('./state.js').Step} Step */

/** Pixels of the screen that a finger goes to the side before it means another step. */
const SWIPE = 50;
/** Milliseconds after which it looks again whether a step has come behind this one. */
const AGAIN = 1000;

/** @param {Step} step @param {() => Step[]} steps all of the story, as it is by then */
export function show(step, steps) {
  const dialog = byId('lightbox', HTMLDialogElement);
  if (dialog.open) return;
  dialog.onclose?.(new Event('close')); // which may be under way: it brings Stop back
  const closed = new AbortController();
  const before = document.activeElement;
  const title = h('p', { role: 'status' });
  let room = h('div');
  let shown = step;

  const beside = (/** @type {number} */ by) => {
    const all = steps().filter(({ frame }) => frame);
    const at = all.indexOf(shown);
    return at < 0 ? undefined : all[at + by];
  };
  const button = (/** @type {string} */ name, /** @type {number} */ by) =>
    h(
      'button',
      { type: 'button', class: 'quiet', 'aria-label': t(`replay.${name}`), onclick: () => turn(by) },
      icon(name),
    );
  const [back, next] = [button('back', -1), button('next', 1)];

  /** A button at the end keeps the focus, so that the keys go on. */
  function ends() {
    back.ariaDisabled = String(!beside(-1));
    next.ariaDisabled = String(!beside(1));
  }

  /** @param {number} by */
  function turn(by) {
    const wanted = beside(by);
    if (wanted) look(wanted);
  }

  /** @param {Step} wanted */
  function look(wanted) {
    shown = wanted;
    title.textContent = named(shown);
    free(dialog);
    const fresh = picture(shown);
    room.replaceWith(fresh);
    room = fresh;
    swiped(room, turn);
    ends();
  }

  const close = h(
    'button',
    { type: 'button', class: 'quiet', 'aria-label': t('close'), onclick: () => dialog.close() },
    icon('close'),
  );
  const corner = h('footer', { class: 'dock' });
  fill(dialog, h('header', {}, title, back, next, close), room, corner);
  const returned = along(corner);
  look(step);
  const timer = setInterval(ends, AGAIN);
  const onkey = (/** @type {KeyboardEvent} */ event) => {
    const by = { ArrowLeft: -1, ArrowRight: 1 }[event.key];
    if (by && !enlarged(room)) turn(by);
  };
  document.addEventListener('keydown', onkey, { signal: closed.signal });
  dialog.onclose = () => {
    if (dialog.open) return; // again, meanwhile
    closed.abort();
    clearInterval(timer);
    free(dialog);
    returned();
    fill(dialog);
    if (before instanceof HTMLElement) renamed(before);
  };
  dialog.showModal();
}

/** @param {HTMLElement} dialog */
function free(dialog) {
  for (const img of dialog.querySelectorAll('img')) URL.revokeObjectURL(img.src);
}

/** @param {HTMLElement} room */
const enlarged = (room) => room.scrollWidth > room.clientWidth;

/** @param {Step} step */
function picture({ frame, reply, number }) {
  const { width, height, url } = /** @type {import('./state.js').Picture} */ (frame);
  const img = h('img', { width, height, alt: t('lightbox.alt', { n: number }) });
  const drawn = h('div', { class: 'marks' }, ...marks(reply?.actions ?? []));
  const stage = h('div', { class: 'stage' }, img, drawn);
  const room = h('div', { class: 'room' }, stage);
  zoomable(room, stage);
  stage.style.setProperty('--ratio', String(width / height));
  stage.style.setProperty('--real', `${width}px`);
  stage.addEventListener('click', () => stage.classList.toggle('is-real'));
  fetched(img, url);
  return room;
}

/** @param {HTMLImageElement} img @param {string} from */
async function fetched(img, from) {
  try {
    const url = await load(from);
    if (img.isConnected) img.src = url;
    else URL.revokeObjectURL(url);
  } catch (error) {
    img.alt = /** @type {Error} */ (error).message;
  }
}

/**
 * One finger across the whole picture; of one that is enlarged it moves the part that is seen.
 * @param {HTMLElement} room @param {(by: number) => void} turn
 */
function swiped(room, turn) {
  /** @type {Touch | null} */
  let first = null;
  room.addEventListener(
    'touchstart',
    ({ touches }) => (first = touches.length === 1 && !enlarged(room) ? touches[0] : null),
    { passive: true },
  );
  room.addEventListener('touchend', ({ changedTouches: [last] }) => {
    if (!first) return;
    const [across, down] = [last.clientX - first.clientX, last.clientY - first.clientY];
    first = null;
    if (Math.abs(across) > SWIPE && Math.abs(across) > 2 * Math.abs(down)) turn(across < 0 ? 1 : -1);
  });
}
