// How each option is drawn: a colour by side, a dash by option, so that no two differ by colour alone. SQS batched is
// dashed, as in the charts of functions/breakeven/report/charts/marks.py.
import type { Priced } from "../cost/answer.js";

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
  sqs: "#0b5fa5", own: "#b4420a", managed: "#6b3fa0",
};
export const DARK: Theme = {
  ink: "#e8ecf1", muted: "#a3adba", grid: "#333c48", paper: "#151a21", band: "#4a4020",
  sqs: "#6db3f2", own: "#f0935c", managed: "#c0a0ee",
};

const DASHES: Record<string, string> = {
  "sqs-by-tens": "2 3", "sqs-batched": "7 4", "rabbitmq-trio": "7 4", "rabbitmq-single": "2 3",
};

export function stroke(one: Priced, theme: Theme): { stroke: string; dash: string } {
  const { side, id } = one.option;
  const colour = side === "sqs" ? theme.sqs : side === "amazon-mq" ? theme.managed : theme.own;
  return { stroke: colour, dash: DASHES[id] ?? "" };
}

export function theme(): Theme {
  return matchMedia("(prefers-color-scheme: dark)").matches ? DARK : LIGHT;
}
