// @ts-check
/** First-run dialog: connect the model, check it, try it on the simulated computer. */
import { call, Refusal } from './core/connection.js';
import { byId, fill, h, setText } from './core/dom.js';
import { makeField, secretField } from './settings/form_fields.js';
import * as presets from './settings/presets.js';
import { startButton } from './live/simulator_switch.js';
import { translated, t } from './core/i18n.js';

/** @typedef {import('./settings/settings.js').Found} Found */

/** The settings of a first connection; the others are in Settings. */
const FIELD_NAMES = ['api_type', 'base_url', 'model_name', 'api_key'];

const dialog = () => byId('first', HTMLDialogElement);
const problem = h('p', { class: 'error', role: 'alert', hidden: true });

/** @param {Found} found */
export function show(found) {
  setText(problem, '');
  const fields = new Map(FIELD_NAMES.map((name) => [name, makeConnectionField(found, name)]));
  const form = h(
    'form',
    { novalidate: true },
    h('p', { class: 'label' }, t('first.of', { n: 2 })),
    h('h2', { id: 'first-title' }, t('first.model')),
    presets.presetField(found.presets, fields),
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
  dialog().onclose = onClosed;
  dialog().showModal();
}

/** @param {Found} found @param {string} name */
function makeConnectionField(found, name) {
  const spec = {
    name,
    label: t(`setting.${name}`),
    value: found.values[name] ?? '',
    help: translated(found.help[name] ?? ''),
    locked: found.locked.includes(name),
    choices: found.choices[name],
  };
  return name in found.secrets ? secretField(spec, found.secrets[name]) : makeField(spec);
}

/** Save the connection only if it works. @param {SubmitEvent} event @param {Map<string, import('./settings/form_fields.js').Field>} fields */
async function save(event, fields) {
  event.preventDefault();
  const button = /** @type {HTMLButtonElement} */ (event.submitter ?? dialog().querySelector('[type=submit]'));
  for (const each of fields.values()) each.refuse('');
  const open = [...fields].filter(([, each]) => !(/** @type {HTMLInputElement} */ (each.control).disabled));
  try {
    const values = Object.fromEntries(open.map(([name, each]) => [name, each.value()]));
    button.disabled = true;
    setText(problem, '');
    button.textContent = t('connect.testing');
    await call('/api/settings/test-model', values);
    if (!dialog().open) return;
    document.dispatchEvent(new CustomEvent('settings', { detail: await call('/api/settings', values) }));
    await showTest();
  } catch (error) {
    const reasons = error instanceof Refusal ? error.fields : {};
    for (const [name, each] of fields) each.refuse(reasons[name] ?? '');
    setText(problem, /** @type {Error} */ (error).message);
  } finally {
    button.disabled = false;
    button.textContent = t('first.save');
  }
}

/** Borrows the check-up from Settings. */
async function showTest() {
  const { node } = await import('./settings/checkup.js');
  fill(
    dialog(),
    h('p', { class: 'label' }, t('first.of', { n: 3 })),
    h('h2', { id: 'first-title', tabindex: -1 }, t('first.try')),
    node,
    h('p', {}, t('first.virtual')),
    h(
      'div',
      { class: 'buttons' },
      startButton(close),
      h('button', { type: 'button', class: 'primary', onclick: close }, t('first.begin')),
    ),
  );
  document.dispatchEvent(new CustomEvent('tab', { detail: 'settings' }));
  byId('first-title', HTMLElement).focus();
}

const close = () => dialog().close();

/** Return the check-up to Settings, also when Esc closed the dialog. */
async function onClosed() {
  (await import('./settings/settings.js')).showCheckup();
  fill(dialog());
  byId('box', HTMLElement).focus();
}
