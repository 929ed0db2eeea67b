// What a month costs by traffic: a line an option, a ring and a range where they change places, a dot for the reader.
import { secondsPerMonth } from "../bill/form.js";
import { usdAt, type Answer, type Pair, type Placed, type Priced } from "../cost/answer.js";
import { AS_USED, BATCHED } from "../cost/options.js";
import { about, dollars, listing } from "../numbers.js";
import { between } from "../pair_words.js";
import { own, pairOf } from "../words.js";
import { svg } from "./dom.js";
import { MARGIN, YOU, type Scale } from "./frame.js";
import { labels } from "./labels.js";
import { LINE, stroke, type Theme } from "./palette.js";

const FONT = 'system-ui, -apple-system, "Segoe UI", Roboto, "Helvetica Neue", Arial, sans-serif';
const RATES: [number, number] = [0.1, 100_000];
const SAMPLES = 160;
/** of the axes, at most, CSS pixels */
const CHARACTER = 7;
/** further crossings of a pair that are said in words */
const MOST_SAID = 5;
/** crossings of a pair that are drawn small, if there are more */
const MANY = 12;
/** edges of clusters that are drawn as steps; of more of them the samples tell */
const MOST_STEPS = 40;

/** A rate at which SQS and the reader's own cluster change places or cost the same. */
export interface Mark {
  pair: Pair;
  row: Placed;
  rate: number;
  usd: number;
}

/** An SVG of that size in CSS pixels, which says in words what it shows. */
export function chart(answer: Answer, width: number, height: number, theme: Theme): SVGElement {
  const marked = marks(answer);
  const [least, most] = [Math.min(RATES[0], answer.rate || RATES[0]), Math.max(RATES[1], answer.rate, furthest(marked))];
  const rates: [number, number] = [least, most];
  const curves = answer.options.map((one) => points(one, answer, rates));
  const scale = scaled(curves.flat(), rates, width, height);
  const label = `What a month costs, by traffic. ${said(marked).join(" ")} ${yours(answer)}`;
  return svg(
    "svg",
    {
      viewBox: `0 0 ${width} ${height}`, width, height, role: "img", "aria-label": label, "font-family": FONT,
      "font-size": 12, xmlns: "http://www.w3.org/2000/svg",
    },
    ...bands(marked, scale, theme),
    ...axes(scale, theme),
    ...curves.map((curve, at) => line(answer.options[at] as Priced, answer, curve, scale, theme)),
    ...marked.flatMap((mark) => range(mark, scale, theme)),
    ...marked.map((mark) => ring(mark, scale, theme)),
    ...you(answer, scale, theme),
    ...labels(marked, answer, curves, scale, theme),
  );
}

/** What rings, bars and shades are, where any is drawn. */
export function key(answer: Answer): string {
  const marked = marks(answer);
  if (!marked.length) return "";
  const ranges = marked.some(({ row }) => row.low !== null)
    ? " The bar through a ring, shaded for the first of a pair, is its range over what is not known."
    : "";
  return `Rings mark where your cluster and SQS, as used or batched, cost the same or change places.${ranges}`;
}

/** Every crossing of the reader's own cluster with SQS as used and batched, those of each pair from the lowest rate. */
function marks(answer: Answer): Mark[] {
  const mine = own(answer);
  if (!mine) return [];
  const pairs = [AS_USED, BATCHED].flatMap((id) => pairOf(answer, id, mine.option.id) ?? []);
  return pairs.flatMap((pair) =>
    pair.rows.flatMap((row) => (row.rate && row.usd !== null ? [{ pair, row, rate: row.rate, usd: row.usd }] : [])),
  );
}

/** To where the axis goes for the last of them, which does not stand on its edge. */
function furthest(marked: Mark[]): number {
  return 1.5 * marked.reduce((most, { rate }) => Math.max(most, rate), 0);
}

/** A sentence a pair: where its two cost the same, and how sure that is. */
function said(marked: Mark[]): string[] {
  return [...new Set(marked.map(({ pair }) => pair))].map((pair) => {
    const rates = marked.filter((mark) => mark.pair === pair).map(({ row, rate }) => `${about(rate)}${between(row)}`);
    const [first, ...more] = rates;
    const unsaid = more.length - MOST_SAID;
    const again = more.length ? `, again at ${listing([...more.slice(0, MOST_SAID), ...(unsaid > 0 ? [`${unsaid} more rates`] : [])])}` : "";
    return `${pair.first.option.label} and ${pair.second.option.label} cost the same at ${first} messages a second${again}.`;
  });
}

