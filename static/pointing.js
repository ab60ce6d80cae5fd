// @ts-check
/** A tap on the live picture puts the place into the message, in words that every model understands. */
import * as dock from './dock.js';
import { byId, fill, h } from './dom.js';
import { t } from './words.js';

const room = () => byId('pointed', HTMLElement);

export function mount() {
  room().addEventListener('click', onclick);
  byId('dock', HTMLFormElement).addEventListener('sent', () => fill(room()));
}

/** @param {MouseEvent} event */
function onclick(event) {
  const box = room().getBoundingClientRect();
  const x = Math.round(((event.clientX - box.left) / box.width) * 100);
  const y = Math.round(((event.clientY - box.top) / box.height) * 100);
  const mark = h('span', { class: 'mark told' });
  mark.style.left = `${x}%`;
  mark.style.top = `${y}%`;
  fill(room(), mark);
  dock.insert(t('point.words', { x, y }));
}
