// @ts-check
/** A tap on the live picture inserts its position into the message. */
import * as composer from './composer.js';
import { byId, fill, h } from '../core/dom.js';
import { t } from '../core/i18n.js';

let insertedText = '';

const overlay = () => byId('pointed', HTMLElement);

export function mount() {
  overlay().addEventListener('click', onClick);
  byId('composer', HTMLFormElement).addEventListener('sent', () => fill(overlay()));
  byId('box', HTMLElement).addEventListener('input', onInput);
}

/** Remove a mark when its text is deleted. */
function onInput() {
  if (!byId('box', HTMLTextAreaElement).value.includes(insertedText)) fill(overlay());
}

/** Percent with one decimal; a whole percent would be off by up to ten pixels. @param {number} part */
const toPercent = (part) => Math.round(part * 1000) / 10;

/** @param {MouseEvent} event */
function onClick(event) {
  if (event.detail > 1) return; // the second of a double click
  const box = overlay().getBoundingClientRect();
  const x = toPercent((event.clientX - box.left) / box.width);
  const y = toPercent((event.clientY - box.top) / box.height);
  const mark = h('span', { class: 'mark' });
  mark.style.left = `${x}%`;
  mark.style.top = `${y}%`;
  fill(overlay(), mark);
  insertedText = t('point.words', { x, y });
  composer.insert(insertedText);
}
