// @ts-check
/**
 * What the page knows, in one object: `LogState` is a fold of the service's events, which only `apply` changes.
 * A chat entry that changes counts its `rev` up, so that a panel redraws that one alone.
 */

import { english } from './i18n.js';

/** @typedef {import('./i18n.js').Translatable} Translatable */
/** @typedef {{ x: number, y: number }} Point */
/**
 * @typedef {{ kind: string, words: Translatable, brief?: Translatable, at?: Point | null, path?: Point[], button?: string,
 *   count?: number, keys?: string[], dx?: number, dy?: number, text?: string, seconds?: number,
 *   area?: { left: number, top: number, right: number, bottom: number } }} Action `brief`: words without a position
 */
/** @typedef {{ url: string, width: number, height: number, waited: number, why: Translatable }} Picture */
/** Number of a procedure's step, and of how many. @typedef {{ number: number, count: number }} Place */
/**
 * @typedef {{ text: string, reasoning: string, thought: Translatable, actions: Action[], seconds: number,
 *   tokens_in: number, tokens_out: number, cost?: number, scripted?: boolean, awaits?: boolean }} Reply `scripted`: of a procedure; `awaits`: it only waits until it looks again; `thought` says for what
 */
/**
 * @typedef {{ type: 'step', rev: number, at: number, number: number, open: boolean, phase: string, since: number, until: number,
 *   silent: [number, number] | null, acting: number, draft: string, progress: Translatable, typed: number, typedPart?: Translatable, effect?: { words: Translatable, none: boolean }, frame?: Picture,
 *   reply?: Reply, ended?: { ok: boolean, outcome_kind?: string, outcome: Translatable, seconds: number }, thoughtShown?: boolean,
 *   failed?: boolean, folded?: boolean, inProcedure?: boolean, place?: Place | null, title?: string, wait?: Step | null, waited?: number }} Step `thoughtShown`: the entry after it contains its thought; `failed`: the run ended with it;
 *   `wait`: the wait of a procedure before it, in whose place it is shown if it waits on; `waited`: seconds of those; `title`: key of the title of the card after it, if it is another than its action's; `folded`: it is not shown;
 *   `silent`: since when the model server has sent nothing, and until when it is waited for
 */
/**
 * @typedef {{ type: 'task' | 'said' | 'question' | 'done' | 'failed' | 'note', rev: number, at: number,
 *   text: Translatable, key?: string, queued?: boolean, more?: Translatable, anew?: boolean, setting?: string, result?: Result,
 *   plan?: Plan | null, procedure?: string | boolean, files?: import('../chat/message_files.js').MessageFile[], step?: Step | null } & Partial<Waiting & Pick<Step, 'folded'>>} ChatEntry
 *   `anew`: the answer begins a task; `setting`: fixes it; `procedure`: its name, or true; `step`: the last before
 */
/** @typedef {Pick<Step, 'rev' | 'open' | 'phase' | 'since' | 'until' | 'silent' | 'draft' | 'progress'>} Waiting */
/** `replaces`: the line of the task, or the words said before, that were not understood. @typedef {{ text: string, replaces?: string }} Said */
/** What is in the chat, in order. @typedef {Step | ChatEntry} Entry */
/** `begun`: the event that began it, by which its record is found; `corrected`: `goal` ends with what was said after it. @typedef {{ begun: string, goal: string, corrected: boolean, procedure: boolean, procedureName: string, values: Record<string, string>, steps: number, seconds: number, spent: number, refused: boolean, handedOver?: boolean, made?: string, extended?: boolean }} Result `refused`: the person refused a part of it; `made`: the procedure that this page made of it; `extended`: its steps were added to its procedure */
/**
 * @typedef {{ id: number, digest: string, words: Translatable, rule: string, why: Translatable, seconds: number, at: number,
 *   url?: string, width: number, height: number, step?: number, brief?: Translatable, after?: Translatable,
 *   action?: Omit<Action, 'words'> }} Approval `url`: of the screen when it asked; `after`: where the keys go
 */
