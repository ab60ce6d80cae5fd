// @ts-check
/** The first start: shows what is missing, has it installed, and makes room for the real page. */
import { byId, fill, h, say } from './dom.js';
import * as languages from './languages.js';
import { heard, learn, t } from './words.js';

await learn();

const PAUSE = 700;
const PATIENCE = 5000;
/** Questions without an answer, after which it is said; between the two programs there is one. */
const SILENT = 3;
const token = remembered();
let next = 0;
/** What the service said last. @type {any} */
let told = null;

/** A reload keeps its place. */
function remembered() {
  const known = sessionStorage.getItem('install');
  const made =
    known ?? Array.from(crypto.getRandomValues(new Uint8Array(24)), (n) => n.toString(16)).join('');
  sessionStorage.setItem('install', made);
  return made;
}

/** @param {string} method @returns {Promise<any>} null when somebody else answers here by now */
async function ask(method) {
  // one that waits at the moment of the change from one program to the other may never be answered
  const answer = await fetch(`/api/install?after=${next}`, {
    method,
    headers: { 'X-CUA-Token': token },
    signal: AbortSignal.timeout(PATIENCE),
  });
  if (answer.status === 404) return null;
  return answer.json();
}

async function watch() {
  for (let silent = 0; ; ) {
    try {
      const state = await ask('GET');
      if (state === null) return location.reload();
      silent = 0;
      show(state);
    } catch {
      silent += 1;
      next = 0; // whoever answers then may be another start, with lines of its own
      if (silent >= SILENT) fault(t('install.silence'));
    }
    await new Promise((resolve) => setTimeout(resolve, PAUSE));
  }
}

async function start() {
  const button = byId('start', HTMLButtonElement);
  button.disabled = true;
  try {
    const state = await ask('POST');
    if (state?.error) fault(heard(state.error));
    else if (state) show(state);
  } catch {
    fault(t('install.silence'));
    button.disabled = false;
  }
}

/** @param {any} state */
function show(state) {
  told = state;
  draw(state);
  output(state);
}

/** @param {any} state */
const runs = (state) => state.status === 'running' || state.status === 'done';

/** @param {any} state */
function draw(state) {
  const running = runs(state);
  byId('why', HTMLElement).textContent = why(state);
  byId('size', HTMLElement).textContent = sizes(state);
  const button = byId('start', HTMLButtonElement);
  button.hidden = running;
  button.disabled = !state.may_start;
  button.textContent = t(state.status === 'failed' ? 'install.again' : 'install.start');
  byId('run', HTMLElement).hidden = !running;
  byId('packages', HTMLElement).hidden = running;
  byId('bar', HTMLProgressElement).value = state.progress;
  byId('now', HTMLElement).textContent = now(state);
  fault(state.status === 'failed' ? heard(state.words) : '');
  list(state.packages);
}

/** @param {any} state */
function why(state) {
  if (state.status === 'done') return t('install.done');
  if (state.outdated) return t('install.outdated');
  return t(state.begun && state.status === 'waiting' ? 'install.cut_off' : 'install.why');
}

/** @param {any} state */
function sizes(state) {
  if (runs(state)) return '';
  const many = {
    n: state.packages.length,
    disk: mb(total(state, 'disk')),
    size: mb(total(state, 'download')),
  };
  const words = t(state.bundle ? 'install.from_bundle' : 'install.to_fetch', many);
  return state.may_start ? words : `${words} ${t('install.watch')}`;
}

/** @param {any} state */
function now(state) {
  if (state.status === 'done') return t('install.starting');
  const last = byId('lines', HTMLElement).textContent?.trimEnd().split('\n').at(-1) ?? '';
  return `${Math.round(state.progress * 100)} %  ${last.slice(0, 90)}`;
}

/** An alert is read out whenever it is written. @param {string} words */
function fault(words) {
  const place = byId('fault', HTMLElement);
  if (place.textContent !== words) say(place, words);
}

/** @param {{name: string, version: string, download: number, disk: number}[]} packages */
function list(packages) {
  const rows = byId('rows', HTMLElement);
  if (rows.childElementCount) return;
  const cells = packages.map((each) => [each.name, each.version, mb(each.download), mb(each.disk)]);
  fill(rows, ...cells.map((row) => h('tr', {}, ...row.map((words) => h('td', {}, words)))));
}

/** @param {any} state */
function output(state) {
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
  place.append(`${state.lines.join('\n')}\n`);
  if (atEnd) place.scrollTop = place.scrollHeight;
}

/** @param {any} state @param {'download' | 'disk'} kind */
function total(state, kind) {
  return state.packages.reduce((/** @type {number} */ sum, /** @type {any} */ each) => sum + each[kind], 0);
}

/** @param {number} bytes */
function mb(bytes) {
  return bytes < 1e5 ? `${Math.max(1, Math.round(bytes / 1e3))} kB` : `${(bytes / 1e6).toFixed(1)} MB`;
}

languages.mount();
document.addEventListener('language', () => told && draw(told));
byId('start', HTMLButtonElement).addEventListener('click', start);
watch();
