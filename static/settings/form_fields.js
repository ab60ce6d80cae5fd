// @ts-check
/** A field per setting: label, control, help text and error. */
import { fill, h, loadStyle, setText } from '../core/dom.js';
import { asSentence, translated, loadSetupTexts, loadTaskTexts, t } from '../core/i18n.js';
import { markedParts, setMarkedText } from '../core/inline_markup.js';

await Promise.all([loadSetupTexts(), loadTaskTexts(), loadStyle('/static/settings.css')]);

/** @typedef {import('../core/i18n.js').Translatable} Translatable */
/** @typedef {{ value: string, label: Translatable, help: Translatable }} Choice */
/**
 * @typedef {object} Spec
 * @property {string} name
 * @property {string} label
 * @property {string | number | boolean} value
 * @property {string} help
 * @property {boolean} [late] a change takes effect after a restart
 * @property {boolean} locked
 * @property {Choice[]} [choices]
 * @property {string} [prefix] of the ids, in another form than Settings
 */
/** @typedef {{ node: HTMLElement, value: () => unknown, refuse: (reason: string) => void, control: HTMLElement, update?: () => void }} Field `update`: after an input in the form */

/** Choose the control by the type of the value. @param {Spec} spec @returns {Field} */
export function makeField(spec) {
  if (typeof spec.value === 'boolean') return checkboxField(spec);
  if (spec.choices) return choiceField(spec, spec.choices);
  if (MULTILINE.includes(spec.name)) return multilineField(spec);
  return typeof spec.value === 'number' ? numberField(spec) : textField(spec);
}

/** @param {Spec} spec @param {string} part */
const idOf = ({ name, prefix = '' }, part) => `${prefix}${part}-${name}`;

/** Settings with several lines of text. */
const MULTILINE = ['gate_ask', 'gate_pass', 'prompt_addition'];

/** @param {Spec} spec */
function multilineField(spec) {
  const box = h('textarea', { ...controlProps(spec), rows: 3, spellcheck: 'false', autocapitalize: 'off' });
  box.value = String(spec.value ?? '');
  return makeFrame(spec, box, () => box.value.trim());
}

/** @param {Spec} spec */
function textField(spec) {
  const input = textInput(spec, { spellcheck: 'false', autocapitalize: 'off' });
  return makeFrame(spec, input, () => input.value.trim());
}

/** @param {Spec} spec */
function checkboxField(spec) {
  const input = h('input', { ...controlProps(spec), type: 'checkbox', class: 'tick' });
  input.checked = spec.value === true;
  return makeFrame(spec, input, () => input.checked, { inRow: true });
}

/** @param {Spec} spec @param {Record<string, string>} props */
function textInput(spec, props) {
  const input = h('input', { ...controlProps(spec), type: 'text', autocomplete: 'off', ...props });
  input.value = String(spec.value ?? '');
  return input;
}

/** Anything that is not a number is sent as text; the server explains the error. @param {Spec} spec */
function numberField(spec) {
  const input = textInput(spec, { inputmode: 'numeric' });
  const value = () => (/^-?\d+$/.test(input.value.trim()) ? Number(input.value) : input.value.trim());
  return makeFrame(spec, input, value, { inRow: true });
}

/** @param {Spec} spec @param {Choice[]} choices */
function choiceField(spec, choices) {
  const select = h(
    'select',
    controlProps(spec),
    ...choices.map(({ value, label }) => h('option', { value }, translated(label))),
  );
  select.value = String(spec.value);
  const made = makeFrame(spec, select, () => select.value);
  const explain = () => {
    const words = translated(choices.find(({ value }) => value === select.value)?.help ?? '');
    made.node.querySelector('.help')?.replaceChildren(...markedParts(words || spec.help));
  };
  select.addEventListener('change', explain);
  explain();
  return made;
}

