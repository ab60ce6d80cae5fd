// @ts-check
/** The conversation: what was asked, a card for every step, and what the agent wants to say. */
import { timeOfDay } from './clock.js';
import * as dock from './dock.js';
import { byId, fill, h } from './dom.js';
import { icon } from './icons.js';
import { stepCard } from './step.js';

/** @typedef {import('./state.js').State} State */
/** @typedef {import('./state.js').Step | import('./state.js').Words} Entry */
/** @typedef {{ entry: Entry, rev: number, node: HTMLElement, redraw: () => void }} Shown */

const EXAMPLES = [
  'Open the network settings and tell me the IP address',
  'Open a terminal and show how much disk space is free',
  'Install the updates that are waiting; ask me before you restart',
];
const DEMO_EXAMPLES = [
  'set dns server to 8.8.8.8',
  'download the esp32 datasheet',
  'write hello world in the notepad and save it',
  'open "Files"',
];

/** @type {Entry[]} */
let source = [];
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
  if (state.entries !== source) restart(state.entries);
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
  task: (entry) => [h('h2', {}, h('span', { class: 'label' }, `Task · ${timeOfDay(entry.at)}`), entry.text)],
  said: (entry) => [
    h('p', {}, entry.text),
    entry.queued ? h('small', {}, 'Waits for the next step') : h('small', {}, timeOfDay(entry.at)),
  ],
  question: (entry) => card('asking', 'The agent asks you', entry.text),
  done: (entry) => card('done', 'Done', entry.text),
  failed: (entry) => card('failed', 'Failed', entry.text),
  note: (entry) => [h('p', {}, entry.text)],
};

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
  const button = (/** @type {string} */ text) =>
    h('button', { type: 'button', onclick: () => dock.put(text) }, text);
  const words = demo
    ? 'Pick one of these, or write plain steps of your own.'
    : 'In your own words. You see every step and can correct it.';
  fill(
    list(),
    h(
      'section',
      { class: 'empty' },
      h('h2', {}, 'What should be done?'),
      h('p', {}, words),
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
