// @ts-check
/** Every event as a line of text, for whoever wants to know exactly, or has to report a fault. */
import { timeOfDay, took } from './clock.js';
import { byId, fill, h } from './dom.js';
import { save } from './files.js';
import { t } from './words.js';

/** @typedef {import('./connection.js').AgentEvent} AgentEvent */
/** @typedef {import('./state.js').State} State */

/** @type {Record<string, (data: any) => string>} */
const WORDS = {
  session_started: (data) => `Model: ${data.model ?? 'unknown'}${data.demo ? ' (demo)' : ''}`,
  status: (data) => `${data.status}${data.reason ? `: ${data.reason}` : ''}`,
  said: (data) => `${data.text}${data.queued ? ' (waits for the next step)' : ''}`,
  phase: (data) => `Step ${data.step}: ${data.phase}`,
  frame: (data) => `Step ${data.step}: screenshot ${data.width}x${data.height}, waited ${took(data.waited)}`,
  reply: replied,
  acting: (data) => `Step ${data.step}: action ${data.index + 1}`,
  step: (data) => `Step ${data.step}: ${data.outcome} (${took(data.seconds)})`,
  screen: (data) => `${data.state}: ${data.sentence}`,
  reach: (data) => data.sentence || 'The computer takes input.',
  connection: (data) => `${data.what} ${data.who}`,
  by_hand: (data) => data.words,
  reset: () => 'The chat was cleared.',
};

/** @type {State | null} */
let state = null;
let lastSeq = 0;
let boot = '';

const list = () => byId('log', HTMLElement);
const panel = () => byId('panel-log', HTMLElement);

export function mount() {
  byId('log-copy', HTMLElement).addEventListener('click', copy);
  byId('log-download', HTMLElement).addEventListener('click', download);
  document.addEventListener('tab', () => state && update(state));
}

/** Nothing is drawn while nobody looks. @param {State} next */
export function update(next) {
  state = next;
  if (panel().hidden) return;
  if (next.boot !== boot) restart(next.boot);
  const room = panel();
  const following = room.scrollHeight - room.scrollTop - room.clientHeight < 60;
  const fresh = next.log.filter((event) => event.seq > lastSeq);
  list().append(...fresh.map(row));
  lastSeq = fresh.at(-1)?.seq ?? lastSeq;
  if (fresh.length && following) room.scrollTop = room.scrollHeight;
}

/** @param {string} next */
function restart(next) {
  boot = next;
  lastSeq = 0;
  fill(list());
}

/** @param {AgentEvent} event */
function row(event) {
  return h(
    'li',
    { class: `is-${level(event)}` },
    h('time', {}, timeOfDay(event.at)),
    h('span', { class: 'line' }, h('b', {}, event.kind), ' ', mark(event), text(event)),
  );
}

/** @param {AgentEvent} event */
function text({ kind, data }) {
  if (Object.hasOwn(WORDS, kind)) return WORDS[kind](data);
  return typeof data?.text === 'string' ? data.text : JSON.stringify(data);
}

/** @param {any} data */
function replied(data) {
  const tokens = data.tokens_in + data.tokens_out ? `, ${data.tokens_in} + ${data.tokens_out} tokens` : '';
  const head = `Step ${data.step}: reply in ${took(data.seconds)}${tokens}`;
  const reasoning = data.reasoning ? `\n[reasoning]\n${data.reasoning}\n[reply]` : '';
  return `${head}${reasoning}\n${data.text}`;
}

/** @param {AgentEvent} event */
function level({ kind, data }) {
  if (kind === 'log') return data.level;
  if (kind === 'failed') return 'error';
  if (kind === 'step' && !data.ok) return 'warning';
  return kind === 'screen' && data.state !== 'live' ? 'warning' : 'info';
}

/** The mark is a word too, since a colour alone tells nothing in a copy. @param {AgentEvent} event */
function mark(event) {
  return level(event) === 'info' ? '' : `${level(event).toUpperCase()} `;
}

function wholeText() {
  const line = (/** @type {AgentEvent} */ event) =>
    `${new Date(event.at * 1000).toISOString()} ${event.kind}: ${mark(event)}${text(event)}`;
  return (state?.log ?? []).map(line).join('\n') + '\n';
}

/** `navigator.clipboard` exists only on https; most KVMs are visited on plain http. */
async function copy() {
  const hidden = h('textarea', { class: 'sr' });
  hidden.value = wholeText();
  panel().append(hidden);
  hidden.select();
  const copied = document.execCommand('copy');
  hidden.remove();
  byId('log-note', HTMLElement).textContent = t(copied ? 'log.copied' : 'log.no_copy');
}

function download() {
  const day = new Date().toISOString().slice(0, 19).replaceAll(':', '-');
  save(new Blob([wholeText()], { type: 'text/plain' }), `agent-log-${day}.txt`);
}
