// @ts-check
/** The steps below the live picture, the newest at the right. Only those in sight have nodes. */
import { useRovingTabindex } from '../core/roving_tabindex.js';
import { byId, fill, h } from '../core/dom.js';
import { fadeEdges } from '../core/fades.js';
import { describeActions, describeStep, isNumbered, numberOf } from '../core/describe_action.js';
import { isCancelled } from '../core/state.js';
import { textsVersion } from '../core/i18n.js';
import { drawMarks, drawPicture, statusText } from '../chat/step_card.js';

/** @typedef {import('../core/state.js').Step} Step */
/** @typedef {{ node: HTMLElement, rev: number, redraw: () => void }} View */

const GAP_PX = 8;
const LABEL_PX = 28;
/** Height below which there is no strip, as in screen.css. */
const MIN_HEIGHT_PX = 72;
const MAX_PICTURE_PX = 130;
/** A reader this close to the end follows what is new. */
const NEAR_END_PX = 24;
/** Steps with nodes beyond each edge. */
const MARGIN_STEPS = 2;

/** @type {Step[]} */
let steps = [];
/** Those that begin a task after another. @type {Set<Step>} */
let firstSteps = new Set();
/** @type {Map<Step, View>} */
const views = new Map();
let stepPx = 0;
let following = true;
/** The task that was drawn last, by the event that began it. */
let drawnTask = '';
let drawnTexts = 0;

const room = () => byId('strip', HTMLElement);
const list = h('div', { class: 'frames' });

export function mount() {
  room().append(list);
  new ResizeObserver(resize).observe(room());
  room().addEventListener('scroll', onScroll, { passive: true });
  fadeEdges(room());
  useRovingTabindex(list, 'button', -1);
  list.addEventListener('focusin', ({ target }) => {
    /** @type {Element} */ (target).scrollIntoView({ block: 'nearest', inline: 'nearest' }); // one half in sight too
    onScroll();
  });
}

/** @param {import('../core/state.js').State} state */
export function update({ entries, begun }) {
  collectSteps(entries);
  following ||= begun !== drawnTask; // a new task comes into view wherever the reader is, as in the chat
  drawnTask = begun;
  if (textsVersion !== drawnTexts) clear();
  drawnTexts = textsVersion;
  draw();
}

/** @param {import('../core/state.js').Entry[]} entries */
function collectSteps(entries) {
  steps = [];
  firstSteps = new Set();
  let isFirst = false;
  for (const entry of entries) {
    if (entry.type === 'task') isFirst = steps.length > 0;
    if (entry.type !== 'step' || entry.folded) continue;
    if (isFirst) firstSteps.add(entry);
    isFirst = false;
    steps.push(entry);
  }
}

function clear() {
  views.clear();
  fill(list);
}

function resize() {
  const high = room().clientHeight;
  const picturePx = Math.min(MAX_PICTURE_PX, high - LABEL_PX);
  const { width, height } = byId('canvas', HTMLCanvasElement);
  const hasRoom = room().offsetHeight >= MIN_HEIGHT_PX; // with the scrollbar, which comes and goes with the steps
  stepPx = hasRoom ? Math.round((picturePx * width) / height) + GAP_PX : 0;
  clear();
  draw();
}

function onScroll() {
  const { scrollLeft, clientWidth, scrollWidth } = room();
  following = scrollLeft + clientWidth > scrollWidth - NEAR_END_PX;
  drawVisible();
}

function draw() {
  list.style.width = `${steps.length * stepPx}px`;
  if (following) room().scrollLeft = list.offsetWidth;
  drawVisible();
}

function drawVisible() {
  const { scrollLeft, clientWidth } = room();
  const first = Math.max(0, Math.floor(scrollLeft / (stepPx || 1)) - MARGIN_STEPS);
  const last = Math.ceil((scrollLeft + clientWidth) / (stepPx || 1)) + MARGIN_STEPS;
  const visible = stepPx ? steps.slice(first, last) : [];
  for (const [step, { node }] of views) if (!visible.includes(step)) removeView(step, node);
  visible.forEach((step, index) => place(step, first + index, index));
}

/** @param {Step} step @param {HTMLElement} node */
function removeView(step, node) {
  views.delete(step);
  node.remove();
}

/** @param {Step} step @param {number} position in the strip @param {number} index among the nodes */
function place(step, position, index) {
  const view = views.get(step) ?? makeView(step);
  views.set(step, view);
  if (list.children[index] !== view.node) list.insertBefore(view.node, list.children[index] ?? null);
  view.node.style.left = `${position * stepPx}px`;
  view.node.classList.toggle('is-first', firstSteps.has(step));
  if (view.rev === step.rev) return;
  view.rev = step.rev;
  view.redraw();
}

/** @param {Step} step @returns {View} */
function makeView(step) {
  const shot = h('div', { class: 'shot' });
  const label = h('p', { 'aria-hidden': 'true' });
  const node = h('div', { class: 'frame' }, shot, label);
  node.style.width = `${stepPx - GAP_PX}px`;
  let { frame, reply } = /** @type {Partial<Step>} */ ({});

  function redraw() {
    if (step.frame !== frame) drawPicture(shot, step, () => steps, room());
    if (step.frame !== frame || step.reply !== reply) drawMarks(shot, step);
    ({ frame, reply } = step);
    for (const button of shot.querySelectorAll('button')) button.ariaLabel = button.title = describeStep(step);
    const words = step.reply && !isCancelled(step) ? describeActions(step) : statusText(step);
    label.textContent = isNumbered(step) ? `${numberOf(step)} ${words}` : words;
    node.classList.toggle('is-open', step.open);
    node.classList.toggle('is-cancelled', isCancelled(step));
    const failed = step.failed || (step.ended && (!step.ended.ok || step.reply?.actions.at(-1)?.kind === 'fail'));
    node.classList.toggle('is-failed', Boolean(failed));
  }

  return { node, rev: -1, redraw };
}
