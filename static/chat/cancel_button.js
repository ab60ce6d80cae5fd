// @ts-check
/** The button that cancels a dialog, and asks before something is lost. */
import { h } from '../core/dom.js';
import { setKey } from '../core/i18n.js';

/**
 * A second press discards, also with the Esc key, but not that of a double click.
 * @param {HTMLDialogElement} dialog
 * @param {() => string} question key of the text that asks; '' if nothing would be lost
 */
export function cancelButton(dialog, question) {
  const mayClose = () => {
    const key = question();
    if (!key || button.dataset.t === key) return true;
    setKey(button, key);
    button.focus();
    return false;
  };
  const onclick = (/** @type {MouseEvent} */ { detail }) => detail < 2 && mayClose() && dialog.close();
  const button = h('button', { class: 'quiet', onclick, 'data-t': 'params.cancel' });
  button.addEventListener('blur', () => setKey(button, 'params.cancel'));
  dialog.addEventListener('cancel', (event) => mayClose() || event.preventDefault());
  return button;
}
