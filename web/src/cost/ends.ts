// What an option may cost at a rate, over the ends of the inputs that are not known.
import type { PageData } from "../data.js";
import { secondsPerMonth } from "../bill/form.js";
import type { Priced } from "./answer.js";
import { billAt, total } from "./pieces.js";
import { corners } from "./uncertain.js";

/** The least and the most, US dollars a month; null: not priced. */
export function endsOf(one: Priced, rate: number, region: string, data: PageData): [number, number] | null {
  const book = data.books[region];
  if (!book) return null;
  const messages = rate * secondsPerMonth(one.inputs);
  const sums = corners(one.inputs, one.kind.movers, data.most_empty_receives)
    .map((changes) => total(billAt(one.kind.make({ ...one.inputs, ...changes }), book, messages)));
  const known = [...sums, one.usd].filter((usd) => usd !== null);
  return known.length === sums.length + 1 ? [Math.min(...known), Math.max(...known)] : null;
}
