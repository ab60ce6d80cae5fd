// @ts-check
/** One setting each: a label, the control, a line of help, and room for the reason why it was refused. */
import { fill, h, say } from './dom.js';
import { heard, learn, t } from './words.js';

await learn();

/** @typedef {{ value: string, label: string, help: string }} Choice */
/**
 * @typedef {object} Spec
 * @property {string} name
 * @property {string} label
 * @property {string | number | boolean} value
 * @property {string} help
 * @property {boolean} locked
 * @property {Choice[]} [choices]
 */
/** @typedef {{ node: HTMLElement, value: () => unknown, refuse: (reason: string) => void, control: HTMLElement }} Field */

/** Which control a setting gets follows from its value. @param {Spec} spec @returns {Field} */
export function field(spec) {
  if (typeof spec.value === 'boolean') return tick(spec);
  if (spec.choices) return choice(spec, spec.choices);
  if (LONG.includes(spec.name)) return lines(spec);
  return typeof spec.value === 'number' ? number(spec) : line(spec);
}

/** Settings of several lines. */
const LONG = ['gate_ask', 'gate_pass', 'prompt_addition'];

/** @param {Spec} spec */
function lines(spec) {
  const box = h('textarea', { ...named(spec), rows: 3, spellcheck: 'false', autocapitalize: 'off' });
  box.value = String(spec.value ?? '');
  return frame(spec, box, () => box.value.trim());
}

/** @param {Spec} spec */
function line(spec) {
  const input = h('input', {
    ...named(spec),
    type: 'text',
    spellcheck: 'false',
    autocapitalize: 'off',
    autocomplete: 'off',
  });
  input.value = String(spec.value ?? '');
  return frame(spec, input, () => input.value.trim());
}

/** @param {Spec} spec */
function tick(spec) {
  const input = h('input', { ...named(spec), type: 'checkbox', class: 'tick' });
  input.checked = spec.value === true;
  return frame(spec, input, () => input.checked);
}

/** What is no number goes to the server as it is, which has the words for it. @param {Spec} spec */
function number(spec) {
  const input = h('input', {
    ...named(spec),
    type: 'text',
    inputmode: 'numeric',
    autocomplete: 'off',
    class: 'short',
  });
  input.value = String(spec.value);
  return frame(spec, input, () =>
    /^-?\d+$/.test(input.value.trim()) ? Number(input.value) : input.value.trim(),
  );
}

/** @param {Spec} spec @param {Choice[]} choices */
function choice(spec, choices) {
  const select = h(
    'select',
    named(spec),
    ...choices.map(({ value, label }) => h('option', { value }, heard(label))),
  );
  select.value = String(spec.value);
  const note = h('p', { class: 'help' });
  const explain = () => say(note, heard(choices.find(({ value }) => value === select.value)?.help ?? ''));
  select.addEventListener('change', explain);
  explain();
  return frame(spec, select, () => select.value, { below: note });
}

/**
 * The secret itself never comes back from the server; nothing typed means that it stays.
 * @param {Spec} spec
 * @param {boolean} isSet
 */
export function secret(spec, isSet) {
  const input = h('input', {
    ...named(spec),
    type: 'password',
    autocomplete: 'new-password',
    placeholder: isSet ? t('key.keep') : '',
  });
  const remove = h('input', { type: 'checkbox', id: `remove-${spec.name}`, disabled: spec.locked });
  const state = h('span', { class: isSet ? 'tag is-set' : 'tag' }, t(isSet ? 'key.set' : 'key.none'));
  const extra = h('label', { class: 'check', for: remove.id }, remove, t('key.remove'));
  const value = () => (remove.checked ? null : input.value.trim() || undefined);
  return frame(spec, input, value, { tag: state, below: isSet && extra });
}

/**
 * An empty prompt means the default one, which is what the box shows then.
 * @param {Spec} spec
 * @param {string} standard
 */
export function prompt(spec, standard) {
  const box = h('textarea', { ...named(spec), spellcheck: 'false' });
  const isStandard = () => box.value.trim() === standard.trim();
  const restore = h('button', { type: 'button', class: 'quiet', disabled: spec.locked }, t('prompt.restore'));
  const state = h('span', { class: 'tag' });
  const show = () => {
    fill(state, t(isStandard() ? 'prompt.default' : 'prompt.changed'));
    box.rows = isStandard() ? 4 : 12;
  };
  box.value = String(spec.value) || standard;
  box.addEventListener('input', show);
  box.addEventListener('change', () => {
    box.value ||= standard;
    show();
  });
  restore.addEventListener('click', () => {
    box.value = standard;
    show();
    box.focus();
  });
  show();
  return frame(spec, box, () => (isStandard() ? '' : box.value), { tag: state, below: restore });
}

/** @param {Spec} spec */
function named({ name, locked }) {
  return {
    id: `set-${name}`,
    name,
    disabled: locked,
    'aria-describedby': `about-${name} help-${name} why-${name}`,
  };
}

/**
 * @param {Spec} spec
 * @param {HTMLElement} control
 * @param {() => unknown} value
 * @param {{ tag?: HTMLElement, below?: HTMLElement | false }} [more]
 * @returns {Field}
 */
function frame(spec, control, value, { tag, below } = {}) {
  const why = h('p', { id: `why-${spec.name}`, class: 'error', hidden: true });
  const locked = spec.locked && h('span', { class: 'tag' }, t('setting.locked'));
  const about = h('div', { id: `about-${spec.name}`, class: 'about' }, locked, tag);
  const node = h(
    'div',
    { class: 'field' },
    h('div', { class: 'name' }, h('label', { for: control.id }, spec.label), about),
    h('p', { id: `help-${spec.name}`, class: 'help' }, spec.help),
    control,
    why,
    below,
  );
  const refuse = (/** @type {string} */ reason) => {
    say(why, heard(reason, true));
    if (reason) control.setAttribute('aria-invalid', 'true');
    else control.removeAttribute('aria-invalid');
  };
  return { node, value, refuse, control };
}
