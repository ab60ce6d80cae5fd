// @ts-check
/** The settings form, drawn from what the server says there is to set; the server alone judges the values. */
import * as checkup from './checkup.js';
import { call, Refusal } from './connection.js';
import { byId, fill, h, say } from './dom.js';
import { field, key, prompt } from './fields.js';

/** @typedef {import('./fields.js').Field} Field */
/**
 * @typedef {object} Found
 * @property {Record<string, string | number>} values
 * @property {boolean} has_key
 * @property {string[]} locked
 * @property {Record<string, import('./fields.js').Choice[]>} choices
 * @property {Record<string, string>} help
 * @property {string} default_prompt
 * @property {boolean} notice_acknowledged
 * @property {string} saved_to
 */

/** @type {Array<[string, string[]]>} */
const GROUPS = [
  ['Model', ['api_type', 'base_url', 'api_key', 'model_name', 'dialect']],
  ['The computer', ['target_os']],
  ['Way of working', ['max_rounds', 'img_keep_n', 'initial_prompt']],
  ['Screen', ['stream_url', 'screenshot_width']],
];
/** @type {Record<string, string>} */
const LABELS = {
  api_type: 'API type',
  base_url: 'Base URL',
  api_key: 'API key',
  model_name: 'Model name',
  dialect: 'Dialect',
  target_os: 'Operating system',
  max_rounds: 'Most steps (MAX_ROUNDS)',
  img_keep_n: 'Screenshots sent (IMG_KEEP_N)',
  initial_prompt: 'Initial prompt',
  stream_url: 'Video stream',
  screenshot_width: 'Screenshot width',
};

/** For what the server does not list among the values. @type {Record<string, string>} */
const HELP = { api_key: 'Sent to the model server alone, and never shown here again.' };

/** @type {Map<string, Field>} */
const fields = new Map();
const sets = h('div');
const note = h('p', { class: 'help', role: 'status' });
const problem = h('p', { class: 'error', role: 'alert', hidden: true });
let touched = false;

export function mount() {
  const form = byId('settings', HTMLFormElement);
  const submit = h('button', { type: 'submit', class: 'primary' }, 'Submit');
  fill(form, sets, h('div', { class: 'submit' }, problem, note, submit));
  form.addEventListener('submit', onsubmit);
  form.addEventListener('input', () => (touched = true));
  checkup.node.addEventListener('cured', (event) => show(/** @type {CustomEvent} */ (event).detail));
}

/** What a page hears when it connects; never over what somebody has begun to enter. @param {Found} found */
export function offer(found) {
  if (!touched) show(found);
}

/** @param {Found} found */
function show(found) {
  touched = false;
  fields.clear();
  const grouped = GROUPS.flatMap(([, names]) => names);
  const others = Object.keys(found.values).filter((name) => !grouped.includes(name));
  const groups = others.length ? [...GROUPS, ['More', others]] : GROUPS;
  note.textContent = found.saved_to ? `Where they are kept: ${found.saved_to}` : '';
  say(problem, '');
  const [model, ...rest] = groups.map(([title, names]) => group(found, String(title), [...names]));
  fill(sets, model, checkup.node, ...rest);
  checkup.offer();
}

/** @param {Found} found @param {string} title @param {string[]} names */
function group(found, title, names) {
  const nodes = names
    .filter((name) => name === 'api_key' || name in found.values)
    .map((name) => make(found, name).node);
  return h('fieldset', {}, h('legend', {}, title), ...nodes);
}

/** @param {Found} found @param {string} name */
function make(found, name) {
  const spec = {
    name,
    label: LABELS[name] ?? name,
    value: found.values[name],
    help: found.help[name] ?? HELP[name] ?? '',
    locked: found.locked.includes(name),
    choices: found.choices[name],
  };
  const made =
    name === 'api_key'
      ? key(spec, found.has_key)
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
  note.textContent = 'Saving…';
  try {
    show(await call('/api/settings', entered()));
    note.prepend('Saved. ');
  } catch (error) {
    note.textContent = '';
    refused(/** @type {Error} */ (error));
  }
}

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
    .map(([name, why]) => `${name}: ${why}`);
  say(
    problem,
    wrong.length
      ? ['Not saved: see the fields above.', ...nameless].join(' ')
      : [error.message, ...nameless].join(' '),
  );
}
