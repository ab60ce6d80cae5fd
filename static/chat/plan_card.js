// @ts-check
/** The plan of a task: a card to edit and approve it, and the line above the message box that follows it. */
import { call } from '../core/connection.js';
import { byId, fill, h, loadStyle, tryTo } from '../core/dom.js';
import { icon, iconButton } from '../core/icons.js';
import { language, t } from '../core/i18n.js';

/** @typedef {import('../core/state.js').State} State */
/** @typedef {import('../core/state.js').Plan} Plan */

await loadStyle('/static/plan.css');

const summary = h('summary', {});
const list = h('div', {});
const line = h('details', { id: 'plan-line', class: 'plan-line', hidden: true }, summary, list);
let drawnKey = '';

export function mount() {
  byId('composer-note', HTMLElement).after(line);
}

/** @param {State} state */
export function update({ plan, status }) {
  document.body.toggleAttribute('data-plan-waits', status === 'asking' && plan?.approved === false);
  const shown = plan?.approved && plan.items.length > 0 && !['idle', 'done'].includes(status);
  line.hidden = !shown;
  const key = JSON.stringify([plan, language]);
  if (!plan || !shown || key === drawnKey) return;
  drawnKey = key;
  const n = Math.min(Math.max(plan.current, 1), plan.items.length);
  fill(summary, icon('checklist'), h('b', {}, t('plan.item', { n, of: plan.items.length })), h('span', {}, plan.items[n - 1]));
  fill(list, checklist(plan));
}

/** @param {Plan} plan */
export const planCard = (plan) => (plan.approved || plan.over ? checklist(plan) : editor(plan));

/** What the model named as passed is done; the rest says nothing. @param {Plan} plan */
function checklist({ items, approved, current, status }) {
  const row = (/** @type {string} */ item, /** @type {number} */ index) => {
    const state = index + 1 < current ? 'done' : index + 1 === current ? (status ?? 'running') : 'idle';
    const label = state === 'done' && h('span', { class: 'sr' }, ` (${t('state.done')})`);
    return h('li', { class: `is-${state}`, 'aria-current': index + 1 === current && status !== 'done' && 'step' }, icon(state), h('span', {}, item, label));
  };
  return items.length ? h('ol', { class: 'plan' }, ...items.map(row)) : approved && h('p', { class: 'help' }, t('plan.none'));
}

/** Edits stay in `plan.items`: the card may be drawn anew. @param {Plan} plan */
function editor(plan) {
  const rows = h('ol', { class: 'plan is-edited' });
  const error = h('p', { class: 'error', role: 'alert', hidden: true });
  const start = (/** @type {string[]} */ items) => tryTo(() => call('/api/plan', { items, proposal: plan.proposal }), error);
  const change = (/** @type {string[]} */ items, /** @type {number} */ focus, /** @type {string} */ name) => {
    plan.items = items;
    fill(rows, ...items.map(row));
    updateStart();
    const place = rows.children[Math.min(focus, items.length - 1)];
    const wanted = place?.querySelector(`${name}:not(:disabled)`) ?? place?.querySelector('textarea') ?? add;
    /** @type {HTMLElement} */ (wanted).focus();
  };

  /** @param {string} item @param {number} index @param {string[]} all */
  function row(item, index, all) {
    const box = h('textarea', { rows: 1, 'aria-label': t('plan.step', { n: index + 1 }) });
    box.value = item;
    box.addEventListener('input', () => {
      plan.items = plan.items.with(index, box.value);
      updateStart();
    });
    const button = (/** @type {string} */ shape, /** @type {boolean} */ off, /** @type {() => void} */ onclick) =>
      iconButton(shape, t(`plan.${shape}`, { n: index + 1 }), onclick, { class: `quiet ${shape}`, disabled: off });
    const move = (/** @type {number} */ by, /** @type {string} */ shape) => {
      const [moved, ...rest] = [plan.items[index], ...plan.items.toSpliced(index, 1)];
      change(rest.toSpliced(index + by, 0, moved), index + by, `.${shape}`);
    };
    return h(
      'li',
      {},
      box,
      button('up', index === 0, () => move(-1, 'up')),
      button('down', index === all.length - 1, () => move(1, 'down')),
      button('close', false, () => change(plan.items.toSpliced(index, 1), index, '.close')),
    );
  }

  const button = (/** @type {string} */ key, /** @type {string} */ look, /** @type {() => void} */ onclick) =>
    h('button', { class: look, 'data-t': key, onclick });
  const go = button('plan.start', 'primary', () => start(plan.items));
  /** Without a step it would start without a plan. */
  const updateStart = () => (go.disabled = !plan.items.some((item) => item.trim()));
  const add = button('plan.add', 'quiet', () => change([...plan.items, ''], plan.items.length, 'textarea'));
  fill(rows, ...plan.items.map(row));
  updateStart();
  return h(
    'div',
    { class: 'plan-editor' },
    rows,
    add,
    error,
    h('div', { class: 'buttons' }, button('plan.skip', 'quiet', () => start([])), go),
  );
}
