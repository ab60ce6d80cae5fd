// @ts-check
/**
 * A long list as one stop for the Tab key: the arrows lead up and down in it. Which of its entries is the stop is
 * settled when Tab is pressed, so that whatever comes, goes or is drawn anew costs nothing.
 */

/**
 * @param {HTMLElement} list
 * @param {string} entries a selector: what else it holds keeps a stop of its own
 * @param {0 | -1} first which end gets the focus first
 */
export function useRovingTabindex(list, entries, first) {
  /** @type {HTMLElement | undefined} */
  let last;
  const shown = () =>
    /** @type {HTMLElement[]} */ ([...list.querySelectorAll(entries)]).filter(({ offsetParent }) => offsetParent);

  function settle() {
    const all = shown();
    const stop = last && all.includes(last) ? last : all.at(first);
    for (const each of all) each.tabIndex = each === stop ? 0 : -1;
  }

  document.addEventListener('keydown', ({ key }) => key === 'Tab' && settle(), { capture: true });
  list.addEventListener('focusin', ({ target }) => {
    if (target instanceof HTMLElement && target.matches(entries)) last = target;
  });
  list.addEventListener('keydown', (event) => {
    const by = { ArrowUp: -1, ArrowLeft: -1, ArrowDown: 1, ArrowRight: 1 }[event.key];
    const all = by ? shown() : [];
    const at = all.indexOf(/** @type {HTMLElement} */ (event.target));
    const next = at < 0 ? undefined : all[at + Number(by)];
    if (!next) return;
    event.preventDefault();
    next.focus();
  });
}
