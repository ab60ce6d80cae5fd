// @ts-check
/** One step as a row: screenshot, thought, actions, outcome; the rest is disclosed. A part is redrawn only when it changed. */
import { clockAttributes, formatTimeOfDay, formatDuration } from '../core/clock.js';
import { byId, fill, h, setText } from '../core/dom.js';
import { icon } from '../core/icons.js';
import { markedParts, setMarkedText } from '../core/inline_markup.js';
import { drawActions } from '../live/annotations.js';
import { watch } from '../core/lazy_images.js';
import { formatMoney, isCancelled, isWaiting } from '../core/state.js';
import { escapeInvisible, describe, describeBriefly, describeOutcome, formatTokens, numberOf, withPlace } from '../core/describe_action.js';
import { translated, t } from '../core/i18n.js';

/** @typedef {import('../core/state.js').Step} Step */

/** Characters shown of a text while it is typed: before and after the current position. */
const CHARS_BEHIND = 90;
const CHARS_AHEAD = 60;

/**
 * A sentence ends before a space and no small letter ("e.g. this"), at a Chinese full stop, or with its line.
 * One of a few words takes the next along.
 */
const FIRST_SENTENCE = /^(?:.{40,}?[.!?]["'”’)]*(?=\s+[^a-z\s])|.{16,}?[。！？][”’」）]*|.+(?=\n))/u;

/** @param {Step} step @param {() => Step[]} steps all steps, for the enlarged view */
export function stepCard(step, steps) {
  const head = h('header');
  const shot = h('div', { class: 'shot' });
  const body = h('div', { class: 'body' });
  const actions = h('ol', { class: 'actions' });
  const foot = h('footer');
  const figures = h('p', { title: t('step.tokens_title') });
  const rest = h('p', { class: 'rest' });
  const reasoning = h('p');
  const details = h(
    'details',
    { class: 'figures' },
    h('summary', { title: t('step.details') }, icon('more'), h('span', { class: 'sr' }, t('step.details'))),
    rest,
    h('p', {}, h('time', {}, formatTimeOfDay(step.at))),
    figures,
    reasoning,
  );
  const node = h(
    'article',
    { class: 'step' },
    shot,
    h('div', { class: 'content' }, head, body, actions, foot, details),
  );
  details.addEventListener('toggle', () => details.open && node.scrollIntoView({ block: 'nearest' }));
  /** @type {Step['frame']} */
  let frame;
  /** @type {Step['reply']} */
  let reply;
  /** @type {Step['thoughtShown']} */
  let thoughtShown;
  let headingKey = '';

  function redraw() {
    node.ariaLabel = t('header.step', { n: numberOf(step) });
    const wanted = [node.ariaLabel, step.open, statusText(step), step.since, step.until, step.ended?.ok, step.failed].join();
    if (wanted !== headingKey) fill(head, ...headingParts(step));
    headingKey = wanted;
    if (step.frame !== frame) drawPicture(shot, step, steps, byId('panel-chat', HTMLElement));
    if (step.frame !== frame || step.reply !== reply) drawMarks(shot, step);
    if (step.reply !== reply || step.thoughtShown !== thoughtShown) redrawThought();
    if (!step.reply) fill(body, ...waitingParts(step));
    if (step.ended?.outcome_kind === 'not_understood') setText(rest, `${step.reply?.text}\n\n${t('step.correction', { text: translated(step.ended.outcome) })}`);
    [frame, reply, thoughtShown] = [step.frame, step.reply, step.thoughtShown];
    fill(actions, ...(endsRun(step) || reply?.awaits ? [] : (reply?.actions ?? []).map((action, index) => actionLine(step, action, index))));
    fill(foot, ...outcomeParts(step));
    figures.textContent = figuresText(step);
    setText(reasoning, reply?.reasoning ?? '');
    details.hidden = !reply;
    node.classList.toggle('is-bare', !reply);
    node.classList.toggle('is-open', step.open);
    node.classList.toggle('is-waiting', isWaiting(step));
    node.classList.toggle('is-folded', Boolean(step.folded));
    node.classList.toggle('is-failed', Boolean(step.ended && !step.ended.ok));
    node.classList.toggle('is-told', isTold(step));
    node.classList.toggle('is-cancelled', isCancelled(step));
  }

  /** One sentence is in sight. */
  function redrawThought() {
    const thought = translated(step.reply?.thought ?? '').trim();
    const first = FIRST_SENTENCE.exec(thought)?.[0] ?? thought;
    fill(body, first && !step.thoughtShown && h('p', { class: 'thought' }, ...markedParts(first)));
    setMarkedText(rest, thought.slice(first.length).trim());
  }

  redraw();
  return { node, redraw };
}

/** Before the reply is complete. @param {import('../core/state.js').Waiting} step */
export function waitingParts(step) {
  const silent = silenceText(step);
  return [silent && h('p', { class: 'silent' }, silent), step.draft && h('p', { class: 'draft' }, step.draft)];
}

/** Since when the model server has sent nothing, and until when the client waits; '' while it sends. @param {import('../core/state.js').Waiting} step */
export function silenceText({ open, silent }, key = 'phase.silent') {
  if (!open || !silent) return '';
  const [since, until] = silent.map(formatTimeOfDay);
  return t(key, { since, until });
}

/** @param {Step} step */
function headingParts(step) {
  const quiet = step.open ? step.reply?.awaits : step.ended || (step.failed && step.reply); // a wait replaces the one before it, and the card below tells a failure
  return [
    h(
      'h3',
      { class: step.inProcedure ? 'sr' : '' }, // its words begin with another number
      step.inProcedure ? null : h('span', { class: 'number', 'aria-hidden': 'true' }, String(step.number)),
      h('span', { class: 'sr' }, t('header.step', { n: numberOf(step) })), // Orca reads no label of a heading
    ),
    quiet ? null : phasePart(step),
  ];
}

/** What is going on, and how long. @param {Step} step */
export function phasePart(step) {
  const clock = step.open && step.phase !== 'approval' ? h('span', { class: 'clock', ...clockAttributes(step) }) : null;
  return h('span', { class: 'phase' }, clock && icon('running'), withPlace(step, statusText(step)), clock && ' ', clock);
}

/** @param {Step} step */
export function statusText(step) {
  if (step.open) return translated(step.progress) || t(`phase.${step.phase}`);
  if (!step.ended) return t(step.failed ? 'state.failed' : 'step.interrupted');
  return t(step.ended.ok ? 'step.done' : 'step.not_ok');
}

/** @param {HTMLElement} shot @param {Step} step @param {() => Step[]} steps @param {Element} room what scrolls */
export function drawPicture(shot, step, steps, room) {
  const { frame } = step;
  if (!frame) return;
  const img = h('img', { width: frame.width, height: frame.height, alt: '' });
  watch(img, frame.url, room);
  const open = async () => (await import('../live/lightbox.js')).show(step, steps);
  const button = h('button', { onclick: open }, img);
  button.style.aspectRatio = `${frame.width} / ${frame.height}`;
  fill(shot, button, h('div', { class: 'marks', 'aria-hidden': 'true' }));
}

/** The picture stays as it is, with the focus. @param {HTMLElement} shot @param {Step} step */
export function drawMarks(shot, step) {
  const button = shot.querySelector('button');
  if (button) button.ariaLabel = button.title = t('step.screenshot', { n: numberOf(step) });
  shot.querySelector('.marks')?.replaceChildren(...drawActions(step.reply?.actions ?? []));
}

/** @param {Step} step @param {import('../core/state.js').Action} action @param {number} index */
function actionLine(step, action, index) {
  const now = step.open && index === step.acting;
  const past = index < step.acting || step.ended?.ok;
  return h(
    'li',
    {
      class: now ? 'is-now' : past ? 'is-past' : '',
      'aria-current': now && 'step',
      title: action.kind !== 'type' && describe(action),
    },
    now && action.kind === 'type' && step.phase !== 'approval' ? typingParts(step, action.text ?? '') : describeBriefly(action),
  );
}

/** The part of a long text around the current typing position. @param {Step} step @param {string} text */
function typingParts({ typed }, text) {
  const [from, to] = [typed > CHARS_BEHIND ? typed - CHARS_BEHIND : 0, typed + CHARS_AHEAD];
  return h(
    'span',
    { class: 'typing' },
    t('act.typing'),
    ' ',
    h('b', {}, from > 0 && '…', escapeInvisible(text.slice(from, typed))),
    escapeInvisible(text.slice(typed, to)),
    to < text.length && '…',
  );
}

/** How long each part of the step took. @param {Step} step */
function timeParts({ frame, reply, ended, waited = 0 }) {
  if (reply?.awaits) return [ended && formatDuration(waited + ended.seconds)];
  if (!ended) return [reply && t('step.thought', { time: formatDuration(reply.seconds) })];
  const [looked, thought] = [frame?.waited ?? 0, reply?.seconds ?? 0];
  const acted = Math.max(0, ended.seconds - looked - thought);
  return [
    frame?.why && frame.why !== 'at rest' // of older records
      ? t('step.looked_why', { time: formatDuration(looked), why: translated(frame.why) })
      : t('step.looked', { time: formatDuration(looked) }),
    t('step.thought', { time: formatDuration(thought) }),
    t('step.acted', { time: formatDuration(acted) }),
  ];
}

/** Whether a message came with its end, and is answered first. @param {NonNullable<Step['ended']>} ended */
const goesOn = ({ outcome_kind: kind }) => kind === 'user_spoke';

/** The card after it tells the result of such a step. @param {Step} step */
const endsRun = ({ ended, reply }) => ended?.ok && !goesOn(ended) && ['done', 'ask', 'fail'].includes(reply?.actions.at(-1)?.kind ?? '');

/** Whether that card has its number. @param {Step} step */
export const isTold = (step) => Boolean(endsRun(step) && (step.thoughtShown || !step.reply?.thought));

/** What went wrong, or why it goes on; success needs no words. @param {Step} step */
function outcomeParts(step) {
  const { ended, effect } = step;
  if (endsRun(step)) return [];
  return [
    !step.open && !ended && step.typedPart && h('span', {}, translated(step.typedPart)),
    ...(ended && !ended.ok ? [icon('failed'), h('span', {}, ...markedParts(describeOutcome(ended)))] : []),
    ended && goesOn(ended) && h('span', { class: 'help' }, translated(ended.outcome)),
    effect?.none && h('span', {}, translated(effect.words)),
  ];
}

/** What changed on the screen, the times and the tokens. @param {Step} step */
function figuresText(step) {
  const { reply, effect } = step;
  const tokens = reply && formatTokens(reply);
  const figures = [
    ...timeParts(step),
    tokens && t('header.tokens', { n: tokens }),
    reply?.cost && t('header.spent', { n: formatMoney(reply.cost) }),
  ]
    .filter(Boolean)
    .map((figure) => `${figure}`.replaceAll(' ', '\xa0')); // no line breaks within one
  const change = effect && !effect.none && translated(effect.words);
  return [change, figures.join(' · ')].filter(Boolean).join('\n');
}
