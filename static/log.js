// @ts-check
/** Every event as a line of text, for whoever wants to know exactly, or has to report a fault. */
import { here, timeOfDay, took } from './clock.js';
import { byId, fill, h, tally } from './dom.js';
import { save } from './files.js';
import { has, heard, language, learn, t } from './words.js';

await learn();

/** @typedef {import('./connection.js').AgentEvent} AgentEvent */
/** @typedef {import('./state.js').State} State */

/** Lines at most; the file has all that is known here. */
const MOST = 2000;

/** Those whose words are not simply what the event says. @type {Record<string, (data: any) => string>} */
const WORDS = {
  session_started: ({ model, demo }) => `${heard(model)}${demo ? ` (${t('log.demo')})` : ''}`,
  status: ({ status, reason }) => [t(`state.${status}`), heard(reason)].filter(Boolean).join(': '),
  said: ({ text, queued }) => (queued ? `${text} (${t('chat.queued')})` : text),
  phase: ({ step, phase }) => `${number(step)}: ${t(`phase.${phase}`)}`,
  frame: ({ step, width, height, waited }) =>
    `${number(step)}: ${t('log.frame', { size: `${width}x${height}`, time: took(waited) })}`,
  request: ({ url }) => t('log.request', { url }),
  reply: ({ step, seconds, tokens_in: read, tokens_out: written }) =>
    [
      `${number(step)}: ${t('log.reply', { time: took(seconds) })}`,
      read + written > 0 && t('step.tokens', { read, written }),
    ]
      .filter(Boolean)
      .join(', '),
  acting: ({ step, index }) => `${number(step)}: ${t('log.acting', { n: index + 1 })}`,
  effect: ({ step, words }) => `${number(step)}: ${heard(words)}`,
  step: ({ step, outcome, seconds }) => `${number(step)}: ${heard(outcome)} (${took(seconds)})`,
  screen: ({ state, sentence }) => [t(`screen.${state}`), heard(sentence)].filter(Boolean).join(': '),
  reach: ({ sentence }) => heard(sentence) || t('log.reach'),
  retry: ({ seconds }) => (seconds ? `${t('phase.waiting')} ${took(seconds)}` : t('phase.thinking')),
  connection: ({ what, who }) => `${heard(what, true)} ${heard(who)}`,
  by_hand: ({ words }) => heard(words, true),
  approval: ({ words, why }) => `${heard(words, true)} · ${heard(why)}`,
  answered: ({ answer }) => heard(answer),
  settings: ({ changed }) => changed.map(called).join(', '),
  reset: () => t('log.reset'),
};

/** @param {string} setting */
const called = (setting) => (has(`setting.${setting}`) ? t(`setting.${setting}`) : setting);
/** @param {number} step */
const number = (step) => t('header.step', { n: step });

/** @type {State | null} */
let state = null;
let lastSeq = 0;
let boot = '';
let spoken = '';

const list = () => byId('log', HTMLElement);
const panel = () => byId('panel-log', HTMLElement);
const search = () => byId('log-search', HTMLInputElement);
const problems = () => byId('log-problems', HTMLButtonElement);

export function mount() {
  byId('log-copy', HTMLElement).addEventListener('click', copy);
  byId('log-download', HTMLElement).addEventListener('click', download);
  search().addEventListener('input', filter);
  problems().addEventListener('click', () => {
    problems().ariaPressed = String(problems().ariaPressed !== 'true');
    filter();
  });
  document.addEventListener('tab', () => state && update(state));
}

/** Nothing is drawn while nobody looks. @param {State} next */
export function update(next) {
  state = next;
  if (panel().hidden) return;
  if (next.boot !== boot || language !== spoken) restart(next.boot);
  const room = panel();
  const following = room.scrollHeight - room.scrollTop - room.clientHeight < 60;
  const fresh = next.log.filter((event) => event.seq > lastSeq).slice(-MOST);
  const rows = fresh.map(row);
  sift(rows);
  list().append(...rows);
  while (list().childElementCount > MOST) list().firstElementChild?.remove();
  lastSeq = fresh.at(-1)?.seq ?? lastSeq;
  if (fresh.length && sifting()) count();
  if (fresh.length && following) room.scrollTop = room.scrollHeight;
}

/** @param {string} next */
function restart(next) {
  [boot, spoken] = [next, language];
  lastSeq = 0;
  search().placeholder = t('log.search');
  fill(list());
}

