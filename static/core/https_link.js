// @ts-check
/** The way to the same page over HTTPS. */
import { byId } from './dom.js';

/** A phone keeps its screen on for a secure page only. @param {string} id @param {boolean} [offered] */
export function offerHttps(id, offered) {
  const link = byId(id, HTMLAnchorElement);
  link.hidden = !offered || location.protocol === 'https:';
  link.href = `https://${location.host}/`;
}
