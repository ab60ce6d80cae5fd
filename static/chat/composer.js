// @ts-check
/** The message box with Send and the switch "Plan first", available in every view. */
import { fileIds, hasFiles } from './attachments.js';
import { byId, focusLater, setText } from '../core/dom.js';
import { clearMessages, setNote } from '../core/emergency_stop.js';
import { uncoverChat } from '../live/drawer.js';
import { hasTask, isLocked, replacesTask, takesNoHints, taskStatus } from '../core/state.js';
import { current, select } from '../core/tabs.js';
import { resumePath, sendOnce } from './run_buttons.js';
import { drop, loadTasks, parametersOf, remember } from './saved_tasks.js';
import { t } from '../core/i18n.js';

/** @typedef {import('../core/state.js').State} State */
/** @typedef {{ goal: string, corrected: boolean }} Rerun */

/** A browser has sent all events of a tap after this time. */
const TAP_MS = 300;

const DRAFT_KEY = `cua-draft${location.pathname}`;
const NEW_TASK_KEY = `cua-new-task${location.pathname}`;
const PLAN_KEY = 'cua-plan-first';
/** keyCode of a key that an input method handled; some browsers clear `isComposing` too early. */
const COMPOSING_KEY_CODE = 229;

/** @type {State | null} */
let state = null;
/** The last text that the page put into the box: another may replace it. */
let offered = '';
/** `begun` of the task for which New task is pressed: what the box sends takes its place. */
let newTaskFor = sessionStorage.getItem(NEW_TASK_KEY) ?? '';
/** The task that was put into the box to be run again. @type {Rerun | null} */
let rerun = null;

const box = () => byId('box', HTMLTextAreaElement);
const planFirst = () => byId('plan-first', HTMLInputElement);

export function mount() {
  byId('composer', HTMLFormElement).addEventListener('submit', onsubmit);
  box().addEventListener('keydown', onenter);
  box().addEventListener('input', onInput);
  box().addEventListener('input', clearMessages);
  document.addEventListener('tab', clearMessages); // it would cover the settings that it asks for
  addEventListener('resize', fitHeight);
  box().value = sessionStorage.getItem(DRAFT_KEY) ?? '';
  fitHeight();
  makeRoom();
  planFirst().checked = localStorage.getItem(PLAN_KEY) === 'true';
  planFirst().addEventListener('change', () => localStorage.setItem(PLAN_KEY, String(planFirst().checked)));
}

/** The Local operator neither plans nor looks at files. @param {boolean} has */
export function setHasModel(has) {
  planFirst().disabled = !has;
  for (const id of ['attach', 'photo']) byId(id, HTMLElement).hidden = !has;
}

/** @param {State} next */
export function update(next) {
  const asksNow = next.status === 'asking' && state?.status !== 'asking';
  // Its words may say only what is other than in the last task.
  if (next.said && next.said !== state?.said && drop(next.said)) remember(next.goal);
  if (next.asksAnew || next.refused) drop(next.goal);
  const hasRun = state?.status === 'running' && next.status !== 'running';
  state = { ...next };
  if (next.status === 'running' && next.begun === newTaskFor) setNewTask(false);
  if (hasRun) keepNewTask();
  const status = taskStatus(next); // the result keeps its buttons
  const asked = next.asksOfStep ? (next.mayTakeOver ? 'asking_step' : 'asking_step_only') : next.plan?.approved === false ? 'asking_plan' : 'asking';
  const waits = wantsTask() ? 'idle' : replacesTask(next) ? 'done' : takesNoHints(next) ? 'procedure' : status === 'asking' ? asked : status;
  box().placeholder = t(`box.${isLocked(next) ? 'locked' : waits}`);
  if (document.body.dataset.status !== status) setTimeout(fitHeight); // other buttons stand beside the box
  document.body.dataset.status = status;
  const newTask = document.getElementById('new-task'); // made with the first task
  if (newTask) newTask.ariaPressed = String(wantsTask());
  document.body.toggleAttribute('data-asks-anew', next.asksAnew); // nothing runs then
  document.body.toggleAttribute('data-sends-task', beginsTask() || replaces());
  document.body.toggleAttribute('data-needs-task', needsTask());
  if (asksNow) uncoverChat().then(focus);
}

