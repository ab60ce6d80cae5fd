// @ts-check
/** Describe an action; unknown kinds use the server's text. */
import { has, t, translated } from './i18n.js';

/** @typedef {import('./state.js').Action} Action */
/** @typedef {{ width: number, height: number }} Size */

const MAX_LABEL_CHARS = 40;
/** Signs that have no shape of their own, and may turn round or push away what stands beside them. */
const INVISIBLE = /(?![\n\t])[\p{Cf}\p{Cc}\u2028\u2029\u115f\u1160\u3164\uffa0]/gu;

/** A model's words with nothing in them that cannot be seen. @param {string} text */
export const escapeInvisible = (text) =>
  text.replace(INVISIBLE, (sign) => {
    const code = Number(sign.codePointAt(0)).toString(16).toUpperCase();
    return `⟨U+${code.padStart(4, '0')}⟩`;
  });

/** @param {Action} action @param {Size} [size] */
export const describe = (action, size) => escapeInvisible(describeKind(action, size));

/** @param {Action} action @param {Size} [size] */
function describeKind(action, size = { width: 1280, height: 720 }) {
  if (!has(`act.${action.kind}`)) return translated(action.words);
  const path = action.area ? corners(action.area) : action.path;
  const said = t(`act.${action.kind}`, {
    text: action.text?.replaceAll('\n', '↵'),
    keys: joinKeys(action.keys, ' + '),
    times: (action.count ?? 1) > 1 ? t('act.times', { n: action.count }) : '',
    seconds: action.seconds,
    clicked: action.kind === 'click' && clickText(action),
    place: positionText(action.at, size),
    start: (path?.length ?? 0) > 1 ? positionText(path?.[0], size) : t('act.pointer'),
    end: positionText(path?.at(-1), size),
    button: t(`act.button.${action.button ?? 'left'}`),
    way: scrollText(action),
  });
  return said + modifierText(action);
}

/** The label of its target in place of a position. @param {Action} action */
export function describeBriefly(action) {
  if (action.kind === 'click') return labelledText(action) + modifierText(action);
  if (!has(`brief.${action.kind}`)) return describe(action);
  return t(`brief.${action.kind}`, { way: scrollText(action) }) + modifierText(action);
}

/** Its position only where no label is known. @param {Action} action @param {Size} [size] */
export const describeTarget = (action, size) => (action.label ? describeBriefly(action) : describe(action, size));

/** A step in a line: its number and its actions. @param {import('./state.js').Step} step */
export function describeStep({ number, reply, frame }) {
  const words = (reply?.actions ?? []).map((action) => describeTarget(action, frame)).join(', ');
  return `${t('header.step', { n: number })}${words && ` · ${words}`}`;
}

/** @param {NonNullable<Action['area']>} area */
const corners = ({ left, top, right, bottom }) => [
  { x: left, y: top },
  { x: right, y: bottom },
];

/** @param {Action} action */
const clickText = ({ button = 'left', count = 1 }) => t(`act.click.${count}`, { button: t(`act.button.${button}`) });

/** @param {Action} action */
function labelledText({ label, ...action }) {
  const clicked = clickText(action);
  return label ? t('act.on', { clicked, label: escapeInvisible(label.slice(0, MAX_LABEL_CHARS)) }) : clicked;
}

/** Modifier keys held during a mouse action; a keypress names its keys itself. @param {Action} action */
const modifierText = ({ kind, keys = [] }) => (kind !== 'keypress' && keys.length ? t('act.with', { keys: joinKeys(keys, '+') }) : '');

/** @param {string[] | undefined} keys @param {string} between */
const joinKeys = (keys, between) => (keys ?? []).join(between);

/** @param {import('./state.js').Point | null | undefined} at @param {Size} size */
function positionText(at, { width, height }) {
  if (!at) return t('act.pointer');
  return `(${Math.round(at.x * (width - 1))}, ${Math.round(at.y * (height - 1))})`;
}

/** @param {Action} action */
function scrollText({ dx = 0, dy = 0 }) {
  const ways = [];
  if (dy) ways.push(t(dy > 0 ? 'act.down' : 'act.up', { n: Math.abs(dy) }));
  if (dx) ways.push(t(dx > 0 ? 'act.right' : 'act.left', { n: Math.abs(dx) }));
  return ways.join(t('act.and')) || t('act.nothing');
}