/** `procedure`: its name, or "". @typedef {{ id: number, text: string, procedure?: string }} Queued */
/** @typedef {{ items: string[], approved: boolean, current: number, proposal?: number, edited?: { items: string[], seq: number }, saved?: string[], arrived?: string[], awaited?: number, over?: boolean, status?: Status | 'partly', card?: HTMLElement }} Plan `current`: the item at work, from 1; 0: none yet; `proposal`: number of the event that proposed it; `edited`: its items as the service has them since event `seq`; `saved`: as this page sent them or took them over last; `arrived`: those of these that the service has; `awaited`: the event that answers what was sent; `over`: it can no longer be edited; `status`: of its task */
/** @typedef {'idle' | 'running' | 'paused' | 'stopped' | 'asking' | 'done' | 'failed'} Status */

/** What the log of the service says: all of it begins anew when the service has been started again. */
class LogState {
  boot = '';
  /** Time of the last event: Unix seconds of the server. */
  at = 0;
  /** How many pages are in control. */
  pages = 1;
  /** The page that has manual control, or "". */
  controller = '';
  goal = '';
  /** The event that began the task. */
  begun = '';
  /** The person's words for it, if they are others. */
  said = '';
  /** What was said since, also as an answer. @type {Said[]} */
  corrections = [];
  /** Whether the task is a procedure, until a model takes over. */
  procedure = false;
  /** Which of its steps the next screenshot is for; older records do not say. @type {Place | null} */
  place = null;
  /** Name of the procedure that was run, or "". */
  procedureName = '';
  /** Those of its parameters. @type {Record<string, string>} */
  values = {};
  /** Whether it was not understood, and another is asked for in its place. */
  asksAnew = false;
  /** Whether a procedure asks, which has its own answers. */
  asksOfStep = false;
  /** Whether it leaves out what the person declined. */
  refused = false;
  /** Tokens used by the task so far. */
  tokens = 0;
  /** Characters typed so far of the last text. */
  typed = 0;
  /** Their cost in the currency of the prices; 0 without prices. */
  spent = 0;
  /** Whether the simulated computer stands in the place of the person's own, who can have that back. */
  canSwitchBack = false;
  /** Of the settings. @type {Translatable} */
  model = '';
  /** The one of the current or last run: other settings are used from the next one. @type {Translatable} */
  runModel = '';
  /** Whether pictures have come since the session was started. */
  wasLive = false;
  /** @type {Status} */
  status = 'idle';
  /** @type {Translatable} */
  reason = '';
  /** Number of stops. */
  stops = 0;
  /** The status when it was stopped. @type {Status} */
  stoppedStatus = 'idle';
  /** Why the computer takes no input, "" when it does. @type {Translatable} */
  reach = '';
  /** @type {{ state: string, sentence: Translatable, width: number, height: number }} */
  screen = { state: 'connecting', sentence: '', width: 1280, height: 720 };
  /** @type {Entry[]} */
  entries = [];
  /** The current or last step. @type {Step | null} */
  step = null;
  /** Replies of the model that its budget allows, and those that came: a cancelled step takes none. */
  rounds = 0;
  replies = 0;
  /** Seconds that the task ran before `since`, without those that the person took to answer. */
  ran = 0;
  since = 0;
  /** The action that waits for approval. @type {Approval | null} */
  approval = null;
  /** Tasks that follow the current one. @type {Queued[]} */
  queue = [];
  /** Why none of them begins by itself, or "". @type {Translatable} */
  held = '';
  /** The plan of the task. @type {Plan | null} */
  plan = null;
  /** What a step has while it waits for the model, for the plan that is written. @type {Waiting | null} */
  planning = null;
  /** The unfinished task that a restart of the service has ended, until the next one. */
  cutOff = '';
  /** The tasks of the queue that it has dropped, likewise. @type {Queued[]} */
  droppedQueue = [];
  /** How many entries were let go at the beginning of `entries`. */
  dropped = 0;
  /** @type {import('./connection.js').AgentEvent[]} */
  log = [];
  /** How many events were let go at the beginning of `log`. */
  cut = 0;
  /** How often settings were saved, on any page. */
  settingsSaved = 0;
}

