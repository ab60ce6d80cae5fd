// @ts-check
/** What is going on right now: in large under the picture, and on a small screen in two lines over the chat. */
import { running } from './clock.js';
import { byId, fill, h } from './dom.js';
import { icon } from './icons.js';
import { describe } from './wording.js';
import { heard, language, t } from './words.js';

/** @typedef {import('./state.js').State} State */

/** Letters of a reply under way of which a line shows the end. */
const TAIL = 160;

let drawn = '';

export function mount() {}

/** @param {State} state */
export function update(state) {
  const step = state.step;
  const wanted = [state.status, step?.number, step?.rev, state.model, language].join();
  if (wanted === drawn) return;
  drawn = wanted;
  fill(byId('now', HTMLElement), ...(step?.open ? going(step) : resting(state)));
  fill(byId('glance', HTMLElement), ...(state.status === 'running' ? glance(state) : []));
}

/** Always two lines, so that nothing moves under them. @param {State} state */
function glance({ step, entries }) {
  if (!step) return [h('p', { class: 'label' }, t('state.running'))];
  const phase = t(step.open ? `phase.${step.phase}` : 'state.running');
  const action = step.open && step.reply?.actions[step.acting];
  return [
    h(
      'p',
      { class: 'label' },
      h('b', {}, `${t('header.step', { n: step.number })} · ${phase}`),
      step.open && h('span', running(step)),
    ),
    action
      ? h('p', { class: 'doing' }, icon(action.kind), h('span', {}, describe(action, step.frame)))
      : step.draft
        ? h('p', { class: 'tail' }, h('span', {}, step.draft.slice(-TAIL)))
        : h('p', { class: 'told' }, h('span', {}, meant(step) || effect(entries, step))),
  ];
}

/** @param {import('./state.js').Step} step */
const meant = ({ reply }) => heard(reply?.thought ?? '');

/** What the step before it did. @param {State['entries']} entries @param {import('./state.js').Step} step */
function effect(entries, step) {
  const before = entries.findLast((entry) => entry.type === 'step' && entry !== step);
  return before?.type === 'step' ? heard(before.effect?.words ?? before.ended?.outcome ?? '') : '';
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
    !step.reply && step.draft && h('p', { class: 'tail' }, step.draft),
    action && h('p', { class: 'doing' }, icon(action.kind), h('span', {}, describe(action, step.frame))),
  ];
}

/** @param {State} state */
function resting(state) {
  if (state.demo || !state.model) return [];
  return [h('p', { class: 'label' }, t('now.model')), h('p', {}, heard(state.model))];
}
