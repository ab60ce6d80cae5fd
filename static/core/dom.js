// @ts-check
/** Building elements. Text is only ever text: nothing here, or anywhere, parses markup. */
import { setTexts } from './i18n.js';

/**
 * @template {Element} T
 * @param {string} id
 * @param {{ new (): T, name: string }} type
 * @returns {T}
 */
export function byId(id, type) {
  const node = document.getElementById(id);
  if (!(node instanceof type)) throw new Error(`The page has no ${type.name} with the id ${id}.`);
  return node;
}

/**
 * A property that is undefined, null or false is left out; one called "on…" is a listener, and
 * "data-t" a text that follows the reader's language. A button submits no form unless its `type` says so.
 * @template {keyof HTMLElementTagNameMap} K
 * @param {K} tag
 * @param {Record<string, any>} [props]
 * @param {...(Node | string | null | undefined | false)} children
 * @returns {HTMLElementTagNameMap[K]}
 */
export function h(tag, props = {}, ...children) {
  const node = document.createElement(tag);
  if (tag === 'button') node.setAttribute('type', 'button');
  for (const [name, value] of Object.entries(props)) {
    if (value === undefined || value === null || value === false) continue;
    if (name.startsWith('on')) node.addEventListener(name.slice(2), value);
    else node.setAttribute(name, value === true ? '' : String(value));
  }
  if ('data-t' in props || 'data-t-label' in props) setTexts(node);
  node.append(...present(children));
  if (tag === 'button' && props['aria-label'] && !node.textContent) node.title = props['aria-label']; // an icon needs a tooltip
  return node;
}

/**
 * @param {Element} node
 * @param {...(Node | string | null | undefined | false)} children
 */
export function fill(node, ...children) {
  node.replaceChildren(...present(children));
}

/**
 * Set a text; an empty one hides the node.
 * @param {HTMLElement} node
 * @param {string} words
 */
export function setText(node, words) {
  node.textContent = words;
  node.hidden = !words;
}

/** Do something, and show the message of its error in `node`. Return whether it worked. @param {() => unknown} act @param {HTMLElement} node */
export async function tryTo(act, node) {
  try {
    await act();
    return true;
  } catch (error) {
    setText(node, /** @type {Error} */ (error).message);
    return false;
  }
}

/** Load a style sheet of a view that is not shown at first. @param {string} href */
export const loadStyle = (href) =>
  new Promise((loaded) => document.head.append(h('link', { rel: 'stylesheet', href, onload: loaded, onerror: loaded })));

/** Bring what was opened into view. @param {Event} event */
export function showOpened({ target }) {
  if (target instanceof HTMLDetailsElement && target.open) target.scrollIntoView({ block: 'nearest' });
}

const FOCUS_DELAY_MS = 120;

/**
 * Focus `node` after the focused element was removed, unless something else got the focus. The delay is for Orca,
 * which ignores an immediate focus. On a touch screen the message box is not focused: the keyboard would cover the page.
 * @param {HTMLElement} node
 */
export function focusLater(node) {
  if (node.id === 'box' && matchMedia('(pointer: coarse)').matches) return;
  if (document.activeElement instanceof HTMLElement) document.activeElement.blur();
  setTimeout(() => document.activeElement === document.body && node.focus({ preventScroll: true }), FOCUS_DELAY_MS);
}

/**
 * @param {string} tag
 * @param {Record<string, string | number>} attributes
 * @param {...Element} children
 */
export function svg(tag, attributes, ...children) {
  const node = document.createElementNS('http://www.w3.org/2000/svg', tag);
  for (const [name, value] of Object.entries(attributes)) node.setAttribute(name, String(value));
  node.append(...children);
  return node;
}

/** @param {Array<Node | string | null | undefined | false>} children @returns {Array<Node | string>} */
function present(children) {
  return children.filter((child) => child instanceof Node || Boolean(child)).map((child) => child || '');
}
