// @ts-check
/** The conversation: what was asked, a card for every step, and what the agent wants to say. */
import { timeOfDay } from './clock.js';
import * as dock from './dock.js';
import { byId, fill, h } from './dom.js';
import { icon } from './icons.js';
import { stepCard } from './step.js';
import { heard, language, t } from './words.js';

/** @typedef {import('./state.js').State} State */
/** @typedef {import('./state.js').Step | import('./state.js').Words} Entry */
/** @typedef {{ entry: Entry, rev: number, node: HTMLElement, redraw: () => void }} Shown */

/** What the demo's operator understands stands in English, as it reads no other language. */
const EXAMPLES = ['example.address', 'example.disk', 'example.updates'];
const DEMO_EXAMPLES = ['example.dns', 'example.datasheet', 'example.notepad', 'example.files'];

/** @type {Entry[]} */
let source = [];
let spoken = '';
/** @type {Shown[]} */
let shown = [];
let following = true;
let top = 0;
let empty = '';

const list = () => byId('chat', HTMLElement);
const scroller = () => byId('panel-chat', HTMLElement);

export function mount() {
  scroller().addEventListener('scroll', onscroll, { passive: true });
  const sizes = new ResizeObserver(() => following && shown.length && toEnd());
  sizes.observe(list());
  sizes.observe(scroller());
  const latest = byId('latest', HTMLElement);
  latest.prepend(icon('down'));
  latest.addEventListener('click', toEnd);
}

/** @param {State} state */
export function update(state) {
  if (state.entries !== source || spoken !== language) restart(state.entries);
  if (!source.length) return welcome(state.demo);
  for (const each of shown) if (each.rev !== each.entry.rev) redraw(each);
  const fresh = source.slice(shown.length).map(view);
  if (fresh.length && !shown.length) fill(list());
  list().append(...fresh.map((each) => each.node));
  shown.push(...fresh);
}

/** @param {Entry[]} entries */
function restart(entries) {
  source = entries;
  spoken = language;
  shown = [];
  empty = '';
  following = true;
  fill(list());
}

/** @param {Shown} each */
function redraw(each) {
  each.rev = each.entry.rev;
  each.redraw();
}

/** @param {Entry} entry @returns {Shown} */
function view(entry) {
  if (entry.type === 'step') return { entry, rev: entry.rev, ...stepCard(entry) };
  const node = h('section', { class: `words is-${entry.type}` });
  const draw = () => fill(node, ...LOOKS[entry.type](entry));
  draw();
  return { entry, rev: entry.rev, node, redraw: draw };
}

/** @typedef {(entry: import('./state.js').Words) => Array<Node | null>} Look */
/** @type {Record<import('./state.js').Words['type'], Look>} */
const LOOKS = {
  task: (entry) => [
    h('h2', {}, h('span', { class: 'label' }, t('chat.task', { time: timeOfDay(entry.at) })), entry.text),
  ],
  said: (entry) => [
    h('p', {}, entry.text),
    entry.queued ? h('small', {}, t('chat.queued')) : h('small', {}, timeOfDay(entry.at)),
  ],
  question: (entry) => card('asking', t('chat.asks'), entry.text),
  done: (entry) => card('done', t('state.done'), told(entry)),
  failed: (entry) => card('failed', t('state.failed'), told(entry)),
  note: (entry) => [h('p', {}, told(entry))],
};

/** @param {import('./state.js').Words} entry */
const told = (entry) => heard(entry.text) || t(entry.key ?? '');

/** @param {string} shape @param {string} title @param {string} text */
function card(shape, title, text) {
  return [h('h3', {}, icon(shape), title), h('p', {}, text)];
}

/** An empty page says what one can do here. @param {boolean} demo */
function welcome(demo) {
  if (empty === String(demo)) return;
  empty = String(demo);
  scroller().scrollTop = 0;
  const examples = demo ? DEMO_EXAMPLES : EXAMPLES;
  const button = (/** @type {string} */ key) =>
    h('button', { type: 'button', onclick: () => dock.put(t(key)) }, t(key));
  fill(
    list(),
    h(
      'section',
      { class: 'empty' },
      h('h2', {}, t('empty.title')),
      h('p', {}, t(demo ? 'empty.demo' : 'empty.words')),
      h('div', {}, ...examples.map(button)),
    ),
  );
}

/** Only a person scrolls up; being left behind by what is new is no reason to stop following. */
function onscroll() {
  const room = scroller();
  const atEnd = room.scrollHeight - room.scrollTop - room.clientHeight < 60;
  following = atEnd || (following && room.scrollTop >= top);
  top = room.scrollTop;
  byId('latest', HTMLElement).hidden = following;
}

function toEnd() {
  following = true;
  scroller().scrollTop = scroller().scrollHeight;
}
