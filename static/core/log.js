// @ts-check
/** The log view: every event as a line of text. */
import { describe, describeBriefly, formatTokens } from './describe_action.js';
import { localTime, formatTimeOfDay, formatDuration } from './clock.js';
import { byId, fill, h, loadStyle, showOpened } from './dom.js';
import { showAndAnnounce } from './live_region.js';
import { copyText } from './clipboard.js';
import { save } from './download.js';
import { markWords } from './found_words.js';
import { icon } from './icons.js';
import { has, translated, textsVersion, loadSetupTexts, loadTaskTexts, withoutStop, t } from './i18n.js';
import { outcomeOf, retryPhase } from './state.js';
import { SETTLING_PX, sizeKey } from './virtual_list.js';

await Promise.all([loadSetupTexts(), loadTaskTexts(), loadStyle('/static/history.css')]);

/** @typedef {import('./connection.js').AgentEvent} AgentEvent */
/** @typedef {import('./state.js').State} State */

/** Lines at most; the file has all that is known here. */
const MAX_LINES = 2000;
/** At most twenty-four characters, and the rest of the word that they begin with. */
const BEFORE_FOUND = /\S{0,24}.{0,24}$/;
/** How long it says that all was copied. */
const COPIED_MS = 5000;

/** @param {string} words @param {unknown} more */
const withAside = (words, more) => t('log.aside', { words: withoutStop(words), more });

/** Those whose words are not simply what the event says. @type {Record<string, (data: any, seq: number) => string>} */
const FORMATTERS = {
  session_started: ({ model, demo }) => (demo ? withAside(translated(model), t('log.demo')) : translated(model)),
  status: ({ status, reason }, seq) => {
    const words = t(statusKey(status, seq));
    return reason ? t('label.value', { label: words, value: translated(reason) }) : words;
  },
  file: ({ name }) => name,
  said: ({ text, queued }) => (queued ? withAside(text, t('chat.queued')) : text),
  queue: ({ tasks, held }) => [t('queue.title', { count: tasks.length }), translated(held)].filter(Boolean).join(' · '),
  plan: ({ items }) => items.join(' · ') || t('plan.none'),
  plan_edited: ({ items }) => items.join(' · '),
  plan_item: ({ item }) => String(item),
  phase: ({ phase }) => t(`phase.${phase}`),
  frame: ({ width, height, waited }) => t('log.frame', { size: `${width}×${height}`, time: formatDuration(waited) }),
  closer: () => t('log.closer'),
  request: ({ url }) => url,
  reply: (data) => [formatDuration(data.seconds), formatTokens(data)].filter(Boolean).join(' · '),
  acting: ({ step, index }, seq) => actionText(step, index, seq) || t('log.acting', { n: index + 1 }),
  effect: ({ words }) => translated(words),
  done: ({ text }) => translated(text) || t('note.done'),
  step: ({ outcome, seconds }) => withAside(translated(outcome), formatDuration(seconds)),
  screen: ({ state, sentence }) => translated(sentence) || t(`screen.${state}`),
  reach: ({ sentence }) => translated(sentence) || t('log.reach'),
  retry: (data) => [t(`phase.${retryPhase(data)}`), data.seconds && t('phase.retry', { n: Math.ceil(data.seconds) })].filter(Boolean).join(' · '),
  connection: ({ what, who }) => withAside(translated(what), translated(who)),
  by_hand: ({ words }) => translated(words),
  approval: (data) => `${namesTarget(data) ? describeBriefly(data) : describe(data)} · ${translated(data.why)}`,
  answered: ({ answer }) => t(`log.answer.${answer}`),
  settings: ({ changed, values = {} }) => changed.map((/** @type {string} */ name) => settingText(name, values[name])).join(' · '),
  reset: () => t('log.reset'),
};

/** Only of a click do the brief words name the target; others would lose their position. @param {any} data */
const namesTarget = ({ action, label }) => Boolean(label) && action?.kind === 'click';

