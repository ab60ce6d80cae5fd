// @ts-check
/** The views, following the ARIA tabs pattern: arrow keys move, one tab stop. */
import { byId, h } from './dom.js';

const NAMES = ['chat', 'history', 'log', 'settings'];

/** @param {string} name */
const tab = (name) => byId(`tab-${name}`, HTMLButtonElement);

export const current = () => NAMES.find((name) => tab(name).ariaSelected === 'true') ?? 'chat';

/** The browser's Back leads to the view before, and not out of the program. @param {string} name */
export function select(name) {
  if (name === current()) return;
  history.pushState({ view: name }, '');
  show(name);
}

/** @param {string} name */
function show(name) {
  if (name === current()) return;
  for (const each of NAMES) {
    tab(each).ariaSelected = String(each === name);
    tab(each).tabIndex = each === name ? 0 : -1;
    byId(`panel-${each}`, HTMLElement).hidden = each !== name;
  }
  document.body.dataset.tab = name;
  document.dispatchEvent(new CustomEvent('tab', { detail: name }));
}

/** @param {KeyboardEvent} event */
function onkey(event) {
  const at = NAMES.indexOf(current());
  const to = { ArrowRight: at + 1, ArrowLeft: at - 1, Home: 0, End: NAMES.length - 1 }[event.key];
  if (to === undefined) return;
  event.preventDefault();
  const name = NAMES[(to + NAMES.length) % NAMES.length];
  select(name);
  tab(name).focus();
}

/** CSS does not know how wide the scrollbars of this browser are, which differ also with the zoom. */
function measureGutter() {
  const probe = h('div', { class: 'panel is-probe' });
  byId('work', HTMLElement).append(probe);
  document.documentElement.style.setProperty('--gutter', `${probe.offsetWidth - probe.clientWidth}px`);
  probe.remove();
}

export function mount() {
  measureGutter();
  window.addEventListener('resize', measureGutter);
  for (const name of NAMES) tab(name).addEventListener('click', () => select(name));
  byId('tabs', HTMLElement).addEventListener('keydown', onkey);
  window.addEventListener('popstate', ({ state }) => show(state?.view ?? 'chat'));
  document.body.dataset.tab = 'chat';
  show(history.state?.view ?? 'chat'); // a reload comes back to where it was
}
