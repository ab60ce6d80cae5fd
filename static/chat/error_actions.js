// @ts-check
/** Buttons in the last card of a task that ended or waits. */
import * as composer from './composer.js';
import { call } from '../core/connection.js';
import { h } from '../core/dom.js';
import { copyText, saveFrom } from '../core/download.js';
import { keepTask } from './saved_tasks.js';
import { select } from '../core/tabs.js';
import { setTexts, translated, t } from '../core/i18n.js';

/** Commands of the Local operator, which understands them in every language of the page. */
export const EXAMPLE_COMMANDS = ['example.dns', 'example.datasheet', 'example.notepad', 'example.files'];

/** Messages of runs that were paused because the page was away. */
const AWAY_KEYS = ['session.page_closed', 'session.page_hidden', 'session.page_reopened', 'session.page_silent'];

/** Offer to resume what was paused because the page was away. @param {import('../core/state.js').Words} note */
export function resumeButton({ key, text }) {
  const message = /** @type {import('../core/i18n.js').Translatable} */ (text);
  const away = key === 'note.paused' && typeof message === 'object' && AWAY_KEYS.includes(message.key);
  return away ? h('button', { type: 'button', class: 'back primary', onclick: composer.retry, 'data-t': 'resume' }) : null;
}

/** Copy the answer, run the task again, save it, export its record. @param {import('../core/state.js').Words} entry */
export function resultActions({ text, result }) {
  const goal = result?.goal ?? '';
  const button = (/** @type {string} */ key, /** @type {(event: Event) => void} */ onclick) =>
    h('button', { type: 'button', onclick, 'data-t': key });
  /** Show on the button that it is done. @param {string} key @returns {(event: Event) => void} */
  const show = (key) => (event) => {
    const pressed = /** @type {HTMLButtonElement} */ (event.currentTarget);
    pressed.dataset.t = key;
    setTexts(pressed);
  };
  return h(
    'div',
    { class: 'ways' },
    text ? button('result.copy', (event) => copyText(translated(text)) && show('log.copied')(event)) : null,
    button('result.again', () => composer.send(goal)),
    button('result.save', (event) => {
      keepTask(goal);
      show('result.saved')(event);
    }),
    button('result.export', exportNewest),
  );
}

async function exportNewest() {
  const [task] = await call('/api/tasks');
  if (task) await saveFrom(`/api/tasks/${task.id}/export.html`, `task-${task.id}.html`);
}

/** Try again, or open the setting that cures the error. @param {string} [setting] */
export function errorActions(setting) {
  return h(
    'div',
    { class: 'ways' },
    h('button', { type: 'button', onclick: composer.retry, 'data-t': 'failed.again' }),
    setting && h('button', { type: 'button', onclick: () => openSetting(setting), 'data-t': 'failed.setting' }),
  );
}

/** Offer example commands and the list of all commands. @param {import('../core/i18n.js').Translatable} [all] */
export function commandHelp(all) {
  if (!all) return [];
  const put = (/** @type {string} */ key) =>
    h('button', { type: 'button', 'data-t': key, onclick: () => composer.setDraft(t(key)) });
  return [
    h('div', { class: 'ways' }, ...EXAMPLE_COMMANDS.map(put)),
    h('details', {}, h('summary', {}, t('question.known')), h('p', {}, translated(all))),
  ];
}

/** @param {string} name */
async function openSetting(name) {
  select('settings');
  (await import('../settings/settings.js')).reveal(name);
}
