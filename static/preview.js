// @ts-check
/**
 * The live picture, read-only. The page asks for each frame when it has shown the last one, so a slow
 * page or line costs nobody anything; it does not ask while nobody can see the picture.
 */
import { socketUrl, token, wish } from './connection.js';
import { byId, fill, h, say } from './dom.js';
import * as film from './film.js';
import { icon } from './icons.js';
import { marks } from './marks.js';
import { heard, language, t } from './words.js';

/** @typedef {import('./state.js').State} State */

const AGAIN = 2000;

/** @type {WebSocket | null} */
let socket = null;
let inSight = false;
let waiting = false;
let welcomed = false;
let stopped = false;
let captioned = '';
let marked = '';

const canvas = () => byId('canvas', HTMLCanvasElement);

export function mount() {
  new IntersectionObserver(([entry]) => {
    inSight = entry.isIntersecting;
    ask();
  }).observe(canvas());
  document.addEventListener('visibilitychange', ask);
  byId('fold', HTMLElement).addEventListener('click', fold);
  byId('drawer', HTMLElement).addEventListener('click', slide);
  byId('full', HTMLElement).append(icon('full'));
  byId('full', HTMLElement).addEventListener('click', full);
  byId('float', HTMLElement).append(icon('float'));
  byId('float', HTMLElement).hidden = !document.pictureInPictureEnabled;
  byId('float', HTMLElement).addEventListener('click', () => film.float());
  byId('take', HTMLElement).addEventListener('click', take);
}

/** @param {State} state */
export function update(state) {
  const { screen } = state;
  if (state.link === 'open' && !welcomed) {
    welcomed = true;
    open();
  }
  const words =
    state.link === 'lost'
      ? t('preview.no_link')
      : screen.state === 'live'
        ? ''
        : heard(screen.sentence) || t(`screen.${screen.state}`);
  say(byId('veil', HTMLElement), words);
  say(byId('reach', HTMLElement), heard(state.reach));
  byId('take', HTMLElement).hidden = !state.mayTakeOver && !state.watching;
  film.awake(state.status === 'running');
  caption(state);
  point(state);
}

/** @param {State} state */
function caption({ screen, link, mayTakeOver }) {
  const name = link === 'lost' ? 'lost' : screen.state;
  const wanted = [name, screen.sentence, screen.width, screen.height, mayTakeOver, language].join();
  if (wanted === captioned) return;
  captioned = wanted;
  const advice = name === 'live' && screen.sentence ? ` · ${heard(screen.sentence)}` : '';
  const size = screen.width ? ` · ${screen.width}×${screen.height}` : '';
  fill(
    byId('caption', HTMLElement),
    h('span', { class: `dot is-${name}` }),
    h('b', {}, t(`screen.${name}`)),
    h('span', { class: 'more' }, `${size}${mayTakeOver ? '' : ` · ${t('preview.view_only')}`}`),
    advice,
  );
}

/** The controls of the computer; who only watches first needs the session. */
async function take() {
  if (document.body.dataset.watching !== undefined) wish({ take_over: true });
  else (await import('./takeover.js')).toggle();
}

/** What is being done this moment, drawn over the live picture. @param {State} state */
function point({ step }) {
  const action = step?.open ? step.reply?.actions[step.acting] : undefined;
  const wanted = action ? `${step?.number}:${step?.acting}` : '';
  if (wanted === marked) return;
  marked = wanted;
  fill(byId('pointer', HTMLElement), ...(action ? marks([action]) : []));
}

export function stop() {
  stopped = true;
  socket?.close();
}

function open() {
  const opened = new WebSocket(socketUrl('/api/preview'));
  opened.binaryType = 'blob';
  opened.onopen = () => {
    opened.send(JSON.stringify({ token: token() }));
    socket = opened;
    ask();
  };
  opened.onmessage = (message) => show(message.data);
  opened.onclose = () => {
    socket = null;
    waiting = false;
    if (!stopped) setTimeout(open, AGAIN);
  };
}

function ask() {
  if (!socket || socket.readyState !== WebSocket.OPEN || waiting || !inSight || document.hidden) return;
  waiting = true;
  socket.send('next');
}

/** @param {Blob} jpeg */
async function show(jpeg) {
  try {
    const picture = await createImageBitmap(jpeg);
    const room = canvas();
    if (room.width !== picture.width || room.height !== picture.height) resize(picture);
    room.getContext('2d')?.drawImage(picture, 0, 0);
    picture.close();
  } finally {
    waiting = false;
    requestAnimationFrame(ask);
  }
}

/** The frame around the picture takes its shape, so that marks fall where they belong. @param {ImageBitmap} picture */
function resize({ width, height }) {
  Object.assign(canvas(), { width, height });
  byId('monitor', HTMLElement).style.setProperty('--ratio', String(width / height));
}

/** On a phone on its side the talk can make room for the picture; Stop stays. */
function slide() {
  const button = byId('drawer', HTMLElement);
  const open = button.ariaExpanded === 'true';
  button.ariaExpanded = String(!open);
  document.body.dataset.drawer = open ? 'closed' : 'open';
}

function full() {
  if (document.fullscreenElement) document.exitFullscreen();
  else byId('watch', HTMLElement).requestFullscreen();
}

function fold() {
  const button = byId('fold', HTMLElement);
  const folded = button.ariaExpanded === 'true';
  button.ariaExpanded = String(!folded);
  button.dataset.t = folded ? 'preview.hide' : 'preview.show';
  button.textContent = t(button.dataset.t);
  byId('monitor', HTMLElement).hidden = folded;
}
