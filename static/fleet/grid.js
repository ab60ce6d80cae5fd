// @ts-check
/** The page of a fleet: a tile for each computer, what waits for the person, and one task for many. */
import * as accessRefused from '../core/access_refused.js';
import { call, connect, handOver, handOverOnBack } from '../core/connection.js';
import { setServerTime } from '../core/clock.js';
import { byId, fill, h, setText, tryTo } from '../core/dom.js';
import * as emergencyStop from '../core/emergency_stop.js';
import { icon } from '../core/icons.js';
import { loadTaskTexts, t, translated, withoutStop } from '../core/i18n.js';
import * as languageSwitch from '../core/language_switch.js';
import * as alerts from '../core/alerts.js';
import { splitCommands } from '../core/state.js';
import * as pictures from './pictures.js';
import * as questions from './questions.js';

/** @typedef {import('../core/i18n.js').Translatable} Translatable */
/**
 * @typedef {{ state: string, task: string, step: number, sentence: Translatable, trouble: Translatable, plans: boolean, groups: string[],
 *   labels: Record<string, string>, approval: (import('../core/state.js').Approval & { label?: string }) | null }} Row
 */
/** @typedef {{ node: HTMLElement, box: HTMLInputElement, img: HTMLImageElement, parts: HTMLElement, drawn: string }} Tile */

const REFRESH_MS = 1000;
/** The order of the states in the header and in the filter. */
const STATES = ['approval', 'asking', 'failed', 'stopped', 'paused', 'running', 'partly', 'done', 'idle'];
/** In which a new task takes the place of one, if there is one. */
const UNFINISHED = ['asking', 'stopped', 'paused'];
const RESUMABLE = ['stopped', 'paused'];
const ENDED = ['failed', 'partly', 'done'];

/** @type {Record<string, Row>} */
let rows = {};
/** @type {Map<string, Tile>} */
const tiles = new Map();
/** @type {'connecting' | 'open' | 'lost'} */
let link = 'connecting';

const input = (/** @type {string} */ id) => byId(id, HTMLInputElement);
const choice = (/** @type {string} */ id) => byId(id, HTMLSelectElement);
const selected = () => [...tiles].filter(([, { box }]) => box.checked).map(([name]) => name);

async function refresh() {
  if (link === 'open' && !document.hidden) await call('/api/computers').then(draw, () => {});
  setTimeout(refresh, REFRESH_MS);
}

/** @param {Record<string, Row>} found */
function draw(found) {
  rows = found;
  if (!tiles.size) build();
  for (const [name, tile] of tiles) drawTile(name, tile, rows[name]);
  questions.update(rows);
  drawHeader();
  filter();
}

function build() {
  for (const name of Object.keys(rows)) tiles.set(name, makeTile(name));
  fill(byId('grid', HTMLElement), ...[...tiles.values()].map(({ node }) => node));
  drawFilters();
}

/** @param {string} name @returns {Tile} */
function makeTile(name) {
  const box = h('input', { type: 'checkbox', onchange: drawSelection });
  const img = h('img', { alt: '', width: 480, height: 270 });
  const parts = h('div', { class: 'parts' });
  const about = groupsOf(rows[name]).join(' · ');
  const open = h('a', { href: `/computers/${name}/`, onclick: handOver }, img, h('h2', {}, name));
  const pick = h('label', { class: 'pick' }, box, h('span', { class: 'sr' }, t('fleet.select', { name })));
  const node = h('li', { class: 'tile' }, open, pick, parts, about && h('p', { class: 'help' }, about));
  pictures.watch(name, img, () => rows[name].state === 'running');
  return { node, box, img, parts, drawn: '' };
}

/** Its groups, and the labels that say something else. @param {Row} row */
const groupsOf = ({ groups, labels }) => [
  ...groups,
  ...Object.entries(labels).flatMap(([key, value]) => (groups.includes(value) ? [] : `${key}: ${value}`)),
];

/** @param {string} name */
const chip = (name, /** @type {Array<Node | string>} */ ...words) =>
  h('span', { class: `chip is-${name}` }, icon(name), ...(words.length ? words : [t(`state.${name}`)]));

/** @param {string} name @param {Tile} tile @param {Row} row */
function drawTile(name, tile, row) {
  const { state, task, step, sentence, trouble } = row;
  const drawn = JSON.stringify([state, task, step, sentence, trouble, document.documentElement.lang]);
  if (drawn === tile.drawn) return;
  tile.drawn = drawn;
  tile.node.dataset.state = state;
  const told = translated(trouble) || translated(splitCommands(sentence)[0]);
  const words = withoutStop(told) === t(`state.${state}`) ? '' : told; // the chip says it
  const steps = ENDED.includes(state) ? t('history.steps', { count: step }) : t('header.step', { n: step });
  fill(
    tile.parts,
    h('p', { class: 'line' }, chip(state), step > 0 && steps),
    task && h('p', { class: 'task', title: task }, task),
    words && h('p', { class: 'sentence', title: words }, words),
  );
}

