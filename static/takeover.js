// @ts-check
/**
 * The person at the controls: what is tapped, dragged, scrolled and typed over the live picture goes to the
 * computer, one action after the other, through the hands of the agent, which has paused.
 */
import { call } from './connection.js';
import { byId, fill, h, say } from './dom.js';
import { keyBar } from './keybar.js';
import { Gestures } from './gestures.js';
import { path } from './marks.js';
import { t } from './words.js';

/** @typedef {{ kind: string, [more: string]: unknown }} Deed */

/** Names of the hands for keys that a browser calls otherwise. @type {Record<string, string>} */
const KEYS = {
  Escape: 'ESC',
  ' ': 'SPACE',
  ArrowUp: 'UP',
  ArrowDown: 'DOWN',
  ArrowLeft: 'LEFT',
  ArrowRight: 'RIGHT',
};
const NAMED =
  /^(Enter|Tab|Backspace|Delete|Insert|Home|End|PageUp|PageDown|F\d\d?|Escape| |Arrow(Up|Down|Left|Right))$/;
const MODIFIERS = { ctrlKey: 'CTRL', altKey: 'ALT', shiftKey: 'SHIFT', metaKey: 'WIN' };

/** Actions wait for the one before; of mere pointer movements only the last. @type {Deed[]} */
let queue = [];
let busy = false;
let driving = false;
const problem = h('p', { class: 'error', role: 'alert', hidden: true });
const helm = h('div', { class: 'helm', tabindex: 0, role: 'application' });
const box = h('textarea', { class: 'sr', rows: 1, autocapitalize: 'off', autocomplete: 'off' });
const bar = keyBar(
  (deed) => act(deed),
  () => box.focus(),
);

/** Called by the button; the second time gives the controls back. */
export async function toggle() {
  if (driving) return giveBack();
  try {
    await call('/api/take-over', {});
    begin();
  } catch (error) {
    say(byId('dock-error', HTMLElement), /** @type {Error} */ (error).message);
  }
}

function begin() {
  driving = true;
  document.body.dataset.driving = '';
  helm.setAttribute('aria-label', t('take.helm'));
  box.setAttribute('aria-label', t('take.keyboard'));
  byId('preview', HTMLElement).querySelector('.screen')?.append(helm);
  fill(byId('helm', HTMLElement), problem, bar.node(), box);
  byId('helm', HTMLElement).hidden = false;
  byId('take', HTMLElement).textContent = t('take.back');
  helm.focus();
}

export function giveBack() {
  driving = false;
  queue = [];
  delete document.body.dataset.driving;
  helm.remove();
  byId('helm', HTMLElement).hidden = true;
  byId('take', HTMLElement).textContent = t('take.over');
}

new Gestures(helm, (deed) => act(deed), pull);
helm.addEventListener('keydown', onkey);
box.addEventListener('keydown', onkey);
box.addEventListener('input', oninput);

/** The computer gets a drag as one action, at its end; until then the way is seen here. @param {import('./marks.js').Point[]} way */
function pull(way) {
  fill(helm, ...(way.length ? path(way, '') : []));
}

/** @param {Deed} deed */
function act(deed) {
  if (deed.kind === 'move' && queue.at(-1)?.kind === 'move') queue.pop();
  queue.push(bar.held(deed));
  document.body.dataset.waiting = String(queue.length);
  work();
}

async function work() {
  if (busy) return;
  busy = true;
  while (queue.length) {
    const action = together();
    try {
      await call('/api/hands', { action });
      say(problem, '');
    } catch (error) {
      queue = [];
      say(problem, /** @type {Error} */ (error).message);
    }
  }
  busy = false;
  document.body.dataset.waiting = '0';
}

/** Letters that have waited go out as one piece of text. */
function together() {
  const first = /** @type {Deed} */ (queue.shift());
  while (first.kind === 'type' && queue[0]?.kind === 'type') first.text += String(queue.shift()?.text);
  return first;
}

/** @param {KeyboardEvent} event */
function onkey(event) {
  if (event.isComposing || event.key === 'Unidentified') return;
  if (event.ctrlKey && event.altKey && event.key === 'Home') return leave(event);
  const keys = Object.entries(MODIFIERS)
    .filter(([flag]) => event[/** @type {keyof KeyboardEvent} */ (flag)])
    .map(([, name]) => name);
  const chord = keys.some((name) => name !== 'SHIFT');
  if (NAMED.test(event.key)) keys.push(KEYS[event.key] ?? event.key.toUpperCase());
  else if (event.key.length === 1 && chord) keys.push(event.key.toUpperCase());
  else if (event.key.length === 1 && event.target === helm) {
    event.preventDefault();
    return act({ kind: 'type', text: event.key });
  } else return;
  event.preventDefault();
  event.stopPropagation();
  act({ kind: 'keypress', keys });
}

/** Every other key goes to the computer, the tab key too, so the way out is the one of remote desktops. @param {KeyboardEvent} event */
function leave(event) {
  event.preventDefault();
  byId('take', HTMLElement).focus();
}

/** A phone's keyboard tells letters only by what stands in the box afterwards. */
function oninput() {
  if (box.value) act({ kind: 'type', text: box.value });
  box.value = '';
}
