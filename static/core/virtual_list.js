// @ts-check
/**
 * A window onto a long list: only the entries near the reader have nodes. It follows the newest until
 * the user scrolls up or opens details; new entries do not move it then.
 */

/** @typedef {{ rev: number }} Entry */
/** `fromStart`: what is to be read from its beginning. @typedef {{ node: HTMLElement, redraw: () => void, fromStart?: boolean }} View */
/** @typedef {View & { entry: Entry, rev: number }} Shown */

/** Entries with nodes at most, and how many come at a time: few, so that no frame has much to do. */
const MAX_NODES = 60;
const CHUNK_ENTRIES = 6;
/** As many come where the reader has outrun them. */
const FAST_CHUNK_ENTRIES = 20;
/** By which what is being laid out may move the room up, as no person does. */
export const SETTLING_PX = 4;
/** Pixels from an edge at which more are fetched. */
const NEAR_EDGE_PX = 1500;
const FAST_EDGE_PX = 500;

export class VirtualList {
  /** @type {Entry[]} */
  entries = [];
  /** How many older ones the list has dropped since the window opened. */
  dropped = 0;
  /** Place of the first shown in `entries`. */
  first = 0;
  /** @type {Shown[]} */
  shown = [];
  following = true;
  top = 0;
  /** Of the room, when it last stood at the end. */
  size = '';

  /**
   * @param {HTMLElement} room what scrolls
   * @param {HTMLElement} list what holds the nodes
   * @param {(entry: any) => View} view
   * @param {(atNewest: boolean, moved: number) => void} onMove `atNewest`: the newest entry is in sight; `moved`:
   *   pixels that the reader went
   */
  constructor(room, list, view, onMove) {
    this.room = room;
    this.list = list;
    this.view = view;
    this.onMove = onMove;
    room.addEventListener('scroll', () => this.#onScroll(), { passive: true });
    // Before it opens: following would carry what a person opens out of sight.
    list.addEventListener('click', ({ target }) => (this.following &&= !(/** @type {Element} */ (target).closest('summary'))));
    list.addEventListener('toggle', (event) => this.#onToggle(event), true);
    const sizes = new ResizeObserver(() => this.following && this.shown.length && this.#scrollToEnd());
    sizes.observe(list);
    sizes.observe(room);
  }

  /** Another list, from its end. @param {Entry[]} entries @param {number} dropped */
  open(entries, dropped) {
    Object.assign(this, { entries, dropped, shown: [], first: Math.max(0, entries.length - MAX_NODES) });
    this.list.replaceChildren();
    this.following = true;
    this.onMove(true, 0);
  }

  /** The same list has grown, lost some at its beginning, or some of its entries have changed. @param {number} dropped */
  update(dropped) {
    this.#removeDropped(dropped - this.dropped);
    this.dropped = dropped;
    const old = this.shown.filter((each) => each.rev !== each.entry.rev);
    old.forEach(redraw);
    if (this.following) return this.#follow(old.length > 0);
    if (this.shown.length < MAX_NODES) this.#append(this.first + MAX_NODES);
    this.onMove(this.#seesNewest(), 0);
  }

  /** Every entry anew, as in another language; the reader stays where they are. */
  redrawAll() {
    const { room } = this;
    const at = this.shown.findIndex(({ node }) => node.offsetTop + node.offsetHeight > room.scrollTop);
    const before = this.shown[at]?.node.offsetTop ?? 0;
    this.shown = this.shown.map(({ entry }) => this.#makeView(entry));
    this.list.replaceChildren(...this.shown.map(({ node }) => node));
    if (this.following) return this.#scrollToEnd();
    room.scrollTop += (this.shown[at]?.node.offsetTop ?? 0) - before;
    this.top = room.scrollTop;
  }

  toEnd() {
    if (this.following) return;
    this.open(this.entries, this.dropped);
    this.#follow(true);
  }

  /** @param {boolean} moved whether what is there has changed its height */
  #follow(moved) {
    const missing = this.entries.length - this.first - this.shown.length;
    if (missing === 0 && !moved) return;
    if (missing > MAX_NODES) this.open(this.entries, this.dropped);
    this.#append(this.entries.length);
    this.#trimTop();
    this.#scrollToEnd();
  }

  /** @param {number} count */
  #removeDropped(count) {
    if (count <= 0) return;
    const gone = Math.max(0, count - this.first);
    this.#keepInPlace(this.shown[gone], () => {
      for (const { node } of this.shown.splice(0, gone)) node.remove();
    });
    this.first = Math.max(0, this.first - count);
  }

  /**
   * Only a person scrolls up; being left behind by what is new, or pushed up by what became shorter, is no
   * reason to stop following. WebKit goes to the top when a phone is turned. A list that was emptied has
   * nothing to follow.
   */
  #onScroll() {
    const { room } = this;
    if (!this.shown.length) return;
    if (this.following && this.size !== sizeKey(room)) return this.#scrollToEnd();
    const moved = room.scrollTop - this.top;
    const below = room.scrollHeight - room.scrollTop - room.clientHeight;
    const last = this.first + this.shown.length >= this.entries.length;
    this.following = (this.following && (below < 60 || moved >= -SETTLING_PX)) || (below < 60 && last);
    this.top = this.following && below >= 60 ? Math.max(this.top, room.scrollTop) : room.scrollTop;
    const chunk = Math.min(room.scrollTop, below) < FAST_EDGE_PX ? FAST_CHUNK_ENTRIES : CHUNK_ENTRIES;
    if (!this.following && room.scrollTop < NEAR_EDGE_PX && this.first > 0) this.#prependEarlier(chunk);
    else if (!last && below < NEAR_EDGE_PX) this.#appendLater(chunk);
    this.onMove(this.following || this.#seesNewest(), moved);
  }

  /** Closed at the end, the list follows again. @param {Event} event */
  #onToggle({ target }) {
    if (target instanceof HTMLDetailsElement && !target.open) return this.#onScroll();
    this.onMove(this.#seesNewest(), 0);
  }

  #seesNewest() {
    const { room, shown } = this;
    const all = this.first + shown.length >= this.entries.length;
    return all && (shown.at(-1)?.node.offsetTop ?? 0) < room.scrollTop + room.clientHeight;
  }

