// @ts-check
/**
 * A screenshot at full size, with what was aimed at. Tap it to enlarge a part of it; the arrow keys, two buttons
 * and a swipe lead to the steps beside it.
 */
import { announceName } from '../core/live_region.js';
import { byId, fill, h, loadStyle } from '../core/dom.js';
import { iconButton } from '../core/icons.js';
import { drawActions } from './annotations.js';
import { loadInto } from '../core/lazy_images.js';
import { describeStep, numberOf } from '../core/describe_action.js';
import { moveInto } from '../core/emergency_stop.js';
import { t } from '../core/i18n.js';
import { makeZoomable } from './pinch_zoom.js';

/** @typedef {import('../core/state.js').Step} Step */

await loadStyle('/static/live/lightbox.css');

/** Pixels of the screen that a finger goes to the side before it means another step. */
const SWIPE_PX = 50;
/** Milliseconds after which it looks again whether a step has come behind this one. */
const RECHECK_MS = 1000;

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
  const [back, next] = [iconButton('back', t('replay.back'), () => turn(-1)), iconButton('next', t('replay.next'), () => turn(1))];

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
    title.textContent = describeStep(shown);
    const fresh = pictureNode(shown);
    room.replaceWith(fresh);
    room = fresh;
    ends();
  }

  const close = iconButton('close', t('close'), () => dialog.close());
  const corner = h('footer', { class: 'composer' });
  fill(dialog, h('header', {}, title, back, next, close), room, corner);
  const returned = moveInto(corner);
  look(step);
  onSwipe(dialog, () => !isEnlarged(room), turn, closed.signal);
  const timer = setInterval(ends, RECHECK_MS);
  const onkey = (/** @type {KeyboardEvent} */ event) => {
    const by = { ArrowLeft: -1, ArrowRight: 1 }[event.key];
    if (by && !isEnlarged(room)) turn(by);
  };
  document.addEventListener('keydown', onkey, { signal: closed.signal });
  dialog.onclose = () => {
    if (dialog.open) return; // again, meanwhile
    closed.abort();
    clearInterval(timer);
    returned();
    fill(dialog);
    if (before instanceof HTMLElement) announceName(before);
  };
  dialog.showModal();
}

/** @param {HTMLElement} room */
const isEnlarged = (room) => room.scrollWidth > room.clientWidth;

/** @param {Step} step */
function pictureNode(step) {
  const { frame, reply } = step;
  const { width, height, url } = /** @type {import('../core/state.js').Picture} */ (frame);
  const img = h('img', { width, height, alt: t('lightbox.alt', { n: numberOf(step) }) });
  const drawn = h('div', { class: 'marks' }, ...drawActions(reply?.actions ?? []));
  const stage = h('div', { class: 'stage' }, img, drawn);
  const room = h('div', { class: 'room' }, stage);
  makeZoomable(room, stage, width);
  stage.style.setProperty('--ratio', String(width / height));
  loadInto(img, url).catch((error) => (img.alt = error.message));
  return room;
}

/**
 * One finger across the whole picture; of one that is enlarged it moves the part that is seen. The dialog hears it, as a
 * picture that has just come may not get the next touch yet.
 * @param {HTMLElement} dialog @param {() => boolean} isWhole @param {(by: number) => void} turn @param {AbortSignal} signal
 */
function onSwipe(dialog, isWhole, turn, signal) {
  /** @type {Touch | null} */
  let first = null;
  dialog.addEventListener(
    'touchstart',
    ({ touches }) => (first = touches.length === 1 && isWhole() ? touches[0] : null),
    { passive: true, signal },
  );
  const onend = (/** @type {TouchEvent} */ { changedTouches: [last] }) => {
    if (!first) return;
    const [across, down] = [last.clientX - first.clientX, last.clientY - first.clientY];
    first = null;
    if (Math.abs(across) > SWIPE_PX && Math.abs(across) > 2 * Math.abs(down)) turn(across < 0 ? 1 : -1);
  };
  dialog.addEventListener('touchend', onend, { signal });
}
