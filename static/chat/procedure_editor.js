// @ts-check
/** The steps of a procedure, to be changed and tried: its signs are looked for on the screen of now. */
import { call } from '../core/connection.js';
import { fill, h, setText } from '../core/dom.js';
import { icon } from '../core/icons.js';
import { translated, t } from '../core/i18n.js';

/** @typedef {import('../core/i18n.js').Translatable} Translatable */
/** @typedef {{ text?: string, picture?: string }} Sign */
/** @typedef {{ kind: string, text?: string }} Action */
/** @typedef {{ when?: Sign, do?: Action[], expect?: Sign }} Step a loop or a condition has none of these */
/** @typedef {{ name: string, steps: Step[] }} Procedure */
/** @typedef {{ step: Step, words: Translatable[] }} Row `words`: what is done, one for each action */

const PATH = '/api/procedures';

/** @param {Procedure} procedure @param {Translatable[][]} words of the actions of each step */
export function editProcedure(procedure, words) {
  /** @type {Row[]} */
  let steps = procedure.steps.map((step, index) => ({ step, words: words[index] }));
  const list = h('ol', { class: 'procedure' });
  const fault = h('p', { class: 'error', role: 'alert', hidden: true });
  const dialog = h('dialog', { class: 'notice', 'aria-labelledby': 'procedure-title' });
  const written = () => JSON.stringify({ ...procedure, steps: steps.map(({ step }) => step) });

  /** @param {() => Promise<unknown>} act */
  const attempt = async (act) => {
    setText(fault, '');
    await act().catch((error) => setText(fault, error.message));
  };
  const draw = () => fill(list, ...steps.map(row));
  const change = (/** @type {Row[]} */ next, /** @type {number} */ focus) => {
    steps = next;
    draw();
    /** @type {HTMLElement | null} */ (list.children[Math.min(focus, steps.length - 1)].querySelector('button:enabled'))?.focus();
  };

  /** @param {Row} each @param {number} index */
  function row({ step, words }, index) {
    const n = index + 1;
    const found = h('div', { class: 'found', hidden: true });
    const button = (/** @type {string} */ shape, /** @type {boolean} */ off, /** @type {() => void} */ onclick) =>
      h('button', { type: 'button', class: 'quiet', 'aria-label': t(`procedures.${shape}`, { n }), disabled: off, onclick }, icon(shape));
    const move = (/** @type {number} */ by) => {
      const rest = steps.toSpliced(index, 1);
      change(rest.toSpliced(index + by, 0, steps[index]), index + by);
    };
    const find = () => attempt(async () => show(found, await call(`${PATH}/find`, { text: written(), step: index })));
    return h(
      'li',
      {},
      h('div', { class: 'row' },
        h('b', {}, String(n)),
        button('zoom', !step.when, find),
        button('up', index === 0, () => move(-1)),
        button('down', n === steps.length, () => move(1)),
        button('close', steps.length === 1, () => change(steps.toSpliced(index, 1), index)),
      ),
      sign('procedures.when', step.when),
      found,
      ...(step.do ?? []).map((action, at) => (action.kind === 'type' ? input('procedures.type', action) : h('p', {}, translated(words[at])))),
      step.do ? null : h('p', {}, translated(words[0])),
      sign('procedures.expect', step.expect),
    );
  }

  const save = () => attempt(async () => {
    await call(`${PATH}/file`, { text: written(), replace: true });
    dialog.close();
  });
  const button = (/** @type {string} */ key, /** @type {string} */ look, /** @type {() => void} */ onclick) =>
    h('button', { type: 'button', class: look, 'data-t': key, onclick });
  dialog.append(
    h('h2', { id: 'procedure-title' }, procedure.name),
    list,
    fault,
    h('div', { class: 'buttons' }, button('params.cancel', 'quiet', () => dialog.close()), button('result.save', 'primary', save)),
  );
  dialog.addEventListener('close', () => dialog.remove());
  draw();
  document.body.append(dialog);
  dialog.showModal();
}

/** @param {string} key @param {Sign} [of] */
function sign(key, of) {
  if (!of) return null;
  if (of.text) return input(key, of);
  return h('div', { class: 'field' }, h('span', { class: 'name' }, t(key)), image(of.picture ?? '', t('procedures.picture')));
}

/** @param {string} base64 of a PNG or a JPEG @param {string} alt */
function image(base64, alt) {
  const bytes = Uint8Array.from(atob(base64), (char) => char.charCodeAt(0));
  const src = URL.createObjectURL(new Blob([bytes]));
  return h('img', { src, alt, onload: () => URL.revokeObjectURL(src) });
}

/** A field that changes the text of a sign or of what is typed. @param {string} key @param {{ text?: string }} of */
function input(key, of) {
  const control = h('input', { type: 'text', autocomplete: 'off' });
  control.value = of.text ?? '';
  control.addEventListener('input', () => (of.text = control.value));
  return h('label', { class: 'field' }, h('span', { class: 'name' }, t(key)), control);
}

/** Show where a sign was found. @param {HTMLElement} node @param {{ at: number[] | null, jpeg: string }} result */
function show(node, { at, jpeg }) {
  const percent = (/** @type {number} */ part) => `${part * 100}%`;
  const box = h('span', {});
  if (at) {
    const [left, top, right, bottom] = at;
    Object.assign(box.style, { left: percent(left), top: percent(top), width: percent(right - left), height: percent(bottom - top) });
  }
  const screen = h('div', {}, image(jpeg, ''), at && box);
  fill(node, h('p', { role: 'status', class: at ? 'help' : 'error' }, t(at ? 'procedures.found' : 'procedures.not_found')), screen);
  node.hidden = false;
}
