// @ts-check
/** What is going on right now, in large under the picture; on a small screen the chat alone tells it. */
import { running } from './clock.js';
import { byId, fill, h } from './dom.js';
import { icon } from './icons.js';
import { describe } from './wording.js';
import { heard, language, t } from './words.js';

/** @typedef {import('./state.js').State} State */

let drawn = '';

export function mount() {}

/** @param {State} state */
export function update(state) {
  const step = state.step;
  const wanted = [state.status, step?.number, step?.rev, state.model, language].join();
  if (wanted === drawn) return;
  drawn = wanted;
  fill(byId('now', HTMLElement), ...(step?.open ? going(step) : resting(state)));
}

/** @param {import('./state.js').Step} step */
function going(step) {
  const action = step.reply?.actions[step.acting];
  return [
    h(
      'p',
      { class: 'label' },
      `${t('header.step', { n: step.number })} · ${t(`phase.${step.phase}`)} `,
      h('span', running(step)),
    ),
    step.reply?.thought && h('p', { class: 'thought' }, heard(step.reply.thought)),
    action && h('p', { class: 'doing' }, icon(action.kind), describe(action, step.frame)),
  ];
}

/** @param {State} state */
function resting(state) {
  if (state.demo || !state.model) return [];
  return [h('p', { class: 'label' }, t('now.model')), h('p', {}, heard(state.model))];
}
