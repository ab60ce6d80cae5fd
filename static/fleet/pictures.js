// @ts-check
/** Small pictures of the computers, at a low rate and only of those in sight. */
import { request } from '../core/connection.js';

/** @typedef {{ name: string, isLive: () => boolean, seq: string, at: number, near: boolean, loading: boolean, wasLive: boolean }} Picture `wasLive`: whether the computer was at work when the last picture was requested */

/** Between two pictures of a computer at work, and of another one, whose stream is opened for it. */
const LIVE_MS = 2000;
const IDLE_MS = 15_000;
/** After a picture that did not come. */
const RETRY_MS = 4000;
const CHECK_MS = 250;
/** A browser opens six connections; the others are for what is urgent. */
const MAX_LOADING = 3;

/** @type {Map<Element, Picture>} */
const pictures = new Map();
const observer = new IntersectionObserver((entries) => {
  for (const { target, isIntersecting } of entries) {
    const picture = pictures.get(target);
    if (picture) picture.near = isIntersecting;
  }
});
setInterval(loadDue, CHECK_MS);

/** @param {string} name @param {HTMLImageElement} img @param {() => boolean} isLive whether it is at work */
export function watch(name, img, isLive) {
  pictures.set(img, { name, isLive, seq: '0', at: 0, near: false, loading: false, wasLive: false });
  observer.observe(img);
}

/** The one that waits longest first. */
function loadDue() {
  if (document.hidden) return;
  const now = performance.now();
  const due = [...pictures].filter(([, each]) => each.near && !each.loading && (now >= each.at || each.isLive() !== each.wasLive));
  const room = MAX_LOADING - [...pictures.values()].filter(({ loading }) => loading).length;
  for (const [img, picture] of due.sort(([, a], [, b]) => a.at - b.at).slice(0, room)) load(/** @type {HTMLImageElement} */ (img), picture);
}

/** @param {HTMLImageElement} img @param {Picture} picture */
async function load(img, picture) {
  picture.loading = true;
  picture.wasLive = picture.isLive();
  let wait = RETRY_MS;
  try {
    const answer = await request(`/api/computers/${picture.name}/picture?after=${picture.seq}`);
    if (answer.status === 200) show(img, await answer.blob());
    picture.seq = answer.headers.get('etag') ?? picture.seq;
    if (answer.ok) wait = picture.isLive() ? LIVE_MS : IDLE_MS;
  } catch {
    // it is asked for again
  }
  picture.loading = false;
  picture.at = performance.now() + wait;
}

/** @param {HTMLImageElement} img @param {Blob} jpeg */
function show(img, jpeg) {
  const before = img.src;
  img.src = URL.createObjectURL(jpeg);
  if (before) URL.revokeObjectURL(before);
}
