// @ts-check
/** Assemble the page: events update one state, and the panels draw it. */
import * as alerts from './core/alerts.js';
import * as liveRegion from './core/live_region.js';
import * as attachments from './chat/attachments.js';
import * as emptyChat from './chat/empty_chat.js';
import * as clock from './core/clock.js';
import { call, connect, isHandingOver } from './core/connection.js';
import * as composer from './chat/composer.js';
import * as runButtons from './chat/run_buttons.js';
import { byId, fill, focusLater, h } from './core/dom.js';
import { offerHttps } from './core/https_link.js';
import * as statusHeader from './core/status_header.js';
import * as lazyImages from './core/lazy_images.js';
import * as pointToMessage from './chat/point_to_message.js';
import * as liveView from './live/live_view.js';
import * as simulatorSwitch from './live/simulator_switch.js';
import * as split from './live/split.js';
import { apply, failedTests, isInControl, needsKvm, needsModel, restartLog, State } from './core/state.js';
import * as emergencyStop from './core/emergency_stop.js';
import { loadTaskTexts, t } from './core/i18n.js';
import * as tabs from './core/tabs.js';
import * as languageSwitch from './core/language_switch.js';

/** @typedef {{ mount: () => void, update: (state: State) => void }} Panel */
/** @type {Panel[]} */
const panels = [statusHeader, liveView, simulatorSwitch, emptyChat, emergencyStop, runButtons, composer, liveRegion, alerts];
/** Views that are loaded when first opened or needed. @type {Record<string, () => Promise<Panel>>} */
const LAZY_VIEWS = {
  history: () => import('./history/history.js'),
  log: () => import('./core/log.js'),
  settings: () => import('./settings/settings.js'),
  chat: () => import('./chat/chat.js'),
  currentStep: () => import('./chat/current_step.js'),
  plan: () => import('./chat/plan_card.js'),
  queue: () => import('./chat/queue.js'),
  approval: () => import('./chat/approval.js'),
  filmStrip: () => import('./live/film_strip.js'),
};
/** Views that an event needs, by its kind. @type {Record<string, string[]>} */
const VIEWS_OF_EVENT = { task: ['queue', 'filmStrip', 'approval'], queue: ['queue'], plan: ['plan'], approval: ['approval'] };
/** Views that any entry of the chat needs: the event of an old task may be lost. */
const VIEWS_OF_CHAT = ['chat', 'currentStep'];
const state = new State();
/** Connection, computer and saved changes for which the settings were loaded. */
let settingsLoadedFor = '';
let drawTimer = 0;
/** After a view could not be loaded. */
const RETRY_MS = 1000;
/** Delay of the next drawing. */
let nextDrawMs = 16;

/** Draw once for consecutive events, less often on a hidden or slow page. */
function draw() {
  if (drawTimer) return;
  drawTimer = window.setTimeout(
    () => {
      drawTimer = 0;
      const begun = performance.now();
      updateSettings();
      for (const panel of panels) updatePanel(panel);
      clock.updateClocks();
      nextDrawMs = Math.min(500, Math.max(16, 4 * (performance.now() - begun)));
    },
    document.hidden ? 500 : nextDrawMs,
  );
}

/** A failing panel does not affect the others. @param {Panel} panel */
function updatePanel(panel) {
  try {
    panel.update(state);
  } catch (error) {
    console.error(error);
  }
}

/** Settings may be saved on any page. */
function updateSettings() {
  const key = [state.connected, state.canSwitchBack, state.settingsSaved].join();
  if (key === settingsLoadedFor || state.link !== 'open') return;
  settingsLoadedFor = key;
  loadSettings(key);
}

/** @param {string} key what they are loaded for: an answer that comes after a newer one is old */
async function loadSettings(key) {
  try {
    const found = await call('/api/settings');
    if (key !== settingsLoadedFor) return;
    applySettings(found);
    if (!found.notice_acknowledged) (await import('./safety_notice.js')).show(found, state.demo);
  } catch (error) {
    showToast(String(/** @type {Error} */ (error).message));
  }
}

