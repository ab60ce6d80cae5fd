// @ts-check
/** Recent and starred tasks, saved in this browser, below the list of the procedures; a `{name}` is a parameter. */
import { fill, h } from '../core/dom.js';
import { iconButton } from '../core/icons.js';
import { t } from '../core/i18n.js';

/** @typedef {{ text: string, saved: boolean, values?: Record<string, string> }} Kept `values`: the last ones, by parameter */

const TASKS_KEY = 'cua-tasks';
const MAX_RECENT = 12;
/** A parameter, also in the braces of a Chinese keyboard; what is in double braces, as `{{secret:name}}`, is none. */
const PARAMETER = /[{｛]{2}.*?[}｝]{2}|[{｛](\p{L}[\p{L}\p{N}_ -]{0,39})[}｝]/gu;

/** The names of a task's parameters. @param {string} text */
export const parametersOf = (text) => [
  ...new Set([...text.matchAll(PARAMETER)].flatMap(([, name]) => name ?? [])),
];

/** @param {string} text @param {Record<string, string>} values by parameter */
export const fillIn = (text, values) => text.replace(PARAMETER, (whole, name) => values[name] ?? whole);

/** Newest first. @returns {Kept[]} */
export function loadTasks() {
  try {
    const found = JSON.parse(localStorage.getItem(TASKS_KEY) ?? '[]');
    return Array.isArray(found) ? found.filter((each) => typeof each?.text === 'string') : [];
  } catch {
    return [];
  }
}

/** @param {Kept[]} tasks */
function saveTasks(tasks) {
  const recent = tasks.filter(({ saved }) => !saved).slice(0, MAX_RECENT);
  localStorage.setItem(TASKS_KEY, JSON.stringify(tasks.filter((each) => each.saved || recent.includes(each))));
}

/** Put a task first in the list. @param {string} text @param {Partial<Kept>} [changes] */
export function remember(text, changes = {}) {
  const before = loadTasks();
  const same = before.find((each) => each.text === text);
  saveTasks([{ text, saved: false, ...same, ...changes }, ...before.filter((each) => each !== same)]);
}

/** Offer a task no longer, unless it is starred. Return whether it was offered. @param {string} text */
export function drop(text) {
  const before = loadTasks();
  const others = before.filter((each) => each.saved || each.text !== text);
  const wasOffered = others.length < before.length;
  if (wasOffered) saveTasks(others);
  return wasOffered;
}

/** @param {string} text */
export const isKept = (text) => loadTasks().some((each) => each.saved && each.text === text);

/** @param {string} text */
export const valuesOf = (text) => loadTasks().find((each) => each.text === text)?.values ?? {};

/**
 * A list to choose from: a task with parameters is started, which asks for them.
 * @param {(text: string) => void} edit @param {(text: string) => void} start @param {boolean} withProcedures
 * @param {HTMLElement} examples come first, in one line if there is more @param {HTMLElement[]} others come after the person's own tasks
 */
export function taskList(edit, start, withProcedures, examples, others) {
  const shelf = h('ul', { class: 'shelf' });
  const shelfTitle = h('h3', { 'data-t': 'procedures.title' });
  const list = h('ul', { class: 'shelf' });
  const title = h('h3', { 'data-t': 'tasks.title' });
  const help = h('p', { class: 'help', 'data-t': 'tasks.help' });
  /** @type {HTMLElement[]} */
  let procedures = [];
  /** @type {HTMLElement | undefined} */
  let importer;
  const draw = () => {
    const tasks = loadTasks();
    shelfTitle.hidden = shelf.hidden = procedures.length === 0;
    title.hidden = help.hidden = list.hidden = tasks.length === 0;
    fill(shelf, ...procedures);
    fill(list, ...tasks.sort((one, other) => Number(other.saved) - Number(one.saved)).map(row));
  };
  const section = h('div', {}, examples, shelfTitle, shelf, title, help, list, ...others);
  const loadProcedures = async () => {
    document.addEventListener('procedures', reload, { once: true }); // first: one may come while this loads
    const { importButton, procedureRows } = await import('./procedures.js');
    procedures = await procedureRows(loadProcedures);
    draw();
    importer ??= section.appendChild(importButton(loadProcedures));
  };
  const reload = () => section.isConnected && loadProcedures();
  const change = (/** @type {Kept[]} */ tasks) => {
    saveTasks(tasks);
    draw();
  };
  const star = (/** @type {Kept} */ { text, saved }) =>
    change(loadTasks().map((each) => (each.text === text ? { ...each, saved: !saved } : each)));
  const choose = (/** @type {string} */ text) => (parametersOf(text).length ? start : edit)(text);
  const forget = (/** @type {Kept} */ { text }) => change(loadTasks().filter((each) => each.text !== text));

  /** @param {Kept} task */
  function row(task) {
    return h(
      'li',
      {},
      h('button', { class: 'choose', onclick: () => choose(task.text) }, task.text),
      iconButton('star', t('tasks.save', { task: task.text }), () => star(task), { 'aria-pressed': String(task.saved) }),
      iconButton('close', t('tasks.forget', { task: task.text }), () => forget(task)),
    );
  }

  draw();
  if (withProcedures) loadProcedures();
  return section;
}
