// @ts-check
/** A row that scrolls sideways fades at an edge beyond which it goes on. */

const TOLERANCE_PX = 1;

/** @param {HTMLElement} row */
export function fadeEdges(row) {
  const show = () => {
    const { scrollLeft, clientWidth, scrollWidth } = row;
    row.classList.toggle('fades-left', scrollLeft > TOLERANCE_PX);
    row.classList.toggle('fades-right', scrollLeft + clientWidth < scrollWidth - TOLERANCE_PX);
  };
  row.classList.add('fades');
  row.addEventListener('scroll', show, { passive: true });
  const sizes = new ResizeObserver(show);
  const watch = () => [row, ...row.children].forEach((node) => sizes.observe(node));
  new MutationObserver(watch).observe(row, { childList: true });
  watch();
}
