// @ts-check
/** One step as a card: what was seen, meant, done, and what came of it. A part is redrawn only when it changed. */
import { running, timeOfDay, took } from './clock.js';
import { fill, h } from './dom.js';
import { icon } from './icons.js';
import { marks } from './marks.js';
import { watch } from './pictures.js';
import { money } from './state.js';
import { bare, describe } from './wording.js';
import { heard, t } from './words.js';

/** @typedef {import('./state.js').Step} Step */
/** @typedef {import('./state.js').Reply} Reply */

const COUNT = new Intl.NumberFormat();
/** Letters that are shown of a text that is being typed: those that are there, and those to come. */
const BEHIND = 90;
const AHEAD = 60;

/** @param {Step} step @param {() => Step[]} steps those among which it stands */
export function stepCard(step, steps) {
  const head = h('header');
  const shot = h('div', { class: 'shot' });
  const body = h('div', { class: 'body' });
  const actions = h('ol', { class: 'actions' });
  const foot = h('footer');
  const node = h(
    'article',
    { class: 'step', 'aria-label': t('header.step', { n: step.number }) },
    head,
    shot,
    h('div', { class: 'told' }, body, actions, foot),
  );
  /** @type {Step['frame']} */
  let frame;
  /** @type {Step['reply']} */
  let reply;
  /** @type {Step['told']} */
  let told;
  let headed = '';

  function redraw() {
    const wanted = [step.open, step.phase, step.since, step.until, step.ended?.ok, step.failed].join();
    if (wanted !== headed) fill(head, ...heading(step));
    headed = wanted;
    if (step.frame !== frame || step.reply !== reply)
      fill(shot, ...picture(step, steps, step.frame === frame ? shot.querySelector('img') : null));
    if (step.reply !== reply || step.told !== told)
      fill(body, ...(step.reply ? thought(step.reply, step.told) : []));
    if (!step.reply) fill(body, step.draft && h('p', { class: 'draft' }, step.draft));
    [frame, reply, told] = [step.frame, step.reply, step.told];
    fill(actions, ...(reply?.actions ?? []).map((action, index) => line(step, action, index)));
    fill(foot, ...summary(step));
    node.classList.toggle('is-open', step.open);
  }

  redraw();
  return { node, redraw };
}

/** @param {Step} step */
function heading(step) {
  const clock = step.open ? h('span', { class: 'clock', ...running(step) }) : null;
  return [
    h(
      'h3',
      {},
      h('span', { class: 'number', 'aria-hidden': 'true' }, String(step.number)),
      h('span', { class: 'sr' }, t('header.step', { n: step.number })), // Orca reads no label of a heading
    ),
    h('span', { class: 'phase' }, step.open ? icon('running') : null, verdict(step), clock),
    h('time', {}, timeOfDay(step.at)),
  ];
}

/** @param {Step} step */
function verdict(step) {
  if (step.open) return t(`phase.${step.phase}`);
  if (!step.ended) return t(step.failed ? 'state.failed' : 'step.interrupted');
  return t(step.ended.ok ? 'step.done' : 'step.not_ok');
}

/**
 * The picture itself is kept when only the marks change.
 * @param {Step} step @param {() => Step[]} steps @param {HTMLImageElement | null} kept
 */
function picture(step, steps, kept) {
  const { frame, reply } = step;
  if (!frame) return [];
  const img = kept ?? h('img', { width: frame.width, height: frame.height, alt: '' });
  if (!kept) watch(img, frame.url);
  const open = async () => (await import('./lightbox.js')).show(step, steps);
  const button = h(
    'button',
    { type: 'button', 'aria-label': t('step.screenshot', { n: step.number }), onclick: open },
    img,
  );
  button.style.aspectRatio = `${frame.width} / ${frame.height}`;
  return [
    button,
    h('div', { class: 'marks', 'aria-hidden': 'true' }, ...marks(reply?.actions ?? [])),
  ];
}

/** @param {Reply} reply @param {boolean} [told] */
function thought(reply, told) {
  const reasoning =
    reply.reasoning && h('details', {}, h('summary', {}, t('step.reasoning')), h('p', {}, reply.reasoning));
  return [!told && reply.thought && h('p', { class: 'thought' }, heard(reply.thought)), reasoning];
}

/** @param {Step} step @param {import('./state.js').Action} action @param {number} index */
function line(step, action, index) {
  const now = step.open && index === step.acting;
  const past = index < step.acting || step.ended?.ok;
  return h(
    'li',
    { class: now ? 'is-now' : past ? 'is-past' : '', 'aria-current': now && 'step' },
    icon(action.kind),
    h(
      'span',
      {},
      ...(now && action.kind === 'type' ? typing(step, action.text ?? '') : [describe(action, step.frame)]),
    ),
  );
}

/** How far the typing has come: of a long text the place where it is. @param {Step} step @param {string} text */
function typing({ typed }, text) {
  const [from, to] = [typed > BEHIND ? typed - BEHIND : 0, typed + AHEAD];
  return [
    t('act.typing'),
    h(
      'span',
      { class: 'typing' },
      h('b', {}, from > 0 && '…', bare(text.slice(from, typed))),
      bare(text.slice(typed, to)),
      to < text.length && '…',
    ),
  ];
}

/** In a line: its number, and what is done. @param {Step} step */
export function named({ number, reply, frame }) {
  const words = (reply?.actions ?? []).map((action) => describe(action, frame)).join(', ');
  return `${t('header.step', { n: number })}${words && ` · ${words}`}`;
}

/** Where the time went. @param {Step} step */
function split({ frame, reply, ended }) {
  if (!ended) return [reply && t('step.thought', { time: took(reply.seconds) })];
  const [looked, thought] = [frame?.waited ?? 0, reply?.seconds ?? 0];
  const acted = Math.max(0, ended.seconds - looked - thought);
  return [
    frame?.why && frame.why !== 'at rest'
      ? t('step.looked_why', { time: took(looked), why: heard(frame.why) })
      : t('step.looked', { time: took(looked) }),
    t('step.thought', { time: took(thought) }),
    t('step.acted', { time: took(acted) }),
  ];
}

/** @param {Step} step */
function summary(step) {
  const { ended, reply, effect } = step;
  const last = reply?.actions[reply.actions.length - 1]?.kind ?? '';
  if (ended?.ok && ['done', 'ask', 'fail'].includes(last)) return []; // the card after it says so
  const outcome =
    ended &&
    h('span', { class: ended.ok ? 'ok' : 'bad' }, icon(ended.ok ? 'done' : 'failed'), heard(ended.outcome));
  const tokens = reply && reply.tokens_in + reply.tokens_out > 0;
  const figures = [
    ...split(step),
    tokens &&
      t('step.tokens', {
        read: COUNT.format(reply.tokens_in),
        written: COUNT.format(reply.tokens_out),
      }),
    reply?.cost && t('header.spent', { n: money(reply.cost) }),
  ].filter(Boolean);
  return [
    outcome,
    effect && h('span', { class: 'effect' }, heard(effect.words)),
    figures.length > 0 && h('span', { class: 'figures', title: t('step.tokens_title') }, figures.join(' · ')),
  ];
}
