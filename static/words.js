// @ts-check
/**
 * Every text of the page in the reader's language: one JSON file each, keyed by what the text is for.
 * What the service says is English; `heard` gives it in the reader's language. A second file has what it says in
 * settings, check-up and installation alone: whoever shows those waits for `learn`.
 */
import { hearer, put } from './heard.js';

/** @typedef {{ words: Record<string, string>, server?: Record<string, string> }} Table */

/** The service reads it too: the document comes in the reader's language. */
const COOKIE = 'cua-language';
/** Language -> its own name. */
export const LANGUAGES = { en: 'English', zh: '中文' };

/** @type {Table} */
let table = { words: {} };
let translate = hearer({});
/** @type {Promise<void> | undefined} */
let learning;
export let language = 'en';

/** @param {string} name @returns {Promise<Table>} */
const fetched = async (name) => (await fetch(`/static/${name}.json`)).json();

/** @param {string} name */
async function load(name) {
  table = await fetched(name);
  translate = hearer(table.server ?? {});
  language = name;
  learning &&= more();
  await learning;
}

async function more() {
  const { server } = table;
  if (server) translate = hearer({ ...server, ...(await fetched(`${language}.later`)).server });
}

export const learn = () => (learning ??= more());

/** @param {string} name */
export async function speak(name) {
  document.cookie = `${COOKIE}=${name}; path=/; max-age=31536000; samesite=strict`;
  await load(name);
  document.documentElement.lang = name === 'zh' ? 'zh-CN' : name;
  for (const node of document.querySelectorAll('[data-t], [data-t-label]'))
    dress(/** @type {HTMLElement} */ (node));
  document.dispatchEvent(new CustomEvent('language'));
}

/** @param {string} key @param {Record<string, unknown>} [values] */
export function t(key, values = {}) {
  const text = table.words[key];
  if (text === undefined) console.error(`There is no text ${key} in ${language}.`);
  return put(text ?? key, values);
}

/** @param {string} key */
export const has = (key) => Object.hasOwn(table.words, key);

/** The Local operator counts the parts of every task: of one alone that says nothing. */
const ALONE = /^\[1\/1\] /;

/** A sentence of the service in the reader's language, as far as it is known. @type {import('./heard.js').Heard} */
export const heard = (said, part) => translate(said, part).replace(ALONE, '');

/** Texts that stay where they are: `data-t` names the content, `data-t-label` the label. @param {HTMLElement} node */
export function dress(node) {
  const { t: content, tLabel: label } = node.dataset;
  if (content) node.textContent = t(content);
  if (label) node.setAttribute('aria-label', t(label));
}

await load(document.documentElement.lang.slice(0, 2));
