// @ts-check
/** The safety notice: shown until it was confirmed once. */
import { call } from './core/connection.js';
import { byId, setText } from './core/dom.js';
import { setTexts } from './core/i18n.js';

const dialog = () => byId('notice', HTMLDialogElement);

/** The text depends on whether the computer is simulated and the model local. @param {import('./settings/settings.js').Found} found @param {boolean} demo */
export function show({ values }, demo) {
  if (dialog().open) return;
  setKey('notice-intro', demo ? 'notice.intro.demo' : 'notice.intro');
  setKey('notice-shows', values.api_type === 'local' ? 'notice.shows.local' : 'notice.shows.why');
  byId('understood', HTMLElement).onclick = understood;
  dialog().oncancel = (event) => event.preventDefault();
  dialog().showModal();
  dialog().focus(); // Orca may pass over the button, and the reasons with it
}

/** @param {string} id @param {string} key */
function setKey(id, key) {
  byId(id, HTMLElement).dataset.t = key;
  setTexts(byId(id, HTMLElement));
}

async function understood() {
  try {
    await call('/api/notice', {});
    dialog().close();
    document.dispatchEvent(new Event('onboarding'));
  } catch (error) {
    setText(byId('notice-error', HTMLElement), /** @type {Error} */ (error).message);
  }
}
