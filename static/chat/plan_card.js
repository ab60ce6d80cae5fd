// @ts-check
/** The plan of a task: a card to edit and approve it, and the line above the message box that follows it. */
import { call } from '../core/connection.js';
import { byId, fill, h, loadStyle, setText, tryTo } from '../core/dom.js';
import { icon, iconButton } from '../core/icons.js';
import { language, t } from '../core/i18n.js';
import { togglePicture } from '../live/live_view.js';

/** @typedef {import('../core/state.js').State} State */
/** @typedef {import('../core/state.js').Plan} Plan */

await loadStyle('/static/plan.css');

const summary = h('summary', {});
const list = h('div', {});
const line = h('details', { id: 'plan-line', class: 'plan-line', hidden: true }, summary, list);
let drawnKey = '';
/** How long after the last key what was written is sent. */
const SAVE_DELAY_MS = 400;
let saveTimer = 0;
/** Ends when what was sent has arrived: one request goes after the other. @type {Promise<unknown>} */
let sending = Promise.resolve();
/** Brings the editor that was made last up to date. */
let drawEditor = () => {};
/** Sends what could not be saved. @type {(() => void) | null} */
let resend = null;
let wasOpen = true;
/** There is no room for the steps and the live picture. */
const UPRIGHT_PHONE = '(max-width: 700px) and (orientation: portrait)';
let hadWaited = false;
/** Whether the picture was folded for the plan. */
let hasFolded = false;
/** As many steps as the service takes. */
const MAX_ITEMS = 20;

export function mount() {
  byId('composer-note', HTMLElement).after(line);
}

/** @param {State} state */
export function update({ plan, status, link, inManualControl }) {
  const isBack = link === 'open' && !wasOpen;
  wasOpen = link === 'open';
  if (isBack) resend?.();
  if (plan) takeEdits(plan);
  if (plan?.approved === false) drawEditor();
  const waits = status === 'asking' && plan?.approved === false;
  document.body.toggleAttribute('data-plan-waits', waits);
  foldPicture(waits && !inManualControl);
  const shown = plan?.approved && plan.items.length > 0 && !['idle', 'done'].includes(status);
  line.hidden = !shown;
  const key = JSON.stringify([plan, language]);
  if (!plan || !shown || key === drawnKey) return;
  drawnKey = key;
  const n = Math.min(Math.max(plan.current, 1), plan.items.length);
  fill(summary, icon('checklist'), h('b', {}, t('plan.item', { n, of: plan.items.length })), h('span', {}, plan.items[n - 1]), icon('more'));
  fill(list, checklist(plan));
}

/** The person may show it all the same. @param {boolean} waits whether a plan does */
function foldPicture(waits) {
  if (waits === hadWaited) return;
  hadWaited = waits;
  const { hidden } = byId('monitor', HTMLElement);
  const folds = waits && !hidden && matchMedia(UPRIGHT_PHONE).matches;
  if (folds || (hasFolded && hidden)) togglePicture();
  hasFolded = folds;
}

/** @param {Plan} plan */
export const planCard = (plan) => (plan.approved || plan.over ? checklist(plan) : editor(plan));

/** What the model named as passed is done; it begins with the first item. @param {Plan} plan */
function checklist({ items: written, edited, approved, current, status = 'running' }) {
  const items = approved ? written : (edited?.items ?? written);
  const ended = ['done', 'partly'].includes(status);
  const row = (/** @type {string} */ item, /** @type {number} */ index) => {
    const isCurrent = index + 1 === (approved && !ended ? Math.max(current, 1) : current);
    const state = index + 1 < current ? 'done' : isCurrent ? status : 'idle';
    const label = state === 'done' ? h('span', { class: 'sr' }, ` (${t('state.done')})`) : ended && !isCurrent && h('span', { class: 'help' }, ` · ${t('plan.not_reported')}`);
    return h('li', { class: `is-${state}`, 'aria-current': isCurrent && !ended && 'step' }, icon(state), h('span', {}, item, label));
  };
  return items.length ? h('ol', { class: 'plan' }, ...items.map(row)) : approved && h('p', { class: 'help' }, t('plan.none'));
}

/** Take over the items that the service has, except one that is being written here. @param {Plan} plan */
function takeEdits(plan) {
  const { items, edited, awaited = 0, saved = (plan.saved = plan.arrived = items) } = plan;
  if (plan.approved || !edited || edited.seq < awaited || edited.items === saved) return;
  plan.items = edited.items.map((item, index) => {
    const before = [index, saved.indexOf(item)].find((place) => saved[place] === item) ?? index; // it may have moved
    return items[before] === saved[before] ? item : items[before];
  });
  plan.saved = plan.arrived = edited.items;
}