const sifting = () => search().value.trim() !== '' || problems().ariaPressed === 'true';

/** Leaves of what is drawn the lines that have all the words, and of these the problems alone if that is wanted. */
function filter() {
  sift([...list().children]);
  if (sifting()) count();
  else note('');
}

/** @param {Element[]} rows */
function sift(rows) {
  const words = search().value.toLowerCase().split(/\s+/).filter(Boolean);
  const severe = problems().ariaPressed === 'true';
  for (const row of /** @type {HTMLElement[]} */ (rows)) {
    const text = words.length ? (row.textContent ?? '').toLowerCase() : '';
    row.hidden = (severe && row.className === 'is-info') || !words.every((word) => text.includes(word));
  }
}

function count() {
  note(t('log.found', { n: list().querySelectorAll(':scope > :not([hidden])').length }));
}

/** @param {string} words */
const note = (words) => tally(byId('log-note', HTMLElement), words);

/** @param {AgentEvent} event */
function row(event) {
  const words = [h('b', {}, name(event)), ' ', mark(event), text(event)];
  return h(
    'li',
    { class: `is-${level(event)}` },
    h('time', {}, timeOfDay(event.at)),
    Object.hasOwn(RAW, event.kind) ? folded(event, words) : h('span', { class: 'line' }, ...words),
  );
}

/** What it holds is put together when somebody looks. @param {AgentEvent} event @param {Array<Node | string>} words */
function folded(event, words) {
  const raw = h('pre', { tabindex: 0 });
  const node = h('details', { class: 'line' }, h('summary', {}, ...words), raw);
  node.addEventListener('toggle', () => fill(raw, node.open && RAW[event.kind](event)));
  return node;
}

/** @param {AgentEvent} event */
const name = ({ kind }) => (has(`log.kind.${kind}`) ? t(`log.kind.${kind}`) : kind);

/** @param {AgentEvent} event */
function text({ kind, data }) {
  if (Object.hasOwn(WORDS, kind)) return WORDS[kind](data);
  return typeof data?.text === 'string' ? heard(data.text) : JSON.stringify(data);
}

/** The whole of what a line only names. @type {Record<string, (event: AgentEvent) => string>} */
const RAW = {
  request: whole,
  reply: ({ data }) =>
    [
      data.reasoning && `[reasoning]\n${data.reasoning}\n\n[reply]`,
      data.text,
      data.calls?.length > 0 && JSON.stringify(data.calls, null, 2),
      data.finish && `[${data.finish}]`,
    ]
      .filter(Boolean)
      .join('\n'),
};

/** A request is told as what it adds to the one before it. @param {AgentEvent} wanted */
function whole(wanted) {
  /** @type {string[]} */
  let lines = [];
  for (const event of state?.log ?? []) {
    if (event.kind !== 'request' || event.seq > wanted.seq) continue;
    const { same, text } = event.data;
    const gone = Array(Math.max(0, same - lines.length)).fill('…');
    lines = [...gone, ...lines.slice(0, same), ...text.split('\n')];
  }
  return lines.join('\n');
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
  return level(event) === 'info' ? '' : `${t(`log.${level(event)}`)} `;
}

function wholeText() {
  const line = (/** @type {AgentEvent} */ event) =>
    `${here(event.at).toISOString()} ${event.kind}: ${mark(event)}${text(event)}${added(event)}`;
  const cut = state?.cut ? `${t('log.cut', { n: state.cut })}\n` : '';
  return cut + (state?.log ?? []).map(line).join('\n') + '\n';
}

/** Of a request only what it adds, or a long task would be told over and over. @param {AgentEvent} event */
function added(event) {
  if (event.kind === 'request') return `\n[${event.data.same} …]\n${event.data.text}`;
  return Object.hasOwn(RAW, event.kind) ? `\n${RAW[event.kind](event)}` : '';
}

/** `navigator.clipboard` exists only on https; most KVMs are visited on plain http. */
async function copy() {
  const hidden = h('textarea', { class: 'sr' });
  hidden.value = wholeText();
  panel().append(hidden);
  hidden.select();
  const copied = document.execCommand('copy');
  hidden.remove();
  note(t(copied ? 'log.copied' : 'log.no_copy'));
}

function download() {
  const day = new Date().toISOString().slice(0, 19).replaceAll(':', '-');
  save(new Blob([wholeText()], { type: 'text/plain' }), `agent-log-${day}.txt`);
}
