// @ts-check
/** An action in words. Those of the server serve for a kind that is not known here. */
import { has, t } from './words.js';

/** @typedef {import('./state.js').Action} Action */
/** @typedef {{ width: number, height: number }} Size */

/** Signs that have no shape of their own, and may turn round or push away what stands beside them. */
const SHAPELESS = /(?![\n\t])[\p{Cf}\p{Cc}\u2028\u2029\u115f\u1160\u3164\uffa0]/gu;

/** A model's words with nothing in them that cannot be seen. @param {string} text */
export const bare = (text) =>
  text.replace(SHAPELESS, (sign) => {
    const code = Number(sign.codePointAt(0)).toString(16).toUpperCase();
    return `⟨U+${code.padStart(4, '0')}⟩`;
  });

/** @param {Action} action @param {Size} [size] */
export const describe = (action, size) => bare(told(action, size));

/** @param {Action} action @param {Size} [size] */
function told(action, size = { width: 1280, height: 720 }) {
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

/** The same without places: numbers say nothing to who does not see the screen. @param {Action} action */
export function brief(action) {
  if (action.kind === 'click') return clicked(action);
  return has(`brief.${action.kind}`) ? t(`brief.${action.kind}`, { way: way(action) }) : describe(action);
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
