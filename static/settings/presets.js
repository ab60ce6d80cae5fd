// @ts-check
/** Presets of common model servers; choosing one fills in the connection without saving it. */
import { fill, h, setText } from '../core/dom.js';
import { translated, t } from '../core/i18n.js';
import { lockedText } from './form_fields.js';

/** @typedef {import('../core/i18n.js').Translatable} Translatable */
/**
 * @typedef {{ name: string, label: Translatable, api_type: string, base_url: string, example: string, help: Translatable,
 *   models: string }} Preset
 */
/** @typedef {Map<string, import('./form_fields.js').Field>} Fields */

/** The settings that are of a model server. */
const SERVER = ['base_url', 'model_name', 'api_key'];
/** The one that the person chose last, whose address may be any. */
let lastChosen = '';

/** @param {Preset[]} presets @param {Fields} fields @param {string} [prefix] of the ids, in another form than Settings */
export function presetField(presets, fields, prefix = '') {
  const select = h(
    'select',
    { id: `${prefix}preset`, 'aria-describedby': `${prefix}help-preset ${prefix}about-preset` },
    h('option', { value: '' }, t('preset.none')),
    ...presets.map(({ name, label }) => h('option', { value: name }, translated(label))),
  );
  const note = h('p', { class: 'help', id: `${prefix}about-preset`, role: 'status' });
  const chosen = () => presets.find(({ name }) => name === select.value);
  const [apiType, ...inputs] = ['api_type', ...SERVER].map((name) => inputOf(fields, name));
  const [baseUrl, model, key] = inputs;
  select.disabled = apiType.disabled;
  const help = h('p', { class: 'help', id: `${prefix}help-preset` });
  const explain = () => {
    setText(help, select.disabled ? lockedText() : chosen()?.api_type === 'local' ? '' : t('preset.help'));
    fill(note, translated(chosen()?.help ?? ''));
  };
  const possible = () => presets.filter(({ api_type }) => api_type === apiType.value);
  /** Name the provider of this base URL, at any host if its own is localhost, or the only or last chosen one of the API type. */
  const nameProvider = () => {
    const url = baseUrl.value.trim();
    const urls = [url, url.replace(/\/\/[^/:]+/, '//localhost')];
    const [only, more] = possible();
    const own = possible().find(({ base_url }) => urls.includes(base_url)) ?? possible().find(({ name }) => name === lastChosen);
    select.value = (more ? own : only)?.name ?? '';
    explain();
  };
  select.addEventListener('change', () => {
    const preset = chosen();
    lastChosen = select.value;
    if (preset) fillFields(preset, presets, fields);
    explain();
  });
  /** The API type that the base URL, the model name and the typed key are of. */
  let type = apiType.value;
  const server = () => inputs.map(({ value }) => value);
  /** These as they were when another one was chosen, by API type; "local" uses none and leaves them as saved. */
  const former = new Map([['local', server()]]);
  const replaceServer = () => {
    const own = (/** @type {'base_url' | 'example'} */ name) => onlyOf(possible().map((each) => each[name]));
    if (type === 'local' && former.size === 1) suggestModel(own('example') || model.value, presets, fields); // the saved ones may be of any
    else {
      if (type !== 'local') former.set(type, server());
      const values = former.get(apiType.value) ?? [own('base_url'), own('example'), type ? '' : key.value];
      for (const [index, name] of SERVER.entries()) setValue(fields, name, values[index]);
    }
    type = apiType.value;
  };
  apiType.addEventListener('change', () => {
    if (type !== apiType.value) replaceServer();
    if (chosen()?.api_type !== apiType.value) nameProvider();
  });
  nameProvider();
  const warning = h('p', { class: 'help is-warning', role: 'status', hidden: true });
  model.after(warning);
  const warn = () => {
    setText(warning, otherProvider(presets, model.value, apiType.value));
    if (document.activeElement === model) setTimeout(() => warning.scrollIntoView({ block: 'nearest' })); // the bar below may grow
  };
  for (const input of [model, apiType]) input.addEventListener('input', warn);
  return h(
    'div',
    { class: 'field' },
    h('div', { class: 'name' }, h('label', { for: select.id }, t('preset.label'))),
    select,
    help,
    note,
  );
}

/** @param {Preset} preset @param {Preset[]} presets @param {Fields} fields */
function fillFields(preset, presets, fields) {
  setValue(fields, 'api_type', preset.api_type);
  if (preset.api_type === 'local') return;
  setValue(fields, 'base_url', preset.base_url);
  suggestModel(preset.example, presets, fields);
}

/** Put it in place of another example. @param {string} example @param {Preset[]} presets @param {Fields} fields */
function suggestModel(example, presets, fields) {
  const name = inputOf(fields, 'model_name').value.trim();
  if (!name || presets.some((each) => each.example === name)) setValue(fields, 'model_name', example);
}

/** The one value that all have, or "". @param {string[]} values */
const onlyOf = (values) => (new Set(values).size === 1 ? values[0] : '');

/** Name the provider of a model that only one has, while another one is set. @param {Preset[]} presets @param {string} name @param {string} apiType */
function otherProvider(presets, name, apiType) {
  const only = presets.find(({ models }) => models && new RegExp(models).test(name.trim().toLowerCase()));
  return only && !['local', only.api_type].includes(apiType) ? t('preset.only', { name: translated(only.label) }) : '';
}

/** @param {Fields} fields @param {string} name @param {string} value */
export function setValue(fields, name, value) {
  const input = inputOf(fields, name);
  if (input.disabled) return;
  input.value = value;
  input.dispatchEvent(new Event('input', { bubbles: true }));
  input.dispatchEvent(new Event('change', { bubbles: true }));
}

/** @param {Fields} fields @param {string} name */
const inputOf = (fields, name) => /** @type {HTMLInputElement} */ (fields.get(name)?.control);
