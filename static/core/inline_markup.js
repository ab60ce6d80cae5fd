// @ts-check
/** Bold and code in a text, as models write them. */
import { h } from './dom.js';

const MARKED = /(\*\*[^\s*](?:[^*\n]*[^\s*])?\*\*|`[^`\n]+`)/;

/** @param {string} text */
export const markedParts = (text) => text.split(MARKED).map((part, index) => (index % 2 ? markedPart(part) : part));

/** @param {string} part */
const markedPart = (part) =>
  part.startsWith('`') ? h('code', {}, part.slice(1, -1)) : h('b', {}, part.slice(2, -2));
