// @ts-check
/** A button that tests the model or the KVM with the values of the form, and says what it found. */
import { formatTimeOfDay, now } from '../core/clock.js';
import { call, Refusal } from '../core/connection.js';
import { fill, h } from '../core/dom.js';
import { icon } from '../core/icons.js';
import { markedParts } from '../core/inline_markup.js';
import { failedTests } from '../core/state.js';
import { setValue } from './presets.js';
import { asSentence, joinSentences, translated, t } from '../core/i18n.js';

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

/** That it is tested, the model until when its server may be silent. @param {Name} name */
export function testingWords(name) {
  if (name === 'kvm') return t('connect.testing');
  const [since, until] = [now(), now() + SILENCE_S].map(formatTimeOfDay);
  return t('connect.testing_since', { since, until });
}

/**
 * Run a test until a second press of `button`, an edit within `nodes` or their end cancels it; return what it found, if it was not.
 * @template T
 * @param {HTMLButtonElement} button @param {Element[]} nodes @param {(signal: AbortSignal) => Promise<T>} test
 */
export async function runTest(button, nodes, test) {
  const { onclick, textContent } = button;
  const outdated = new AbortController();
  const { signal } = outdated;
  for (const node of nodes) for (const type of ['input', 'close']) node.addEventListener(type, () => outdated.abort(), { signal });
  button.onclick = (event) => {
    event.preventDefault();
    if (event.detail < 2) outdated.abort(); // a double click starts it
  };
  button.textContent = t('connect.cancel');
  try {
    const found = await test(signal);
    return signal.aborted ? undefined : found;
  } catch (error) {
    if (!signal.aborted) throw error;
  } finally {
    outdated.abort(); // removes the listeners
    Object.assign(button, { onclick, textContent });
  }
}

/** A button for each model that the server offers in place of an unknown one. @param {unknown} error @param {Map<string, Field>} fields @param {() => void} [onchoice] */
export function modelButtons(error, fields, onchoice) {
  const offered = error instanceof Refusal && error.setting === 'model_name' ? (error.values.names ?? []) : [];
  const names = offered.filter((/** @type {unknown} */ each) => typeof each === 'string'); // not "5 more"
  const choose = (/** @type {string} */ name) => {
    setValue(fields, 'model_name', name);
    fields.get('model_name')?.control.focus();
    onchoice?.();
  };
  return names.map((name) => h('button', { onclick: () => choose(name) }, name));
}

export class ConnectionTest {
  button = h('button', {}, t('connect.test'));
  #result = h('p', { role: 'status' });
  #models = h('div', { class: 'models' });
  node = h('div', { class: 'field connection' }, this.button, this.#result, this.#models);
  /** Why it failed, or "". */
  reason = '';
  isRunning = false;
  /** What it found: the answer, or what was thrown. @type {{ found?: any, error?: unknown } | null} */
  outcome = null;

  /** @param {Name} name @param {() => Record<string, unknown>} values @param {Map<string, Field>} fields @param {() => boolean} isSaved whether the fields hold the saved connection */
  constructor(name, values, fields, isSaved) {
    [this.name, this.values, this.fields, this.isSaved] = [name, values, fields, isSaved];
    this.button.onclick = () => this.#test();
    const onedit = () => this.#result.hasChildNodes() && this.#forget(); // it was found with other values
    for (const node of this.#nodes()) node.addEventListener('input', onedit);
  }

  #nodes() {
    return CONNECTIONS[this.name].flatMap((name) => this.fields.get(name)?.node ?? []);
  }

  async #test() {
    await (this.isSaved() ? this.runSaved() : this.run());
    (this.#models.lastElementChild ?? this.#result).scrollIntoView({ block: 'nearest' });
  }

  /** Test what was saved; until it works, the header says that something is missing. */
  async runSaved() {
    if (await this.run({})) noteTest(this.name, !this.reason, await call('/api/settings'));
  }

  /** Return whether it was not cancelled. */
  async run(values = this.values()) {
    this.#forget();
    fill(this.#result, testingWords(this.name));
    this.isRunning = true;
    try {
      const found = await runTest(this.button, this.#nodes(), (signal) => call(`/api/settings/test-${this.name}`, values, signal));
      if (!found) return this.#forget();
      this.tell({ found });
    } catch (error) {
      this.tell({ error });
    } finally {
      this.isRunning = false;
    }
    return true;
  }

  /** In the reader's language. @param {NonNullable<ConnectionTest['outcome']>} outcome of this test, or of the one that it replaces */
  tell(outcome) {
    this.outcome = outcome;
    if (outcome.error) return this.#tellFailure(outcome.error);
    const { seconds, words } = outcome.found;
    this.#show('done', words ? translated(words) : t('connect.works', { seconds: seconds.toFixed(1) }));
  }

  /** @param {unknown} error */
  #tellFailure(error) {
    const { message, fields = {}, key = '', values = {} } = /** @type {Refusal} */ (error);
    const reasons = Object.entries(fields);
    for (const [name] of reasons) this.fields.get(name)?.control.setAttribute('aria-invalid', 'true'); // why stands here
    this.reason = reasons.length ? joinSentences(reasons.map(([, why]) => asSentence(why))) : translated(key ? { text: message, key, values } : message);
    this.#show('fail', this.reason);
    fill(this.#models, ...modelButtons(error, this.fields));
  }

  #forget() {
    this.outcome = null;
    this.reason = '';
    this.#result.className = '';
    fill(this.#result);
    fill(this.#models);
    for (const name of CONNECTIONS[this.name]) this.fields.get(name)?.refuse('');
  }

  /** @param {'done' | 'fail'} shape @param {string} words */
  #show(shape, words) {
    this.#result.className = shape === 'done' ? 'is-good' : 'error';
    fill(this.#result, icon(shape), h('span', {}, ...markedParts(words)));
  }
}
