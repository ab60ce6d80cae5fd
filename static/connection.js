// @ts-check
/**
 * The only place that talks to the server: one socket for what happens, POST for what is asked.
 * The token lives in sessionStorage, so that another tab or another site never has it.
 */

import { heard, t } from './words.js';

/** @typedef {{ seq: number, at: number, kind: string, data: any }} AgentEvent */
/** @typedef {{ demo: boolean, boot: string, at: number, secure: boolean, watching: boolean }} Welcome */
/**
 * `code`: whether a pairing code would help; `guest`: a token with which the page may stop the agent;
 * `secure`: whether this port speaks https as well.
 * @typedef {{ reason: string, code?: boolean, guest?: string, secure?: boolean }} Refused
 */
/**
 * @typedef {object} Listener
 * @property {(at: number) => void} time on the server, in Unix seconds
 * @property {(welcome: Welcome) => void} welcome
 * @property {(event: AgentEvent, boot: string) => void} event
 * @property {(link: 'open' | 'lost') => void} link
 * @property {(refusal: Refused) => void} refused
 */

const KEY = 'cua-token';
const WISH = 'cua-wish';
const PAGE = 'cua-page';
const REFUSED = 4001;
/**
 * The server's heart beats every second. Without one it is not known, after these milliseconds, how it stands (by
 * then the server has paused), and somewhat later the line is laid anew; a socket that opens has longer.
 */
const DOUBT = 3000;
const SILENCE = 5000;
const OPENING = 10_000;

/** @type {WebSocket | null} */
let open = null;

/** A request that was refused, in words; `fields` names the reason for each field of a form. */
export class Refusal extends Error {
  /** @param {string} words @param {Record<string, string>} [fields] */
  constructor(words, fields = {}) {
    super(words);
    this.fields = fields;
  }
}

export const token = () => sessionStorage.getItem(KEY) ?? '';

/** @param {string} given */
export const enter = (given) => sessionStorage.setItem(KEY, given);

/** Which page this is, through its reloads: who is stopped by another one is told so. */
const page = sessionStorage.getItem(PAGE) ?? Math.random().toString(36).slice(2);
sessionStorage.setItem(PAGE, page);

/** Asks anew, once, for what only a person wants: to take over, or in with a code. @param {object} what */
export function wish(what) {
  sessionStorage.setItem(WISH, JSON.stringify(what));
  location.reload();
}

/** A code comes in the address, too, from a QR code; it is taken out of it. */
function wished() {
  const found = sessionStorage.getItem(WISH) ?? '{}';
  sessionStorage.removeItem(WISH);
  const code = /^#(\d{6})$/.exec(location.hash)?.[1];
  if (code) history.replaceState(null, '', location.pathname);
  return code ? { code } : JSON.parse(found);
}

/** @param {string} path */
export const socketUrl = (path) => new URL(path, location.href).href.replace(/^http/, 'ws');

/**
 * A GET without a body, a POST with one. Throws `Refusal`, also without an answer in `patience` milliseconds.
 * @param {string} path
 * @param {object} [body]
 * @param {number} [patience]
 * @returns {Promise<any>}
 */
export async function call(path, body, patience) {
  const response = await request(path, body && JSON.stringify(body), patience ? AbortSignal.timeout(patience) : null);
  const data = await response.json().catch(() => ({}));
  if (response.ok) return data;
  throw new Refusal(data.error ? heard(data.error) : t('refusal', { status: response.status }), data.errors);
}

/** @param {string} path @param {string} [body] @param {AbortSignal | null} [signal] */
export async function request(path, body, signal) {
  /** @type {Record<string, string>} */
  const headers = { 'X-CUA-Token': token(), 'X-CUA-Page': page };
  if (body) headers['Content-Type'] = 'application/json';
  try {
    return await fetch(path, { method: body ? 'POST' : 'GET', headers, body, signal, cache: 'no-store' });
  } catch {
    throw new Refusal(t('silence'));
  }
}

/** A word to the server over the socket that is open, if one is. @param {string} type @param {object} [more] */
export function shout(type, more) {
  if (open?.readyState === WebSocket.OPEN) open.send(JSON.stringify({ type, ...more }));
}

const visible = () => document.visibilityState === 'visible';

/** Keeps one socket open for as long as the page lives, and misses or doubles nothing. @param {Listener} listener */
export function connect(listener) {
  let after = '';
  let wait = 500;
  let timer = 0;
  let beats = 0;
  let silent = false;
  let wants = wished();

  function dial() {
    clearTimeout(timer);
    timer = 0;
    const socket = new WebSocket(socketUrl('/api/ws'));
    open = socket;
    giveUp(socket, OPENING);
    socket.onopen = () => shout('hello', { ...wants, token: token() || null, page, after, visible: visible() });
    socket.onmessage = (message) => take(socket, JSON.parse(message.data));
    socket.onclose = (close) => lost(socket, close);
  }

  /** @param {WebSocket} socket @param {any} message */
  function take(socket, message) {
    if (message.at) listener.time(message.at);
    if (message.type === 'heartbeat') beat(socket);
    else if (message.type === 'event') event(message.id, message.event);
    else if (message.type === 'welcome') {
      enter(message.token);
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
    shout('heartbeat', { visible: visible() });
    alive(socket);
  }

  /** @param {WebSocket} socket */
  function alive(socket) {
    if (silent) listener.link('open');
    silent = false;
    clearTimeout(beats);
    beats = window.setTimeout(() => doubt(socket), DOUBT);
  }

  /** @param {WebSocket} socket */
  function doubt(socket) {
    silent = true;
    listener.link('lost');
    giveUp(socket, SILENCE - DOUBT);
  }

  /** A line that was cut tells nobody: without a beat by then it is lost. @param {WebSocket} socket @param {number} after */
  function giveUp(socket, after) {
    clearTimeout(beats);
    beats = window.setTimeout(() => lost(socket), after);
  }

  /** Whoever has the network or the page back in sight need not wait for the next try. */
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
    if (close?.code === REFUSED) return refuse(socket, { reason: close.reason });
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
    shout('heartbeat', { visible: visible() });
    if (visible()) hurry();
  });
  window.addEventListener('online', hurry);
  window.addEventListener('pagehide', () => shout('heartbeat', { visible: false }));
  dial();
}
