// What a reader takes along: text, CSV, a picture.
import type { PageData } from "./data.js";
import { secondsPerMonth } from "./bill/form.js";
import type { Answer, Pair } from "./cost/answer.js";
import { dollars, figure, listing } from "./numbers.js";
import { between } from "./pair_words.js";
import { beside, verdict, whosePrices } from "./words.js";

const MOST_LATER = 3;

/** Where a pair changes again, in the text that is copied. */
function again({ later }: Pair): string {
  if (!later.length) return "";
  const more = later.length > MOST_LATER ? " and more" : "";
  return `, again at ${listing(later.slice(0, MOST_LATER).map((rate) => figure(rate)))}${more}`;
}

/** The answer as plain text, with where the prices are from and the link. */
export function asText(answer: Answer, region: string, data: PageData, link: string): string {
  const rows = answer.options.map((one) => `- ${one.option.label}: ${one.usd === null ? "not priced" : `${dollars(one.usd)} a month`}`);
  const crossings = answer.pairs
    .filter((pair) => pair.rate !== null)
    .map((pair) => `- ${pair.first.option.label} / ${pair.second.option.label}: ${figure(pair.rate)} msg/s${between(pair)}${again(pair)}`);
  return [
    `${verdict(answer, region)} ${beside(answer, data)}`, "", ...rows, "", "They change places at:", ...(crossings.length ? crossings : ["- no rate"]), "",
    `${whosePrices(answer, region, data)}. ${data.kind === "published" ? "No run: published figures only. " : ""}${link}`,
  ].join("\n");
}

/** Text that a spreadsheet would take for a formula begins with an apostrophe. */
function cell(value: string | number | null): string {
  if (typeof value === "number") return String(value);
  const text = value ?? "";
  const safe = /^[=+\-@\t\r]/.test(text) ? `'${text}` : text;
  return /[",\r\n]/.test(safe) ? `"${safe.replace(/"/g, '""')}"` : safe;
}

/** Every line of every bill at the reader's rate, then every pair's first change of sides. */
export function asCsv(answer: Answer, region: string, data: PageData): string {
  const book = data.books[region];
  const month = answer.rate * secondsPerMonth(answer.inputs);
  const bills = answer.options.flatMap((one) =>
    one.lines.map(({ line, units, usd }) => {
      const price = line.own ?? book?.prices[`${line.service}/${line.item}`];
      const source = price && "as_of" in price ? (data.sources[price.source] ?? "") : (price?.source ?? "");
      const day = price && "as_of" in price ? price.as_of : "";
      return ["bill", one.option.label, line.line, line.formula, units, price?.unit ?? "", usd, source, day];
    }),
  );
  const pairs = answer.pairs.map((pair) => [
    "crossing", `${pair.first.option.label} / ${pair.second.option.label}`, "messages a second", "", pair.rate, "msg/s", pair.usd,
    pair.low === null ? "" : `between ${pair.low} and ${pair.high}`, "",
  ]);
  const titles = ["kind", "option", "line", "formula", "units", "unit", "usd_per_month", "source", "as_of"];
  const asked = ["traffic", data.title, "messages a month", "", month, "message", null, book?.label ?? region, ""];
  return [titles, asked, ...bills, ...pairs].map((row) => row.map(cell).join(",")).join("\r\n") + "\r\n";
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
