// @ts-check
/**
 * The live picture as a film: for a small window over other programs, and because a phone that shows a film
 * does not go to sleep, also where plain http gives a page no wake lock.
 */
import { byId, h } from '../core/dom.js';

/** @type {HTMLVideoElement | null} */
let video = null;
/** @type {WakeLockSentinel | null} */
let wakeLock = null;
let isWanted = false;
let isUpdating = false;

async function playVideo() {
  if (!video) {
    video = h('video', { muted: true, playsinline: true, class: 'film', tabindex: -1, 'aria-hidden': 'true' });
    video.muted = true;
    video.srcObject = byId('canvas', HTMLCanvasElement).captureStream(5);
    document.body.append(video);
  }
  await video.play();
  return video;
}

export async function toggle() {
  if (document.pictureInPictureElement) return document.exitPictureInPicture();
  await (await playVideo()).requestPictureInPicture();
}

/** The screen stays on while a task runs. @param {boolean} on */
export async function keepAwake(on) {
  isWanted = on;
  if (isUpdating) return; // one at a time, otherwise a lock would never be released
  isUpdating = true;
  try {
    if (navigator.wakeLock) await updateLock();
    else if (!on && !document.pictureInPictureElement) video?.pause();
    else if (on && video?.paused !== false) await playVideo();
  } catch {
    // Not allowed now, as with an empty battery: then the phone does what its owner set.
  }
  isUpdating = false;
}

/** The browser takes the lock back whenever the page is hidden. */
async function updateLock() {
  if (isWanted && !wakeLock && !document.hidden) {
    wakeLock = await navigator.wakeLock.request('screen');
    wakeLock.addEventListener('release', () => (wakeLock = null));
  }
  if (!isWanted) await wakeLock?.release();
}
