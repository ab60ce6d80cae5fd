// @ts-check
/** The form for the parameters of a task: a field for each `{name}` in its text. */
import { h } from '../core/dom.js';
import { fillIn, keepValues, parametersOf, valuesOf } from './saved_tasks.js';
import { t } from '../core/i18n.js';

/** Ask for the values. @param {string} text @returns {Promise<string>} the text to send, "" if the person closed the form */
export function askValues(text) {
  const last = valuesOf(text);
  const inputs = new Map(parametersOf(text).map((name) => [name, input(last[name] ?? '')]));
  const dialog = h('dialog', { class: 'notice', 'aria-labelledby': 'task-form-title' });
  const button = (/** @type {string} */ key, /** @type {() => void} */ onclick) =>
    h('button', { type: 'button', class: 'quiet', onclick, 'data-t': key });
  const form = h(
    'form',
    {},
    h('h2', { id: 'task-form-title' }, t('params.title')),
    h('p', { class: 'help' }, text),
    ...[...inputs].map(([name, control]) =>
      h('label', { class: 'field' }, h('span', { class: 'name' }, name), control),
    ),
    h(
      'div',
      { class: 'buttons' },
      button('params.cancel', () => dialog.close()),
      button('params.plain', () => dialog.close(text)),
      h('button', { type: 'submit', class: 'primary', 'data-t': 'send' }),
    ),
  );
  form.addEventListener('submit', (event) => {
    event.preventDefault();
    const values = Object.fromEntries([...inputs].map(([name, control]) => [name, control.value.trim()]));
    keepValues(text, values);
    dialog.close(fillIn(text, values));
  });
  dialog.append(form);
  document.body.append(dialog);
  dialog.showModal();
  return new Promise((resolve) =>
    dialog.addEventListener('close', () => {
      dialog.remove();
      resolve(dialog.returnValue);
    }),
  );
}

/** @param {string} value */
function input(value) {
  const control = h('input', { type: 'text', autocomplete: 'off', required: true, pattern: '.*\\S.*' });
  control.value = value;
  control.addEventListener('focus', () => control.select());
  return control;
}
