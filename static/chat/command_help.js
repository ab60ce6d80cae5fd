// @ts-check
/** What helps to answer a question, beside the message box. */
import { h, showOpened } from '../core/dom.js';
import { translated, t } from '../core/i18n.js';
import { isOfProcedure } from '../core/state.js';

/** Buttons that answer a procedure, or the folded list of all commands. @param {import('../core/i18n.js').Translatable | undefined} how of `splitCommands` @param {(words: string) => void} answer */
export function commandHelp(how, answer) {
  if (!how) return [];
  const button = (/** @type {string} */ key) => h('button', { 'data-t': key, onclick: () => answer(t(key)) });
  if (isOfProcedure(how)) return [h('div', { class: 'ways' }, button('question.again'), button('question.skip'))];
  return [h('details', { ontoggle: showOpened }, h('summary', {}, t('question.known')), ...listParts(translated(how)))];
}

/** A sentence, and the list after it. @param {string} text */
function listParts(text) {
  const [sentence, ...lines] = text.split('\n- ');
  return [h('p', {}, sentence), h('ul', {}, ...lines.map((line) => h('li', {}, line)))];
}