/** That, and what the page knows from elsewhere: its connection, the settings, manual control. */
export class State extends LogState {
  /** @type {'connecting' | 'open' | 'lost'} */
  link = 'connecting';
  /** Number of connections so far. */
  connected = 0;
  /** As saved; null until they have come, and for a page that only watches. @type {import('../settings/settings.js').Found | null} */
  settings = null;
  mayTakeOver = false;
  /** Whether the person at this page has manual control of the computer. */
  inManualControl = false;
  /** View only: another page has the session. */
  watching = false;
  demo = false;
  /** Whether a model works, and not the Local operator. */
  hasModel = false;
  /** Whether no model server is set, or it failed its test; not known until the settings have come. @type {'' | 'missing' | 'failed' | undefined} */
  unconnected;
  /** The KVM failed its test. */
  kvmFailed = false;
  /** How many entries it keeps at most: a task of any length must not fill the memory of a phone. */
  keep = 800;
}

/** Events that the log keeps at most. */
const MAX_EVENTS = 4000;
/** Each computer of a fleet has its own. */
const FAILED_KEY = `cua-failed${location.pathname}`;

/** Begin with the log of another start of the service; what the page knows from elsewhere stays. @param {State} state @param {string} boot */
export function restartLog(state, boot) {
  const isCutOff = hasTask(state) && !state.asksAnew && !['done', 'failed'].includes(taskStatus(state));
  const cutOff = isCutOff ? state.said || state.goal : state.cutOff;
  const droppedQueue = state.queue.length ? state.queue : state.droppedQueue;
  Object.assign(state, new LogState(), { boot, cutOff, droppedQueue });
}

/** An event without a number is transient and not in the log. @param {State} state @param {import('./connection.js').AgentEvent} event */
export function apply(state, event) {
  state.at = event.at;
  if (event.seq) state.log.push(event);
  if (state.log.length > MAX_EVENTS * 1.25) state.cut += state.log.splice(0, state.log.length - MAX_EVENTS).length;
  if (Object.hasOwn(FOLDS, event.kind)) FOLDS[event.kind](state, event.data, event.at);
  if (state.entries.length > state.keep) state.dropped += state.entries.splice(0, state.keep / 8).length;
}

/** Whether the model server is still to be set. @param {import('../settings/settings.js').Found} found */
export const needsModel = ({ values, secrets }) =>
  values.api_type !== 'local' && !values.base_url && !secrets?.api_key;

/** Connections that failed their test, kept for this tab. */
export const failedTests = {
  read: () => (sessionStorage.getItem(FAILED_KEY) ?? '').split(',').filter(Boolean),
  /** @param {string} name @param {boolean} works */
  note(name, works) {
    const others = this.read().filter((each) => each !== name);
    sessionStorage.setItem(FAILED_KEY, (works ? others : [...others, name]).join());
  },
  clear: () => sessionStorage.removeItem(FAILED_KEY),
};

/** Whether this page controls the session, alone or with others; one that only watches does not. @param {State} state */
export const isInControl = ({ link, watching }) => link === 'open' && !watching;

/** Whether the KVM is still to be set: it failed its test, or could not be reached so far. @param {State} state */
export const needsKvm = ({ demo, kvmFailed, screen, wasLive }) =>
  !demo && screen.state !== 'live' && (kvmFailed || (screen.state === 'lost' && !wasLive));

/** What is said of it. @param {State} state */
export const kvmTitle = ({ kvmFailed }) => (kvmFailed ? 'connect.kvm_failed' : 'connect.kvm');

/** @param {Step} step */
const onlyWaits = ({ reply }) => reply?.actions.length && reply.actions.every(({ kind }) => kind === 'wait');

/** What a step does then; older records have no `phase`. @param {{ seconds: number, phase?: string }} retry */
export const retryPhase = ({ seconds, phase = 'waiting' }) => (seconds ? phase : 'thinking');

/** Whether it waits before the model server is asked again. @param {{ phase?: string }} entry */
export const isWaiting = ({ phase = '' }) => ['waiting', 'failing', 'empty', 'reconnecting'].includes(phase);

/** @param {Step} step */
export const isCancelled = ({ open, ended, failed }) => !open && !ended && !failed;

/** Number of the last step that is shown: one that was cancelled before its screenshot is not. @param {State} state */
export const stepNumber = ({ step }) => (step ? step.number - Number(step.folded && isCancelled(step)) : 0);

/** Whether there is a task. @param {State} state */
export const hasTask = ({ entries, dropped }) => dropped > 0 || entries.some(({ type }) => type !== 'note');

