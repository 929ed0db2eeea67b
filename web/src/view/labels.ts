// Rates beside the rings of the chart: each where it hides nothing, as far as there is such a place.
import type { Answer } from "../cost/answer.js";
import { about } from "../numbers.js";
import type { Mark } from "./chart.js";
import { svg } from "./dom.js";
import { MARGIN, YOU, type Scale } from "./frame.js";
import type { Theme } from "./palette.js";

/** room that a rate takes, CSS pixels: of a character, and of the line */
const LABEL = { width: 7.5, height: 16 };
/** from a ring to its rate, CSS pixels: to its side, and to its baseline in the order in which places are tried */
const BESIDE = 9;
const BASELINES = [LABEL.height + 2, -10, LABEL.height + 14, -22];
/** crossings of a pair that have their rates beside them */
const MOST_LABELS = 3;
/** half a dot of the reader's, with its edge, CSS pixels */
const DOT = 5;

/** Left, top, right, bottom, CSS pixels. */
type Box = [number, number, number, number];
interface Place {
  x: number;
  y: number;
  left: boolean;
  box: Box;
}

/**
 * Rates of the first rings, over all else, where there is room: in the frame, off the reader's rule and dots and one another;
 * of such places the one over the fewest lines.
 *
 * @param curves - of every option, messages a second and dollars
 */
export function labels(marked: Mark[], answer: Answer, curves: [number, number][][], scale: Scale, theme: Theme): SVGElement[] {
  const taken: Box[] = answer.rate > 0 ? reserved(answer, scale) : [];
  const lines = curves.map((curve) => curve.map(([rate, usd]): [number, number] => [scale.x(rate), scale.y(usd)]));
  const number = ({ row }: Mark) => row.number ?? 0;
  // so that a rate stands beside its own ring, and under or over no other one
  const rings = marked.map((mark): Box => [scale.x(mark.rate) - 6, scale.y(mark.usd) - 26, scale.x(mark.rate) + 6, scale.y(mark.usd) + 26]);
  const first = marked.filter((mark) => number(mark) <= MOST_LABELS).sort((a, b) => number(a) - number(b));
  return first.flatMap((mark) => {
    const words = about(mark.rate);
    const free = places(mark, words, scale).filter(
      ({ box }) => isWithin(box, scale) && ![...taken, ...rings].some((other) => overlap(box, other)),
    );
    const over = (place: Place) => lines.filter((curve) => passes(curve, place.box)).length;
    const [found] = free.sort((one, other) => over(one) - over(other));
    if (!found) return [];
    taken.push(found.box);
    return [svg(
      "text",
      {
        x: found.x, y: found.y, fill: theme.ink, "font-weight": 600, stroke: theme.paper, "stroke-width": 3,
        "paint-order": "stroke", "text-anchor": found.left ? "end" : "start",
      },
      words,
    )];
  });
}

/** Right and left of a ring, under and over it. */
function places({ rate, usd }: Mark, words: string, scale: Scale): Place[] {
  const [ring, width] = [scale.x(rate), words.length * LABEL.width];
  return BASELINES.flatMap((off) =>
    [false, true].map((left): Place => {
      const [x, y] = [ring + (left ? -BESIDE : BESIDE), scale.y(usd) + off];
      const from = left ? x - width : x;
      return { x, y, left, box: [from, y - LABEL.height + 3, from + width, y + 3] };
    }),
  );
}

/** What the reader's rule takes, its word, and its dots. */
function reserved({ rate, options }: Answer, { x, y, width, height }: Scale): Box[] {
  const at = x(rate);
  const left = at > width - YOU;
  const dots = options.flatMap(({ usd }): Box[] => (usd === null ? [] : [[at - DOT, y(usd) - DOT, at + DOT, y(usd) + DOT]]));
  return [[at - 1, 0, at + 1, height], [left ? at - 32 : at, MARGIN.top, left ? at : at + 32, MARGIN.top + LABEL.height], ...dots];
}

function isWithin([left, top, right, bottom]: Box, { width, height }: Scale): boolean {
  return left >= MARGIN.left && right <= width && top >= MARGIN.top && bottom <= height - MARGIN.bottom;
}

function overlap(one: Box, other: Box): boolean {
  return one[0] < other[2] && other[0] < one[2] && one[1] < other[3] && other[1] < one[3];
}

/** Whether a line runs through a box: each of its short straight parts rises or falls throughout. */
function passes(curve: [number, number][], box: Box): boolean {
  return curve.some(([x, y], at) => {
    const [to_x, to_y] = curve[at + 1] ?? [x, y];
    return overlap(box, [x, Math.min(y, to_y) - 1, to_x, Math.max(y, to_y) + 1]);
  });
}
