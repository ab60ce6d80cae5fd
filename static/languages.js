// @ts-check
/** The switch between the page's languages; nothing is loaded anew but the texts. */
import { byId } from './dom.js';
import { language, LANGUAGES, speak } from './words.js';

const button = () => byId('language', HTMLButtonElement);

export function mount() {
  button().addEventListener('click', () => speak(next()));
  document.addEventListener('language', label);
  label();
}

/** The one after this. */
function next() {
  const names = Object.keys(LANGUAGES);
  return names[(names.indexOf(language) + 1) % names.length];
}

function label() {
  button().textContent = LANGUAGES[/** @type {keyof typeof LANGUAGES} */ (next())];
  button().lang = next();
}
