// @ts-check
/** The settings form; the server defines the settings and validates them. */
import * as checkup from './checkup.js';
import { call, Refusal } from '../core/connection.js';
import { byId, fill, h, focusLater, setText } from '../core/dom.js';
import { ConnectionTest, CONNECTION_NAMES, CONNECTIONS } from './connection_test.js';
import * as extras from './extras.js';
import * as groups from './groups.js';
import { makeField, promptField, secretField } from './form_fields.js';
import * as notifications from './notifications.js';
import * as secrets from './secrets.js';
import * as presets from './presets.js';
import { SettingsToolbar } from './settings_toolbar.js';
import { setMarkedText } from '../core/inline_markup.js';
import { NOTE_MS } from '../core/emergency_stop.js';
import { has, joinSentences, translated, language, t } from '../core/i18n.js';
import { failedTests } from '../core/state.js';

/** @typedef {import('./form_fields.js').Field} Field */
/**
 * @typedef {object} Found
 * @property {Record<string, string | number | boolean>} values
 * @property {Record<string, boolean>} secrets
 * @property {Record<string, import('../core/i18n.js').Translatable>} secret_servers that each saved secret is for
 * @property {string[]} locked
 * @property {Record<string, string>} [ignored] why values of the file are not in force
 * @property {Record<string, import('./form_fields.js').Choice[]>} choices
 * @property {Record<string, import('../core/i18n.js').Translatable>} help
 * @property {Record<string, import('./groups.js').FormField>} form
 * @property {Record<string, string>} takes_effect
 * @property {import('./presets.js').Preset[]} presets
 * @property {string} default_prompt
 * @property {Record<string, unknown>} defaults
 * @property {boolean} notice_acknowledged
 * @property {string} saved_to
 */

/** @type {Map<string, Field>} */
const fields = new Map();
const toolbar = new SettingsToolbar();
const note = h('p', { class: 'help', role: 'status', tabindex: -1 });
const problem = h('p', { class: 'error', role: 'alert', hidden: true });
const discard = h('button', { 'data-t': 'settings.discard', onclick: discardEdits });
const submit = h('button', { type: 'submit', class: 'primary', 'data-t': 'settings.submit' });
const bar = h('div', { class: 'submit' }, problem, note, discard, submit);
/** Settings as loaded. @type {Found | null} */
let loaded = null;
/** Field values when the form was drawn. @type {Record<string, unknown>} */
let saved = {};
/** Whether the file differs from the settings in effect; saving resolves that. */
let hasIgnored = false;
/** Settings and language with which the form was compared last. @type {unknown[]} */
let compared = [];
/** Settings and language of what is drawn. */
let drawn = '';
/** @type {Partial<Record<import('./connection_test.js').Name, ConnectionTest>>} */
const tests = {};
/** The setting to show when the form is drawn. */
let wanted = '';
/** Clears the note that says that it is saved. */
let noteTimer = 0;

export function mount() {
  const form = byId('settings', HTMLFormElement);
  const head = h('div', { class: 'sheet' }, groups.menu, groups.search, toolbar.button, toolbar.menu, groups.found);
  fill(form, head, groups.rail, groups.cards, bar);
  updateSubmit();
  form.addEventListener('submit', onsubmit);
  form.addEventListener('input', (event) => {
    toolbar.changed();
    const name = /** @type {Element} */ (event.target).getAttribute('name') ?? '';
    fields.get(name)?.refuse('');
    if (!form.querySelector('[aria-invalid]')) setText(problem, '');
    updateSubmit();
  });
  form.addEventListener('change', groups.update); // the API type decides which are used
  groups.rail.addEventListener('click', updateSubmit); // what was saved is told beside its own group alone
  document.addEventListener('tab', updateSubmit); // and is no longer news later
  groups.search.addEventListener('input', updateSubmit);
  document.addEventListener('settings', () => {
    if (!failedTests.read().length && !form.querySelector('[aria-invalid]')) setText(problem, ''); // no saved connection fails any more
  });
  form.addEventListener('setting', (event) => reveal(/** @type {CustomEvent} */ (event).detail));
  window.addEventListener('beforeunload', (event) => edited().length && event.preventDefault());
  checkup.node.addEventListener('fixed', (event) => {
    const { found, changes } = /** @type {CustomEvent} */ (event).detail;
    showKeepingEdits(found, changes);
  });
}

