// @ts-check
/** A screenshot at full size, with what was aimed at. Tap it to change between whole and real size. */
import { byId, fill, h } from './dom.js';
import { icon } from './icons.js';
import { marks } from './marks.js';
import { load } from './pictures.js';
import { describe } from './wording.js';
import { t } from './words.js';
import { zoomable } from './zoom.js';

/** @param {import('./state.js').Step} step */
export async function show(step) {
  const { frame, reply } = step;
  if (!frame) return;
  const dialog = byId('lightbox', HTMLDialogElement);
  const img = h('img', {
    width: frame.width,
    height: frame.height,
    alt: t('lightbox.alt', { n: step.number }),
  });
  const stage = h(
    'div',
    { class: 'stage' },
    img,
    h('div', { class: 'marks' }, ...marks(reply?.actions ?? [])),
  );
  const room = h('div', { class: 'room' }, stage);
  zoomable(room, stage);
  stage.style.setProperty('--ratio', String(frame.width / frame.height));
  stage.style.setProperty('--real', `${frame.width}px`);
  stage.addEventListener('click', () => stage.classList.toggle('is-real'));
  const words = (reply?.actions ?? []).map((action) => describe(action, frame)).join(', ');
  const close = h(
    'button',
    { type: 'button', class: 'quiet', 'aria-label': t('close'), onclick: () => dialog.close() },
    icon('close'),
  );
  fill(
    dialog,
    h('header', {}, h('p', {}, `${t('header.step', { n: step.number })}${words && ` · ${words}`}`), close),
    room,
  );
  dialog.onclose = () => {
    URL.revokeObjectURL(img.src);
    fill(dialog);
  };
  dialog.showModal();
  try {
    img.src = await load(frame.url);
  } catch (error) {
    img.alt = /** @type {Error} */ (error).message;
  }
}
