// @ts-check
/**
 * The question before a risky action: exactly what would be done, where, and why it was stopped. It stands
 * over the composer and covers no Stop. A yes goes back with the number and the digest of what was shown.
 */
import { now, formatStopwatch } from '../core/clock.js';
import { call } from '../core/connection.js';
import { byId, fill, h, focusLater, loadStyle, setText } from '../core/dom.js';
import { icon } from '../core/icons.js';
import { drawActions } from '../live/annotations.js';
import { loadInto } from '../core/lazy_images.js';
import { allowButton, typedText } from './approval_parts.js';
import { uncoverChat } from '../live/drawer.js';
import { translated, textsVersion, t } from '../core/i18n.js';
import { escapeInvisible, describeBriefly } from '../core/describe_action.js';

/** @typedef {import('../core/state.js').State} State */
/** @typedef {import('../core/state.js').Approval} Approval */

await loadStyle('/static/approval.css');

/** Ignore a click that was meant for the content shown before. */
const IGNORE_CLICKS_MS = 400;
const REASON_KEY = `cua-reason${location.pathname}`;

/** @type {Approval | null} */
let shown = null;
let drawnTexts = 0;
let shownAt = 0;
/** What the reason was typed for: it is kept until that is answered, as it may be asked again. @type {string} */
let reasonFor = '';
/** Whether the first of clicks that follow each other fast, in one place, was on the card. */
let beganInside = false;
/** The element that had the focus before. @type {Element | null} */
let focusedBefore = null;

const card = () => byId('approval', HTMLElement);
const problem = h('p', { class: 'error', role: 'alert', hidden: true });
/** The countdown is visual only; the announced question includes the time limit. */
const countdown = h('span', { class: 'rest', 'aria-hidden': 'true' });
const reason = h('input', { type: 'text', maxlength: 500, autocomplete: 'off' });

export function mount() {
  [reasonFor, reason.value] = JSON.parse(sessionStorage.getItem(REASON_KEY) ?? '["", ""]');
  reason.addEventListener('input', keepReason);
  setInterval(updateCountdown, 500);
  document.addEventListener('click', ignoreRepeated, { capture: true });
}

/** A double click on an answer does not press what takes its place, as Send. @param {MouseEvent} event */
function ignoreRepeated(event) {
  const isInside = card().contains(/** @type {Node} */ (event.target));
  if (event.detail <= 1) beganInside = isInside;
  else if (beganInside && !isInside) {
    event.stopPropagation();
    event.preventDefault();
  }
}

/** @param {State} state */
export function update(state) {
  const next = state.link === 'open' ? state.approval : null;
  const same = next?.digest === shown?.digest;
  if (same && drawnTexts === textsVersion) return;
  drawnTexts = textsVersion;
  if (!same) setShown(next);
  if (next) draw(next, state.procedure);
  if (next && !same) takeFocus();
}

/** @param {Approval | null} next */
function setShown(next) {
  const question = next && JSON.stringify([next.why, next.action]);
  if (question && question !== reasonFor) reason.value = '';
  reasonFor = question ?? reasonFor;
  shown = next;
  shownAt = performance.now();
  if (!next) close();
}

/** Uncover the card and focus it. */
async function takeFocus() {
  focusedBefore ??= document.activeElement;
  await uncoverChat();
  card().scrollTop = 0; // also after a question whose end was seen
  card().focus({ preventScroll: true }); // the dialog itself: Orca may pass over what is in it
}

/** @param {Approval} asked @param {boolean} inProcedure a procedure reads no reason */
function draw(asked, inProcedure) {
  card().hidden = false;
  card().ariaBusy = null;
  reason.placeholder = t('approval.reason');
  reason.setAttribute('aria-label', t('approval.reason'));
  setText(problem, '');
  fill(
    card(),
    h('div', { class: 'title' }, h('h2', { id: 'approval-title' }, t('approval.title')), countdown),
    h('p', { class: 'why', id: 'approval-why' }, icon('failed'), escapeInvisible(translated(asked.why))),
    h('p', { class: 'what', id: 'approval-what' }, actionText(asked)),
    ...typedText(asked.action, 'approval-keys'),
    asked.after && h('p', { class: 'help' }, escapeInvisible(translated(asked.after))),
    picture(asked),
    problem,
    h(
      'div',
      { class: 'final' },
      !inProcedure && reason, // it gives way where there is little room, the answers never
      h('div', { class: 'answers' }, refuseButton(), allowButton('allow', () => answer('/api/approve', {}))),
    ),
    h('p', { class: 'onlooker' }, t('watching.decides')),
  );
  updateCountdown();
}

/** Return the focus to where it was before. */
function close() {
  const inside = card().contains(document.activeElement);
  card().hidden = true;
  fill(card());
  if (inside && focusedBefore instanceof HTMLElement) focusLater(focusedBefore);
  focusedBefore = null;
}

/** The picture shows where, and the text of what is typed stands below. @param {Approval} asked */
const actionText = (asked) => (asked.action?.kind === 'type' ? t('approval.type') : describeBriefly(asked));

/** The screenshot of the question, enlarged around the place of the action. None for keys: the live picture shows more. @param {Approval} asked */
function picture(asked) {
  const { url, width, height } = asked;
  const { at, path } = asked.action ?? {};
  if (!url || !asked.action || !(at || path?.length)) return null;
  const img = h('img', { width, height, alt: '' });
  img.style.aspectRatio = `${width} / ${height}`;
  loadInto(img, url).catch((error) => img.closest('.shot')?.replaceChildren(error.message));
  const whole = h(
    'button',
    { class: 'whole', title: t('lightbox.alt', { n: asked.step ?? '' }), onclick: () => enlarge(asked) },
    img,
    h('div', { class: 'marks', 'aria-hidden': 'true' }, ...drawActions([{ words: '', ...asked.action }])),
  );
  if (at) whole.style.translate = `${-100 * at.x}% ${-100 * at.y}%`;
  return h('div', { class: at ? 'shot is-close' : 'shot' }, whole);
}

/** @param {Approval} asked */
async function enlarge({ step, url, width, height, ...action }) {
  if (isNew()) return;
  const { show } = await import('../live/lightbox.js');
  const of = /** @type {any} */ ({ number: step ?? '', frame: { url, width, height }, reply: { actions: [{ ...action, ...action.action }] } });
  show(of, () => [of]);
}

function refuseButton() {
  const button = h('button', { id: 'refuse' }, t('approval.refuse'));
  button.addEventListener('click', () => answer('/api/refuse', { reason: reason.value }));
  return button;
}

/** @param {string} path @param {object} more */
async function answer(path, more) {
  if (!shown || card().ariaBusy || isNew()) return;
  card().ariaBusy = 'true';
  try {
    await call(path, { id: shown.id, digest: shown.digest, ...more });
    reasonFor = '';
    keepReason();
  } catch (error) {
    card().ariaBusy = null;
    setText(problem, translated(/** @type {Error} */ (error).message));
  }
}

const isNew = () => performance.now() - shownAt < IGNORE_CLICKS_MS;

/** Kept in the session storage, like the draft of the message box. */
const keepReason = () => sessionStorage.setItem(REASON_KEY, JSON.stringify([reasonFor, reason.value]));

function updateCountdown() {
  if (!shown) return;
  const left = Math.max(0, Math.round(shown.seconds - (now() - shown.at)));
  countdown.textContent = t('approval.left', { time: formatStopwatch(left) });
}
