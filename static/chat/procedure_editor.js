// @ts-check
/** The steps of a procedure, to be changed and tried: its signs are looked for on the screen of now. */
import { call } from '../core/connection.js';
import { fill, h, loadStyle, setText, tryTo } from '../core/dom.js';
import { openWithStop, setShortNote } from '../core/emergency_stop.js';
import { iconButton } from '../core/icons.js';
import { joinActions } from '../core/describe_action.js';
import { translated, t } from '../core/i18n.js';
import { cancelButton } from './cancel_button.js';

/** @typedef {import('../core/i18n.js').Translatable} Translatable */
/** @typedef {{ text?: string, button?: boolean, picture?: string, at?: number[] }} Sign `button`: the text has a box of its own */
/** @typedef {{ kind: string, text?: string }} Action */
/** @typedef {{ when?: Sign, do?: Action[], expect?: Sign, steps?: Step[] }} Step a loop or a condition has only `steps` */
/** @typedef {{ name: string, parameters?: Record<string, string>, steps: Step[] }} Procedure */
/** @typedef {{ step: Step, words: Translatable[] }} Row `words`: one for each action, or what else it does */

/** @typedef {{ left: number, top: number, right: number, bottom: number }} Part of the screen, in fractions */

await loadStyle('/static/dialogs.css');

const PATH = '/api/procedures';
/** Fraction of the screen; a shorter drag is a press. */
const MIN_PART = 0.01;
/** The name of a parameter in a text, as the service finds it. */
const PLACEHOLDER = /(?<!\{)\{([\p{L}\p{N}_]+)\}(?!\})/gu;

/**
 * @param {Procedure} procedure @param {Translatable[][]} words of the actions of each step
 * @param {(name: string, first: number) => void} run the saved procedure, from this step on
 */
