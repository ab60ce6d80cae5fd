// @ts-check
/** Recorded tasks: search, replay and export. */
import { formatTimeOfDay } from '../core/clock.js';
import { call } from '../core/connection.js';
import * as composer from '../chat/composer.js';
import { copyButton, procedureButton } from '../chat/error_actions.js';
import { markedParts } from '../core/inline_markup.js';
import { byId, fill, h, focusLater, loadStyle, setText, tryTo } from '../core/dom.js';
import { showAndAnnounce } from '../core/live_region.js';
import { saveFrom } from '../core/download.js';
import { fadeEdges } from '../core/fades.js';
import { icon } from '../core/icons.js';
import { joinCorrections, shownStatus } from '../core/state.js';
import { factsRow, formatDay, taskFacts, titleOf, taskRow } from './history_item.js';
import { replay } from './replay.js';
import { useRovingTabindex } from '../core/roving_tabindex.js';
import { select } from '../core/tabs.js';
import { setTexts, translated, textsVersion, loadTaskTexts, t } from '../core/i18n.js';

/**
 * A recorded task: `Summary` of cua/events/archive.py, where the properties are described.
 * @typedef {object} Task
 * @property {string} id
 * @property {string} event
 * @property {string} goal
 * @property {number} at
 * @property {number} seconds
 * @property {number} spent
 * @property {number} steps
 * @property {string} ended
 * @property {string} model
 * @property {boolean} demo
 * @property {string | boolean} procedure
 * @property {Record<string, string>} values
 * @property {boolean} not_understood
 * @property {boolean} incomplete
 * @property {string} picture
 * @property {string} [made] The procedure that this page made of it.
 */

await loadStyle('/static/history.css');

const list = h('div', { class: 'tasks' });
const search = h('input', { type: 'search', id: 'history-search', autocomplete: 'off' });
const problem = h('p', { class: 'error', role: 'alert', hidden: true });
const countNote = h('p', { class: 'help' });
/** @type {Task[]} */
let tasks = [];
/** The state for which the list was loaded. */
let loadedFor = '';
/** Language of the list. */
let drawnTexts = 0;
/** Of the newest task, "" once it has been put away. */
let status = '';
/** Which task was looked at. */
let lastLoad = 0;
let openTaskId = '';
/** How far the list was scrolled when that task was opened. */
let listTop = 0;
/** The task that is looked at, or was. @type {Task | null} */
let opened = null;
/** Draws it, from this step on. @type {(at?: string) => void} */
let redrawReplay = () => {};
/** The text of how the tasks of the list have ended; '' for all of them. */
let filterKey = '';
const ENDS = ['done', 'partly', 'failed', 'stopped'];
const UNFINISHED = 'history.unfinished';
const PARTLY = 'state.partly';
const chips = [...ENDS.map((status) => `state.${status}`), UNFINISHED].map(filterButton);
const chipRow = h('div', { class: 'chips' }, ...chips);
/** Only where there is such a task. */
const partlyChip = chips[ENDS.indexOf('partly')];

const panel = () => byId('panel-history', HTMLElement);

export function mount() {
  loadTaskTexts();
  search.addEventListener('input', draw);
  fadeEdges(chipRow);
  useRovingTabindex(list, '.task', 0);
  document.addEventListener('procedures', onProcedures);
  window.addEventListener('popstate', ({ state }) => state?.task || !isReplaying() || showList());
}

/** The button that runs the one that was made has its name. @param {Event} event */
function onProcedures(event) {
  const { replaced, name } = /** @type {CustomEvent} */ (event).detail;
  if (!replaced || opened?.made !== replaced) return;
  opened.made = name;
  if (isReplaying()) redrawReplay(panel().querySelector('input')?.value);
}

const isReplaying = () => panel().querySelector('.replay');