/** A stop that left no task unfinished: there is nothing to resume. @param {State} state */
export const isLocked = (state) => state.status === 'stopped' && (state.stoppedStatus === 'done' || !hasTask(state));

/** Likewise, also after a failure, which can be retried. @param {State} state */
export const isIdleStop = (state) => isLocked(state) || (state.status === 'stopped' && state.stoppedStatus === 'failed');

/** A procedure is told nothing while it runs: a task can only follow it. @param {State} state */
export const takesNoHints = ({ procedure, status }) => procedure && status === 'running';

/** Whether words begin a new task: this procedure takes none, or this task was not understood. @param {State} state */
export const replacesTask = (state) =>
  !isLocked(state) && ((state.procedure && ['paused', 'stopped', 'failed'].includes(state.status)) || (state.asksAnew && ['asking', 'stopped'].includes(state.status)));

/** Whether the question can be skipped; a plan has to be approved. @param {Partial<State>} state */
export const canGoUnanswered = ({ status, asksAnew, plan }) => status === 'asking' && !asksAnew && plan?.approved !== false;

/** Of the task: a stop that came after its end, or without one, does not change it. @param {State} state */
export const taskStatus = ({ status, stoppedStatus }) => (status === 'stopped' && ['idle', 'done', 'failed'].includes(stoppedStatus) ? stoppedStatus : status);

/** What is shown for a status, other for a task of which the person refused a part. @template {string} T @param {T} status @param {boolean} [refused] */
export const outcomeOf = (status, refused) => (status === 'done' && refused ? 'partly' : status);

/** @param {State} state */
export const shownStatus = (state) => outcomeOf(taskStatus(state), state.refused);

/** In the currency of the prices. @param {number} cost */
export const formatMoney = (cost) => cost.toFixed(cost < 0.1 ? 4 : 2);

