// @ts-check
/** Which model works, and on which computer: the simulated one, where nothing can break, can take the place of the person's own. */
import { isConfirmed } from '../chat/run_buttons.js';
import { call } from '../core/connection.js';
import { byId, fill, h } from '../core/dom.js';
import { clearMessages } from '../core/emergency_stop.js';
import { icon } from '../core/icons.js';
import { setTexts, translated, language, t } from '../core/i18n.js';
import { hasTask, taskStatus } from '../core/state.js';

/** @typedef {import('../core/state.js').State} State */

let drawn = '';
/** What the other computer taking the place ends: a question, or "". */
let sure = '';

export function mount() {
  const restart = byId('restart', HTMLButtonElement);
  restart.append(icon('restart'));
  restart.addEventListener('click', () => isConfirmed(restart, 'simulator.sure') && ask(restart, '/api/restart-simulator'));
}

/** @param {State} state */
function findSure(state) {
  const unfinished = hasTask(state) && !['done', 'failed'].includes(taskStatus(state));
  if (state.queue.length) return unfinished ? 'simulator.sure_both' : 'simulator.sure_queue';
  return unfinished ? 'reset.sure_unfinished' : '';
}

/** @param {State} state */
export function update(state) {
  const { demo, canSwitchBack, model, runModel, unconnected, status, watching } = state;
  sure = findSure(state);
  const used = (status === 'running' && runModel) || model; // of a long run the log may not have its beginning
  const name = unconnected === 'missing' ? t('connect.model') : translated(used);
  const wanted = [demo, canSwitchBack, name, unconnected, status, watching, language].join();
  if (wanted === drawn) return;
  drawn = wanted;
  const line = byId('demo', HTMLElement);
  line.hidden = !demo && (unconnected === 'missing' || !name);
  line.classList.toggle('more', !demo);
  const restart = byId('restart', HTMLButtonElement);
  restart.hidden = !demo || watching;
  restart.disabled = status === 'running';
  restart.dataset.tLabel = restart.disabled ? 'simulator.busy' : 'simulator.restart';
  setTexts(restart);
  fill(line, h('span', {}, demo ? `${t('demo')} · ${name}` : t('label.value', { label: t('now.model'), value: name })), canSwitchBack && endButton());
}

function endButton() {
  const button = h('button', { class: 'quiet' }, t('simulator.end'));
  button.addEventListener('click', () => switchComputer(button, false));
  return button;
}

/** An offer of it, for a person whose own computer is set. @param {(found: import('../settings/settings.js').Found) => void} [then] */
export function startButton(then) {
  const button = h('button', {}, t('simulator.begin'));
  button.addEventListener('click', () => switchComputer(button, true, then));
  return button;
}

/** A second press confirms that a task or the queue ends. @param {HTMLButtonElement} button @param {boolean} on @param {(found: import('../settings/settings.js').Found) => void} [then] */
function switchComputer(button, on, then) {
  if (!sure || isConfirmed(button, sure)) ask(button, '/api/use-simulator', { on }, then);
}

/** The service answers when the other computer has taken its place. @param {HTMLButtonElement} button @param {string} path @param {object} [body] @param {(found: import('../settings/settings.js').Found) => void} [then] */
async function ask(button, path, body = {}, then) {
  const line = byId('demo', HTMLElement);
  line.querySelector('[role=alert]')?.remove();
  button.disabled = true;
  try {
    await call(path, body);
    clearMessages(); // they were about the other computer
    const found = await call('/api/settings'); // it may have another model
    document.dispatchEvent(new CustomEvent('settings', { detail: found }));
    then?.(found);
  } catch (error) {
    const words = h('p', { class: 'error', role: 'alert' }, /** @type {Error} */ (error).message);
    if (line.hidden) button.after(words);
    else line.append(words);
  }
  button.disabled = false;
}
