// @ts-check
/**
 * The live picture, read-only. The page asks for each frame when it has shown the last one, so a slow
 * page or line costs nobody anything; it does not ask while nobody can see the picture.
 */
import { renamed } from './announce.js';
import { socketUrl, token, wish } from './connection.js';
import { byId, fill, h, say } from './dom.js';
import * as film from './film.js';
import { icon } from './icons.js';
import { arrow, marks } from './marks.js';
import { dress, heard, language, t } from './words.js';

/** @typedef {import('./state.js').State} State */

const AGAIN = 2000;
/** For so long a line may bring no picture of a live screen; then another one is laid. */
const PATIENCE = 4000;

/** @type {WebSocket | null} */
let socket = null;
let inSight = false;
let waiting = false;
let stalled = false;
/** With which welcome the line was laid. */
let welcomed = 0;
let again = 0;
let patience = 0;
/** @type {State | null} */
let seen = null;
/** Fetched when somebody takes over. @type {typeof import('./takeover.js') | null} */
let hands = null;
let captioned = '';
let marked = '';

const canvas = () => byId('canvas', HTMLCanvasElement);

export function mount() {
  new IntersectionObserver((entries) => {
    inSight = entries[entries.length - 1].isIntersecting;
    ask();
  }).observe(canvas());
  document.addEventListener('visibilitychange', ask);
  byId('fold', HTMLElement).addEventListener('click', fold);
  byId('drawer', HTMLElement).addEventListener('click', slide);
  byId('full', HTMLElement).append(icon('full'));
  byId('full', HTMLElement).hidden = !document.fullscreenEnabled;
  byId('full', HTMLElement).addEventListener('click', full);
  document.addEventListener('fullscreenchange', () => {
    byId('full', HTMLElement).ariaPressed = String(Boolean(document.fullscreenElement));
  });
  byId('float', HTMLElement).append(icon('float'));
  byId('float', HTMLElement).hidden = !document.pictureInPictureEnabled;
  byId('float', HTMLElement).addEventListener('click', () => film.float());
  byId('take', HTMLElement).addEventListener('click', take);
  for (const name of ['enterpictureinpicture', 'leavepictureinpicture'])
    document.addEventListener(name, () => seen && update(seen));
  byId('tabs', HTMLElement).addEventListener('click', () => drawer(true));
}

/** @param {State} state */
export function update(state) {
  seen = state;
  hands?.update(state);
  if (state.link === 'open' && welcomed !== state.connected) {
    welcomed = state.connected;
    open();
  }
  say(byId('veil', HTMLElement), veil(state));
  say(byId('reach', HTMLElement), heard(state.reach));
  byId('take', HTMLElement).hidden = !state.mayTakeOver && !state.watching;
  film.awake(state.status === 'running');
  caption(state);
  point(state);
}

/** How the picture is, for the service and on its way here. @param {State} state */
function standing({ screen, link }) {
  if (link === 'lost') return 'lost';
  return stalled && screen.state === 'live' ? 'stalled' : screen.state;
}

/** @param {State} state */
function veil(state) {
  const { screen, link } = state;
  if (link === 'lost') return t('preview.no_link');
  if (screen.state === 'live') return stalled ? t('screen.stalled') : '';
  return heard(screen.sentence) || t(`screen.${screen.state}`);
}

/** @param {State} state */
function caption(state) {
  const { screen, mayTakeOver, status } = state;
  const name = standing(state);
  const rests = name !== 'lost' && (status === 'paused' || status === 'stopped') && status;
  const floats = Boolean(document.pictureInPictureElement);
  const wanted = [name, screen.sentence, screen.width, screen.height, mayTakeOver, floats, rests, language].join();
  if (wanted === captioned) return;
  captioned = wanted;
  byId('float', HTMLElement).title = t('preview.floats');
  const advice = name === 'live' && screen.sentence ? ` · ${heard(screen.sentence)}` : '';
  const size = screen.width ? ` · ${screen.width}×${screen.height}` : '';
  fill(
    byId('caption', HTMLElement),
    h('span', { class: `dot is-${name}` }),
    h('b', {}, t(`screen.${name}`)),
    rests && h('span', { class: 'rests' }, ` · ${t(`preview.${rests}`)}`),
    h('span', { class: 'more' }, `${size}${mayTakeOver ? '' : ` · ${t('preview.view_only')}`}`),
    advice,
    floats && h('span', { class: 'floats' }, ` · ${t('preview.floats')}`),
  );
}

/** The controls of the computer; who only watches first needs the session. @param {MouseEvent} event */
async function take(event) {
  if (document.body.dataset.watching !== undefined) wish({ take_over: true });
  else {
    hands = await import('./takeover.js');
    if (seen) hands.update(seen);
    hands.toggle(event.detail === 0);
  }
}

