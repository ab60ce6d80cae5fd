// @ts-check
/** The files of a message, in the conversation and in the history. */
import { byId, h, showOpened } from '../core/dom.js';
import { icon } from '../core/icons.js';
import * as lazyImages from '../core/lazy_images.js';

/** `url` of an image, `content` of a text. @typedef {{ name: string, url?: string, content?: string }} MessageFile */

/** @param {MessageFile[]} [files] */
export const fileList = (files) => (files?.length ? h('ul', { class: 'attached' }, ...files.map(item)) : null);

/** @param {MessageFile} file */
function item({ name, url, content }) {
  if (!url) return h('li', {}, h('details', { ontoggle: showOpened }, h('summary', {}, icon('file'), name), h('pre', { tabindex: 0 }, content)));
  const img = h('img', { alt: '' });
  lazyImages.watch(img, url, byId('work', HTMLElement));
  return h('li', {}, img, h('span', {}, name));
}
