// @ts-check
/**
 * What the service says, in another language. It says English, whole sentences with names and numbers
 * in them; the table has each of them with {name} in their place. Several may stand in a row, or in
 * a list. What is not known, such as a server's own words, stays as it is. The same as cua/web/translation.py.
 */

/** After one of ours there may come words of somebody else. */
const SENTENCE = /(?<=[.?!:…”]) /g;
/** @type {Record<string, string>} */
const JOINTS = { '. ': '。', ': ': '：', '; ': '；', ', ': '、', ' and ': '、' };
const MARKS = Object.fromEntries(Object.keys(JOINTS).map((mark) => [mark, RegExp(mark.replace('.', '\\.'), 'g')]));
/** Longer texts come from outside. */
const LONGEST = 4000;
const FEW = 9;
/**
 * Places and parts of a text that are looked at. What the service says has far fewer; a hostile text may have so many
 * ways to be taken apart that nobody would see the end of it.
 */
const MOST = 200;

/** English, with a value of these names between each two pieces. @typedef {{ pieces: string[], names: string[], text: string, inner: boolean }} Pattern */
/** @typedef {(said: string, part?: boolean) => string} Heard `part`: of a sentence, as actions are */

/** @param {string} text @param {Record<string, unknown>} values */
export function put(text, values) {
  return text.replace(/\{(\w+)\}/g, (whole, name) => (name in values ? String(values[name]) : whole));
}

/** @param {Record<string, string>} known English -> the reader's language @returns {Heard} */
export function hearer(known) {
  const patterns = Object.entries(known)
    .filter(([key]) => /\{\w+\}/.test(key))
    .sort(([a], [b]) => letters(b) - letters(a))
    .map(pattern);
  let left = MOST;

  /** @param {string} said @param {boolean} part @returns {string | undefined} */
  function whole(said, part) {
    if (Object.hasOwn(known, said)) return known[said];
    for (const pattern of patterns) {
      const found = part || !pattern.inner ? values(pattern, said) : undefined;
      if (found) return put(pattern.text, Object.fromEntries(found.map(([name, is]) => [name, say(is, true)])));
    }
    return undefined;
  }

  /** @param {string} said @param {boolean} part @returns {string} */
  function say(said, part) {
    if (left <= 0 || !/[a-z]/i.test(said)) return said;
    left -= 1;
    if (part && said.includes('\n')) return lines(said, part);
    return (part && listed(said, ': ')) || (whole(said, part) ?? joined(said, part));
  }

  /** @param {string} said @param {boolean} part */
  const lines = (said, part) => said.split('\n').map((line) => say(line, part)).join('\n');

  /** @param {string} said @param {boolean} part @returns {string} */
  function joined(said, part) {
    if (said.includes('\n')) return lines(said, part);
    for (const index of gaps(SENTENCE, said)) {
      const head = said.slice(0, index);
      const first = head.endsWith(':') ? known[head] : whole(head, part);
      if (first !== undefined) return first + say(said.slice(index + 1), true);
    }
    for (const mark of part ? Object.keys(JOINTS) : []) {
      const found = listed(said, mark);
      if (found) return found;
    }
    return ended(said, part);
  }

  /** Names and parts of sentences, all of which have to be known. @param {string} said @param {string} mark */
  function listed(said, mark) {
    for (const at of gaps(MARKS[mark], said)) {
      const head = said.slice(0, at);
      const first = head.search(SENTENCE) < 0 ? whole(head, true) : undefined;
      const rest = said.slice(at + mark.length);
      const then = first === undefined ? rest : say(rest, true);
      if (then !== rest) return first + JOINTS[mark] + then;
    }
    return '';
  }

  /** Words of somebody else, and a sentence after them. @param {string} said @param {boolean} part */
  function ended(said, part) {
    for (const index of gaps(SENTENCE, said)) {
      const last = whole(said.slice(index + 1), part);
      if (last !== undefined) return `${said.slice(0, index)} ${last}`;
    }
    return said;
  }

  /** @param {RegExp} mark @param {string} said */
  function* gaps(mark, said) {
    for (const { index } of said.matchAll(mark)) {
      if (left <= 0) return;
      left -= 1;
      yield index;
    }
  }

  return (said, part = false) => {
    left = MOST;
    return said.length > LONGEST ? said : say(said, part);
  };
}

/** Each as short as can be, in one pass; nothing if the sentence is another one. @param {Pattern} pattern @param {string} said */
function values({ pieces, names }, said) {
  const last = pieces[pieces.length - 1];
  const end = said.length - last.length;
  if (!said.startsWith(pieces[0]) || !said.endsWith(last)) return undefined;
  let at = pieces[0].length;
  /** @type {Array<[string, string]>} */
  const found = [];
  for (const [place, name] of names.entries()) {
    const piece = pieces[place + 1];
    const to = place === names.length - 1 ? end : said.indexOf(piece, at + 1);
    if (to <= at || to + piece.length > (place === names.length - 1 ? said.length : end)) return undefined;
    found.push([name, said.slice(at, to)]);
    at = to + piece.length;
  }
  return found;
}

/** Of a sentence; or with so few words that somebody else may well have said them. @param {string} key */
function isPart(key) {
  return !key.startsWith('[') && (letters(key) < FEW || /^[a-z"]/.test(key));
}

/** The more of them, the more surely it is the one that is meant. @param {string} key */
const letters = (key) => key.replace(/\{\w+\}|[^a-z]/gi, '').length;

/** @param {[string, string]} entry @returns {Pattern} */
function pattern([key, text]) {
  const parts = key.split(/\{(\w+)\}/);
  const of = (/** @type {number} */ rest) => parts.filter((_, place) => place % 2 === rest);
  return { pieces: of(0), names: of(1), text, inner: isPart(key) };
}
