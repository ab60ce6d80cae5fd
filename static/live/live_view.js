// @ts-check
/**
 * The live picture, read-only. The page asks for each frame when it has shown the last one, so a slow
 * page or line delays no other; it does not ask while the picture is not visible.
 */
import { announceName } from '../core/live_region.js';
import { socketUrl, token, reconnectWith } from '../core/connection.js';
import { byId, fill, h, setText, tryTo } from '../core/dom.js';
import * as drawer from './drawer.js';
import { icon } from '../core/icons.js';
import { drawPointer, drawActions } from './annotations.js';
import { needsKvm, taskStatus } from '../core/state.js';
import { setKey, setTexts, translated, language, t } from '../core/i18n.js';

/** @typedef {import('../core/state.js').State} State */

const RECONNECT_MS = 2000;
/** Connect anew after so long without a frame of a live screen. */
const FRAME_TIMEOUT_MS = 4000;

/** @type {WebSocket | null} */
let socket = null;
let inSight = false;
let waiting = false;
let stalled = false;
/** `state.connected` when the socket was opened. */
let connectedCount = 0;
let reconnectTimer = 0;
let lateTimer = 0;
/** @type {State | null} */
let lastState = null;
/** Loaded when manual control begins. @type {typeof import('./manual_control.js') | null} */
let manualControl = null;
/** Loaded with the first text. @type {typeof import('./paste_dialog.js') | null} */
let pasteDialog = null;
let drawnCaption = '';
let drawnMark = '';
/** Ends an enlargement: what comes next, such as an approval, may be anywhere on the screen. */
let showWhole = () => {};
let zoomedFor = '';
/** Whether a task has run: then the video that keeps a phone awake is loaded. */
let hasRun = false;

const canvas = () => byId('canvas', HTMLCanvasElement);

export function mount() {
  new IntersectionObserver((entries) => {
    inSight = entries[entries.length - 1].isIntersecting;
    askFrame();
  }).observe(canvas());
  document.addEventListener('visibilitychange', askFrame);
  document.addEventListener('pointerdown', mountZoom, { once: true });
  byId('fold', HTMLElement).addEventListener('click', togglePicture);
  byId('full', HTMLElement).append(icon('full'));
  byId('full', HTMLElement).hidden = !document.fullscreenEnabled;
  byId('full', HTMLElement).addEventListener('click', async () => (await import('./full_screen.js')).toggle());
  document.addEventListener('fullscreenchange', () => {
    const isFull = Boolean(document.fullscreenElement);
    byId('full', HTMLElement).ariaPressed = String(isFull);
    fill(byId('full', HTMLElement), icon(isFull ? 'not_full' : 'full'));
  });
  byId('float', HTMLElement).append(icon('float'));
  byId('float', HTMLElement).hidden = !document.pictureInPictureEnabled;
  byId('float', HTMLElement).addEventListener('click', async () => (await import('./picture_in_picture.js')).toggle());
  byId('take', HTMLElement).addEventListener('click', takeOver);
  byId('paste', HTMLElement).append(icon('paste'));
  byId('paste', HTMLElement).addEventListener('click', openPaste);
  byId('kvm', HTMLElement).append(icon('power'));
  byId('kvm', HTMLElement).addEventListener('click', async () => (await import('./kvm_dialog.js')).open());
  for (const name of ['enterpictureinpicture', 'leavepictureinpicture'])
    document.addEventListener(name, () => lastState && update(lastState));
  drawer.mount();
}

/** Loaded at the first touch, wherever that is. */
async function mountZoom() {
  const { makeZoomable } = await import('./pinch_zoom.js');
  showWhole = makeZoomable(byId('monitor', HTMLElement), /** @type {HTMLElement} */ (canvas().parentElement));
}

/** @param {State} state */
export function update(state) {
  lastState = state;
  manualControl?.update(state);
  pasteDialog?.update(state);
  if (state.link === 'open' && connectedCount !== state.connected) {
    connectedCount = state.connected;
    openSocket();
  }
  if (!state.screen.width) canvas().getContext('bitmaprenderer')?.transferFromImageBitmap(null); // of another computer
  setText(byId('screen-note', HTMLElement), overlayText(state));
  setText(byId('reach', HTMLElement), translated(state.reach));
  byId('take', HTMLElement).hidden = !state.mayTakeOver && !state.watching;
  if (state.watching) setKey(byId('take', HTMLElement), 'refused.take');
  byId('paste', HTMLElement).hidden = !state.mayTakeOver || state.watching;
  byId('kvm', HTMLElement).hidden = !state.mayTakeOver || state.watching || state.demo;
  hasRun ||= state.status === 'running';
  if (hasRun) import('./picture_in_picture.js').then(({ keepAwake }) => keepAwake(state.status === 'running'));
  updateCaption(state);
  drawLatestAction(state);
  const shownFor = [state.status, state.inManualControl, state.approval?.id].join();
  if (shownFor !== zoomedFor) showWhole();
  zoomedFor = shownFor;
}

/** How the picture is, for the service and on its way here. @param {State} state */
function streamState(state) {
  const { screen, link } = state;
  if (link === 'lost') return 'lost';
  if (screen.state === 'lost' && needsKvm(state)) return 'none'; // nothing was lost that was ever there
  return stalled && screen.state === 'live' ? 'stalled' : screen.state;
}

/** @param {State} state */
function overlayText(state) {
  const { screen, link } = state;
  if (link === 'lost') return t('preview.no_link');
  if (screen.state === 'live') return stalled ? t('screen.stalled') : '';
  return translated(screen.sentence) || t(`screen.${screen.state}`);
}