/** @type {Record<string, (state: State, data: any, at: number) => void>} */
const FOLDS = {
  session_started(state, data) {
    const { demo, model, screen, status, reach } = data;
    Object.assign(state, { demo, model, screen, status, reach, canSwitchBack: data.can_switch_back === true, wasLive: false });
  },
  settings(state) {
    state.settingsSaved += 1;
  },
  screen(state, data) {
    state.screen = data;
    state.wasLive ||= data.state === 'live';
  },
  connection(state, data) {
    if (data.left === state.controller) state.controller = '';
    state.pages = data.pages ?? state.pages;
  },
  control(state, data) {
    state.controller = data.page;
  },
  reach(state, data) {
    state.reach = data.sentence;
  },
  status(state, data, at) {
    const before = state.status;
    Object.assign(state, { status: data.status, reason: data.reason });
    if (data.status !== 'running') state.approval = null;
    if (data.status === 'stopped' && before !== 'stopped') state.stoppedStatus = before;
    updatePlan(state, { status: shownStatus(state) });
    if (data.max_rounds) state.rounds = state.replies + data.max_rounds; // what is left
    if (data.status === 'running') onResumed(state, before, at);
    else if (before === 'running') onStopped(state, at);
    if (data.status === 'asking' && before === 'stopped') noteResumed(state, at);
    if (data.status === 'paused') addEntry(state, 'note', data.reason, at, 'note.paused');
    if (data.status !== 'stopped') return;
    state.stops += 1;
    if (!isIdleStop(state)) addEntry(state, 'note', data.reason, at, 'note.stopped');
  },
  plan(state, { items, approved, tokens = 0, cost = 0 }) {
    if (!approved) Object.assign(state, { tokens, spent: cost }); // of all that was planned so far
    if (approved && state.plan) return updatePlan(state, { items, approved });
    updatePlan(state, { over: true });
    state.plan = { items, approved, current: 0, proposal: state.log.at(-1)?.seq };
  },
  plan_edited({ plan, log }, { items, proposal }) {
    if (plan && plan.proposal === proposal) plan.edited = { items, seq: log.at(-1)?.seq ?? 0 };
  },
  plan_item(state, { item }) {
    updatePlan(state, { current: item });
  },
  queue(state, { tasks, held }) {
    Object.assign(state, { queue: tasks, held });
  },
  task(state, data, at) {
    if (['asking', 'paused'].includes(state.status) && !state.asksAnew) addEntry(state, 'note', '', at, 'note.unfinished'); // it cannot be continued
    updatePlan(state, { over: true });
    Object.assign(state, { begun: `${state.boot}:${state.log.at(-1)?.seq}`, goal: data.text, said: data.said ?? '', corrections: [], cutOff: '', droppedQueue: [], procedure: Boolean(data.procedure), procedureName: typeof data.procedure === 'string' ? data.procedure : '', values: data.values ?? {}, place: data.place ?? null, asksAnew: false, refused: false, plan: null, step: null, rounds: data.max_rounds, replies: 0, tokens: 0, spent: 0, ran: 0, since: at });
    addEntry(state, 'task', data.said ?? data.text, at).procedure = data.procedure;
  },
  said(state, data, at) {
    if (!data.reason) addEntry(state, 'said', data.text, at).queued = data.queued; // else it stands in the refused step
    state.corrections.push(data);
  },
  file(state, data) {
    const entry = state.entries.findLast(({ type }) => type === 'task' || type === 'said');
    if (!entry || entry.type === 'step') return;
    (entry.files ??= []).push(data);
    entry.rev += 1;
  },
  phase(state, data, at) {
    const waited = state.step?.open && state.step.phase === 'settling';
    const begins = data.phase === 'settling' || (data.phase === 'looking' && !waited);
    const step = begins ? newStep(state, data.step, at) : stepOf(state, data.step, at);
    const phase = state.procedure && data.phase === 'thinking' ? 'matching' : data.phase;
    Object.assign(step, { phase, since: at, progress: '' });
  },
  frame(state, data, at) {
    stepOf(state, data.step, at).frame = data;
    markDelivered(state);
  },
  reply(state, data, at) {
    state.replies += data.scripted ? 0 : 1;
    count(state, data.tokens_in + data.tokens_out, data.cost);
    const step = Object.assign(stepOf(state, data.step, at), { reply: data, draft: '', silent: null, progress: '', folded: false });
    if (step.wait && data.awaits) {
      updateStep(step.wait, { folded: true });
      step.waited = (step.wait.waited ?? 0) + (step.wait.ended?.seconds ?? 0);
    }
    step.wait = null;
    state.procedure &&= data.scripted;
    if (data.thought.values?.next) state.place = { number: data.thought.values.next, count: data.thought.values.count };
  },
  acting(state, data, at) {
    const step = Object.assign(stepOf(state, data.step, at), { acting: data.index, typed: 0 });
    nameAction(step, data);
  },
  retry(state, data, at) {
    updateOpen(state, { phase: retryPhase(data), draft: '', silent: null, since: at, until: at + data.seconds });
  },
  draft(state, data) {
    updateOpen(state, { draft: data.text, silent: null });
  },
  progress(state, { text }) {
    if (!state.step?.reply) updateOpen(state, { progress: text });
  },
  silence(state, { seconds, left }, at) {
    if (!state.step?.reply) updateOpen(state, { silent: [at - seconds, at + left] });
  },
  by_hand(state) {
    state.typed = 0;
  },
  typed(state, data) {
    state.typed = data.count;
    if (state.step?.open) updateStep(state.step, { typed: data.count, typedPart: data.text });
  },
  effect(state, data) {
    const step = state.entries.findLast((entry) => entry.type === 'step' && entry.number === data.step);
    if (step?.type === 'step' && !onlyWaits(step)) updateStep(step, { effect: data });
  },
  step(state, data, at) {
    Object.assign(stepOf(state, data.step, at), { open: false, ended: data });
  },
  approval(state, data, at) {
    state.approval = { ...data, at };
    if (state.status === 'running') stopClock(state, at); // else an MCP client asks
    if (!state.step?.open) return;
    updateStep(state.step, { phase: 'approval', acting: state.step.acting + 1, typed: 0, since: at });
    nameAction(state.step, data);
  },
  answered(state, data, at) {
    state.approval = null;
    if (state.status === 'running') state.since = at;
    state.refused = data.answer === 'refused';
    if (state.step?.open) updateStep(state.step, { phase: 'acting', since: at });
    if (data.answer === 'allowed') addEntry(state, 'note', '', at, 'note.allowed');
  },
  question(state, data, at) {
    const [text, more] = splitCommands(data.text);
    // Only words that were not understood come with all commands: nothing is asked then.
    if (state.step) updateStep(state.step, { title: typeof more === 'object' && more.key === 'local.commands' ? 'chat.not_understood' : '' });
    state.asksAnew = data.anew === true;
    state.asksOfStep = isOfProcedure(more);
    Object.assign(addEntry(state, 'question', text, at), { more, anew: state.asksAnew, setting: data.setting, plan: state.plan?.approved ? null : state.plan });
  },
  done(state, data, at) {
    if (state.status === 'running') FOLDS.status(state, { status: 'done', reason: '' }, at); // it follows
    const thought = data.text ? '' : (state.step?.reply?.thought ?? '');
    state.refused = data.refused === true;
    if (state.step) updateStep(state.step, { thoughtShown: Boolean(thought), title: state.refused ? 'state.partly' : '' });
    const result = { ...resultOf(state, at), handedOver: data.handed_over };
    addEntry(state, 'done', data.text || thought, at, 'note.done').result = result;
  },
  procedures({ entries }, { replaced, name }) {
    for (const entry of entries)
      if (replaced && entry.type !== 'step' && entry.result) renameProcedure(entry, entry.result, replaced, name);
  },
  log(state, data, at) {
    const entry = data.aloud && addEntry(state, 'note', data.text, at);
    if (!entry || data.text.key !== 'plan.writing') return;
    state.planning = Object.assign(entry, { ...WAITING, phase: 'thinking', since: at });
    markDelivered(state); // its request has them
  },
  failed(state, data, at) {
    count(state, data.tokens, data.cost);
    const { step } = state;
    if (step) updateStep(step, { failed: step.failed || step.open, thoughtShown: english(data.text).endsWith(english(step.reply?.thought ?? '')) });
    if (state.status === 'running') FOLDS.status(state, { status: 'failed', reason: data.text }, at); // it follows
    Object.assign(addEntry(state, 'failed', data.text, at), { setting: data.setting, result: resultOf(state, at) });
  },
  reset(state) {
    Object.assign(state, { log: state.log.slice(-1), cut: 0, entries: [], said: '', dropped: 0, step: null, rounds: 0, ran: 0, status: 'idle', approval: null, reason: '', queue: [], held: '', plan: null });
  },
};

