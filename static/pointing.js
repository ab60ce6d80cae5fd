// @ts-check
/** A tap on the live picture puts the place into the message, in words that every model understands. */
import * as dock from './dock.js';
import { byId, fill, h } from './dom.js';
import { t } from './words.js';

let words = '';

const room = () => byId('pointed', HTMLElement);

export function mount() {
  room().addEventListener('click', onclick);
  byId('dock', HTMLFormElement).addEventListener('sent', () => fill(room()));
  byId('box', HTMLElement).addEventListener('input', forget);
}

/** Nothing points there once the words are gone. */
function forget() {
  if (!byId('box', HTMLTextAreaElement).value.includes(words)) fill(room());
}

/** In percent, to a tenth: a whole one is ten pixels to either side. @param {number} part */
const percent = (part) => Math.round(part * 1000) / 10;

/** @param {MouseEvent} event */
function onclick(event) {
  const box = room().getBoundingClientRect();
  const x = percent((event.clientX - box.left) / box.width);
  const y = percent((event.clientY - box.top) / box.height);
  const mark = h('span', { class: 'mark' });
  mark.style.left = `${x}%`;
  mark.style.top = `${y}%`;
  fill(room(), mark);
  words = t('point.words', { x, y });
  dock.insert(words);
}
