// @ts-check
/** The safety notice: shown until somebody has said once that they understand. */
import { call } from './connection.js';
import { byId, say } from './dom.js';
import { unconnected } from './state.js';
import { dress } from './words.js';

const dialog = () => byId('notice', HTMLDialogElement);

/** It is as true of a computer that is none, and of a machine that reads its screen itself. @param {import('./settings.js').Found} found @param {boolean} demo */
export function show({ values }, demo) {
  if (dialog().open) return;
  put('notice-intro', demo ? 'notice.intro.demo' : 'notice.intro');
  put('notice-shows', values.api_type === 'local' ? 'notice.shows.local' : 'notice.shows.why');
  byId('understood', HTMLElement).onclick = understood;
  dialog().oncancel = (event) => event.preventDefault();
  dialog().showModal();
  dialog().focus(); // Orca may pass over the button, and the reasons with it
}

/** @param {string} id @param {string} key */
function put(id, key) {
  byId(id, HTMLElement).dataset.t = key;
  dress(byId(id, HTMLElement));
}

async function understood() {
  try {
    const found = await call('/api/notice', {});
    const first = unconnected(found) && (await import('./first.js'));
    dialog().close();
    if (first) first.show(found);
    else byId('box', HTMLElement).focus();
  } catch (error) {
    say(byId('notice-error', HTMLElement), /** @type {Error} */ (error).message);
  }
}
