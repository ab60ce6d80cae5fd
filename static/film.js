// @ts-check
/**
 * The live picture as a film: for a small window over other programs, and because a phone that shows a film
 * does not go to sleep, also where plain http gives a page no wake lock.
 */
import { byId, h } from './dom.js';

/** @type {HTMLVideoElement | null} */
let film = null;
/** @type {WakeLockSentinel | null} */
let lock = null;
let wanted = false;
let asking = false;

async function playing() {
  if (!film) {
    film = h('video', { muted: true, playsinline: true, class: 'film', tabindex: -1, 'aria-hidden': 'true' });
    film.muted = true;
    film.srcObject = byId('canvas', HTMLCanvasElement).captureStream(5);
    document.body.append(film);
  }
  await film.play();
  return film;
}

export async function float() {
  if (document.pictureInPictureElement) return document.exitPictureInPicture();
  await (await playing()).requestPictureInPicture();
}

/** The screen stays on while a task runs. @param {boolean} on */
export async function awake(on) {
  wanted = on;
  if (asking) return; // one at a time, or a lock would be left that nobody lets go
  asking = true;
  try {
    if (navigator.wakeLock) await hold();
    else if (!on && !document.pictureInPictureElement) film?.pause();
    else if (on && film?.paused !== false) await playing();
  } catch {
    // Not allowed now, as with an empty battery: then the phone does what its owner set.
  }
  asking = false;
}

/** The browser takes the lock back whenever the page is hidden. */
async function hold() {
  if (wanted && !lock && !document.hidden) {
    lock = await navigator.wakeLock.request('screen');
    lock.addEventListener('release', () => (lock = null));
  }
  if (!wanted) await lock?.release();
}