/** @param {import('../core/state.js').State} state */
export function update(state) {
  const wanted = [state.boot, state.connected, state.status, state.since, Boolean(state.approval), textsVersion].join();
  if (panel().hidden || wanted === loadedFor || state.link !== 'open') return;
  loadedFor = wanted;
  status = state.approval ? 'approval' : state.entries.length ? (state.asksAnew ? 'asking' : shownStatus(state)) : '';
  if (isReplaying()) return textsVersion === drawnTexts ? followReplay() : redrawReplay(panel().querySelector('input')?.value);
  if (textsVersion === drawnTexts) loadTasks();
  else showList();
}

async function showList() {
  drawnTexts = textsVersion;
  const label = h('label', { for: 'history-search', class: 'sr' }, t('history.search'));
  search.placeholder = t('history.search');
  chips.forEach(setTexts); // detached nodes miss a change of language
  fill(panel(), h('div', { class: 'past' }, h('div', { class: 'bar' }, label, search, chipRow, countNote), problem, list));
  if (openTaskId) panel().scrollTop = listTop;
  await loadTasks();
  const from = list.querySelector(`[data-task="${openTaskId}"]`);
  const lost = document.activeElement === document.body; // otherwise the person focused something else, such as the search
  if (from instanceof HTMLElement && lost && !panel().hidden) focusLater(from);
  openTaskId = '';
}

/** Keep the focus in the search. An older answer that comes later is not shown. */
const loadTasks = () =>
  tryTo(async () => {
    const load = ++lastLoad;
    const found = await call('/api/tasks');
    if (load !== lastLoad) return;
    tasks = found;
    setText(problem, '');
    draw();
  }, problem);

/** Group the tasks by day. */
function draw() {
  partlyChip.hidden = filterKey !== PARTLY && !tasks.some((task) => endKey(task) === PARTLY);
  const words = search.value.toLowerCase().split(/\s+/).filter(Boolean);
  const fitting = tasks.filter(
    (task) => words.every((word) => titleOf(task).toLowerCase().includes(word)) && (!filterKey || endKey(task) === filterKey),
  );
  showAndAnnounce(countNote, tasks.length ? t('history.found', { count: fitting.length }) : t('history.none'));
  const days = new Map();
  for (const task of fitting.slice(0, 200)) days.set(formatDay(task), [...(days.get(formatDay(task)) ?? []), task]);
  fill(
    list,
    ...[...days].flatMap(([name, those]) => [
      h('h2', {}, name),
      h('ul', {}, ...those.map((/** @type {Task} */ task) => taskRow(task, endLabel(task), factsOf(task), showTask))),
    ]),
  );
}

/** Only those that ended so, and all of them again. @param {string} key */
function filterButton(key) {
  const toggle = () => {
    filterKey = filterKey === key ? '' : key;
    for (const each of chips) each.ariaPressed = String(each.dataset.t === filterKey);
    draw();
  };
  const props = { 'data-t': key, 'aria-pressed': 'false', onclick: toggle };
  return h('button', props);
}

/** The list may have been loaded anew since. @param {Task} task */
const isNewest = ({ id }) => id === tasks[0]?.id;

/** How it ended; of the newest task how things stand. @param {Task} task */
const currentEnd = (task) => (isNewest(task) && status && status !== 'idle' ? status : task.ended);

/** @param {Task} task */
const endKey = (task) => (ENDS.includes(currentEnd(task)) ? `state.${currentEnd(task)}` : UNFINISHED);

/** Its shape and its word: one that was put away has not ended by itself. @param {Task} task */
function endLabel(task) {
  const now = currentEnd(task);
  if (now === 'asking' && task.not_understood) return [now, t('chat.not_understood')];
  if (ENDS.includes(now) || (isNewest(task) && status)) return [now, t(`state.${now}`)];
  return ['paused', t(UNFINISHED)];
}

/** Of the task at work its figures would be old at once. @param {Task} task */
const factsOf = (task) => (isNewest(task) && ['running', 'approval'].includes(status) ? [] : taskFacts(task));

