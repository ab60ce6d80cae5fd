// @ts-check
/** Missing packages that a setting needs: size and an install button. */
import { call } from '../core/connection.js';
import { h, setText } from '../core/dom.js';
import { translated, t } from '../core/i18n.js';

/** @typedef {{ installed: boolean, download: number, disk: number, bundle: boolean, status: string, words?: string, progress?: number }} Offer */

const POLL_MS = 1000;
/** Settings and the extra that their value needs. @type {Record<string, (control: any) => string>} */
const EXTRA_OF = {
  api_type: (control) => control.value,
  notify_url: () => 'notify',
  gate_reads: (control) => (control.checked ? 'local' : ''),
};
/** @type {Record<string, Offer>} */
let offers = {};
/** How each part on the page is drawn. @type {Map<HTMLElement, () => void>} */
const drawings = new Map();
let timer = 0;

/** Adds its part to each field that may need packages; those of another form stay. @param {Map<string, import('./form_fields.js').Field>} fields */
export function mount(fields) {
  for (const node of drawings.keys()) if (!node.isConnected) drawings.delete(node);
  for (const [name, need] of Object.entries(EXTRA_OF)) {
    const field = fields.get(name);
    if (!field) continue;
    const part = new Part();
    const draw = () => part.show(need(field.control));
    field.node.append(part.node);
    for (const event of ['input', 'change']) field.control.addEventListener(event, draw);
    drawings.set(part.node, draw);
  }
  refresh();
}

/** @param {string} [extra] what to install first */
async function refresh(extra) {
  clearTimeout(timer);
  try {
    offers = await call(extra ? `/api/extras/${extra}` : '/api/extras', extra ? {} : undefined);
  } catch (error) {
    if (extra) offers[extra] = { ...offers[extra], status: 'failed', words: /** @type {Error} */ (error).message };
  }
  for (const draw of drawings.values()) draw();
  if (Object.values(offers).some(({ status }) => status === 'running')) timer = window.setTimeout(refresh, POLL_MS);
}

class Part {
  constructor() {
    this.extra = '';
    this.about = h('p', { class: 'help', role: 'status' });
    this.bar = h('progress', { max: 1, 'aria-label': t('install.progress') });
    this.fault = h('p', { class: 'error', role: 'alert', hidden: true });
    this.button = h('button', { onclick: () => refresh(this.extra) }, t('extra.install'));
    this.node = h('div', { class: 'extra', hidden: true }, this.about, this.bar, this.fault, this.button);
  }

  /** @param {string} extra */
  show(extra) {
    const offer = offers[extra];
    const done = extra === this.extra && offer?.status === 'done';
    this.extra = extra;
    this.node.hidden = !offer || (offer.installed && !done);
    if (this.node.hidden || !offer) return;
    const running = offer.status === 'running';
    this.about.textContent = describeOffer(offer, done);
    this.bar.hidden = !running;
    /** @type {HTMLProgressElement} */ (this.bar).value = offer.progress ?? 0;
    this.button.hidden = running || done;
    const words = offer.status === 'failed' ? translated(offer.words ?? '') : '';
    if (this.fault.textContent !== words) setText(this.fault, words);
  }
}

/** @param {Offer} offer @param {boolean} done */
function describeOffer(offer, done) {
  if (done) return t('extra.done');
  const sizes = { size: formatBytes(offer.download), disk: formatBytes(offer.disk), percent: Math.round((offer.progress ?? 0) * 100) };
  if (offer.status === 'running') return t('extra.running', sizes);
  return t(offer.bundle ? 'extra.from_bundle' : 'extra.needed', sizes);
}

/** @param {number} bytes */
export function formatBytes(bytes) {
  return bytes < 1e5 ? `${Math.max(1, Math.round(bytes / 1e3))} kB` : `${(bytes / 1e6).toFixed(1)} MB`;
}
