// @ts-check
/** The settings form, drawn from what the server says there is to set; the server alone judges the values. */
import * as checkup from './checkup.js';
import { call, Refusal } from './connection.js';
import { byId, fill, h, land, say } from './dom.js';
import { field, prompt, secret } from './fields.js';
import * as secrets from './secrets.js';
import * as presets from './presets.js';
import { Sheet } from './sheet.js';
import { has, heard, language, t } from './words.js';

/** @typedef {import('./fields.js').Field} Field */
/**
 * @typedef {object} Found
 * @property {Record<string, string | number | boolean>} values
 * @property {Record<string, boolean>} secrets
 * @property {string[]} locked
 * @property {Record<string, string>} [ignored] why values of the file are not in force
 * @property {Record<string, import('./fields.js').Choice[]>} choices
 * @property {Record<string, string>} help
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
const sets = h('div');
const sheet = new Sheet();
const note = h('p', { class: 'help', role: 'status', tabindex: -1 });
const problem = h('p', { class: 'error', role: 'alert', hidden: true });
const submit = h('button', { type: 'submit', class: 'primary', 'data-t': 'settings.submit' });
const bar = h('div', { class: 'submit' }, problem, note, submit);
/** What the fields held when they were drawn. */
let before = '{}';
/** Whether the file holds what is not in force, which a save mends. */
let amiss = false;
/** For which connection and language the values were asked for. */
let asked = '';

export function mount() {
  const form = byId('settings', HTMLFormElement);
  fill(form, sets, bar);
  offerSubmit();
  checkup.mount();
  form.addEventListener('submit', onsubmit);
  form.addEventListener('input', (event) => {
    sheet.changed();
    note.textContent = '';
    const name = /** @type {Element} */ (event.target).getAttribute('name') ?? '';
    fields.get(name)?.refuse('');
    if (!form.querySelector('[aria-invalid]')) say(problem, '');
    offerSubmit();
  });
  checkup.node.addEventListener('cured', (event) => {
    const { found, changes } = /** @type {CustomEvent} */ (event).detail;
    keeping(found, changes);
  });
}

/** @param {import('./state.js').State} state */
export function update(state) {
  checkup.update(state);
  const wanted = [state.boot, state.connected, language].join();
  if (wanted === asked || state.link !== 'open') return;
  asked = wanted;
  offer();
}

async function offer() {
  try {
    const found = await call('/api/settings');
    keeping(found, {});
  } catch (error) {
    say(problem, /** @type {Error} */ (error).message);
    offerSubmit();
  }
}

const held = () => JSON.stringify(entered());

/** Where there is little room, a bar with nothing to submit would cover a field. */
function offerSubmit() {
  const due = amiss || held() !== before;
  const comes = due && bar.hidden;
  submit.hidden = !due;
  bar.hidden = !due && problem.hidden && !note.textContent;
  if (comes) document.querySelector('#settings :focus')?.scrollIntoView({ block: 'nearest' });
}

/** What somebody has begun to enter stays in its field, unless it has been changed. @param {Found} found @param {object} changes */
function keeping(found, changes) {
  const begun = held() === before ? {} : entered();
  for (const name of Object.keys(changes)) delete begun[name];
  show(found);
  sheet.enter(begun);
}

/** @param {Found} found */
function show(found) {
  fields.clear();
  const grouped = GROUPS.flatMap(([, names]) => names);
  const others = Object.keys(found.values).filter((name) => !grouped.includes(name));
  const groups = others.length ? [...GROUPS, ['more', others]] : GROUPS;
  const where = found.saved_to ? t('settings.where', { place: heard(found.saved_to) }) : '';
  note.textContent = '';
  say(problem, '');
  const [model, ...rest] = groups.map(([title, names]) => group(found, String(title), [...names]));
  model.querySelector('legend')?.after(presets.choice(found.presets, fields));
  const here = !checkup.node.closest('dialog') && checkup.node; // the first run has borrowed it
  fill(sets, sheet.node(fields, found.defaults, where), ways(groups), model, here, ...rest);
  const ignored = Object.entries(found.ignored ?? {});
  for (const [name, why] of ignored) fields.get(name)?.refuse(why);
  amiss = ignored.length > 0;
  before = held();
  sheet.filter();
  sheet.changed();
  offerSubmit();
  checkup.offer();
  document.dispatchEvent(new CustomEvent('settings', { detail: found }));
}

/** The names of the groups, to get there in one step. @param {Array<any>} groups */
function ways(groups) {
  const way = (/** @type {string} */ title) =>
    h(
      'button',
      { type: 'button', class: 'quiet', onclick: () => go(byId(`group-${title}`, HTMLElement)) },
      t(`group.${title}`),
      h('span', { class: 'tag', 'data-group': title }),
    );
  const names = groups.map(([title]) => way(title));
  return h('nav', { class: 'groups slider', 'aria-label': t('settings.groups') }, ...names);
}

/** Who does not see it scroll is there too. @param {HTMLElement} group */
function go(group) {
  group.scrollIntoView();
  group.focus({ preventScroll: true });
}

/** @param {Found} found @param {string} title @param {string[]} names */
function group(found, title, names) {
  const nodes = names
    .filter((name) => name in found.secrets || name in found.values)
    .map((name) => make(found, name).node);
  const more = title === 'safety' ? [secrets.part()] : [];
  return h('fieldset', { id: `group-${title}`, tabindex: -1 }, h('legend', {}, t(`group.${title}`)), ...nodes, ...more);
}

/** @param {Found} found @param {string} name */
function make(found, name) {
  const spec = {
    name,
    label: has(`setting.${name}`) ? t(`setting.${name}`) : name,
    value: found.values[name],
    help: heard(found.help[name] ?? ''),
    locked: found.locked.includes(name),
    choices: found.choices[name],
  };
  const made =
    name in found.secrets
      ? secret(spec, found.secrets[name])
      : name === 'initial_prompt'
        ? prompt(spec, found.default_prompt)
        : field(spec);
  fields.set(name, made);
  return made;
}

/** @param {SubmitEvent} event */
async function onsubmit(event) {
  event.preventDefault();
  for (const each of fields.values()) each.refuse('');
  say(problem, '');
  note.textContent = t('settings.saving');
  try {
    const found = await call('/api/settings', entered());
    const at = document.activeElement?.getAttribute('name') ?? '';
    show(found);
    const field = fields.get(at); // made anew
    note.textContent = t('settings.saved');
    bar.hidden = false;
    land(field?.control ?? note);
  } catch (error) {
    note.textContent = '';
    refused(/** @type {Error} */ (error));
    offerSubmit();
  }
}

/** @returns {Record<string, unknown>} */
function entered() {
  const open = [...fields].filter(([, each]) => !(/** @type {HTMLInputElement} */ (each.control).disabled));
  return Object.fromEntries(
    open.map(([name, each]) => [name, each.value()]).filter(([, value]) => value !== undefined),
  );
}

/** @param {Error} error */
function refused(error) {
  const reasons = error instanceof Refusal ? error.fields : {};
  const wrong = [...fields].filter(([name]) => reasons[name]);
  for (const [name, each] of wrong) each.refuse(reasons[name]);
  wrong[0]?.[1].control.focus();
  const nameless = Object.entries(reasons)
    .filter(([name]) => !fields.has(name))
    .map(([name, why]) => `${name}: ${heard(why, true)}`);
  say(
    problem,
    wrong.length ? [t('settings.not_saved'), ...nameless].join(' ') : [error.message, ...nameless].join(' '),
  );
}
