// @ts-check
/** First-run dialog: connect the KVM and the model, check it, try it on the simulated computer. */
import { call, Refusal } from './core/connection.js';
import { byId, fill, focusLater, h, setText } from './core/dom.js';
import { setMarkedText } from './core/inline_markup.js';
import { CONNECTIONS, modelButtons, noteTest, runTest, testingWords } from './settings/connection_test.js';
import * as extras from './settings/extras.js';
import { makeField, secretField } from './settings/form_fields.js';
import * as presets from './settings/presets.js';
import { startButton } from './live/simulator_switch.js';
import { needsModel } from './core/state.js';
import { translated, t } from './core/i18n.js';

/** @typedef {import('./settings/settings.js').Found} Found */

/** @typedef {import('./settings/connection_test.js').Name} Name */

/** Settings may have been drawn too. */
const PREFIX = 'first-';
const dialog = () => byId('first', HTMLDialogElement);
const count = h('p', { class: 'label' });
const problem = h('p', { class: 'error', role: 'alert', hidden: true });
/** Those of the server, after a wrong one. */
const models = h('div', { class: 'models' });
const testing = h('p', { class: 'help', role: 'status', hidden: true });
/** Connections that are still to be made. @type {Name[]} */
let missing = [];
/** Whether the simulated computer is in use. */
let isSimulated = false;
/** Connections that were made or skipped. */
let done = 0;
/** Settings of the login that the KVM asked for. @type {string[]} */
let login = [];
/** What was entered and not saved, kept while the settings are the same. @type {Record<string, string>} */
let entered = {};
let enteredFor = '';

/** Go through what is missing. @param {Found} found @param {Name[]} connections @param {boolean} demo */
export function show(found, connections, demo) {
  [missing, isSimulated] = [connections, demo];
  done = 0;
  login = [];
  dialog().onclose = onClosed;
  showNext(found);
  dialog().showModal();
}

/** @param {Found} saved @param {string} [setting] another one of the model, to be changed */
function showNext(saved, setting = '') {
  const [name] = missing;
  if (!name) return saved.values.api_type === 'local' ? close() : showTest();
  const basis = JSON.stringify([saved.values, saved.secrets]);
  if (basis !== enteredFor) [entered, enteredFor] = [{}, basis];
  const found = name === 'model' ? withoutDefaults(saved) : saved;
  const isChecked = missing.includes('model') || saved.values.api_type !== 'local';
  showCount(missing.length + Number(isChecked));
  setProblem('');
  /** @type {Map<string, import('./settings/form_fields.js').Field>} */
  const fields = new Map();
  for (const each of [...CONNECTIONS[name], ...(setting ? [setting] : [])]) fields.set(each, makeConnectionField(found, each, fields));
  const nodes = [...fields.values()].map(({ node }) => node);
  nodes.splice(name === 'kvm' ? 1 : nodes.length, 0, problem); // above the login, which it asks for
  const form = h(
    'form',
    { novalidate: true },
    count,
    h('h2', { id: 'first-title' }, t(`first.${name}`)),
    name === 'model' && presets.presetField(found.presets, fields, PREFIX),
    ...nodes,
    models,
    name === 'kvm' && h('p', {}, startButton(onSimulator)),
    h(
      'div',
      { class: 'buttons' },
      testing,
      h('button', { class: 'quiet', onclick: close }, t('first.later')),
      h('button', { type: 'submit', class: 'primary' }, t('first.save')),
    ),
  );
  const update = () => showUsed(found, fields);
  form.addEventListener('submit', (event) => save(event, name, fields, update));
  form.addEventListener('change', (event) => {
    // as a text is left for the button, nothing may move below it
    if (event.target instanceof HTMLSelectElement) clearProblems(fields);
    update();
  });
  form.addEventListener('input', update);
  if (name === 'model') extras.mount(fields);
  fill(dialog(), form);
  update();
  const control = fields.get(setting)?.control ?? /** @type {HTMLElement | null} */ (form.querySelector(':is(select, input):enabled'));
  control?.focus();
  control?.scrollIntoView({ block: 'center' }); // above the buttons
}

/** There the Local operator works if no model is set; if it is not installed, its step offers that. @param {Found} found */
const onSimulator = (found) =>
  found.values.api_type === 'local' ? close() : skip({ ...found, values: { ...found.values, api_type: 'local' } });

/** The provider is chosen first, and with it the model. @param {Found} found @returns {Found} */
function withoutDefaults(found) {
  const { values, defaults, locked } = found;
  if (!needsModel(found) || values.api_type !== defaults.api_type || locked.includes('api_type')) return found;
  const model_name = values.model_name === defaults.model_name ? '' : values.model_name;
  return { ...found, values: { ...values, api_type: '', model_name } };
}

/** Hide what the API type, once there is one, or the kind of KVM does not use. @param {Found} found @param {Map<string, import('./settings/form_fields.js').Field>} fields */
function showUsed({ form, values }, fields) {
  const apiType = String(/** @type {HTMLSelectElement | undefined} */ (fields.get('api_type')?.control)?.value ?? values.api_type);
  for (const [name, { node }] of fields) {
    const { api_types = [] } = form[name] ?? {};
    const isLogin = CONNECTIONS.kvm.includes(name) && name !== 'kvm';
    node.hidden = !apiType || (isLogin ? !login.includes(name) : api_types.length > 0 && !api_types.includes(apiType));
  }
  for (const each of fields.values()) each.update?.();
  /** @type {HTMLButtonElement} */ (dialog().querySelector('[type=submit]')).hidden = !apiType;
}

