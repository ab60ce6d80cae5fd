// @ts-check
/**
 * The connection to the server: one WebSocket for events, POST for requests.
 * The token is in sessionStorage, out of reach of other tabs and sites.
 */

import { translated, t } from './i18n.js';

/** @typedef {{ seq: number, at: number, kind: string, data: any }} AgentEvent */
/** @typedef {{ demo: boolean, boot: string, at: number, secure: boolean, watching: boolean }} Welcome */
/**
 * `code`: whether a pairing code would help; `wrong`: what is wrong with the one sent; `guest`: a token with which the page may stop the agent, which is at work if `running`;
 * `secure`: whether this port speaks https as well; `failed`: whether the service could not start.
 * @typedef {{ reason: import('./i18n.js').Translatable, code?: boolean, wrong?: string, guest?: string, running?: boolean, secure?: boolean, failed?: boolean }} Refused
 */
/**
 * @typedef {object} Listener
 * @property {(at: number) => void} time on the server, in Unix seconds
 * @property {(welcome: Welcome) => void} welcome
 * @property {(event: AgentEvent, boot: string) => void} event
 * @property {(link: 'open' | 'lost') => void} link
 * @property {(refusal: Refused) => void} refused
 */

const TOKEN_KEY = 'cua-token';
const WISH_KEY = 'cua-wish';
const PAGE_KEY = 'cua-page';
const REFUSED_CODE = 4001;
/**
 * The server sends a heartbeat every second. After DOUBT_MS without one its state is unknown (by then it has paused
 * the run); after SILENCE_MS the page connects anew. A new socket has OPENING_MS.
 */
const DOUBT_MS = 3000;
const SILENCE_MS = 5000;
const OPENING_MS = 10_000;

/** @type {WebSocket | null} */
let openSocket = null;
/** @type {(value?: unknown) => void} */
let admit;
/** Resolves with the first welcome. */
const admission = new Promise((resolve) => (admit = resolve));

/** A request that was refused, in words; `fields` names the reason for each field of a form. */
export class Refusal extends Error {
  /** @param {string} words @param {Record<string, string>} [fields] @param {string} [setting] @param {Partial<import('./i18n.js').Message>} [message] of the service */
  constructor(words, fields = {}, setting = '', { key = '', values = {} } = {}) {
    super(words);
    this.fields = fields;
    this.setting = setting;
    this.key = key;
    /** @type {Record<string, any>} */
    this.values = values;
  }
}

export const token = () => sessionStorage.getItem(TOKEN_KEY) ?? '';

/** @param {string} given */
export const setToken = (given) => sessionStorage.setItem(TOKEN_KEY, given);

/** Identifies this page across reloads. */
export const page = sessionStorage.getItem(PAGE_KEY) ?? Math.random().toString(36).slice(2);
sessionStorage.setItem(PAGE_KEY, page);

/** Asks anew, once, for what only a person wants: to take over, or in with a code. Throws `Refusal` if the service does not answer: the browser would show its own page. @param {object} what */
export async function reconnectWith(what) {
  await request('/');
  sessionStorage.setItem(WISH_KEY, JSON.stringify(what));
  location.reload();
}

/** Take the pairing code of a QR code out of the address. */
function takeWish() {
  const found = sessionStorage.getItem(WISH_KEY) ?? '{}';
  sessionStorage.removeItem(WISH_KEY);
  const code = /^#(\d{6})$/.exec(location.hash)?.[1];
  if (code) history.replaceState(null, '', location.pathname);
  return code ? { code } : JSON.parse(found);
}

/** The address of a path of the service: each computer of a fleet has its page and its API under its own. @param {string} path */
export const address = (path) => new URL(`.${path}`, location.href).href;

/** @param {string} path */
export const socketUrl = (path) => address(path).replace(/^http/, 'ws');

/**
 * A GET without a body, a POST with one. Throws `Refusal`, also when `signal` aborts.
 * @param {string} path
 * @param {object} [body]
 * @param {AbortSignal} [signal]
 * @returns {Promise<any>}
 */
export async function call(path, body, signal) {
  return read(await request(path, body && JSON.stringify(body), signal));
}

/** Send a file as it is, once the page is let in. Throws `Refusal`. @param {string} path @param {File} file */
export async function upload(path, file) {
  await admission;
  return read(await request(path, file));
}

/** @param {Response} response @returns {Promise<any>} */
async function read(response) {
  const data = await response.json().catch(() => ({}));
  if (response.ok) return data;
  throw refusal(data, response.status);
}

/** The error of a refused request. @param {any} data its body, null if there was none @param {number} status */
export function refusal(data, status) {
  const said = data?.message ?? data?.error;
  return new Refusal(said ? translated(said) : t('refusal', { status }), data?.errors, data?.setting, data?.message);
}

/** Those of every request. @returns {Record<string, string>} */
export const headers = () => ({ 'X-CUA-Token': token(), 'X-CUA-Page': page });

/** @param {string} path @param {string | File} [body] @param {AbortSignal} [signal] */
export async function request(path, body, signal) {
  const typed = body ? { ...headers(), 'Content-Type': 'application/json' } : headers();
  try {
    return await fetch(address(path), { method: body ? 'POST' : 'GET', headers: typed, body, signal, cache: 'no-store' });
  } catch {
    throw new Refusal(t('silence'));
  }
}

