// @ts-check
/** Search, compare with defaults, export and import settings. */
import { h, setTextLater } from '../core/dom.js';
import { saveJson } from '../core/download.js';
import { t } from '../core/i18n.js';

/** @typedef {import('./form_fields.js').Field} Field */

/** Settings of this computer and device, which are not exported. */
const LOCAL_ONLY = ['kvm_certificate', 'record_dir'];

export class SettingsToolbar {
  /** @type {Map<string, Field>} */
  #fields = new Map();
  /** @type {Record<string, unknown>} */
  #defaults = {};
  #found = h('p', { class: 'help', role: 'status', hidden: true });
  #count = h('span', { class: 'help', role: 'status' });
  #search = h('input', { type: 'search', id: 'settings-search', autocomplete: 'off' });

  constructor() {
    this.#search.addEventListener('input', (event) => {
      event.stopPropagation();
      this.filter();
    });
    this.#search.addEventListener('keydown', (event) => event.key === 'Enter' && event.preventDefault());
  }

  /** @param {Map<string, Field>} fields @param {Record<string, unknown>} defaults @param {string} where they are kept */
  node(fields, defaults, where) {
    this.#fields = fields;
    this.#defaults = defaults;
    const file = h('input', { type: 'file', accept: '.json,application/json', hidden: true });
    file.addEventListener('change', () => this.#importFile(file));
    const button = (/** @type {string} */ key, /** @type {() => void} */ onclick) =>
      h('button', { type: 'button', onclick }, t(key));
    this.#search.placeholder = t('settings.search');
    for (const [name, field] of fields) this.#addRestore(name, field);
    const menu = h(
      'div',
      { class: 'buttons', hidden: true },
      button('settings.export', () => saveJson(this.#exported(), 'agent-settings.json')),
      button('settings.import', () => file.click()),
      button('settings.restore', () => this.enter(this.#defaults)),
      file,
      h('p', { class: 'help' }, where),
    );
    const open = () => {
      menu.hidden = !menu.hidden;
      more.ariaExpanded = String(!menu.hidden);
    };
    const more = h(
      'button',
      { type: 'button', class: 'quiet', 'aria-expanded': 'false', 'aria-label': t('settings.more'), onclick: open },
      '⋯',
    );
    return h(
      'div',
      { class: 'sheet' },
      h('label', { for: 'settings-search', class: 'sr' }, t('settings.search')),
      this.#search,
      more,
      menu,
      this.#found,
      this.#count,
    );
  }

  /** Fill in values without saving them. @param {Record<string, unknown>} values */
  enter(values) {
    for (const [name, field] of this.#fields)
      if (Object.hasOwn(values, name) && values[name] !== null) setControl(field, values[name]);
    this.changed();
  }

  /** Mark settings that differ from their defaults; count them in total and per group. */
  changed() {
    const others = [...this.#fields].filter(([name, field]) => this.#isChanged(name, field));
    for (const { node } of this.#fields.values()) node.classList.remove('is-changed');
    for (const [, { node }] of others) node.classList.add('is-changed');
    this.#count.textContent = others.length ? t('settings.changed', { n: others.length }) : '';
    for (const tag of document.querySelectorAll('#settings [data-group]')) {
      const n = document.querySelectorAll(`#group-${tag.getAttribute('data-group')} .is-changed`).length;
      tag.textContent = n ? t('settings.changed_here', { n }) : '';
    }
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
    if (!Object.hasOwn(this.#defaults, name) || name === 'initial_prompt') return;
    const restore = () => this.enter({ [name]: this.#defaults[name] });
    const label = `${t('settings.default')}: ${field.node.querySelector('label')?.textContent}`;
    const words = t('settings.default');
    field.node
      .querySelector('.name')
      ?.append(
        h('button', { type: 'button', class: 'quiet restore', 'aria-label': label, onclick: restore }, words),
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

  /** Shows what has the words that are searched for; of what lies together, each part for itself. */
  filter() {
    const words = this.#search.value.toLowerCase().split(/\s+/).filter(Boolean);
    const fits = (/** @type {string} */ text) => words.every((word) => text.toLowerCase().includes(word));
    let count = 0;
    for (const set of document.querySelectorAll('#settings fieldset')) {
      const own = [...set.querySelectorAll('.field')];
      const parts = /** @type {HTMLElement[]} */ (own.length ? own : [set]);
      for (const part of parts) part.hidden = !fits(`${settingNames(part)} ${part.textContent}`);
      const shown = parts.filter((part) => !part.hidden).length;
      /** @type {HTMLElement} */ (set).hidden = shown === 0;
      count += shown;
    }
    setTextLater(this.#found, words.length ? t('settings.found', { count }) : '');
  }
}

/** By which it is known in the file. @param {Element} part */
const settingNames = (part) => [...part.querySelectorAll('[name]')].map((node) => node.getAttribute('name')).join(' ');

/** @param {Field} field @param {unknown} value */
function setControl({ control }, value) {
  const input = /** @type {HTMLInputElement} */ (control);
  if (input.disabled) return;
  if (input.type === 'checkbox') input.checked = value === true;
  else input.value = String(value ?? '');
  for (const kind of ['input', 'change']) input.dispatchEvent(new Event(kind, { bubbles: true }));
}
