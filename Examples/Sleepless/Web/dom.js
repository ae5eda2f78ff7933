/** Small means to make elements once, and to change only what has changed. */

const SVG = "http://www.w3.org/2000/svg";

function give(element, name, value) {
  if (value === null || value === undefined || value === false) return;
  if (name === "text") element.textContent = value;
  else if (name === "on") for (const [event, action] of Object.entries(value)) element.addEventListener(event, action);
  else element.setAttribute(name, value === true ? "" : String(value));
}

function fill(element, attributes, children) {
  for (const [name, value] of Object.entries(attributes ?? {})) give(element, name, value);
  element.append(...children.flat().filter((child) => child !== null && child !== undefined));
  return element;
}

export const h = (tag, attributes, ...children) => fill(document.createElement(tag), attributes, children);

export const svg = (tag, attributes, ...children) => fill(document.createElementNS(SVG, tag), attributes, children);

/** Sets the text only if it differs, so that selections stay and screen readers keep quiet. */
export function setText(element, text) {
  const wanted = text === null || text === undefined ? "" : String(text);
  if (element.textContent !== wanted) element.textContent = wanted;
}

export function setAttribute(element, name, value) {
  if (value === null || value === undefined || value === false) element.removeAttribute(name);
  else if (element.getAttribute(name) !== String(value)) element.setAttribute(name, String(value));
}

export function setHidden(element, isHidden) {
  if (element.hidden !== isHidden) element.hidden = isHidden;
}

/** A field that the user is in keeps what the user typed. */
export function setValue(input, value) {
  if (document.activeElement !== input && input.value !== String(value)) input.value = String(value);
}

/** Brings the children of `parent` in line with `items`; an item keeps its element, so focus stays where it was. */
export function keyed(parent, items, keyOf, make, update) {
  const known = (parent.knownRows ??= new Map());
  const wanted = new Set(items.map((item) => String(keyOf(item))));
  for (const [key, row] of known) {
    if (wanted.has(key)) continue;
    row.root.remove();
    known.delete(key);
  }
  let place = parent.firstElementChild;
  for (const item of items) {
    const key = String(keyOf(item));
    let row = known.get(key);
    if (!row) known.set(key, (row = make(item)));
    if (row.root === place) place = place.nextElementSibling;
    else parent.insertBefore(row.root, place);
    update?.(row, item);
  }
}

export const button = (label, action, attributes = {}) =>
  h("button", { type: "button", class: "button", text: label, ...attributes, on: { click: action } });

/** Where the server's words about a refused request are shown. */
export const errorLine = () => h("p", { class: "error", role: "alert", hidden: true });

let lastIdentifier = 0;
export const freshIdentifier = (word) => `${word}-${(lastIdentifier += 1)}`;

/** A labelled field. */
export function field(label, input, after = null) {
  input.id ||= freshIdentifier("field");
  return h("div", { class: "field" }, h("label", { for: input.id, text: label }), h("span", { class: "field-value" }, input, after));
}

/** A switch: a checkbox that says so. */
export function toggle(label, change) {
  const input = h("input", { type: "checkbox", role: "switch", on: { change: () => change(input.checked) } });
  const root = h("label", { class: "switch" }, h("span", { text: label }), input);
  return { root, input, set: (isOn) => { if (input.checked !== isOn) input.checked = isOn; } };
}

/** A row of choices of which one is taken. */
export function choice(label, options, change) {
  const name = freshIdentifier("choice");
  const inputs = options.map(([value, text]) => {
    const input = h("input", { type: "radio", name, value, on: { change: () => change(value) } });
    return { value, input, root: h("label", {}, input, h("span", { text })) };
  });
  const root = h("fieldset", { class: "choice" }, h("legend", { text: label, class: "unseen" }), inputs.map((one) => one.root));
  const set = (value) => inputs.forEach((one) => { if (one.input.checked !== (one.value === value)) one.input.checked = one.value === value; });
  return { root, set, get value() { return inputs.find((one) => one.input.checked)?.value ?? null; } };
}

export const isMotionReduced = () => matchMedia("(prefers-reduced-motion: reduce)").matches;
