// @ts-check
/** A recorded task in the list: time, result and last screenshot. */
import { formatDuration, formatTimeOfDay, localTime } from '../core/clock.js';
import { h } from '../core/dom.js';
import { icon } from '../core/icons.js';
import { loadInto } from '../core/lazy_images.js';
import { formatMoney, saysName } from '../core/state.js';
import { language, t } from '../core/i18n.js';

/** @typedef {import('./history.js').Task} Task */

/** Those that were made stay: a list that is searched is drawn anew with every letter. @type {Map<string, HTMLElement>} */
const thumbnails = new Map();
const observer = new IntersectionObserver((seen) => {
  for (const { target, isIntersecting } of seen) if (isIntersecting) loadThumbnail(/** @type {HTMLImageElement} */ (target));
});

/** "Today", "Yesterday", or its date. @param {Task} task */
export function formatDay(task) {
  const then = localTime(task.at);
  const midnight = (/** @type {Date} */ when) => new Date(when).setHours(0, 0, 0, 0);
  const ago = Math.round((midnight(new Date()) - midnight(then)) / 86_400_000);
  if (ago < 0 || ago > 1) return then.toLocaleDateString(language, { dateStyle: 'full' });
  const words = new Intl.RelativeTimeFormat(language, { numeric: 'auto' }).format(-ago, 'day');
  return words[0].toUpperCase() + words.slice(1);
}

/** The goal has this run's values, and is cut last. @param {Task} task */
export const titleOf = ({ procedure, goal }) => (typeof procedure === 'string' && procedure && !saysName(goal, procedure) ? `${goal} · ${procedure}` : goal);

/** Facts in a row, in which no line begins or ends with a dot. @param {(string | boolean)[]} facts */
export const factsRow = (...facts) =>
  h('span', { class: 'help facts' }, ...facts.filter(Boolean).map((fact, n) => h('span', {}, n > 0 && h('i', {}, ' · '), String(fact))));

/** @param {Task} task */
export const taskFacts = ({ procedure, steps, seconds, spent, incomplete }) => [
  procedure ? t('chat.procedure') : t('history.steps', { count: steps }),
  formatDuration(seconds),
  spent > 0 && t('header.spent', { n: formatMoney(spent) }),
  incomplete && t('history.incomplete'),
];

/** @param {Task} task @param {string[]} end its shape and its word @param {(string | boolean)[]} facts @param {(task: Task) => void} show */
export function taskRow(task, [shape, word], facts, show) {
  return h(
    'li',
    {},
    h(
      'button',
      { class: 'task', 'data-task': task.id, onclick: () => show(task) },
      icon(shape),
      h('span', { class: 'goal' }, titleOf(task)),
      factsRow(formatTimeOfDay(task.at), word, ...facts),
      task.picture && thumbnail(`/api/tasks/${task.id}/small/${task.picture}`),
    ),
  );
}

/** @param {string} url */
function thumbnail(url) {
  const img = thumbnails.get(url) ?? h('img', { width: 80, height: 50, alt: '', 'data-url': url });
  if (!thumbnails.has(url)) observer.observe(img);
  thumbnails.set(url, img);
  return img;
}

/** It stays: whatever leaves the list may come back to it before it is loaded. @param {HTMLImageElement} img */
function loadThumbnail(img) {
  observer.unobserve(img);
  loadInto(img, img.dataset.url ?? '').catch(() => img.remove());
}
