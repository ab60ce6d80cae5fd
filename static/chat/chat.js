// @ts-check
/** The conversation: messages of the person and the agent, and a card for every step. */
import { formatDuration, formatTimeOfDay } from '../core/clock.js';
import { byId, fill, h } from '../core/dom.js';
import { icon } from '../core/icons.js';
import { markedParts } from '../core/inline_markup.js';
import * as lazyImages from '../core/lazy_images.js';
import { useRovingTabindex } from '../core/roving_tabindex.js';
import { formatMoney, saysName } from '../core/state.js';
import { isEmpty } from './empty_chat.js';
import { fileList } from './message_files.js';
import { isTold, phasePart, stepCard, waitingParts } from './step_card.js';
import { questionActions, resultActions, errorActions, copyButton } from './error_actions.js';
import { VirtualList } from '../core/virtual_list.js';
import { english, joinSentences, sentencesOf, translated, textsVersion, t } from '../core/i18n.js';

/** @typedef {import('../core/state.js').State} State */
/** @typedef {import('../core/state.js').ChatEntry} ChatEntry */
/** @typedef {import('../core/state.js').Entry} Entry */

/** Entries that come into view wherever the reader is. */
const REVEALED = ['task', 'said', 'question', 'done', 'failed'];

/** @type {VirtualList} */
let virtualList;
/** @type {Entry[]} */
let drawnEntries = [];
/** How many entries there have been. */
let drawnCount = 0;
let drawnTexts = 0;

const list = () => byId('chat', HTMLElement);
const panel = () => byId('panel-chat', HTMLElement);

export function mount() {
  const latest = byId('latest', HTMLElement);
  virtualList = new VirtualList(panel(), list(), view, (atNewest, moved) => {
    latest.hidden = atNewest;
    lazyImages.onScrolled(moved);
  });
  useRovingTabindex(list(), '.shot button, summary', -1);
  latest.prepend(icon('down'));
  latest.addEventListener('click', () => virtualList.toEnd());
}

/** @param {State} state */
export function update(state) {
  if (state.entries !== drawnEntries) restart(state);
  if (isEmpty(state)) return;
  if (drawnTexts !== textsVersion) redraw();
  virtualList.update(state.dropped);
  const fresh = state.entries.slice(Math.max(0, drawnCount - state.dropped));
  drawnCount = state.dropped + state.entries.length;
  if (fresh.some(({ type }) => REVEALED.includes(type))) virtualList.toEnd();
}

/** In another language. */
function redraw() {
  drawnTexts = textsVersion;
  virtualList.redrawAll();
}

/** @param {State} state */
function restart({ entries, dropped }) {
  drawnEntries = entries;
  drawnTexts = textsVersion;
  virtualList.open(entries, dropped);
  drawnCount = dropped + entries.length;
}

/** @param {Entry} entry */
export function view(entry) {
  if (entry.type === 'step') return stepCard(entry, () => drawnEntries.filter((other) => other.type === 'step' && !other.folded));
  const node = h('section', { class: `words is-${entry.type}${entry.result?.refused ? ' is-partly' : ''}` });
  const redraw = () => {
    node.classList.toggle('is-folded', Boolean(entry.folded));
    fill(node, ...RENDERERS[entry.type](entry));
  };
  redraw();
  return { node, redraw, fromStart: ['question', 'done', 'failed'].includes(entry.type) };
}

/** @typedef {(entry: ChatEntry) => Array<Node | null>} Look */
/** @type {Record<ChatEntry['type'], Look>} */
const RENDERERS = {
  task: (entry) => [
    h('h2', {}, h('span', { class: 'label' }, taskLabel(entry), ' '), english(entry.text)),
    fileList(entry.files),
  ],
  said: (entry) => [
    h('p', {}, english(entry.text)),
    fileList(entry.files),
    entry.queued ? h('small', {}, t('chat.queued')) : h('small', {}, formatTimeOfDay(entry.at)),
  ],
  question: (entry) => entry.plan ? planParts(entry, entry.plan) : [...card('asking', t(questionTitle(entry)), entryText(entry), entry), expectedPicture(entry), ...questionActions(entry)],
  done: (entry) => {
    const [shape, key] = entry.result?.refused ? ['partly', entry.result.procedure ? 'state.partly' : 'result.partly'] : ['done', 'state.done']; // a step is skipped, not declined
    const words = shape === 'partly' ? withoutTitle(entry.text) : translated(entry.text);
    const [title, answer] = card(shape, t(key), words, entry);
    return [title, words ? h('div', { class: 'answer' }, answer, copyButton(words)) : null, resultActions(entry)];
  },
  failed: (entry) => [...card('failed', t('state.failed'), entryText(entry), entry), errorActions(entry.setting)],
  note: (entry) => [h('p', {}, ...markedParts(entryText(entry))), ...(entry.open ? [phasePart(entry), ...waitingParts(entry)] : [])],
};

/** With the name of a procedure, if its words are others. @param {ChatEntry} entry */
function taskLabel({ at, text, procedure }) {
  const name = typeof procedure === 'string' && !saysName(`${text}`, procedure) ? ` ${procedure}` : '';
  return t(procedure ? 'chat.procedure_at' : 'chat.task', { time: formatTimeOfDay(at), name });
}

/** The Local operator's answer without what the card's title says. @param {import('../core/i18n.js').Translatable} text */
function withoutTitle(text) {
  return joinSentences(sentencesOf(text).filter((/** @type {any} */ { key }) => key !== 'local.left_out'));
}

/** @param {ChatEntry} entry */
const questionTitle = ({ step }) => step?.title || 'chat.asks';

/** Its card is loaded when it is needed; an old one stays until then, as an empty one leaves the list short of its end. @param {ChatEntry} entry @param {import('../core/state.js').Plan} plan */
function planParts(entry, plan) {
  const slot = (plan.card ??= h('div'));
  import('./plan_card.js').then(({ planCard }) => fill(slot, planCard(plan)));
  return [h('h3', {}, icon('checklist'), t('plan.title')), plan.approved || (plan.over && plan.items.length) ? null : h('p', {}, ...markedParts(entryText(entry))), slot];
}

/** The picture that a procedure has not found. @param {ChatEntry} entry */
function expectedPicture({ text }) {
  const { texts } = /** @type {any} */ (text).values ?? {};
  const said = /** @type {any[]} */ (Array.isArray(texts) ? texts : []);
  const picture = said.map(({ values }) => values?.say?.values?.picture).find(Boolean);
  if (!picture) return null;
  const slot = h('div', { class: 'expected' });
  import('./procedure_editor.js').then(({ image }) => slot.append(image(picture, t('procedures.picture'))));
  return slot;
}

/** @param {ChatEntry} entry */
const entryText = (entry) => translated(entry.text) || t(entry.key ?? '');

/** @param {string} shape @param {string} title @param {string} text @param {ChatEntry} entry */
function card(shape, title, text, { result, step }) {
  const number = step && !step.inProcedure && isTold(step) && h('span', { class: 'number', 'aria-hidden': 'true' }, String(step.number));
  const facts = result && h('span', { class: 'help' }, resultFacts(result));
  return [h('h3', {}, number, icon(shape), title, facts), h('p', {}, ...markedParts(text))];
}

/** @param {import('../core/state.js').Result} result */
const resultFacts = ({ procedure, steps, seconds, spent }) =>
  [
    !procedure && t('history.steps', { count: steps }),
    formatDuration(seconds),
    spent > 0 && t('header.spent', { n: formatMoney(spent) }),
  ]
    .filter(Boolean)
    .join(' · ');
