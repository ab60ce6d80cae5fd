// @ts-check
/** Draws actions over a picture of the screen: rings, paths, arrows, and captions for keys and text. */
import { h, svg } from './dom.js';
import { bare } from './wording.js';

/** @typedef {import('./state.js').Action} Action */
/** @typedef {import('./state.js').Point} Point */

const MIDDLE = { x: 0.5, y: 0.5 };

/** @param {Action[]} actions */
export function marks(actions) {
  const placed = actions.filter(
    (action) => action.at || action.path || action.area || action.kind === 'scroll',
  );
  const nodes = placed.flatMap((action, index) => place(action, placed.length > 1 ? String(index + 1) : ''));
  const spoken = actions.map(caption).filter(Boolean);
  if (spoken.length)
    nodes.push(h('span', { class: 'captions' }, ...spoken.map((words) => h('span', {}, words))));
  return nodes;
}

/** @param {Action} action @param {string} number @returns {Element[]} */
function place(action, number) {
  if (action.path) return path(action.path, number);
  if (action.area) return [region(action.area)];
  const kind =
    action.kind === 'scroll' ? `scroll ${direction(action)}` : `${action.kind} ${action.button ?? ''}`;
  return [mark(action.at ?? MIDDLE, kind, label(action, number))];
}

/** What the model looks closer at. @param {NonNullable<Action['area']>} area */
function region({ left, top, right, bottom }) {
  const node = h('span', { class: 'region' });
  node.style.inset = [top, 1 - right, 1 - bottom, left].map((part) => `${part * 100}%`).join(' ');
  return node;
}

/** @param {Point[]} points @param {string} number */
function path(points, number) {
  const line = points.map((point) => `${point.x},${point.y}`).join(' ');
  const strokes = ['halo', 'line'].map((name) =>
    svg('polyline', { points: line, class: name, 'vector-effect': 'non-scaling-stroke' }),
  );
  const drawing = svg('svg', { viewBox: '0 0 1 1', preserveAspectRatio: 'none', class: 'path' }, ...strokes);
  return [drawing, mark(points[0], 'start', number), mark(points[points.length - 1], 'click', '')];
}

/** @param {Point} at @param {string} kind @param {string} words */
function mark(at, kind, words) {
  const node = h('span', { class: `mark ${kind}` }, words && h('b', {}, words));
  node.style.left = `${at.x * 100}%`;
  node.style.top = `${at.y * 100}%`;
  return node;
}

/** The agent's own pointer, which is not the computer's. @param {Point} at */
export function arrow(at) {
  const shape = svg('path', { d: 'M1 1v15l4-3.6 2.7 6 2.8-1.3-2.6-5.8h5.4z' });
  const node = h('span', { class: 'arrow' }, svg('svg', { viewBox: '0 0 15 20' }, shape));
  node.style.left = `${at.x * 100}%`;
  node.style.top = `${at.y * 100}%`;
  return node;
}

/** @param {Action} action */
function direction({ dx = 0, dy = 0 }) {
  if (Math.abs(dx) > Math.abs(dy)) return dx > 0 ? 'right' : 'left';
  return dy < 0 ? 'up' : 'down';
}

/** @param {Action} action @param {string} number */
function label(action, number) {
  const times = (action.count ?? 1) > 1 ? `${action.count}×` : '';
  const button = action.button && action.button !== 'left' ? action.button : '';
  return [number, (action.keys ?? []).join('+'), button, times].filter(Boolean).join(' ');
}

/** @param {Action} action */
function caption(action) {
  if (action.kind === 'type') return `“${bare(action.text ?? '').replaceAll('\n', ' ↵ ')}”`;
  if (action.kind !== 'keypress') return '';
  return (action.keys ?? []).join(' + ') + ((action.count ?? 1) > 1 ? ` × ${action.count}` : '');
}
