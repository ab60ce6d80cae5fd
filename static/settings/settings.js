// @ts-check
/** The settings form; the server defines the settings and validates them. */
import * as checkup from './checkup.js';
import { call, Refusal } from '../core/connection.js';
import { byId, fill, h, focusLater, setText } from '../core/dom.js';
import * as extras from './extras.js';
import { makeField, promptField, secretField } from './form_fields.js';
import * as secrets from './secrets.js';
import * as presets from './presets.js';
import { SettingsToolbar } from './settings_toolbar.js';
import { has, translated, language, t } from '../core/i18n.js';

/** @typedef {import('./form_fields.js').Field} Field */
/**
 * @typedef {object} Found
 * @property {Record<string, string | number | boolean>} values
 * @property {Record<string, boolean>} secrets
 * @property {string[]} locked
 * @property {Record<string, string>} [ignored] why values of the file are not in force
 * @property {Record<string, import('./form_fields.js').Choice[]>} choices
 * @property {Record<string, import('../core/i18n.js').Translatable>} help
 * @property {Record<string, string>} takes_effect
 * @property {import('./presets.js').Preset[]} presets
 * @property {string} default_prompt
 * @property {Record<string, unknown>} defaults
 * @property {boolean} notice_acknowledged
 * @property {string} saved_to
 */

/** @type {Array<[string, string[]]>} */
const GROUPS = [
  ['model', ['api_type', 'base_url', 'api_key', 'model_name', 'dialect']],
  ['computer', ['target_os', 'keyboard_layout', 'unicode_entry', 'pace', 'pointer', 'pointer_gain']],
  ['safety', ['take_over', 'gate', 'gate_reads', 'gate_ask', 'gate_pass', 'record_dir', 'record_mb']],
  ['work', ['max_rounds', 'max_minutes', 'img_keep_n', 'check_done', 'ask_again', 'second_opinion']],
  ['prompt', ['prompt_language', 'prompt_addition', 'initial_prompt']],
  ['money', ['max_tokens', 'max_cost', 'price_in', 'price_out']],
  ['kvm', ['kvm', 'kvm_user', 'kvm_password', 'kvm_code', 'kvm_certificate', 'stream_url']],
  ['screen', ['screenshot_width']],
];

/** @type {Map<string, Field>} */
const fields = new Map();
const groupsNode = h('div');
const toolbar = new SettingsToolbar();
const note = h('p', { class: 'help', role: 'status', tabindex: -1 });
const problem = h('p', { class: 'error', role: 'alert', hidden: true });
const submit = h('button', { type: 'submit', class: 'primary', 'data-t': 'settings.submit' });
const bar = h('div', { class: 'submit' }, problem, note, submit);
/** Field values when the form was drawn. */
let savedJson = '{}';
/** Whether the file differs from the settings in effect; saving resolves that. */
let hasIgnored = false;
/** Connection and language for which the values were loaded. */
let loadedFor = '';

export function mount() {
  const form = byId('settings', HTMLFormElement);
  fill(form, groupsNode, bar);
  updateSubmit();
  checkup.mount();
  form.addEventListener('submit', onsubmit);
  form.addEventListener('input', (event) => {
    toolbar.changed();
    note.textContent = '';
    const name = /** @type {Element} */ (event.target).getAttribute('name') ?? '';
    fields.get(name)?.refuse('');
    if (!form.querySelector('[aria-invalid]')) setText(problem, '');
    updateSubmit();
  });
  checkup.node.addEventListener('cured', (event) => {
    const { found, changes } = /** @type {CustomEvent} */ (event).detail;
    showKeepingEdits(found, changes);
  });
}

/** @param {import('../core/state.js').State} state */
export function update(state) {
  checkup.update(state);
  const wanted = [state.boot, state.connected, language].join();
  if (wanted === loadedFor || state.link !== 'open') return;
  loadedFor = wanted;
  loadSettings();
}

async function loadSettings() {
  try {
    const found = await call('/api/settings');
    showKeepingEdits(found, {});
  } catch (error) {
    setText(problem, /** @type {Error} */ (error).message);
    updateSubmit();
  }
}

const enteredJson = () => JSON.stringify(enteredValues());

