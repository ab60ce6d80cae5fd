// @ts-check
/** Recent and starred tasks, saved in this browser. */
import { fill, h } from '../core/dom.js';
import { icon } from '../core/icons.js';
import { t } from '../core/i18n.js';

/** @typedef {{ text: string, saved: boolean }} Kept */

const TASKS_KEY = 'cua-tasks';
const MAX_RECENT = 12;

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

/** @param {string} text */
export function remember(text) {
  const before = loadTasks();
  const same = before.find((each) => each.text === text);
  saveTasks([{ text, saved: same?.saved ?? false }, ...before.filter((each) => each !== same)]);
}

/** @param {string} text */
export const keepTask = (text) =>
  saveTasks([{ text, saved: true }, ...loadTasks().filter((each) => each.text !== text)]);

/** A list to choose from. @param {(text: string) => void} choose */
export function taskList(choose) {
  const list = h('ul', { class: 'shelf' });
  const draw = () => fill(list, ...loadTasks().map(row));
  const change = (/** @type {Kept[]} */ tasks) => {
    saveTasks(tasks);
    draw();
  };
  const star = (/** @type {Kept} */ { text, saved }) =>
    change(loadTasks().map((each) => (each.text === text ? { text, saved: !saved } : each)));
  const forget = (/** @type {Kept} */ { text }) => change(loadTasks().filter((each) => each.text !== text));

  /** @param {Kept} task */
  function row(task) {
    const button = (
      /** @type {string} */ shape,
      /** @type {string} */ key,
      /** @type {() => void} */ onclick,
    ) =>
      h(
        'button',
        {
          type: 'button',
          class: 'quiet',
          'aria-label': t(key, { task: task.text }),
          'aria-pressed': shape === 'star' && String(task.saved),
          onclick,
        },
        icon(shape),
      );
    return h(
      'li',
      {},
      h('button', { type: 'button', class: 'choose', onclick: () => choose(task.text) }, task.text),
      button('star', 'tasks.save', () => star(task)),
      button('close', 'tasks.forget', () => forget(task)),
    );
  }

  draw();
  return list;
}
