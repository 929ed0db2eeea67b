// What a reader takes along: text, CSV, a picture.
import { whosePrices } from "./books.js";
import type { PageData } from "./data.js";
import { secondsPerMonth } from "./bill/form.js";
import type { Answer, Pair } from "./cost/answer.js";
import { dollars, figure, listing } from "./numbers.js";
import { moving } from "./moving.js";
import { between, orNone } from "./pair_words.js";
import { beside, verdict } from "./words.js";

const MOST_LATER = 3;

/** Where a pair changes again, in the text that is copied. */
function again({ later }: Pair): string {
  if (!later.length) return "";
  const more = later.length > MOST_LATER ? " and more" : "";
  return `, again at ${listing(later.slice(0, MOST_LATER).map((row) => `${figure(row.rate)}${between(row)}`))}${more}`;
}

/** The answer as plain text, with where the prices are from and the link. */
export function asText(answer: Answer, region: string, data: PageData, link: string): string {
  const rows = answer.options.map((one) => `- ${one.option.label}: ${one.usd === null ? "not priced" : `${dollars(one.usd)} a month`}`);
  const crossings = answer.pairs
    .filter((pair) => pair.rate !== null)
    .map((pair) => `- ${pair.first.option.label} / ${pair.second.option.label}: ${figure(pair.rate)} msg/s${between(pair)}${again(pair)}`);
  const said = [verdict(answer, region), beside(answer, data), moving(answer)].filter(Boolean).join(" ");
  return [
    said, "", ...rows, "", "They change places at:", ...(crossings.length ? crossings : ["- no rate priced"]), "",
    `${whosePrices(answer, region, data)}. ${data.kind === "published" ? "No run: published figures only. " : ""}${link}`,
  ].join("\n");
}

type Cell = string | number | null;

/** Text that a spreadsheet would take for a formula begins with an apostrophe. */
function cell(value: Cell): string {
  if (typeof value === "number") return String(value);
  const text = value ?? "";
  const safe = /^[=+\-@\t\r]/.test(text) ? `'${text}` : text;
  return /[",\r\n]/.test(safe) ? `"${safe.replace(/"/g, '""')}"` : safe;
}

/** The columns that only crossings have. */
const OF_CROSSINGS = ["number", "low_msg_per_s", "high_msg_per_s", "sure", "cheaper_below", "cheaper_above"];

/** Every crossing of a pair with its interval; a pair that never meets has one row, which says so. */
function crossingRows({ first, second, rows }: Pair): Cell[][] {
  const label = (side: "first" | "second" | null) => (side ? { first, second }[side].option.label : null);
  return rows.map((row) => [
    "crossing", `${first.option.label} / ${second.option.label}`, row.kind, "", row.rate, "msg/s", row.usd, "", "", row.number, row.low,
    row.high, row.rate === null ? null : orNone(row) || "yes", label(row.below), label(row.above),
  ]);
}

/** Every line of every bill at the reader's rate, then every crossing of every pair. */
export function asCsv(answer: Answer, region: string, data: PageData): string {
  const book = data.books[region];
  const month = answer.rate * secondsPerMonth(answer.inputs);
  const bills = answer.options.flatMap((one) =>
    one.lines.map(({ line, units, usd }): Cell[] => {
      const price = line.own ?? book?.prices[`${line.service}/${line.item}`];
      const source = price && "as_of" in price ? (data.sources[price.source] ?? "") : (price?.source ?? "");
      const day = price && "as_of" in price ? price.as_of : "";
      return ["bill", one.option.label, line.line, line.formula, units, price?.unit ?? "", usd, source, day];
    }),
  );
  const crossings = (answer.managed ? [...answer.pairs, answer.managed] : answer.pairs).flatMap(crossingRows);
  const titles = ["kind", "option", "line", "formula", "units", "unit", "usd_per_month", "source", "as_of", ...OF_CROSSINGS];
  const asked = ["traffic", data.title, "messages a month", "", month, "message", null, book?.label ?? region, ""];
  const whole = (row: Cell[]) => titles.map((_, place) => cell(row[place] ?? null)).join(",");
  return [titles, asked, ...bills, ...crossings].map(whole).join("\r\n") + "\r\n";
}

/** A PNG of an SVG, twice as fine as it is on the page. */
export async function asPicture(drawing: SVGElement, width: number, height: number, paper: string): Promise<Blob> {
  const text = new XMLSerializer().serializeToString(drawing);
  const image = new Image();
  image.src = `data:image/svg+xml;charset=utf-8,${encodeURIComponent(text)}`;
  await image.decode();
  const canvas = document.createElement("canvas");
  [canvas.width, canvas.height] = [width * 2, height * 2];
  const context = canvas.getContext("2d");
  if (!context) throw new Error("this browser draws no pictures");
  context.fillStyle = paper;
  context.fillRect(0, 0, canvas.width, canvas.height);
  context.drawImage(image, 0, 0, canvas.width, canvas.height);
  return new Promise((done, failed) => {
    canvas.toBlob((blob) => (blob ? done(blob) : failed(new Error("this browser makes no PNG"))), "image/png");
  });
}

/** Hands a file to the browser. */
export function download(name: string, content: Blob): void {
  const link = document.createElement("a");
  link.href = URL.createObjectURL(content);
  link.download = name;
  link.click();
  setTimeout(() => URL.revokeObjectURL(link.href), 10_000);
}

/** To the clipboard; where the browser keeps a file from it, by way of a selection. */
export async function copy(text: string): Promise<boolean> {
  try {
    await navigator.clipboard.writeText(text);
    return true;
  } catch {
    const area = document.createElement("textarea");
    area.value = text;
    document.body.append(area);
    area.select();
    const done = document.execCommand("copy");
    area.remove();
    return done;
  }
}
