// What the lines of the chart are.
import type { Answer, Priced } from "../cost/answer.js";
import { el, svg } from "./dom.js";
import { stroke, type Theme } from "./palette.js";

/** A piece of an option's line. */
export function swatch(one: Priced, theme: Theme): SVGElement {
  const { stroke: colour, dash } = stroke(one, theme);
  const drawn = { x1: 0, y1: 5, x2: 28, y2: 5, stroke: colour, "stroke-width": 3 };
  const line = svg("line", dash ? { ...drawn, "stroke-dasharray": dash } : drawn);
  return svg("svg", { width: 28, height: 10, viewBox: "0 0 28 10", "aria-hidden": "true", class: "swatch" }, line);
}

/** A line and its option each: right under the chart, as on a phone the table that has both is screens away. */
export function legend(answer: Answer, theme: Theme): HTMLElement[] {
  return answer.options.map((one) => el("li", {}, swatch(one, theme), ` ${one.option.label}`));
}
