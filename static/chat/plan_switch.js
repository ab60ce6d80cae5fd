// @ts-check
/** The switch "Plan first" beside the message box, remembered in this browser. */
import { byId } from '../core/dom.js';

const KEY = 'cua-plan-first';

const box = () => byId('plan-first', HTMLInputElement);

export function mount() {
  box().checked = localStorage.getItem(KEY) === 'true';
  box().addEventListener('change', () => localStorage.setItem(KEY, String(box().checked)));
}

/** What a request that may begin a task has beside its text. @param {boolean} begins */
export const planOption = (begins) => (begins && box().checked ? { plan: true } : {});
