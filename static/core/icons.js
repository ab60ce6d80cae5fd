// @ts-check
/** Small line drawings, 20 x 20. A state differs in shape and colour. */
import { h, svg } from './dom.js';

/** @type {Record<string, string>} */
const PATHS = {
  idle: 'M10 4a6 6 0 1 0 0 12 6 6 0 0 0 0-12z',
  running: 'M10 3a7 7 0 1 0 7 7',
  paused: 'M7 5v10M13 5v10',
  stopped: 'M6 6h8v8H6z',
  approval: 'M10 3.5l7.5 13h-15zM10 8.5v3.5M10 14.3v.1',
  asking: 'M7 7.5a3 3 0 1 1 4.2 2.8c-.8.4-1.2.9-1.2 1.7M10 15.2v.1',
  done: 'M4 10.5l4 4 8-9',
  partly: 'M4.5 10h11',
  failed: 'M10 3.5l7.5 13h-15zM10 8.5v3.5M10 14.3v.1',
  lost: 'M3 3l14 14M5.5 9.5a7 7 0 0 1 2-1.2M11 8a7 7 0 0 1 3.5 1.5M8 12.5a3 3 0 0 1 4 0',
  click: 'M5 4l10 4.5-4.2 1.8L9 14.5zM11.5 11.5l3.5 3.5',
  move: 'M10 3v14M3 10h14M8 5l2-2 2 2M8 15l2 2 2-2M5 8l-2 2 2 2M15 8l2 2-2 2',
  drag: 'M5 15a1.5 1.5 0 1 0 0-.1M6 14l8-8M10 5.5h4.5V10',
  scroll: 'M10 3v14M6.5 6.5L10 3l3.5 3.5M6.5 13.5L10 17l3.5-3.5',
  type: 'M4 5h12M10 5v11M7.5 16h5',
  keypress: 'M3 6h14v8H3zM6 9h.1M9 9h.1M12 9h.1M7 11.8h6',
  zoom: 'M9 4a5 5 0 1 0 0 10 5 5 0 0 0 0-10zM12.7 12.7L17 17',
  wait: 'M10 4a6 6 0 1 0 0 12 6 6 0 0 0 0-12zM10 7v3.3l2.2 1.4',
  ask: 'M7 7.5a3 3 0 1 1 4.2 2.8c-.8.4-1.2.9-1.2 1.7M10 15.2v.1',
  fail: 'M5 5l10 10M15 5L5 15',
  back: 'M12 4l-6 6 6 6',
  next: 'M8 4l6 6-6 6',
  star: 'M10 3l2.2 4.6 5 .6-3.7 3.5 1 5L10 14.2 5.5 16.7l1-5L2.8 8.2l5-.6z',
  bell: 'M10 3a4.5 4.5 0 0 0-4.5 4.5c0 4-1.5 5-1.5 6h12c0-1-1.5-2-1.5-6A4.5 4.5 0 0 0 10 3zM8.5 16a1.6 1.6 0 0 0 3 0',
  play: 'M6 4l10 6-10 6z',
  restart: 'M15.8 10a5.8 5.8 0 1 1-1.8-4.2L16 7.6M16 3.6v4h-4',
  attach: 'M15.5 9l-6 6a3.5 3.5 0 0 1-5-5l6.5-6.5a2.4 2.4 0 0 1 3.4 3.4L8 13.3a1.2 1.2 0 0 1-1.7-1.7L12 6',
  photo: 'M3 6.5h3.5L8 4.5h4l1.5 2H17V16H3zM10 8.5a2.5 2.5 0 1 0 0 5 2.5 2.5 0 0 0 0-5z',
  file: 'M5 3h6.5L15 6.5V17H5zM11.5 3v3.5H15',
  cost: 'M10 2.5a7.5 7.5 0 1 0 0 15 7.5 7.5 0 0 0 0-15zM12.2 8.2a2.8 2.8 0 1 0 0 3.6M10 5.5v1.5M10 13v1.5',
  edit: 'M4 16l1-4 8.5-8.5 3 3L8 15zM11.5 5.5l3 3',
  copy: 'M7.5 7.5H17V17H7.5zM4 12.5H3V3h9.5v1',
  download: 'M10 3v9.5M6 9l4 4 4-4M4 16.5h12',
  full: 'M4 8V4h4M12 4h4v4M16 12v4h-4M8 16H4v-4',
  not_full: 'M7 3v4H3M13 3v4h4M17 13h-4v4M7 17v-4H3',
  paste: 'M7 3.5h6v3H7zM7 5H5v12h10V5h-2',
  power: 'M10 3v7M6.2 5.6a6 6 0 1 0 7.6 0',
  float: 'M3 5h14v10H3zM10 10h5v3.5h-5z',
  close: 'M5 5l10 10M15 5L5 15',
  checklist: 'M3 6l1.5 1.5L7 5M3 13l1.5 1.5L7 12M10 6.5h7M10 13.5h7',
  left: 'M16 10H4M9 5l-5 5 5 5',
  right: 'M4 10h12M11 5l5 5-5 5',
  enter: 'M16 4.5V11H4.5M8.5 7l-4 4 4 4',
  backspace: 'M7.5 5H17v10H7.5L3 10zM10 8l4 4M14 8l-4 4',
  up: 'M10 16V4M5 9l5-5 5 5',
  down: 'M10 4v12M5 11l5 5 5-5',
  more: 'M5.5 8l4.5 4.5L14.5 8',
  dots: 'M4.5 10h.1M10 10h.1M15.5 10h.1',
  person: 'M10 4a3 3 0 1 0 0 6 3 3 0 0 0 0-6zM4.5 16.5c.5-3 2.8-4.3 5.5-4.3s5 1.3 5.5 4.3',
};

PATHS.manual_control = PATHS.person;

/** @param {string} name */
export function icon(name) {
  const path = svg('path', { d: PATHS[name] ?? PATHS.idle });
  return svg('svg', { viewBox: '0 0 20 20', class: `icon icon-${name}`, 'aria-hidden': 'true' }, path);
}

/** A button that shows an icon alone; its label is its tooltip too. @param {string} shape @param {string} label @param {(event: MouseEvent) => void} onclick @param {Record<string, any>} [more] */
export const iconButton = (shape, label, onclick, more) => h('button', { class: 'quiet', 'aria-label': label, onclick, ...more }, icon(shape));
