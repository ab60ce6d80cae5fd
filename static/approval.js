// @ts-check
/**
 * The question before a risky action: exactly what would be done, where, and why it was stopped. It stands
 * over the dock and covers no Stop. A yes goes back with the number and the digest of what was shown.
 */
import { now } from './clock.js';
import { call } from './connection.js';
import { byId, fill, h, land, say } from './dom.js';
import { icon } from './icons.js';
import { marks } from './marks.js';
import { load } from './pictures.js';
import { reveal } from './reveal.js';
import { heard, language, t } from './words.js';
import { bare, describe } from './wording.js';

/** @typedef {import('./state.js').State} State */
/** @typedef {import('./state.js').Approval} Approval */

/** A click that was meant for what stood here before must not count. */
const DEAD = 400;
const HOLD = 800;

/** @type {Approval | null} */
let shown = null;
let spoken = '';
let since = 0;
let held = 0;
let url = '';
/** What had the focus before it was asked for. @type {Element | null} */
let before = null;

const card = () => byId('approval', HTMLElement);
const problem = h('p', { class: 'error', role: 'alert', hidden: true });
/** It is seen ticking; who hears it is told with the question how long there is. */
const rest = h('span', { class: 'rest', 'aria-hidden': 'true' });
const reason = h('input', { type: 'text', maxlength: 500, autocomplete: 'off' });

export function mount() {
  setInterval(count, 500);
}

/** @param {State} state */
export function update(state) {
  const next = state.link === 'open' ? state.approval : null;
  const same = next?.digest === shown?.digest;
  if (same && spoken === language) return;
  spoken = language;
  if (!same) change(next);
  if (next) draw(next, state);
  if (next && !same) take();
}

/** @param {Approval | null} next */
function change(next) {
  shown = next;
  since = performance.now();
  reason.value = '';
  letGo();
  if (!next) leave();
}

/** Whatever lies over the card goes, and the focus comes to it. */
async function take() {
  before ??= document.activeElement;
  await reveal();
  card().focus({ preventScroll: true }); // the dialog itself: Orca may pass over what is in it
}

/** @param {Approval} asked @param {State} state */
function draw(asked, state) {
  card().hidden = false;
  card().ariaBusy = null;
  reason.placeholder = t('approval.reason');
  reason.setAttribute('aria-label', t('approval.reason'));
  say(problem, '');
  fill(
    card(),
    h('div', { class: 'title' }, icon('failed'), h('h2', { id: 'approval-title' }, t('approval.title')), rest),
    h('p', { class: 'what', id: 'approval-what' }, words(asked, state)),
    ...keys(asked.action),
    h('p', { class: 'why', id: 'approval-why' }, bare(heard(asked.why))),
    picture(asked, state),
    problem,
    h(
      'div',
      { class: 'final' },
      reason, // it gives way where there is little room, the answers never
      h('div', { class: 'answers' }, refuseButton(), allowButton()),
    ),
    h('p', { class: 'onlooker' }, t('watching.decides')),
  );
  count();
}

/** Who was in the card goes back to where they came from. */
function leave() {
  const inside = card().contains(document.activeElement);
  card().hidden = true;
  fill(card());
  if (inside && before instanceof HTMLElement) land(before);
  before = null;
}

/** @param {Approval} asked @param {State} state */
function words(asked, state) {
  if (!asked.action) return bare(asked.words);
  return describe({ words: asked.words, ...asked.action }, state.step?.frame);
}

/** The keys one by one, so that nothing hides in spaces, in signs without a shape, or below the end. @param {Approval['action']} action */
function keys(action) {
  if (action?.kind !== 'type') return [];
  const text = action.text ?? '';
  const visible = bare(text)
    .replaceAll('\t', '⇥')
    .replaceAll('\n', '⏎\n')
    .replace(/ (?= |$)/gm, '·');
  const size = { n: [...text].length, lines: text.split('\n').length };
  return [
    h('pre', { class: 'keys', id: 'approval-keys', tabindex: 0 }, visible),
    h('p', { class: 'help' }, t('approval.size', size)),
  ];
}

/** @param {Approval} asked @param {State} state */
function picture(asked, state) {
  const frame = state.step?.frame;
  if (!frame || !asked.action) return null;
  const img = h('img', {
    width: frame.width,
    height: frame.height,
    alt: t('lightbox.alt', { n: asked.step ?? '' }),
  });
  img.style.aspectRatio = `${frame.width} / ${frame.height}`;
  show(img, frame.url);
  const places = asked.action.at || asked.action.path ? marks([{ words: '', ...asked.action }]) : [];
  return h('div', { class: 'shot' }, img, h('div', { class: 'marks', 'aria-hidden': 'true' }, ...places));
}

/** @param {HTMLImageElement} img @param {string} from */
async function show(img, from) {
  if (url) URL.revokeObjectURL(url);
  url = '';
  try {
    img.src = url = await load(from);
  } catch (error) {
    img.alt = /** @type {Error} */ (error).message;
  }
}

function refuseButton() {
  const button = h('button', { type: 'button', id: 'refuse' }, t('approval.refuse'));
  button.addEventListener('click', () => answer('/api/refuse', { reason: reason.value }));
  return button;
}

/** With a finger it has to be held: a thumb finds a button too easily. */
function allowButton() {
  const coarse = matchMedia('(pointer: coarse)').matches;
  const words = t(coarse ? 'approval.hold' : 'approval.allow');
  const button = h('button', { type: 'button', id: 'allow', class: 'allow' }, h('span', {}, words));
  const allow = () => answer('/api/approve', {});
  button.addEventListener('click', (event) => (!coarse || event.detail === 0) && allow());
  button.addEventListener('contextmenu', (event) => event.preventDefault());
  if (coarse) {
    button.addEventListener('pointerdown', () => {
      button.classList.add('is-held');
      held = window.setTimeout(allow, HOLD);
    });
    for (const end of ['pointerup', 'pointerleave', 'pointercancel']) button.addEventListener(end, letGo);
  }
  return button;
}

function letGo() {
  clearTimeout(held);
  document.getElementById('allow')?.classList.remove('is-held');
}

/** @param {string} path @param {object} more */
async function answer(path, more) {
  if (!shown || card().ariaBusy || performance.now() - since < DEAD) return;
  letGo();
  card().ariaBusy = 'true';
  try {
    await call(path, { id: shown.id, digest: shown.digest, ...more });
  } catch (error) {
    card().ariaBusy = null;
    say(problem, heard(/** @type {Error} */ (error).message));
  }
}

function count() {
  if (!shown) return;
  const left = Math.max(0, Math.round(shown.seconds - (now() - shown.at)));
  rest.textContent = t('approval.left', { n: left });
}
