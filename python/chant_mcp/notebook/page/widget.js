// The widget of a notebook: levels of a graph, search, what an item waits for and holds up, its text, and time.
// The kernel answers questions; all that it says is shown as text.

const KERNEL_WAIT = 20000;

/** Asks the kernel; an answer is an object, and what went wrong is its `error`. */
class KernelLine {
  #model;
  #open = new Map();
  #last = 0;
  #take = ({ id, answer } = {}) => {
    this.#open.get(id)?.(answer);
    this.#open.delete(id);
  };

  constructor(model) {
    this.#model = model;
    model.on("msg:custom", this.#take);
  }

  ask(question) {
    const id = (this.#last += 1);
    return new Promise((resolve) => {
      const timer = setTimeout(() => resolve({ error: "The kernel does not answer. Run the cell again." }), KERNEL_WAIT);
      this.#open.set(id, (answer) => {
        clearTimeout(timer);
        resolve(answer);
      });
      this.#model.send({ id, ...question });
    });
  }

  close() {
    this.#model.off("msg:custom", this.#take);
  }
}

class GraphWidget {
  #line;
  #view;
  #frame;
  #revision = "";
  #chosen = null;
  // Of two answers only the later question's is shown.
  #turn = 0;
  #timer = 0;

  constructor(model, el) {
    const { view, commits } = model.get("opening");
    this.#line = new KernelLine(model);
    this.commits = commits;
    this.#frame = new PictureFrame("Picture of the graph", (key) => this.#pressFigure(key));
    this.crumbs = make("ol.crumbs", { aria: "Opened clusters", role: "list" });
    this.side = make("div.side");
    this.words = make("p.words.muted", { "aria-live": "polite" });
    this.found = make("input", { type: "search", placeholder: "Search items", aria: "Search items", oninput: () => this.#findSoon(), onkeydown: (event) => event.stopPropagation() });
    const zooms = [["−", "-", "Smaller"], ["+", "+", "Larger"], ["All", "0", "Show all"]];
    this.root = make("section.chant-graph", { aria: "Graph", onkeydown: (event) => event.key === "Escape" && this.#leave() },
      make("div.bar", this.crumbs, this.found, zooms.map(([label, sign, aria]) => button(label, () => this.#frame.zoomBy(sign), { aria }))),
      make("div.both", this.#frame.place, this.side), this.#timeBar(), this.words);
    el.append(this.root);
    this.#show(view);
  }

  close() {
    clearTimeout(this.#timer);
    this.#line.close();
    this.root.remove();
  }

  async #ask(question) {
    const turn = (this.#turn += 1);
    const answer = await this.#line.ask({ path: this.#view.path, revision: this.#revision, ...question });
    if (turn !== this.#turn) return null;
    if (answer.error) fill(this.words, answer.error);
    return answer.error ? null : answer;
  }

  async #look(question) {
    const view = await this.#ask({ ask: "look", ...question });
    if (view) this.#show(view);
    return view;
  }

  #show(view) {
    this.#view = view;
    this.#chosen = null;
    fill(this.#frame.place, this.#frame.draw(view.boxes.length ? view.scene : null));
    this.keys = this.#frame.figures().map((figure) => figure.dataset.key);
    fill(this.crumbs, view.crumbs.map(({ label, path }, at) => make("li", at ? "› " : "",
      make("button", { type: "button", onclick: () => this.#look({ path }), "aria-current": at === view.crumbs.length - 1 }, label))));
    this.#listBoxes();
    fill(this.words, `${counted(view.total, "item")}: ${view.states}`);
  }

  /** The boxes as a list: it is what a screen reader gets, and what the keyboard walks through. */
  #listBoxes() {
    fill(this.side, make("ul", { aria: "Boxes of this level" }, this.#view.boxes.map((box) => make("li", {
      onpointerenter: () => this.#chosen ?? this.#frame.showNear(this.keys[box.place]), onpointerleave: () => this.#frame.showNear(),
    }, make("button", { type: "button", onclick: () => this.#press(box) }, box.label,
      make("small", box.count > 1 ? `${counted(box.count, "item")}: ${box.words}` : box.words))))));
  }

  #pressFigure(key) {
    const box = this.#view.boxes[this.keys.indexOf(key)];
    if (box) this.#press(box);
  }

  /** The first press chooses; another one opens what can be opened. */
  async #press(box) {
    if (this.#chosen === box.place && box.count > 1) await this.#open(box);
    else await this.#select(box);
  }

  async #open(box) {
    const view = await this.#look({ path: [...this.#view.path, box.place] });
    if (view) this.side.querySelector("button")?.focus(QUIETLY);
  }

  async #select(box) {
    const found = await this.#ask({ ask: "select", place: box.place });
    if (!found) return;
    this.#chosen = box.place;
    this.#mark(box.place, found.marks);
    this.#frame.reveal(this.keys[box.place]);
    const back = button("Back to the list", () => this.#leave());
    fill(this.side, make("h3", { tabIndex: -1 }, found.title ?? box.label),
      make("p.muted", found.key ? [found.key, " · ", found.status] : `${counted(box.count, "item")}: ${box.words}`),
      make("p", `Waits for ${numberWord(found.before)} (dashed), holds up ${numberWord(found.after)} (solid).`),
      make("div.bar", box.count > 1 && button("Open", () => this.#open(box)), back),
      found.text && make("pre", { tabIndex: 0, role: "group", aria: "Text of the item" }, found.text),
      found.left_out ? make("p.muted", `${counted(found.left_out, "more character")} not shown.`) : null);
    this.side.querySelector("h3").focus(QUIETLY);
    fill(this.words, `${found.title ?? box.label}: waits for ${numberWord(found.before)}, holds up ${numberWord(found.after)}`);
  }

  #mark(chosen, marks) {
    this.#frame.showNear();
    const before = new Set();
    const after = new Set();
    this.#frame.figures().forEach((figure, at) => {
      const isChosen = at === chosen;
      const isBefore = isChosen || marks[at] === "before" || marks[at] === "both";
      const isAfter = isChosen || marks[at] === "after" || marks[at] === "both";
      if (isBefore) before.add(figure.dataset.key);
      if (isAfter) after.add(figure.dataset.key);
      figure.classList.toggle("is-chosen", isChosen);
      figure.classList.toggle("is-before", isBefore && !isChosen);
      figure.classList.toggle("is-after", isAfter && !isChosen && !isBefore);
    });
    for (const edge of this.#frame.svg?.querySelectorAll("[data-from]") ?? []) {
      const { from, to } = edge.dataset;
      edge.classList.toggle("is-before", before.has(from) && before.has(to));
      edge.classList.toggle("is-after", after.has(from) && after.has(to));
    }
    this.#frame.place.classList.toggle("has-chosen", chosen !== null);
  }

  #leave() {
    if (this.#chosen === null && !this.found.value) return;
    const chosen = this.#chosen;
    this.#chosen = null;
    this.found.value = "";
    this.#mark(null, []);
    this.#listBoxes();
    this.side.querySelectorAll("button")[chosen ?? 0]?.focus(QUIETLY);
  }

  #findSoon() {
    clearTimeout(this.#timer);
    this.#timer = setTimeout(() => this.#find(), 150);
  }

  async #find() {
    const text = this.found.value;
    if (!text.trim()) return this.#listBoxes();
    const found = await this.#ask({ ask: "find", text });
    if (!found) return;
    fill(this.side, make("ul", { aria: "Items found" }, found.items.map(({ key, label, state }) => make("li",
      make("button", { type: "button", onclick: () => this.#lead(key) }, label, make("small", key, " · ", state))))));
    fill(this.words, `${counted(found.total, "item")} found`, found.total > found.items.length && `, the first ${found.items.length} are listed`);
  }

  async #lead(key) {
    const view = await this.#look({ ask: "lead", key });
    const box = view?.boxes.find((other) => other.key === key);
    if (box) await this.#select(box);
  }

  #timeBar() {
    const last = this.commits.length;
    if (!last) return null;
    const said = make("span.muted", "now");
    const slider = make("input", { type: "range", max: last, value: last, aria: "Commit", "aria-valuetext": "now", onkeydown: (event) => event.stopPropagation(), oninput: () => {
      const commit = this.commits[Number(slider.value)];
      const when = commit ? `${commit.time.slice(0, 10)} ${commit.subject}` : "now";
      slider.setAttribute("aria-valuetext", plain(when));
      fill(said, when);
      this.#revision = commit?.revision ?? "";
      clearTimeout(this.#timer);
      this.#timer = setTimeout(() => this.#look({}), 120);
    } });
    // The value is bounded by what `max` was when it was set.
    slider.value = String(last);
    return make("div.time", make("span", "Time"), slider, said);
  }
}

function render({ model, el }) {
  const widget = new GraphWidget(model, el);
  return () => widget.close();
}
