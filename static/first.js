// @ts-check
/** After the safety notice, once: connect the model, see whether it sees straight, try it where nothing can break. */
import { call, Refusal } from './connection.js';
import { byId, fill, h, say } from './dom.js';
import { field, secret } from './fields.js';
import * as presets from './presets.js';
import { offer } from './rehearsal.js';
import { heard, t } from './words.js';

/** @typedef {import('./settings.js').Found} Found */

/** What a first connection needs; the rest is in Settings. */
const NAMES = ['api_type', 'base_url', 'model_name', 'api_key'];

const dialog = () => byId('first', HTMLDialogElement);
const problem = h('p', { class: 'error', role: 'alert', hidden: true });

/** @param {Found} found */
export function show(found) {
  say(problem, '');
  const fields = new Map(NAMES.map((name) => [name, control(found, name)]));
  const form = h(
    'form',
    { novalidate: true },
    h('p', { class: 'label' }, t('first.of', { n: 2 })),
    h('h2', { id: 'first-title' }, t('first.model')),
    presets.choice(found.presets, fields),
    ...[...fields.values()].map(({ node }) => node),
    problem,
    h(
      'div',
      { class: 'buttons' },
      h('button', { type: 'button', class: 'quiet', onclick: close }, t('first.later')),
      h('button', { type: 'submit', class: 'primary' }, t('first.save')),
    ),
  );
  form.addEventListener('submit', (event) => save(event, fields));
  fill(dialog(), form);
  dialog().onclose = closed;
  dialog().showModal();
}

/** @param {Found} found @param {string} name */
function control(found, name) {
  const spec = {
    name,
    label: t(`setting.${name}`),
    value: found.values[name] ?? '',
    help: heard(found.help[name] ?? ''),
    locked: found.locked.includes(name),
    choices: found.choices[name],
  };
  return name in found.secrets ? secret(spec, found.secrets[name]) : field(spec);
}

/** @param {SubmitEvent} event @param {Map<string, import('./fields.js').Field>} fields */
async function save(event, fields) {
  event.preventDefault();
  for (const each of fields.values()) each.refuse('');
  const open = [...fields].filter(([, each]) => !(/** @type {HTMLInputElement} */ (each.control).disabled));
  try {
    const values = Object.fromEntries(open.map(([name, each]) => [name, each.value()]));
    document.dispatchEvent(new CustomEvent('settings', { detail: await call('/api/settings', values) }));
    await last();
  } catch (error) {
    const reasons = error instanceof Refusal ? error.fields : {};
    for (const [name, each] of fields) each.refuse(reasons[name] ?? '');
    say(problem, /** @type {Error} */ (error).message);
  }
}

/** The check-up lives in Settings, which is fetched for it. */
async function last() {
  const { node } = await import('./checkup.js');
  fill(
    dialog(),
    h('p', { class: 'label' }, t('first.of', { n: 3 })),
    h('h2', { id: 'first-title', tabindex: -1 }, t('first.try')),
    node,
    h('p', {}, t('first.virtual')),
    h(
      'div',
      { class: 'buttons' },
      offer(close),
      h('button', { type: 'button', class: 'primary', onclick: close }, t('first.begin')),
    ),
  );
  document.dispatchEvent(new CustomEvent('tab', { detail: 'settings' }));
  byId('first-title', HTMLElement).focus();
}

const close = () => dialog().close();

/** With Esc too: what was borrowed goes back to where it lives. */
async function closed() {
  const { node } = await import('./checkup.js');
  document.querySelector('#settings .sheet')?.after(node);
  fill(dialog());
  byId('box', HTMLElement).focus();
}
