// @ts-check
/** The groups of the settings, in a rail or a menu: one is shown at a time, or what a search finds in all. */
import { byId, fill, h } from '../core/dom.js';
import { markWords } from '../core/found_words.js';
import { showAndAnnounce } from '../core/live_region.js';
import { t } from '../core/i18n.js';

/** @typedef {{ group: string, search: string, advanced: boolean, api_types: string[] }} FormField */
/** @typedef {{ group: string, isAdvanced: boolean, node: HTMLElement }} Part */

const LABEL = { 'data-t-label': 'settings.groups' };
const rail = h('nav', { class: 'rail', ...LABEL });
const menu = h('select', LABEL);
const search = h('input', { type: 'search', id: 'settings-search', autocomplete: 'off', 'data-t-label': 'settings.search' });
const found = h('p', { class: 'help', hidden: true });
const cards = h('div', { class: 'cards' });
export { cards, found, menu, rail, search };

let current = 'model';

menu.addEventListener('change', () => show(menu.value));
search.addEventListener('input', (event) => {
  event.stopPropagation(); // not a setting
  for (const details of cards.querySelectorAll('details')) details.open = search.value !== '';
  update();
});
search.addEventListener('keydown', (event) => event.key === 'Enter' && event.preventDefault());

/** The group of a node within it. @param {Element} node */
const groupOf = (node) => node.closest('.cards > div')?.id.replace('group-', '') ?? '';

/** Draw a card for each group. @param {Part[]} parts */
export function draw(parts) {
  const open = [...cards.querySelectorAll('details[open]')].map(({ id }) => id);
  const groups = [...new Set(parts.map(({ group }) => group))];
  fill(cards, ...groups.map((group) => makeCard(group, parts)));
  for (const details of cards.querySelectorAll('details')) details.open = open.includes(details.id);
  fill(rail, ...groups.map(makeLink));
  const all = h('option', { value: '', hidden: true }, t('settings.all_groups')); // where a search looks
  fill(menu, all, ...groups.map((group) => h('option', { value: group }, t(`group.${group}`))));
  search.placeholder = t('settings.search_short');
  update();
}

/** @param {string} group @param {Part[]} parts */
function makeCard(group, parts) {
  const nodes = (/** @type {boolean} */ advanced) =>
    parts.filter((part) => part.group === group && part.isAdvanced === advanced).map(({ node }) => node);
  const more = h('span', { class: 'help' });
  const card = h(
    'fieldset',
    { tabindex: -1 },
    h('legend', {}, t(`group.${group}`)),
    ...nodes(false),
    h('details', { id: `advanced-${group}` }, h('summary', {}, t('settings.advanced'), more), ...nodes(true)),
  );
  return h('div', { id: `group-${group}` }, card);
}

/** @param {string} group */
function makeLink(group) {
  const go = () => {
    show(group);
    byId(`group-${group}`, HTMLElement).querySelector('fieldset')?.focus({ preventScroll: true }); // for screen readers
  };
  return h('button', { class: 'quiet', value: group, onclick: go }, t(`group.${group}`));
}

/** @param {string} group */
function show(group) {
  current = group;
  search.value = '';
  update();
  cards.scrollTop = 0;
}

/** Show the group of a control, and focus it. @param {HTMLElement} control */
export function reveal(control) {
  if (control.closest('.cards [hidden]')) show(groupOf(control));
  for (const details of cards.querySelectorAll('details')) details.open ||= details.contains(control);
  /** @type {HTMLElement | null} */ (control.closest('.field'))?.removeAttribute('hidden'); // also where the API type does not use it
  control.scrollIntoView({ block: 'center' });
  control.focus({ preventScroll: true });
}

/** Mark the groups of fields that were edited, or refused. @param {Element[]} nodes */
export function markEdited(nodes) {
  const groups = nodes.map(groupOf);
  const refused = [...cards.querySelectorAll('[aria-invalid]')].map(groupOf);
  for (const link of rail.querySelectorAll('button')) {
    link.classList.toggle('is-edited', [...groups, ...refused].includes(link.value));
    link.classList.toggle('is-refused', refused.includes(link.value));
  }
}

/** Hide what the API type does not use, other groups, and what a search does not find. */
export function update() {
  const words = search.value.toLowerCase().split(/\s+/).filter(Boolean);
  cards.classList.toggle('is-searching', words.length > 0);
  let count = 0;
  for (const node of cards.children) {
    const card = /** @type {HTMLElement} */ (node);
    const group = groupOf(card);
    const parts = /** @type {HTMLElement[]} */ ([...card.querySelectorAll('.field, .checkup')]);
    const used = parts.filter(isUsed);
    for (const part of parts) part.hidden = !used.includes(part) || !hasAll(part, words);
    const shown = parts.filter((part) => !part.hidden).length;
    for (const node of card.querySelectorAll('label, .help')) markWords(node, words);
    card.hidden = words.length ? shown === 0 : group !== current;
    count += shown;
    showDisclosure(card);
    showLink(group, used.length > 0, !words.length && group === current);
    rail.querySelector(`[value="${group}"]`)?.classList.toggle('is-found', words.length > 0 && shown > 0);
  }
  menu.value = words.length ? '' : current;
  showAndAnnounce(found, words.length ? t('settings.found', { count }) : '');
}

/** Whether the API type uses it. @param {HTMLElement} part */
export function isUsed({ dataset }) {
  const apiType = cards.querySelector('[name=api_type]');
  return !dataset.apiTypes || dataset.apiTypes.split(' ').includes(/** @type {HTMLSelectElement} */ (apiType).value);
}

/** @param {HTMLElement} part @param {string[]} words */
function hasAll(part, words) {
  const names = [...part.querySelectorAll('[name]')].map((node) => node.getAttribute('name'));
  const text = [...names, part.dataset.search, part.textContent, t(`group.${groupOf(part)}`)];
  const all = text.join(' ').toLowerCase();
  return words.every((word) => all.includes(word));
}

/** @param {Element} card */
function showDisclosure(card) {
  const details = /** @type {HTMLDetailsElement} */ (card.querySelector('details'));
  const count = details.querySelectorAll('.field:not([hidden])').length;
  details.hidden = count === 0;
  details.querySelector('.help')?.replaceChildren(t('settings.advanced_count', { count }));
}

/** @param {string} group @param {boolean} isUsable @param {boolean} isCurrent */
function showLink(group, isUsable, isCurrent) {
  const link = /** @type {HTMLButtonElement} */ (rail.querySelector(`[value="${group}"]`));
  link.hidden = !isUsable;
  if (isCurrent) link.setAttribute('aria-current', 'true');
  else link.removeAttribute('aria-current');
  const option = /** @type {HTMLOptionElement} */ (menu.querySelector(`[value="${group}"]`));
  option.hidden = option.disabled = !isUsable;
}
