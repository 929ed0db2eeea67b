// Rates of a run under way: two lines over its seconds, which pause between cases.
import { clock, figure } from "../numbers.js";
import { svg } from "./dom.js";
import type { Theme } from "./palette.js";

export interface Moment {
  at_s: number;
  case: string | null;
  sent_per_s: number | null;
  received_per_s: number | null;
}

const MARGIN = { left: 56, right: 10, top: 10, bottom: 26 };
/** seconds that the axis has at least */
const LEAST_S = 60;
const TICKS = 4;
/** seconds between the marks of the time axis: the least of them by which no more than six fit */
const STEPS_S = [10, 15, 30, 60, 120, 300, 600, 900, 1800, 3600, 7200, 14400];
const MOST_MARKS = 6;

/** One, two or five times a power of ten, at or above the value. */
function rounded(value: number): number {
  const power = 10 ** Math.floor(Math.log10(value));
  return (value / power <= 1 ? 1 : value / power <= 2 ? 2 : value / power <= 5 ? 5 : 10) * power;
}

type Rate = "sent_per_s" | "received_per_s";

/** Paths of one line, each of a case without a gap. */
function path(all: Moment[], rate: Rate, x: (s: number) => number, y: (rate: number) => number): string {
  let before: Moment | null = null;
  let drawn = "";
  for (const moment of all) {
    const value = moment[rate];
    if (value !== null) {
      const goes = before && before[rate] !== null && before.case === moment.case ? "L" : "M";
      drawn += `${goes}${x(moment.at_s).toFixed(1)} ${y(value).toFixed(1)}`;
    }
    before = moment;
  }
  return drawn;
}

/** Whole multiples of a step within the axis, in seconds. */
function marks(from: number, to: number): number[] {
  const step = STEPS_S.find((one) => (to - from) / one <= MOST_MARKS) ?? (to - from) / MOST_MARKS;
  const first = Math.ceil(from / step);
  return Array.from({ length: Math.floor(to / step) - first + 1 }, (_, k) => (first + k) * step);
}

/** An SVG of that size in CSS pixels, from when the first case began. */
export function moments(every: Moment[], width: number, height: number, theme: Theme): SVGElement {
  const all = every.slice(Math.max(0, every.findIndex((one) => one.case !== null)));
  const rates = all.flatMap((one) => [one.sent_per_s ?? 0, one.received_per_s ?? 0]);
  const most = rounded(Math.max(10, ...rates));
  const from = all[0]?.at_s ?? 0;
  const to = Math.max(from + LEAST_S, all[all.length - 1]?.at_s ?? 0);
  const x = (s: number) => MARGIN.left + ((s - from) / (to - from)) * (width - MARGIN.left - MARGIN.right);
  const y = (rate: number) => height - MARGIN.bottom - (rate / most) * (height - MARGIN.top - MARGIN.bottom);
  const steps = Array.from({ length: TICKS + 1 }, (_, k) => k / TICKS);
  const text = { "font-size": 12, fill: theme.muted };
  const last = [...all].reverse().find((one) => one.sent_per_s !== null);
  const said = last ? `Last: ${figure(last.sent_per_s)} sent and ${figure(last.received_per_s)} received a second.` : "Nothing yet.";
  return svg(
    "svg", { viewBox: `0 0 ${width} ${height}`, width, height, role: "img", "aria-label": `Rates over time. ${said}` },
    ...steps.flatMap((share) => [
      svg("line", { x1: MARGIN.left, x2: width - MARGIN.right, y1: y(share * most), y2: y(share * most), stroke: theme.grid }),
      svg("text", { ...text, x: MARGIN.left - 6, y: y(share * most) + 4, "text-anchor": "end" }, figure(share * most)),
    ]),
    ...marks(from, to).map((at) => {
      const anchor = x(at) > width - 2 * MARGIN.bottom ? "end" : "middle";
      return svg("text", { ...text, x: x(at), y: height - 8, "text-anchor": anchor }, clock(at));
    }),
    svg("path", { d: path(all, "sent_per_s", x, y), fill: "none", stroke: theme.sqs, "stroke-width": 2 }),
    svg("path", {
      d: path(all, "received_per_s", x, y), fill: "none", stroke: theme.own, "stroke-width": 2, "stroke-dasharray": "6 3",
    }),
  );
}
