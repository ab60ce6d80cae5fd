// @ts-check
/** The queue above the message box, the buttons that add to it what is written, or a procedure, and one to begin anew. */
import * as composer from './composer.js';
import { sendOnce } from './run_buttons.js';
import { call } from '../core/connection.js';
import { byId, fill, focusLater, h, loadStyle, setText, tryTo } from '../core/dom.js';
import { iconButton } from '../core/icons.js';
import { hasTask, isLocked, replacesTask, saysName, takesNoHints, taskStatus } from '../core/state.js';
import { setKey, textsVersion, translated, t } from '../core/i18n.js';

/** @typedef {import('../core/state.js').State} State */
/** @typedef {import('../core/state.js').Queued} Queued */

await loadStyle('/static/queue.css');

/** A task that may still go on: to continue the queue skips it. */
const SKIPPED = ['paused', 'asking'];
/** A task that is neither done nor under way: the queue waits for it. */
const UNFINISHED = [...SKIPPED, 'failed'];

/** As long as a press that was meant for another button may take. */
const IGNORE_CLICKS_MS = 400;

const add = h('button', { id: 'queue-add', class: 'quiet', hidden: true, 'data-t': 'queue.add' });
const choose = h('button', { id: 'procedures', class: 'quiet', hidden: true, 'data-t': 'procedures.title' });
const anew = h('button', { id: 'new-task', class: 'quiet', hidden: true, 'aria-pressed': 'false', 'data-t': 'send.anew' });
const title = h('h3', {});
const reason = h('p', { role: 'status' });
const next = h('button', { id: 'queue-continue' });
const list = h('ol', { 'data-t-label': 'queue.label' });
const section = h('section', { id: 'queue', class: 'queue', hidden: true }, title, reason, next, list);

let drawnKey = '';
/** The pressed button of a row, which gets the focus again. @type {{ id: string, place: number } | null} */
let pressed = null;

export function mount() {
  byId('send', HTMLElement).before(add, choose, anew);
  add.parentElement?.before(section);
  add.addEventListener('click', () => composer.submit('queue-add', '/api/queue', true));
  choose.addEventListener('click', chooseProcedure);
  anew.addEventListener('click', composer.toggleNewTask);
  document.addEventListener('procedures', () => choose.hidden || loadNames());
  next.addEventListener('click', () => sendOnce('queue-continue', '/api/queue/continue', {}));
}

const chooseProcedure = async () => (await import('./procedures.js')).chooseProcedure();

/** Whether there are procedures to choose from. */
const loadNames = async () => (await import('./procedures.js')).loadNames();

/** @param {State} state */
export function update(state) {
  const { queue, held, approval } = state;
  const status = taskStatus(state);
  const stopped = status === 'stopped' && !isLocked(state);
  const wasHidden = choose.hidden;
  const unfinished = hasTask(state) && (stopped || UNFINISHED.includes(status));
  showAnew(unfinished && !replacesTask(state)); // Send begins a new task too
  add.hidden = status !== 'running';
  choose.hidden = !queue.length && !hasTask(state);
  if (wasHidden && !choose.hidden && !state.watching) loadNames();
  add.title = t('queue.add_title');
  add.className = takesNoHints(state) || composer.isRerun() ? 'primary' : 'quiet';
  const key = JSON.stringify([queue, held, status, stopped, Boolean(approval), textsVersion]);
  if (key === drawnKey) return;
  drawnKey = key;
  section.hidden = !queue.length;
  fill(title, t('queue.title', { count: queue.length }), ' ', h('span', {}, queue.length && titleOf(queue[0])));
  const waits = approval ? 'approval' : stopped ? status : '';
  reason.textContent = translated(held) || (waits && t(`queue.${waits}`));
  setKey(next, SKIPPED.includes(status) ? 'queue.skip' : 'queue.continue');
  next.hidden = stopped || !(held || UNFINISHED.includes(status));
  fill(list, ...queue.map(row));
  focusAgain();
}

/** It takes no press at first: one may be meant for Queue, which stood there. @param {boolean} shown */
function showAnew(shown) {
  if (shown && anew.hidden) {
    anew.inert = true;
    setTimeout(() => (anew.inert = false), IGNORE_CLICKS_MS);
  }
  anew.hidden = !shown;
}

/** With the name of a procedure, as in the chat. @param {Queued} task */
const titleOf = ({ text, procedure }) =>
  procedure ? t('queue.procedure', { name: procedure }) + (saysName(text, procedure) ? text.slice(procedure.length) : ` · ${text}`) : text;

/** @param {Queued} task @param {number} place @param {Queued[]} all */
function row(task, place, all) {
  const { id } = task;
  const text = titleOf(task);
  const button = (/** @type {string} */ shape, /** @type {string} */ path, /** @type {object} */ body, last = false) => {
    const buttonId = `queue-${shape}-${id}`;
    const onclick = () => {
      pressed = { id: buttonId, place };
      post(path, { id, ...body });
    };
    return iconButton(shape, t(`queue.${shape}`, { task: text }), onclick, { id: buttonId, disabled: last });
  };
  return h(
    'li',
    {},
    h('span', { title: text }, text),
    all.length > 1 && button('up', 'move', { by: -1 }, place === 0),
    all.length > 1 && button('down', 'move', { by: 1 }, place === all.length - 1),
    button('close', 'remove', {}),
  );
}

/** @param {string} path @param {object} body */
async function post(path, body) {
  const error = byId('composer-error', HTMLElement);
  if (await tryTo(() => call(`/api/queue/${path}`, body), error)) setText(error, '');
}

/** The pressed button was drawn anew: focus it, or one near it. */
function focusAgain() {
  if (!pressed || document.activeElement !== document.body) return;
  const same = document.getElementById(pressed.id);
  const near = same?.parentElement ?? list.children[Math.min(pressed.place, list.childElementCount - 1)];
  const free = /** @type {HTMLElement | null | undefined} */ (near?.querySelector('button:not(:disabled)'));
  focusLater(same?.matches(':enabled') ? same : (free ?? byId('box', HTMLElement)));
  pressed = null;
}
