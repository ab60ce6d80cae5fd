// @ts-check
/** The form for the parameters of a task: a field for each `{name}` in its text. */
import { fillIn, parametersOf, remember, valuesOf } from './saved_tasks.js';
import { openForm } from './form_dialog.js';
import { t } from '../core/i18n.js';

/** Ask for the values. @param {string} text @param {string} submit key of the text of its button @returns {Promise<string>} the text to send, "" if the person closed the form */
export function askValues(text, submit) {
  const last = valuesOf(text);
  const fields = Object.fromEntries(parametersOf(text).map((name) => [name, { label: name, value: last[name] }]));
  let filled = '';
  const dialog = openForm({ title: t('params.title'), help: text, fields, submit, other: 'params.plain' }, (values) => {
    if (values) remember(text, { values });
    filled = values ? fillIn(text, values) : text;
  });
  return new Promise((resolve) => dialog.addEventListener('close', () => resolve(filled)));
}
