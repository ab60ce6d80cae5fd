// @ts-check
/**
 * What a page shows that does not hold the session: why, and what can be done about it. Each way in is
 * a wish that goes with the next hello, after the page has loaded itself anew.
 */
import { call, setToken, reconnectWith } from './connection.js';
import { byId, setText, tryTo } from './dom.js';
import { offerHttps } from './https_link.js';
import { setMarkedText } from './inline_markup.js';
import { setKey, translated, t } from './i18n.js';

/** @typedef {import('./connection.js').Refused} Refused */

/** @param {Refused} refusal */
export function show(refusal) {
  for (const part of document.body.children) part.toggleAttribute('hidden', part.id !== 'refused');
  for (const open of document.querySelectorAll('dialog[open]'))
    /** @type {HTMLDialogElement} */ (open).close();
  document.querySelector('#refused > div')?.prepend(byId('language', HTMLElement));
  draw(refusal);
  document.addEventListener('language', () => draw(refusal));
  if (refusal.code && !matchMedia('(pointer: coarse)').matches) byId('code', HTMLElement).focus();
}

/** @param {Refused} refusal */
function draw(refusal) {
  const asksLogin = refusal.code !== undefined; // also who has to wait before the next attempt
  const title = t(refusal.failed ? 'refused.failed' : asksLogin ? 'refused.login' : 'refused.title');
  document.title = title;
  byId('refused-title', HTMLElement).textContent = title;
  byId('refused-reason', HTMLElement).textContent = translated(refusal.reason);
  byId('pair', HTMLFormElement).hidden = !refusal.code;
  const port = location.port || (location.protocol === 'https:' ? 443 : 80);
  setMarkedText(byId('pair-where', HTMLElement), t('pair.where', { port }));
  setText(byId('pair-error', HTMLElement), translated(refusal.wrong ?? ''));
  byId('code', HTMLInputElement).ariaInvalid = refusal.wrong ? 'true' : null;
  const isDisplaced = typeof refusal.reason === 'object' && refusal.reason.key === 'session.taken_over';
  const mayTakeOver = Boolean(refusal.guest) || isDisplaced;
  for (const id of ['take-over', 'watch-only', 'refused-run']) byId(id, HTMLElement).hidden = !mayTakeOver;
  showRun(refusal.running); // a displaced page does not know it, but its run was paused
  offerHttps('refused-secure', refusal.secure);
  if (refusal.guest) setToken(refusal.guest);
  setKey(byId('retry', HTMLElement), asksLogin ? 'refused.check' : refusal.failed ? 'refused.again' : 'refused.connect');
  byId('retry', HTMLElement).hidden = mayTakeOver; // taking control and watching connect again too
  byId('retry', HTMLElement).onclick = () => ask({});
  byId('take-over', HTMLElement).onclick = () => ask({ take_over: true });
  byId('watch-only', HTMLElement).onclick = () => ask({ watch: true });
  byId('guest-stop', HTMLElement).onclick = () => stop(refusal);
  byId('pair', HTMLFormElement).onsubmit = pair;
}

/** Tell whether a task runs, and show Stop only then. @param {boolean} [running] */
function showRun(running = false) {
  setKey(byId('refused-run', HTMLElement), running ? 'refused.running' : 'refused.idle');
  byId('guest-stop', HTMLElement).hidden = !running;
}

/** @param {SubmitEvent} event */
function pair(event) {
  event.preventDefault();
  const code = byId('code', HTMLInputElement).value.replace(/\D/g, '');
  if (code.length === 6) ask({ code });
  else byId('code', HTMLInputElement).focus();
}

/** @param {object} what */
const ask = (what) => tryTo(() => reconnectWith(what), note());

const note = () => byId('guest-note', HTMLElement);

/** @param {Refused} refusal */
function stop(refusal) {
  const onStopped = () => {
    refusal.running = false; // also when it is drawn again in another language
    showRun(false);
    setText(note(), t('note.stopped'));
  };
  tryTo(() => call('/api/stop', {}).then(onStopped), note());
}
