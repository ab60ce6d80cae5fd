// @ts-check
/** First start: show missing packages, install them, then load the main page. */
import { setToken } from './core/connection.js';
import { byId, fill, h, setText } from './core/dom.js';
import { formatBytes } from './settings/extras.js';
import * as languageSwitch from './core/language_switch.js';
import { joinSentences, translated, loadSetupTexts, t } from './core/i18n.js';

await loadSetupTexts();

const POLL_MS = 700;
const ANSWER_TIMEOUT_MS = 5000;
/** Questions without an answer, after which it is said; between the two programs there is one. */
const MAX_SILENT_POLLS = 3;
const token = loadToken();
let next = 0;
/** The service's last state. @type {any} */
let lastState = null;

/** A reload keeps its place. */
function loadToken() {
  const known = sessionStorage.getItem('install');
  const made =
    known ?? Array.from(crypto.getRandomValues(new Uint8Array(24)), (n) => n.toString(16)).join('');
  sessionStorage.setItem('install', made);
  return made;
}

/** @param {string} method @returns {Promise<any>} null when another server answers */
async function ask(method) {
  // one that waits at the moment of the change from one program to the other may never be answered
  const answer = await fetch(`/api/install?after=${next}`, {
    method,
    headers: { 'X-CUA-Token': token },
    signal: AbortSignal.timeout(ANSWER_TIMEOUT_MS),
  });
  if (answer.status === 404) return null;
  return answer.json();
}

async function watch() {
  for (let silent = 0; ; ) {
    try {
      const state = await ask('GET');
      if (state === null) return openPage();
      silent = 0;
      show(state);
    } catch {
      silent += 1;
      next = 0; // another start may answer then, with its own lines
      if (silent >= MAX_SILENT_POLLS) showFault(t('install.silence'));
    }
    await new Promise((resolve) => setTimeout(resolve, POLL_MS));
  }
}

/** The real page is there, which knows by this token who had it installed. */
function openPage() {
  setToken(token);
  location.reload();
}

async function start() {
  const button = byId('start', HTMLButtonElement);
  button.disabled = true;
  try {
    const state = await ask('POST');
    if (state?.error) showFault(translated(state.message ?? state.error));
    else if (state) show(state);
  } catch {
    showFault(t('install.silence'));
    button.disabled = false;
  }
}

/** @param {any} state */
function show(state) {
  lastState = state;
  drawState(state);
  showOutput(state);
}

/** @param {any} state */
const isRunning = (state) => state.status === 'running' || state.status === 'done';

/** @param {any} state */
function drawState(state) {
  const running = isRunning(state);
  byId('why', HTMLElement).textContent = reasonText(state);
  byId('size', HTMLElement).textContent = sizeText(state);
  const button = byId('start', HTMLButtonElement);
  button.hidden = running;
  button.disabled = !state.may_start;
  button.textContent = t(state.status === 'failed' ? 'install.again' : 'install.start');
  byId('run', HTMLElement).hidden = !running;
  byId('packages', HTMLElement).hidden = running;
  byId('bar', HTMLProgressElement).value = state.progress;
  byId('now', HTMLElement).textContent = progressText(state);
  showFault(state.status === 'failed' ? translated(state.words) : '');
  const notes = running ? [] : state.notes.map((/** @type {string} */ words) => h('p', { class: 'note' }, translated(words)));
  fill(byId('notes', HTMLElement), ...notes);
  listPackages(state.packages);
}

/** @param {any} state */
function reasonText(state) {
  if (state.status === 'done') return t('install.done');
  if (state.outdated) return t('install.outdated');
  return t(state.interrupted && state.status === 'waiting' ? 'install.cut_off' : 'install.why');
}

/** @param {any} state */
function sizeText(state) {
  if (isRunning(state)) return '';
  const many = {
    count: state.packages.length,
    disk: formatBytes(total(state, 'disk')),
    size: formatBytes(total(state, 'download')),
  };
  const words = t(state.bundle ? 'install.from_bundle' : 'install.to_fetch', many);
  return state.may_start ? words : joinSentences([words, t('install.watch')]);
}

/** @param {any} state */
function progressText(state) {
  if (state.status === 'done') return t('install.starting');
  const last = byId('lines', HTMLElement).textContent?.trimEnd().split('\n').at(-1) ?? '';
  return `${Math.round(state.progress * 100)} %  ${last.slice(0, 90)}`;
}

/** Write an alert only on change: each write is read out. @param {string} words */
function showFault(words) {
  const place = byId('fault', HTMLElement);
  if (place.textContent !== words) setText(place, words);
}

/** @param {{name: string, version: string, download: number, disk: number}[]} packages */
function listPackages(packages) {
  const rows = byId('rows', HTMLElement);
  if (rows.childElementCount) return;
  const cells = packages.map((each) => [each.name, each.version, formatBytes(each.download), formatBytes(each.disk)]);
  fill(rows, ...cells.map((row) => h('tr', {}, ...row.map((words) => h('td', {}, words)))));
}

/** @param {any} state */
function showOutput(state) {
  const place = byId('lines', HTMLElement);
  const details = byId('output', HTMLDetailsElement);
  next = state.next;
  if (next === state.lines.length) place.textContent = ''; // it tells all of them
  if (!state.lines.length) return;
  if (details.hidden) {
    details.hidden = false;
    details.open = true;
  }
  const atEnd = place.scrollHeight - place.scrollTop - place.clientHeight < 40;
  const texts = state.lines.map((/** @type {any} */ line) => (typeof line === 'string' ? line : translated(line)));
  place.append(`${texts.join('\n')}\n`);
  if (atEnd) place.scrollTop = place.scrollHeight;
}

/** @param {any} state @param {'download' | 'disk'} kind */
function total(state, kind) {
  return state.packages.reduce((/** @type {number} */ sum, /** @type {any} */ each) => sum + each[kind], 0);
}

languageSwitch.mount();
document.addEventListener('language', () => lastState && drawState(lastState));
byId('start', HTMLButtonElement).addEventListener('click', start);
watch();
