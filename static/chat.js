// @ts-check
/** The conversation: what was asked, a card for every step, and what the agent wants to say. */
import { timeOfDay } from './clock.js';
import { call } from './connection.js';
import * as dock from './dock.js';
import { byId, fill, h } from './dom.js';
import { icon } from './icons.js';
import * as pictures from './pictures.js';
import { offer } from './rehearsal.js';
import { oneStop } from './roving.js';
import { begun } from './state.js';
import { stepCard } from './step.js';
import { kept, shelf } from './tasks.js';
import { otherWords, UNDERSTOOD, wayBack, waysOut } from './waysout.js';
import { Window } from './window.js';
import { heard, language, t } from './words.js';

/** @typedef {import('./state.js').State} State */
/** @typedef {import('./state.js').Step | import('./state.js').Words} Entry */

const EXAMPLES = ['example.address', 'example.disk', 'example.updates'];

/** @type {Window} */
let pane;
/** @type {Entry[]} */
let source = [];
let spoken = '';
let empty = '';

const list = () => byId('chat', HTMLElement);
const room = () => byId('panel-chat', HTMLElement);

export function mount() {
  const latest = byId('latest', HTMLElement);
  pane = new Window(room(), list(), view, (following, moved) => {
    latest.hidden = following;
    pictures.moved(moved);
  });
  oneStop(list(), '.shot button, summary', -1);
  latest.prepend(icon('down'));
  latest.addEventListener('click', () => pane.toEnd());
}

/** @param {State} state */
export function update(state) {
  if (state.entries !== source || spoken !== language) restart(state);
  const watching = document.body.dataset.watching !== undefined;
  if (!(watching ? source.length : begun(state))) return welcome(state);
  if (empty) fill(list());
  empty = '';
  pane.update(state.dropped);
}

/** @param {State} state */
function restart({ entries, dropped }) {
  source = entries;
  spoken = language;
  empty = '';
  pane.open(entries, dropped);
}

/** @param {Entry} entry */
export function view(entry) {
  if (entry.type === 'step') return stepCard(entry, () => source.filter((other) => other.type === 'step'));
  const node = h('section', { class: `words is-${entry.type}` });
  const redraw = () => fill(node, ...LOOKS[entry.type](entry));
  redraw();
  return { node, redraw, fromStart: ['question', 'done', 'failed'].includes(entry.type) };
}

/** @typedef {(entry: import('./state.js').Words) => Array<Node | null>} Look */
/** @type {Record<import('./state.js').Words['type'], Look>} */
const LOOKS = {
  task: (entry) => [
    h('h2', {}, h('span', { class: 'label' }, t('chat.task', { time: timeOfDay(entry.at) })), ' ', entry.text),
  ],
  said: (entry) => [
    h('p', {}, entry.text),
    entry.queued ? h('small', {}, t('chat.queued')) : h('small', {}, timeOfDay(entry.at)),
  ],
  question: (entry) => [...card('asking', t('chat.asks'), told(entry)), ...otherWords(entry.more)],
  done: (entry) => card('done', t('state.done'), told(entry)),
  failed: (entry) => [...card('failed', t('state.failed'), told(entry)), waysOut(entry.text)],
  note: (entry) => [h('p', {}, told(entry)), wayBack(entry)],
};

/** @param {import('./state.js').Words} entry */
const told = (entry) => heard(entry.text) || t(entry.key ?? '');

/** @param {string} shape @param {string} title @param {string} text */
function card(shape, title, text) {
  return [h('h3', {}, icon(shape), title), h('p', {}, text)];
}

function onlooking() {
  return h(
    'section',
    { class: 'empty' },
    h('h2', {}, t('watching.empty')),
    h('p', {}, t('watching.words')),
  );
}

/** The first task would only fail. */
function connecting() {
  const open = async () => (await import('./first.js')).show(await call('/api/settings'));
  return h(
    'section',
    { class: 'words is-question' },
    h('h3', {}, icon('lost'), t('connect.title')),
    h('p', {}, t('connect.words')),
    h('button', { type: 'button', class: 'primary', onclick: open }, t('connect')),
  );
}

/** An empty page says what one can do here. @param {State} state */
function welcome({ demo, unconnected }) {
  const watching = document.body.dataset.watching !== undefined;
  const wanted = [demo, watching, unconnected].join();
  if (empty === wanted) return;
  empty = wanted;
  room().scrollTop = 0;
  const examples = demo ? UNDERSTOOD : EXAMPLES;
  const button = (/** @type {string} */ key) =>
    h('button', { type: 'button', onclick: () => dock.put(t(key)) }, t(key));
  if (watching) return fill(list(), onlooking());
  fill(
    list(),
    h(
      'section',
      { class: 'empty' },
      h('h2', {}, t('empty.title')),
      h('p', {}, t(demo ? 'empty.demo' : 'empty.words')),
      !demo && unconnected && connecting(),
      h('div', {}, ...examples.map(button)),
      !demo && h('p', { class: 'rehearse' }, offer()),
      kept().length > 0 && h('h3', {}, t('tasks.title')),
      kept().length > 0 && shelf(dock.put),
    ),
  );
}
