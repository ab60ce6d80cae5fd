// @ts-check
/** Named secrets for typing: they go to the service once, and never come back; only their names do. */
import { call } from './connection.js';
import { fill, h, say } from './dom.js';
import { heard, t } from './words.js';

/** @typedef {{ name: string, withhold: boolean }} Secret */

const list = h('ul', { class: 'secrets' });
const problem = h('p', { class: 'error', role: 'alert', hidden: true });
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

/** The part of the settings form; what is entered here is kept at once, not with Submit. */
export function part() {
  offer();
  return h(
    'div',
    { class: 'field' },
    h('div', { class: 'name' }, h('label', { for: 'secret-name' }, t('secrets.title'))),
    h('p', { class: 'help' }, t('secrets.help')),
    list,
    h(
      'div',
      { class: 'secret-new' },
      labelled(name, 'secrets.name'),
      labelled(value, 'secrets.value'),
      h('button', { type: 'button', onclick: keep }, t('secrets.keep')),
    ),
    h('label', { class: 'check', for: 'secret-withhold' }, withhold, t('secrets.withhold')),
    problem,
  );
}

/** @param {HTMLInputElement} input @param {string} key */
function labelled(input, key) {
  input.placeholder = t(key);
  input.setAttribute('aria-label', t(key));
  input.onkeydown = (event) => {
    if (event.key !== 'Enter') return;
    event.preventDefault();
    keep();
  };
  return input;
}

const offer = () => ask('/api/secrets');

async function keep() {
  const kept = await ask('/api/secrets', {
    name: name.value.trim().toLowerCase(),
    value: value.value,
    withhold: withhold.checked,
  });
  if (!kept) return;
  name.value = value.value = '';
  withhold.checked = false;
}

/** @param {string} path @param {object} [body] */
async function ask(path, body) {
  try {
    draw((await call(path, body)).secrets);
    say(problem, '');
    return true;
  } catch (error) {
    say(problem, heard(/** @type {Error} */ (error).message));
    return false;
  }
}

/** @param {Secret[]} secrets */
function draw(secrets) {
  const row = (/** @type {Secret} */ { name, withhold }) =>
    h(
      'li',
      {},
      h('code', {}, `{{secret:${name}}}`),
      h('span', { class: 'dots' }, '••••'),
      withhold && h('span', { class: 'tag' }, t('secrets.withheld')),
      h(
        'button',
        { type: 'button', class: 'quiet', onclick: () => ask('/api/secrets/forget', { name }) },
        t('secrets.forget'),
      ),
    );
  fill(list, ...secrets.map(row));
}
