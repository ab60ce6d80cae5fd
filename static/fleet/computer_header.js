// @ts-check
/** The header of one computer's page in a fleet: its name, the way back, and the stop of all. */
import { call, handOver, handOverOnBack } from '../core/connection.js';
import { byId, h, loadStyle, tryTo } from '../core/dom.js';
import { t } from '../core/i18n.js';
import { icon } from '../core/icons.js';

/** From the path of this page to the API of the fleet. */
const FLEET = '/../..';

await loadStyle('/static/fleet/computer_header.css');

export function mount() {
  handOverOnBack(FLEET);
  const name = location.pathname.split('/')[2];
  document.body.dataset.computer = name;
  document.title = document.title.replace(t('title'), name);
  const title = /** @type {HTMLElement} */ (document.querySelector('.brand h1'));
  delete title.dataset.t;
  title.textContent = name;
  const back = h('a', { class: 'back', href: '/', 'data-t-label': 'fleet.title', onclick: (/** @type {MouseEvent} */ event) => handOver(event, FLEET) }, icon('back'));
  document.querySelector('.brand img')?.replaceWith(back);
  title.after(h('button', { id: 'stop-all', class: 'danger', 'data-t': 'fleet.stop', onclick: stopAll }));
}

const stopAll = () => tryTo(() => call(`${FLEET}/api/stop`, {}), byId('composer-error', HTMLElement));
