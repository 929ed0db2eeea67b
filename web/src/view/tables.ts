// Prices side by side, and where clusters become cheaper than SQS; each figure opens its explanation.
import type { PageData } from "../data.js";
import type { Answer, Pair, Priced } from "../cost/answer.js";
import { AS_USED, BATCHED, BY_TENS } from "../cost/options.js";
import { about, dollars, figure, listing, number } from "../numbers.js";
import { orNone, untilWhere, whyItEnds } from "../pair_words.js";
import { latencyNear } from "../asked/near.js";
import { asCheap, cheapest, compared, hoursLeft, notCompared, optionOf, pairOf } from "../words.js";
import { el } from "./dom.js";
import { swatch } from "./legend.js";
import type { Theme } from "./palette.js";

export interface Explains {
  price: (one: Priced) => void;
  crossing: (pair: Pair) => void;
  hours: (sqs: Priced, other: Priced) => void;
}

function columns({ sqs_short_names: short }: PageData): [string, string][] {
  return [[AS_USED, short[AS_USED]], [BY_TENS, "single sends"], [BATCHED, short[BATCHED]]];
}

/** A figure that says where it comes from when it is pressed; `key` finds it again after a redraw. */
function figureButton(key: string, text: string, about: string, open: () => void): HTMLElement {
  const label = `${text}. ${about}: where this figure comes from`;
  return el("button", { type: "button", class: "figure", "data-key": key, "aria-label": label, click: open }, text);
}

function head(...titles: string[]): HTMLElement {
  return el("thead", {}, el("tr", {}, ...titles.map((title) => el("th", { scope: "col" }, title))));
}

function framed(caption: string, name: string, table: HTMLElement, note = ""): HTMLElement {
  return el(
    "figure", { class: "table", id: `yours-${name}` },
    el("figcaption", {}, caption),
    el("div", { class: "scroll", role: "region", "aria-label": caption, tabindex: 0 }, table),
    note ? el("p", { class: "note" }, note) : null,
  );
}

/** What is compared first, then the other forms of clusters. */
function inOrder(answer: Answer): Priced[] {
  const ranked = compared(answer);
  return [...ranked, ...answer.options.filter((one) => !ranked.includes(one))];
}

/** Every option's bill at the reader's rate. */
export function prices(answer: Answer, data: PageData, theme: Theme, explains: Explains): HTMLElement {
  const best = cheapest(answer);
  const ranked = compared(answer);
  const alike = asCheap(answer);
  const rows = inOrder(answer).map((one) => {
    const more = one.usd === null || !best || best.usd === null ? null : one.usd - best.usd;
    const price = one.usd === null ? "not priced" : dollars(one.usd);
    return el(
      "tr", { class: alike.includes(one) ? "best" : ranked.includes(one) ? "" : "beside" },
      el("th", { scope: "row" }, swatch(one, answer, theme), ` ${one.option.label}`),
      el("td", {}, figureButton(`price-${one.option.id}`, price, `${one.option.label}, a month`, () => explains.price(one))),
      el("td", {}, alike.includes(one) ? "cheapest" : more === null ? "–" : `${more < 0 ? "" : "+"}${dollars(more)}`),
      el("td", {}, one.option.side === "sqs" ? "–" : String(one.lines[0]?.clusters ?? 1)),
      el("td", { class: "words" }, latencyNear(one, answer.rate, data)),
    );
  });
  const titles = ["Option", "$ a month", "more than the cheapest", "clusters", "latency near this rate"];
  const table = el("table", {}, head(...titles), el("tbody", {}, ...rows));
  const latency = "Latency: of cases at half to twice this rate and size that kept up; elsewhere messages waited in a growing queue.";
  return framed("What your traffic costs", "prices", table, [notCompared(answer, data), latency, ...leftOut(answer)].filter(Boolean).join(" "));
}

/** A sentence for each reason why options have no price, which several of them may share. */
function leftOut({ left_out: reasons }: Answer): string[] {
  return [...new Set(reasons)].map((reason) => `Not priced: ${reason.replace(/\.$/, "")}.`);
}

