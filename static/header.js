// @ts-check
/** How it stands, at a glance: a word, a colour and a shape; the step; the time. Also in the tab's title. */
import { stopwatch } from './clock.js';
import { byId, fill, h } from './dom.js';
import { icon } from './icons.js';
import { money } from './state.js';
import { language, t } from './words.js';

/** @typedef {import('./state.js').State} State */

let drawn = '';
/** Where "Step 3 of 20" has no room beside the rest of the header. */
const narrow = matchMedia(
  '(max-width: 759px), (min-width: 900px) and (max-width: 1199px), (max-width: 899px) and (max-height: 540px)',
);

/** Where what was spent has hardly any. */
const tight = matchMedia('(max-width: 759px)');

export function mount() {
  fill(byId('state', HTMLElement), chip('connecting'));
  for (const shape of [narrow, tight])
    shape.addEventListener('change', () => document.dispatchEvent(new Event('reshaped')));
}

/** @param {State} state */
export function update(state) {
  const name = condition(state);
  const wanted = [
    name,
    state.step?.number,
    state.rounds,
    state.since,
    state.ran,
    state.tokens,
    state.spent,
    narrow.matches,
    tight.matches,
    language,
  ].join();
  if (wanted === drawn) return;
  drawn = wanted;
  fill(byId('state', HTMLElement), chip(name), ...progress(state));
  document.title = name === 'idle' ? t('title') : `${t(`state.${name}`)} · ${t('title')}`;
}

/** @param {State} state */
function condition({ link, driving, approval, status }) {
  if (link !== 'open') return link;
  return driving ? 'driving' : approval ? 'approval' : status;
}

/** @param {string} name */
function chip(name) {
  return h('span', { class: `chip is-${name}` }, icon(name), t(`state.${name}`));
}

/** @param {State} state */
function progress(state) {
  if (!state.rounds || (state.driving && narrow.matches)) return [];
  const number = state.step?.number ?? 0;
  const running = state.status === 'running';
  const clock = running
    ? h('span', { class: 'clock', 'data-since': state.since - state.ran })
    : h('span', { class: 'clock' }, stopwatch(state.ran));
  clock.title = t('header.clock');
  const key = number > state.rounds ? 'step' : narrow.matches ? 'short' : 'step_of';
  return [h('span', {}, t(`header.${key}`, { n: number, of: state.rounds })), clock, spent(state)];
}

/** Money where the prices are known, else tokens. @param {State} state */
function spent({ spent, tokens }) {
  const way = tight.matches ? '_short' : '';
  if (spent) return h('span', { title: t('header.cost') }, t(`header.spent${way}`, { n: money(spent) }));
  return tokens > 0 && h('span', {}, t(`header.tokens${way}`, { n: compact(tokens) }));
}

/** "1.2K", or "14K" where each letter counts @param {number} n */
const compact = (n) =>
  n.toLocaleString(language, {
    notation: 'compact',
    ...(tight.matches ? { maximumSignificantDigits: 2 } : { maximumFractionDigits: 1 }),
  });
