// @ts-check
/** Building elements. Text is only ever text: nothing here, or anywhere, parses markup. */
import { dress } from './words.js';

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
 * "data-t" a text that follows the reader's language.
 * @template {keyof HTMLElementTagNameMap} K
 * @param {K} tag
 * @param {Record<string, any>} [props]
 * @param {...(Node | string | null | undefined | false)} children
 * @returns {HTMLElementTagNameMap[K]}
 */
export function h(tag, props = {}, ...children) {
  const node = document.createElement(tag);
  for (const [name, value] of Object.entries(props)) {
    if (value === undefined || value === null || value === false) continue;
    if (name.startsWith('on')) node.addEventListener(name.slice(2), value);
    else node.setAttribute(name, value === true ? '' : String(value));
  }
  if ('data-t' in props || 'data-t-label' in props) dress(node);
  node.append(...some(children));
  return node;
}

/**
 * @param {Element} node
 * @param {...(Node | string | null | undefined | false)} children
 */
export function fill(node, ...children) {
  node.replaceChildren(...some(children));
}

/**
 * An error beside what was clicked; no words hide it.
 * @param {HTMLElement} node
 * @param {string} words
 */
export function say(node, words) {
  node.textContent = words;
  node.hidden = !words;
}

/** Milliseconds after a key in which the next one is awaited. */
const TYPES = 400;
/** @type {WeakMap<HTMLElement, number>} */
const due = new WeakMap();

/**
 * What a search has found, told when who types it rests: each key cuts short what a screen reader says.
 * @param {HTMLElement} node
 * @param {string} words
 */
export function tally(node, words) {
  clearTimeout(due.get(node));
  const show = () => node.textContent !== words && say(node, words);
  due.set(node, window.setTimeout(show, TYPES));
}

/** Milliseconds. */
const GONE = 120;

/**
 * The focus for a person whose place has just gone, a little after it: Orca passes in silence over one that comes
 * in the same moment. Whoever has gone elsewhere by then stays there.
 * @param {HTMLElement} node
 */
export function land(node) {
  if (document.activeElement instanceof HTMLElement) document.activeElement.blur();
  setTimeout(() => document.activeElement === document.body && node.focus({ preventScroll: true }), GONE);
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
function some(children) {
  return children.filter((child) => child instanceof Node || Boolean(child)).map((child) => child || '');
}
