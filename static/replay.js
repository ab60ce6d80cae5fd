// @ts-check
/** A recorded task step by step: the same fold of the same events as when it happened. */
import { fill, h } from './dom.js';
import { icon } from './icons.js';
import { marks } from './marks.js';
import { load } from './pictures.js';
import { apply, State } from './state.js';
import { stepCard } from './step.js';
import { t } from './words.js';

/** @typedef {import('./state.js').Step} Step */

/** Milliseconds for which a step is shown while it plays. */
const PACE = 1500;

/**
 * @param {Array<{ seq: number, at: number, kind: string, data: any, picture?: string }>} events
 * @param {string} id
 */
export function replay(events, id) {
  const steps = folded(events, id);
  if (!steps.length) return h('p', { class: 'help' }, t('replay.empty'));
  const stage = h('div', { class: 'shot' });
  const words = h('div', { class: 'replayed' });
  const scrubber = h('input', {
    type: 'range',
    min: 1,
    max: steps.length,
    value: 1,
    'aria-label': t('replay.scrubber'),
  });
  const play = h('button', { type: 'button', class: 'quiet' });
  let timer = 0;
  let url = '';

  async function show() {
    const step = steps[Number(scrubber.value) - 1];
    scrubber.ariaValueText = t('header.step_of', { n: scrubber.value, of: steps.length });
    fill(words, stepCard(step).node);
    if (!step.frame) return fill(stage);
    const alt = t('lightbox.alt', { n: step.number });
    const img = h('img', { width: step.frame.width, height: step.frame.height, alt });
    const next = await load(step.frame.url).catch(() => '');
    if (step !== steps[Number(scrubber.value) - 1]) return URL.revokeObjectURL(next);
    stage.querySelector('img')?.removeAttribute('src');
    URL.revokeObjectURL(url);
    img.src = url = next;
    const drawn = marks(step.reply?.actions ?? []);
    fill(stage, img, h('div', { class: 'marks', 'aria-hidden': 'true' }, ...drawn));
  }

  /** @param {number} by */
  function go(by) {
    scrubber.value = String(Number(scrubber.value) + by);
    show();
  }

  function rest() {
    clearInterval(timer);
    timer = 0;
    fill(play, t('replay.play'));
  }

  function onplay() {
    if (timer) return rest();
    if (Number(scrubber.value) === steps.length) scrubber.value = '0';
    fill(play, t('replay.rest'));
    go(1);
    timer = window.setInterval(() => {
      if (!stage.isConnected || Number(scrubber.value) === steps.length) rest();
      else go(1);
    }, PACE);
  }

  scrubber.addEventListener('input', show);
  play.addEventListener('click', onplay);
  rest();
  show();
  const button = (/** @type {string} */ name, /** @type {number} */ by) =>
    h(
      'button',
      { type: 'button', class: 'quiet', 'aria-label': t(`replay.${name}`), onclick: () => go(by) },
      icon(name),
    );
  const controls = h('div', { class: 'scrub' }, button('back', -1), scrubber, button('next', 1), play);
  return h('div', {}, stage, controls, words);
}

/** @param {any[]} events @param {string} id @returns {Step[]} */
function folded(events, id) {
  const state = new State();
  state.keep = Infinity;
  for (const event of events) {
    const data = event.picture
      ? { ...event.data, url: `/api/tasks/${id}/pictures/${event.picture}` }
      : event.data;
    apply(state, { ...event, data });
  }
  return /** @type {Step[]} */ (state.entries.filter((entry) => entry.type === 'step'));
}