/** What the header said then. @param {string} status @param {number} seq */
function statusKey(status, seq) {
  const before = state?.log.filter((event) => event.seq < seq) ?? [];
  const events = before.slice(before.findLastIndex(({ kind }) => kind === 'task') + 1);
  if (status === 'asking' && events.findLast(({ kind }) => kind === 'question')?.data.anew) return 'chat.not_understood';
  return `state.${outcomeOf(status, events.findLast(({ kind }) => kind === 'done')?.data.refused)}`;
}

/** @param {string} setting @param {any} value null for one that is not shown */
function settingText(setting, value) {
  const words = has(`setting.${setting}`) ? t(`setting.${setting}`) : setting;
  if (value === null || value === undefined) return words;
  const reason = typeof value === 'boolean' ? t(value ? 'log.on' : 'log.off') : translated(typeof value === 'number' ? String(value) : value);
  return t('label.value', { label: words, value: reason });
}

/** @param {AgentEvent} event */
function stepLabel(event) {
  const n = event.data?.step && stepNumber(event);
  return n ? t('header.step', { n }) : '';
}

/** As the chat numbers it: the words of a procedure have their own number, which comes with its reply. @param {AgentEvent} event */
function stepNumber({ data: { step }, seq }) {
  const last = state?.log.findLast(
    (event) => event.seq <= seq && (event.kind === 'task' || (event.kind === 'reply' && (event.data.step === step || !event.data.scripted))),
  );
  if (last?.kind === 'task') return last.data.procedure ? 0 : step;
  return last?.data.scripted ? Number(last.data.thought?.values?.number) : step;
}

/** Of the last reply before it: a later task has steps of the same numbers. @param {number} step @param {number} index @param {number} seq */
function actionText(step, index, seq) {
  const reply = state?.log.findLast((event) => event.kind === 'reply' && event.data.step === step && event.seq < seq);
  const action = reply?.data.actions[index];
  return action ? describe(action) : '';
}

/** @type {State | null} */
let state = null;
let lastSeq = 0;
/** Another one after a reset or a start of the service. @type {AgentEvent[]} */
let drawnLog = [];
let drawnTexts = 0;
/** Where the panel last stood at the end, and its size then. */
let endTop = 0;
let endSize = '';
/** Switched off at the end, where the next scroll would switch it on again. */
let staysOff = false;
let copiedTimer = 0;
/** @type {WeakMap<Element, AgentEvent>} */
const eventOf = new WeakMap();
/** Only lines in sight are marked: two thousand would take half a second at each letter. @type {Set<Element>} */
const inSight = new Set();
const sights = new IntersectionObserver((seen) => {
  for (const { target, isIntersecting } of seen) inSight[isIntersecting ? 'add' : 'delete'](target);
  markFound(seen.filter((each) => each.isIntersecting).map(({ target }) => target));
});

const list = () => byId('log', HTMLElement);
const panel = () => byId('panel-log', HTMLElement);
const search = () => byId('log-search', HTMLInputElement);
const problems = () => byId('log-problems', HTMLButtonElement);
const follow = () => byId('log-follow', HTMLButtonElement);
const isFollowing = () => follow().ariaPressed === 'true';
const atEnd = () => panel().scrollHeight - panel().scrollTop - panel().clientHeight < 60;

export function mount() {
  for (const [name, onclick] of Object.entries({ copy, download })) {
    byId(`log-${name}`, HTMLElement).append(icon(name));
    byId(`log-${name}`, HTMLElement).addEventListener('click', onclick);
  }
  search().addEventListener('input', filter);
  problems().addEventListener('click', () => {
    problems().ariaPressed = String(problems().ariaPressed !== 'true');
    filter();
  });
  follow().addEventListener('click', () => setFollowing(!isFollowing()));
  panel().addEventListener('scroll', onScroll, { passive: true });
  const sizes = new ResizeObserver(() => isFollowing() && scrollToEnd()); // a row has its true height only once it is in sight
  sizes.observe(list());
  sizes.observe(panel());
}

/** @param {boolean} on */
function setFollowing(on) {
  follow().ariaPressed = String(on);
  staysOff = !on;
  if (on) scrollToEnd();
}

function scrollToEnd() {
  panel().scrollTop = panel().scrollHeight;
  [endTop, endSize] = [panel().scrollTop, sizeKey(panel())];
}

