// @ts-check
/** Puts the page together: events are folded into one state, and the panels draw it. */
import * as alerts from './alerts.js';
import * as announce from './announce.js';
import * as approval from './approval.js';
import * as chat from './chat.js';
import * as clock from './clock.js';
import { call, connect } from './connection.js';
import * as dock from './dock.js';
import { byId, fill, h } from './dom.js';
import * as entrance from './entrance.js';
import * as header from './header.js';
import * as now from './now.js';
import * as pictures from './pictures.js';
import * as pointing from './pointing.js';
import * as preview from './preview.js';
import * as rehearsal from './rehearsal.js';
import { apply, State, unconnected } from './state.js';
import * as stop from './stop.js';
import { t } from './words.js';
import * as tabs from './tabs.js';
import * as languages from './languages.js';

/** @typedef {{ mount: () => void, update: (state: State) => void }} Panel */
/** @type {Panel[]} */
const panels = [header, preview, rehearsal, now, chat, dock, stop, approval, announce, alerts];
/** Views that are fetched when somebody first looks at them. @type {Record<string, () => Promise<Panel>>} */
const later = {
  history: () => import('./history.js'),
  log: () => import('./log.js'),
  settings: () => import('./settings.js'),
};
let state = new State();
let drawing = 0;
/** Milliseconds until the next time. */
let rest = 16;

/** Draws once for all the events that came in a row; a hidden page is in no hurry, nor is a slow one. */
function draw() {
  if (drawing) return;
  drawing = window.setTimeout(
    () => {
      drawing = 0;
      const begun = performance.now();
      for (const panel of panels) guarded(panel);
      clock.tick();
      rest = Math.min(500, Math.max(16, 4 * (performance.now() - begun)));
    },
    document.hidden ? 500 : rest,
  );
}

/** One that fails stops none of those behind it. @param {Panel} panel */
function guarded(panel) {
  try {
    panel.update(state);
  } catch (error) {
    console.error(error);
  }
}

async function greet() {
  try {
    const found = await call('/api/settings');
    document.body.toggleAttribute('data-watching', Boolean(found.watching));
    known(found);
    if (!found.notice_acknowledged) (await import('./notice.js')).show(found, state.demo);
  } catch (error) {
    toast(String(/** @type {Error} */ (error).message));
  }
}

/** What the settings mean for the page. @param {import('./settings.js').Found} found */
function known(found) {
  state.mayTakeOver = found.values.take_over === true;
  state.unconnected = unconnected(found);
  draw();
}

/** @param {string} words */
function toast(words) {
  const box = byId('toast', HTMLElement);
  box.hidden = false;
  fill(
    box,
    words,
    h('button', { type: 'button', class: 'quiet', onclick: () => (box.hidden = true) }, t('close')),
  );
}

/** @param {import('./connection.js').Refused} refusal */
function refused(refusal) {
  preview.stop();
  state.link = 'lost';
  entrance.show(refusal);
}

/** @param {string} name */
async function fetchView(name) {
  const load = later[name];
  if (!load) return;
  delete later[name];
  const panel = await load();
  panel.mount();
  panels.push(panel);
  draw();
}

for (const panel of [languages, tabs, pointing, ...panels]) panel.mount();
document.addEventListener('tab', (event) => fetchView(/** @type {CustomEvent} */ (event).detail));
setInterval(clock.tick, 500);
window.addEventListener('beforeunload', (event) => {
  const drives = state.link === 'open' && !state.watching;
  if (drives && state.status === 'running') event.preventDefault(); // it would pause the run
});
document.addEventListener('language', draw);
document.addEventListener('reshaped', draw);
document.addEventListener('helm', (event) => {
  state.driving = /** @type {CustomEvent} */ (event).detail;
  draw();
});
document.addEventListener('settings', (event) => known(/** @type {CustomEvent} */ (event).detail));
connect({
  time: clock.heard,
  welcome(message) {
    state.demo = message.demo;
    state.watching = message.watching;
    entrance.offerHttps('secure', message.secure);
    state.connected += 1;
    greet();
    draw();
  },
  event(event, boot) {
    if (state.boot !== boot)
      state = Object.assign(new State(), {
        boot,
        demo: state.demo,
        link: state.link,
        connected: state.connected,
        mayTakeOver: state.mayTakeOver,
        unconnected: state.unconnected,
        watching: state.watching,
        driving: state.driving,
      });
    apply(state, event);
    draw();
  },
  link(link) {
    state.link = link;
    if (link === 'open') pictures.again();
    draw();
  },
  refused,
});
