// @ts-check
/** The current step on a small screen, in two lines above the chat. */
import { clockAttributes } from '../core/clock.js';
import { byId, fill, h } from '../core/dom.js';
import { icon } from '../core/icons.js';
import { markedParts } from '../core/inline_markup.js';
import { silenceText, statusText } from './step_card.js';
import { describeBriefly, describeOutcome, describeStep, withPlace } from '../core/describe_action.js';
import { translated, textsVersion, t } from '../core/i18n.js';

/** @typedef {import('../core/state.js').State} State */

/** Characters of an incomplete reply that are shown, from its end. */
const TAIL_CHARS = 160;

let drawnKey = '';

export function mount() {}

/** @param {State} state */
export function update(state) {
  const step = currentStep(state);
  const wanted = [state.status, step?.number, step?.rev, textsVersion].join();
  if (wanted === drawnKey) return;
  drawnKey = wanted;
  fill(byId('glance', HTMLElement), ...(state.status === 'running' ? glanceParts(state) : []));
}

/** Always two lines, so that the chat below does not move. @param {State} state */
function glanceParts(state) {
  const step = currentStep(state);
  if (!step) return [h('p', { class: 'label' }, t('state.running'))];
  const phase = step.open ? statusText(step) : t('state.running');
  const action = step.open && step.reply?.actions[step.acting];
  const silent = silenceText(step, 'phase.silent_short');
  return [
    h(
      'p',
      { class: 'label' },
      h('b', {}, withNumber(step, phase)),
      step.open && h('span', clockAttributes(step)),
    ),
    action
      ? h('p', { class: 'doing' }, icon(action.kind), h('span', {}, describeBriefly(action)))
      : step.draft && !silent
        ? h('p', { class: 'tail' }, h('span', {}, step.draft.slice(-TAIL_CHARS)))
        : h('p', { class: 'text' }, h('span', {}, ...markedParts(silent || thoughtOf(step.wait ?? step) || lastResult(state.entries, step)))),
  ];
}

/** The plan that is written before the first step is none, but waits as one does. @param {State} state */
const currentStep = ({ planning, step }) => (planning?.open ? /** @type {import('../core/state.js').Step} */ (planning) : step);

/** @param {import('../core/state.js').Step} step */
const thoughtOf = ({ reply }) => translated(reply?.thought ?? '');

/** What the step before did, or its result, if the task has one. @param {State['entries']} entries @param {import('../core/state.js').Step} step */
function lastResult(entries, step) {
  const before = entries.findLast((entry) => ['step', 'task'].includes(entry.type) && entry !== step);
  if (before?.type !== 'step') return '';
  if (before.ended && !before.ended.ok) return describeOutcome(before.ended);
  if (before.effect?.none) return translated(before.effect.words);
  return before.ended ? describeStep(before) : withNumber(before, statusText(before));
}

/** The words of a procedure's step have their own number. @param {import('../core/state.js').Step} step @param {string} words */
const withNumber = (step, words) => (step.inProcedure || !step.number ? withPlace(step, words) : `${t('header.step', { n: step.number })} · ${words}`);