export function editProcedure(procedure, words, run) {
  /** @type {Row[]} */
  let steps = procedure.steps.map((step, index) => ({ step, words: words[index] }));
  /** Defaults by the parameter's name. */
  const values = new Map(Object.entries(procedure.parameters ?? {}).map(([name, text]) => [name, { text }]));
  const defaults = h('div', { class: 'defaults' });
  const list = h('ol', { class: 'procedure' });
  const fault = h('p', { class: 'error', role: 'alert', hidden: true });
  const dialog = h('dialog', { class: 'notice', 'aria-labelledby': 'procedure-title' });
  dialog.addEventListener('input', ({ target }) => {
    if (fault.previousElementSibling?.contains(/** @type {Node} */ (target))) setText(fault, ''); // it was of another text
  });
  const named = { text: procedure.name };
  const nameField = input('procedures.name', named);
  const plain = () => steps.map(({ step }) => step);
  const written = () => {
    const parameters = Object.fromEntries([...values].map(([name, { text }]) => [name, text]));
    return JSON.stringify({ ...procedure, name: named.text.trim(), parameters, steps: plain() });
  };
  const names = () => [...JSON.stringify(plain()).matchAll(PLACEHOLDER)].map(([, name]) => name);
  const old = [...values.keys(), ...names()]; // those that are not declared are typed as they are

  /** @param {() => Promise<unknown>} act */
  const attempt = async (act) => {
    setText(fault, '');
    list.after(fault);
    const worked = await tryTo(() => act().catch((error) => refuse(error, error.fields?.name && nameField)), fault);
    if (!worked) fault.scrollIntoView({ block: 'nearest' });
    return worked;
  };
  /** Throw an error, which is shown under the field that it is about. @param {Error} error @param {Element | null} [field] */
  const refuse = (error, field) => {
    field?.after(fault);
    field?.querySelector('input')?.focus();
    throw error;
  };
  const draw = () => fill(list, ...steps.map(row));
  /** Where the pointer moved a step: what comes to be under it there is of another one. */
  let moved = { x: -1, y: -1, to: 0 };
  /** The focus stays on the button that was pressed, or goes to another where that one is disabled now. */
  const change = (/** @type {Row[]} */ next, /** @type {number} */ index, /** @type {string} */ shape) => {
    steps = next;
    moved.x = -1;
    draw();
    const row = list.children[Math.min(index, steps.length - 1)];
    const button = (/** @type {string} */ shape) => row.querySelector(`button:enabled:has(> .icon-${shape})`);
    /** @type {HTMLElement} */ ([shape, 'up', 'down', 'play'].map(button).find(Boolean)).focus();
  };

  /** @param {Row} each @param {number} index */
  function row({ step, words }, index) {
    const n = index + 1;
    const button = (/** @type {string} */ shape, /** @type {boolean} */ off, /** @type {(event: MouseEvent) => void} */ onclick) =>
      iconButton(shape, t(`procedures.${shape}`, { n }), onclick, { disabled: off });
    const move = (/** @type {number} */ by) => (/** @type {MouseEvent} */ { clientX: x, clientY: y, detail: presses }) => {
      const from = presses && moved.x === x && moved.y === y ? moved.to : index;
      const to = from + by;
      if (!steps[to]) return;
      const top = (/** @type {number} */ at) => list.children[at].getBoundingClientRect().top;
      const before = top(from);
      change(steps.toSpliced(from, 1).toSpliced(to, 0, steps[from]), to, by < 0 ? 'up' : 'down');
      dialog.scrollBy(0, top(to) - before); // so that it stays under the pointer
      moved = { x, y, to };
    };
    const find = (/** @type {Part | undefined} */ part) => {
      const item = list.children[index];
      const sought = step.when?.text;
      item.ariaBusy = 'true';
      return attempt(async () => {
        requireSigns();
        const request = call(`${PATH}/find`, { text: written(), step: index, part });
        const result = await request.catch((error) => refuse(error, part && item.querySelector('.found > div')));
        if (step.when?.text !== sought) return; // it was changed meanwhile
        if (part) {
          if (step.when) origins.set(result.when, origin(step.when));
          step.when = result.when;
          change(steps, index, 'zoom');
        }
        show(list.children[index], result, find);
      }).finally(() => (item.ariaBusy = null));
    };
    const found = h('div', { class: 'found', hidden: true });
    const when = sign('procedures.when', step.when);
    when?.addEventListener('input', () => (found.hidden = true)); // it was of another text
    /** The text that is typed has its field. */
    const describeAction = (/** @type {Action} */ { kind }, /** @type {number} */ at) => (kind === 'type' ? t('procedures.type') : translated(words[at]));
    const runFrom = () => save().then((saved) => saved && run(named.text.trim(), index));
    return h(
      'li',
      {},
      h('div', { class: 'row' },
        h('b', {}, `${n}. `, joinActions(step.do?.length ? step.do.map(describeAction) : words.map(translated))),
        button('zoom', Boolean(step.steps), () => find()),
        button('play', false, runFrom),
        button('up', index === 0, move(-1)),
        button('down', n === steps.length, move(1)),
        button('close', steps.length === 1, () => change(steps.toSpliced(index, 1), index, 'close')),
      ),
      when,
      found,
      ...(step.do ?? []).map((action) => action.kind === 'type' && input('procedures.text', action)),
      sign('procedures.expect', step.expect),
    );
  }

  /** Make parameters of the names that texts have now. Throws if one has no default. */
  const declare = () => {
    const added = names().filter((name) => !old.includes(name));
    for (const name of values.keys()) if (![...old, ...added].includes(name)) values.delete(name);
    for (const name of added) if (!values.has(name)) values.set(name, { text: '' });
    drawDefaults();
    const missing = [...values].findIndex(([, { text }]) => !text.trim());
    if (missing < 0) return;
    refuse(new Error(t('procedures.no_default', { name: [...values.keys()][missing] })), defaults.children[missing]);
  };
  /** Throws if the text of a sign is empty: its picture is gone with it. */
  const requireSigns = () => {
    const empty = [...list.querySelectorAll('input')].find(({ required, value }) => required && !value.trim());
    if (empty) refuse(new Error(t('procedures.no_sign')), empty.closest('.field') ?? undefined);
  };
  const drawDefaults = () => fill(defaults, ...[...values].map(([name, of]) => input('procedures.default', of, { name })));

  const save = () => attempt(async () => {
    if (!named.text.trim()) refuse(new Error(t('procedures.no_name')), nameField);
    declare();
    requireSigns();
    await call(`${PATH}/file`, { text: written(), replaces: procedure.name }, closing);
    dialog.close();
    setShortNote('settings.saved');
  });
  const stop = h('div', { class: 'corner' });
  const original = written();
  const cancel = cancelButton(dialog, () => (written() === original ? '' : 'procedures.discard'));
  dialog.append(
    h('h2', { id: 'procedure-title' }, t('procedures.edit_title')),
    nameField,
    defaults,
    list,
    fault,
    h('div', { class: 'buttons' }, stop, cancel, h('button', { class: 'primary', 'data-t': 'result.save', onclick: save })),
  );
  draw();
  drawDefaults();
  const closing = openWithStop(dialog, stop); // the agent may be at work
}

/** @param {string} key @param {Sign} [of] */
function sign(key, of) {
  if (!of) return null;
  const { text, picture } = savedSign(of);
  const field = text ? input(key, of) : h('div', { class: 'field' }, h('span', { class: 'name' }, t(key)));
  if (picture) field.append(keptImage(of, picture));
  return field;
}

/** Images of signs: one that is drawn again would have no height until it is loaded, and a second press would hit another step. @type {WeakMap<Sign, HTMLElement>} */
const images = new WeakMap();

