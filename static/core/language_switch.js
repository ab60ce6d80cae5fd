// @ts-check
/** Switch the language without reloading the page. */
import { byId } from './dom.js';
import { language, LANGUAGES, setLanguage } from './i18n.js';

const button = () => byId('language', HTMLButtonElement);

export function mount() {
  button().addEventListener('click', () => setLanguage(nextLanguage()));
  document.addEventListener('language', updateLabel);
  updateLabel();
}

/** The one after this. */
function nextLanguage() {
  const names = Object.keys(LANGUAGES);
  return names[(names.indexOf(language) + 1) % names.length];
}

function updateLabel() {
  button().textContent = LANGUAGES[/** @type {keyof typeof LANGUAGES} */ (nextLanguage())];
  button().lang = nextLanguage();
}
