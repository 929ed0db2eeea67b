// Whose prices an answer stands on: each with its date, and whose list it is in.
import type { Book, PageData, Price } from "../data.js";
import type { Answer } from "../cost/answer.js";
import { tiersOf, type LineCost } from "../cost/pieces.js";
import { amount, unitPrice, unitWords } from "../numbers.js";
import { compared } from "../words.js";

/** of a price that is no list's */
export const UNDATED = "–";

export interface Whose {
  name: string;
  tiers: string[];
  as_of: string;
  list: string;
  source: string;
}

/** Every price behind the bills that are compared, each once, in the order of the bills. */
export function whose(answer: Answer, region: string, data: PageData): Whose[] {
  const book = data.books[region];
  if (!book) return [];
  const found = new Map<string, Whose>();
  for (const { line } of compared(answer).flatMap((one) => one.lines)) {
    const name = `${line.service}/${line.item}`;
    const price = line.own ?? book.prices[name];
    if (price) found.set(name, { name, tiers: prices(line, price.unit, book), ...from(price, data) });
  }
  return [...found.values()];
}

/** Dollars of one unit, through the tiers. */
export function prices(line: LineCost["line"], unit: string, book: Book, factor = ""): string[] {
  return tiersOf(line, book).map(([from, to, usd]) => {
    const range = from === 0 && to === null ? "" : ` from ${amount(from)} ${to === null ? "on" : `to ${amount(to)}`}`;
    return `${usd === null ? "not known" : unitPrice(usd)}${factor} per ${unitWords(unit)}${range}`;
  });
}

function from(price: Price | { source: string }, data: PageData): Pick<Whose, "as_of" | "list" | "source"> {
  if (!("as_of" in price)) return { as_of: UNDATED, list: "yours, or computed", source: String(price.source) };
  const list = price.third_party ? "third parties" : "AWS";
  return { as_of: price.as_of, list, source: data.sources[price.source] ?? "" };
}
