// @ts-check
/** Bold and code in a text, as models write them. */
import { fill, h, setText } from './dom.js';

const MARKED = /(\*\*[^\s*](?:[^*\n]*[^\s*])?\*\*|`[^`\n]+`)/;
/** Characters of the longest word that has room in a line on any phone. */
const MAX_WORD = 20;

/** @param {string} text */
export const markedParts = (text) => text.split(MARKED).map((part, index) => (index % 2 ? markedPart(part) : part));

/** Like `setText`. @param {HTMLElement} node @param {string} text */
export function setMarkedText(node, text) {
  setText(node, text);
  fill(node, ...markedParts(text));
}

/** @param {string} part */
const markedPart = (part) =>
  part.startsWith('`') ? h('code', {}, ...codeParts(part.slice(1, -1))) : h('b', {}, part.slice(2, -2));

/** A line breaks between the words of code, not at a hyphen, unless a word may be wider than it. @param {string} code */
const codeParts = (code) => code.split(' ').flatMap((word, index) => [index > 0 && ' ', word.length > MAX_WORD ? word : h('span', {}, word)]);