/** Edits go to the service, which tells every page: they stay when the card is drawn anew. @param {Plan} plan */
function editor(plan) {
  const rows = h('ol', { class: 'plan is-edited' });
  const error = h('p', { class: 'error', role: 'alert', hidden: true });
  const send = (/** @type {string} */ path, /** @type {string[]} */ items) => {
    clearTimeout(saveTimer);
    saveTimer = 0;
    Object.assign(plan, { saved: items, awaited: Infinity }); // it has not answered yet
    sending = sending.then(async () => {
      let event = 0;
      setText(error, '');
      const works = await tryTo(async () => (event = await call(path, { items, proposal: plan.proposal })), error);
      if (works) plan.arrived = items;
      resend = works ? null : save;
      if (plan.saved === items) Object.assign(plan, { saved: plan.arrived, awaited: event }); // what is written here stays
      document.dispatchEvent(new Event('redraw'));
    });
  };
  const save = () => plan.over || plan.approved || send('/api/plan-edits', plan.items);
  const start = (/** @type {string[]} */ items) => send('/api/plan', items);
  const change = (/** @type {string[]} */ items, /** @type {number} */ focus, /** @type {string} */ name) => {
    plan.items = items;
    save();
    drawRows();
    const place = rows.children[Math.min(focus, items.length - 1)];
    const wanted = place?.querySelector(`${name}:not(:disabled)`) ?? place?.querySelector('textarea') ?? add;
    /** @type {HTMLElement} */ (wanted).focus();
  };

  /** The cursor stays with its text. */
  function drawRows() {
    const boxes = () => [...rows.querySelectorAll('textarea')];
    const from = boxes().findIndex((box) => box === document.activeElement);
    const { value, selectionStart, selectionEnd } = boxes()[from] ?? {};
    while (rows.childElementCount > plan.items.length) rows.lastElementChild?.remove();
    while (rows.childElementCount < plan.items.length) rows.append(row(rows.childElementCount));
    boxes().forEach((box, index) => box.value === plan.items[index] || (box.value = plan.items[index]));
    rows.querySelectorAll('.down').forEach((button, index) => button.toggleAttribute('disabled', index === plan.items.length - 1));
    add.disabled = plan.items.length >= MAX_ITEMS;
    updateStart();
    const to = from < 0 || plan.items[from] === value ? from : plan.items.indexOf(value);
    if (to === from || to < 0) return;
    boxes()[to].focus({ preventScroll: true });
    boxes()[to].setSelectionRange(selectionStart, selectionEnd);
  }

  /** @param {number} index */
  function row(index) {
    const box = h('textarea', { rows: 1, 'aria-label': t('plan.step', { n: index + 1 }) });
    box.addEventListener('input', () => {
      plan.items = plan.items.with(index, box.value);
      updateStart();
      clearTimeout(saveTimer);
      saveTimer = window.setTimeout(save, SAVE_DELAY_MS);
    });
    box.addEventListener('change', () => saveTimer && save()); // before the plan is started or a message is sent
    const button = (/** @type {string} */ shape, /** @type {() => void} */ onclick) =>
      iconButton(shape, t(`plan.${shape}`, { n: index + 1 }), onclick, { class: `quiet ${shape}`, disabled: shape === 'up' && index === 0 });
    const move = (/** @type {number} */ by, /** @type {string} */ shape) => {
      const [moved, ...rest] = [plan.items[index], ...plan.items.toSpliced(index, 1)];
      change(rest.toSpliced(index + by, 0, moved), index + by, `.${shape}`);
    };
    return h(
      'li',
      {},
      box,
      button('up', () => move(-1, 'up')),
      button('down', () => move(1, 'down')),
      button('close', () => change(plan.items.toSpliced(index, 1), index, '.close')),
    );
  }

  const button = (/** @type {string} */ key, /** @type {string} */ look, /** @type {() => void} */ onclick) =>
    h('button', { class: look, 'data-t': key, onclick });
  const go = button('plan.start', 'primary', () => start(plan.items));
  /** Without a step it would start without a plan. */
  const updateStart = () => (go.disabled = !plan.items.some((item) => item.trim()));
  const add = button('plan.add', 'quiet', () => change([...plan.items, ''], plan.items.length, 'textarea'));
  drawRows();
  drawEditor = drawRows;
  return h(
    'div',
    { class: 'plan-editor' },
    rows,
    add,
    error,
    h('div', { class: 'buttons' }, button('plan.skip', 'quiet', () => start([])), go),
  );
}