function yours(answer: Answer): string {
  const sums = answer.options.map((one) => `${one.option.label} ${dollars(one.usd)}`);
  return `At your ${about(answer.rate)} messages a second: ${sums.join(", ")}.`;
}

function points(one: Priced, answer: Answer, [least, most]: [number, number]): [number, number][] {
  const seconds = secondsPerMonth(answer.inputs);
  const rates = Array.from({ length: SAMPLES + 1 }, (_, k) => least * (most / least) ** (k / SAMPLES));
  const edges = one.pieces.slice(0, MOST_STEPS).map((piece) => piece.from / seconds);
  const steps = edges.filter((rate) => rate > least && rate < most).flatMap((rate) => [rate, rate * (1 + 1e-6)]);
  return [...rates, ...steps].sort((a, b) => a - b).flatMap<[number, number]>((rate) => {
    const usd = usdAt(one, rate * seconds);
    return usd === null ? [] : [[rate, usd]];
  });
}

function scaled(all: [number, number][], rates: [number, number], width: number, height: number): Scale {
  const sums = all.map(([, usd]) => usd).filter((usd) => usd > 0);
  // a bill within the free requests is cents or nothing: there is nothing to see below ten cents
  const least = Math.max(0.1, 0.7 * Math.min(...sums, 1e9));
  const usd: [number, number] = [Math.min(least, 10), Math.max(...sums, 10) * 1.3];
  const inner = { width: width - MARGIN.left - MARGIN.right, height: height - MARGIN.top - MARGIN.bottom };
  const share = (value: number, [from, to]: [number, number]) => Math.log(value / from) / Math.log(to / from);
  return {
    x: (rate) => MARGIN.left + inner.width * share(Math.max(rate, rates[0]), rates),
    y: (value) => MARGIN.top + inner.height * (1 - share(Math.max(value, usd[0]), usd)),
    width, height, usd, rates,
  };
}

function decades([from, to]: [number, number]): number[] {
  const found = [];
  for (let power = Math.ceil(Math.log10(from) - 1e-9); 10 ** power <= to * (1 + 1e-9); power++) found.push(10 ** power);
  return found;
}

/** A power of ten: 0.0001, 1,000, 10k, 1M. */
function short(power: number): string {
  if (power < 1) return power.toFixed(Math.round(-Math.log10(power)));
  if (power >= 1e6) return `${power / 1e6}M`;
  return power >= 1e4 ? `${power / 1e3}k` : power.toLocaleString("en-US");
}

/** The same of dollars: $0.10. */
function dollarsShort(power: number): string {
  return power < 1 ? `$${power.toFixed(2)}` : `$${short(power)}`;
}

/** Of the rates, from the last one, those whose names do not run into one another: each with its place and its anchor. */
function named(scale: Scale): [string, number, string][] {
  const right = scale.width - MARGIN.right;
  let free = Infinity;
  return decades(scale.rates).reverse().flatMap<[string, number, string]>((rate) => {
    const [words, x] = [short(rate), scale.x(rate)];
    const room = words.length * CHARACTER;
    // the last one, at the edge, ends with it
    const isLast = x > right - 1;
    const end = isLast ? scale.width - 1 : x + room / 2;
    if (end > free - CHARACTER) return [];
    free = end - room;
    return [isLast ? [words, end, "end"] : [words, x, "middle"]];
  });
}

