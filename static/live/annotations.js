// @ts-check
/** Draws actions over a picture of the screen: rings, paths, arrows, and captions for keys and text. */
import { h, svg } from '../core/dom.js';
import { escapeInvisible, nameKeys } from '../core/describe_action.js';

/** @typedef {import('../core/state.js').Action} Action */
/** @typedef {import('../core/state.js').Point} Point */

const MIDDLE = { x: 0.5, y: 0.5 };

/** @param {Action[]} actions */
export function drawActions(actions) {
  const placed = actions.filter(
    (action) => action.at || action.path || action.area || action.kind === 'scroll',
  );
  const nodes = placed.flatMap((action, index) => drawAction(action, placed.length > 1 ? String(index + 1) : ''));
  const spoken = actions.map(captionText).filter(Boolean);
  if (spoken.length)
    nodes.push(h('span', { class: 'captions' }, ...spoken.map((words) => h('span', {}, words))));
  return nodes;
}

/** @param {Action} action @param {string} number @returns {Element[]} */
function drawAction(action, number) {
  if (action.path) return drawPath(action.path, number);
  if (action.area) return [drawRegion(action.area)];
  const kind =
    action.kind === 'scroll' ? `scroll ${scrollDirection(action)}` : `${action.kind} ${action.button ?? ''}`;
  return [drawMark(action.at ?? MIDDLE, kind, markLabel(action, number))];
}

/** What the model looks closer at. @param {NonNullable<Action['area']>} area */
function drawRegion({ left, top, right, bottom }) {
  const node = h('span', { class: 'region' });
  node.style.inset = [top, 1 - right, 1 - bottom, left].map((part) => `${part * 100}%`).join(' ');
  return node;
}

/** @param {Point[]} points @param {string} number */
function drawPath(points, number) {
  const line = points.map((point) => `${point.x},${point.y}`).join(' ');
  const strokes = ['halo', 'line'].map((name) =>
    svg('polyline', { points: line, class: name, 'vector-effect': 'non-scaling-stroke' }),
  );
  const drawing = svg('svg', { viewBox: '0 0 1 1', preserveAspectRatio: 'none', class: 'path' }, ...strokes);
  return [drawing, drawMark(points[0], 'start', number), drawMark(points[points.length - 1], 'click', '')];
}

/** Its words stand where the picture has room for them. @param {Point} at @param {string} kind @param {string} words */
function drawMark(at, kind, words) {
  const room = [at.y < 0.15 && 'below', at.x > 0.8 && 'before'].filter(Boolean).join(' ');
  return placeAt(at, h('span', { class: `mark ${kind}` }, words && h('b', { class: room }, words)));
}

/** The agent's own pointer, which is not the computer's. @param {Point} at */
export function drawPointer(at) {
  const shape = svg('path', { d: 'M1 1v15l4-3.6 2.7 6 2.8-1.3-2.6-5.8h5.4z' });
  return placeAt(at, h('span', { class: 'arrow' }, svg('svg', { viewBox: '0 0 15 20' }, shape)));
}

/** @param {Point} at @param {HTMLElement} node */
function placeAt({ x, y }, node) {
  Object.assign(node.style, { left: `${x * 100}%`, top: `${y * 100}%` });
  return node;
}

/** @param {Action} action */
function scrollDirection({ dx = 0, dy = 0 }) {
  if (Math.abs(dx) > Math.abs(dy)) return dx > 0 ? 'right' : 'left';
  return dy < 0 ? 'up' : 'down';
}

/** @param {Action} action @param {string} number */
function markLabel(action, number) {
  const times = (action.count ?? 1) > 1 ? `${action.count}×` : '';
  const button = action.button && action.button !== 'left' ? action.button : '';
  return [number, nameKeys(action.keys ?? []), button, times].filter(Boolean).join(' ');
}

/** @param {Action} action */
function captionText(action) {
  if (action.kind === 'type') return `“${escapeInvisible(action.text ?? '').replaceAll('\n', ' ↵ ')}”`;
  if (action.kind !== 'keypress') return '';
  return nameKeys(action.keys ?? []) + ((action.count ?? 1) > 1 ? ` × ${action.count}` : '');
}