/** @param {State} state */
function updateCaption(state) {
  const { screen, mayTakeOver } = state;
  const name = streamState(state);
  const words = t(state.link === 'lost' ? 'state.lost' : `screen.${name}`);
  const runs = taskStatus(state) === 'running';
  const floats = runs && Boolean(document.pictureInPictureElement);
  const wanted = [name, words, translated(screen.sentence), screen.width, screen.height, mayTakeOver, runs, floats, language].join();
  if (wanted === drawnCaption) return;
  drawnCaption = wanted;
  byId('float', HTMLElement).title = t(runs ? 'preview.floats' : 'preview.float');
  const advice = name === 'live' && screen.sentence ? ` · ${translated(screen.sentence)}` : '';
  const size = screen.width ? ` · ${screen.width}×${screen.height}` : '';
  fill(
    byId('caption', HTMLElement),
    h('span', { class: `dot is-${state.link === 'lost' ? 'connecting' : name}` }),
    h('b', {}, words),
    h('span', { class: 'more' }, `${size}${mayTakeOver ? '' : ` · ${t('preview.view_only')}`}`),
    advice,
    floats && h('span', { class: 'floats' }, ` · ${t('preview.floats')}`),
  );
}

/** The controls of the computer; who only watches first needs the session. @param {MouseEvent} event */
async function takeOver(event) {
  if (lastState?.watching) tryTo(() => reconnectWith({ take_over: true }), byId('composer-error', HTMLElement));
  else {
    manualControl = await import('./manual_control.js');
    if (lastState) manualControl.update(lastState);
    manualControl.toggle(event.detail === 0);
  }
}

async function openPaste() {
  pasteDialog = await import('./paste_dialog.js');
  if (lastState) pasteDialog.open(lastState);
}

/** The agent's action, drawn until it looks at the screen again, asks, or the person takes over. @param {State} state */
function drawLatestAction({ step, status, approval, inManualControl }) {
  const done = status === 'running' && !approval && !inManualControl ? (step?.reply?.actions.slice(0, step.acting + 1) ?? []) : [];
  const room = byId('pointer', HTMLElement);
  room.classList.toggle('is-past', !step?.open);
  const wanted = done.length ? `${step?.at}:${step?.acting}` : '';
  if (wanted === drawnMark) return;
  drawnMark = wanted;
  const placed = done.findLast((each) => each.at || each.path);
  const at = placed?.path?.at(-1) ?? placed?.at;
  fill(room, ...drawActions(done.slice(-1)), at && drawPointer(at));
}

export function stop() {
  clearTimeout(reconnectTimer);
  clearTimeout(lateTimer);
  waiting = false;
  if (socket) socket.onopen = socket.onmessage = socket.onclose = null;
  socket?.close();
}

/** Replace the socket. */
function openSocket() {
  stop();
  const opened = new WebSocket(socketUrl('/api/preview'));
  socket = opened;
  opened.binaryType = 'blob';
  opened.onopen = () => {
    opened.send(JSON.stringify({ token: token() }));
    askFrame();
  };
  opened.onmessage = (message) => showFrame(message.data);
  opened.onclose = () => {
    stop();
    reconnectTimer = window.setTimeout(openSocket, RECONNECT_MS);
  };
  lateTimer = window.setTimeout(onLate, FRAME_TIMEOUT_MS);
}

function askFrame() {
  const seen = document.pictureInPictureElement || (inSight && !document.hidden);
  if (socket?.readyState !== WebSocket.OPEN || waiting || !seen) return;
  waiting = true;
  socket.send('next');
  clearTimeout(lateTimer);
  lateTimer = window.setTimeout(onLate, FRAME_TIMEOUT_MS);
}

/** A broken connection raises no error, and a screen that is not live sends nothing either. */
function onLate() {
  const good = socket?.readyState === WebSocket.OPEN;
  if (good && !waiting) return;
  if (good && lastState?.screen.state !== 'live') lateTimer = window.setTimeout(onLate, FRAME_TIMEOUT_MS);
  else {
    setStalled(true);
    openSocket();
  }
}

/** @param {boolean} now whether the picture stands still on its way here */
function setStalled(now) {
  if (now === stalled) return;
  stalled = now;
  if (lastState) update(lastState);
}

/** @param {Blob} jpeg */
async function showFrame(jpeg) {
  clearTimeout(lateTimer);
  setStalled(false);
  try {
    const picture = await createImageBitmap(jpeg);
    const room = canvas();
    if (room.width !== picture.width || room.height !== picture.height) resize(picture);
    // Handed over and not drawn: what was drawn is copied again for every frame of the page, as while it scrolls.
    room.getContext('bitmaprenderer')?.transferFromImageBitmap(picture);
  } finally {
    waiting = false;
    if (document.hidden) setTimeout(askFrame, 100);
    else requestAnimationFrame(askFrame);
  }
}

/** The frame around the picture takes its shape, so that marks fall where they belong. @param {ImageBitmap} picture */
function resize({ width, height }) {
  Object.assign(canvas(), { width, height });
  document.documentElement.style.setProperty('--ratio', String(width / height));
}

export function togglePicture() {
  const button = byId('fold', HTMLElement);
  const folded = button.dataset.t === 'preview.hide';
  button.dataset.t = folded ? 'preview.show' : 'preview.hide';
  button.dataset.tLabel = folded ? 'preview.show_picture' : 'preview.hide_picture';
  setTexts(button);
  announceName(button);
  byId('monitor', HTMLElement).hidden = folded;
}
