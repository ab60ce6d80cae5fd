// @ts-check
/** Load screenshots only near the viewport, to limit the memory of a long task. */
import { request } from './connection.js';
import { t } from './i18n.js';

/** Pixels from one frame to the next, above which a picture cannot be recognised. */
const FAST_SCROLL_PX = 80;
/** Milliseconds after which a list that flew has come to rest. */
const SETTLE_MS = 120;

/** @type {WeakMap<Element, string>} */
const sources = new WeakMap();
/** A picture in memory, and how many images wait for it or show it. @typedef {{ url: Promise<string>, cancel: AbortController, users: number }} Picture */
/** By the address that it came from. @type {Map<string, Picture>} */
const pictures = new Map();
/** What an image waits for, or shows. @type {WeakMap<Element, Picture>} */
const shown = new WeakMap();
/** Those that could not be had. @type {Set<HTMLImageElement>} */
const failed = new Set();
/** Those that came near in a flight. @type {Set<HTMLImageElement>} */
const waiting = new Set();
/** Until the list is at rest; 0 while it does not fly. */
let settleTimer = 0;
/** By the element that scrolls. @type {WeakMap<Element, IntersectionObserver>} */
const observers = new WeakMap();

/**
 * Loads `img` from `url` whenever it comes near.
 * @param {HTMLImageElement} img @param {string} url @param {Element} room what scrolls
 */
export function watch(img, url, room) {
  sources.set(img, url);
  getObserver(room).observe(img);
}

/** The service can be reached again, and those that it did not give asked for. */
export function retryFailed() {
  const missing = [...failed];
  failed.clear();
  for (const img of missing) if (img.isConnected) show(img);
}

/**
 * The reader has gone on by so many pixels: what flies past is not fetched, which costs every frame more
 * than all the rest, and holds up what is looked at afterwards.
 * @param {number} by
 */
export function onScrolled(by) {
  if (Math.abs(by) > FAST_SCROLL_PX) {
    clearTimeout(settleTimer);
    settleTimer = window.setTimeout(loadWaiting, SETTLE_MS);
  } else if (!settleTimer) { // a flying list also moves a little, when the heights of rows become known
    loadWaiting();
  }
}

function loadWaiting() {
  settleTimer = 0;
  for (const img of waiting) if (img.isConnected) show(img);
  waiting.clear();
}

/** Load one picture, wherever it is. Throws `Refusal`, or an error that says that it is gone. @param {HTMLImageElement} img @param {string} url */
export async function loadInto(img, url) {
  const blob = await load(url);
  img.onload = img.onerror = () => URL.revokeObjectURL(blob);
  img.src = blob;
}

/** Returns a blob URL that the caller revokes. @param {string} url @param {AbortSignal} [signal] */
async function load(url, signal) {
  const response = await request(url, undefined, signal);
  if (!response.ok) throw new Error(t('picture.gone'));
  return URL.createObjectURL(await response.blob());
}

/** The margin counts from the edges of what scrolls, so that one is the root. @param {Element} root */
function getObserver(root) {
  const observer =
    observers.get(root) ??
    new IntersectionObserver((entries) => entries.forEach((entry) => onIntersection(entry, observer)), {
      root,
      rootMargin: '1200px',
    });
  observers.set(root, observer);
  return observer;
}

/** @param {IntersectionObserverEntry} entry @param {IntersectionObserver} observer */
function onIntersection(entry, observer) {
  const img = /** @type {HTMLImageElement} */ (entry.target);
  if (!img.isConnected) observer.unobserve(img);
  if (!entry.isIntersecting) hide(img);
  else if (settleTimer) waiting.add(img);
  else show(img);
}

/** @param {HTMLImageElement} img */
async function show(img) {
  if (shown.has(img)) return;
  const mine = take(sources.get(img) ?? '');
  shown.set(img, mine);
  try {
    const url = await mine.url;
    if (shown.get(img) !== mine) return;
    img.src = url;
    setMissing(img, '');
  } catch (error) {
    if (shown.get(img) !== mine) return;
    shown.delete(img);
    failed.add(img);
    setMissing(img, /** @type {Error} */ (error).message);
  }
}

/** Loaded once for all images of it. @param {string} source */
function take(source) {
  let picture = pictures.get(source);
  if (!picture) {
    const cancel = new AbortController();
    picture = { url: load(source, cancel.signal), cancel, users: 0 };
    pictures.set(source, picture);
    picture.url.catch(() => forget(source, picture));
  }
  picture.users += 1;
  return picture;
}

/** @param {string} source @param {Picture} picture */
const forget = (source, picture) => pictures.get(source) === picture && pictures.delete(source);

/** @param {string} source @param {Picture} picture */
function release(source, picture) {
  picture.users -= 1;
  if (picture.users) return;
  forget(source, picture);
  picture.cancel.abort();
  picture.url.then(URL.revokeObjectURL, () => {});
}

/** Why there is no picture, in its place. @param {HTMLImageElement} img @param {string} why */
function setMissing(img, why) {
  img.alt = why;
  if (why) img.parentElement?.setAttribute('data-missing', why);
  else img.parentElement?.removeAttribute('data-missing');
}

/** Releases the picture; one that still loads is released when it has come. @param {HTMLImageElement} img */
function hide(img) {
  const mine = shown.get(img);
  shown.delete(img);
  failed.delete(img);
  waiting.delete(img);
  if (!mine) return;
  const end = () => {
    // Chromium never collects an image that loses its `src` outside the document.
    if (img.isConnected && !shown.has(img)) img.removeAttribute('src');
    release(sources.get(img) ?? '', mine);
  };
  if (!img.src || img.complete) return end();
  img.addEventListener('load', end, { once: true });
  img.addEventListener('error', end, { once: true });
}
