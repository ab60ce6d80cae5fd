// @ts-check
/** Named secrets for typing; the service returns only their names. */
import { isConfirmed } from '../chat/run_buttons.js';
import { call } from '../core/connection.js';
import { fill, h, setText } from '../core/dom.js';
import { t } from '../core/i18n.js';

/** @typedef {{ name: string, withhold: boolean }} Secret */

const list = h('ul', { class: 'secrets' });
const problem = h('p', { class: 'error', id: 'secret-problem', role: 'alert', hidden: true });
const name = h('input', {
  type: 'text',
  id: 'secret-name',
  maxlength: 40,
  autocapitalize: 'off',
  spellcheck: 'false',
  autocomplete: 'off',
});
const value = h('input', { type: 'password', id: 'secret-value', autocomplete: 'new-password' });
const withhold = h('input', { type: 'checkbox', id: 'secret-withhold' });

/** The secrets part of the settings form; saved at once, not with Submit. */
export function secretsField() {
  loadSecrets();
  return h(
    'div',
    { class: 'field', 'data-search': 'password login 密码 登录' },
    h('div', { class: 'name' }, h('label', { for: 'secret-name' }, t('secrets.title'))),
    h('p', { class: 'help' }, t('secrets.help')),
    list,
    h(
      'div',
      { class: 'secret-new' },
      withLabel(name, 'secrets.name'),
      withLabel(value, 'secrets.value'),
      h('button', { onclick: saveSecret }, t('secrets.keep')),
    ),
    problem,
    h('label', { class: 'check', for: 'secret-withhold' }, withhold, t('secrets.withhold')),
  );
}

/** Fill in the name of a new one; return the field of its value, none before the form is drawn. @param {string} missing */
export function begin(missing) {
  name.value = missing;
  return name.isConnected ? value : undefined;
}

/** @param {HTMLInputElement} input @param {string} key */
function withLabel(input, key) {
  input.placeholder = t(key);
  input.setAttribute('aria-label', t(key));
  input.setAttribute('aria-describedby', problem.id);
  input.oninput = clearProblem;
  input.onkeydown = (event) => {
    if (event.key !== 'Enter') return;
    event.preventDefault();
    saveSecret();
  };
  return input;
}

const loadSecrets = () => post('/api/secrets');

async function saveSecret() {
  const kept = await post('/api/secrets', {
    name: name.value.trim().toLowerCase(),
    value: value.value,
    withhold: withhold.checked,
  });
  if (!kept) return;
  name.value = value.value = '';
  withhold.checked = false;
}

function clearProblem() {
  setText(problem, '');
  for (const input of [name, value]) input.ariaInvalid = null;
}

/** @param {string} path @param {object} [body] */
async function post(path, body) {
  clearProblem();
  try {
    drawSecrets((await call(path, body)).secrets);
    return true;
  } catch (error) {
    showProblem(/** @type {import('../core/connection.js').Refusal} */ (error));
    return false;
  }
}

/** @param {import('../core/connection.js').Refusal} error */
function showProblem({ message, key }) {
  setText(problem, message);
  const wrong = { 'secret.bad_name': name, 'secret.bad_length': value }[key];
  if (!wrong) return;
  wrong.ariaInvalid = 'true';
  wrong.focus();
  problem.scrollIntoView({ block: 'nearest' });
}

/** @param {Secret[]} secrets */
function drawSecrets(secrets) {
  const row = (/** @type {Secret} */ { name, withhold }) =>
    h(
      'li',
      {},
      h('code', {}, `{{secret:${name}}}`),
      h('span', { class: 'dots' }, '••••'),
      withhold && h('span', { class: 'tag' }, t('secrets.withheld')),
      forgetButton(name),
    );
  fill(list, ...secrets.map(row));
}

/** Ask first: the value cannot be restored. @param {string} name */
function forgetButton(name) {
  const button = h('button', { class: 'quiet', 'data-t': 'secrets.forget' });
  button.addEventListener('click', () => isConfirmed(button, 'secrets.sure') && post('/api/secrets/forget', { name }));
  return button;
}
