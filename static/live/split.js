// @ts-check
/** The border between the screen and the panel: drag it, or move it with the arrow keys. */
import { byId } from '../core/dom.js';

const KEY = 'cua-split';
/** Share of the window's width that the screen has, in percent. */
const DEFAULT_PERCENT = 60;
const MIN_PERCENT = 25;
const MAX_PERCENT = 75;
const STEP_PERCENT = 2;

let percent = DEFAULT_PERCENT;

export function mount() {
  const line = byId('split', HTMLElement);
  move(Number(localStorage.getItem(KEY)) || DEFAULT_PERCENT);
  line.addEventListener('keydown', onkey);
  line.addEventListener('dblclick', () => save(DEFAULT_PERCENT));
  line.addEventListener('pointerdown', (event) => line.setPointerCapture(event.pointerId));
  line.addEventListener('pointermove', (event) => {
    if (line.hasPointerCapture(event.pointerId)) move((100 * event.clientX) / innerWidth);
  });
  line.addEventListener('gotpointercapture', () => line.classList.add('is-held'));
  line.addEventListener('lostpointercapture', () => {
    line.classList.remove('is-held');
    save(percent);
  });
}

/** @param {number} wanted */
function move(wanted) {
  percent = Math.round(Math.min(MAX_PERCENT, Math.max(MIN_PERCENT, wanted)));
  document.body.style.setProperty('--share', String(percent));
  byId('split', HTMLElement).ariaValueNow = String(percent);
  dispatchEvent(new Event('resize')); // for what depends on the width of the panel
}

/** @param {number} wanted */
function save(wanted) {
  move(wanted);
  localStorage.setItem(KEY, String(percent));
}

/** @param {KeyboardEvent} event */
function onkey(event) {
  const shown = (100 * byId('watch', HTMLElement).offsetWidth) / innerWidth; // the page keeps it between widths in pixels
  const wanted = {
    ArrowLeft: shown - STEP_PERCENT,
    ArrowRight: shown + STEP_PERCENT,
    Home: MIN_PERCENT,
    End: MAX_PERCENT,
  }[event.key];
  if (wanted === undefined) return;
  event.preventDefault();
  save(wanted);
}
