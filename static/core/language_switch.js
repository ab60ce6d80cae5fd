// @ts-check
/** Switch the language without reloading the page. */
import { byId } from './dom.js';
import { language, LANGUAGES, setLanguage } from './i18n.js';

/** What is as wide as an icon: nothing moves beside it. @type {typeof LANGUAGES} */
const SHORT = { en: 'EN', zh: '中文' };

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
  const next = /** @type {keyof typeof LANGUAGES} */ (nextLanguage());
  button().textContent = SHORT[next];
  button().title = button().ariaLabel = LANGUAGES[next];
  button().lang = next;
}