function crossingCell(pair: Pair | undefined, explains: Explains): HTMLElement {
  if (!pair) return el("td", {}, "–");
  const text =
    pair.rate === null
      ? pair.rows[0]?.kind === "unpriced" ? "not priced" : pair.above === pair.second ? "always" : "never"
      : `${pair.above === pair.second ? "above" : "below"} ${about(pair.rate)}`;
  const key = `crossing-${pair.first.option.id}-${pair.second.option.id}`;
  const what = `${pair.second.option.label} is cheaper than ${pair.first.option.label}, messages a second`;
  const ends = pair.low === null || pair.high === null ? "" : `${about(pair.low)} to ${about(pair.high)}`;
  const said = [ends, pair.rate === null ? "" : orNone(pair)].filter(Boolean).join(", ");
  const span = said ? el("small", {}, said) : null;
  const until = untilWhere(pair);
  const again = until ? el("small", {}, until) : null;
  return el("td", {}, figureButton(key, text, until ? `${what}, ${until}` : what, () => explains.crossing(pair)), again, span);
}

function hoursCell(sqs: Priced | undefined, other: Priced, answer: Answer, explains: Explains): HTMLElement {
  const hours = hoursLeft(sqs, other, answer.inputs);
  if (!sqs || hours === null) return el("td", {}, "–");
  const text = hours === 0 ? "never" : figure(hours);
  const what = `hours of staff time a month below which ${other.option.label} is cheaper than ${sqs.option.label}`;
  const key = `hours-${sqs.option.id}-${other.option.id}`;
  return el("td", {}, figureButton(key, text, what, () => explains.hours(sqs, other)));
}

/** How far "always" and "never" reach, where either is said: each cluster has an end of its own. */
function throughout(pairs: Pair[]): string {
  const found = pairs.flatMap(({ first, second, rate, searched }) =>
    rate === null && searched !== null ? [[second.option.label, `${about(searched)}${whyItEnds([first, second], searched)}`]] : [],
  );
  const ends = new Map<string, string[]>();
  for (const [label = "", end = ""] of found) ends.set(end, [...new Set([...(ends.get(end) ?? []), label])]);
  const said = [...ends].map(([end, labels]) => `beside ${listing(labels)} up to about ${end}`);
  return said.length ? `Always and never: at every rate searched, in messages a second ${said.join("; ")}.` : "";
}

/** From which rate each cluster is cheaper than SQS, and how much staff time it may take at the reader's rate. */
export function changes(answer: Answer, data: PageData, explains: Explains): HTMLElement {
  const clusters = inOrder(answer).filter((one) => one.option.side !== "sqs");
  const rows = clusters.map((one) =>
    el(
      "tr", {},
      el("th", { scope: "row" }, one.option.label),
      ...columns(data).map(([id]) => crossingCell(pairOf(answer, id, one.option.id), explains)),
      ...[AS_USED, BATCHED].map((id) => hoursCell(optionOf(answer, id), one, answer, explains)),
    ),
  );
  const groups = el(
    "tr", { class: "groups" },
    el("th", { scope: "col", rowspan: 2, class: "label" }, "Cluster"),
    el("th", { scope: "colgroup", colspan: 3 }, "Cheaper than SQS, msg/s"),
    el("th", { scope: "colgroup", colspan: 2 }, "Break-even hours a month"),
  );
  const short = data.sqs_short_names;
  const titles = [...columns(data).map(([, name]) => name), short[AS_USED], short[BATCHED]];
  const second = el("tr", {}, ...titles.map((title) => el("th", { scope: "col" }, title)));
  const table = el("table", {}, el("thead", {}, groups, second), el("tbody", {}, ...rows));
  const note =
    "Monthly means; below each, where it changes again, and the range of what is not known. Break-even hours: the staff time at your rate below " +
    `which the cluster is cheaper, at $${number(answer.inputs.hour_rate)} an hour.`;
  return framed("Where the cheaper option changes", "changes", table, [note, throughout(answer.pairs)].filter(Boolean).join(" "));
}
