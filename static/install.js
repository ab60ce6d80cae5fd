// @ts-check
/** The first start: shows what is missing, has it installed, and makes room for the real page. */
import { byId } from './dom.js';

const PAUSE = 700;
const PATIENCE = 5000;
const token = remembered();
let next = 0;
let running = false;

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
  for (;;) {
    try {
      const state = await ask('GET');
      if (state === null) return location.reload();
      show(state);
    } catch {
      // between the two programs; the port stays open
    }
    await new Promise((resolve) => setTimeout(resolve, PAUSE));
  }
}

async function start() {
  const button = byId('start', HTMLButtonElement);
  button.disabled = true;
  try {
    const state = await ask('POST');
    if (state?.error) fault(state.error);
    else if (state) show(state);
  } catch {
    fault('The KVM does not answer. Is it still on?');
    button.disabled = false;
  }
}

/** @param {any} state */
function show(state) {
  running = state.status === 'running' || state.status === 'done';
  byId('why', HTMLElement).textContent = why(state);
  byId('size', HTMLElement).textContent = sizes(state);
  const button = byId('start', HTMLButtonElement);
  button.hidden = running;
  button.disabled = !state.may_start;
  button.textContent = state.status === 'failed' ? 'Try again' : 'Install Dependencies';
  byId('run', HTMLElement).hidden = !running;
  byId('packages', HTMLElement).hidden = running;
  byId('bar', HTMLProgressElement).value = state.progress;
  byId('now', HTMLElement).textContent = now(state);
  fault(state.status === 'failed' ? state.words : '');
  list(state.packages);
  output(state);
}

/** @param {any} state */
function why(state) {
  if (state.status === 'done') return 'All packages are installed. The assistant starts here in a moment.';
  if (state.outdated)
    return 'The program or its Python was replaced, so its packages have to be installed again. They go into a folder of its own beside the program; nothing else on the KVM changes.';
  if (state.begun && state.status === 'waiting')
    return 'An installation was cut off. Nothing is lost: it is made anew.';
  return 'The assistant needs some packages. They go into a folder of its own beside the program; nothing else on the KVM changes. You can watch what happens, and it starts by itself afterwards.';
}

/** @param {any} state */
function sizes(state) {
  if (running) return '';
  const from = state.bundle ? 'from the offline bundle' : `${mb(total(state, 'download'))} to download`;
  const who = state.may_start ? '' : ' Another page was here first; you can watch.';
  return `${from}, ${mb(total(state, 'disk'))} on the disk, ${state.packages.length} ${state.packages.length === 1 ? 'package' : 'packages'}.${who}`;
}

/** @param {any} state */
function now(state) {
  if (state.status === 'done') return 'Starting…';
  const last = byId('lines', HTMLElement).textContent?.trimEnd().split('\n').at(-1) ?? '';
  return `${Math.round(state.progress * 100)} %  ${last.slice(0, 90)}`;
}

/** @param {string} words */
function fault(words) {
  const place = byId('fault', HTMLElement);
  if (place.textContent !== words) place.textContent = words;
  place.hidden = !words;
}

/** @param {{name: string, version: string, download: number, disk: number}[]} packages */
function list(packages) {
  const rows = byId('rows', HTMLElement);
  if (rows.childElementCount) return;
  for (const each of packages) {
    const row = rows.appendChild(document.createElement('tr'));
    for (const words of [each.name, each.version, mb(each.download), mb(each.disk)]) {
      row.appendChild(document.createElement('td')).textContent = words;
    }
  }
}

/** @param {any} state */
function output(state) {
  const place = byId('lines', HTMLElement);
  const details = byId('output', HTMLDetailsElement);
  next = state.next;
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

byId('start', HTMLButtonElement).addEventListener('click', start);
watch();
