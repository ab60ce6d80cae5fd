// @ts-check
/** The check of the model: button, progress and the result, drawn on the test screen. */
import { formatDuration } from '../core/clock.js';
import { call } from '../core/connection.js';
import { fill, h, loadStyle, setText, svg, tryTo } from '../core/dom.js';
import { saveJson } from '../core/download.js';
import { icon } from '../core/icons.js';
import { markedParts } from '../core/inline_markup.js';
import { loadInto } from '../core/lazy_images.js';
import { translated, loadSetupTexts, loadTaskTexts, setKey, t } from '../core/i18n.js';

await Promise.all([loadSetupTexts(), loadTaskTexts(), loadStyle('/static/checkup.css')]);

/** @typedef {{ box: number[], at: number[] | null, meant: number[] | null, hit: boolean }} Shot */
/** @typedef {import('../core/i18n.js').Translatable} Translatable */
/**
 * @typedef {{ first: number, whole: number, tokens_per_second: number, image_tokens: number, cache: Translatable }} Speed
 */
/**
 * @typedef {{ at: number, model: string, verdict: 'ready' | 'care' | 'unusable', words: Translatable, reasons: Translatable[],
 *   screen: number[], clicks: Shot[], hits: number, speed: Speed | null,
 *   fix: { changes: Record<string, string | number> } | null, setting: string, picture?: number }} Report `setting`: the one that may help
 */

/** @type {Record<Report['verdict'], [string, string]>} */
const VERDICTS = { ready: ['ok', 'done'], care: ['warn', 'asking'], unusable: ['bad', 'failed'] };
/** Size of a dot relative to the screen's width. */
const DOT_SHARE = 0.011;
const STROKE = { 'vector-effect': 'non-scaling-stroke' };

export const start = h('button', { onclick: begin, 'data-t': 'checkup.start' });
const stop = h('button', { hidden: true, onclick: () => post('/api/checkup/stop'), 'data-t': 'checkup.stop' });
const bar = h('progress', {
  hidden: true,
  'data-t-label': 'checkup.progress',
});
const note = h('p', { class: 'help', role: 'status' });
const problem = h('p', { class: 'error', role: 'alert', hidden: true });
const result = h('div', { class: 'report' });
export const node = h(
  'fieldset',
  { class: 'checkup' },
  h('legend', { 'data-t': 'checkup.title' }),
  h('p', { class: 'help', 'data-t': 'checkup.what' }),
  h('div', { class: 'buttons' }, start, stop),
  bar,
  note,
  problem,
  result,
);
let boot = '';
let lastSeq = 0;
/** Whether the check was started here, whose result is then shown. */
let isAwaited = false;

/** @param {import('../core/state.js').State} state */
export function update(state) {
  if (state.boot !== boot) [boot, lastSeq] = [state.boot, 0];
  const fresh = state.log.filter((event) => event.seq > lastSeq && event.kind === 'checkup');
  lastSeq = state.log.at(-1)?.seq ?? lastSeq;
  for (const { data } of fresh) onEvent(data);
}

/** Load the last report of the model with its current settings, at start and after a change. */
export const loadReport = () =>
  tryTo(async () => {
    const found = await call('/api/checkup');
    setRunning(found.running);
    if (!found.running) show(found.report);
  }, problem);

/** @param {any} data */
function onEvent(data) {
  const going = data.phase === 'started' || data.phase === 'progress';
  setRunning(going);
  note.textContent = data.phase === 'report' ? '' : translated(data.text);
  if (going) Object.assign(bar, { max: data.of, value: data.done });
  if (data.phase === 'started') show(null);
  if (data.phase === 'report') showNewReport(isAwaited);
  isAwaited &&= going;
}

/** There is none to show if the settings changed meanwhile. @param {boolean} isAwaited */
async function showNewReport(isAwaited) {
  await loadReport();
  if (!isAwaited) return;
  if (!result.hasChildNodes()) note.textContent = t('checkup.outdated');
  result.scrollIntoView({ block: 'nearest' });
}

function begin() {
  isAwaited = true;
  post('/api/checkup');
}

/** @param {boolean} going */
function setRunning(going) {
  start.hidden = going;
  stop.hidden = bar.hidden = !going;
}

/** @param {string} path */
async function post(path) {
  start.disabled = stop.disabled = true;
  setText(problem, '');
  await tryTo(async () => setRunning((await call(path, {})).running), problem);
  start.disabled = stop.disabled = false;
}

// What was found

