// @ts-check
/**
 * What waits for the person, of all computers. Questions that are literally equal are one card with one answer;
 * only a text to type can be, as a click or a key means what stands on that screen.
 */
import { alertUser } from '../core/alerts.js';
import { formatStopwatch, now } from '../core/clock.js';
import { call, handOver } from '../core/connection.js';
import { byId, fill, h, setText } from '../core/dom.js';
import { escapeInvisible, describeBriefly } from '../core/describe_action.js';
import { english, language, t, translated } from '../core/i18n.js';
import { splitCommands } from '../core/state.js';
import { allowButton, typedText } from '../chat/approval_parts.js';
import { commandHelp } from '../chat/command_help.js';

/** @typedef {import('./grid.js').Row} Row */
/** @typedef {{ names: string[], row: Row }} Question */
/** `left`: until a computer's question ends its run. @typedef {{ node: HTMLElement, names: string, since: number, left: HTMLElement }} Card */

/** Ignore a click that was meant for the content shown before. */
const IGNORE_CLICKS_MS = 400;

/** By what they ask. @type {Map<string, Card>} */
const cards = new Map();
/** What waits, of each computer. @type {string[]} */
let waiting = [];
/** Of each computer. @type {Record<string, Row>} */
let current = {};

/** @param {Record<string, Row>} rows */
export function update(rows) {
  current = rows;
  const questions = group(rows);
  for (const [key, card] of cards) if (questions.get(key)?.names.join() !== card.names) drop(key, card);
  for (const [key, question] of questions) if (!cards.has(key)) add(key, question);
  const before = waiting;
  waiting = [...questions].flatMap(([key, { names }]) => names.map((name) => `${name} ${key}`));
  const fresh = waiting.find((each) => !before.includes(each))?.split(' ')[0];
  if (fresh) alertUser(rows[fresh].approval ? 'approval' : 'asking', fresh);
  for (const { left, names } of cards.values()) left.textContent = timeLeft(names.split(',').map((name) => rows[name].approval));
  byId('waiting', HTMLElement).hidden = cards.size === 0;
}

/** @param {Record<string, Row>} rows */
function group(rows) {
  /** @type {Map<string, Question>} */
  const found = new Map();
  for (const [name, row] of Object.entries(rows)) {
    const key = keyOf(name, row);
    if (key) found.set(key, { names: [...(found.get(key)?.names ?? []), name], row });
  }
  return found;
}

/** How long the first of them still waits. @param {Array<Row['approval']>} asked */
function timeLeft(asked) {
  const ends = asked.flatMap((each) => (each ? each.at + each.seconds : []));
  return ends.length ? t('approval.left', { time: formatStopwatch(Math.min(...ends) - now()) }) : '';
}

/** The same for questions that may be answered together, "" for none. @param {string} name @param {Row} row */
function keyOf(name, { state, approval, sentence, plans }) {
  if (approval) {
    const { words, why, rule, label, after = '', action, digest } = approval;
    return JSON.stringify([language, ...(action?.kind === 'type' ? [english(words), english(why), rule, label, english(after), action] : [name, digest])]);
  }
  if (state !== 'asking') return '';
  return JSON.stringify([language, plans ? name : '', english(sentence)]);
}

/** @param {string} key @param {Card} card */
function drop(key, { node }) {
  node.remove();
  cards.delete(key);
}

/** @param {string} key @param {Question} question */
function add(key, { names, row }) {
  const node = h('li', { class: 'question' });
  const left = h('span', { class: 'left', 'aria-hidden': 'true' });
  const card = { node, names: names.join(), since: performance.now(), left };
  const problem = h('p', { class: 'error', role: 'alert', hidden: true });
  const asked = names.map((name) => current[name].approval);
  /** @param {(name: string, n: number) => [string, object]} request of the computer's own API */
  const send = async (request) => {
    if (node.ariaBusy || performance.now() - card.since < IGNORE_CLICKS_MS) return;
    node.ariaBusy = 'true';
    const sent = names.map((name, n) => call(`/computers/${name}${request(name, n)[0]}`, request(name, n)[1]));
    const failed = (await Promise.allSettled(sent)).find(({ status }) => status === 'rejected');
    if (!failed) return;
    node.ariaBusy = null;
    setText(problem, /** @type {PromiseRejectedResult} */ (failed).reason.message);
  };
  /** @param {string} path */
  const answer = (path) => send((_, n) => [path, { id: asked[n]?.id, digest: asked[n]?.digest }]);
  fill(node, h('h3', {}, ...names.map(openLink), left), ...(row.approval ? approvalParts(row.approval, answer) : questionParts(row, send)), problem);
  byId('questions', HTMLElement).append(node);
  cards.set(key, card);
}

/** @param {string} name */
const openLink = (name) => h('a', { href: `/computers/${name}/`, onclick: handOver }, name);

/** @param {import('../core/state.js').Approval} asked @param {(path: string) => void} answer */
const approvalParts = (asked, answer) => [
  h('p', { class: 'why' }, escapeInvisible(translated(asked.why))),
  h('p', {}, asked.action?.kind === 'type' ? t('approval.type') : describeBriefly(asked)),
  ...typedText(asked.action),
  asked.after && h('p', { class: 'help' }, escapeInvisible(translated(asked.after))),
  h(
    'div',
    { class: 'answers' },
    h('button', { onclick: () => answer('/api/refuse') }, t('approval.refuse')),
    allowButton(null, () => answer('/api/approve')),
  ),
];

/** @param {Row} row @param {(request: () => [string, object]) => void} send */
function questionParts(row, send) {
  const [asked, how] = splitCommands(row.sentence);
  const words = h('p', {}, escapeInvisible(translated(asked)));
  if (row.plans) return [words, h('p', { class: 'help' }, t('fleet.plan'))];
  const box = h('input', { type: 'text', maxlength: 10000, autocomplete: 'off', 'aria-label': t('fleet.answer'), placeholder: t('fleet.answer') });
  const answer = (/** @type {string} */ text) => send(() => ['/api/send', { text }]);
  const submit = (/** @type {Event} */ event) => {
    event.preventDefault();
    if (box.value.trim()) answer(box.value);
  };
  return [words, ...commandHelp(how, answer), h('form', { class: 'answers', onsubmit: submit }, box, h('button', { type: 'submit', class: 'primary' }, t('send')))];
}