function axes(scale: Scale, theme: Theme): SVGElement[] {
  const bottom = scale.height - MARGIN.bottom;
  const right = scale.width - MARGIN.right;
  const rule = (x1: number, y1: number, x2: number, y2: number) => svg("line", { x1, y1, x2, y2, stroke: theme.grid });
  const text = (x: number, y: number, words: string, anchor: string) =>
    svg("text", { x, y, fill: theme.muted, "text-anchor": anchor }, words);
  return [
    ...decades(scale.rates).map((rate) => rule(scale.x(rate), MARGIN.top, scale.x(rate), bottom)),
    ...named(scale).map(([words, x, anchor]) => text(x, bottom + 16, words, anchor)),
    ...decades(scale.usd).flatMap((usd) => [
      rule(MARGIN.left, scale.y(usd), right, scale.y(usd)), text(MARGIN.left - 6, scale.y(usd) + 4, dollarsShort(usd), "end"),
    ]),
    text(right, scale.height - 6, "messages a second, monthly mean", "end"),
    svg(
      "text",
      { fill: theme.muted, "text-anchor": "end", transform: `translate(12 ${MARGIN.top}) rotate(-90)` },
      "dollars a month",
    ),
  ];
}

/** Shaded: where the first crossing of each pair may lie. */
function bands(marked: Mark[], scale: Scale, theme: Theme): SVGElement[] {
  return marked.flatMap(({ pair, row }) => {
    if (row.rate !== pair.rate || row.low === null || row.high === null) return [];
    const [x, end] = [row.low, row.high].map((rate) => scale.x(Math.min(rate, scale.rates[1]))) as [number, number];
    const width = Math.max(2, end - x);
    return [svg("rect", { x, y: MARGIN.top, width, height: scale.height - MARGIN.top - MARGIN.bottom, fill: theme.band })];
  });
}

function line(one: Priced, answer: Answer, curve: [number, number][], scale: Scale, theme: Theme): SVGElement {
  const path = curve.map(([rate, usd], at) => `${at ? "L" : "M"}${scale.x(rate).toFixed(1)} ${scale.y(usd).toFixed(1)}`);
  const { stroke: colour, dash } = stroke(one, answer, theme);
  const drawn = { d: path.join(""), fill: "none", stroke: colour, "stroke-width": LINE, "stroke-linejoin": "round" };
  return svg("path", dash ? { ...drawn, "stroke-dasharray": dash } : drawn);
}

/** Through a ring: between which rates the crossing may lie, with an end where the chart has it. */
function range({ row, usd }: Mark, scale: Scale, theme: Theme): SVGElement[] {
  if (row.low === null || row.high === null) return [];
  const y = scale.y(usd);
  const [from, to] = [row.low, row.high].map((rate) => scale.x(Math.min(rate, scale.rates[1]))) as [number, number];
  const [least, most] = scale.rates;
  const end = (rate: number, x: number) => (rate < least || rate > most ? "" : `M${x.toFixed(1)} ${(y - 5).toFixed(1)}v10`);
  const d = `M${from.toFixed(1)} ${y.toFixed(1)}H${to.toFixed(1)}${end(row.low, from)}${end(row.high, to)}`;
  return [svg("path", { d, class: "range", fill: "none", stroke: theme.ink, "stroke-width": 1.4 })];
}

/** The first change of sides of its pair has the greatest ring; where there are many, they would hide one another. */
function ring({ pair, row, usd, rate }: Mark, scale: Scale, theme: Theme): SVGElement {
  const [cx, cy] = [scale.x(rate), scale.y(usd)];
  const [r, width] = row.rate === pair.rate ? [5.5, 1.8] : pair.rows.length > MANY ? [2.5, 1] : [4, 1.6];
  return svg("circle", { cx, cy, r, class: "ring", fill: theme.paper, stroke: theme.ink, "stroke-width": width });
}

/** The reader's own rate: a rule, and a dot on every line. */
function you(answer: Answer, scale: Scale, theme: Theme): SVGElement[] {
  if (answer.rate <= 0) return [];
  const x = scale.x(answer.rate);
  const bottom = scale.height - MARGIN.bottom;
  const left = x > scale.width - YOU;
  const rule = { x1: x, y1: MARGIN.top, x2: x, y2: bottom, stroke: theme.ink, "stroke-dasharray": "1 3" };
  return [
    svg("line", rule),
    svg(
      "text",
      { x: x + (left ? -5 : 5), y: MARGIN.top + 11, fill: theme.ink, "font-weight": 700, "text-anchor": left ? "end" : "start" },
      "you",
    ),
    ...answer.options.flatMap((one) =>
      one.usd === null
        ? []
        : [svg("circle", { cx: x, cy: scale.y(one.usd), r: 4, fill: stroke(one, answer, theme).stroke, stroke: theme.paper })],
    ),
  ];
}
