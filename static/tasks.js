// @ts-check
/** The person's own tasks, kept in this browser: the last ones, and those with a star for good. */
import { fill, h } from './dom.js';
import { icon } from './icons.js';
import { t } from './words.js';

/** @typedef {{ text: string, saved: boolean }} Kept */

const KEY = 'cua-tasks';
const MOST = 12;

/** Newest first. @returns {Kept[]} */
export function kept() {
  try {
    const found = JSON.parse(localStorage.getItem(KEY) ?? '[]');
    return Array.isArray(found) ? found.filter((each) => typeof each?.text === 'string') : [];
  } catch {
    return [];
  }
}

/** @param {Kept[]} tasks */
function keep(tasks) {
  const recent = tasks.filter(({ saved }) => !saved).slice(0, MOST);
  localStorage.setItem(KEY, JSON.stringify(tasks.filter((each) => each.saved || recent.includes(each))));
}

/** @param {string} text */
export function remember(text) {
  const before = kept();
  const same = before.find((each) => each.text === text);
  keep([{ text, saved: same?.saved ?? false }, ...before.filter((each) => each !== same)]);
}

/** A list to choose from. @param {(text: string) => void} choose */
export function shelf(choose) {
  const list = h('ul', { class: 'shelf' });
  const draw = () => fill(list, ...kept().map(row));
  const change = (/** @type {Kept[]} */ tasks) => {
    keep(tasks);
    draw();
  };
  const star = (/** @type {Kept} */ { text, saved }) =>
    change(kept().map((each) => (each.text === text ? { text, saved: !saved } : each)));
  const forget = (/** @type {Kept} */ { text }) => change(kept().filter((each) => each.text !== text));

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