/** The server to which each secret is sent, by what is entered, as in `OWNERS` of cua/settings/file.py. @type {Record<string, (entered: (name: string) => string) => string>} */
const SERVER_OF = {
  api_key: (entered) => /^https?:\/\/[^/?#]+/.exec(entered('base_url'))?.[0] ?? entered('api_type'),
  kvm_password: (entered) => /^(?:[\w+]+:\/\/)?(?:[^/?#]*@)?([^/?#]*)/.exec(entered('kvm'))?.[1] ?? '',
};

/**
 * The server never returns the secret; an empty field leaves it unchanged.
 * @param {Spec} spec
 * @param {boolean} isSet
 * @param {Translatable | undefined} server that the saved secret is for
 * @param {Map<string, Field>} fields the form's, from which the server is known to which it would be sent
 */
export function secretField(spec, isSet, server, fields) {
  const input = h('input', { ...controlProps(spec), type: 'password', autocomplete: 'new-password' });
  input.value = String(spec.value ?? '');
  const remove = h('input', { type: 'checkbox', id: idOf(spec, 'remove'), disabled: spec.locked });
  const state = h('span', {});
  const other = h('p', { class: 'help is-warning', role: 'status', hidden: true });
  const extra = h('label', { class: 'check', for: remove.id }, remove, t('key.remove'));
  const value = () => (remove.checked ? null : input.value.trim() || undefined);
  const below = [other, (isSet || server !== undefined) && extra];
  const made = makeFrame(spec, input, value, { tag: state, below });
  const entered = (/** @type {string} */ name) => String(fields.get(name)?.value() ?? '');
  const update = () => {
    const isOther = server !== undefined && !spec.locked && SERVER_OF[spec.name](entered) !== (typeof server === 'string' ? server : '');
    const isKept = (isSet || server !== undefined) && !isOther;
    state.className = isKept ? 'tag is-set' : 'tag';
    fill(state, t(isKept ? 'key.set' : 'key.none'));
    state.hidden = !isKept && input.value.trim() !== ''; // it is set with the next save
    input.placeholder = isKept ? t('key.keep') : '';
    setText(other, isOther ? t('key.other_server', { server: translated(server) }) : '');
  };
  return { ...made, update };
}

/**
 * An empty value means the default prompt, which the box then shows.
 * @param {Spec} spec
 * @param {string} standard
 */
export function promptField(spec, standard) {
  const box = h('textarea', { ...controlProps(spec), spellcheck: 'false' });
  const isStandard = () => box.value.trim() === standard.trim();
  const restore = h('button', { class: 'quiet', disabled: spec.locked }, t('prompt.restore'));
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
  return makeFrame(spec, box, () => (isStandard() ? '' : box.value), { tag: state, below: [restore] });
}

/** Say what has set a locked field. */
export const lockedText = () => t(document.body.dataset.computer ? 'setting.locked_fleet' : 'setting.locked');

/** @param {Spec} spec */
const controlProps = (spec) => ({
  id: idOf(spec, 'set'),
  name: spec.name,
  disabled: spec.locked,
  'aria-describedby': ['about', 'help', 'why'].map((part) => idOf(spec, part)).join(' '),
});

/**
 * @param {Spec} spec
 * @param {HTMLElement} control
 * @param {() => unknown} value
 * @param {{ tag?: HTMLElement, below?: (HTMLElement | false)[], inRow?: boolean }} [more] `inRow`: the control stands beside its label
 * @returns {Field}
 */
function makeFrame(spec, control, value, { tag, below = [], inRow } = {}) {
  const why = h('p', { id: idOf(spec, 'why'), class: 'error', hidden: true });
  const locked = spec.locked && h('span', { class: 'tag' }, lockedText());
  const late = spec.late && h('span', { class: 'tag' }, t('setting.late'));
  const about = h('div', { id: idOf(spec, 'about'), class: 'about' }, locked, late, tag);
  const node = h(
    'div',
    { class: inRow ? 'field is-row' : 'field' },
    h('div', { class: 'name' }, h('label', { for: control.id }, spec.label), about),
    control,
    h('p', { id: idOf(spec, 'help'), class: 'help' }, ...markedParts(spec.help)),
    why,
    ...below,
  );
  const refuse = (/** @type {string} */ reason) => {
    setMarkedText(why, asSentence(reason));
    if (reason) control.setAttribute('aria-invalid', 'true');
    else control.removeAttribute('aria-invalid');
  };
  return { node, value, refuse, control };
}