/** @param {Report | null} report */
function show(report) {
  node.dispatchEvent(new CustomEvent('report', { bubbles: true, detail: report?.verdict }));
  setKey(start, report ? 'checkup.again' : 'checkup.start');
  if (!report) return fill(result);
  const [look, shape] = VERDICTS[report.verdict];
  fill(
    result,
    h('h2', { class: look }, icon(shape), t('label.value', { label: t(`checkup.${report.verdict}`), value: translated(report.model) })),
    h('ul', { class: 'reasons' }, ...report.reasons.map((words) => h('li', {}, ...markedParts(translated(words))))),
    report.fix && fixButton(report.fix.changes),
    report.setting && settingButton(report.setting),
    report.clicks.length > 0 && clicksFigure(report),
    report.speed && figuresList(report.speed),
    h('button', { onclick: () => download(report) }, t('checkup.download')),
  );
}

/** @param {Record<string, string | number>} changes */
function fixButton(changes) {
  const button = h('button', { class: 'primary' }, t('checkup.apply_fix'));
  const apply = async () => {
    const found = await call('/api/settings', changes);
    node.dispatchEvent(new CustomEvent('fixed', { detail: { found, changes } }));
    note.textContent = t('checkup.outdated');
  };
  button.addEventListener('click', async () => {
    button.disabled = true;
    button.disabled = await tryTo(apply, problem);
  });
  return button;
}

/** Who shows the check-up shows the setting. @param {string} detail */
const settingButton = (detail) =>
  h('button', { onclick: () => node.dispatchEvent(new CustomEvent('setting', { bubbles: true, detail })) }, t('failed.setting'));

/** @param {Report} report */
function clicksFigure({ screen: [width, height], clicks, hits, picture: seq }) {
  const img = h('img', { alt: '', hidden: true });
  const marks = clicks.flatMap((shot) => shotMarks(shot, width * DOT_SHARE));
  const box = h(
    'div',
    { class: 'shots', role: 'img', 'aria-label': t('checkup.hits', { n: hits, of: clicks.length }) },
    img,
    svg('svg', { viewBox: `0 0 ${width} ${height}` }, ...marks),
  );
  box.style.aspectRatio = `${width} / ${height}`;
  // The drawing is good without the picture, which is forgotten at a reset.
  if (seq) loadInto(img, `/api/frames/${seq}.jpg`).then(() => (img.hidden = false), () => {});
  const lost = clicks.filter((shot) => !shot.at && !shot.meant).length;
  const key = h(
    'figcaption',
    { class: 'help' },
    clicks.some((shot) => shot.hit) && h('span', { class: 'ok' }, icon('idle'), t('checkup.hit')),
    clicks.some((shot) => shot.at && !shot.hit) && h('span', { class: 'bad' }, icon('fail'), t('checkup.missed')),
    clicks.some((shot) => shot.meant) && h('span', { class: 'meant' }, icon('idle'), t('checkup.meant')),
    lost > 0 && h('span', {}, t('checkup.lost', { count: lost })),
  );
  return h('figure', {}, box, key);
}

/** @param {Shot} shot @param {number} r @returns {Element[]} */
function shotMarks({ box: [x, y, width, height], at, meant, hit }, r) {
  const nodes = [svg('rect', { x, y, width, height, class: 'target', ...STROKE })];
  if (at && hit) nodes.push(svg('circle', { cx: at[0], cy: at[1], r: r / 1.6, class: 'hit' }));
  if (at && !hit) nodes.push(...missMarks(x + width / 2, y + height / 2, at, r));
  if (meant) nodes.push(svg('circle', { cx: meant[0], cy: meant[1], r, class: 'meant', ...STROKE }));
  return nodes;
}

/** @param {number} x @param {number} y @param {number[]} at @param {number} r */
function missMarks(x, y, [cx, cy], r) {
  const cross = `M${cx - r} ${cy - r}l${2 * r} ${2 * r}m0 ${-2 * r}l${-2 * r} ${2 * r}`;
  return [
    svg('path', { d: `M${x} ${y}L${cx} ${cy}`, class: 'way', ...STROKE }),
    svg('path', { d: cross, class: 'miss', ...STROKE }),
  ];
}

/** @param {Speed} speed */
function figuresList(speed) {
  const rows = [
    ['first', speed.first && formatDuration(speed.first)],
    ['whole', speed.whole && formatDuration(speed.whole)],
    ['speed', speed.tokens_per_second],
    ['image', speed.image_tokens && t('checkup.about', { n: speed.image_tokens.toLocaleString() })],
    ['cache', translated(speed.cache)],
  ].filter(([, value]) => value);
  return h(
    'dl',
    {},
    ...rows.map(([name, value]) =>
      h('div', {}, h('dt', {}, t(`checkup.row.${name}`)), h('dd', {}, String(value))),
    ),
  );
}

/** @param {Report} report */
function download(report) {
  const { picture: _, ...plain } = report;
  const inEnglish = (/** @type {string} */ _key, /** @type {any} */ value) => (value?.key ? value.text : value);
  saveJson(JSON.parse(JSON.stringify(plain, inEnglish)), 'model-check-up.json');
}
