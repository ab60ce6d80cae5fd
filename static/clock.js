// @ts-check
/**
 * The server's clock, as far as it can be known here: a KVM often does not know the time of day.
 * Durations that run are elements with `data-since` or `data-until`; one timer moves them all.
 */
import { t } from './words.js';

/** Made once: that costs more than all the rest of a card. */
const CLOCK = new Intl.DateTimeFormat([], {
  hour: '2-digit',
  minute: '2-digit',
  second: '2-digit',
  hour12: false,
});

let ahead = Infinity;

/** A message that the server dated `at` (Unix seconds) has just come: it cannot be from the future. @param {number} at */
export function heard(at) {
  ahead = Math.min(ahead, Date.now() / 1000 - at);
}

/** Unix seconds on the server. */
export const now = () => Date.now() / 1000 - (Number.isFinite(ahead) ? ahead : 0);

/** The time of day here, of something that the server dated. @param {number} at */
export function timeOfDay(at) {
  return CLOCK.format((at + (Number.isFinite(ahead) ? ahead : 0)) * 1000);
}

/** "0:42", "1:02:03" @param {number} seconds */
export function stopwatch(seconds) {
  const whole = Math.max(0, Math.floor(seconds));
  const two = (/** @type {number} */ n) => String(n).padStart(2, '0');
  const [hours, minutes] = [Math.floor(whole / 3600), Math.floor(whole / 60) % 60];
  return hours ? `${hours}:${two(minutes)}:${two(whole % 60)}` : `${minutes}:${two(whole % 60)}`;
}

/** "0.4 s", "12 s", "2:05" @param {number} seconds */
export function took(seconds) {
  if (seconds >= 60) return stopwatch(seconds);
  return t('seconds', { n: seconds < 10 ? seconds.toFixed(1) : Math.round(seconds) });
}

/** What has been going on since then; of a wait whose end is known, how much of it is left. @param {import('./state.js').Step} step */
export const running = ({ phase, since, until }) =>
  phase === 'waiting' ? { 'data-until': until } : { 'data-since': since };

/** Moves every running duration on. */
export function tick() {
  for (const node of document.querySelectorAll('[data-until]')) {
    const left = Math.ceil(Number(node.getAttribute('data-until')) - now());
    const words = t('seconds', { n: Math.max(0, left) });
    if (node.textContent !== words) node.textContent = words;
  }
  for (const node of document.querySelectorAll('[data-since]')) {
    const words = stopwatch(now() - Number(node.getAttribute('data-since')));
    if (node.textContent !== words) node.textContent = words;
  }
}