function drawHeader() {
  const counts = STATES.map((state) => [state, Object.values(rows).filter((row) => row.state === state).length]);
  const words = (/** @type {unknown} */ state) => h('span', { class: 'words' }, t('label.value', { label: t(`state.${state}`), value: '' }));
  const shown = counts.filter(([, count]) => count).map(([state, count]) => chip(String(state), h('span', {}, words(state), String(count))));
  fill(byId('state', HTMLElement), ...(link === 'open' ? shown : [chip(link)]));
  const states = Object.values(rows).map(({ state }) => state);
  const works = states.some((state) => state === 'running' || state === 'approval');
  const status = works ? 'running' : states.every((state) => state === 'stopped') ? 'stopped' : 'idle';
  document.body.dataset.status = status;
  emergencyStop.update(/** @type {any} */ ({ status, reach: '', inManualControl: false, link }));
}

function drawFilters() {
  const groups = new Set(Object.values(rows).flatMap(groupsOf));
  const options = (/** @type {string} */ all, /** @type {Array<[string, string]>} */ each) =>
    [['', t(all)], ...each].map(([value, words]) => h('option', { value }, words));
  const kept = [choice('filter-state').value, choice('filter-group').value];
  fill(choice('filter-state'), ...options('fleet.all_states', STATES.map((each) => [each, t(`state.${each}`)])));
  fill(choice('filter-group'), ...options('fleet.all_groups', [...groups].sort().map((each) => [each, each])));
  [choice('filter-state').value, choice('filter-group').value] = kept;
  input('search').placeholder = t('fleet.search');
  drawSelection();
}

/** Hide the tiles that do not match; what is hidden is not selected. */
function filter() {
  const words = input('search').value.trim().toLowerCase();
  const [state, group] = [choice('filter-state').value, choice('filter-group').value];
  for (const [name, { node, box }] of tiles) {
    const row = rows[name];
    const about = groupsOf(row);
    const text = [name, ...about, row.task, translated(row.sentence)].join('\n').toLowerCase();
    node.hidden = !((!state || row.state === state) && (!group || about.includes(group)) && text.includes(words));
    if (node.hidden) box.checked = false;
  }
  byId('none', HTMLElement).hidden = [...tiles.values()].some(({ node }) => !node.hidden);
  drawSelection();
}

function drawSelection() {
  const chosen = selected();
  const count = chosen.length;
  const ends = chosen.filter((name) => UNFINISHED.includes(rows[name].state) && rows[name].task).length;
  const shown = [...tiles.values()].filter(({ node }) => !node.hidden).length;
  input('select-shown').checked = count > 0 && count === shown;
  const send = byId('send', HTMLButtonElement);
  send.disabled = count === 0;
  byId('resume', HTMLButtonElement).disabled = !chosen.some((name) => RESUMABLE.includes(rows[name].state));
  send.textContent = t('fleet.send', { count });
  setText(byId('ends', HTMLElement), ends ? t('fleet.ends', { count: ends }) : '');
  byId('box', HTMLTextAreaElement).placeholder = t('fleet.task');
}

function selectShown() {
  for (const { node, box } of tiles.values()) box.checked = !node.hidden && input('select-shown').checked;
  drawSelection();
}

/** Ask it of all that are selected, and say which refused. @param {string} path @param {object} [more] */
async function command(path, more) {
  const box = byId('composer-error', HTMLElement);
  setText(box, '');
  emergencyStop.setNote('');
  await tryTo(async () => {
    const refused = Object.entries((await call(path, { names: selected(), ...more })).refused);
    setText(box, refused.map(([name, why]) => t('fleet.refused', { name, why: translated(/** @type {any} */ (why)) })).join('\n'));
  }, box);
  return !box.textContent;
}

/** @param {Event} event */
async function send(event) {
  event.preventDefault();
  const box = byId('box', HTMLTextAreaElement);
  if (box.value.trim() && (await command('/api/send', { text: box.value }))) box.value = '';
}

async function loadSettings() {
  const found = await call('/api/settings');
  if (!found.notice_acknowledged) (await import('../safety_notice.js')).show(found, false);
}

languageSwitch.mount();
alerts.mount();
emergencyStop.mount();
handOverOnBack();
byId('composer', HTMLFormElement).addEventListener('submit', send);
byId('resume', HTMLElement).addEventListener('click', () => command('/api/resume'));
input('select-shown').addEventListener('change', selectShown);
for (const id of ['search', 'filter-state', 'filter-group']) byId(id, HTMLElement).addEventListener('input', filter);
document.addEventListener('language', () => tiles.size && (drawFilters(), draw(rows)));
connect({
  time: setServerTime,
  welcome(message) {
    document.body.toggleAttribute('data-watching', message.watching);
    loadSettings();
  },
  event() {},
  link(now) {
    link = now;
    drawHeader();
  },
  refused: accessRefused.show,
});
loadTaskTexts().finally(refresh);
