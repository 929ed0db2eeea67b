// The picture that a reader saves: the verdict, the chart, what its lines are, and where the prices are from.
import type { Answer } from "../cost/answer.js";
import type { PageData } from "../data.js";
import { whosePrices } from "../books.js";
import { dollars } from "../numbers.js";
import { beside, verdict } from "../words.js";
import { chart } from "./chart.js";
import { svg } from "./dom.js";
import { SWATCH } from "./legend.js";
import { LIGHT, LINE, stroke } from "./palette.js";

export const WIDTH = 960;
export const HEIGHT = 640;
const CHARACTERS = 96;
const ROW = 19;
/** of the small print: where its prices are from */
const SMALL = { characters: 132, row: 15 };

function wrapped(text: string, most = CHARACTERS): string[] {
  const lines = [""];
  for (const word of text.split(" ")) {
    const last = lines.length - 1;
    const longer = `${lines[last]} ${word}`.trim();
    if (longer.length > most) lines.push(word);
    else lines[last] = longer;
  }
  return lines;
}

export function picture(answer: Answer, region: string, data: PageData): SVGElement {
  const first = wrapped(verdict(answer, region));
  const words = [...first, ...wrapped(beside(answer, data))];
  const text = (x: number, y: number, said: string, rest = {}) => svg("text", { x, y, fill: LIGHT.ink, ...rest }, said);
  const legend = Math.ceil(answer.options.length / 2) * 20 + 12;
  const whose = `Queue Breakeven. ${whosePrices(answer, region, data)}.`;
  const source = wrapped(`${whose}${data.kind === "published" ? " No run: published figures only." : ""}`, SMALL.characters);
  const top = 24 + words.length * ROW;
  const height = HEIGHT - top - legend - 5 - source.length * SMALL.row;
  const drawn = chart(answer, WIDTH - 32, height, LIGHT);
  drawn.setAttribute("x", "16");
  drawn.setAttribute("y", String(top));
  const keys = answer.options.flatMap((one, at) => {
    const [x, y] = [24 + (at % 2) * 460, top + height + 18 + Math.floor(at / 2) * 20];
    const { stroke: colour, dash } = stroke(one, answer, LIGHT);
    const line = { x1: x, y1: y - 4, x2: x + SWATCH, y2: y - 4, stroke: colour, "stroke-width": LINE };
    return [
      svg("line", dash ? { ...line, "stroke-dasharray": dash } : line),
      text(x + SWATCH + 8, y, `${one.option.label}: ${dollars(one.usd)}`, { "font-size": 12.5 }),
    ];
  });
  return svg(
    "svg",
    {
      xmlns: "http://www.w3.org/2000/svg", viewBox: `0 0 ${WIDTH} ${HEIGHT}`, width: WIDTH, height: HEIGHT,
      "font-family": "system-ui, sans-serif", "font-size": 15,
    },
    ...words.map((said, at) => text(16, 26 + at * ROW, said, at < first.length ? { "font-weight": 600 } : {})),
    drawn, ...keys,
    ...source.map((said, at) => {
      const y = HEIGHT - 10 - (source.length - 1 - at) * SMALL.row;
      return text(16, y, said, { fill: LIGHT.muted, "font-size": 12 });
    }),
  );
}
