// @ts-check
/** The virtual computer, where nothing can break, in the place of the person's own; and that one back. */
import { call } from '../core/connection.js';
import { byId, fill, h } from '../core/dom.js';
import { translated, language, t } from '../core/i18n.js';

/** @typedef {import('../core/state.js').State} State */

let drawn = '';

export function mount() {}

/** @param {State} state */
export function update({ demo, rehearsal, model }) {
  const wanted = [demo, rehearsal, model, language].join();
  if (wanted === drawn) return;
  drawn = wanted;
  const line = byId('demo', HTMLElement);
  line.hidden = !demo;
  fill(line, h('span', {}, t('demo', { model: translated(model) })), rehearsal && endButton());
}

function endButton() {
  const button = h('button', { type: 'button', class: 'quiet' }, t('rehearsal.end'));
  button.addEventListener('click', () => switchComputer(button, false));
  return button;
}

/** An offer of it, for a person whose own computer is set. @param {() => void} [then] */
export function startButton(then) {
  const button = h('button', { type: 'button' }, t('rehearsal.begin'));
  button.addEventListener('click', () => switchComputer(button, true, then));
  return button;
}

/** The service answers when the other computer has taken its place. @param {HTMLButtonElement} button @param {boolean} on @param {() => void} [then] */
async function switchComputer(button, on, then) {
  button.disabled = true;
  try {
    await call('/api/rehearse', { on });
    then?.();
  } catch (error) {
    button.after(h('p', { class: 'error', role: 'alert' }, /** @type {Error} */ (error).message));
  }
  button.disabled = false;
}