/** On to the next step. @param {Found} found */
function skip(found) {
  missing = missing.slice(1);
  done += 1;
  return showNext(found);
}

/** @param {number} left with the one that is shown; the check of a model is the last */
const showCount = (left) => setText(count, done + left > 1 ? t('first.step', { n: done + 1, of: done + left }) : '');

/** @param {Found} found @param {string} name @param {Map<string, import('./settings/form_fields.js').Field>} fields the form's */
function makeConnectionField(found, name, fields) {
  const spec = {
    name,
    label: t(`setting.${name}`),
    value: entered[name] ?? found.values[name] ?? '',
    help: translated(found.help[name] ?? ''),
    locked: found.locked.includes(name),
    choices: found.choices[name],
    prefix: PREFIX,
  };
  return name in found.secrets ? secretField(spec, found.secrets[name], found.secret_servers[name], fields) : makeField(spec);
}

/** @param {string} words @param {...HTMLElement} choices */
function setProblem(words, ...choices) {
  setMarkedText(problem, words);
  fill(models, ...choices);
}

/** @param {Map<string, import('./settings/form_fields.js').Field>} fields */
function clearProblems(fields) {
  for (const each of fields.values()) each.refuse('');
  setProblem('');
}

/** Save the connection if it works; a change, or the end of the dialog, cancels its test. @param {SubmitEvent} event @param {Name} name @param {Map<string, import('./settings/form_fields.js').Field>} fields @param {() => void} update */
async function save(event, name, fields, update) {
  event.preventDefault();
  const button = /** @type {HTMLButtonElement} */ (event.submitter ?? dialog().querySelector('[type=submit]'));
  clearProblems(fields);
  const open = [...fields].filter(([, each]) => !(/** @type {HTMLInputElement} */ (each.control).disabled));
  /** Settings that the login of this kind of KVM may need. @type {string[]} */
  let used = [];
  const values = Object.fromEntries(open.map(([name, each]) => [name, each.value()]));
  setText(testing, testingWords(name));
  const connect = async (/** @type {AbortSignal} */ signal) => {
    if (name === 'kvm') ({ login: used } = await call('/api/settings/find-kvm', { kvm: fields.get('kvm')?.value() }, signal));
    await call(`/api/settings/test-${name}`, values, signal);
    if (signal.aborted) return;
    const found = await call('/api/settings', values);
    noteTest(name, true, found);
    await skip(found);
  };
  try {
    await runTest(button, [dialog()], connect);
  } catch (error) {
    const { fields: reasons, setting } = error instanceof Refusal ? error : new Refusal('');
    login = used.filter((each) => used.includes(setting) || login.includes(each));
    update();
    for (const [name, each] of fields) each.refuse(reasons[name] ?? '');
    const [wrong] = [...fields].flatMap(([name, each]) => (reasons[name] ? each.control : []));
    setProblem(wrong ? '' : /** @type {Error} */ (error).message, ...modelButtons(error, fields, () => clearProblems(fields)));
    (wrong ?? (used.includes(setting) ? fields.get(login[0])?.control : null))?.focus();
    (models.lastElementChild ?? problem).scrollIntoView({ block: 'center' });
  }
  setText(testing, '');
}

/** Borrows the check-up from Settings; one that finds the model not usable leads back to it. */
async function showTest() {
  const { node, loadReport, start } = await import('./settings/checkup.js');
  const goBack = async (/** @type {string | undefined} */ setting) => {
    const found = await call('/api/settings'); // the check-up may have changed some
    missing = ['model'];
    done -= 1;
    showNext(found, setting);
  };
  const begin = h('button', { onclick: close }, t(isSimulated ? 'first.begin_simulated' : 'first.begin'));
  const recommended = isSimulated ? begin : startButton(close);
  const change = h('button', { class: 'primary', hidden: true, onclick: () => goBack() }, t('first.change'));
  const onreport = (/** @type {CustomEvent} */ { detail }) => {
    change.hidden = detail !== 'unusable';
    start.classList.toggle('primary', !detail); // the way on, until it has run
    recommended.classList.toggle('primary', Boolean(detail) && change.hidden);
  };
  showCount(1);
  fill(
    dialog(),
    count,
    h('h2', { id: 'first-title', tabindex: -1 }, t('checkup.title')),
    h('div', { onreport, onsetting: (/** @type {CustomEvent} */ { detail }) => goBack(detail) }, node),
    !isSimulated && h('p', {}, t('first.simulated')),
    h('div', { class: 'buttons' }, begin, !isSimulated && recommended, change),
  );
  document.dispatchEvent(new CustomEvent('tab', { detail: 'settings' }));
  loadReport(); // the model may be another one now
  byId('first-title', HTMLElement).focus();
}

const close = () => dialog().close();

/** Return the check-up to Settings, also when Esc closed the dialog. */
async function onClosed() {
  const form = dialog().querySelector('form');
  if (form) Object.assign(entered, Object.fromEntries(new FormData(form)));
  fill(dialog());
  (await import('./settings/settings.js')).showCheckup();
  if (dialog().open) return; // again, meanwhile
  focusLater(byId('box', HTMLElement));
}
