// @ts-check
/**
 * Texts in the reader's language, by key, from static/messages/<language>/: `page` for the page itself, `task` for
 * messages about steps, the model and input (a message that is not there yet loads them), `setup` for settings, check-up and
 * installation (await `loadSetupTexts` first), `run` for other messages of the service. These carry their English text,
 * so only other languages load them. A plain string comes from outside or from an older version.
 */

/** @typedef {Record<string, string>} Texts */
/** @typedef {{ text: string, key: string, values: Record<string, unknown> }} Message */
/** @typedef {string | Message} Translatable */

/** The service reads it to choose the document's language. */
const COOKIE = 'cua-language';
/** Language -> its own name. */
export const LANGUAGES = { en: 'English', zh: '中文' };

/** @type {Texts} */
let page = {};
/** @type {Texts} */
let messages = {};
/** Those loaded on demand, by the name of their file. @type {Map<string, Promise<void>>} */
const added = new Map();
/** The texts of the language chosen last. @type {Promise<void>} */
let loading = Promise.resolve();
export let language = 'en';
/** Counts up when other texts for messages have come: what shows them is then drawn again. */
export let textsVersion = 0;
/** Whether the `task` texts are on their way: a message may be in English until then. */
export let isLoadingTexts = false;

/** @param {string} name @returns {Promise<Texts>} */
const fetchTexts = async (name) => (await fetch(`/static/messages/${name}.json`)).json();

/** All at once: nothing is drawn in two languages. @param {string} name */
async function load(name) {
  const parts = name === 'en' ? ['page'] : ['page', 'run', ...added.keys()];
  const [words, ...others] = await Promise.all(parts.map((part) => fetchTexts(`${name}/${part}`)));
  page = words;
  messages = Object.assign({}, ...others);
  language = name;
  textsVersion++;
}

/** @param {string} name of the file */
async function addTexts(name) {
  await Promise.allSettled([loading]);
  const wanted = language;
  if (wanted === 'en') return;
  const found = await fetchTexts(`${wanted}/${name}`);
  if (language === wanted) messages = { ...messages, ...found };
}

export async function loadSetupTexts() {
  if (!added.has('setup')) added.set('setup', addTexts('setup'));
  await added.get('setup');
}

/** What is shown already is drawn again. */
export async function loadTaskTexts() {
  if (added.has('task')) return;
  isLoadingTexts = language !== 'en';
  added.set('task', addTexts('task').finally(() => (isLoadingTexts = false)));
  await added.get('task');
  if (language === 'en') return;
  textsVersion++;
  document.dispatchEvent(new CustomEvent('language'));
}

/** @param {string} name */
export async function setLanguage(name) {
  document.cookie = `${COOKIE}=${name}; path=/; max-age=31536000; samesite=strict`;
  loading = load(name);
  await loading;
  document.documentElement.lang = name === 'zh' ? 'zh-CN' : name;
  for (const node of document.querySelectorAll('[data-t], [data-t-label]'))
    setTexts(/** @type {HTMLElement} */ (node));
  document.dispatchEvent(new CustomEvent('language'));
}

/** Uses `<key>.none` and `<key>.one` for a `count` of 0 and 1. @param {string} key @param {Record<string, unknown>} [values] */
export function t(key, values = {}) {
  const text = page[`${key}.${{ 0: 'none', 1: 'one' }[/** @type {number} */ (values.count)]}`] ?? page[key];
  if (text === undefined) console.error(`There is no text ${key} in ${language}.`);
  return put(text ?? key, values);
}

/** @param {string} key */
export const has = (key) => Object.hasOwn(page, key);

/** Translate a message of the service; a plain string stays as it is. @param {Translatable} message */
export const translated = (message) => (typeof message === 'string' ? message : render(message));

/** The English text, to compare with another. @param {Translatable} message */
export const english = (message) => (typeof message === 'string' ? message : message.text);

/** The messages that a message consists of. @param {Translatable} message */
export const sentencesOf = (message) =>
  typeof message === 'object' && message.key === 'sentences' ? /** @type {Translatable[]} */ (message.values.texts) : [message];

/** @param {Translatable[]} texts */
export const joinSentences = (texts) => texts.map(translated).join(messages['join.sentence'] ?? ' ');

/** A reason that is no sentence yet, for a place of its own. @param {Translatable} reason */
export function asSentence(reason) {
  const words = withoutStop(translated(reason)).replace(/^[a-z]/, (letter) => letter.toUpperCase()); // not what is quoted
  return words && t('sentence', { words });
}

/** For a place where no sentence ends. @param {string} sentence */
export const withoutStop = (sentence) => sentence.replace(/[.。]$/, '');

/** @param {Message} message @returns {string} */
function render({ text, key, values }) {
  if (key === 'sentences') return joinSentences(/** @type {Translatable[]} */ (values.texts));
  const template = (values.count === 1 && messages[`${key}.one`]) || messages[key];
  if (template === undefined) {
    if ('join.item' in messages) loadTaskTexts(); // it is drawn again then
    return text;
  }
  return put(template, Object.fromEntries(Object.entries(values).map(([name, each]) => [name, renderValue(each)])));
}

/** @param {unknown} each @returns {string} */
function renderValue(each) {
  if (Array.isArray(each)) return joinList(each.map(renderValue));
  return each && typeof each === 'object' ? render(/** @type {Message} */ (each)) : String(each);
}

/** @param {string[]} items */
function joinList(items) {
  const last = items.at(-1) ?? '';
  return items.length > 1 ? items.slice(0, -1).join(messages['join.item']) + messages['join.last'] + last : last;
}

/** Fill placeholders; unknown ones stay. @param {string} text @param {Record<string, unknown>} values */
function put(text, values) {
  return text.replace(/\{(\w+)\}/g, (whole, name) => (name in values ? String(values[name]) : whole));
}

/** Set static texts: `data-t` holds the key of the content, `data-t-label` that of the label. @param {HTMLElement} node */
export function setTexts(node) {
  const { t: content, tLabel: label } = node.dataset;
  if (content) node.textContent = t(content);
  if (label) node.setAttribute('aria-label', t(label));
  if (label && !content && node instanceof HTMLButtonElement) node.title = t(label);
}

/** Show another static text. @param {HTMLElement} node @param {string} key */
export function setKey(node, key) {
  node.dataset.t = key;
  setTexts(node);
}

await load(document.documentElement.lang.slice(0, 2));
