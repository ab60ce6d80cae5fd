// @ts-check
/** Procedures are made of a recorded task, or of what was done by hand. */
import { call } from '../core/connection.js';
import { setShortNote } from '../core/emergency_stop.js';
import { loadTaskTexts, t } from '../core/i18n.js';
import { attempt, loadNames, PATH } from './procedures.js';

const MAX_NAME_CHARS = 60;
/** As the service accepts it for a value; it reads the screens, which takes long, before it says so. */
const VALUE_NAME = /^(secret:)?[\p{L}\p{N}_]+$/u;

/**
 * Ask for the name of a procedure and those of the values that may differ, then make it.
 * @param {string} title key @param {string} help @param {string} name
 * @param {{ text: string, name?: string }[]} values
 * @param {(name: string, names: string[], signal: AbortSignal) => Promise<unknown>} make `names`: of the values, "" for one that stays the same
 * @param {string} [discard] key of a question before it is cancelled
 */
async function askNames(title, help, name, values, make, discard) {
  const asked = values.map(({ text, name }, index) => {
    const label = t(name ? 'procedures.secret' : 'procedures.parameter', { text });
    return [`value${index}`, { label, value: name, placeholder: t('procedures.such_as'), optional: true }];
  });
  const form = {
    title: t(title),
    help,
    fields: { name: { label: t('procedures.name'), value: name }, ...Object.fromEntries(asked) },
    submit: 'result.save',
    working: 'procedures.reading',
    discard,
  };
  const { openForm } = await import('./form_dialog.js');
  return openForm(form, async (given, signal) => {
    if (!given) return;
    await make(given.name, values.map((_, index) => checkName(given[`value${index}`])), signal);
    setShortNote('procedures.saved');
  });
}

/** A name of a value, as it is stored. Throws if it is not valid. @param {string} given */
function checkName(given) {
  const name = given.replace(/\s+/g, '_');
  if (name && !VALUE_NAME.test(name)) throw new Error(t('procedures.bad_name'));
  return name;
}

/** The name, with a number if there is a procedure of that name. @param {string} name */
async function freeName(name) {
  const taken = await loadNames();
  let free = name;
  for (let n = 2; taken.includes(free); n += 1) free = `${name.slice(0, MAX_NAME_CHARS - 3)} ${n}`;
  return free;
}

/** Id of the newest recorded task. */
const newestTask = async () => (await call('/api/tasks'))[0]?.id ?? '';

/** Add what the model did in the newest task to the procedure that ran. @param {() => void} added */
export const extendProcedure = (added) =>
  attempt(async () => {
    await call(`${PATH}/extend`, { task: await newestTask() });
    added();
  });

/** Make one of a recorded task. @param {() => string | Promise<string>} findId @param {(name: string) => void} made */
export const makeProcedure = (findId, made) =>
  attempt(async () => {
    const task = await findId();
    const { goal, values, by_hand } = await call(`${PATH}/suggest`, { task });
    const name = goal.split('\n')[0].replace(/\s+/g, ' ').replace(/[^\p{L}\p{N}_ .-]/gu, '').trim().slice(0, MAX_NAME_CHARS);
    const plain = t(values.length ? 'procedures.make_help' : 'procedures.make_plain');
    const help = by_hand ? t('procedures.without_manual', { help: plain }) : plain;
    const texts = /** @type {string[]} */ (values).map((text) => ({ text }));
    await askNames('procedures.make', help, await freeName(name), texts, async (given, names, signal) => {
      const named = names.map((each, index) => [each, values[index]]).filter(([each]) => each);
      const byName = Object.fromEntries(named);
      if (Object.keys(byName).length < named.length) throw new Error(t('procedures.same_name'));
      await call(`${PATH}/make`, { name: given, task, values: byName }, signal);
      made(given);
    });
  });

/** End the recording of what was done by hand, and make one of it. @param {boolean} goesOn whether the task does so after it */
export const saveRecording = async (goesOn) => {
  await loadTaskTexts();
  const typed = await call(`${PATH}/record/end`, {});
  const plain = t('procedures.by_hand_help');
  const texts = typed.length ? t('procedures.by_hand_texts', { help: plain }) : plain;
  const help = goesOn ? t('procedures.by_hand_goes_on', { help: texts }) : texts;
  let saved = false;
  const save = async (/** @type {string} */ name, /** @type {string[]} */ names, /** @type {AbortSignal} */ signal) => {
    await call(`${PATH}/record/save`, { name, names }, signal);
    saved = true;
  };
  const form = await askNames('procedures.by_hand', help, '', typed, save, 'procedures.discard_recording');
  form.addEventListener('close', () => saved || call(`${PATH}/record/discard`, {}).catch(() => {}));
  return form;
};
