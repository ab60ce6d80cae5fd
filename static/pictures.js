// @ts-check
/** Screenshots, held only while they are near the eye: a long task must not fill the memory. */
import { request } from './connection.js';
import { t } from './words.js';

/** Pixels from one frame to the next, from which on nobody can tell what a picture shows. */
const FLYING = 80;
/** Milliseconds after which a list that flew has come to rest. */
const REST = 120;
/** Milliseconds in which a picture that has left while it came is done with its address. */
const LATE = 1000;

/** @type {WeakMap<Element, string>} */
const sources = new WeakMap();
/** What an image waits for, or shows. @type {WeakMap<Element, { url: string, given: AbortController }>} */
const held = new WeakMap();
/** Those that could not be had. @type {Set<HTMLImageElement>} */
const failed = new Set();
/** Those that came near in a flight. @type {Set<HTMLImageElement>} */
const waiting = new Set();
/** Until the list is at rest; 0 while it does not fly. */
let flight = 0;
/** @type {IntersectionObserver | null} */
let observer = null;

/** Loads `img` from `url` whenever it comes near. @param {HTMLImageElement} img @param {string} url */
export function watch(img, url) {
  sources.set(img, url);
  near().observe(img);
}

/** The service can be reached again, and those that it did not give asked for. */
export function again() {
  const missing = [...failed];
  failed.clear();
  for (const img of missing) if (img.isConnected) show(img);
}

/**
 * The reader has gone on by so many pixels: what flies past is not fetched, which costs every frame more
 * than all the rest, and holds up what is looked at afterwards.
 * @param {number} by
 */
export function moved(by) {
  clearTimeout(flight);
  if (Math.abs(by) > FLYING) flight = window.setTimeout(land, REST);
  else land();
}

function land() {
  flight = 0;
  for (const img of waiting) if (img.isConnected) show(img);
  waiting.clear();
}

/** A blob URL; whoever asks for it revokes it. @param {string} url @param {AbortSignal} [signal] */
export async function load(url, signal) {
  const response = await request(url, undefined, signal);
  if (!response.ok) throw new Error(t('picture.gone'));
  return URL.createObjectURL(await response.blob());
}

/** The margin counts from the edges of the panel that scrolls, so that one is the root. */
function near() {
  observer ??= new IntersectionObserver((entries) => entries.forEach(follow), {
    root: document.getElementById('panel-chat'),
    rootMargin: '1200px 0px',
  });
  return observer;
}

/** @param {IntersectionObserverEntry} entry */
function follow(entry) {
  const img = /** @type {HTMLImageElement} */ (entry.target);
  if (!img.isConnected) near().unobserve(img);
  if (!entry.isIntersecting) hide(img);
  else if (flight) waiting.add(img);
  else show(img);
}

/** @param {HTMLImageElement} img */
async function show(img) {
  if (held.has(img)) return;
  const mine = { url: '', given: new AbortController() };
  held.set(img, mine);
  try {
    const url = await load(sources.get(img) ?? '', mine.given.signal);
    if (held.get(img) !== mine) return URL.revokeObjectURL(url);
    img.src = mine.url = url;
    tell(img, '');
  } catch (error) {
    if (held.get(img) !== mine) return;
    held.delete(img);
    failed.add(img);
    tell(img, /** @type {Error} */ (error).message);
  }
}

/** Why there is no picture, in its place. @param {HTMLImageElement} img @param {string} why */
function tell(img, why) {
  img.alt = why;
  if (why) img.parentElement?.setAttribute('data-missing', why);
  else img.parentElement?.removeAttribute('data-missing');
}

/** Its address goes last, and late if it still loads, which must not lose it. @param {HTMLImageElement} img */
function hide(img) {
  const mine = held.get(img);
  held.delete(img);
  failed.delete(img);
  waiting.delete(img);
  if (!mine) return;
  mine.given.abort();
  const loads = !img.complete;
  img.removeAttribute('src');
  if (mine.url && loads) setTimeout(URL.revokeObjectURL, LATE, mine.url);
  else if (mine.url) URL.revokeObjectURL(mine.url);
}
