// @ts-check
/** Servers that people have: choosing one fills in how and where the model is spoken to; nothing is saved yet. */
import { fill, h } from './dom.js';
import { heard, t } from './words.js';

/**
 * @typedef {{ name: string, label: string, api_type: string, base_url: string, example: string, help: string,
 *   models: string }} Preset
 */
/** @typedef {Map<string, import('./fields.js').Field>} Fields */

/** @param {Preset[]} presets @param {Fields} fields */
export function choice(presets, fields) {
  const select = h(
    'select',
    { id: 'preset', 'aria-describedby': 'help-preset about-preset' },
    h('option', { value: '' }, t('preset.none')),
    ...presets.map(({ name, label }) => h('option', { value: name }, heard(label))),
  );
  const note = h('p', { class: 'help', id: 'about-preset', role: 'status' });
  const chosen = () => presets.find(({ name }) => name === select.value);
  select.addEventListener('change', () => {
    const preset = chosen();
    if (preset) enter(preset, presets, fields);
    fill(note, preset ? heard(preset.help) : '');
  });
  const model = control(fields, 'model_name');
  const hint = () => fill(note, advice(presets, model.value, control(fields, 'api_type').value));
  model.addEventListener('input', hint);
  return h(
    'div',
    { class: 'field' },
    h('div', { class: 'name' }, h('label', { for: 'preset' }, t('preset.label'))),
    h('p', { class: 'help', id: 'help-preset' }, t('preset.help')),
    select,
    note,
  );
}

/** @param {Preset} preset @param {Preset[]} presets @param {Fields} fields */
function enter(preset, presets, fields) {
  put(fields, 'api_type', preset.api_type);
  put(fields, 'base_url', preset.base_url);
  const name = control(fields, 'model_name').value.trim();
  if (!name || presets.some(({ example }) => example === name)) put(fields, 'model_name', preset.example);
}

/** A model that only one service has, while another one is set. @param {Preset[]} presets @param {string} name @param {string} apiType */
function advice(presets, name, apiType) {
  const only = presets.find(({ models }) => models && new RegExp(models).test(name.trim().toLowerCase()));
  return only && only.api_type !== apiType ? t('preset.only', { name: heard(only.label) }) : '';
}

/** @param {Fields} fields @param {string} name @param {string} value */
function put(fields, name, value) {
  const input = control(fields, name);
  if (input.disabled) return;
  input.value = value;
  input.dispatchEvent(new Event('input', { bubbles: true }));
  input.dispatchEvent(new Event('change', { bubbles: true }));
}

/** @param {Fields} fields @param {string} name */
const control = (fields, name) => /** @type {HTMLInputElement} */ (fields.get(name)?.control);
