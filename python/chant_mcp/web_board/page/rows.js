// Lists of which only the rows in sight have nodes, so that 20,000 items cost as much as 20.

const PAGE = 100;
const OVERSCAN = 4;
let listNumber = 0;

class WindowedRows {
  /** Takes `label`, `height` of a row, `load(offset)` giving items, `keyOf(item)`, `show(item)` and `open(item)`. */
  constructor(options) {
    Object.assign(this, { name: `list${++listNumber}`, total: 0, turn: 0, frame: 0, pages: new Map(), loading: new Set(), shown: new Map() }, options);
    // The place of the active row, and its key: "" while its page is still coming, null before a row is chosen.
    Object.assign(this, { active: 0, activeKey: null });
    this.sizer = make("div.sizer", { role: "presentation" });
    this.element = make("div.rows", { tabIndex: 0, onscroll: () => this.paintSoon(), onclick: (event) => this.click(event), onfocus: () => this.begin() }, this.sizer);
    this.element.rows = this;
    new ResizeObserver(() => this.paintSoon()).observe(this.element);
  }

  item(index) {
    return this.pages.get(index - (index % PAGE))?.[index % PAGE];
  }

  keyAt(index) {
    const item = this.item(index);
    return item && this.keyOf(item);
  }

  /** Takes a new look: its first page, and the pages in sight again; what was in sight stays there. */
  async refresh(total, first) {
    const turn = ++this.turn;
    const offsets = this.pagesInSight().filter((offset) => offset > 0 && offset < total);
    const found = await Promise.all(offsets.map((offset) => this.load(offset)));
    if (turn !== this.turn) return;
    const anchor = this.anchor();
    this.seen = first;
    this.pages = new Map([[0, first], ...offsets.map((offset, place) => [offset, found[place]])]);
    this.total = total;
    this.sizer.style.height = `${total * this.height}px`;
    // An empty listbox would promise options that there are not.
    setProperties(this.element, { role: total ? "listbox" : "group", aria: this.label });
    this.restore(anchor);
    this.paint();
  }

  /** What has to stay where it is: the active row if it is in sight, else the first one in sight. */
  anchor() {
    const [first, last] = this.range(0);
    const index = this.activeKey && this.active >= first && this.active <= last ? this.active : first;
    return { key: this.keyAt(index), index };
  }

  restore({ key, index }) {
    const isAtTop = !this.element.scrollTop && document.activeElement !== this.element;
    const place = this.placeOf(key);
    if (place >= 0 && !isAtTop) this.element.scrollTop += (place - index) * this.height;
    if (this.activeKey === null) return;
    const active = this.placeOf(this.activeKey);
    this.active = active >= 0 ? active : Math.max(0, Math.min(this.active, this.total - 1));
    this.activeKey = this.keyAt(this.active) ?? "";
  }

  placeOf(key) {
    for (const [offset, items] of key ? this.pages : []) {
      const place = items.findIndex((item) => this.keyOf(item) === key);
      if (place >= 0) return offset + place;
    }
    return -1;
  }

  range(more = OVERSCAN) {
    const { scrollTop, clientHeight } = this.element;
    const first = Math.max(0, Math.floor(scrollTop / this.height) - more);
    return [first, Math.min(this.total - 1, Math.ceil((scrollTop + clientHeight) / this.height) + more)];
  }

  pagesInSight() {
    const [first, last] = this.range();
    const offsets = [];
    for (let offset = first - (first % PAGE); offset <= last; offset += PAGE) offsets.push(offset);
    return offsets;
  }

  paintSoon() {
    this.frame ||= requestAnimationFrame(() => this.paint());
  }

  paint() {
    cancelAnimationFrame(this.frame);
    this.frame = 0;
    const [first, last] = this.range();
    for (const [index, row] of this.shown) {
      if (index < first || index > last) row.remove(), this.shown.delete(index);
    }
    for (let index = first; index <= last; index += 1) this.markRow(this.showRow(index), index);
    const isActiveShown = this.activeKey !== null && this.shown.has(this.active);
    this.element.setAttribute("aria-activedescendant", isActiveShown ? `${this.name}-${this.active}` : "");
    this.loadMissing();
  }

  /** Makes the node of a row, or leaves the one that says the same already. */
  showRow(index) {
    const item = this.item(index);
    const signature = JSON.stringify([this.total, item]);
    const old = this.shown.get(index);
    if (old?.signature === signature) return old;
    const row = make("div.row", {
      id: `${this.name}-${index}`, role: "option", "aria-setsize": this.total, "aria-posinset": index + 1, "data-index": index, signature,
    }, item ? this.show(item) : "…");
    row.style.transform = `translateY(${index * this.height}px)`;
    row.style.height = `${this.height}px`;
    if (old) old.replaceWith(row);
    else this.sizer.append(row);
    this.shown.set(index, row);
    return row;
  }

  /** The node stays when its row becomes active: it may lie under the pointer that is just pressing it. */
  markRow(row, index) {
    const isActive = this.activeKey !== null && index === this.active;
    row.classList.toggle("is-active", isActive);
    row.setAttribute("aria-selected", isActive);
  }

  /** Loads what is in sight and missing, two pages at a time: a quick scroll asks for no page it only passes. */
  loadMissing() {
    for (const offset of this.pagesInSight()) {
      if (offset < this.total && !this.pages.has(offset) && !this.loading.has(offset) && this.loading.size < 2) this.loadPage(offset, this.turn).catch(report);
    }
  }

  async loadPage(offset, turn) {
    this.loading.add(offset);
    const items = await this.load(offset).finally(() => this.loading.delete(offset));
    if (turn === this.turn) this.pages.set(offset, items);
    if (this.activeKey === "") this.activeKey = this.keyAt(this.active) ?? "";
    this.paint();
  }

  click(event) {
    const row = event.target.closest("[data-index]");
    if (row) this.moveTo(Number(row.dataset.index)), this.openActive();
  }

  moveTo(index) {
    if (!this.total) return;
    this.active = Math.max(0, Math.min(index, this.total - 1));
    this.activeKey = this.keyAt(this.active) ?? "";
    const top = this.active * this.height;
    const lowest = top - this.element.clientHeight + this.height;
    this.element.scrollTop = Math.min(top, Math.max(lowest, this.element.scrollTop));
    this.paint();
  }

  /** Moves by a key; says whether the key was one of a list. */
  press(key) {
    const step = Math.max(1, Math.floor(this.element.clientHeight / this.height) - 1);
    const steps = { ArrowDown: 1, j: 1, ArrowUp: -1, k: -1, PageDown: step, PageUp: -step, Home: -Infinity, g: -Infinity, End: Infinity, G: Infinity };
    const [first, last] = this.range(0);
    const isInSight = this.active >= first && this.active <= last;
    // After a scroll by hand a single step begins with what is in sight.
    if (Math.abs(steps[key]) === 1 && !isInSight) this.moveTo(first);
    else if (key in steps) this.moveTo(this.active + steps[key]);
    else if (key === "Enter" || key === " ") this.openActive();
    else return false;
    return true;
  }

  openActive() {
    const item = this.activeKey && this.item(this.active);
    if (item) this.open(item);
  }

  /** The first focus chooses the first row in sight. */
  begin() {
    if (this.activeKey === null) this.moveTo(this.range(0)[0]);
  }
}
