// @ts-check
/** The status in the header and the tab's title: state, step, time and cost. */
import { formatDuration } from './clock.js';
import { page } from './connection.js';
import { byId, fill, h } from './dom.js';
import { numberOf } from './describe_action.js';
import { icon } from './icons.js';
import { formatMoney, isWaiting, kvmTitle, needsKvm, shownStatus, stepNumber, taskStatus } from './state.js';
import { language, t } from './i18n.js';
import { select } from './tabs.js';

/** @typedef {import('./state.js').State} State */

let drawnKey = '';
/** Where "Step 3 of 20" has no room beside the rest of the header. */
const narrow = matchMedia(
  '(max-width: 759px), (min-width: 900px) and (max-width: 1199px), (max-width: 899px) and (max-height: 540px)',
);

/** Where the rest has hardly any. */
const tight = matchMedia('(max-width: 759px)');

export function mount() {
  const header = byId('state', HTMLElement);
  fill(header, chip('connecting'));
  header.addEventListener('click', () => select('chat')); // for a finger; the keyboard has the tabs
  for (const shape of [narrow, tight])
    shape.addEventListener('change', () => document.dispatchEvent(new Event('redraw')));
}

/** @param {State} state */
export function update(state) {
  const name = currentState(state);
  const words = t(wordsOf(name, state));
  const waits = name === 'running' && [state.planning, state.step].some((each) => each?.open && isWaiting(each));
  const wanted = [
    name,
    words,
    waits,
    ...stepOf(state),
    state.procedure,
    state.pages,
    state.since,
    state.ran,
    state.tokens,
    state.spent,
    narrow.matches,
    tight.matches,
    language,
  ].join();
  if (wanted === drawnKey) return;
  drawnKey = wanted;
  fill(byId('state', HTMLElement), chip(name, words, waits ? ' is-waiting' : ''), pagesPart(state), ...progressParts(state));
  const title = document.body.dataset.computer ?? t('title');
  document.title = name === 'idle' ? title : `${words} · ${title}`;
}

/** @param {State} state */
function currentState(state) {
  const { link, inManualControl, approval, unconnected } = state;
  const status = taskStatus(state);
  if (link !== 'open') return link;
  if (status === 'idle' && unconnected === undefined) return 'connecting';
  if (status === 'idle' && (unconnected || needsKvm(state))) return 'setup';
  if (inManualControl || (isControlledElsewhere(state) && status !== 'running')) return 'manual_control';
  return approval ? 'approval' : shownStatus(state);
}

/** Whether another page has manual control. @param {State} state */
const isControlledElsewhere = ({ controller }) => controller !== '' && controller !== page;

/** The key of the words for it. @param {string} name @param {State} state */
function wordsOf(name, state) {
  if (name === 'manual_control' && !state.inManualControl) return 'state.controlled_elsewhere';
  if (name === 'asking' && state.asksAnew) return 'chat.not_understood';
  if (name === 'asking' && state.plan?.approved === false) return 'state.plan';
  if (name === 'setup' && needsKvm(state)) return kvmTitle(state);
  if (name === 'setup') return state.unconnected === 'failed' ? 'connect.model_failed' : 'connect.model';
  return `state.${name}`;
}

/** @param {string} name */
function chip(name, words = t(`state.${name}`), look = '') {
  return h('span', { class: `chip is-${name}${look}` }, icon(name), words);
}

/** @param {State} state */
const pagesPart = ({ pages }) =>
  pages > 1 && h('span', { class: 'pages', title: t('header.pages_title') }, icon('person'), t(tight.matches ? 'header.pages_short' : 'header.pages', { n: pages }));

/** Number of the last step that is shown, and the count: of the procedure's steps, else of the steps that the budget allows. @param {State} state */
function stepOf(state) {
  const { procedure, step, rounds } = state;
  if (!procedure || !step?.place) return [stepNumber(state), rounds];
  const number = stepNumber(state) === step.number ? numberOf(step) : step.wait ? numberOf(step.wait) : numberOf(step) - 1;
  return [number, step.place.count];
}

/** @param {State} state */
function progressParts(state) {
  if (!state.rounds || state.asksAnew || (state.inManualControl && narrow.matches)) return [];
  const [number, all] = stepOf(state);
  if (!number) return [spentPart(state)]; // for the plan
  const ended = ['done', 'failed'].includes(taskStatus(state));
  const clock = state.status === 'running' && !state.approval
    ? h('span', { class: 'clock', 'data-since': state.since - state.ran })
    : h('span', { class: 'clock' }, formatDuration(state.ran));
  clock.title = t('header.clock');
  const key = number > all ? 'step' : narrow.matches ? 'short' : 'step_of';
  const count = ended ? t('history.steps', { count: number }) : t(`header.${key}`, { n: number, of: all });
  const isCounted = !state.procedure || (state.step?.place && !ended); // older records of a procedure say no number
  return [isCounted && h('span', {}, count), clock, spentPart(state)];
}

/** The cost if prices are set, else the tokens. @param {State} state */
function spentPart({ spent, tokens }) {
  const cost = tight.matches ? [icon('cost'), formatMoney(spent)] : [t('header.spent', { n: formatMoney(spent) })];
  if (spent) return h('span', { class: 'cost', title: t('header.cost') }, ...cost);
  return tokens > 0 && h('span', {}, t(tight.matches ? 'header.tokens_short' : 'header.tokens', { n: formatCompact(tokens) }));
}

/** "1.2K", or "14K" where each letter counts @param {number} n */
const formatCompact = (n) =>
  n.toLocaleString(language, {
    notation: 'compact',
    ...(tight.matches ? { maximumSignificantDigits: 2 } : { maximumFractionDigits: 1 }),
  });