/** Hide the submit bar without changes: on a small screen it would cover a field. */
function updateSubmit() {
  const due = hasIgnored || enteredJson() !== savedJson;
  const comes = due && bar.hidden;
  submit.hidden = !due;
  bar.hidden = !due && problem.hidden && !note.textContent;
  if (comes) document.querySelector('#settings :focus')?.scrollIntoView({ block: 'nearest' });
}

/** Keep unsaved input, unless that setting was changed. @param {Found} found @param {object} changes */
function showKeepingEdits(found, changes) {
  const begun = enteredJson() === savedJson ? {} : enteredValues();
  for (const name of Object.keys(changes)) delete begun[name];
  showSettings(found);
  toolbar.enter(begun);
}

/** @param {Found} found */
function showSettings(found) {
  fields.clear();
  const grouped = GROUPS.flatMap(([, names]) => names);
  const others = Object.keys(found.values).filter((name) => !grouped.includes(name));
  const groups = others.length ? [...GROUPS, ['more', others]] : GROUPS;
  const where = found.saved_to ? t('settings.where', { place: translated(found.saved_to) }) : '';
  note.textContent = '';
  setText(problem, '');
  const [model, ...rest] = groups.map(([title, names]) => makeGroup(found, String(title), [...names]));
  model.querySelector('legend')?.after(presets.presetField(found.presets, fields));
  const here = !checkup.node.closest('dialog') && checkup.node; // the first-run dialog borrows it
  fill(groupsNode, toolbar.node(fields, found.defaults, where), groupLinks(groups), model, here, ...rest);
  const ignored = Object.entries(found.ignored ?? {});
  for (const [name, why] of ignored) fields.get(name)?.refuse(why);
  hasIgnored = ignored.length > 0;
  savedJson = enteredJson();
  extras.mount(fields);
  toolbar.filter();
  toolbar.changed();
  updateSubmit();
  checkup.loadReport();
  document.dispatchEvent(new CustomEvent('settings', { detail: found }));
}

/** Links to the groups. @param {Array<any>} groups */
function groupLinks(groups) {
  const way = (/** @type {string} */ title) =>
    h(
      'button',
      { type: 'button', class: 'quiet', onclick: () => goTo(byId(`group-${title}`, HTMLElement)) },
      t(`group.${title}`),
      h('span', { class: 'tag', 'data-group': title }),
    );
  const names = groups.map(([title]) => way(title));
  return h('nav', { class: 'groups slider', 'aria-label': t('settings.groups') }, ...names);
}

/** Scroll to a group and focus it, for screen readers. @param {HTMLElement} group */
function goTo(group) {
  group.scrollIntoView();
  group.focus({ preventScroll: true });
}

/** @param {Found} found @param {string} title @param {string[]} names */
function makeGroup(found, title, names) {
  const nodes = names
    .filter((name) => name in found.secrets || name in found.values)
    .map((name) => makeSetting(found, name).node);
  const more = title === 'safety' ? [secrets.secretsField()] : [];
  return h('fieldset', { id: `group-${title}`, tabindex: -1 }, h('legend', {}, t(`group.${title}`)), ...nodes, ...more);
}

/** @param {Found} found @param {string} name */
function makeSetting(found, name) {
  const spec = {
    name,
    label: has(`setting.${name}`) ? t(`setting.${name}`) : name,
    value: found.values[name],
    help: translated(found.help[name] ?? ''),
    effect: found.takes_effect[name],
    locked: found.locked.includes(name),
    choices: found.choices[name],
  };
  const made =
    name in found.secrets
      ? secretField(spec, found.secrets[name])
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
    const found = await call('/api/settings', enteredValues());
    const at = document.activeElement?.getAttribute('name') ?? '';
    showSettings(found);
    const field = fields.get(at); // made anew
    note.textContent = t('settings.saved');
    bar.hidden = false;
    focusLater(field?.control ?? note);
  } catch (error) {
    note.textContent = '';
    showRefusal(/** @type {Error} */ (error));
    updateSubmit();
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
  wrong[0]?.[1].control.focus();
  const nameless = Object.entries(reasons)
    .filter(([name]) => !fields.has(name))
    .map(([name, why]) => `${name}: ${translated(why)}`);
  setText(
    problem,
    wrong.length ? [t('settings.not_saved', { count: wrong.length }), ...nameless].join(' ') : [error.message, ...nameless].join(' '),
  );
}
