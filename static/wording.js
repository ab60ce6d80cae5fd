// @ts-check
/** An action in words. Those of the server serve for a kind that is not known here. */
import { has, t } from './words.js';

/** @typedef {import('./state.js').Action} Action */
/** @typedef {{ width: number, height: number }} Size */

/** @param {Action} action @param {Size} [size] */
export function describe(action, size = { width: 1280, height: 720 }) {
  if (!has(`act.${action.kind}`)) return action.words;
  const path = action.area ? corners(action.area) : action.path;
  return t(`act.${action.kind}`, {
    text: action.text,
    keys: chord(action.keys, ' + '),
    times: (action.count ?? 1) > 1 ? t('act.times', { n: action.count }) : '',
    seconds: action.seconds,
    clicked: action.kind === 'click' && clicked(action),
    place: place(action.at, size),
    start: (path?.length ?? 0) > 1 ? place(path?.[0], size) : t('act.pointer'),
    end: place(path?.at(-1), size),
    button: t(`act.button.${action.button ?? 'left'}`),
    way: way(action),
  });
}

/** @param {NonNullable<Action['area']>} area */
const corners = ({ left, top, right, bottom }) => [
  { x: left, y: top },
  { x: right, y: bottom },
];

/** @param {Action} action */
function clicked({ button = 'left', count = 1, keys = [] }) {
  const held = keys.length ? t('act.with', { keys: chord(keys, '+') }) : '';
  return t(`act.click.${count}`, { button: t(`act.button.${button}`) }) + held;
}

/** @param {string[] | undefined} keys @param {string} between */
const chord = (keys, between) => (keys ?? []).join(between);

/** @param {import('./state.js').Point | null | undefined} at @param {Size} size */
function place(at, { width, height }) {
  if (!at) return t('act.pointer');
  return `(${Math.round(at.x * (width - 1))}, ${Math.round(at.y * (height - 1))})`;
}

/** @param {Action} action */
function way({ dx = 0, dy = 0 }) {
  const ways = [];
  if (dy) ways.push(t(dy > 0 ? 'act.down' : 'act.up', { n: Math.abs(dy) }));
  if (dx) ways.push(t(dx > 0 ? 'act.right' : 'act.left', { n: Math.abs(dx) }));
  return ways.join(t('act.and')) || t('act.nothing');
}
