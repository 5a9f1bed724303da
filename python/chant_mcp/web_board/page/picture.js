// A picture that the core laid out, with pan, zoom and hover: the board's graph and the widget of notebooks share it.

const PICTURE_KEYS = "arrow keys move, plus and minus zoom, 0 shows all";

class PictureFrame {
  #view = null;
  #home = null;
  #drag = null;
  #isMoved = false;

  /** `choose` is called with the key of a figure that is clicked. */
  constructor(label, choose) {
    this.svg = null;
    this.place = make("div.picture", {
      tabIndex: 0, role: "group", aria: `${label}: ${PICTURE_KEYS}`,
      onpointerdown: (event) => this.#startDrag(event), onpointermove: (event) => this.#moveDrag(event),
      onpointerup: () => (this.#drag = null), onpointercancel: () => (this.#drag = null),
      onclick: (event) => {
        const key = this.keyAt(event);
        if (key && !this.#isMoved) choose(key);
      },
      onpointerover: (event) => this.showNear(this.keyAt(event)), onpointerout: () => this.showNear(),
      onkeydown: (event) => this.#press(event),
    });
    this.place.addEventListener("wheel", (event) => this.#zoomAtPointer(event), { passive: false });
  }

  /** Gives the nodes of a scene, which are then part of the place; no scene is an empty picture. */
  draw(scene) {
    this.svg = scene ? sceneNode(scene) : null;
    if (!scene) return note("There is nothing to draw.");
    const { svg } = this;
    // A list beside it says the same to a screen reader, in an order that can be followed.
    svg.setAttribute("aria-hidden", "true");
    const old = String(this.#home);
    this.#home = (svg.getAttribute("viewBox") ?? "").split(/[ ,]+/).map(Number);
    if (this.#home.length < 4) this.#home = [0, 0, Number(svg.getAttribute("width")), Number(svg.getAttribute("height"))];
    ["width", "height"].forEach((name) => svg.removeAttribute(name));
    this.#setView(old === String(this.#home) ? this.#view : this.#openingView());
    return svg;
  }

  /** The figures of items, in the order in which they were asked for. */
  figures() {
    return [...(this.svg?.querySelectorAll("[data-key]") ?? [])];
  }

  keyAt({ target }) {
    return target.closest("[data-key]")?.dataset.key;
  }

  /** Zooms by a sign: `+`, `-`, or `0` for all. */
  zoomBy(sign) {
    if (!this.svg) return;
    if (sign === "0") this.#setView(this.#home);
    else this.#zoom(sign === "+" ? 0.8 : 1.25);
  }

  /** Moves a figure that is out of sight into the middle. */
  reveal(key) {
    const figure = this.figures().find((node) => node.dataset.key === key)?.getBoundingClientRect();
    const { left, top, right, bottom } = this.place.getBoundingClientRect();
    if (!figure || (figure.left >= left && figure.right <= right && figure.top >= top && figure.bottom <= bottom)) return;
    this.#pan((left + right - figure.left - figure.right) / 2, (top + bottom - figure.top - figure.bottom) / 2);
  }

  /** Brings out an item, its arrows, and what they lead to; nothing without a key. */
  showNear(key) {
    const near = new Set([key]);
    for (const edge of this.svg?.querySelectorAll("[data-from]") ?? []) {
      const { from, to } = edge.dataset;
      const isNear = from === key || to === key;
      edge.classList.toggle("is-near", isNear);
      if (isNear) near.add(from).add(to);
    }
    for (const figure of this.figures()) figure.classList.toggle("is-near", near.has(figure.dataset.key));
    this.place.classList.toggle("has-near", key !== undefined);
  }

  /** A graph too wide to be read begins with its left part. */
  #openingView() {
    const [x, y, width, height] = this.#home;
    const { clientWidth, clientHeight } = this.place;
    return Math.max(width / clientWidth, height / clientHeight) < 1.6 ? this.#home : [x, y, clientWidth * 1.4, clientHeight * 1.4];
  }

  #setView(view) {
    this.#view = view;
    this.svg?.setAttribute("viewBox", view.map((number) => number.toFixed(1)).join(" "));
  }

  /** Zooms so that the point at these parts of width and height stays where it is. */
  #zoom(factor, atX = 0.5, atY = 0.5) {
    const [x, y, width, height] = this.#view;
    const ratio = Math.min(Math.max(width * factor, 80), this.#home[2] * 4) / width;
    this.#setView([x + width * atX * (1 - ratio), y + height * atY * (1 - ratio), width * ratio, height * ratio]);
  }

  #zoomAtPointer(event) {
    event.preventDefault();
    const { left, top, width, height } = this.place.getBoundingClientRect();
    if (this.svg) this.#zoom(event.deltaY < 0 ? 0.86 : 1.16, (event.clientX - left) / width, (event.clientY - top) / height);
  }

  #pan(dx, dy) {
    const [x, y, width, height] = this.#view;
    const scale = Math.max(width / this.place.clientWidth, height / this.place.clientHeight);
    this.#setView([x - dx * scale, y - dy * scale, width, height]);
  }

  #startDrag({ button: pressedButton, clientX: x, clientY: y }) {
    this.#isMoved = false;
    if (!pressedButton && this.svg) this.#drag = { x, y };
  }

  #moveDrag({ clientX: x, clientY: y, pointerId }) {
    const drag = this.#drag;
    if (!drag || (!this.#isMoved && Math.hypot(x - drag.x, y - drag.y) < 4)) return;
    // Captured only now: captured on press, each click would land on the picture instead of the figure.
    if (!this.#isMoved) this.place.setPointerCapture(pointerId);
    this.#isMoved = true;
    this.#pan(x - drag.x, y - drag.y);
    this.#drag = { x, y };
  }

  #press(event) {
    const moves = { ArrowLeft: [60, 0], ArrowRight: [-60, 0], ArrowUp: [0, 60], ArrowDown: [0, -60] };
    const { key } = event;
    if (!this.svg || event.ctrlKey || event.metaKey) return;
    if (moves[key]) this.#pan(...moves[key]);
    else if ("+-0".includes(key)) this.zoomBy(key);
    else return;
    event.preventDefault();
    // A notebook has keys of its own for these.
    event.stopPropagation();
  }
}

/** Makes nodes of a drawing `[tag, attributes, children]` that the core laid out. */
function sceneNode(scene, depth = 0) {
  if (!Array.isArray(scene)) return plain(scene);
  const [tag, attributes = {}, children = []] = scene;
  if (!SCENE_TAGS.has(tag) || depth > 12) return "";
  const element = document.createElementNS("http://www.w3.org/2000/svg", tag);
  for (const [name, value] of Object.entries(attributes)) {
    const isArrow = name === "id" ? value === "arrow" : name.startsWith("marker-") && value === "url(#arrow)";
    if (isArrow || SCENE_ATTRIBUTES.has(name)) element.setAttribute(name, value);
  }
  element.append(...[children].flat().map((child) => sceneNode(child, depth + 1)));
  return element;
}
