// @ts-check
/** Tasks that were done before: found by their words, looked at again, taken along as a file. */
import { call } from './connection.js';
import * as dock from './dock.js';
import { byId, fill, h, land, say, tally } from './dom.js';
import { saveFrom } from './files.js';
import { icon } from './icons.js';
import { day, facts, row, time } from './past.js';
import { replay } from './replay.js';
import { oneStop } from './roving.js';
import { select } from './tabs.js';
import { dress, heard, language, t } from './words.js';

/**
 * @typedef {{ id: string, goal: string, at: number, seconds: number, steps: number, ended: string, model: string,
 *   demo: boolean, incomplete: boolean, picture: string }} Task
 */

const list = h('div', { class: 'tasks' });
const search = h('input', { type: 'search', id: 'history-search', autocomplete: 'off' });
const problem = h('p', { class: 'error', role: 'alert', hidden: true });
const found = h('p', { class: 'help', role: 'status' });
/** @type {Task[]} */
let tasks = [];
/** For which state of affairs the list was asked for. */
let asked = '';
/** In which language the list stands there. */
let spoken = '';
/** Of the newest task, "" once it has been put away. */
let status = '';
/** Which task was looked at. */
let shown = '';
/** Draws the task that is looked at, from this step on. @type {(at?: string) => void} */
let tell = () => {};
/** How the tasks of the list have ended; '' for all of them. */
let only = '';
const chips = ['done', 'failed'].map(filter);

const panel = () => byId('panel-history', HTMLElement);

export function mount() {
  search.addEventListener('input', draw);
  oneStop(list, '.task', 0);
  window.addEventListener('popstate', ({ state }) => state?.task || !replayed() || overview());
}

const replayed = () => panel().querySelector('.replay');

/** @param {import('./state.js').State} state */
export function update(state) {
  const wanted = [state.boot, state.connected, state.status, language].join();
  if (panel().hidden || wanted === asked || state.link !== 'open') return;
  asked = wanted;
  status = state.entries.length ? state.status : '';
  if (replayed()) return language === spoken || tell(panel().querySelector('input')?.value);
  if (language === spoken) look();
  else overview();
}

async function overview() {
  spoken = language;
  const label = h('label', { for: 'history-search', class: 'sr' }, t('history.search'));
  search.placeholder = t('history.search');
  chips.forEach(dress); // who is not in the document has missed the change of language
  fill(panel(), h('div', { class: 'past' }, h('div', { class: 'bar' }, label, search, ...chips, found), problem, list));
  await look();
  const from = list.querySelector(`[data-task="${shown}"]`);
  const lost = document.activeElement === document.body; // else the person is elsewhere by now, as in the search
  if (from instanceof HTMLElement && lost && !panel().hidden) land(from);
  shown = '';
}

/** Whoever is searching goes on. */
async function look() {
  try {
    tasks = await call('/api/tasks');
    say(problem, '');
    draw();
  } catch (error) {
    say(problem, /** @type {Error} */ (error).message);
  }
}

/** Under a heading for each day. */
function draw() {
  const words = search.value.toLowerCase().split(/\s+/).filter(Boolean);
  const fitting = tasks.filter(
    (task) => words.every((word) => task.goal.toLowerCase().includes(word)) && (!only || end(task) === only),
  );
  tally(found, tasks.length ? t('history.found', { n: fitting.length }) : t('history.none'));
  const days = new Map();
  for (const task of fitting.slice(0, 200)) days.set(day(task), [...(days.get(day(task)) ?? []), task]);
  fill(
    list,
    ...[...days].flatMap(([name, those]) => [
      h('h2', {}, name),
      h('ul', {}, ...those.map((/** @type {Task} */ task) => row(task, ended(task), show))),
    ]),
  );
}

/** Only those that ended so, and all of them again. @param {string} status */
function filter(status) {
  const toggle = () => {
    only = only === status ? '' : status;
    for (const each of chips) each.ariaPressed = String(each.dataset.t === `state.${only}`);
    draw();
  };
  const props = { type: 'button', 'data-t': `state.${status}`, 'aria-pressed': 'false', onclick: toggle };
  return h('button', props);
}

/** How it ended; of the newest task how things stand. @param {Task} task */
const end = (task) => (task === tasks[0] && status && status !== 'idle' ? status : task.ended);

/** Its shape and its word: one that was put away has not ended by itself. @param {Task} task */
function ended(task) {
  const now = end(task);
  if (now === 'done' || now === 'failed') return [now, t(`state.${now}`)];
  if (task === tasks[0] && status) return [now === 'stopped' ? 'paused' : now, t(`state.${now}`)];
  return ['paused', t('history.unfinished')];
}

/** @param {Task} task */
async function show(task) {
  try {
    const events = await call(`/api/tasks/${task.id}`);
    shown = task.id;
    history.pushState({ view: 'history', task: task.id }, '');
    tell = (at) => lay(task, events, at);
    tell();
    say(problem, '');
    panel().querySelector('h2')?.focus();
  } catch (error) {
    say(problem, /** @type {Error} */ (error).message);
  }
}

/** @param {Task} task @param {Parameters<typeof replay>[0]} events @param {string} [at] */
function lay(task, events, at) {
  spoken = language;
  fill(
    panel(),
    h(
      'section',
      { class: 'replay' },
      h('button', { type: 'button', class: 'quiet', onclick: () => back(task) }, icon('back'), t('history.back')),
      h('h2', { tabindex: -1 }, task.goal),
      h('p', { class: 'help' }, `${day(task)} ${time(task)} · ${facts(task)} · ${heard(task.model)}`),
      replay(events, task.id, at),
      buttons(task),
      problem,
    ),
  );
}

/** As the browser's own Back does, where that leads to the list. @param {Task} task */
function back(task) {
  if (history.state?.task === task.id) history.back();
  else overview();
}

/** @param {Task} task */
function buttons(task) {
  const save = (/** @type {string} */ form) => async () => {
    try {
      await saveFrom(`/api/tasks/${task.id}/export.${form}`, `task-${task.id}.${form}`);
    } catch (error) {
      say(problem, /** @type {Error} */ (error).message);
    }
  };
  const again = () => {
    select('chat');
    dock.put(task.goal);
  };
  return h(
    'div',
    { class: 'buttons' },
    h('button', { type: 'button', class: 'primary', onclick: again }, t('history.again')),
    h('button', { type: 'button', onclick: save('html') }, t('history.html')),
    h('button', { type: 'button', onclick: save('json') }, t('history.json')),
  );
}