/** @param {import('../core/state.js').State} state */
export function update(state) {
  checkup.update(state);
  if (tests.kvm) tests.kvm.button.hidden = state.demo && !state.canSwitchBack; // there is none to test
  if (!loaded && state.link === 'lost') setText(problem, t('preview.no_link'));
  const { settings } = state;
  if (!settings || (compared[0] === settings && compared[1] === language)) return;
  compared = [settings, language];
  if (drawn === JSON.stringify(compared)) checkup.loadReport(); // the focus stays
  else showKeepingEdits(settings, {});
}

/** Names of the fields with unsaved values. */
const edited = () => {
  const entered = enteredValues();
  return [...fields.keys()].filter((name) => entered[name] !== saved[name]);
};

/** Whether the API type uses it: only that is seen to change. @param {string} name */
const isShown = (name) => groups.isUsed(/** @type {Field} */ (fields.get(name)).node);

/** What grows at a first change, the bar or the row, must not hide the field. */
function updateSubmit() {
  clearTimeout(noteTimer);
  const names = edited();
  for (const each of fields.values()) each.update?.();
  groups.markEdited(names.flatMap((name) => fields.get(name)?.node ?? []));
  byId('tab-settings', HTMLElement).classList.toggle('is-edited', names.length > 0);
  submit.disabled = !names.length && !hasIgnored;
  discard.disabled = !names.length;
  note.textContent = names.length ? t('settings.unsaved', { count: names.filter(isShown).length || names.length }) : '';
  if (names.length) document.querySelector('#settings :focus')?.scrollIntoView({ block: 'nearest' });
}

function discardEdits() {
  if (loaded) showSettings(loaded);
  focusLater(note);
}

/** Keep unsaved input, unless that setting was changed. @param {Found} found @param {object} changes */
function showKeepingEdits(found, changes) {
  const at = focusedName();
  const entered = enteredValues();
  const names = edited();
  if (names.includes('api_type')) names.push('base_url', 'model_name'); // entering it replaces them
  const begun = Object.fromEntries(names.map((name) => [name, entered[name]]));
  for (const name of Object.keys(changes)) delete begun[name];
  const running = CONNECTION_NAMES.filter((name) => tests[name]?.isRunning);
  for (const name of running) tests[name]?.button.click(); // cancels it: its fields go, and the place of its result
  const outcomes = CONNECTION_NAMES.map((name) => /** @type {const} */ ([name, tests[name]?.outcome]));
  showSettings(found);
  toolbar.enter(begun);
  for (const name of running) tests[name]?.button.click(); // anew, with what the fields hold now
  const now = enteredValues();
  for (const [name, outcome] of outcomes)
    if (outcome && CONNECTIONS[name].every((each) => now[each] === entered[each])) tests[name]?.tell(outcome);
  fields.get(at)?.control.focus({ preventScroll: true });
}

/** The field that has the focus, by its name: it is made anew. */
const focusedName = () => document.querySelector('#settings :focus')?.getAttribute('name') ?? '';

/** @param {Found} found */
function showSettings(found) {
  loaded = found;
  drawn = JSON.stringify([found, language]);
  fields.clear();
  note.textContent = '';
  setText(problem, '');
  const known = Object.keys(found.form).filter((name) => name in found.secrets || name in found.values);
  const others = Object.keys(found.values).filter((name) => !known.includes(name));
  const parts = [...known, ...others].flatMap((name) => [makePart(found, name), ...makeTest(name)]);
  toolbar.draw(fields, found.defaults, found.saved_to ? t('settings.where', { place: translated(found.saved_to) }) : '');
  const provider = { group: 'model', isAdvanced: false, node: presets.presetField(found.presets, fields) };
  groups.draw([provider, ...parts, { group: 'safety', isAdvanced: false, node: secrets.secretsField() }]);
  checkup.node.dataset.apiTypes = (found.form.model_name?.api_types ?? []).join(' ');
  if (!checkup.node.closest('dialog')) showCheckup(); // the first-run dialog borrows it
  const ignored = Object.entries(found.ignored ?? {});
  for (const [name, why] of ignored) fields.get(name)?.refuse(why);
  hasIgnored = ignored.length > 0;
  saved = enteredValues();
  extras.mount(fields);
  notifications.mount(fields, enteredValues);
  toolbar.changed();
  updateSubmit();
  checkup.loadReport();
  reveal(wanted);
  document.dispatchEvent(new CustomEvent('settings', { detail: found }));
}

/** Put the check-up into its group. */
export function showCheckup() {
  document.getElementById('group-model')?.append(checkup.node);
  checkup.start.classList.remove('primary'); // there Submit is
  groups.update();
}

/** Show a setting and focus it, now or when the form is drawn. @param {string} name or "secrets:" with the name of the missing one */
export function reveal(name) {
  const [setting, missing = ''] = name.split(':');
  const control = setting === 'secrets' ? secrets.begin(missing) : fields.get(setting)?.control;
  wanted = control ? '' : name;
  if (control) groups.reveal(control);
}

