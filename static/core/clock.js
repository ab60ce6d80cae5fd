// @ts-check
/**
 * The server's clock, by what it says of itself: a KVM often does not know the time of day.
 * Durations that run are elements with `data-since` or `data-until`; one timer moves them all.
 * A time of day is "09:05:30" everywhere, a duration that runs "0:42", one that has ended "42 s".
 */
import { t } from './i18n.js';
import { isWaiting } from './state.js';

/** Made once: that costs more than all the rest of a card. */
const TIME_OF_DAY = new Intl.DateTimeFormat([], {
  hour: '2-digit',
  minute: '2-digit',
  second: '2-digit',
  hourCycle: 'h23',
});

/** A message may be late, but by more seconds than these only if one of the clocks was set. */
const MAX_DELAY_S = 2;
let offset = Infinity;

/** It is `at` on the server (Unix seconds), or was when this message left. @param {number} at */
export function setServerTime(at) {
  const now = Date.now() / 1000 - at;
  if (now < offset || now > offset + MAX_DELAY_S) offset = now;
}

/** Unix seconds on the server. */
export const now = () => Date.now() / 1000 - (Number.isFinite(offset) ? offset : 0);

/** The moment by the clock here, of something that the server dated. @param {number} at */
export const localTime = (at) => new Date((at + (Number.isFinite(offset) ? offset : 0)) * 1000);

/** The time of day here. @param {number} at */
export const formatTimeOfDay = (at) => TIME_OF_DAY.format(localTime(at));

/** "0:42", "1:02:03" @param {number} seconds */
export function formatStopwatch(seconds) {
  const whole = Math.max(0, Math.floor(seconds));
  const two = (/** @type {number} */ n) => String(n).padStart(2, '0');
  const [hours, minutes] = [Math.floor(whole / 3600), Math.floor(whole / 60) % 60];
  return hours ? `${hours}:${two(minutes)}:${two(whole % 60)}` : `${minutes}:${two(whole % 60)}`;
}

/** "0.4 s", "12 s", "2:05" @param {number} seconds */
export function formatDuration(seconds) {
  if (seconds >= 60) return formatStopwatch(seconds);
  return t('seconds', { n: seconds < 9.95 ? seconds.toFixed(1) : Math.round(seconds) });
}

/** What has been going on since then; of a wait whose end is known, when it is over. @param {import('./state.js').Step} step */
export const clockAttributes = (step) =>
  isWaiting(step) ? { 'data-until': step.until } : { 'data-since': step.since };

/** Moves every running duration on. */
export function updateClocks() {
  for (const node of document.querySelectorAll('[data-until]')) {
    const left = Math.ceil(Number(node.getAttribute('data-until')) - now());
    const words = t('phase.retry', { n: Math.max(0, left) });
    if (node.textContent !== words) node.textContent = words;
  }
  for (const node of document.querySelectorAll('[data-since]')) {
    const words = formatStopwatch(now() - Number(node.getAttribute('data-since')));
    if (node.textContent !== words) node.textContent = words;
  }
}
