// @ts-check
/** The switch "Plan first" beside the message box, remembered in this browser. */
import { byId } from '../core/dom.js';

const KEY = 'cua-plan-first';

const box = () => byId('plan-first', HTMLInputElement);

export function mount() {
  box().checked = localStorage.getItem(KEY) === 'true';
  box().addEventListener('change', () => localStorage.setItem(KEY, String(box().checked)));
}

/** The Local operator does not plan. @param {boolean} plans */
export const setAvailable = (plans) => (box().disabled = !plans);

/** What a request that may begin a task has beside its text. @param {boolean} begins */
export const planOption = (begins) => (begins && box().matches(':enabled:checked') ? { plan: true } : {});
