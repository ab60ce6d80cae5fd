// @ts-check
/** Tells a screen reader what is new: a sentence for a step that ended, a change of state, a question. */
import { now } from './clock.js';
import { byId } from './dom.js';

/** @typedef {import('./state.js').State} State */

/** Seconds; what is older was replayed to a page that came late. */
const NEWS = 6;
let told = '';

export function mount() {}

/** @param {State} state */
export function update(state) {
  const last = state.entries.at(-1);
  if (!last || last.type === 'task' || last.type === 'said') return;
  const words = last.type === 'step' ? stepWords(last) : `${TITLES[last.type]}${last.text}`;
  const age = now() - (last.type === 'step' ? last.since : last.at);
  if (!words || words === told || age > NEWS) return;
  told = words;
  byId('announce', HTMLElement).textContent = words;
}

const TITLES = { question: 'The agent asks: ', done: 'Done. ', failed: 'Failed. ', note: '' };

/** @param {import('./state.js').Step} step */
function stepWords(step) {
  if (!step.ended) return '';
  const actions = (step.reply?.actions ?? []).map((action) => action.words).join(', ');
  return `Step ${step.number}: ${actions}. ${step.ended.outcome}`;
}
