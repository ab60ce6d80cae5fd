// @ts-check
/** Procedures do a task again without a model: listed, run, deleted, imported. */
import { byId, fill, h } from '../core/dom.js';
import { call } from '../core/connection.js';
import { clearMessages, openWithStop, setShortNote } from '../core/emergency_stop.js';
import { icon, iconButton } from '../core/icons.js';
import { joinSentences, loadTaskTexts, t } from '../core/i18n.js';
import * as composer from './composer.js';
import { tryOrOfferSetting } from './setting_button.js';

/** @typedef {{ name: string, parameters?: Record<string, string>, steps: object[] }} Procedure */

export const PATH = '/api/procedures';
/** @param {string} name */
export const address = (name) => `${PATH}/${encodeURIComponent(name)}`;

/** Do something; what is wrong with it is said at the message box. @param {() => Promise<void>} act */
export async function attempt(act) {
  clearMessages();
  await tryOrOfferSetting(() => loadTaskTexts().then(act), byId('composer-error', HTMLElement));
}

const isRunning = () => document.body.dataset.status === 'running';

/** A note that running a procedure ends the unfinished task; "" if there is no such task. */
const endNote = () => (composer.hasUnfinishedTask() ? t('procedures.ends_task') : '');

/** Run one now, or after the task that runs; it asks for its parameters first. @param {string} name @param {number} [first] index of the step to begin with @param {Record<string, string>} [given] values of an earlier run */
export const runProcedure = (name, first = 0, given = {}) =>
  attempt(async () => {
    const { parameters = {} } = (await call(address(name))).procedure;
    const anew = !isRunning();
    const run = (/** @type {object} */ values, /** @type {AbortSignal=} */ signal) => call(`${PATH}/run`, { name, values, first, anew }, signal);
    const fields = Object.fromEntries(Object.entries(parameters).map(([name, value]) => [name, { label: name.replaceAll('_', ' '), value: given[name] ?? value }]));
    if (Object.keys(fields).length === 0) return run({});
    const { openForm } = await import('./form_dialog.js');
    openForm({ title: name, help: joinSentences([t('procedures.run_help'), endNote()]), fields, submit: anew ? 'procedures.run' : 'queue.add' }, (values, signal) => run(values ?? {}, signal));
  });

/** @param {string} name */
async function exportProcedure(name) {
  const { saveFrom } = await import('../core/download.js');
  await saveFrom(`${PATH}/file/${encodeURIComponent(name)}.yaml`, `${name}.yaml`);
}

/** Choose one to run, or to change. */
export const chooseProcedure = () =>
  attempt(async () => {
    if (!(await call(PATH)).length) throw new Error(t('box.empty'));
    const dialog = h('dialog', { class: 'notice', 'aria-labelledby': 'choose-title' });
    const list = h('ul', { class: 'shelf' });
    const draw = async () => fill(list, ...(await procedureRows(draw, () => dialog.close())));
    await draw();
    const cancel = h('button', { class: 'quiet', onclick: () => dialog.close(), 'data-t': 'params.cancel' });
    const stop = h('div', { class: 'corner' });
    dialog.append(
      h('h2', { id: 'choose-title' }, t(isRunning() ? 'procedures.choose_next' : 'procedures.choose')),
      endNote() && h('p', { class: 'help' }, endNote()),
      list,
      importButton(draw),
      h('div', { class: 'buttons' }, stop, cancel),
    );
    openWithStop(dialog, stop); // the agent may be at work
  });

/** What was deleted last, which can be undone: also in a list that is drawn again. @type {{ name: string, text: string } | null} */
let deleted = null;

/** @param {string} name @param {() => void} redraw */
const removeProcedure = (name, redraw) =>
  attempt(async () => {
    const text = JSON.stringify((await call(address(name))).procedure);
    await call(`${PATH}/remove`, { name });
    deleted = { name, text };
    redraw();
  });

/** @param {{ name: string, text: string }} procedure @param {() => void} redraw */
function deletedRow({ name, text }, redraw) {
  const undo = () => attempt(() => importText(text).then(redraw));
  return h(
    'li',
    {},
    h('span', { class: 'choose help' }, t('procedures.deleted', { name })),
    h('button', { onclick: undo, 'data-t': 'procedures.undo' }),
  );
}

/** @param {string} name */
async function openEditor(name) {
  const [{ editProcedure }, { procedure, words }] = await Promise.all([import('./procedure_editor.js'), call(address(name))]);
  editProcedure(procedure, words, runProcedure);
}

/** @param {string} text YAML or JSON */
const importText = (text) => call(`${PATH}/file`, { text });

/** The names of all procedures; whether there are any is noted for the queue's button beside an empty box. */
export async function loadNames() {
  const names = /** @type {string[]} */ (await call(PATH).catch(() => []));
  document.body.toggleAttribute('data-procedures', names.length > 0);
  return names.sort((a, b) => a.localeCompare(b)); // by name: when one ran last is not known here
}

/** @param {() => void} redraw @param {() => void} [leave] closes the dialog that they are in, before another opens */
export async function procedureRows(redraw, leave = () => {}) {
  const names = await loadNames();
  if (deleted && names.includes(deleted.name)) deleted = null;
  return [...names.map((name) => procedureRow(name, redraw, leave)), ...(deleted ? [deletedRow(deleted, redraw)] : [])];
}

/** @param {string} name @param {() => void} redraw @param {() => void} leave */
function procedureRow(name, redraw, leave) {
  const leaveAnd = (/** @type {() => void} */ act) => () => {
    leave();
    act();
  };
  return h(
    'li',
    { 'data-procedure': name },
    h('button', { class: 'choose', onclick: leaveAnd(() => runProcedure(name)) }, icon('play'), t(isRunning() ? 'procedures.queue_name' : 'procedures.run_name', { name })),
    iconButton('edit', t('procedures.edit', { name }), leaveAnd(() => attempt(() => openEditor(name)))),
    iconButton('download', t('procedures.export', { name }), () => attempt(() => exportProcedure(name))),
    iconButton('close', t('procedures.delete', { name }), () => removeProcedure(name, redraw)),
  );
}

/** A button that takes a file in. @param {() => Promise<unknown>} redraw */
export function importButton(redraw) {
  const file = h('input', { type: 'file', accept: '.yaml,.yml', hidden: true });
  file.addEventListener('change', () =>
    attempt(async () => {
      const [chosen] = file.files ?? [];
      file.value = '';
      if (!chosen) return;
      const { name } = await importText(await chosen.text());
      await redraw();
      const rows = [...document.querySelectorAll(`[data-procedure="${CSS.escape(name)}"]`)];
      rows.at(-1)?.scrollIntoView({ block: 'center' }); // in the dialog, if one is open
      setShortNote('procedures.imported', { name });
    }),
  );
  return h('p', {}, h('button', { onclick: () => file.click(), 'data-t': 'procedures.import' }), file);
}
