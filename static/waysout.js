// @ts-check
/** What can be done where a task does not go on, as buttons in its last card. */
import * as dock from './dock.js';
import { h } from './dom.js';
import { select } from './tabs.js';
import { heard, t } from './words.js';

/** What the Local operator understands stands in English, as it reads no other language. */
export const UNDERSTOOD = ['example.dns', 'example.datasheet', 'example.notepad', 'example.files'];

/** The setting that is meant, by the English words of the service; the first one counts. @type {Array<[RegExp, string]>} */
const NAMED = [
  [/API key/, 'api_key'],
  [/base URL/, 'base_url'],
  [/[Nn]o model|[Tt]he model `|vision model/, 'model_name'],
  [/video stream|stream address/, 'stream_url'],
  [/Certificate of the KVM/, 'kvm_certificate'],
  [/password/, 'kvm_password'],
  [/keyboard layout/, 'keyboard_layout'],
  [/KVM|which computer/, 'kvm'],
  [/operating system/, 'target_os'],
  [/Pace/, 'pace'],
];

/** As the service says it of a page that was closed, hidden, silent or loaded again. */
const AWAY = /^The page /;

/** Whoever comes back to what was paused because they had gone. @param {import('./state.js').Words} note */
export function wayBack({ key, text }) {
  const away = key === 'note.paused' && AWAY.test(text);
  return away ? h('button', { type: 'button', class: 'back primary', onclick: dock.again, 'data-t': 'resume' }) : null;
}

/** Try it again, or mend the setting that the sentence names. @param {string} said */
export function waysOut(said) {
  const name = /\bSettings\b/.test(said) && NAMED.find(([words]) => words.test(said))?.[1];
  return h(
    'div',
    { class: 'ways' },
    h('button', { type: 'button', onclick: dock.again, 'data-t': 'failed.again' }),
    name && h('button', { type: 'button', onclick: () => open(name), 'data-t': 'failed.setting' }),
  );
}

/** What it would understand: some of it ready to be sent, and all of it to be looked up. @param {string} [all] */
export function otherWords(all) {
  if (!all) return [];
  const put = (/** @type {string} */ key) =>
    h('button', { type: 'button', 'data-t': key, onclick: () => dock.put(t(key)) });
  return [
    h('div', { class: 'ways' }, ...UNDERSTOOD.map(put)),
    h('details', {}, h('summary', {}, t('question.known')), h('p', {}, heard(all))),
  ];
}

/** The view may have to be fetched first. @param {string} name */
function open(name) {
  const there = () => {
    const field = /** @type {HTMLElement | null} */ (document.querySelector(`#settings [name="${name}"]`));
    field?.scrollIntoView({ block: 'center' });
    field?.focus({ preventScroll: true });
    return field;
  };
  select('settings');
  if (!there()) document.addEventListener('settings', there, { once: true });
}
