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
  if (on === wanted && (!on || lock || !navigator.wakeLock)) return;
  wanted = on;
  try {
    if (!on) {
      await lock?.release();
      lock = null;
      if (!document.pictureInPictureElement) film?.pause();
    } else if (!navigator.wakeLock) await playing();
    else if (!document.hidden) {
      lock = await navigator.wakeLock.request('screen');
      lock.addEventListener('release', () => (lock = null));
    }
  } catch {
    // Not allowed now, as with an empty battery: then the phone does what its owner set.
  }
}
