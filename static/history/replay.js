// @ts-check
/** Replay a recorded task step by step, by applying its events as the live page does. */
import { view } from '../chat/chat.js';
import { fill, h } from '../core/dom.js';
import { icon, iconButton } from '../core/icons.js';
import { drawActions } from '../live/annotations.js';
import { loadInto } from '../core/lazy_images.js';
import { apply, State } from '../core/state.js';
import { describeStep, numberOf } from '../core/describe_action.js';
import { isTold, stepCard } from '../chat/step_card.js';
import { t } from '../core/i18n.js';

/** @typedef {import('../core/state.js').Step} Step */
/** @typedef {import('../core/state.js').ChatEntry} ChatEntry */
/** A step, and what was said between it and the next. @typedef {{ step: Step, more: ChatEntry[] }} Moment */

/** How long a step is shown during playback. */
const PLAY_INTERVAL_MS = 1500;

/**
 * @param {Array<{ seq: number, at: number, kind: string, data: any, picture?: string }>} events
 * @param {string} id @param {boolean} isLeft whether it was left unfinished @param {string} [at] the step to begin with
 */
export function replay(events, id, isLeft, at = '1') {
  const [early, steps] = splitSteps(events, id, isLeft);
  if (!steps.length)
    return h('div', { class: 'replayed' }, h('p', { class: 'help' }, t('replay.empty')), ...wordCards(early));
  const node = h('div');
  const stage = h('div', { class: 'shot' });
  const words = h('div', { class: 'replayed' });
  const scrubber = h('input', {
    type: 'range',
    min: 1,
    max: steps.length,
    value: at,
    'aria-label': t('replay.scrubber'),
  });
  /** The slider says it to a screen reader. */
  const position = h('span', { class: 'help', 'aria-hidden': 'true' });
  const play = h('button');
  /** For who hears the step; of the scrubber they hear its number. */
  const said = h('p', { class: 'sr', role: 'status' });
  const all = () => steps.map(({ step }) => step);
  let timer = 0;

  async function show() {
    const { step, more } = steps[Number(scrubber.value) - 1];
    scrubber.ariaValueText = t('header.step_of', { n: scrubber.value, of: steps.length });
    position.textContent = t('header.short', { n: scrubber.value, of: steps.length });
    fill(words, ...wordCards(step === steps[0].step ? early : []), isTold(step) ? h('p', { class: 'help' }, describeStep(step)) : stepCard(step, all).node, ...wordCards(more));
    if (!step.frame) return fill(stage);
    const alt = t('lightbox.alt', { n: numberOf(step) });
    node.style.setProperty('--ratio', `${step.frame.width} / ${step.frame.height}`);
    const img = h('img', { width: step.frame.width, height: step.frame.height, alt });
    await loadInto(img, step.frame.url).catch(() => {});
    if (step !== steps[Number(scrubber.value) - 1].step) return;
    const drawn = drawActions(step.reply?.actions ?? []);
    const large = async () => (await import('../live/lightbox.js')).show(step, all);
    const label = t('step.screenshot', { n: numberOf(step) });
    fill(
      stage,
      h('button', { 'aria-label': label, onclick: large }, img),
      h('div', { class: 'marks', 'aria-hidden': 'true' }, ...drawn),
    );
  }

  /** @param {number} by */
  function go(by) {
    scrubber.value = String(Number(scrubber.value) + by);
    said.textContent = describeStep(steps[Number(scrubber.value) - 1].step);
    show();
  }

  /** @param {string} shape @param {string} key of what a press does */
  function showPlay(shape, key) {
    fill(play, icon(shape));
    play.ariaLabel = play.title = t(key);
  }

  function rest() {
    clearInterval(timer);
    timer = 0;
    showPlay('play', 'replay.play');
  }

  function onplay() {
    if (timer) return rest();
    if (Number(scrubber.value) === steps.length) scrubber.value = '0';
    showPlay('paused', 'replay.rest');
    go(1);
    timer = window.setInterval(() => {
      if (!stage.isConnected || Number(scrubber.value) === steps.length) rest();
      else go(1);
    }, PLAY_INTERVAL_MS);
  }

  scrubber.addEventListener('input', show);
  play.addEventListener('click', onplay);
  rest();
  show();
  const [back, next] = [iconButton('back', t('replay.back'), () => go(-1)), iconButton('next', t('replay.next'), () => go(1))];
  const controls = h('div', { class: 'scrub' }, back, scrubber, next, position, play);
  fill(node, stage, controls, said, words);
  return node;
}

/** @param {ChatEntry[]} said */
const wordCards = (said) => said.map((entry) => view(entry).node);

/** What came before the first step, and the steps. @param {any[]} events @param {string} id @param {boolean} isLeft @returns {[ChatEntry[], Moment[]]} */
function splitSteps(events, id, isLeft) {
  const state = new State();
  state.keep = Infinity;
  for (const event of events) {
    if (event.kind === 'reset') break; // it clears the page; what follows is not part of the task
    if (event.kind === 'task') state.status = 'idle'; // a record begins with the status of the task before
    const data = event.picture
      ? { ...event.data, url: `/api/tasks/${id}/pictures/${event.picture}` }
      : event.data;
    apply(state, { ...event, data });
  }
  if (state.plan) state.plan.over = true; // it is only read here
  if (isLeft && state.step) state.step.open = false;
  const end = state.entries.findLastIndex(({ type }) => type !== 'note');
  const last = state.entries[end];
  if (last?.type === 'done' || last?.type === 'failed') {
    state.entries.length = end; // the head tells it, and the last step; what is done by hand later is not part of it
    if (state.step?.reply && isTold(state.step)) Object.assign(state.step, { reply: { ...state.step.reply, thought: last.text }, thoughtShown: false });
  }
  if (isLeft && ['asking', 'paused'].includes(state.status)) state.entries.push({ type: 'note', rev: 0, at: state.at, text: '', key: 'note.unfinished' });
  /** @type {ChatEntry[]} */
  const early = [];
  /** @type {Moment[]} */
  const found = [];
  for (const entry of state.entries)
    if (entry.type === 'step') entry.folded || entry.open || found.push({ step: entry, more: [] }); // an unfinished step is shown in the chat
    else if (entry.type !== 'task' || entry.files) (found.at(-1)?.more ?? early).push(entry);
  return [early, found];
}