/** Make room for the words of a message or refusal, but not during a press: the pressed button would move away. */
function makeRoom() {
  let pressed = false;
  const settle = () => {
    if (!pressed) document.body.toggleAttribute('data-writing', Boolean(document.querySelector(':is(#box, #approval input):focus')));
  };
  for (const kind of ['pointerdown', 'pointerup', 'pointercancel'])
    document.addEventListener(
      kind,
      () => {
        pressed = kind === 'pointerdown';
        setTimeout(settle, TAP_MS);
      },
      { capture: true },
    );
  for (const kind of ['focusin', 'focusout']) document.addEventListener(kind, () => setTimeout(settle, TAP_MS));
}

/** Put a text into the box for editing, but not over one that was typed. @param {string} text @param {string} [note] key of what is said about it @returns {boolean} whether it is there */
export function setDraft(text, note) {
  clearMessages();
  const isTyped = box().value.trim() !== '' && box().value !== offered;
  if (isTyped) setText(byId('composer-error', HTMLElement), t('box.full'));
  else {
    box().value = offered = text;
    if (note) setNote(note);
  }
  onInput();
  box().focus();
  return !isTyped;
}

/**
 * Run a task again, as a new task. If it was corrected or another task is unfinished, it is put into the box instead,
 * with the reason.
 * @param {Rerun} task @param {boolean} [atOnce] if false, it is always put into the box
 */
export function runAgain(task, atOnce = true) {
  const reason = reasonToWait(task);
  if (atOnce && !reason) {
    focusLater(box());
    submit('send', '/api/send', true, { said: task.goal, anew: true });
  } else if (setDraft(task.goal, reason)) {
    rerun = task;
    pressNewTask(!beginsTask());
    document.dispatchEvent(new Event('redraw')); // of Queue
  }
}

/** Whether there is a paused or stopped task, or one that asks, which can be continued. */
export const hasUnfinishedTask = () =>
  state !== null && !state.asksAnew && !isLocked(state) && ['paused', 'stopped', 'asking'].includes(taskStatus(state));

/** The key of the text that says why a task is not run again at once; '' if it is. @param {Rerun} task */
function reasonToWait({ corrected }) {
  if (state?.status === 'running') return 'result.running';
  if (hasUnfinishedTask()) return 'result.unfinished';
  return corrected ? 'result.corrected' : '';
}

/** Whether the box has a task to be run again. */
export const isRerun = () => rerun !== null && box().value === rerun.goal;

/** After a run has ended: a task in the box that is to be run again stays a new task. */
function keepNewTask() {
  if (!rerun || !isRerun()) return;
  setNewTask(!beginsTask());
  if (byId('composer-note', HTMLElement).textContent === t('result.running')) setNote(reasonToWait(rerun));
}

/** Send a text past the box, which may hold a draft. @param {string} text */
export function send(text) {
  focusLater(box());
  sendText(text);
}

/** Answer the question of a task, also while the box waits for a new one. @param {string} text */
export function answer(text) {
  focusLater(box());
  submit('send', resumePath(), false, { said: text });
}

/** Insert a text at the cursor. @param {string} text */
export function insert(text) {
  const room = box();
  const [start, end] = [room.selectionStart, room.selectionEnd];
  const before = room.value.slice(0, start);
  room.setRangeText(before && !before.endsWith(' ') ? ` ${text}` : text, start, end, 'end');
  select('chat');
  onInput();
  room.focus();
}

/** Focus the box for an answer; not in another view, below a dialog, or while the person is typing. */
function focus() {
  if (current() !== 'chat' || document.querySelector('dialog[open], :is(input, textarea):focus')) return;
  focusLater(box());
}

/** An empty box hides the switch, which counts only while it is seen. */
const isPlanChosen = () => planFirst().offsetParent !== null && planFirst().matches(':enabled:checked');

/** @param {SubmitEvent} event */
function onsubmit(event) {
  event.preventDefault();
  if (state?.connected) sendText(); // before the page is let in, it would be refused
}

/** Whether there is no unfinished task. */
const beginsTask = () => !state || !hasTask(state) || isLocked(state) || state.status === 'done';
/** Whether what is sent takes the place of one. */
const replaces = () => state !== null && (wantsTask() || replacesTask(state));
/** Whether New task is pressed. A task that fails at once may not be seen running. */
const wantsTask = () => state !== null && state.begun === newTaskFor && state.status !== 'running' && hasTask(state);

