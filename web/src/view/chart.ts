// What a month costs by traffic: a line an option, rings where they change places, and a dot for the reader.
import { secondsPerMonth } from "../bill/form.js";
import { usdAt, type Answer, type Pair, type Priced } from "../cost/answer.js";
import { AS_USED, BATCHED } from "../cost/options.js";
import { about, dollars } from "../numbers.js";
import { own, pairOf } from "../words.js";
import { svg } from "./dom.js";
import { stroke, type Theme } from "./palette.js";

const FONT = 'system-ui, -apple-system, "Segoe UI", Roboto, "Helvetica Neue", Arial, sans-serif';
const RATES: [number, number] = [0.1, 100_000];
const MARGIN = { left: 62, right: 14, top: 12, bottom: 40 };
const SAMPLES = 160;
/** room that the rate beside a ring takes, CSS pixels */
const LABEL = { width: 50, height: 16 };
/** edges of clusters that are drawn as steps; of more of them the samples tell */
const MOST_STEPS = 40;

interface Scale {
  x: (rate: number) => number;
  y: (usd: number) => number;
  width: number;
  height: number;
  usd: [number, number];
  rates: [number, number];
}

/** An SVG of that size in CSS pixels, which says in words what it shows. */
export function chart(answer: Answer, width: number, height: number, theme: Theme): SVGElement {
  const rates: [number, number] = [Math.min(RATES[0], answer.rate || RATES[0]), Math.max(RATES[1], answer.rate)];
  const curves = answer.options.map((one) => points(one, answer, rates));
  const scale = scaled(curves.flat(), rates, width, height);
  const marked = marks(answer);
  const label = `What a month costs, by traffic. ${marked.map(said).join(" ")} ${yours(answer)}`;
  return svg(
    "svg",
    {
      viewBox: `0 0 ${width} ${height}`, width, height, role: "img", "aria-label": label, "font-family": FONT,
      "font-size": 12, xmlns: "http://www.w3.org/2000/svg",
    },
    ...bands(marked, scale, theme),
    ...axes(scale, theme),
    ...curves.map((curve, at) => line(answer.options[at] as Priced, curve, scale, theme)),
    ...marked.map((pair) => ring(pair, scale, theme)),
    ...you(answer, scale, theme),
    ...labels(marked, answer, scale, theme),
  );
}

/** The pairs whose first change of sides is drawn. */
function marks(answer: Answer): Pair[] {
  const mine = own(answer);
  if (!mine) return [];
  return [AS_USED, BATCHED].flatMap((id) => pairOf(answer, id, mine.option.id) ?? []).filter((pair) => pair.rate !== null);
}

function said(pair: Pair): string {
  return `${pair.first.option.label} and ${pair.second.option.label} cost the same at ${about(pair.rate ?? 0)} messages a second.`;
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

function short(value: number): string {
  if (value >= 1e6) return `${value / 1e6}M`;
  return value >= 1e4 ? `${value / 1e3}k` : value.toLocaleString("en-US");
}

function axes(scale: Scale, theme: Theme): SVGElement[] {
  const bottom = scale.height - MARGIN.bottom;
  const right = scale.width - MARGIN.right;
  const rule = (x1: number, y1: number, x2: number, y2: number) => svg("line", { x1, y1, x2, y2, stroke: theme.grid });
  const text = (x: number, y: number, words: string, anchor: string) =>
    svg("text", { x, y, fill: theme.muted, "text-anchor": anchor }, words);
  // the last one, at the edge, ends with it
  const tick = (x: number, words: string) =>
    text(x > right - 1 ? scale.width - 1 : x, bottom + 16, words, x > right - 1 ? "end" : "middle");
  return [
    ...decades(scale.rates).flatMap((rate) => [
      rule(scale.x(rate), MARGIN.top, scale.x(rate), bottom), tick(scale.x(rate), short(rate)),
    ]),
    ...decades(scale.usd).flatMap((usd) => [
      rule(MARGIN.left, scale.y(usd), right, scale.y(usd)), text(MARGIN.left - 6, scale.y(usd) + 4, `$${short(usd)}`, "end"),
    ]),
    text(right, scale.height - 6, "messages a second, monthly mean", "end"),
    svg(
      "text",
      { fill: theme.muted, "text-anchor": "end", transform: `translate(12 ${MARGIN.top}) rotate(-90)` },
      "dollars a month",
    ),
  ];
}

function bands(marked: Pair[], scale: Scale, theme: Theme): SVGElement[] {
  return marked.slice(0, 1).flatMap(({ low, high }) => {
    if (low === null || high === null) return [];
    const x = scale.x(low);
    const width = Math.max(2, scale.x(high) - x);
    return [svg("rect", { x, y: MARGIN.top, width, height: scale.height - MARGIN.top - MARGIN.bottom, fill: theme.band })];
  });
}

function line(one: Priced, curve: [number, number][], scale: Scale, theme: Theme): SVGElement {
  const path = curve.map(([rate, usd], at) => `${at ? "L" : "M"}${scale.x(rate).toFixed(1)} ${scale.y(usd).toFixed(1)}`);
  const { stroke: colour, dash } = stroke(one, theme);
  const drawn = { d: path.join(""), fill: "none", stroke: colour, "stroke-width": 2.2, "stroke-linejoin": "round" };
  return svg("path", dash ? { ...drawn, "stroke-dasharray": dash } : drawn);
}

function ring(pair: Pair, scale: Scale, theme: Theme): SVGElement {
  const [x, y] = [scale.x(pair.rate ?? 0), scale.y(pair.usd ?? 0)];
  return svg("circle", { cx: x, cy: y, r: 5.5, fill: theme.paper, stroke: theme.ink, "stroke-width": 1.8 });
}

/** The rings' rates, over all else: away from the edge, from the reader's own rule, and from one another. */
function labels(marked: Pair[], answer: Answer, scale: Scale, theme: Theme): SVGElement[] {
  const placed: [number, number][] = [];
  const rule = answer.rate > 0 ? scale.x(answer.rate) : -LABEL.width;
  return marked.map((pair) => {
    const [x, ring] = [scale.x(pair.rate ?? 0), scale.y(pair.usd ?? 0)];
    const left = x > scale.width - LABEL.width || (rule >= x && rule < x + LABEL.width);
    const below = ring + LABEL.height + 2;
    const taken = placed.some(([at, y]) => Math.abs(at - x) < LABEL.width && Math.abs(y - below) < LABEL.height);
    const y = taken ? ring - 10 : below;
    placed.push([x, y]);
    return svg(
      "text",
      {
        x: x + (left ? -9 : 9), y, fill: theme.ink, "font-weight": 600, stroke: theme.paper, "stroke-width": 3,
        "paint-order": "stroke", "text-anchor": left ? "end" : "start",
      },
      about(pair.rate ?? 0),
    );
  });
}

/** The reader's own rate: a rule, and a dot on every line. */
function you(answer: Answer, scale: Scale, theme: Theme): SVGElement[] {
  if (answer.rate <= 0) return [];
  const x = scale.x(answer.rate);
  const bottom = scale.height - MARGIN.bottom;
  const left = x > scale.width - 70;
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
        : [svg("circle", { cx: x, cy: scale.y(one.usd), r: 4, fill: stroke(one, theme).stroke, stroke: theme.paper })],
    ),
  ];
}