/** The text of a task to be run again, with a line for each correction, in place of words that were refused or not understood if it answers these. @param {string} goal @param {Said[]} corrections */
export function joinCorrections(goal, corrections) {
  const lines = goal.split('\n');
  const said = corrections.filter(({ text }) => text); // files may have come without words
  for (const { text, replaces } of said) {
    const whole = lines.indexOf(replaces || '\n');
    const at = whole < 0 && replaces ? lines.findIndex((line) => line.includes(replaces)) : whole;
    if (at < 0) lines.push(text);
    else lines[at] = lines[at].replace(replaces ?? '', () => text);
  }
  return { goal: lines.join('\n'), corrected: said.length > 0 };
}

/** @param {State} state @param {number} at @returns {Result} */
const resultOf = ({ begun, goal, corrections, procedure, procedureName, values, step, status, ran, since, spent, refused }, at) => ({
  begun,
  ...joinCorrections(goal, corrections),
  procedure,
  procedureName,
  values,
  steps: step?.number ?? 0,
  seconds: ran + (status === 'running' ? at - since : 0),
  spent,
  refused,
});

/** Its buttons run what has another name now; `name`: "" of one that was deleted. @param {ChatEntry} entry @param {Result} result @param {string} replaced @param {string} name */
function renameProcedure(entry, result, replaced, name) {
  const { made, procedureName } = result;
  if (made === replaced) result.made = name;
  if (procedureName === replaced && name) result.procedureName = name;
  if (made !== result.made || procedureName !== result.procedureName) entry.rev += 1;
}

/** Whether what a procedure is to do begins with its name, as without a goal. @param {string} text @param {string} procedure */
export const saysName = (text, procedure) => `${text} (`.startsWith(`${procedure} (`);

/** Whether a question is of a procedure, by the way to answer it. @param {Translatable} [how] */
export const isOfProcedure = (how) => typeof how === 'object' && how.key.startsWith('procedure.ask');

