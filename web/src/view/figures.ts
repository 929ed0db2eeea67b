// Figures within sentences: each is pressed to say what it comes from.
import type { PageData } from "../data.js";
import type { Answer, Pair } from "../cost/answer.js";
import { about, dollars } from "../numbers.js";
import { el, whole } from "./dom.js";
import type { Explanations } from "./explain.js";

/** Dollars or a number, with what it counts in; no part of a name, a date or a release. */
const FIGURE = /(?<![\w.,/-])(−?\$?\d+(?:,\d{3})*(?:\.\d+)?(?: (?:million|billion|trillion|KiB|MiB))?)(?![\w-]|[.,]\d)/;
/** What a figure of staff time has behind it, which may be the number of a rate. */
const HOURS = /^ hours?\b/;
const EXPLAINED = ["bills", "crossover"];

type Open = () => void;

function button(text: string, open: Open): HTMLElement {
  return el("button", { type: "button", class: "said", title: "Where this figure comes from", click: open }, text);
}

/** A text with a button in the place of each figure; `openOf` says what it opens, also by what follows the figure. */
function split(text: string, openOf: (figure: string, rest: string) => Open): (HTMLElement | string)[] {
  const parts = text.split(FIGURE);
  return parts.map((part, place) => (place % 2 ? button(part, openOf(part, parts[place + 1] ?? "")) : part));
}

/**
 * A sentence on an answer: a price or a rate that stands for one thing opens that, all else what stands behind the answer.
 *
 * @param rates - whose crossings the sentence names; another rate of it may read the same
 */
export function withFigures(
  text: string, answer: Answer, explains: Explanations, data: PageData, rates: Pair[],
): (Node | string)[] {
  const known = new Map<string, Open | null>();
  const add = (figure: string, open: Open) => known.set(figure, known.has(figure) ? null : open);
  for (const one of answer.options) if (one.usd !== null) add(dollars(one.usd), () => explains.price(one));
  for (const pair of rates) if (pair.rate !== null) add(about(pair.rate), () => explains.crossing(pair));
  const all = () => explains.all(EXPLAINED);
  // of releases, which are no figures
  const [said = "", ...rest] = text.split(data.of_mirroring);
  const openOf = (figure: string, rest: string) => (HOURS.test(rest) ? all : (known.get(figure) ?? all));
  const parts = [...split(said, openOf), ...rest.flatMap((part) => [data.of_mirroring, ...split(part, openOf)])];
  return parts.flatMap((part) => (typeof part === "string" ? whole(part) : [part]));
}

/** The same of what the page has as text already: each figure opens one and the same. */
export function figuresIn(element: Element | null, open: Open): void {
  if (!element) return;
  const walker = document.createTreeWalker(element, NodeFilter.SHOW_TEXT);
  const texts: Text[] = [];
  while (walker.nextNode()) texts.push(walker.currentNode as Text);
  for (const text of texts) text.replaceWith(...split(text.data, () => open));
}
