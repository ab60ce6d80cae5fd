// @ts-check
/** A tap, two fingers, or the wheel with Ctrl make a picture larger around the place where they are. */

const MAX_SCALE = 6;
/** Of a tap, at least: a picture that has its real size is enlarged too. */
const TAP_SCALE = 2;

/** How far two fingers are from each other, and the place between them. @param {Map<number, { x: number, y: number }>} fingers */
export function measureFingers(fingers) {
  const [one, two] = [...fingers.values()];
  return { far: Math.hypot(one.x - two.x, one.y - two.y), x: (one.x + two.x) / 2, y: (one.y + two.y) / 2 };
}

/** @param {HTMLElement} room what scrolls @param {HTMLElement} stage what grows @param {number} [width] of the picture in pixels, if a tap enlarges it @returns what shows the whole picture again */
export function makeZoomable(room, stage, width) {
  /** @type {Map<number, { x: number, y: number }>} */
  const fingers = new Map();
  let scale = 1;
  let apart = 0;

  /** @param {number} next @param {number} x @param {number} y of the screen */
  function zoom(next, x, y) {
    const before = stage.getBoundingClientRect();
    const [across, down] = [(x - before.left) / before.width, (y - before.top) / before.height];
    scale = Math.min(MAX_SCALE, Math.max(1, next));
    stage.style.setProperty('--zoom', String(scale));
    stage.classList.toggle('is-enlarged', scale > 1);
    const after = stage.getBoundingClientRect();
    room.scrollLeft += after.left + across * after.width - x;
    room.scrollTop += after.top + down * after.height - y;
  }

  if (width)
    stage.addEventListener('click', ({ clientX, clientY }) =>
      zoom(scale > 1 ? 1 : Math.max(TAP_SCALE, width / stage.clientWidth), clientX, clientY),
    );
  /** A finger may have come before this was loaded. @param {PointerEvent} event */
  function follow({ pointerId, pointerType, clientX, clientY, defaultPrevented }) {
    if (pointerType !== 'touch' || defaultPrevented) return; // it goes to the computer
    const isNew = !fingers.has(pointerId);
    fingers.set(pointerId, { x: clientX, y: clientY });
    if (fingers.size !== 2) return;
    const { far, x, y } = measureFingers(fingers);
    if (isNew) apart = far / scale;
    else zoom(far / apart, x, y);
  }

  room.addEventListener('pointerdown', follow);
  room.addEventListener('pointermove', follow);
  room.addEventListener('pinch', (event) => {
    const { by, x, y, right, down } = /** @type {CustomEvent} */ (event).detail;
    zoom(scale * by, x, y);
    room.scrollBy(-right, -down);
  });
  for (const end of ['pointerup', 'pointercancel'])
    room.addEventListener(end, (event) => fingers.delete(/** @type {PointerEvent} */ (event).pointerId));
  room.addEventListener(
    'wheel',
    (event) => {
      if (!event.ctrlKey || event.defaultPrevented) return;
      event.preventDefault();
      zoom(scale * Math.exp(-event.deltaY / 200), event.clientX, event.clientY);
    },
    { passive: false },
  );
  return () => zoom(1, 0, 0);
}