/** Separate a question from the Local operator's list of commands, or a procedure's way to answer. @param {Translatable} said @returns {Translatable[]} */
export function splitCommands(said) {
  const texts = typeof said === 'object' && said.key === 'sentences' ? /** @type {Translatable[]} */ (said.values.texts) : [];
  const last = texts.at(-1);
  if (typeof last !== 'object' || !/^(local\.commands|procedure\.ask)/.test(last.key)) return [said];
  return [{ .../** @type {import('./i18n.js').Message} */ (said), values: { texts: texts.slice(0, -1) } }, last];
}

/**
 * `key` names the page's own text, for where the server gives none.
 * @param {State} state @param {ChatEntry['type']} type @param {Translatable} text @param {number} at @param {string} [key]
 */
function addEntry(state, type, text, at, key) {
  const entry = /** @type {ChatEntry} */ ({ type, rev: 0, at, text, key, step: state.step });
  state.entries.push(entry);
  return entry;
}

/** @type {Pick<Step, 'open' | 'until' | 'silent' | 'draft' | 'progress'>} */
const WAITING = { open: true, until: 0, silent: null, draft: '', progress: '' };

/** @param {State} state @param {number} number @param {number} at */
function newStep(state, number, at) {
  if (state.step) closeStep(state.step);
  const wait = state.step?.reply?.awaits ? state.step : null;
  state.step = {
    wait,
    folded: wait !== null,
    inProcedure: state.procedure, // its words begin with another number
    place: state.procedure ? state.place : null,
    ...WAITING,
    ...{ type: 'step', rev: 0, at, number, phase: 'looking', since: at, acting: -1, typed: 0 },
  };
  state.entries.push(state.step);
  return state.step;
}

/** The step of an event, begun if needed. @param {State} state @param {number} number @param {number} at */
function stepOf(state, number, at) {
  const step = state.step?.number === number ? state.step : newStep(state, number, at);
  step.rev += 1;
  return step;
}

/** @param {State} state @param {Status} before @param {number} at */
function onResumed(state, before, at) {
  if (before === 'running') return;
  state.since = at;
  state.runModel = state.model;
  const last = state.entries.at(-1);
  const wasSaid = last && (['said', 'task'].includes(last.type) || ('plan' in last && last.plan));
  if (last && !wasSaid && last.key !== 'note.resumed') noteResumed(state, at);
}

/** @param {State} state @param {number} at */
const noteResumed = (state, at) => addEntry(state, 'note', '', at, 'note.resumed');

/** @param {State} state @param {number} [tokens] @param {number} [cost] */
function count(state, tokens = 0, cost = 0) {
  state.tokens += tokens;
  state.spent = Number((state.spent + cost).toFixed(6)); // as the record's sum is rounded
}

/** @param {State} state @param {number} at */
const stopClock = (state, at) => Object.assign(state, { ran: state.ran + at - state.since, since: at });

/** @param {State} state @param {number} at */
function onStopped(state, at) {
  stopClock(state, at);
  if (state.step) closeStep(state.step);
  if (state.planning?.open) updateStep(state.planning, { open: false, folded: true }); // its words are out of date
}

/** With the label of its target, which is read just before. @param {Step} step @param {{ brief?: Translatable }} data */
function nameAction({ reply, acting }, { brief }) {
  const action = reply?.actions[acting];
  if (action && brief) action.brief = brief;
}

/** @param {Step | ChatEntry | Waiting} step @param {Partial<Step & ChatEntry>} changes */
function updateStep(step, changes) {
  Object.assign(step, changes);
  step.rev += 1;
}

/** Of the step or plan that is at work. @param {State} state @param {Partial<Step>} changes */
function updateOpen({ planning, step }, changes) {
  const open = [planning, step].find((each) => each?.open);
  if (open) updateStep(open, changes);
}

/** Of a step that was cancelled before its screenshot there is nothing to show. @param {Step} step */
function closeStep(step) {
  if (step.open) updateStep(step, { open: false, folded: !step.frame && !step.failed });
}

/** @param {State} state @param {Partial<Plan>} changes */
function updatePlan(state, changes) {
  const { plan } = state;
  const card = plan && state.entries.findLast((entry) => entry.type === 'question' && entry.plan === plan);
  if (plan) Object.assign(plan, changes);
  if (card) card.rev += 1;
}

/** What was said goes to the model now. @param {State} state */
function markDelivered({ entries }) {
  for (const entry of entries) if (entry.type === 'said' && entry.queued) updateStep(entry, { queued: false });
}
