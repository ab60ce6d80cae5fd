// @ts-check
/** Full screen. */
import { byId, loadStyle } from '../core/dom.js';
import { togglePicture } from './live_view.js';

await loadStyle('/static/live/full_screen.css');

/** Show the whole page in full screen, with Stop and the controls; a hidden picture is shown again. */
export function toggle() {
  if (document.fullscreenElement) return document.exitFullscreen();
  if (byId('monitor', HTMLElement).hidden) togglePicture();
  return document.documentElement.requestFullscreen().then(lockLandscape);
}

/** Turn a phone to landscape for a wide picture, where the browser allows it. */
async function lockLandscape() {
  const { width, height } = byId('canvas', HTMLCanvasElement);
  const { orientation } = /** @type {any} */ (screen);
  if (width > height) await orientation?.lock?.('landscape').catch(() => {});
}
