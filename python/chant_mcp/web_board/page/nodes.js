// The only place that makes nodes. Text is always a text node; tags, attributes and links come from closed lists:
// nothing that stands in a document can become markup, with or without a policy of the browser.

const namesOf = (text) => new Set(text.split(" "));
const TEXT_TAGS = namesOf("p h1 h2 h3 h4 h5 h6 ul ol li em strong del code pre table tr th td hr br");
const SCENE_TAGS = namesOf("g rect circle ellipse line polyline polygon path text tspan title svg marker defs");
const SCENE_ATTRIBUTES = namesOf(
  "x y x1 y1 x2 y2 cx cy r rx ry width height d points transform text-anchor dominant-baseline viewBox class data-key " +
  "data-from data-to refX refY orient markerWidth markerHeight markerUnits role aria-label font-size textLength lengthAdjust");
const PROPERTIES = namesOf(
  "id type value checked disabled selected href target rel title tabIndex open required rows placeholder max signature");
const QUIETLY = { preventScroll: true };
const byId = (id) => document.getElementById(id);

/**
 * Makes an element from a tag with its classes (`p.note`), properties if there are any, and children. Properties:
 * `on…` is a listener, `aria` the accessible name, `at` the name by which a redraw finds the focus again.
 */
function make(name, ...children) {
  const [tag, ...classes] = name.split(".");
  const element = document.createElement(tag);
  if (classes.length) element.className = classes.join(" ");
  if (children[0]?.constructor === Object) setProperties(element, children.shift());
  return append(element, children);
}

function setProperties(element, properties) {
  for (const [name, value] of Object.entries(properties)) {
    const attribute = { aria: "aria-label", at: "data-at", role: name, for: name }[name] ?? (name.includes("-") && name);
    if (value === undefined) continue;
    if (attribute) element.setAttribute(attribute, value);
    else if (typeof value === "function") element.addEventListener(name.replace(/^on/, ""), value);
    // A closed list here, too: where a text is expected, data may hold an object.
    else if (PROPERTIES.has(name)) element[name] = value;
  }
}

/** Adds children; all that is no node becomes text. */
function append(element, children) {
  for (const child of children.flat(Infinity)) {
    if (child instanceof Node) element.append(child);
    else if (child || child === 0) element.append(plain(child));
  }
  return element;
}

/** Puts these children in the place of all that an element holds. */
function fill(element, ...children) {
  element.replaceChildren();
  return append(element, children);
}

/** Fills an element if its data is other than before; what had the focus has it again. */
function redraw(place, data, draw) {
  const signature = JSON.stringify(data);
  if (place.signature === signature) return;
  place.signature = signature;
  const focused = document.activeElement;
  const at = place.contains(focused) && focused.dataset.at;
  fill(place, draw());
  const all = at ? [...place.querySelectorAll("[data-at]")] : [];
  (all.find((node) => node.dataset.at === at) ?? all[0])?.focus(QUIETLY);
}

const button = (label, act, { look = "", ...more } = {}) => make(`button${look}`, { type: "button", onclick: act, ...more }, label);
const buttons = (...children) => make("div.buttons", children);
const note = (...children) => make("p.note", children);
const chip = (text) => text && make("span.chip", text);
const muted = (...children) => make("span.muted", children);
const pressed = (isOn) => ({ "aria-pressed": isOn, look: isOn ? ".main" : "" });

function choice(label, options, value, change) {
  const select = make("select", { aria: label, at: label, onchange: () => change?.(select.value) },
    options.map(([name, text]) => make("option", { value: name, selected: name === value }, text)));
  return select;
}

const itemLink = (key, title, more) => make("a.stop", { href: `#item/${key}`, at: key, ...more }, title || key);

/** A link to another place is one only for these schemes; all else is shown as text. */
function link(address, children) {
  const href = String(address).trim();
  if (/^#item\//.test(href)) return make("a", { href }, children);
  if (!/^(https?:\/\/|mailto:)/i.test(href)) return make("span", children);
  return make("a", { href, target: "_blank", rel: "noopener noreferrer" }, children);
}

/** Makes nodes of a document's tree. `headings` has the last one's level, and what is done to each. */
function documentNode(block, headings, depth = 0) {
  // The core bounds the tree; the page does not rely on that.
  if (!Array.isArray(block) || depth > 40) return flatText(block);
  const [tag, ...children] = block;
  const nodes = (list) => list.map((child) => documentNode(child, headings, depth + 1));
  if (tag === "a") return link(children[0], nodes(children.slice(1)));
  if (tag.startsWith("task_")) return taskNode(tag === "task_done", nodes(children));
  if (tag === "quote") return make("blockquote", nodes(children));
  if (!TEXT_TAGS.has(tag)) return flatText(block);
  if (/^h\d$/.test(tag)) return headingNode(Number(tag[1]), nodes(children), flatText(block).trim(), headings);
  const element = make(tag, nodes(children));
  return tag === "pre" || tag === "table" ? make("div.wide", { tabIndex: 0, role: "group", aria: tag === "pre" ? "code" : tag }, element) : element;
}

/** The page has headings of its own above these, and no level may be left out. */
function headingNode(level, nodes, text, headings) {
  headings.shift ??= 3 - level;
  headings.last = Math.max(3, Math.min(level + headings.shift, headings.last + 1, 6));
  const heading = make(`h${headings.last}`, nodes);
  headings.decorate(heading, text);
  return heading;
}

const taskNode = (isDone, nodes) =>
  make("li.task", make("span.box", { role: "img", aria: isDone ? "done:" : "open:" }, isDone ? "☑" : "☐"), make("span", nodes));

function flatText(block, depth = 0) {
  if (!Array.isArray(block)) return typeof block === "object" ? "" : String(block);
  return depth > 60 ? "" : block.slice(block[0] === "a" ? 2 : 1).map((child) => flatText(child, depth + 1)).join("");
}
