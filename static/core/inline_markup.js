// @ts-check
/** Bold and code in a text, as models write them. */
import { fill, h, setText } from './dom.js';

const MARKED = /(\*\*[^\s*](?:[^*\n]*[^\s*])?\*\*|`[^`\n]+`)/;

/** @param {string} text */
export const markedParts = (text) => text.split(MARKED).map((part, index) => (index % 2 ? markedPart(part) : part));

/** Like `setText`. @param {HTMLElement} node @param {string} text */
export function setMarkedText(node, text) {
  setText(node, text);
  fill(node, ...markedParts(text));
}

/** @param {string} part */
const markedPart = (part) =>
  part.startsWith('`') ? h('code', {}, part.slice(1, -1)) : h('b', {}, part.slice(2, -2));
