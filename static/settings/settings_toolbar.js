// @ts-check
/** Compare with defaults, restore, export and import settings. */
import { fill, h } from '../core/dom.js';
import { saveJson } from '../core/download.js';
import { icon } from '../core/icons.js';
import { t } from '../core/i18n.js';

/** @typedef {import('./form_fields.js').Field} Field */

/** Settings of this computer and device, which are not exported. */
const LOCAL_ONLY = ['kvm_certificate', 'record_dir'];

export class SettingsToolbar {
  /** @type {Map<string, Field>} */
  #fields = new Map();
  /** @type {Record<string, unknown>} */
  #defaults = {};
  #count = h('p', { class: 'help', role: 'status' });
  menu = h('div', { class: 'buttons', hidden: true });
  button = h('button', {
    class: 'quiet',
    'aria-expanded': 'false',
    'data-t-label': 'settings.more',
    onclick: () => this.#toggle(),
  }, icon('dots'));

  constructor() {
    document.addEventListener('click', ({ target }) => {
      const inside = [this.menu, this.button].some((part) => part.contains(/** @type {Node} */ (target)));
      if (!this.menu.hidden && !inside) this.#toggle();
    });
  }

  #toggle() {
    this.menu.hidden = !this.menu.hidden;
    this.button.ariaExpanded = String(!this.menu.hidden);
  }

  /** @param {Map<string, Field>} fields @param {Record<string, unknown>} defaults @param {string} where they are kept */
  draw(fields, defaults, where) {
    this.#fields = fields;
    this.#defaults = defaults;
    const file = h('input', { type: 'file', accept: '.json,application/json', hidden: true });
    file.addEventListener('change', () => this.#importFile(file));
    const button = (/** @type {string} */ key, /** @type {() => void} */ onclick) =>
      h('button', { onclick }, t(key));
    const once = (/** @type {() => void} */ act) => () => {
      act();
      this.#toggle();
      this.button.focus();
    };
    for (const [name, field] of fields) this.#addRestore(name, field);
    fill(
      this.menu,
      button('settings.export', once(() => saveJson(this.#exported(), 'agent-settings.json'))),
      button('settings.import', () => file.click()),
      button('settings.restore', once(() => this.enter(this.#defaults))),
      file,
      this.#count,
      h('p', { class: 'help' }, where),
    );
  }

  /** Fill in values without saving them. @param {Record<string, unknown>} values */
  enter(values) {
    for (const [name, field] of this.#fields)
      if (Object.hasOwn(values, name) && values[name] !== null) setControl(field, values[name]);
    this.changed();
  }

  /** Mark and count the settings that differ from their defaults. */
  changed() {
    let n = 0;
    for (const [name, field] of this.#fields) n += Number(field.node.classList.toggle('is-changed', this.#isChanged(name, field)));
    this.#count.textContent = n ? t('settings.changed', { n }) : '';
  }

  /** @param {string} name @param {Field} field */
  #isChanged(name, field) {
    return (
      Object.hasOwn(this.#defaults, name) &&
      String(field.value() ?? '') !== String(this.#defaults[name] ?? '')
    );
  }

  /** @param {string} name @param {Field} field */
  #addRestore(name, field) {
    const { disabled } = /** @type {HTMLInputElement} */ (field.control);
    if (disabled || !Object.hasOwn(this.#defaults, name) || name === 'initial_prompt') return;
    const restore = () => this.enter({ [name]: this.#defaults[name] });
    const label = t('label.value', { label: t('settings.default'), value: field.node.querySelector('label')?.textContent });
    const words = t('settings.default');
    field.node
      .querySelector('.name')
      ?.append(
        h('button', { class: 'quiet restore', 'aria-label': label, onclick: restore }, words),
      );
  }

  #exported() {
    const values = [...this.#fields].filter(([name]) => Object.hasOwn(this.#defaults, name));
    return Object.fromEntries(
      values.filter(([name]) => !LOCAL_ONLY.includes(name)).map(([name, field]) => [name, field.value()]),
    );
  }

  /** @param {HTMLInputElement} file */
  async #importFile(file) {
    try {
      const values = JSON.parse((await file.files?.[0]?.text()) ?? '');
      const known = Object.entries(Object(values)).filter(([name]) => Object.hasOwn(this.#defaults, name));
      if (!known.length) throw new Error('none of them is a setting');
      this.enter(Object.fromEntries(known));
      this.#count.textContent = t('settings.imported');
    } catch {
      this.#count.textContent = t('settings.no_json');
    }
    file.value = '';
  }
}

/** @param {Field} field @param {unknown} value */
function setControl({ control }, value) {
  const input = /** @type {HTMLInputElement} */ (control);
  if (input.disabled) return;
  if (input.type === 'checkbox') input.checked = value === true;
  else input.value = String(value ?? '');
  for (const kind of ['input', 'change']) input.dispatchEvent(new Event(kind, { bubbles: true }));
}
