// @ts-check
/** The safety notice: shown until it was confirmed once. */
import { call } from './core/connection.js';
import { byId, tryTo } from './core/dom.js';
import { setKey } from './core/i18n.js';

const dialog = () => byId('notice', HTMLDialogElement);

/** The text depends on whether the computer is simulated and the model local. @param {import('./settings/settings.js').Found} found @param {boolean} demo */
export function show({ values }, demo) {
  if (dialog().open) return;
  setKey(byId('notice-intro', HTMLElement), demo ? 'notice.intro.demo' : 'notice.intro');
  setKey(byId('notice-shows', HTMLElement), values.api_type === 'local' ? 'notice.shows.local' : 'notice.shows.why');
  byId('understood', HTMLElement).onclick = understood;
  dialog().oncancel = (event) => event.preventDefault();
  dialog().showModal();
  dialog().focus(); // Orca may pass over the button, and the reasons with it
}

async function understood() {
  if (!(await tryTo(() => call('/api/notice', {}), byId('notice-error', HTMLElement)))) return;
  dialog().close();
  document.dispatchEvent(new Event('onboarding'));
}
