// @ts-check
/** A dialog with a field for each value that is asked for. */
import { h, setText } from '../core/dom.js';
import { clearMessages, openWithStop } from '../core/emergency_stop.js';
import { t, translated } from '../core/i18n.js';
import { icon } from '../core/icons.js';
import { cancelButton } from './cancel_button.js';
import { tryOrOfferSetting } from './setting_button.js';

/** @typedef {{ label: string, value?: string, placeholder?: string, optional?: boolean }} Field */
/**
 * @typedef {object} Form
 * @property {string} title
 * @property {string} help
 * @property {Record<string, Field>} fields by name
 * @property {string} submit key of the text of its button
 * @property {string} [other] that of a button that ends the dialog without values
 * @property {string} [working] that of what is said meanwhile, for what takes seconds
 * @property {string} [discard] that of a question before it is cancelled
 */

/**
 * Ask for values; who leaves it for a setting finds them when it is opened again. `accept` gets them and may refuse them: the dialog stays open with its words.
 * @param {Form} form
 * @param {(values: Record<string, string> | null, signal: AbortSignal) => Promise<void> | void} accept with null for the other button; `signal`: that it is closed
 */
export function openForm({ title, help, fields, submit, other, working, discard = '' }, accept) {
  const draftKey = ['cua-form', location.pathname, title, ...Object.keys(fields)].join();
  const draft = JSON.parse(sessionStorage.getItem(draftKey) ?? '{}');
  sessionStorage.removeItem(draftKey);
  const inputs = Object.entries(fields).map(([name, field]) => /** @type {const} */ ([name, input({ ...field, value: draft[name] ?? field.value })]));
  const entered = () => Object.fromEntries(inputs.map(([name, control]) => [name, control.value.trim()]));
  const dialog = h('dialog', { class: 'notice', 'aria-labelledby': 'form-title' });
  const fault = h('p', { class: 'error', role: 'alert', hidden: true });
  const leave = () => dialog.close();
  const openSetting = () => {
    sessionStorage.setItem(draftKey, JSON.stringify(entered()));
    leave();
  };
  const send = h('button', { type: 'submit', class: 'primary', 'data-t': submit });
  const busy = icon('running');
  const status = h('p', { class: 'help', role: 'status' });
  const tell = (/** @type {Event} */ event) => (status.textContent = translated(/** @type {CustomEvent} */ (event).detail));
  /** Its words come under the field that it names. @param {import('../core/connection.js').Refusal} error */
  const refuse = (error) => {
    const control = inputs.find(([name]) => error.fields?.[name])?.[1];
    control?.parentElement?.after(fault);
    control?.focus();
    throw error;
  };
  const finish = async (/** @type {Record<string, string> | null} */ values) => {
    send.disabled = true;
    send.prepend(busy);
    setText(fault, '');
    status.before(fault);
    if (working) status.textContent = t(working);
    document.addEventListener('reading', tell);
    if (await tryOrOfferSetting(async () => accept(values, signal)?.catch(refuse), fault, openSetting)) leave();
    document.removeEventListener('reading', tell);
    busy.remove();
    status.textContent = '';
    send.disabled = false;
  };
  const stop = h('div', { class: 'corner' });
  const form = h(
    'form',
    {},
    h('h2', { id: 'form-title' }, title),
    h('p', { class: 'help' }, help),
    ...inputs.map(([name, control]) =>
      h('label', { class: 'field' }, h('span', { class: 'name' }, fields[name].label), control),
    ),
    fault,
    status,
    h(
      'div',
      { class: 'buttons' },
      stop,
      cancelButton(dialog, () => discard),
      other ? h('button', { class: 'quiet', 'data-t': other, onclick: () => finish(null) }) : null,
      send,
    ),
  );
  form.addEventListener('submit', (event) => {
    event.preventDefault();
    finish(entered());
  });
  dialog.append(form);
  clearMessages();
  const signal = openWithStop(dialog, stop); // the agent may be at work
  return dialog;
}

/** @param {Field} field */
function input({ value = '', placeholder, optional }) {
  const control = h('input', { type: 'text', autocomplete: 'off', placeholder, required: !optional, pattern: '.*\\S.*' });
  control.value = value;
  control.addEventListener('focus', () => control.select());
  return control;
}
