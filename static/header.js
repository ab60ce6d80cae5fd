// @ts-check
/** How it stands, at a glance: a word, a colour and a shape; the step; the time. Also in the tab's title. */
import { stopwatch } from './clock.js';
import { byId, fill, h } from './dom.js';
import { icon } from './icons.js';

/** @typedef {import('./state.js').State} State */

const TITLE = 'Computer-use agent';
/** @type {Record<string, string>} */
const WORDS = {
  idle: 'Ready',
  running: 'Running',
  paused: 'Paused',
  asking: 'Asks you',
  done: 'Done',
  failed: 'Failed',
  lost: 'Reconnecting',
  connecting: 'Connecting',
};
let drawn = '';

export function mount() {
  fill(byId('state', HTMLElement), chip('connecting'));
}

/** @param {State} state */
export function update(state) {
  const name = state.link === 'open' ? state.status : state.link;
  const wanted = [name, state.step?.number, state.rounds, state.since, state.ran].join();
  if (wanted === drawn) return;
  drawn = wanted;
  fill(byId('state', HTMLElement), chip(name), ...progress(state));
  document.title = name === 'idle' ? TITLE : `${WORDS[name]} · ${TITLE}`;
}

/** @param {string} name */
function chip(name) {
  return h('span', { class: `chip is-${name}` }, icon(name), WORDS[name]);
}

/** @param {State} state */
function progress(state) {
  if (!state.rounds) return [];
  const number = state.step?.number ?? 0;
  const of = number <= state.rounds ? ` of ${state.rounds}` : '';
  const running = state.status === 'running';
  const clock = running
    ? h('span', { 'data-since': state.since - state.ran })
    : h('span', {}, stopwatch(state.ran));
  clock.title = 'Time at work on this task';
  return [h('span', {}, `Step ${number}${of}`), clock];
}
