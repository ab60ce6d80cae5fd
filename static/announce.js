// @ts-check
/** Tells a screen reader what is new: a sentence for a step that ended, a change of state, a question. */
import { now } from './clock.js';
import { byId } from './dom.js';
import { heard, t } from './words.js';
import { describe } from './wording.js';

/** @typedef {import('./state.js').State} State */

/** Seconds; what is older was replayed to a page that came late. */
const NEWS = 6;
let told = '';

export function mount() {}

/** @param {State} state */
export function update(state) {
  const last = state.entries.at(-1);
  if (!last || last.type === 'task' || last.type === 'said') return;
  const words =
    last.type === 'step'
      ? stepWords(last)
      : t(`announce.${last.type}`, { text: heard(last.text) || t(last.key ?? '') });
  const age = now() - (last.type === 'step' ? last.since : last.at);
  if (!words || words === told || age > NEWS) return;
  told = words;
  byId('announce', HTMLElement).textContent = words;
}

/** @param {import('./state.js').Step} step */
function stepWords(step) {
  if (!step.ended) return '';
  const actions = (step.reply?.actions ?? []).map((action) => describe(action, step.frame)).join(', ');
  return t('announce.step', { n: step.number, actions, outcome: heard(step.ended.outcome) });
}
