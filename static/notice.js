// @ts-check
/** The safety notice: shown until somebody has said once that they understand. */
import { call } from './connection.js';
import { byId, say } from './dom.js';

const dialog = () => byId('notice', HTMLDialogElement);

export function show() {
  if (dialog().open) return;
  byId('understood', HTMLElement).onclick = understood;
  dialog().oncancel = (event) => event.preventDefault();
  dialog().showModal();
  dialog().focus(); // Orca may pass over the button, and the reasons with it
}

async function understood() {
  try {
    const found = await call('/api/notice', {});
    const first = await import('./first.js');
    dialog().close();
    if (first.needed(found)) first.show(found);
    else byId('box', HTMLElement).focus();
  } catch (error) {
    say(byId('notice-error', HTMLElement), /** @type {Error} */ (error).message);
  }
}