/** A word to the server over the socket that is open, if one is. @param {string} type @param {object} [more] */
export function sendToSocket(type, more) {
  if (openSocket?.readyState === WebSocket.OPEN) openSocket.send(JSON.stringify({ type, ...more }));
}

let handingOver = false;
/** Whether this page is left for another one of the same service. */
export const isHandingOver = () => handingOver;

/**
 * For a link to another page of a fleet: the runs go on if that appears in time.
 * @param {MouseEvent} event @param {string} [fleet] where its API is
 */
export async function handOver(event, fleet = '') {
  if (event.metaKey || event.ctrlKey || event.shiftKey) return;
  event.preventDefault();
  const { href } = /** @type {HTMLAnchorElement} */ (event.currentTarget);
  await call(`${fleet}/api/hand-over`, {}).catch(() => {});
  handingOver = true;
  location.assign(href);
}

/** The browser's own Back and Forward hand over as a link does. @param {string} [fleet] where its API is */
export function handOverOnBack(fleet = '') {
  /** @type {any} */ (window).navigation?.addEventListener('navigate', (/** @type {any} */ { navigationType, destination }) => {
    if (navigationType !== 'traverse' || destination.sameDocument || new URL(destination.url).origin !== location.origin) return;
    handingOver = true;
    call(`${fleet}/api/hand-over`, {}).catch(() => {});
  });
}

const visible = () => document.visibilityState === 'visible';

/** Keep one socket open; every event is delivered exactly once. @param {Listener} listener */
export function connect(listener) {
  let after = '';
  let wait = 500;
  let timer = 0;
  let beats = 0;
  let silent = false;
  let wants = takeWish();

  function dial() {
    clearTimeout(timer);
    timer = 0;
    const socket = new WebSocket(socketUrl('/api/ws'));
    openSocket = socket;
    giveUp(socket, OPENING_MS);
    socket.onopen = () => sendToSocket('hello', { ...wants, token: token() || null, page, after, visible: visible() });
    socket.onmessage = (message) => take(socket, JSON.parse(message.data));
    socket.onclose = (close) => lost(socket, close);
  }

  /** @param {WebSocket} socket @param {any} message */
  function take(socket, message) {
    if (message.at) listener.time(message.at);
    if (message.type === 'heartbeat') beat(socket);
    else if (message.type === 'event') event(message.id, message.event);
    else if (message.type === 'welcome') {
      setToken(message.token);
      admit();
      wants = message.watching ? { watch: true } : {};
      wait = 500;
      listener.welcome(message);
      listener.link('open');
      alive(socket);
    } else if (message.type === 'refused') refuse(socket, message);
  }

  /** Without an id it is true for the moment only. @param {string} id @param {AgentEvent} event */
  function event(id, event) {
    if (!id) return listener.event(event, after.split(':')[0]);
    const [boot, seq] = id.split(':');
    const [lastBoot, lastSeq] = after.split(':');
    if (boot === lastBoot && Number(seq) <= Number(lastSeq)) return;
    after = id;
    listener.event(event, boot);
  }

  /**
   * The answer comes from the handler itself, so it shows that this page is alive: without one in three
   * seconds the server pauses the run.
   * @param {WebSocket} socket
   */
  function beat(socket) {
    sendToSocket('heartbeat', { visible: visible() });
    alive(socket);
  }

  /** @param {WebSocket} socket */
  function alive(socket) {
    if (silent) listener.link('open');
    silent = false;
    clearTimeout(beats);
    beats = window.setTimeout(() => doubt(socket), DOUBT_MS);
  }

  /** @param {WebSocket} socket */
  function doubt(socket) {
    silent = true;
    listener.link('lost');
    giveUp(socket, SILENCE_MS - DOUBT_MS);
  }

  /** A cut connection sends no event: without a heartbeat it counts as lost. @param {WebSocket} socket @param {number} after */
  function giveUp(socket, after) {
    clearTimeout(beats);
    beats = window.setTimeout(() => lost(socket), after);
  }

  /** Reconnect at once when the network or the page is back. */
  function hurry() {
    if (!timer) return;
    wait = 500;
    dial();
  }

  /** @param {WebSocket} socket @param {Refused} refusal */
  function refuse(socket, refusal) {
    drop(socket);
    listener.refused(refusal);
  }

  /** @param {WebSocket} socket @param {CloseEvent} [close] */
  function lost(socket, close) {
    if (close?.code === REFUSED_CODE) return refuse(socket, { reason: close.reason });
    drop(socket);
    listener.link('lost');
    timer = window.setTimeout(dial, wait);
    wait = Math.min(wait * 2, 8000);
  }

  /** @param {WebSocket} socket */
  function drop(socket) {
    clearTimeout(beats);
    socket.onopen = socket.onclose = socket.onmessage = null;
    socket.close();
  }

  document.addEventListener('visibilitychange', () => {
    sendToSocket('heartbeat', { visible: visible() });
    if (visible()) hurry();
  });
  window.addEventListener('online', hurry);
  window.addEventListener('pagehide', () => openSocket?.close()); // sooner than the browser does
  dial();
}
