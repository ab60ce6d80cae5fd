// @ts-check
/**
 * The person at the controls: what is tapped, dragged, scrolled and typed over the live picture goes to the
 * computer, one action after the other, through the hands of the agent, which has paused. A pull goes out
 * while it happens: the button is down there for as long as this page says where the finger is.
 */
import { renamed } from './announce.js';
import { call } from './connection.js';
import { byId, fill, h, say } from './dom.js';
import { keyBar } from './keybar.js';
import { Gestures } from './gestures.js';
import { marks } from './marks.js';
import { drawer } from './preview.js';
import { dress, t } from './words.js';

/** @typedef {{ kind: string, [more: string]: unknown }} Deed */
/** @typedef {import('./state.js').State} State */

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

/** Milliseconds between two words about a finger: at most, so that the button stays held; and at least. */
const BEAT = 250;
const PACE = 30;

/** Actions wait for the one before; of mere pointer movements only the last. @type {Deed[]} */
let queue = [];
let busy = false;
/** Whether the chat has made room on a phone on its side. */
let slid = false;
/** As the service counts them: a stop ends one, and nothing that was meant before follows it. */
let turn = 0;
/** The number of the button that is held on the computer; 0: none. */
let held = 0;
/** @type {unknown} */
let finger;
let driving = false;
/** What the page last heard. @type {Partial<State>} */
let before = {};
/** Most notches of one turn of the wheel. */
const TURN = 100;
/** Stands in the empty box, so that a phone's keyboard has something to delete. */
const FILLER = ' ';
const COARSE = matchMedia('(pointer: coarse)');
/** Of a key that an input method has taken. */
const COMPOSING = 229;
const problem = h('p', { class: 'error', role: 'alert', hidden: true });
const helm = h('div', { class: 'helm', tabindex: 0, role: 'application' });
const box = h('textarea', { class: 'sr', rows: 1, autocapitalize: 'off', autocomplete: 'off' });
const bar = keyBar(
  (deed) => act(deed),
  () => box.focus({ preventScroll: true }),
);

/**
 * Called by the button; the second time gives the controls back. Who came by the keyboard gets a field to type
 * into: there every screen reader lets the keys through.
 * @param {boolean} typing
 */
export async function toggle(typing) {
  if (driving) {
    giveBack();
    return renamed(byId('take', HTMLElement));
  }
  try {
    ({ turn } = await call('/api/take-over', {}));
    begin(typing);
  } catch (error) {
    say(byId('dock-error', HTMLElement), /** @type {Error} */ (error).message);
  }
}

/** @param {boolean} typing */
function begin(typing) {
  tell(true);
  slid = document.body.dataset.drawer !== 'closed';
  drawer(false);
  helm.setAttribute('aria-label', t('take.helm'));
  box.setAttribute('aria-label', t('take.typing'));
  byId('preview', HTMLElement).querySelector('.screen')?.append(helm);
  const way = t(COARSE.matches ? 'take.fingers' : 'take.mouse');
  fill(byId('helm', HTMLElement), problem, h('p', { class: 'gestures' }, way), bar.node(), box);
  byId('helm', HTMLElement).hidden = false;
  name('take.back');
  empty();
  (typing ? box : helm).focus();
}

export function giveBack() {
  tell(false);
  if (slid) drawer(true);
  gestures.stop();
  queue = queue.filter(({ kind }) => kind === 'pulled');
  helm.remove();
  byId('helm', HTMLElement).hidden = true;
  name('take.over');
}

/** The agent at work, a stop, a reset, another service or a lost line: then nobody drives from here. @param {State} state */
export function update({ status, stops, link, watching, entries }) {
  const begins = status === 'running' && before.status !== 'running';
  const cut = stops !== before.stops || entries !== before.entries;
  const over = begins || cut || link !== 'open' || watching;
  before = { status, stops, entries };
  if (driving && over) giveBack();
}

/** @param {boolean} now */
function tell(now) {
  driving = now;
  document.body.toggleAttribute('data-driving', now);
  document.dispatchEvent(new CustomEvent('helm', { detail: now }));
}

/** @param {string} key */
function name(key) {
  const button = byId('take', HTMLElement);
  button.dataset.t = key;
  button.classList.toggle('quiet', !driving);
  button.classList.toggle('primary', driving);
  dress(button);
}

