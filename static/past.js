// @ts-check
/** A recorded task in the list: when it was, how it ended, and what was on the screen then. */
import { took } from './clock.js';
import { h } from './dom.js';
import { icon } from './icons.js';
import { load } from './pictures.js';
import { language, t } from './words.js';

/** @typedef {import('./history.js').Task} Task */

/** Those that were made stay: a list that is searched is drawn anew with every letter. @type {Map<string, HTMLElement>} */
const made = new Map();
const eyes = new IntersectionObserver((seen) => {
  for (const { target, isIntersecting } of seen) if (isIntersecting) fetched(/** @type {HTMLImageElement} */ (target));
});

/** @param {Task} task */
const date = ({ at }) => new Date(at * 1000);

/** @param {Task} task */
export const time = (task) =>
  date(task).toLocaleTimeString(language, { hour: '2-digit', minute: '2-digit', hour12: false });

/** "Today", "Yesterday", or its date. @param {Task} task */
export function day(task) {
  const then = date(task);
  const midnight = (/** @type {Date} */ when) => new Date(when).setHours(0, 0, 0, 0);
  const ago = Math.round((midnight(new Date()) - midnight(then)) / 86_400_000);
  if (ago < 0 || ago > 1) return then.toLocaleDateString(language, { dateStyle: 'full' });
  const words = new Intl.RelativeTimeFormat(language, { numeric: 'auto' }).format(-ago, 'day');
  return words[0].toUpperCase() + words.slice(1);
}

/** @param {Task} task */
export const facts = ({ steps, seconds, incomplete }) =>
  [t('history.steps', { n: steps }), took(seconds), incomplete && t('history.incomplete')]
    .filter(Boolean)
    .join(' · ');

/** @param {Task} task @param {string[]} end its shape and its word @param {(task: Task) => void} show */
export function row(task, [shape, word], show) {
  return h(
    'li',
    {},
    h(
      'button',
      { type: 'button', class: 'task', 'data-task': task.id, onclick: () => show(task) },
      icon(shape),
      h('span', { class: 'goal' }, task.goal),
      h('span', { class: 'help' }, `${time(task)} · ${word} · ${facts(task)}`),
      task.picture && picture(`/api/tasks/${task.id}/small/${task.picture}`),
    ),
  );
}

/** @param {string} url */
function picture(url) {
  const img = made.get(url) ?? h('img', { width: 80, height: 50, alt: '', 'data-url': url });
  if (!made.has(url)) eyes.observe(img);
  made.set(url, img);
  return img;
}

/** @param {HTMLImageElement} img */
async function fetched(img) {
  eyes.unobserve(img);
  const url = await load(img.dataset.url ?? '').catch(() => '');
  if (url) img.src = url; // and stays: whatever leaves the list may come back to it before it is loaded
  else img.remove();
}
