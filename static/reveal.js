// @ts-check
/** A question must be seen, with its answers and Stop: whatever lies over them goes away. */
import { byId } from './dom.js';
import { drawer } from './preview.js';

/** Nothing else takes the focus before this has come back. */
export async function reveal() {
  byId('lightbox', HTMLDialogElement).close();
  drawer(true);
  if (document.fullscreenElement) await document.exitFullscreen().catch(() => {});
}
