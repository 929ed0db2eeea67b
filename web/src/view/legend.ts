// What the lines of the chart are.
import type { Answer, Priced } from "../cost/answer.js";
import { el, svg } from "./dom.js";
import { LINE, stroke, type Theme } from "./palette.js";

/** in which the longest dashes are seen to come again, CSS pixels */
export const SWATCH = 36;

/** A piece of an option's line. */
export function swatch(one: Priced, answer: Answer, theme: Theme): SVGElement {
  const { stroke: colour, dash } = stroke(one, answer, theme);
  const drawn = { x1: 0, y1: 5, x2: SWATCH, y2: 5, stroke: colour, "stroke-width": LINE };
  const line = svg("line", dash ? { ...drawn, "stroke-dasharray": dash } : drawn);
  const box = { width: SWATCH, height: 10, viewBox: `0 0 ${SWATCH} 10` };
  return svg("svg", { ...box, "aria-hidden": "true", class: "swatch" }, line);
}

/** A line and its option each: right under the chart, as on a phone the table that has both is screens away. */
export function legend(answer: Answer, theme: Theme): HTMLElement[] {
  return answer.options.map((one) => el("li", {}, swatch(one, answer, theme), ` ${one.option.label}`));
}
