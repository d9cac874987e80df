/** Building and updating nodes: text goes in as text, a node that is there stays there. */

const SVG = "http://www.w3.org/2000/svg";

/** What the server wrote into the page's JSON block. */
export const page = JSON.parse(document.getElementById("taku-page")?.textContent || "{}");

// Coming back by the back button finds the page as it was left, which is old.
addEventListener("pageshow", (event) => event.persisted && location.reload());

/** Sets one attribute, listener (`onclick`) or boolean; writes only what differs. */
export function put(node, name, value) {
  if (name.startsWith("on")) node.addEventListener(name.slice(2), value);
  else if (value === null || value === undefined || value === false) node.removeAttribute(name);
  else if (node.getAttribute(name) !== String(value)) node.setAttribute(name, value === true ? "" : value);
  return node;
}

/** `el("button.btn.primary", {type: "button", onclick: f}, "text", node, …)`. */
export function el(spec, attributes = {}, ...children) {
  const [tag, ...classes] = spec.split(".");
  const node = document.createElement(tag);
  if (classes.length) node.className = classes.join(" ");
  for (const [name, value] of Object.entries(attributes)) put(node, name, value);
  node.append(...children.filter((child) => child !== null && child !== undefined));
  return node;
}

/** A drawing of the sprite; decoration, so hidden from assistive technology. */
export function icon(name, className = "icon") {
  const svg = document.createElementNS(SVG, "svg");
  put(svg, "class", className);
  put(svg, "aria-hidden", "true");
  svg.append(use(name));
  return svg;
}

export function use(name, box = {}) {
  const node = document.createElementNS(SVG, "use");
  put(node, "href", `${page.sprite}#${name}`);
  for (const [key, value] of Object.entries(box)) put(node, key, value);
  return node;
}

export function svg(tag, attributes = {}, ...children) {
  const node = document.createElementNS(SVG, tag);
  for (const [name, value] of Object.entries(attributes)) put(node, name, value);
  node.append(...children);
  return node;
}

/** Replaces a node's text if it differs. */
export function say(node, text) {
  if (node.textContent !== text) node.textContent = text;
  return node;
}

export function show(node, visible) {
  if (node.hidden === visible) node.hidden = !visible;
  return node;
}

/**
 * Makes `parent`'s children one for each item, in order. A child made for a key is updated and kept,
 * and moved only when its place is wrong, so focus, scroll and running animations live on.
 */
export function keyed(parent, items, keyOf, make, update) {
  const old = parent.keyed ?? new Map();
  const now = new Map();
  let at = parent.firstChild;
  items.forEach((item, index) => {
    const key = keyOf(item, index);
    const node = old.get(key) ?? make(item, index);
    now.set(key, node);
    old.delete(key);
    if (node === at) at = at.nextSibling;
    else parent.insertBefore(node, at);
    update?.(node, item, index);
  });
  for (const gone of old.values()) gone.remove();
  parent.keyed = now;
}

/** Registers a custom element once. */
export function define(name, type) {
  if (!customElements.get(name)) customElements.define(name, type);
}

/** Tells parents what somebody wants: a bubbling event with a detail. */
export function ask(node, type, detail = {}) {
  node.dispatchEvent(new CustomEvent(type, { bubbles: true, detail }));
}

/** A button that never loses focus by being switched off: `aria-disabled` and a reason instead. */
export function enable(button, enabled) {
  return put(button, "aria-disabled", enabled ? null : "true");
}

export const enabled = (button) => button.getAttribute("aria-disabled") !== "true";

/** An id for an action or request; works on plain http too, where randomUUID is missing. */
export function freshId() {
  const bytes = crypto.getRandomValues(new Uint8Array(16));
  return Array.from(bytes, (byte) => byte.toString(16).padStart(2, "0")).join("");
}
