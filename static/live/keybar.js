// @ts-check
/** Keys missing on a phone. Ctrl, Alt, Shift and Win apply to the next key or click. */
import { nameKeys } from '../core/describe_action.js';
import { h } from '../core/dom.js';
import { fadeEdges } from '../core/fades.js';
import { icon } from '../core/icons.js';
import { t } from '../core/i18n.js';

/** @typedef {{ kind: string, [more: string]: unknown }} InputAction */

/** @type {Record<string, string>} */
const ICONS = { ENTER: 'enter', LEFT: 'left', UP: 'up', DOWN: 'down', RIGHT: 'right', BACKSPACE: 'backspace' };

const KEYS = [
  ...['ESC', 'TAB', 'ENTER', 'LEFT', 'UP', 'DOWN', 'RIGHT', 'BACKSPACE', 'DELETE', 'HOME', 'END', 'PAGEUP', 'PAGEDOWN'].map((name) => [name]),
  ['CTRL', 'ALT', 'DELETE'],
  ...Array.from({ length: 12 }, (_, n) => [`F${n + 1}`]),
];
const STICKY = ['CTRL', 'ALT', 'SHIFT', 'WIN'];

/** @param {(action: InputAction) => void} act @param {() => void} keyboard opens the phone's own */
export function makeKeyBar(act, keyboard) {
  /** @type {Map<string, HTMLButtonElement>} */
  const waiting = new Map();

  /** Add the pressed modifiers to an action and release them. @param {InputAction} action @returns {InputAction} */
  function held(action) {
    const keys = STICKY.filter((name) => waiting.get(name)?.ariaPressed === 'true');
    if (!keys.length || /^(move|drag-)/.test(action.kind)) return action;
    for (const name of keys) waiting.get(name)?.setAttribute('aria-pressed', 'false');
    const more = /** @type {string[]} */ (action.keys ?? []);
    if (action.kind === 'type') return { kind: 'keypress', keys: [...keys, String(action.text).toUpperCase()] };
    return action.kind === 'click' || action.kind === 'keypress' ? { ...action, keys: [...keys, ...more] } : action;
  }

  function node() {
    const open = h('button', { onclick: keyboard, 'aria-label': t('take.keyboard') });
    open.append(icon('keypress'));
    const modifiers = STICKY.map((name) => {
      const button = h('button', { 'aria-pressed': 'false' }, nameKeys([name]));
      button.addEventListener('click', () => {
        button.ariaPressed = String(button.ariaPressed !== 'true');
      });
      waiting.set(name, button);
      return button;
    });
    /** @type {HTMLElement[]} */
    const keys = KEYS.map((names) => {
      const [label, drawing] = [nameKeys(names), ICONS[names[0]]];
      const press = () => act({ kind: 'keypress', keys: names });
      return h('button', { 'aria-label': label, onclick: press }, drawing ? icon(drawing) : label);
    });
    keys.splice(3, 4, h('div', { class: 'arrows' }, ...keys.slice(3, 7))); // together where the keys break into rows
    const parts = [open, ...modifiers, ...keys];
    const bar = h('div', { class: 'keybar', role: 'toolbar', 'aria-label': t('take.keys') }, ...parts);
    fadeEdges(bar);
    // Keep the focus in the text field, and the phone's keyboard open.
    bar.addEventListener('mousedown', (event) => event.preventDefault());
    return bar;
  }

  return { node, held };
}