/** Only a person scrolls up: rows that find their height and another size of the window do not end following. */
function onScroll() {
  if (!list().childElementCount) return;
  if (staysOff) {
    staysOff = atEnd();
    return;
  }
  if (isFollowing() && endSize !== sizeKey(panel())) return scrollToEnd();
  const movedUp = panel().scrollTop < endTop - SETTLING_PX;
  follow().ariaPressed = String(atEnd() || (isFollowing() && !movedUp));
  if (atEnd()) endTop = panel().scrollTop;
}

/** Draw only while visible. @param {State} next */
export function update(next) {
  state = next;
  if (panel().hidden) return;
  const top = panel().scrollTop;
  const translatedAnew = next.log === drawnLog && textsVersion !== drawnTexts;
  if (next.log !== drawnLog || translatedAnew) restart(next.log);
  const following = isFollowing();
  const fresh = next.log.filter((event) => event.seq > lastSeq).slice(-MAX_LINES);
  const rows = fresh.map(row);
  hideOthers(rows);
  list().append(...rows);
  while (list().childElementCount > MAX_LINES) list().firstElementChild?.remove();
  lastSeq = fresh.at(-1)?.seq ?? lastSeq;
  if (fresh.length) showCount();
  if (fresh.length) countProblems();
  if (fresh.length && following) setFollowing(true);
  else if (translatedAnew) panel().scrollTop = top;
  if (staysOff) staysOff = atEnd();
}

/** @param {AgentEvent[]} next */
function restart(next) {
  [drawnLog, drawnTexts] = [next, textsVersion];
  lastSeq = 0;
  search().placeholder = t('log.search');
  fill(list());
  showNote('');
  countProblems();
}

function countProblems() {
  const count = list().querySelectorAll(':scope > :not(.is-info)').length;
  problems().textContent = count ? withAside(t('log.problems'), count) : t('log.problems');
}

const isFiltering = () => search().value.trim() !== '' || problems().ariaPressed === 'true';

/** Shows only the lines with all searched words, which are marked; only problems if that filter is on. */
function filter() {
  hideOthers([...list().children]);
  markFound(inSight);
  showCount();
  if (!isFiltering()) showNote('');
}

/** @param {Element[]} rows */
function hideOthers(rows) {
  const words = searchWords();
  const severe = problems().ariaPressed === 'true';
  for (const row of /** @type {HTMLElement[]} */ (rows)) {
    const line = lineText(row);
    const raw = words.length ? rawText(/** @type {AgentEvent} */ (eventOf.get(row))) : '';
    row.hidden = (severe && row.className === 'is-info') || !words.every((word) => (line + raw.toLowerCase()).includes(word));
    const word = words.find((each) => !line.includes(each));
    if (word && !row.hidden) row.querySelector('summary')?.append(h('q', {}, around(word, raw)));
  }
}

/** @param {Iterable<Element>} nodes */
function markFound(nodes) {
  for (const node of nodes) markWords(node, searchWords());
}

const searchWords = () => search().value.toLowerCase().split(/\s+/).filter(Boolean);

/** The words of a line, whether it is opened or not, without those that were found in what it holds. @param {HTMLElement} row */
function lineText(row) {
  row.querySelector('q')?.remove();
  return [...row.children].map((part) => (part.querySelector('summary') ?? part).textContent).join(' ').toLowerCase();
}

/** The line of a text that has this word, from a little before it; a line break that JSON escapes is a blank. @param {string} word @param {string} text */
function around(word, text) {
  const line = text.replaceAll('\\n', ' ').split('\n').find((each) => each.toLowerCase().includes(word)) ?? '';
  const at = line.toLowerCase().indexOf(word);
  const start = BEFORE_FOUND.exec(line.slice(0, at))?.index ?? 0;
  return start > 0 ? `…${line.slice(start).trimStart()}` : line;
}

/** Nothing found is nothing to copy. */
function showCount() {
  const count = list().querySelectorAll(':scope > :not([hidden])').length;
  byId('log-copy', HTMLButtonElement).disabled = !count;
  if (isFiltering()) showNote(t(count || search().value.trim() ? 'log.found' : 'log.no_problems', { count }));
}

