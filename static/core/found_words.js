// @ts-check
/** Marks the searched words in a drawn node, and lets long addresses break after their separators. */
import { h } from './dom.js';

/** A separator within an address, before the next word. */
const BREAK = /(\w[/?&=]+)(?=\w)/g;

/** Draw the text of a node anew, without the marks of another search. @param {Element} node @param {string[]} words */
export function markWords(node, words) {
  for (const each of node.querySelectorAll('mark, wbr')) each.replaceWith(...each.childNodes);
  node.normalize();
  const pattern = words.length ? new RegExp(`(${words.map(escapePattern).join('|')})`, 'iu') : /(?!)/;
  for (const text of textsOf(node)) {
    const parts = text.data.split(pattern).map((part, n) => (n % 2 ? [h('mark', {}, ...breakable(part))] : breakable(part)));
    if (parts.flat().length > 1) text.replaceWith(...parts.flat());
  }
}

/** @param {string} word */
const escapePattern = (word) => word.replace(/[\\^$.*+?()[\]{}|/-]/g, '\\$&');

/** @param {string} text */
const breakable = (text) => text.replace(BREAK, '$1\0').split('\0').flatMap((part, n) => (n ? [h('wbr'), part] : [part]));

/** @param {Element} node */
function textsOf(node) {
  const walker = document.createTreeWalker(node, NodeFilter.SHOW_TEXT);
  const found = [];
  while (walker.nextNode()) found.push(/** @type {Text} */ (walker.currentNode));
  return found;
}