/** @param {Task} task */
const showTask = (task) =>
  tryTo(async () => {
    const events = await call(`/api/tasks/${task.id}`);
    openTaskId = task.id;
    listTop = panel().scrollTop;
    history.pushState({ view: 'history', task: task.id }, '');
    openReplay(task, events);
    panel().scrollTop = 0;
    setText(problem, '');
    panel().querySelector('h2')?.focus();
  }, problem);

/** Draw it anew, with its last steps, when it stands otherwise with the task. */
const followReplay = () =>
  tryTo(async () => {
    const load = ++lastLoad;
    const [found, events] = await Promise.all([call('/api/tasks'), call(`/api/tasks/${openTaskId}`)]);
    const task = found.find((/** @type {Task} */ { id }) => id === openTaskId);
    if (load !== lastLoad || !task || !isReplaying()) return;
    tasks = found;
    if (panel().querySelector('.end b')?.textContent === endLabel(task)[1]) return;
    const slider = () => panel().querySelector('input');
    const hadFocus = panel().contains(document.activeElement);
    openReplay(task, events, slider()?.value);
    if (hadFocus) (slider() ?? panel().querySelector('h2'))?.focus();
  }, problem);

/** @param {Task} task @param {Parameters<typeof replay>[0]} events @param {string} [from] */
function openReplay(task, events, from) {
  opened = task;
  redrawReplay = (at) => drawReplay(task, events, at);
  redrawReplay(from);
}

/** @param {Task} task @param {Parameters<typeof replay>[0]} events @param {string} [at] */
function drawReplay(task, events, at) {
  drawnTexts = textsVersion;
  const [shape, word] = endLabel(task);
  const end = currentEnd(task);
  const said = events.filter(({ kind }) => kind === 'said').map(({ data }) => data);
  const isDone = ['done', 'partly'].includes(end);
  const result = events.findLast(({ kind }) => kind === (isDone ? 'done' : end))?.data.text;
  const thought = isDone && events.findLast(({ kind }) => kind === 'reply')?.data.thought; // of who ends without a text
  const words = translated(result || thought || '');
  fill(
    panel(),
    h(
      'section',
      { class: 'replay' },
      h('button', { class: 'quiet', onclick: () => goBack(task) }, icon('back'), t('history.back')),
      h('h2', { tabindex: 0 }, titleOf(task)),
      factsRow(`${formatDay(task)} ${formatTimeOfDay(task.at)}`, ...factsOf(task), translated(task.model)),
      h('p', { class: 'end answer' }, h('span', {}, icon(shape), h('b', {}, word), ...markedParts(words)), words && copyButton(words)),
      replay(events, task.id, word === t(UNFINISHED), at),
      taskButtons(task, said),
      problem,
    ),
  );
}

/** As the browser's own Back does, where that leads to the list. @param {Task} task */
function goBack(task) {
  if (history.state?.task === task.id) history.back();
  else showList();
}

/** @param {Task} task @param {import('../core/state.js').Said[]} said after its goal */
function taskButtons(task, said) {
  const attempt = async (/** @type {() => Promise<void>} */ act) => (await tryTo(act, problem)) || problem.scrollIntoView({ block: 'nearest' });
  const save = (/** @type {string} */ form) => () =>
    attempt(() => saveFrom(`/api/tasks/${task.id}/export.${form}`, `task-${task.id}.${form}`));
  const { id, ended, procedure: name } = task;
  const again = () =>
    attempt(async () => {
      const { address, runProcedure } = await import('../chat/procedures.js');
      if (name) await call(address(`${name}`)); // of one that is gone the service says so
      select('chat');
      if (name) runProcedure(`${name}`, 0, task.values);
      else composer.runAgain(joinCorrections(task.goal, said), false);
    });
  return h(
    'div',
    { class: 'buttons' },
    name !== true && h('button', { class: 'primary', onclick: again }, t(name ? 'result.again' : 'history.again')),
    ended === 'done' && !name && procedureButton(task, () => id),
    h('button', { onclick: save('html') }, t('history.html')),
    h('button', { onclick: save('json') }, t('history.json')),
  );
}
