// @ts-check
/**
 * The question before a risky action: exactly what would be done, where, and why it was stopped. It stands
 * over the dock and covers no Stop. A yes goes back with the number and the digest of what was shown.
 */
import { now } from './clock.js';
import { call } from './connection.js';
import { byId, fill, h, say } from './dom.js';
import { icon } from './icons.js';
import { marks } from './marks.js';
import { load } from './pictures.js';
import { heard, t } from './words.js';
import { describe } from './wording.js';

/** @typedef {import('./state.js').State} State */
/** @typedef {import('./state.js').Approval} Approval */

/** A click that was meant for what stood here before must not count. */
const DEAD = 400;
const HOLD = 800;

/** @type {Approval | null} */
let shown = null;
let since = 0;
let held = 0;
let url = '';

const card = () => byId('approval', HTMLElement);
const problem = h('p', { class: 'error', role: 'alert', hidden: true });
const rest = h('span', { class: 'rest' });
const reason = h('input', { type: 'text', maxlength: 500, autocomplete: 'off' });

export function mount() {
  setInterval(count, 500);
}

/** @param {State} state */
export function update(state) {
  const next = state.link === 'open' ? state.approval : null;
  if (next?.digest === shown?.digest) return;
  shown = next;
  since = performance.now();
  card().hidden = !next;
  letGo();
  if (next) draw(next, state);
  else fill(card());
}

/** @param {Approval} asked @param {State} state */
function draw(asked, state) {
  reason.value = '';
  reason.placeholder = t('approval.reason');
  reason.setAttribute('aria-label', t('approval.reason'));
  say(problem, '');
  fill(
    card(),
    h('h2', { id: 'approval-title', tabindex: -1 }, icon('failed'), t('approval.title'), rest),
    h('p', { class: 'what' }, words(asked, state)),
    keys(asked.action),
    h('p', { class: 'why' }, heard(asked.why)),
    picture(asked, state),
    problem,
    h('div', { class: 'answers' }, reason, refuseButton(), allowButton()),
  );
  count();
  byId('approval-title', HTMLElement).focus({ preventScroll: true });
}

/** @param {Approval} asked @param {State} state */
function words(asked, state) {
  if (!asked.action) return asked.words;
  return describe({ words: asked.words, ...asked.action }, state.step?.frame);
}

/** The keys one by one, so that nothing hides in spaces or at the end. @param {Approval['action']} action */
function keys(action) {
  if (action?.kind !== 'type') return null;
  const visible = (action.text ?? '')
    .replaceAll('\t', '⇥')
    .replaceAll('\n', '⏎\n')
    .replace(/ (?= |$)/gm, '·');
  return h('pre', { class: 'keys', tabindex: 0 }, visible);
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
  if (!shown || performance.now() - since < DEAD) return;
  letGo();
  try {
    await call(path, { id: shown.id, digest: shown.digest, ...more });
  } catch (error) {
    say(problem, heard(/** @type {Error} */ (error).message));
  }
}

function count() {
  if (!shown) return;
  const left = Math.max(0, Math.round(shown.seconds - (now() - shown.at)));
  rest.textContent = t('approval.left', { n: left });
}
