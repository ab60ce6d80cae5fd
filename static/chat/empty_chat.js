// @ts-check
/** What stands in the chat before the first task. */
import * as composer from './composer.js';
import { byId, fill, h } from '../core/dom.js';
import { fadeEdges } from '../core/fades.js';
import { icon } from '../core/icons.js';
import { lossesOf } from '../core/live_region.js';
import { startButton } from '../live/simulator_switch.js';
import { hasTask, isInControl, kvmTitle, needsKvm } from '../core/state.js';
import { select } from '../core/tabs.js';
import { loadTasks, taskList } from './saved_tasks.js';
import { textsVersion, t } from '../core/i18n.js';

/** @typedef {import('../core/state.js').State} State */

const EXAMPLES = ['example.address', 'example.disk', 'example.updates'];
/** Commands of the Local operator, which understands them in every language of the page. */
export const EXAMPLE_COMMANDS = ['example.dns', 'example.datasheet', 'example.notepad', 'example.delete'];

/** Title and words. @type {Record<'missing' | 'failed', [string, string]>} */
const MODEL_CARDS = {
  missing: ['connect.model', 'connect.words'],
  failed: ['connect.model_failed', 'connect.model_check'],
};

let drawn = '';
/** It stays while only what stands above it is drawn again. */
let tasks = h('div');
let tasksFor = '';

/** @param {State} state */
export const isEmpty = (state) => !(state.watching ? state.entries.length : hasTask(state));

export function mount() {}

/** @param {State} state */
export function update(state) {
  const [room, panel] = ['empty', 'panel-chat'].map((id) => byId(id, HTMLElement));
  const { demo, hasModel, unconnected, watching } = state;
  const wanted = isEmpty(state) ? [demo, hasModel, watching, unconnected, needsKvm(state) && kvmTitle(state), isInControl(state), ...lossesOf(state), textsVersion].join() : '';
  if (wanted === drawn || (wanted && panel.hidden)) return; // hidden, it cannot be scrolled
  if (!drawn) panel.scrollTop = 0;
  drawn = wanted;
  fill(room, wanted && h('section', { class: 'empty' }, ...(watching ? watchingParts() : taskParts(state))));
}

const watchingParts = () => [h('h2', {}, t('watching.empty')), h('p', {}, t('watching.words'))];

/** @param {State} state */
function taskParts(state) {
  const { demo, hasModel, unconnected } = state;
  const inControl = isInControl(state);
  const wanted = [demo, inControl, textsVersion].join();
  if (!tasks.isConnected || tasksFor !== wanted) tasks = taskList(composer.setDraft, composer.send, inControl, examples(demo), demo ? [] : [h('p', {}, startButton())]);
  tasksFor = wanted;
  return [
    h('h2', {}, t('empty.title')),
    h('p', {}, t(demo && !hasModel ? 'empty.demo' : 'empty.words')),
    lossesOf(state).length > 0 && lossesCard(state),
    needsKvm(state) ? connectCard(kvmTitle(state)) : unconnected && connectCard(...MODEL_CARDS[unconnected]),
    tasks,
  ];
}

/** The demo keeps no record. @param {State} state */
const lossesCard = (state) =>
  h(
    'section',
    { class: 'words is-question' },
    ...lossesOf(state).map((words) => h('p', {}, words)),
    !state.demo && h('button', { onclick: () => select('history') }, t('tab.history')),
  );

/** Shown while a connection is missing; why the KVM is, stands in its picture. @param {string} title key @param {string} [words] key */
function connectCard(title, words) {
  const open = () => document.dispatchEvent(new Event('onboarding'));
  return h(
    'section',
    { class: 'words is-question' },
    h('h3', {}, icon('lost'), t(title)),
    words && h('p', {}, t(words)),
    h('button', { class: 'primary', onclick: open }, t('connect')),
  );
}

/** @param {boolean} demo */
function examples(demo) {
  const button = (/** @type {string} */ key) =>
    h('button', { onclick: () => composer.setDraft(t(key)) }, t(key));
  const own = loadTasks().map(({ text }) => text);
  const isNew = (/** @type {string} */ key) => !own.includes(t(key));
  const row = h('div', { class: 'examples' }, ...(demo ? EXAMPLE_COMMANDS : EXAMPLES).filter(isNew).map(button));
  fadeEdges(row);
  return row;
}
