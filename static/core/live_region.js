// @ts-check
/**
 * Tells a screen reader what is new, and no more: one short sentence a step, as it begins to act, another only
 * if it went wrong; a question and a failure at once. What streams in and what ticks is never announced.
 */
import { now } from './clock.js';
import { byId, h, setText } from './dom.js';
import { describeBriefly, describeOutcome, joinActions, numberOf } from './describe_action.js';
import { english, isLoadingTexts, joinSentences, translated, t } from './i18n.js';
import { isWaiting, outcomeOf } from './state.js';

/** @typedef {import('./state.js').State} State */
/** @typedef {import('./state.js').Entry} Entry */
/** @typedef {{ stage: string, words: string, urgent?: boolean, replaces?: boolean, ends?: boolean }} Sentence */

/** Seconds; what is older was replayed to a page that came late. */
const NEWS_S = 6;
/** Entries at the end that may still bring something new. */
const LAST_ENTRIES = 8;
/** Characters of a sentence of the model that are read out. */
const MAX_THOUGHT_CHARS = 110;
/** Milliseconds for a letter: a step that comes while the one before is still read waits, for the newest. */
const READING_MS_PER_CHAR = 50;
/** Milliseconds that a sentence stays in the document; one that is there when a dialog closes is read once more. */
const REMOVE_AFTER_MS = 2000;
/** Milliseconds in which the question before a risky action may take the place of its step. */
const APPROVAL_DELAY_MS = 500;
/** Pause after the last key. */
const TYPING_PAUSE_MS = 400;
const URGENT = ['question', 'failed'];

/** Parts of an entry that were announced. @type {WeakMap<Entry, Set<string>>} */
const announced = new WeakMap();
let lastCondition = '';
/** Of which service the entries are, and how many there were. */
let lastList = { boot: '', count: 0 };
let lastStatus = 'idle';
/** The newest step that could not be announced yet. */
let waitingSentence = '';
let busyUntil = 0;
let timer = 0;
let resultTimer = 0;
/** The result that was announced last. */
let lastResult = '';

export function mount() {}

/** @param {State} state */
export function update(state) {
  const fresh = now() - state.at < NEWS_S;
  const [was, is] = [lastStatus, state.status];
  lastStatus = is;
  if (is === 'running' && ['idle', 'done', 'failed'].includes(was) && fresh)
    announce({ stage: '', words: t('state.running') });
  for (const entry of state.entries.slice(-LAST_ENTRIES)) {
    for (const sentence of newsOf(entry)) {
      if (isLoadingTexts) break; // said in one language, as soon as they have come
      if (!isNew(entry, sentence.stage) || isInQuestion(sentence, entry, state.entries.at(-1))) continue;
      const replayed = entry.type !== 'step' && !entry.open && now() - entry.at > NEWS_S;
      if (fresh && !replayed) announce(sentence);
    }
  }
  if (state.approval) waitingSentence = ''; // its card says the same, and more
  announceReset(state);
  announceConditions(state);
}

/** Orca keeps it to itself when a button is called otherwise while it is pressed, or has the focus again after a dialog. @param {HTMLElement} button */
export function announceName(button) {
  if (document.activeElement === button) announce({ stage: '', words: button.ariaLabel ?? button.innerText });
}

/** Show a result, such as how much a search found, and announce it after a pause in typing: each key interrupts a screen reader. @param {HTMLElement} node @param {string} words */
export function showAndAnnounce(node, words) {
  setText(node, words);
  clearTimeout(resultTimer);
  resultTimer = window.setTimeout(() => {
    if (words && words !== lastResult) announce({ stage: '', words });
    lastResult = words;
  }, TYPING_PAUSE_MS);
}

/** What a restart of the service has ended. @param {State} state */
export const lossesOf = ({ cutOff, droppedQueue }) =>
  [
    cutOff && t('empty.cut_off', { task: shorten(cutOff) }),
    droppedQueue.length > 0 && t('empty.dropped_queue', { tasks: joinActions(droppedQueue.map(({ text }) => `“${shorten(text)}”`)) }),
  ].filter((words) => words !== '' && words !== false);

/** @param {State} state */
function announceReset(state) {
  const { boot, entries } = state;
  const losses = boot === lastList.boot ? [] : lossesOf(state);
  if (losses.length) announce({ stage: '', words: joinSentences(losses) });
  if (boot === lastList.boot && lastList.count && !entries.length) announce({ stage: '', words: t('log.reset') });
  lastList = { boot, count: entries.length };
}