/** Apply settings that affect the page. @param {import('./settings/settings.js').Found} found */
function applySettings(found) {
  state.settings = state.watching ? null : found;
  state.mayTakeOver = found.values.take_over === true;
  state.hasModel = found.values.api_type !== 'local';
  composer.setHasModel(state.hasModel);
  const failed = failedTests.read();
  state.unconnected = !state.watching && needsModel(found) ? 'missing' : failed.includes('model') ? 'failed' : '';
  state.kvmFailed = failed.includes('kvm');
  draw();
}

/** Go through the connections that are still missing. */
async function onboard() {
  const found = await call('/api/settings');
  applySettings(found); // those of the page may still be of another computer
  const missing = /** @type {Array<'kvm' | 'model'>} */ ([needsKvm(state) && 'kvm', state.unconnected && 'model'].filter(Boolean));
  if (missing.length) (await import('./onboarding.js')).show(found, missing, state.demo);
  else focusLater(byId('box', HTMLElement));
}

/** @param {string} words */
function showToast(words) {
  const box = byId('toast', HTMLElement);
  box.hidden = false;
  fill(
    box,
    words,
    h('button', { class: 'quiet', onclick: () => (box.hidden = true) }, t('close')),
  );
}

/** @param {import('./core/connection.js').Refused} refusal */
async function onRefused(refusal) {
  liveView.stop();
  state.link = 'lost';
  clearTimeout(drawTimer);
  drawTimer = -1; // draw nothing more: it would overwrite the title
  (await import('./core/access_refused.js')).show(refusal);
}

/** @param {string} name */
async function fetchView(name) {
  const load = LAZY_VIEWS[name];
  if (!load) return draw();
  delete LAZY_VIEWS[name];
  const panel = await load().catch(() => null);
  if (!panel) {
    LAZY_VIEWS[name] = load;
    window.setTimeout(() => fetchView(name), RETRY_MS);
    return;
  }
  panel.mount();
  panels.push(panel);
  updatePanel(panel); // at once: it is not seen empty
  draw();
}

document.addEventListener('tab', (event) => fetchView(/** @type {CustomEvent} */ (event).detail));
for (const panel of [languageSwitch, tabs, split, attachments, pointToMessage, ...panels]) panel.mount();
setInterval(clock.updateClocks, 500);
window.addEventListener('beforeunload', (event) => {
  const pauses = state.status === 'running' && !isHandingOver();
  if (isInControl(state) && (pauses || document.body.dataset.unsavedRecording !== undefined)) event.preventDefault();
});
document.addEventListener('language', draw);
if (location.pathname !== '/') import('./fleet/computer_header.js').then((header) => header.mount());
document.addEventListener('redraw', draw);
document.addEventListener('manual-control', (event) => {
  state.inManualControl = /** @type {CustomEvent} */ (event).detail;
  draw();
});
document.addEventListener('onboarding', onboard);
byId('composer', HTMLFormElement).addEventListener('submit', () => {
  failedTests.clear(); // the run will say itself what fails
  if (state.settings) applySettings(state.settings);
});
document.addEventListener('settings', (event) => applySettings(/** @type {CustomEvent} */ (event).detail));
connect({
  time: clock.setServerTime,
  welcome(message) {
    state.demo = message.demo;
    state.watching = message.watching;
    document.body.toggleAttribute('data-watching', message.watching);
    offerHttps('secure', message.secure);
    state.connected += 1;
    draw();
  },
  event(event, boot) {
    if (state.boot !== boot) restartLog(state, boot);
    apply(state, event);
    for (const name of VIEWS_OF_EVENT[event.kind] ?? []) fetchView(name);
    if (state.entries.length) VIEWS_OF_CHAT.forEach(fetchView);
    if (event.kind === 'task') loadTaskTexts();
    if (['procedures', 'reading'].includes(event.kind)) document.dispatchEvent(new CustomEvent(event.kind, { detail: event.data.text ?? event.data }));
    draw();
  },
  link(link) {
    state.link = link;
    if (link === 'open') lazyImages.retryFailed();
    draw();
  },
  refused: onRefused,
});
