// @ts-check
/** Hide the chat beside the picture on a phone in landscape; Stop stays. */
import { byId } from '../core/dom.js';
import { setKey } from '../core/i18n.js';

const button = () => byId('drawer', HTMLElement);

export function mount() {
  button().addEventListener('click', () => setOpen(button().ariaExpanded !== 'true'));
  byId('tabs', HTMLElement).addEventListener('click', () => setOpen(true));
}

/** Close everything that covers a question, its answers or Stop. Nothing else takes the focus before this has come back. */
export async function uncoverChat() {
  byId('lightbox', HTMLDialogElement).close();
  setOpen(true);
  if (document.fullscreenElement) await document.exitFullscreen().catch(() => {});
}

export const isOpen = () => document.body.dataset.drawer !== 'closed';

/** @param {boolean} open */
export function setOpen(open) {
  button().ariaExpanded = String(open);
  setKey(button(), open ? 'drawer.hide' : 'drawer.show');
  document.body.dataset.drawer = open ? 'open' : 'closed';
}
