// @ts-check
/** Puts the page together: events are folded into one state, and the panels draw it. */
import * as announce from './announce.js';
import * as approval from './approval.js';
import * as chat from './chat.js';
import * as checkup from './checkup.js';
import * as clock from './clock.js';
import { call, connect } from './connection.js';
import * as dock from './dock.js';
import { byId, fill, h } from './dom.js';
import * as entrance from './entrance.js';
import * as header from './header.js';
import * as log from './log.js';
import * as notice from './notice.js';
import * as now from './now.js';
import * as preview from './preview.js';
import * as settings from './settings.js';
import { apply, State } from './state.js';
import * as stop from './stop.js';
import { heard, t } from './words.js';
import * as tabs from './tabs.js';
import * as languages from './languages.js';

const panels = [header, preview, now, chat, log, dock, stop, approval, announce, checkup];
let state = new State();
let drawing = 0;

/** Draws once for all the events that came in a row; a hidden page is in no hurry. */
function draw() {
  if (drawing) return;
  drawing = window.setTimeout(
    () => {
      drawing = 0;
      for (const panel of panels) panel.update(state);
      clock.tick();
    },
    document.hidden ? 500 : 16,
  );
}

async function greet() {
  try {
    const found = await call('/api/settings');
    settings.offer(found);
    if (!found.notice_acknowledged) notice.show();
  } catch (error) {
    toast(String(/** @type {Error} */ (error).message));
  }
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
  entrance.show(refusal);
}

for (const panel of [languages, tabs, ...panels, settings, notice]) panel.mount();
setInterval(clock.tick, 500);
document.addEventListener('language', draw);
connect({
  welcome(message) {
    state.demo = message.demo;
    entrance.offerHttps('secure', message.secure);
    greet();
    draw();
  },
  event(event, boot) {
    if (state.boot !== boot) state = Object.assign(new State(), { boot, demo: state.demo, link: state.link });
    clock.heard(event.at);
    apply(state, event);
    draw();
  },
  link(link) {
    state.link = link;
    draw();
  },
  refused,
});
