// @ts-check
/** Close everything that covers a question, its answers or Stop. */
import { byId } from '../core/dom.js';
import * as drawer from '../live/drawer.js';

/** Nothing else takes the focus before this has come back. */
export async function uncoverChat() {
  byId('lightbox', HTMLDialogElement).close();
  drawer.setOpen(true);
  if (document.fullscreenElement) await document.exitFullscreen().catch(() => {});
}
