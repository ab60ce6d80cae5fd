// @ts-check
/**
 * Every text of the page in the reader's language: one JSON file each, keyed by what the text is for.
 * What the server says is English; `heard` gives it in another language where its sentence is known.
 */

/** @typedef {{ words: Record<string, string>, server?: Record<string, string> }} Table */

/** The service reads it too: the document comes in the reader's language. */
const COOKIE = 'cua-language';
/** Language -> its own name. */
export const LANGUAGES = { en: 'English', zh: '中文' };

/** @type {Table} */
let table = { words: {} };
/** @type {Array<[RegExp, string]> | null} */
let patterns = null;
export let language = 'en';

/** @param {string} name */
async function load(name) {
  const answer = await fetch(`/static/${name}.json`);
  table = await answer.json();
  patterns = null;
  language = name;
}

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

/** @param {string} text @param {Record<string, unknown>} values */
function put(text, values) {
  return text.replace(/\{(\w+)\}/g, (whole, name) => (name in values ? String(values[name]) : whole));
}

/** A sentence of the server in the reader's language, as far as it is known. @param {string} said @returns {string} */
export function heard(said) {
  const known = table.server?.[said];
  if (known !== undefined || !table.server || !said) return known ?? said;
  patterns ??= Object.entries(table.server)
    .filter(([key]) => key.includes('{'))
    .map(pattern);
  for (const [shape, text] of patterns) {
    const groups = shape.exec(said)?.groups;
    if (!groups) continue;
    return put(text, Object.fromEntries(Object.entries(groups).map(([name, part]) => [name, heard(part)])));
  }
  return said;
}

/** @param {[string, string]} entry @returns {[RegExp, string]} */
function pattern([key, text]) {
  const escaped = key.replace(/[.*+?^$()|[\]\\]/g, '\\$&');
  return [new RegExp(`^${escaped.replace(/\{(\w+)\}/g, '(?<$1>.+?)')}$`, 's'), text];
}

/** Texts that stay where they are: `data-t` names the content, `data-t-label` the label. @param {HTMLElement} node */
export function dress(node) {
  const { t: content, tLabel: label } = node.dataset;
  if (content) node.textContent = t(content);
  if (label) node.setAttribute('aria-label', t(label));
}

await load(document.documentElement.lang.slice(0, 2));
