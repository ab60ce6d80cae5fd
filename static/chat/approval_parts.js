// @ts-check
/** Parts of a question before a risky action: what would be typed, and the button that allows it. */
import { h } from '../core/dom.js';
import { escapeInvisible } from '../core/describe_action.js';
import { t } from '../core/i18n.js';

/** @typedef {import('../core/state.js').Approval} Approval */

const HOLD_MS = 800;
/** How long after a short press the button says that it was too short. */
const TOO_SHORT_MS = 1500;
/** Keys that leave no mark of their own: a tab, the end of a line, and a space beside another or at the end of a line. */
const BLANKS = /(\t|\n| (?= |$))/m;
/** How they are shown, with the key of their name. @type {Record<string, [string, string]>} */
const SIGNS = { '\t': ['⇥', 'tab'], '\n': ['⏎', 'enter'], ' ': ['␣', 'space'] };
/** A text that is neither longer nor has more lines is completely visible. */
const LONG_TEXT = { n: 200, lines: 5 };

/**
 * Show every key, so that spaces, invisible characters and long texts hide nothing.
 * @param {Approval['action']} action @param {string} [id]
 */
export function typedText(action, id) {
  if (action?.kind !== 'type') return [];
  const text = action.text ?? '';
  const parts = escapeInvisible(text).split(BLANKS);
  const size = { n: [...text].length, lines: text.split('\n').length };
  return [
    h('pre', { class: 'keys', id, tabindex: 0 }, ...parts.flatMap((part, index) => (index % 2 ? signOf(part) : part))),
    (size.n > LONG_TEXT.n || size.lines > LONG_TEXT.lines) && h('p', { class: 'help' }, t('approval.size', size)),
  ];
}

/** A line still ends where it does. @param {string} key */
function signOf(key) {
  const [sign, name] = SIGNS[key];
  return [h('span', { class: 'sign', title: t(`approval.sign.${name}`) }, sign), key === '\n' && key];
}

/** Touch requires a long press, to prevent accidental approval. @param {string | null} id @param {() => void} allow */
export function allowButton(id, allow) {
  const coarse = matchMedia('(pointer: coarse)').matches;
  const words = t(coarse ? 'approval.hold' : 'approval.allow');
  const label = h('span', {}, words);
  const button = h('button', { id, class: 'allow' }, label);
  let timer = 0;
  let wasHeld = false;
  const end = () => {
    if (!button.classList.contains('is-held')) return;
    button.classList.remove('is-held');
    clearTimeout(timer);
    timer = window.setTimeout(() => (label.textContent = words), TOO_SHORT_MS);
  };
  const act = () => {
    end();
    if (button.isConnected) allow(); // another question may have taken its place
  };
  button.addEventListener('click', (event) => (!coarse || event.detail === 0) && act());
  button.addEventListener('contextmenu', (event) => event.preventDefault());
  if (coarse) {
    button.addEventListener('pointerdown', () => {
      clearTimeout(timer);
      button.classList.add('is-held');
      button.style.flex = `0 0 ${button.offsetWidth}px`; // it stays under the finger
      label.textContent = t('approval.keep'); // a tap was too short
      wasHeld = false;
      timer = window.setTimeout(() => {
        wasHeld = true;
        act();
      }, HOLD_MS);
    });
    // Else the release is a click on what stands in the place of the button by then.
    button.addEventListener('touchend', (event) => (wasHeld || !button.isConnected) && event.preventDefault());
    for (const kind of ['pointerup', 'pointerleave', 'pointercancel']) button.addEventListener(kind, end);
  }
  return button;
}