/** @param {Sign} of @param {string} picture */
function keptImage(of, picture) {
  const node = images.get(of) ?? image(picture, t('procedures.picture'));
  images.set(of, node);
  node.hidden = !of.picture;
  return node;
}

/** @param {string} base64 of a PNG or a JPEG @param {string} alt */
export function image(base64, alt) {
  const bytes = Uint8Array.from(atob(base64), (char) => char.charCodeAt(0));
  const src = URL.createObjectURL(new Blob([bytes]));
  return h('img', { src, alt, onload: () => URL.revokeObjectURL(src) });
}

/** Signs as they are saved, and those chosen on the screen. @type {WeakMap<Sign, Sign>} */
const saved = new WeakMap();

/** @param {Sign} of whose text may have been changed since @returns {Sign} */
function savedSign(of) {
  const found = saved.get(of) ?? { ...of };
  saved.set(of, found);
  return found;
}

/** Signs chosen on the screen, and those in whose place they are. @type {WeakMap<Sign, Sign>} */
const origins = new WeakMap();

/** The sign to whose place that of the action belongs. @param {Sign} of */
const origin = (of) => origins.get(of) ?? savedSign(of);

/** A field that changes the text of a sign, whose shape and picture are of the saved text only, or of what is typed. @param {string} key @param {Sign} of @param {{ name: string }} [about] */
function input(key, of, about) {
  const control = h('input', { type: 'text', autocomplete: 'off', required: key !== 'procedures.type' });
  control.value = of.text ?? '';
  control.addEventListener('input', () => {
    const known = [savedSign(of), origin(of)].find(({ text }) => text === control.value);
    const at = key === 'procedures.expect' ? undefined : origin(of).at;
    Object.assign(of, { text: control.value, button: known?.button, picture: known?.picture, at: known ? known.at : at });
    control.nextElementSibling?.toggleAttribute('hidden', !known?.picture || known !== savedSign(of));
  });
  return h('label', { class: 'field' }, h('span', { class: 'name' }, t(key, about)), control);
}

/**
 * Show where a sign was found; a box that is dragged there chooses another one.
 * @param {Element} row @param {{ at: number[] | null, line: Translatable, jpeg: string }} result `line`: that one contains the text, which is not found @param {(part: Part) => void} choose
 */
function show(row, { at, line, jpeg }, choose) {
  const node = /** @type {HTMLElement} */ (row.querySelector('.found'));
  const box = h('span', { hidden: !at });
  const picture = image(jpeg, '');
  picture.addEventListener('load', () => node.scrollIntoView({ block: 'nearest' }));
  const screen = h('div', {}, picture, box);
  if (at) place(box, { left: at[0], top: at[1], right: at[2], bottom: at[3] });
  onBox(screen, box, choose);
  const words = translated(line) || t(at ? 'procedures.found' : 'procedures.not_found');
  const status = h('p', { role: 'status', class: at ? 'help' : 'error' }, words);
  fill(node, status, screen, h('p', { class: 'help' }, t('procedures.drag')));
  node.hidden = false;
}

/** @param {HTMLElement} box @param {Part} part */
function place(box, { left, top, right, bottom }) {
  const percent = (/** @type {number} */ part) => `${part * 100}%`;
  Object.assign(box.style, { left: percent(left), top: percent(top), width: percent(right - left), height: percent(bottom - top) });
  box.hidden = false;
}

/** Call `choose` with the part of the screen that the pointer was dragged over. @param {HTMLElement} screen @param {HTMLElement} box @param {(part: Part) => void} choose */
function onBox(screen, box, choose) {
  /** @type {[number, number] | null} */
  let start = null;
  const at = (/** @type {PointerEvent} */ { clientX, clientY }) => {
    const { left, top, width, height } = screen.getBoundingClientRect();
    const within = (/** @type {number} */ value) => Math.min(1, Math.max(0, value));
    return /** @type {[number, number]} */ ([within((clientX - left) / width), within((clientY - top) / height)]);
  };
  const part = (/** @type {PointerEvent} */ event) => {
    const [x, y] = at(event);
    const [fromX, fromY] = start ?? [x, y];
    return { left: Math.min(x, fromX), top: Math.min(y, fromY), right: Math.max(x, fromX), bottom: Math.max(y, fromY) };
  };
  screen.addEventListener('pointerdown', (event) => {
    event.preventDefault();
    screen.setPointerCapture(event.pointerId);
    start = at(event);
  });
  screen.addEventListener('pointermove', (event) => start && place(box, part(event)));
  screen.addEventListener('pointercancel', () => (start = null));
  screen.addEventListener('pointerup', (event) => {
    const chosen = part(event);
    start = null;
    if (chosen.right - chosen.left > MIN_PART && chosen.bottom - chosen.top > MIN_PART) choose(chosen);
  });
}
