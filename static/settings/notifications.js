// @ts-check
/** A test message to the address that is entered, or to the saved one. */
import { call, Refusal } from '../core/connection.js';
import { h } from '../core/dom.js';
import { translated, t } from '../core/i18n.js';

/** @param {Map<string, import('./form_fields.js').Field>} fields @param {() => object} enteredValues */
export function mount(fields, enteredValues) {
  const field = fields.get('notify_url');
  if (!field) return;
  const said = h('span', { class: 'help', role: 'status' });
  const button = h('button', { onclick: send }, t('notify.send_test'));
  field.node.append(h('div', { class: 'test' }, button, said));

  async function send() {
    said.textContent = '';
    field?.refuse('');
    button.toggleAttribute('disabled', true);
    try {
      await call('/api/settings/test-notification', enteredValues());
      said.textContent = t('notify.sent');
    } catch (error) {
      const reasons = error instanceof Refusal ? error.fields : {};
      field?.refuse(translated(reasons.notify_url ?? /** @type {Error} */ (error).message));
    }
    button.toggleAttribute('disabled', false);
  }
}
