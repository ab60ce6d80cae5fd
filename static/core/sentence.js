// @ts-check
/** A model's words: the first sentence, and the rest. */

/**
 * A sentence ends before a space and no small letter ("e.g. this"), at a Chinese full stop, or with its line.
 * One of a few words takes the next along.
 */
const FIRST = /^(?:.{40,}?[.!?]["'”’)]*(?=\s+[^a-z\s])|.{16,}?[。！？][”’」）]*|.+(?=\n))/u;

/** @param {string} text @returns {[string, string]} */
export function splitSentence(text) {
  const first = FIRST.exec(text.trim())?.[0] ?? text.trim();
  return [first, text.trim().slice(first.length).trim()];
}
