// @ts-check
/** Files for the person to keep, made here or fetched with the page's token. */
import { request } from './connection.js';
import { h } from './dom.js';
import { t } from './i18n.js';

/** @param {Blob} blob @param {string} name */
export function save(blob, name) {
  const url = URL.createObjectURL(blob);
  h('a', { href: url, download: name }).click();
  setTimeout(() => URL.revokeObjectURL(url), 10_000);
}

/** @param {string} path @param {string} name */
export async function saveFrom(path, name) {
  const answer = await request(path);
  if (!answer.ok) throw new Error(t('refusal', { status: answer.status }));
  save(await answer.blob(), name);
}

/** @param {unknown} value @param {string} name */
export const saveJson = (value, name) =>
  save(new Blob([`${JSON.stringify(value, null, 2)}\n`], { type: 'application/json' }), name);
