// @ts-check
/**
 * Tells a screen reader what is new, and no more: one short sentence a step, as it begins to act, another only
 * if it went wrong; a question and a failure at once. What streams in and what ticks is never told.
 */
import { now } from './clock.js';
import { byId, h } from './dom.js';
import { brief } from './wording.js';
import { heard, t } from './words.js';

/** @typedef {import('./state.js').State} State */
/** @typedef {import('./state.js').Step | import('./state.js').Words} Entry */
/** @typedef {{ stage: string, words: string, urgent?: boolean, replaces?: boolean, ends?: boolean }} Sentence */

/** Seconds; what is older was replayed to a page that came late. */
const NEWS = 6;
/** Entries at the end that may still bring something new. */
const LAST = 8;
/** Characters of a sentence of the model that are read out. */
const LENGTH = 110;
/** Milliseconds for a letter: a step that comes while the one before is still read waits, for the newest. */
const LETTER = 50;
/** Milliseconds that a sentence stays in the document; one that is there when a dialog closes is read once more. */
const STAYS = 2000;
/** Milliseconds in which the question before a risky action may take the place of its step. */
const SETTLES = 500;
const URGENT = ['question', 'failed'];

/** What of an entry has been told. @type {WeakMap<Entry, Set<string>>} */
const told = new WeakMap();
let condition = '';
/** Of which service the entries are, and how many there were. */
let known = { boot: '', count: 0 };
let status = 'idle';
/** The newest step that could not be told yet. */
let waiting = '';
let until = 0;
let timer = 0;

export function mount() {}

/** @param {State} state */
export function update(state) {
  const fresh = now() - state.at < NEWS;
  const [was, is] = [status, state.status];
  status = is;
  if (is === 'running' && ['idle', 'done', 'failed'].includes(was) && fresh)
    tell({ stage: '', words: t('state.running') });
  for (const entry of state.entries.slice(-LAST)) {
    for (const sentence of sentences(entry)) {
      if (!isNew(entry, sentence.stage) || askedAbout(sentence, entry, state.entries.at(-1))) continue;
      const replayed = entry.type !== 'step' && now() - entry.at > NEWS;
      if (fresh && !replayed) tell(sentence);
    }
  }
  if (state.approval) waiting = ''; // its card says the same, and more
  cleared(state);
  conditions(state);
}

/** Orca keeps it to itself when a button is called otherwise while it is pressed, or has the focus again after a dialog. @param {HTMLElement} button */
export function renamed(button) {
  if (document.activeElement === button) tell({ stage: '', words: button.ariaLabel ?? button.innerText });
}

/** @param {State} state */
function cleared({ boot, entries }) {
  if (boot === known.boot && known.count && !entries.length) tell({ stage: '', words: t('log.reset') });
  known = { boot, count: entries.length };
}

/** @param {Entry} entry @param {string} stage */
function isNew(entry, stage) {
  const stages = told.get(entry) ?? new Set();
  told.set(entry, stages);
  return stages.size < stages.add(stage).size;
}

/** A question after a step that failed begins with how it went. @param {Sentence} sentence @param {Entry} entry @param {Entry} [last] */
function askedAbout({ stage }, entry, last) {
  const ended = stage === 'ended' && entry.type === 'step' && entry.ended;
  return ended && last?.type === 'question' && last.text.startsWith(ended.outcome);
}

/** All that there is to say about it so far. @param {Entry} entry @returns {Sentence[]} */
function sentences(entry) {
  if (entry.type === 'step') return [...steps(entry)];
  if (entry.type === 'task') return [];
  if (entry.type === 'said') return entry.queued ? [{ stage: 'said', words: t('chat.queued') }] : [];
  const words = t(`announce.${entry.type}`, { text: heard(entry.text) || t(entry.key ?? '') });
  return [{ stage: 'said', words, urgent: URGENT.includes(entry.type), ends: entry.type !== 'note' }];
}

/** @param {import('./state.js').Step} step @returns {Generator<Sentence>} */
function* steps({ number, reply, ended, effect, open, phase }) {
  const actions = (reply?.actions ?? []).filter(({ kind }) => !['done', 'fail', 'ask'].includes(kind));
  if (open && phase === 'waiting') yield { stage: `waiting`, words: t('announce.waiting') };
  if (actions.length > 0) {
    const words = shortened(actions.map(brief).join(', '));
    const thought = shortened(lastOf(heard(reply?.thought ?? '')));
    yield { stage: 'meant', words: t('announce.step', { n: number, actions: words, thought }), replaces: true };
  }
  if (ended && !ended.ok)
    yield { stage: 'ended', words: t('announce.outcome', { n: number, outcome: heard(ended.outcome) }) };
  if (effect?.none) yield { stage: 'effect', words: heard(effect.words) };
}

/** A model says at the end what it does now. @param {string} thought */
const lastOf = (thought) =>
  thought
    .split(/[.!?]\s|[。！？]/)
    .filter((part) => part.trim())
    .at(-1) ?? '';

/** @param {string} text */
function shortened(text) {
  const plain = text.replace(/\s+/g, ' ').trim();
  if (plain.length <= LENGTH) return plain;
  return `${plain.slice(0, LENGTH).replace(/\s\S*$/, '')}…`;
}

/** The line to the service and the picture: what a sighted person reads over the preview. @param {State} state */
function conditions({ link, screen }) {
  if (link === 'connecting' || screen.state === 'connecting') return;
  const live = link === 'open' && screen.state === 'live';
  const words =
    link === 'lost' ? t('preview.no_link') : live ? '' : heard(screen.sentence) || t(`screen.${screen.state}`);
  if (words === condition) return;
  tell({ stage: '', words: words || t('screen.live') });
  condition = words;
}

/** @param {Sentence} sentence */
function tell({ words, urgent, replaces, ends }) {
  if (replaces) {
    waiting = words;
    until = Math.max(until, performance.now() + SETTLES);
  } else {
    if (waiting && !ends) speak(waiting);
    waiting = '';
    speak(words, urgent);
  }
  flush();
}

function flush() {
  clearTimeout(timer);
  if (!waiting) return;
  const rest = until - performance.now();
  if (rest > 0) timer = window.setTimeout(flush, rest);
  else {
    speak(waiting);
    waiting = '';
  }
}

/** A node of its own each: the same words twice are news twice. @param {string} words @param {boolean} [urgent] */
function speak(words, urgent) {
  const node = h('p', {}, words);
  byId(urgent ? 'alarm' : 'announce', HTMLElement).append(node);
  setTimeout(() => node.remove(), STAYS);
  until = Math.max(until, performance.now()) + LETTER * words.length;
}
