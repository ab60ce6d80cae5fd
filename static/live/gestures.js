// @ts-check
/**
 * What a finger or a mouse means over a picture of a screen: a tap clicks, a long press or the right button
 * clicks right, a press that moves drags, two fingers or the wheel scroll. A pinch sends nothing to the computer: it is
 * dispatched as an event, which changes the size of the picture. Places are fractions of the picture. A drag is
 * reported as it happens: `drag-start`, `drag-move`, and `drag-end` with its whole path.
 */
import { measureFingers } from './pinch_zoom.js';

/** @typedef {{ x: number, y: number }} Point */
/** @typedef {(action: { kind: string, [more: string]: unknown }) => void} Act */
/** Gets the position of a dragging finger, and nothing at the end. @typedef {(at?: Point) => void} Draw */

const LONG_PRESS_MS = 500;
/** Pixels that a finger may slip while it taps. */
const SLIP_PX = 10;
/** Pixels of two fingers, or of a wheel, for a notch. */
const NOTCH_PX = 40;
/** Pixels by which two fingers part or close before they scroll for a notch. */
const PINCH_PX = 30;
const MAX_POINTS = 60;
const MOVE_INTERVAL_MS = 80;
const BUTTONS = ['left', 'middle', 'right'];

export class Gestures {
  /** @type {Map<number, Point>} */
  #down = new Map();
  /** @type {Point[]} */
  #path = [];
  #far = 0;
  #long = 0;
  #wheel = 0;
  #moved = 0;
  #over = false;
  /** What two fingers do, as soon as that is known. @type {'' | 'pinch' | 'scroll'} */
  #both = '';
  #apart = 0;
  #dragging = false;
  #button = 'left';

  /** @param {HTMLElement} room @param {Act} act @param {Draw} draw */
  constructor(room, act, draw) {
    this.room = room;
    this.act = act;
    this.draw = draw;
    room.addEventListener('pointerdown', (event) => this.#onDown(event));
    room.addEventListener('pointermove', (event) => this.#onMove(event));
    room.addEventListener('pointerup', (event) => this.#onUp(event));
    room.addEventListener('pointercancel', () => this.stop());
    room.addEventListener('lostpointercapture', () => this.stop());
    room.addEventListener('wheel', (event) => this.#onWheel(event), { passive: false });
    room.addEventListener('contextmenu', (event) => event.preventDefault());
  }

  /** @param {MouseEvent} event @returns {Point} */
  #positionOf(event) {
    const box = this.room.getBoundingClientRect();
    const within = (/** @type {number} */ part) => Math.min(1, Math.max(0, part));
    return {
      x: within((event.clientX - box.left) / box.width),
      y: within((event.clientY - box.top) / box.height),
    };
  }

  /** @param {PointerEvent} event */
  #onDown(event) {
    event.preventDefault();
    this.room.focus({ preventScroll: true });
    this.room.setPointerCapture(event.pointerId);
    this.#down.set(event.pointerId, { x: event.clientX, y: event.clientY });
    clearTimeout(this.#long);
    if (this.#down.size > 1) {
      [this.#both, this.#apart, this.#wheel] = ['', measureFingers(this.#down).far, 0];
      return this.#endDrag();
    }
    this.#over = false;
    this.#far = 0;
    this.#button = BUTTONS[event.button] ?? 'left';
    this.#path = [this.#positionOf(event)];
    if (event.pointerType !== 'mouse') this.#long = window.setTimeout(() => this.#longPress(), LONG_PRESS_MS);
  }

  /** A long press. */
  #longPress() {
    this.#over = true;
    this.act({ kind: 'click', at: this.#path[0], button: 'right' });
    navigator.vibrate?.(30);
  }

  /** @param {PointerEvent} event */
  #onMove(event) {
    event.preventDefault(); // it enlarges nothing
    const before = this.#down.get(event.pointerId);
    if (!before) return this.#onHover(event);
    if (this.#down.size > 1) return this.#twoFingers(event, before);
    this.#far = Math.max(this.#far, Math.hypot(event.clientX - before.x, event.clientY - before.y));
    this.#path.push(this.#positionOf(event));
    if (this.#far > SLIP_PX && !this.#over) this.#drag();
  }

  #drag() {
    clearTimeout(this.#long);
    if (!this.#dragging) this.act({ kind: 'drag-start', at: this.#path[0], button: this.#button });
    this.#dragging = true;
    this.act({ kind: 'drag-move', at: this.#path.at(-1) });
    this.draw(this.#path.at(-1));
  }

  /** The end of a drag, where the finger was last. */
  #endDrag() {
    if (!this.#dragging) return;
    const way = { path: thinPath(this.#path), button: this.#button };
    this.drop();
    this.act({ kind: 'drag-end', at: this.#path.at(-1), ...way });
  }

  /** @param {PointerEvent} event */
  #onHover(event) {
    if (event.pointerType !== 'mouse' || event.timeStamp - this.#moved < MOVE_INTERVAL_MS) return;
    this.#moved = event.timeStamp;
    this.act({ kind: 'move', at: this.#positionOf(event) });
  }

  /** Two fingers: what is under them goes with them. @param {PointerEvent} event @param {Point} before */
  #twoFingers(event, before) {
    this.#over = true;
    const last = measureFingers(this.#down);
    this.#down.set(event.pointerId, { x: event.clientX, y: event.clientY });
    const { far, x, y } = measureFingers(this.#down);
    if (Math.abs(far - this.#apart) > PINCH_PX) this.#both ||= 'pinch';
    if (this.#both !== 'pinch') return this.#scroll(before.y - event.clientY);
    const detail = { by: far / last.far, x, y, right: x - last.x, down: y - last.y };
    this.room.dispatchEvent(new CustomEvent('pinch', { bubbles: true, detail }));
  }

  /** @param {WheelEvent} event */
  #onWheel(event) {
    event.preventDefault();
    this.#path = [this.#positionOf(event)];
    this.#scroll(event.deltaMode === 0 ? event.deltaY : event.deltaY * NOTCH_PX);
  }

  /** @param {number} by */
  #scroll(by) {
    if (this.#dragging) return;
    this.#wheel += by;
    const dy = Math.trunc(this.#wheel / NOTCH_PX);
    if (!dy) return;
    this.#wheel -= dy * NOTCH_PX;
    this.#both = 'scroll';
    this.act({ kind: 'scroll', at: this.#path[0], dy: Math.max(-10, Math.min(10, dy)) });
  }

  /** @param {PointerEvent} event */
  #onUp(event) {
    if (!this.#down.delete(event.pointerId) || this.#down.size) return;
    clearTimeout(this.#long);
    if (this.#over) return;
    if (!this.#dragging) return this.act({ kind: 'click', at: this.#path[0], button: this.#button });
    this.#path.push(this.#positionOf(event));
    this.#endDrag();
  }

  /** Nothing is held any more, however that came about. */
  stop() {
    this.#endDrag();
    this.drop();
    this.#down.clear();
  }

  /** What this finger still does means nothing. */
  drop() {
    clearTimeout(this.#long);
    this.draw();
    this.#dragging = false;
    this.#over = true;
  }
}

/** @param {Point[]} path */
function thinPath(path) {
  const every = Math.ceil(path.length / MAX_POINTS);
  return path.filter((_, index) => index % every === 0 || index === path.length - 1);
}