/** Whether only a new task can be sent: nothing can be continued, retried or answered. */
const needsTask = () =>
  wantsTask() || !state || isLocked(state) || ['idle', 'done'].includes(state.status) || (state.asksAnew && state.status === 'asking');

/** Send what is in the box, or `said`, as what the state of the task wants. @param {string} [said] */
function sendText(said) {
  const status = state?.status ?? '';
  const wantsWords = needsTask() || (['running', 'asking'].includes(status) && !hasFiles());
  const words = (said ?? box().value).trim();
  if (words && replaces()) submit('send', '/api/send', true, { said, anew: true });
  else if (words || !wantsWords) submit('send', resumePath(), beginsTask(), { said });
  else setText(byId('composer-error', HTMLElement), t(needsTask() ? 'box.empty' : `box.empty_${status}`));
}

/**
 * Send what is in the box with its files, or `said` alone.
 * @param {string} button @param {string} path @param {boolean} begins whether it is a new task
 * @param {{ anew?: boolean, said?: string }} [options] `anew`: in place of an unfinished task
 */
export async function submit(button, path, begins, { anew, said: given } = {}) {
  const said = given ?? box().value;
  const text = said.trim();
  if (begins && !text) return setText(byId('composer-error', HTMLElement), t('box.empty'));
  const plan = (begins && button !== 'queue-add' && isPlanChosen()) || undefined;
  const filled = begins ? await askValues(text, button === 'queue-add' ? 'queue.add' : 'send') : text;
  if (text && !filled) return;
  const files = given === undefined ? await fileIds() : undefined;
  const retries = path === '/api/resume' && !text && !files?.length && state && taskStatus(state) === 'failed';
  if (!begins && state?.plan?.approved === false) {
    const { items, proposal } = state.plan; // as edited: a new plan is based on them
    if (!(await sendOnce(button, '/api/plan-edits', { items, proposal }))) return;
  }
  if (!(await sendOnce(button, path, { text: filled, files, plan, anew }))) return;
  if (anew) pressNewTask(false);
  if (retries) await sendOnce(button, '/api/send', { text: '' }); // the stop is cleared now
  if (begins) remember(text);
  if (given !== undefined) return;
  if (box().value.startsWith(said)) box().value = box().value.slice(said.length).trimStart();
  onInput();
  byId('composer', HTMLFormElement).dispatchEvent(new Event('sent'));
}

/** Switch the box between a new task and a correction of the unfinished one. */
export function toggleNewTask() {
  pressNewTask(!wantsTask());
  clearMessages();
  box().focus();
}

/** @param {boolean} pressed */
function pressNewTask(pressed) {
  setNewTask(pressed);
  if (state) update(state);
}

/** Keep it with the draft. @param {boolean} pressed */
function setNewTask(pressed) {
  newTaskFor = pressed && state ? state.begun : '';
  sessionStorage.setItem(NEW_TASK_KEY, newTaskFor);
}

/** Ask for the values of a task's parameters; "" if the person did not give them. @param {string} text @param {string} submit */
async function askValues(text, submit) {
  return parametersOf(text).length ? (await import('./task_form.js')).askValues(text, submit) : text;
}

/** Retry the failed task unchanged. */
export const retry = () => submit('send', resumePath(), false, { said: '' });

/** @param {KeyboardEvent} event */
function onenter(event) {
  if (event.key === 'ArrowUp' && !box().value) return setDraft(loadTasks()[0]?.text ?? '');
  if (event.key !== 'Enter' || event.shiftKey || event.isComposing || event.keyCode === COMPOSING_KEY_CODE) return;
  event.preventDefault();
  byId('composer', HTMLFormElement).requestSubmit();
}

/** Keep the draft in the session: a phone may unload the page at any time. */
function onInput() {
  if (rerun && !box().value) {
    rerun = null;
    pressNewTask(false);
  }
  sessionStorage.setItem(DRAFT_KEY, box().value);
  fitHeight();
}

function fitHeight() {
  box().style.height = 'auto';
  box().style.height = `${box().scrollHeight + 2}px`;
}
