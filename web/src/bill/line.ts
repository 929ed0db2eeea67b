// The lines of a bill: how many units of which price, fixed, by the message and by the cluster.
import type { Book, Price, Tier } from "../data.js";

/** AWS counts a gigabyte of traffic as 2^30 bytes. */
export const BYTES_PER_GB = 2 ** 30;

/** A price that no book has as it is: given by the asker, or derived from a book's. */
export interface OwnPrice {
  unit: string;
  source: string;
  tiers: Tier[];
}

/** Units a month = fixed + per_cluster x clusters + per_message x messages. */
export interface Line {
  line: string;
  formula: string;
  service: string;
  item: string;
  fixed: number;
  per_message: number;
  per_cluster: number;
  /** of the price */
  factor: number;
  /** units a month that cost nothing, before the price's tiers */
  free: number;
  /** units a month that the account uses elsewhere */
  used: number;
  own: OwnPrice | null;
}

export class Unpriced extends Error {}

/** A line with nothing but what is given. */
export function line(name: string, formula: string, service: string, item: string, rest: Partial<Line>): Line {
  const none = { fixed: 0, per_message: 0, per_cluster: 0, factor: 1, free: 0, used: 0, own: null };
  return { line: name, formula, service, item, ...none, ...rest };
}

export function bills(one: Line): boolean {
  return one.fixed !== 0 || one.per_message !== 0 || one.per_cluster !== 0;
}

/** The book's entry, whose price is known; throws `Unpriced` with the reason where it is not. */
export function known(book: Book, service: string, item: string): Price {
  const price = book.prices[`${service}/${item}`];
  if (!price) throw new Unpriced(`${book.label} has no price of ${service}/${item}`);
  if (price.tiers.some(([, , usd]) => usd === null)) {
    throw new Unpriced(`${book.label} has no price of ${service}/${item}: ${price.reason ?? "not known"}`);
  }
  return price;
}

/** Dollars of so many units in a month, through the tiers of a price that is known. */
export function through(price: Price, units: number): number {
  const within = ([from, to]: Tier) => Math.max(0, Math.min(units, to ?? units) - from);
  return price.tiers.reduce((sum, tier) => sum + (tier[2] ?? 0) * within(tier), 0);
}
