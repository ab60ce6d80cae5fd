// @ts-check
/** A button that tests the model or the KVM with the values of the form, and says what it found. */
import { formatTimeOfDay, now } from '../core/clock.js';
import { call, Refusal } from '../core/connection.js';
import { fill, h } from '../core/dom.js';
import { icon } from '../core/icons.js';
import { failedTests } from '../core/state.js';
import { setValue } from './presets.js';
import { translated, t } from '../core/i18n.js';

/** @typedef {import('./form_fields.js').Field} Field */
/** @typedef {'model' | 'kvm'} Name */

/** Settings that make up each connection. @type {Record<Name, string[]>} */
export const CONNECTIONS = {
  model: ['api_type', 'base_url', 'api_key', 'model_name'],
  kvm: ['kvm', 'kvm_user', 'kvm_password', 'kvm_code'],
};

/** Seconds of silence after which a model server has failed: `idle_s` in cua/models/endpoint.py. */
const SILENCE_S = 120;

export const CONNECTION_NAMES = /** @type {Name[]} */ (Object.keys(CONNECTIONS));

/** @param {Name} name @param {boolean} works @param {import('./settings.js').Found} found */
export function noteTest(name, works, found) {
  failedTests.note(name, works);
  document.dispatchEvent(new CustomEvent('settings', { detail: found }));
}

/** Since when the model is tested, and until when its server may be silent. */
export function testingSince() {
  const [since, until] = [now(), now() + SILENCE_S].map(formatTimeOfDay);
  return t('connect.testing_since', { since, until });
}

/** A button for each model that the server offers in place of an unknown one. @param {unknown} error @param {Map<string, Field>} fields @param {() => void} onchoice */
export function modelButtons(error, fields, onchoice) {
  const offered = error instanceof Refusal && error.setting === 'model_name' ? error.names : [];
  const names = offered.filter((each) => typeof each === 'string'); // not "5 more"
  const choose = (/** @type {string} */ name) => {
    setValue(fields, 'model_name', name);
    fields.get('model_name')?.control.focus();
    onchoice();
  };
  return names.map((name) => h('button', { onclick: () => choose(name) }, name));
}

export class ConnectionTest {
  #button = h('button', { onclick: () => this.#test() }, t('connect.test'));
  #result = h('p', { role: 'status' });
  #models = h('div', { class: 'models' });
  node = h('div', { class: 'field connection' }, this.#button, this.#result, this.#models);
  /** Why it failed, or "". */
  reason = '';

  /** @param {Name} name @param {() => Record<string, unknown>} values @param {Map<string, Field>} fields @param {() => boolean} isSaved whether the fields hold the saved connection */
  constructor(name, values, fields, isSaved) {
    [this.name, this.values, this.fields, this.isSaved] = [name, values, fields, isSaved];
  }

  async #test() {
    await (this.isSaved() ? this.runSaved() : this.run());
    (this.#models.lastElementChild ?? this.#result).scrollIntoView({ block: 'nearest' });
  }

  /** Test what was saved; until it works, the header says that something is missing. */
  async runSaved() {
    const works = await this.run({});
    noteTest(this.name, works, await call('/api/settings'));
    return works;
  }

  /** Return whether it works, and say so unless it was changed meanwhile. */
  async run(values = this.values()) {
    const before = this.#entered();
    this.#button.disabled = true;
    this.#forget();
    fill(this.#result, this.name === 'model' ? testingSince() : t('connect.testing'));
    try {
      const { seconds, words } = await call(`/api/settings/test-${this.name}`, values);
      this.reason = '';
      this.#show('done', words ? translated(words) : t('connect.works', { seconds: seconds.toFixed(1) }));
    } catch (error) {
      const reasons = Object.entries(error instanceof Refusal ? error.fields : {});
      for (const [name] of reasons) this.fields.get(name)?.control.setAttribute('aria-invalid', 'true'); // why stands here
      this.reason = reasons.length ? reasons.map(([, why]) => translated(why)).join(' ') : /** @type {Error} */ (error).message;
      this.#show('fail', this.reason);
      fill(this.#models, ...modelButtons(error, this.fields, () => this.#forget()));
    }
    this.#button.disabled = false;
    if (this.#entered() !== before) this.#forget();
    return !this.reason;
  }

  /** What is in the fields of this connection. */
  #entered() {
    return JSON.stringify(CONNECTIONS[this.name].map((name) => this.fields.get(name)?.value()));
  }

  #forget() {
    this.#result.className = '';
    fill(this.#result);
    fill(this.#models);
    for (const name of CONNECTIONS[this.name]) this.fields.get(name)?.refuse('');
  }

  /** @param {'done' | 'fail'} shape @param {string} words */
  #show(shape, words) {
    this.#result.className = shape === 'done' ? 'is-good' : 'error';
    fill(this.#result, icon(shape), h('span', {}, words));
  }
}