/** @param {Found} found @param {string} name @returns {groups.Part} */
function makePart(found, name) {
  const { group = 'more', advanced = false, search = '', api_types = [] } = found.form[name] ?? {};
  const { node } = makeSetting(found, name);
  Object.assign(node.dataset, { search, apiTypes: api_types.join(' ') });
  const isDefault = found.values[name] === found.defaults[name] && !found.ignored?.[name];
  return { group, isAdvanced: advanced && isDefault, node };
}

/** The test of a connection, after the last of its settings. @param {string} last @returns {groups.Part[]} */
function makeTest(last) {
  const name = CONNECTION_NAMES.find((each) => CONNECTIONS[each].at(-1) === last);
  if (!name) return [];
  const isSaved = () => !edited().some((each) => CONNECTIONS[name].includes(each));
  const test = new ConnectionTest(name, enteredValues, fields, isSaved);
  test.button.hidden = tests[name]?.button.hidden === true; // until the next update
  tests[name] = test;
  return [{ group: name, isAdvanced: false, node: test.node }];
}

/** @param {Found} found @param {string} name */
function makeSetting(found, name) {
  const spec = {
    name,
    label: has(`setting.${name}`) ? t(`setting.${name}`) : name,
    value: found.values[name],
    help: translated(found.help[name] ?? ''),
    late: found.takes_effect[name] === 'restart',
    locked: found.locked.includes(name),
    choices: found.choices[name],
  };
  const made =
    name in found.secrets
      ? secretField(spec, found.secrets[name], found.secret_servers[name], fields)
      : name === 'initial_prompt'
        ? promptField(spec, found.default_prompt)
        : makeField(spec);
  fields.set(name, made);
  return made;
}

/** @param {SubmitEvent} event */
async function onsubmit(event) {
  event.preventDefault();
  for (const each of fields.values()) each.refuse('');
  setText(problem, '');
  note.textContent = t('settings.saving');
  try {
    const changed = edited();
    const late = changed.some((name) => loaded?.takes_effect[name] === 'run');
    const found = await call('/api/settings', valuesToSave(changed));
    const field = focusedName();
    showSettings(found);
    note.textContent = t(late ? 'settings.saved_for_run' : 'settings.saved');
    noteTimer = window.setTimeout(updateSubmit, NOTE_MS);
    focusLater(fields.get(field)?.control ?? note);
    testSaved(changed, late ? 'settings.saved_for_run_but' : 'settings.saved_but');
  } catch (error) {
    note.textContent = '';
    showRefusal(/** @type {Error} */ (error));
    updateSubmit();
  }
}

/** What was edited, with the rest of its connection, and what is to replace an ignored value. @param {string[]} changed */
function valuesToSave(changed) {
  const parts = Object.values(CONNECTIONS).filter((names) => names.some((name) => changed.includes(name)));
  const names = [...changed, ...parts.flat(), ...Object.keys(loaded?.ignored ?? {})];
  return Object.fromEntries(Object.entries(enteredValues()).filter(([name]) => names.includes(name)));
}

/** Test the connections that were changed. @param {string[]} changed @param {string} failed key of what is said if one fails */
async function testSaved(changed, failed) {
  for (const name of CONNECTION_NAMES) {
    const test = CONNECTIONS[name].some((each) => changed.includes(each)) && tests[name];
    if (!test || test.button.hidden) continue;
    await test.runSaved();
    if (!test.reason) continue;
    note.textContent = '';
    setMarkedText(problem, t(failed, { reason: test.reason }));
  }
}

/** @returns {Record<string, unknown>} */
function enteredValues() {
  const open = [...fields].filter(([, each]) => !(/** @type {HTMLInputElement} */ (each.control).disabled));
  return Object.fromEntries(
    open.map(([name, each]) => [name, each.value()]).filter(([, value]) => value !== undefined),
  );
}

/** @param {Error} error */
function showRefusal(error) {
  const reasons = error instanceof Refusal ? error.fields : {};
  const wrong = [...fields].filter(([name]) => reasons[name]);
  for (const [name, each] of wrong) each.refuse(reasons[name]);
  if (wrong.length) groups.reveal(wrong[0][1].control);
  const nameless = Object.entries(reasons)
    .filter(([name]) => !fields.has(name))
    .map(([name, why]) => t('label.value', { label: name, value: translated(why) }));
  setMarkedText(
    problem,
    joinSentences([wrong.length ? t('settings.not_saved', { count: wrong.length }) : error.message, ...nameless]),
  );
}