  /** @param {number} chunk */
  #prependEarlier(chunk) {
    this.#keepInPlace(this.shown[0], () => {
      const from = Math.max(0, this.first - chunk);
      const fresh = this.entries.slice(from, this.first).map((entry) => this.#makeView(entry));
      this.list.prepend(...fresh.map(({ node }) => node));
      this.shown.unshift(...fresh);
      this.first = from;
      for (const { node } of this.shown.splice(MAX_NODES)) node.remove();
    });
  }

  /** @param {number} chunk */
  #appendLater(chunk) {
    this.#keepInPlace(this.shown.at(-1), () => {
      this.#append(this.first + this.shown.length + chunk);
      this.#trimTop();
    });
  }

  #trimTop() {
    const over = this.shown.length - MAX_NODES;
    if (over <= 0) return;
    for (const { node } of this.shown.splice(0, over)) node.remove();
    this.first += over;
  }

  /** @param {number} end */
  #append(end) {
    const fresh = this.entries.slice(this.first + this.shown.length, end).map((entry) => this.#makeView(entry));
    this.list.append(...fresh.map(({ node }) => node));
    this.shown.push(...fresh);
  }

  /** What the reader looks at stays in its place. @param {Shown | undefined} kept @param {() => void} change */
  #keepInPlace(kept, change) {
    const before = kept?.node.offsetTop ?? 0;
    change();
    this.room.scrollTop += (kept?.node.offsetTop ?? 0) - before;
    this.top = this.room.scrollTop;
  }

  /** @param {Entry} entry @returns {Shown} */
  #makeView(entry) {
    return { entry, rev: entry.rev, ...this.view(entry) };
  }

  /** To the end, or to the start of a last entry that would lose it. */
  #scrollToEnd() {
    const { room } = this;
    const last = this.shown.at(-1);
    const long = last?.fromStart && last.node.offsetHeight > room.clientHeight;
    room.scrollTop = long ? Math.max(room.scrollTop, last.node.offsetTop - 8) : room.scrollHeight;
    this.top = this.room.scrollTop;
    this.size = sizeKey(this.room);
  }
}

/** @param {HTMLElement} room */
export const sizeKey = ({ clientWidth, clientHeight }) => `${clientWidth}x${clientHeight}`;

/** @param {Shown} each */
function redraw(each) {
  each.rev = each.entry.rev;
  each.redraw();
}
