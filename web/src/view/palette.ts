// How each option is drawn: a colour by side, a dash by option, so that no two lines differ by colour only. What the charts
// of functions/breakeven/report/charts/marks.py draw, too, has the same look here, and a test compares them.
import type { Answer, Priced } from "../cost/answer.js";
import { AMAZON_MQ, AS_USED, BATCHED, BY_TENS, ownId } from "../cost/options.js";

export interface Theme {
  ink: string;
  muted: string;
  grid: string;
  paper: string;
  band: string;
  sqs: string;
  own: string;
  managed: string;
}

export const LIGHT: Theme = {
  ink: "#1c2430", muted: "#5b6675", grid: "#dfe3e8", paper: "#ffffff", band: "#f1e3b8",
  sqs: "#0b5fa5", own: "#c2410c", managed: "#6d4aa5",
};
export const DARK: Theme = {
  ink: "#e8ecf1", muted: "#a3adba", grid: "#333c48", paper: "#151a21", band: "#4a4020",
  sqs: "#6db3f2", own: "#f0935c", managed: "#c0a0ee",
};

/** of every line of the chart, CSS pixels */
export const LINE = 2.2;
/** marks and gaps in widths of the line; none: a whole line */
const DASHES: Record<string, number[]> = {
  [AS_USED]: [], [BATCHED]: [6, 2], [BY_TENS]: [1, 1.5], [AMAZON_MQ]: [6, 2, 1.5, 2],
};
/** The same of the cluster that is compared, then of its other forms, which stand beside. */
const OF_CLUSTERS = [[3, 1.5], [4, 1.5, 1, 1.5, 1, 1.5], [1.5, 3]];

export function stroke(one: Priced, answer: Answer, theme: Theme): { stroke: string; dash: string } {
  const { side, id } = one.option;
  const colour = side === "sqs" ? theme.sqs : side === "amazon-mq" ? theme.managed : theme.own;
  const widths = DASHES[id] ?? OF_CLUSTERS[placeOf(one, answer)] ?? [];
  return { stroke: colour, dash: widths.map((width) => Number((width * LINE).toFixed(2))).join(" ") };
}

function placeOf({ option }: Priced, answer: Answer): number {
  const asked = ownId(answer.inputs.deployment);
  const others = answer.options.filter((one) => one.option.side === "self-hosted" && one.option.id !== asked);
  return 1 + others.findIndex((one) => one.option.id === option.id);
}

export function theme(): Theme {
  return matchMedia("(prefers-color-scheme: dark)").matches ? DARK : LIGHT;
}
