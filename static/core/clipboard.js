// @ts-check
/** Copying without `navigator.clipboard`, which exists only on https; most KVMs are visited on plain http. */
import { h } from './dom.js';

/** @param {string} text @returns {boolean} whether it worked */
export function copyText(text) {
  const hidden = h('textarea', { class: 'sr' });
  hidden.value = text;
  document.body.append(hidden);
  hidden.select();
  const copied = document.execCommand('copy');
  hidden.remove();
  return copied;
}