/** What the agent does this moment, or did last, drawn over the live picture with a pointer of its own. @param {State} state */
function point(state) {
  const { step, action, at } = lately(state);
  const room = byId('pointer', HTMLElement);
  room.classList.toggle('is-past', !step?.open);
  const wanted = step ? `${step.at}:${step.acting}` : '';
  if (wanted === marked) return;
  marked = wanted;
  fill(room, ...(action ? marks([action]) : []), at && arrow(at));
}

/** Of this task; the last action need not have had a place. @param {State} state */
function lately({ entries, driving, status }) {
  let step, action, at;
  for (let n = driving || status === 'done' ? 0 : entries.length; n > 0 && !at; n -= 1) {
    const entry = entries[n - 1];
    if (entry.type === 'task') break;
    if (entry.type !== 'step' || !entry.reply) continue;
    const done = entry.reply.actions.slice(0, entry.acting + 1);
    const placed = done.findLast((each) => each.at || each.path);
    at = placed?.path?.at(-1) ?? placed?.at;
    action ??= done.at(-1);
    step ??= done.length ? entry : undefined;
  }
  return { step, action, at };
}

export function stop() {
  clearTimeout(again);
  clearTimeout(patience);
  waiting = false;
  if (socket) socket.onopen = socket.onmessage = socket.onclose = null;
  socket?.close();
}

/** A new line in the place of the old one. */
function open() {
  stop();
  const opened = new WebSocket(socketUrl('/api/preview'));
  socket = opened;
  opened.binaryType = 'blob';
  opened.onopen = () => {
    opened.send(JSON.stringify({ token: token() }));
    ask();
  };
  opened.onmessage = (message) => show(message.data);
  opened.onclose = () => {
    stop();
    again = window.setTimeout(open, AGAIN);
  };
  patience = window.setTimeout(late, PATIENCE);
}

function ask() {
  const seen = document.pictureInPictureElement || (inSight && !document.hidden);
  if (socket?.readyState !== WebSocket.OPEN || waiting || !seen) return;
  waiting = true;
  socket.send('next');
  clearTimeout(patience);
  patience = window.setTimeout(late, PATIENCE);
}

/** A line that was cut tells nobody. A screen that is not live sends nothing over a good one either. */
function late() {
  const good = socket?.readyState === WebSocket.OPEN;
  if (good && !waiting) return;
  if (good && seen?.screen.state !== 'live') patience = window.setTimeout(late, PATIENCE);
  else {
    tell(true);
    open();
  }
}

/** @param {boolean} now whether the picture stands still on its way here */
function tell(now) {
  if (now === stalled) return;
  stalled = now;
  if (seen) update(seen);
}

/** @param {Blob} jpeg */
async function show(jpeg) {
  clearTimeout(patience);
  tell(false);
  try {
    const picture = await createImageBitmap(jpeg);
    const room = canvas();
    if (room.width !== picture.width || room.height !== picture.height) resize(picture);
    // Handed over and not drawn: what was drawn is copied again for every frame of the page, as while it scrolls.
    room.getContext('bitmaprenderer')?.transferFromImageBitmap(picture);
  } finally {
    waiting = false;
    if (document.hidden) setTimeout(ask, 100);
    else requestAnimationFrame(ask);
  }
}

/** The frame around the picture takes its shape, so that marks fall where they belong. @param {ImageBitmap} picture */
function resize({ width, height }) {
  Object.assign(canvas(), { width, height });
  byId('monitor', HTMLElement).style.setProperty('--ratio', String(width / height));
}

/** On a phone on its side the talk can make room for the picture; Stop stays. */
function slide() {
  drawer(byId('drawer', HTMLElement).ariaExpanded !== 'true');
}

/** @param {boolean} open */
export function drawer(open) {
  const button = byId('drawer', HTMLElement);
  button.ariaExpanded = String(open);
  button.dataset.t = open ? 'drawer.hide' : 'drawer.show';
  button.textContent = t(button.dataset.t);
  document.body.dataset.drawer = open ? 'open' : 'closed';
}

/** All of the page, for Stop and the controls come along. */
function full() {
  if (document.fullscreenElement) document.exitFullscreen();
  else document.documentElement.requestFullscreen().then(lie);
}

/** A wide picture fills a phone that lies; one that lets no page say how it is held stays as it is. */
async function lie() {
  const { width, height } = canvas();
  const { orientation } = /** @type {any} */ (screen);
  if (width > height) await orientation?.lock?.('landscape').catch(() => {});
}

function fold() {
  const button = byId('fold', HTMLElement);
  const folded = button.dataset.t === 'preview.hide';
  button.dataset.t = folded ? 'preview.show' : 'preview.hide';
  button.dataset.tLabel = folded ? 'preview.show_picture' : 'preview.hide_picture';
  dress(button);
  renamed(button);
  byId('monitor', HTMLElement).hidden = folded;
}
