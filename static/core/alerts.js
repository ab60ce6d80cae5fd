// @ts-check
/** Alerts while the page is in the background: sound, notification and tab icon. */
import { now } from './clock.js';
import { byId, h } from './dom.js';
import { icon } from './icons.js';
import { joinSentences, translated, t } from './i18n.js';
import { shownStatus } from './state.js';

/** @typedef {import('./state.js').State} State */

const KEY = 'cua-sound';
/** Events older than this, in seconds, cause no alert. */
const NEWS_S = 6;
const NOTES = { asks: [880, 660, 880], ends: [660, 880] };
const ENDS = ['done', 'partly', 'failed'];
/** @type {Record<string, string>} */
const COLOURS = {
  running: '#3457d5',
  approval: '#c07000',
  asking: '#c07000',
  paused: '#c07000',
  stopped: '#b8242c',
  done: '#17744a',
  partly: '#c07000',
  failed: '#b8242c',
};
/** Created by the click on the bell, as browsers require. @type {AudioContext | null} */
let audioContext = null;
let lastKey = '';
let drawnState = '';
let iconUrl = '';

const bell = () => byId('bell', HTMLButtonElement);
const isOn = () => localStorage.getItem(KEY) === 'on';

export function mount() {
  bell().addEventListener('click', onbell);
  bell().append(icon('bell'));
  bell().ariaPressed = String(isOn());
}

/** @param {State} state */
export function update(state) {
  const name = state.approval ? 'approval' : shownStatus(state);
  drawIcon(name);
  const last = state.entries.at(-1);
  const since = state.approval?.at ?? last?.at ?? 0;
  const key = `${name}${since}`;
  if (key === lastKey) return;
  lastKey = key;
  if (last?.type === 'task' && !state.approval) return; // that it runs follows
  const left = name === 'paused' && isAway(); // or the person has paused it here
  if (!(left || ['approval', 'asking', ...ENDS].includes(name)) || now() - since > NEWS_S) return;
  const words = translated(state.approval?.words ?? (last && 'text' in last ? last.text : ''));
  alertUser(name, left && !state.watching ? joinSentences([words, t('alert.back')]) : words);
}

/** A page behind another window is in sight for the browser; a hidden one pauses the run, and asks nothing. */
const isAway = () => !document.hasFocus();

async function onbell() {
  localStorage.setItem(KEY, isOn() ? 'off' : 'on');
  bell().ariaPressed = String(isOn());
  if (!isOn()) return;
  playNotes(NOTES.ends);
  if (window.isSecureContext && 'Notification' in window) await Notification.requestPermission();
}

/** @param {string} name @param {string} words */
export function alertUser(name, words) {
  if (!isOn()) return;
  playNotes(ENDS.includes(name) ? NOTES.ends : NOTES.asks);
  navigator.vibrate?.([120, 80, 120]);
  if (isAway() && 'Notification' in window && Notification.permission === 'granted')
    notify(t(`state.${name}`), words);
}

/** @param {string} title @param {string} body */
function notify(title, body) {
  try {
    new Notification(title, { body, tag: 'cua' }).onclick = () => window.focus();
  } catch {
    // Phone browsers have the class but refuse to create one; sound and vibration remain.
  }
}

/** @param {number[]} notes in Hz */
function playNotes(notes) {
  audioContext ??= new AudioContext();
  audioContext.resume();
  const begin = audioContext.currentTime;
  const gain = audioContext.createGain();
  gain.gain.value = 0.08;
  gain.connect(audioContext.destination);
  for (const [index, note] of notes.entries()) {
    const tone = audioContext.createOscillator();
    tone.frequency.value = note;
    tone.connect(gain);
    tone.start(begin + index * 0.16);
    tone.stop(begin + index * 0.16 + 0.12);
    if (index === notes.length - 1) tone.onended = () => gain.disconnect();
  }
}

/** The tab's icon carries a dot in the colour of the state. @param {string} name */
function drawIcon(name) {
  if (name === drawnState) return;
  drawnState = name;
  const link = /** @type {HTMLLinkElement} */ (document.querySelector('link[rel=icon]'));
  const canvas = h('canvas', { width: 32, height: 32 });
  const pen = canvas.getContext('2d');
  if (!pen) return;
  pen.fillStyle = '#3457d5';
  pen.roundRect(0, 0, 32, 32, 8);
  pen.fill();
  pen.strokeStyle = '#fff';
  pen.lineWidth = 2;
  pen.strokeRect(6, 7, 20, 14);
  if (COLOURS[name]) {
    pen.fillStyle = COLOURS[name];
    pen.beginPath();
    pen.arc(23, 23, 8, 0, 7);
    pen.fill();
    pen.stroke();
  }
  canvas.toBlob((blob) => {
    if (!blob) return;
    URL.revokeObjectURL(iconUrl);
    iconUrl = URL.createObjectURL(blob);
    link.type = 'image/png';
    link.href = iconUrl;
  });
}
