// @ts-check
/** The button that opens the setting which fixes an error. */
import { h, tryTo } from '../core/dom.js';
import { select } from '../core/tabs.js';

/** @param {string} setting @param {() => void} [leave] closes the dialog that it is in */
export function settingButton(setting, leave = () => {}) {
  const onclick = () => {
    leave();
    openSetting(setting);
  };
  return h('button', { onclick, 'data-t': 'failed.setting' });
}

/** Like `tryTo`, and offer to open the setting that fixes the error. @param {() => unknown} act @param {HTMLElement} node @param {() => void} [leave] closes the dialog that `node` is in */
export async function tryOrOfferSetting(act, node, leave) {
  let setting = '';
  const attempt = async () => {
    try {
      await act();
    } catch (error) {
      ({ setting = '' } = /** @type {import('../core/connection.js').Refusal} */ (error));
      throw error;
    }
  };
  const works = await tryTo(attempt, node);
  if (setting) node.append(' ', settingButton(setting, leave));
  return works;
}

/** @param {string} name */
async function openSetting(name) {
  select('settings');
  (await import('../settings/settings.js')).reveal(name);
}
