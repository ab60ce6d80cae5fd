// @ts-check
/** Actions in the service's words. */
import { joinSentences, language, sentencesOf, t, translated } from './i18n.js';

/** @typedef {import('./state.js').Action} Action */

/** Signs that have no shape of their own, and may turn round or push away what stands beside them. */
const INVISIBLE = /(?![\n\t])[\p{Cf}\p{Cc}\u2028\u2029\u115f\u1160\u3164\uffa0]/gu;

/** Names that are not simply capitalized. @type {Record<string, string>} */
const KEYS = {
  RCTRL: 'RCtrl',
  RSHIFT: 'RShift',
  RALT: 'RAlt',
  RWIN: 'RWin',
  DELETE: 'Del',
  PAGEUP: 'PgUp',
  PAGEDOWN: 'PgDn',
  PRINTSCREEN: 'PrintScreen',
  CAPSLOCK: 'CapsLock',
  NUMLOCK: 'NumLock',
  SCROLLLOCK: 'ScrollLock',
};

/** Grouped as in the export, in each language. */
const COUNT_FORMAT = new Intl.NumberFormat('en');

/** A model's words with nothing in them that cannot be seen. @param {string} text */
export const escapeInvisible = (text) =>
  text.replace(INVISIBLE, (sign) => {
    const code = Number(sign.codePointAt(0)).toString(16).toUpperCase();
    return `⟨U+${code.padStart(4, '0')}⟩`;
  });

/** "Ctrl+Alt+Del", as `name_keys` of the service writes it. @param {string[]} keys */
export const nameKeys = (keys) =>
  keys.map((key) => KEYS[key] ?? (/^\p{L}+$/u.test(key) ? key[0].toUpperCase() + key.slice(1).toLowerCase() : key)).join('+');

/** With the position on the screen. @param {Action} action */
export const describe = ({ words }) => escapeInvisible(translated(words));

/** With the label of its target in place of a position; older records have no `brief`. @param {Pick<Action, 'words' | 'brief'>} action */
export const describeBriefly = ({ words, brief }) => escapeInvisible(translated(brief ?? words));

/** The words of a procedure have their own number. @param {import('./state.js').Step} step */
export function numberOf({ number, inProcedure, place, reply }) {
  const thought = reply?.thought;
  return (inProcedure && Number(typeof thought === 'object' ? thought.values.number : !reply && place?.number)) || number;
}

/** Put the number of a procedure's step before the words, until its reply has one. @param {Partial<Pick<import('./state.js').Step, 'place' | 'reply'>>} step @param {string} words */
export const withPlace = ({ place, reply }, words) =>
  place && !reply ? t('label.value', { label: t('header.step_of', { n: place.number, of: place.count }), value: words }) : words;

/** Actions in a line: with commas, or 、 in Chinese, and without an “and”. @param {string[]} words */
export const joinActions = (words) => new Intl.ListFormat(language, { type: 'conjunction', style: 'narrow' }).format(words);

/** What it does, with the title of its card; of a reply without actions, why. @param {import('./state.js').Step} step */
export function describeActions(step) {
  const { reply, ended, title } = step;
  if (reply?.awaits) return translated(reply.thought);
  return ended?.outcome_kind === 'not_understood' ? t('step.not_understood') : joinActions((reply?.actions ?? []).map((each) => (title && ['ask', 'done'].includes(each.kind) ? t(title) : describeBriefly(each))));
}

/** Whether its number stands before its words: of a question of a procedure, that it is step 15 of all says nothing. @param {import('./state.js').Step} step */
export const isNumbered = ({ inProcedure, place, reply }) => !inProcedure || Boolean(reply ? reply.thought && !reply.awaits : place);

/** How it ended; what tells a model how to write belongs into the details. @param {NonNullable<import('./state.js').Step['ended']>} ended */
export function describeOutcome({ outcome, outcome_kind: kind }) {
  const [what, why] = sentencesOf(outcome);
  if (kind !== 'not_understood' || !why) return translated(outcome);
  return joinSentences([what, sentencesOf(why)[0]]);
}

/** A step in a line: its number and its actions. @param {import('./state.js').Step} step */
export function describeStep(step) {
  const words = describeActions(step);
  if (words && !isNumbered(step)) return words;
  return `${t('header.step', { n: numberOf(step) })}${words && ` · ${words}`}`;
}

/** Those of a request and its reply; '' if the server does not count them. @param {{ tokens_in: number, tokens_out: number }} reply */
export const formatTokens = ({ tokens_in: read, tokens_out: written }) =>
  read + written > 0 ? t('step.tokens', { read: COUNT_FORMAT.format(read), written: COUNT_FORMAT.format(written) }) : '';
