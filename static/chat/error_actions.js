// @ts-check
/** Buttons in the card of a task that ended or waits. */
import { commandHelp } from './command_help.js';
import * as composer from './composer.js';
import { call } from '../core/connection.js';
import { fill, h } from '../core/dom.js';
import { copyText } from '../core/clipboard.js';
import { saveFrom } from '../core/download.js';
import { setShortNote } from '../core/emergency_stop.js';
import { icon } from '../core/icons.js';
import { EXAMPLE_COMMANDS } from './empty_chat.js';
import { isKept, remember } from './saved_tasks.js';
import { settingButton } from './setting_button.js';
import { select } from '../core/tabs.js';
import { setKey, setTexts, t } from '../core/i18n.js';

/** Copy an answer. @param {string} text */
export function copyButton(text) {
  const button = h('button', { class: 'quiet', 'data-t-label': 'result.copy' }, icon('copy'));
  button.addEventListener('click', () => {
    if (!copyText(text)) return;
    button.dataset.tLabel = 'copied';
    setTexts(button);
    fill(button, icon('done'));
  });
  return button;
}

/** Id of its record; of one that is gone the service says so. @param {import('../core/state.js').Result | undefined} result */
const recordOf = async (result) =>
  /** @type {import('../history/history.js').Task[]} */ (await call('/api/tasks')).find(({ event }) => event === result?.begun)?.id ?? 'gone';

/** Make a procedure of a task, then run the one that was made. @param {{ made?: string }} task @param {() => string | Promise<string>} findId of its record */
export function procedureButton(task, findId) {
  const button = h('button', {}); // one for both, which keeps the focus
  const draw = () => {
    setKey(button, 'result.procedure');
    if (!task.made) return;
    delete button.dataset.t;
    button.textContent = t('procedures.run_name', { name: task.made });
  };
  const made = (/** @type {string} */ name) => {
    task.made = name; // it may be drawn again
    draw();
  };
  button.addEventListener('click', async () => {
    if (!task.made) return (await import('./make_procedure.js')).makeProcedure(findId, made);
    select('chat');
    (await import('./procedures.js')).runProcedure(task.made);
  });
  draw();
  return button;
}

/** Run the task again, save it, export its record. @param {import('../core/state.js').ChatEntry} entry */
export function resultActions({ result }) {
  const { goal = '', procedureName: name = '', values } = result ?? {};
  /** @param {string} key @param {(show: (key: string) => void) => void} act `show`: that it is done */
  const button = (key, act) => {
    const pressed = h('button', { 'data-t': key });
    const show = (/** @type {string} */ done) => {
      setKey(pressed, done);
      pressed.ariaDisabled = 'true'; // it keeps the focus
    };
    if (['result.saved', 'result.extended'].includes(key)) show(key);
    pressed.addEventListener('click', () => pressed.ariaDisabled || act(show));
    return pressed;
  };
  return h(
    'div',
    { class: 'ways' },
    button('result.again', async () => {
      if (name) (await import('./procedures.js')).runProcedure(name, 0, values);
      else if (result) composer.runAgain(result);
    }),
    !name &&
      button(isKept(goal) ? 'result.saved' : 'result.save_task', (show) => {
        remember(goal, { saved: true });
        show('result.saved');
        setShortNote('result.saved_where');
      }),
    result && !result.procedure && !result.refused ? procedureButton(result, () => recordOf(result)) : null,
    result?.handedOver
      ? button(result.extended ? 'result.extended' : 'result.extend', async (show) =>
          (await import('./make_procedure.js')).extendProcedure(() => {
            result.extended = true;
            show('result.extended');
          }))
      : null,
    button('result.export', async () => (await import('./procedures.js')).attempt(() => exportRecord(result))),
  );
}

/** @param {import('../core/state.js').Result | undefined} result */
async function exportRecord(result) {
  const id = await recordOf(result);
  await saveFrom(`/api/tasks/${id}/export.html`, `task-${id}.html`);
}

/** Try again, or open the setting that fixes the error. @param {string} [setting] */
export function errorActions(setting) {
  return h(
    'div',
    { class: 'ways' },
    h('button', { class: 'primary', onclick: composer.retry, 'data-t': 'failed.again' }),
    setting && settingButton(setting),
  );
}

/** What helps to answer a question, with examples if a task is to begin. @param {import('../core/state.js').ChatEntry} entry */
export function questionActions({ more, anew, setting }) {
  const put = (/** @type {string} */ key) => h('button', { 'data-t': key, onclick: () => composer.setDraft(t(key)) });
  return [setting ? h('div', { class: 'ways' }, settingButton(setting)) : null, more && anew && h('div', { class: 'ways' }, ...EXAMPLE_COMMANDS.map(put)), ...commandHelp(more, composer.answer)];
}