/** @param {Entry} entry @param {string} stage */
function isNew(entry, stage) {
  const stages = announced.get(entry) ?? new Set();
  announced.set(entry, stages);
  return stages.size < stages.add(stage).size;
}

/** A question after a step that failed begins with how it went. @param {Sentence} sentence @param {Entry} entry @param {Entry} [last] */
function isInQuestion({ stage }, entry, last) {
  const ended = stage === 'ended' && entry.type === 'step' && entry.ended;
  return ended && last?.type === 'question' && english(last.text).startsWith(english(ended.outcome));
}

/** All that there is to say about it so far. @param {Entry} entry @returns {Sentence[]} */
function newsOf(entry) {
  if (entry.type === 'step') return [...stepNews(entry)];
  if (entry.type === 'task') return [];
  if (entry.type === 'said') return entry.queued ? [{ stage: 'said', words: t('chat.queued') }] : [];
  const kind = outcomeOf(entry.type, entry.result?.refused);
  const words = t(`announce.${kind}`, { text: translated(entry.text) || t(entry.key ?? '') });
  return [{ stage: 'said', words, urgent: URGENT.includes(entry.type), ends: entry.type !== 'note' }, ...waitingNews(entry)];
}

/** @param {Partial<import('./state.js').Waiting>} entry @returns {Sentence[]} */
const waitingNews = (entry) => (entry.open && isWaiting(entry) ? [{ stage: entry.phase ?? '', words: t(`announce.${entry.phase}`) }] : []);

/** @param {import('./state.js').Step} step @returns {Generator<Sentence>} */
function* stepNews(step) {
  const { reply, ended, effect } = step;
  const number = numberOf(step);
  const actions = (reply?.actions ?? []).filter(({ kind }) => !['done', 'fail', 'ask'].includes(kind));
  yield* waitingNews(step);
  if (actions.length > 0) {
    const words = shorten(joinActions(actions.map(describeBriefly)));
    const thought = shorten(lastSentence(translated(reply?.thought ?? '')));
    yield { stage: 'meant', words: t('announce.step', { n: number, actions: words, thought }), replaces: true };
  }
  if (ended && !ended.ok)
    yield { stage: 'ended', words: t('announce.outcome', { n: number, outcome: describeOutcome(ended) }) };
  if (effect?.none) yield { stage: 'effect', words: translated(effect.words) };
}

/** A model says at the end what it does now. @param {string} thought */
const lastSentence = (thought) =>
  thought
    .split(/[.!?]\s|[。！？]/)
    .filter((part) => part.trim())
    .at(-1) ?? '';

/** @param {string} text */
export function shorten(text) {
  const plain = text.replace(/\s+/g, ' ').trim();
  if (plain.length <= MAX_THOUGHT_CHARS) return plain;
  return `${plain.slice(0, MAX_THOUGHT_CHARS).replace(/\s\S*$/, '')}…`;
}

/** The line to the service and the picture: what a sighted person reads over the preview. @param {State} state */
function announceConditions({ link, screen }) {
  if (link === 'connecting' || screen.state === 'connecting') return;
  const live = link === 'open' && screen.state === 'live';
  const words =
    link === 'lost' ? t('preview.no_link') : live ? '' : translated(screen.sentence) || t(`screen.${screen.state}`);
  if (isLoadingTexts || words === lastCondition) return;
  announce({ stage: '', words: words || t('screen.live') });
  lastCondition = words;
}

/** @param {Sentence} sentence */
function announce({ words, urgent, replaces, ends }) {
  if (replaces) {
    waitingSentence = words;
    busyUntil = Math.max(busyUntil, performance.now() + APPROVAL_DELAY_MS);
  } else {
    if (waitingSentence && !ends) insert(waitingSentence);
    waitingSentence = '';
    insert(words, urgent);
  }
  flush();
}

function flush() {
  clearTimeout(timer);
  if (!waitingSentence) return;
  const rest = busyUntil - performance.now();
  if (rest > 0) timer = window.setTimeout(flush, rest);
  else {
    insert(waitingSentence);
    waitingSentence = '';
  }
}

/** A node of its own each: the same words twice are news twice. @param {string} words @param {boolean} [urgent] */
function insert(words, urgent) {
  const node = h('p', {}, words);
  byId(urgent ? 'alarm' : 'announce', HTMLElement).append(node);
  setTimeout(() => node.remove(), REMOVE_AFTER_MS);
  busyUntil = Math.max(busyUntil, performance.now()) + READING_MS_PER_CHAR * words.length;
}
