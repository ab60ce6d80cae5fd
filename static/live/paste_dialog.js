// @ts-check
/**
 * Text that the service types into the computer at the person's word. It asks first about characters that the
 * keyboard layout lacks, and about risky commands. The text stays in the dialog until it was typed, and is not stored.
 */
import { announceName } from '../core/live_region.js';
import { call } from '../core/connection.js';
import { fill, h, loadStyle, setText } from '../core/dom.js';
import { clearMessages, openWithStop, setShortNote } from '../core/emergency_stop.js';
import { icon } from '../core/icons.js';
import { loadTaskTexts, t, translated } from '../core/i18n.js';

/** @typedef {import('../core/state.js').State} State */

await Promise.all([loadStyle('/static/dialogs.css'), loadTaskTexts()]); // they name what the layout lacks

/** Ignore a click that was meant for what stood there before. */
const IGNORE_CLICKS_MS = 400;
/** Between two requests to stop. */
const RETRY_MS = 200;

/** The service's number for this dialog; a stop ends it. */
let turn = 0;
/** Ends when the turn that was asked for last has come. */
let begun = Promise.resolve();
/** The typing that is under way. @type {object | null} */
let typing = null;
/** What the next click says to the questions about this text. @type {{ skip_missing?: boolean, confirmed?: string }} */
let answer = {};
let askedAt = 0;
/** Characters of the text that is being typed. */
let total = 0;
let lastStatus = '';
/** Why there was no turn. */
let refusal = '';
/** The element that had the focus. @type {Element | null} */
let before = null;

const dialog = h('dialog', { class: 'notice paste', 'aria-labelledby': 'paste-title' });
const text = h('textarea', { id: 'paste-text', rows: 5, autocomplete: 'off', autocapitalize: 'off', spellcheck: 'false' });
const hide = h('input', { type: 'checkbox', id: 'paste-hide' });
const question = h('p', { class: 'why', role: 'alert', hidden: true });
const problem = h('p', { class: 'error', role: 'alert', hidden: true });
const progress = h('progress', { 'aria-labelledby': 'paste-count' });
const count = h('span', { id: 'paste-count' });
const meter = h('p', { class: 'meter', hidden: true }, progress, count);
const submit = h('button', { type: 'submit', class: 'primary' });
const cancel = h('button', { class: 'quiet', onclick: leave });
const clipboard = h('button', { class: 'quiet', onclick: readClipboard });
const form = h('form', { onsubmit });
dialog.append(form);

text.addEventListener('input', () => ask());
hide.addEventListener('change', () => text.classList.toggle('is-hidden', hide.checked));
dialog.addEventListener('cancel', oncancel);
dialog.addEventListener('close', onclose);

/** @param {State} state */
export function open(state) {
  before = document.activeElement;
  const stop = h('div', { class: 'corner' });
  const options = h(
    'div',
    { class: 'options' },
    CSS.supports('-webkit-text-security', 'disc') && h('label', {}, hide, t('paste.hide')),
    navigator.clipboard?.readText && clipboard,
  );
  clipboard.textContent = t('paste.clipboard');
  cancel.textContent = t('params.cancel');
  fill(
    form,
    h('h2', { id: 'paste-title' }, t('paste.title')),
    h('label', { for: 'paste-text', class: 'help' }, t('paste.help')),
    text,
    options,
    meter,
    question,
    problem,
    h('div', { class: 'buttons' }, stop, cancel, submit),
  );
  clearMessages();
  lastStatus = state.status;
  openWithStop(dialog, stop);
  ask();
  text.focus();
  begun = begin();
}

function onclose() {
  setText(problem, '');
  if (before instanceof HTMLElement) announceName(before);
}

/** @param {State} state */
export function update({ status, typed }) {
  if (!dialog.open) return;
  if (typing) showProgress(typed);
  else if (status !== lastStatus) begun = begin();
  lastStatus = status;
}

/** Ask for a turn, which a running task refuses and a stop ends. */
async function begin() {
  try {
    ({ turn } = await call('/api/paste/begin', {}));
    if (problem.textContent === refusal) setText(problem, '');
  } catch (error) {
    refusal = /** @type {Error} */ (error).message;
    if (!problem.textContent) setText(problem, refusal);
  }
}

/** Show a question and the button that accepts, or neither. @param {string} [words] @param {string} [key] @param {typeof answer} [yes] */
function ask(words = '', key = 'paste.type', yes = {}) {
  askedAt = words ? performance.now() : 0;
  answer = yes;
  setText(question, words);
  if (words) question.prepend(icon('approval'));
  submit.className = words ? 'danger' : 'primary';
  setTyping(false);
  submit.textContent = t(key);
}

/** @param {boolean} now */
function setTyping(now) {
  typing = now ? {} : null;
  submit.disabled = text.disabled = hide.disabled = clipboard.disabled = now;
  if (now) cancel.focus();
  meter.hidden = !now;
  dialog.toggleAttribute('data-typing', now);
}

/** @param {number} typed */
function showProgress(typed) {
  progress.max = total;
  progress.value = typed;
  count.textContent = t('paste.progress', { n: typed, total });
}

/** @param {SubmitEvent} event */
async function onsubmit(event) {
  event.preventDefault();
  if (typing || performance.now() - askedAt < IGNORE_CLICKS_MS) return;
  if (!text.value) return setText(problem, t('paste.empty'));
  const said = answer;
  ask();
  setText(problem, '');
  total = [...text.value].length;
  setTyping(true);
  showProgress(0);
  try {
    await begun;
    finish(await call('/api/paste', { text: text.value, turn, ...said }), said);
  } catch (error) {
    ask();
    const { message, values } = /** @type {import('../core/connection.js').Refusal} */ (error);
    setText(problem, message);
    if (values.count === total) text.value = [...text.value].slice(values.typed).join(''); // the rest, unless characters were skipped
    begun = begin();
    text.focus();
  }
}

/** @param {{ characters: number, missing: string, risk: string, digest: string }} found @param {typeof answer} said */
function finish({ characters: count, missing, risk, digest }, said) {
  if (missing) ask(translated(missing), 'paste.skip', { ...said, skip_missing: true });
  else if (risk) ask(translated(risk), 'paste.confirm', { ...said, confirmed: digest });
  else {
    form.reset();
    text.classList.remove('is-hidden');
    dialog.close();
    setShortNote('paste.done', { count });
  }
}

/** Stop the typing; a request that is still on its way is stopped when it has arrived. */
async function leave() {
  if (!typing) return dialog.close();
  const stopped = typing;
  cancel.disabled = true;
  while (typing === stopped) {
    await call('/api/pause', {}).catch((error) => setText(problem, error.message));
    await new Promise((done) => setTimeout(done, RETRY_MS));
  }
  cancel.disabled = false;
}

/** @param {Event} event */
function oncancel(event) {
  event.preventDefault();
  leave();
}

async function readClipboard() {
  try {
    text.value = await navigator.clipboard.readText();
    ask();
  } catch {
    setText(problem, t('paste.refused'));
  }
  text.focus();
}
