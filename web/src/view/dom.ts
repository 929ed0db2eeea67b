// Elements made by name: text is always text, so that nothing a report embeds becomes markup.

type Child = Node | string | null;
type Attributes = Record<string, string | number | boolean | EventListener>;

function fill(node: Element, attributes: Attributes, children: Child[]): void {
  for (const [name, value] of Object.entries(attributes)) {
    if (typeof value === "function") node.addEventListener(name, value);
    else if (value === true) node.setAttribute(name, "");
    else if (value !== false) node.setAttribute(name, String(value));
  }
  node.append(...children.filter((child): child is Node | string => child !== null));
}

/** An element of HTML; a function among the attributes listens to the event of its name. */
export function el<K extends keyof HTMLElementTagNameMap>(
  name: K, attributes: Attributes = {}, ...children: Child[]
): HTMLElementTagNameMap[K] {
  const node = document.createElement(name);
  fill(node, attributes, children);
  return node;
}

/** An element of SVG. */
export function svg(name: string, attributes: Attributes = {}, ...children: Child[]): SVGElement {
  const node = document.createElementNS("http://www.w3.org/2000/svg", name);
  fill(node, attributes, children);
  return node;
}

/** The element of that id, which the page has. */
export function byId(id: string): HTMLElement {
  const found = document.getElementById(id);
  if (!found) throw new Error(`the page has no #${id}`);
  return found;
}

/** Sets a text that is not there already: of what is set anew, listeners are told, and a selection in it is lost. */
export function say(id: string, text: string): void {
  const node = byId(id);
  if (node.textContent !== text) node.textContent = text;
}

/** Such as us-east-1. */
const REGION = /\b([a-z]{2}(?:-[a-z]{2,12}){1,2}-\d)\b/;

/** A sentence with the names of regions in one piece: a browser would break them at their last hyphen. */
export function whole(text: string): (HTMLElement | string)[] {
  return text.split(REGION).map((part, place) => (place % 2 ? el("span", { class: "whole" }, part) : part));
}