/** @param {string} words */
const showNote = (words) => showAndAnnounce(byId('log-note', HTMLElement), words);

/** @param {AgentEvent} event */
function row(event) {
  const step = stepLabel(event);
  const words = [step && h('small', {}, `${step} · `), levelMark(event), text(event)];
  const node = h(
    'li',
    { class: `is-${level(event)}` },
    h('time', {}, formatTimeOfDay(event.at)),
    h('b', {}, kindLabel(event)),
    Object.hasOwn(RAW, event.kind) ? collapsible(event, words) : h('span', { class: 'line' }, ...words),
  );
  eventOf.set(node, event);
  sights.observe(node);
  return node;
}

/** Its content is built when it is opened. @param {AgentEvent} event @param {Array<Node | string>} words */
function collapsible(event, words) {
  const raw = h('pre', { tabindex: 0 });
  const node = h('details', { class: 'line' }, h('summary', {}, ...words), raw);
  node.addEventListener('toggle', (toggled) => {
    fill(raw, node.open && RAW[event.kind](event));
    markFound([raw]);
    if (node.open) setFollowing(false); // what comes would push it away
    showOpened(toggled);
  });
  return node;
}

/** @param {AgentEvent} event */
const kindLabel = ({ kind }) => (has(`log.kind.${kind}`) ? t(`log.kind.${kind}`) : kind);

/** @param {AgentEvent} event */
function text({ kind, data, seq }) {
  if (Object.hasOwn(FORMATTERS, kind)) return FORMATTERS[kind](data, seq);
  return data && 'text' in data ? translated(data.text) : JSON.stringify(data);
}

/** The whole of what a line only names. @type {Record<string, (event: AgentEvent) => string>} */
const RAW = {
  request: fullRequest,
  reply: ({ data }) =>
    [
      data.reasoning && `[reasoning]\n${data.reasoning}\n\n[reply]`,
      translated(data.text),
      data.calls?.length > 0 && JSON.stringify(data.calls, null, 2),
      data.finish && `[${data.finish}]`,
    ]
      .filter(Boolean)
      .join('\n'),
};

/** Restore the full text of a request, which is logged as the difference to the one before. @param {AgentEvent} wanted */
function fullRequest(wanted) {
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
  return kind === 'screen' && !['live', 'connecting'].includes(data.state) ? 'warning' : 'info';
}

/** The mark is a word too, since a colour alone tells nothing in a copy. @param {AgentEvent} event */
function levelMark(event) {
  return level(event) === 'info' ? '' : t('label.value', { label: t(`log.${level(event)}`), value: '' });
}

/** Those that the search and the filter leave. */
const shownEvents = () =>
  [...list().querySelectorAll(':scope > :not([hidden])')].map((row) => /** @type {AgentEvent} */ (eventOf.get(row)));

/** @param {AgentEvent[]} [events] */
function logAsText(events) {
  const line = (/** @type {AgentEvent} */ event) =>
    `${localTime(event.at).toISOString()} ${event.kind}: ${[stepLabel(event), levelMark(event) + text(event)].filter(Boolean).join(': ')}${rawText(event)}`;
  const cut = state?.cut && !events ? `${t('log.cut', { n: state.cut })}\n` : '';
  return cut + (events ?? state?.log ?? []).map(line).join('\n') + '\n';
}

/** Of a request only what it adds, as a long task would be repeated over and over. @param {AgentEvent} event */
function rawText(event) {
  if (event.kind === 'request') return `\n[${event.data.same} …]\n${event.data.text}`;
  return Object.hasOwn(RAW, event.kind) ? `\n${RAW[event.kind](event)}` : '';
}

function copy() {
  const text = logAsText(isFiltering() ? shownEvents() : undefined);
  showNote(t(copyText(text) ? 'copied' : 'log.no_copy'));
  clearTimeout(copiedTimer);
  copiedTimer = window.setTimeout(filter, COPIED_MS);
}

function download() {
  const day = new Date().toISOString().slice(0, 19).replaceAll(':', '-');
  save(new Blob([logAsText()], { type: 'text/plain' }), `agent-log-${day}.txt`);
}