const gestures = new Gestures(helm, (deed) => act(deed), draw);
document.addEventListener('visibilitychange', () => document.hidden && gestures.stop());
setInterval(() => held && !busy && act({ kind: 'pulling', at: finger }), BEAT);
helm.addEventListener('keydown', onkey);
box.addEventListener('keydown', onkey);
box.addEventListener('input', oninput);
box.addEventListener('compositionend', send);
box.addEventListener('beforeinput', ondelete);

/** The picture shows what is pulled, a little later than the finger. @param {import('./marks.js').Point} [at] */
function draw(at) {
  fill(helm, ...(at ? marks([{ kind: 'grip', at }]) : []));
}

/** @param {Deed} deed */
function act(deed) {
  if (deed.kind === 'move' && queue.at(-1)?.kind === 'move') queue.pop();
  if (deed.kind === 'scroll' && queue.at(-1)?.kind === 'scroll') deed = turned(deed, queue.pop());
  if (deed.kind.startsWith('pull')) deed = pulled(deed);
  queue.push(bar.held(deed));
  document.body.dataset.waiting = String(queue.length);
  work();
}

/** Two turns of the wheel as one. @param {Deed} deed @param {Deed} [last] @returns {Deed} */
function turned(deed, last) {
  const both = (/** @type {string} */ way) =>
    Math.max(-TURN, Math.min(TURN, Number(deed[way] ?? 0) + Number(last?.[way] ?? 0)));
  return { ...deed, dx: both('dx'), dy: both('dy') };
}

/** What is to be said of a pull: the last place only, and if it is over before it could begin, one drag. @param {Deed} deed @returns {Deed} */
function pulled(deed) {
  finger = deed.at;
  queue = queue.filter(({ kind }) => kind !== 'pulling');
  const unsaid = queue.findIndex(({ kind }) => kind === 'pull');
  if (unsaid < 0 || deed.kind !== 'pulled') return deed;
  queue.splice(unsaid, 1);
  return { kind: 'drag', path: deed.path, button: deed.button };
}

async function work() {
  if (busy) return;
  busy = true;
  for (let deed = next(); deed; deed = next()) {
    try {
      await carryOut(deed);
      say(problem, '');
    } catch (error) {
      queue = [];
      held = 0;
      gestures.drop();
      say(problem, /** @type {Error} */ (error).message);
    }
  }
  busy = false;
  document.body.dataset.waiting = String(queue.length);
}

/** While a button is held, all else waits for its end. Letters that have waited go out as one piece of text. */
function next() {
  const at = held ? queue.findIndex(({ kind }) => kind.startsWith('pull')) : 0;
  const [first] = at < 0 ? [] : queue.splice(at, 1);
  while (first?.kind === 'type' && queue[0]?.kind === 'type') first.text += String(queue.shift()?.text);
  return first;
}

/** @param {Deed} deed */
async function carryOut({ kind, at, ...more }) {
  if (kind === 'pull') held = (await call('/api/hold', { at, button: more.button, turn })).hold;
  else if (kind === 'pulling') await Promise.all([follow({ at }), new Promise((done) => setTimeout(done, PACE))]);
  else if (kind === 'pulled') await follow({ at, over: true });
  else await call('/api/hands', { action: { kind, at, ...more }, turn });
}

/** @param {{ at: unknown, over?: boolean }} where */
async function follow(where) {
  await call('/api/hold/on', { hold: held, ...where });
  if (where.over) held = 0;
}

/** @param {KeyboardEvent} event */
function onkey(event) {
  if (event.isComposing || event.key === 'Unidentified' || event.keyCode === COMPOSING) return;
  if (event.ctrlKey && event.altKey && event.key === 'Home') return leave(event);
  if (event.repeat && queue.length) return event.preventDefault(); // it would run on after the release
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

/** A phone's keyboard tells letters only by what stands in the box afterwards. @param {Event} event */
function oninput(event) {
  if (!(/** @type {InputEvent} */ (event).isComposing)) send();
}

/** Of what is composed only the end counts: "ni" is on its way to a sign. */
function send() {
  const text = box.value.replace(FILLER, '');
  if (text && driving) act({ kind: 'type', text });
  empty();
}

function empty() {
  box.value = FILLER;
  box.setSelectionRange(FILLER.length, FILLER.length);
}

/** There is no other word of a phone's keyboard for this key. @param {InputEvent} event */
function ondelete(event) {
  if (event.isComposing || !/^delete.*Backward$/.test(event.inputType)) return;
  event.preventDefault();
  act({ kind: 'keypress', keys: ['BACKSPACE'] });
}
