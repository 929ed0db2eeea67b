// The cost of an option as straight pieces over the traffic: queries/parts/pieces.sql and costs.sql, step by step.
import type { Book, Tier } from "../data.js";
import type { Line } from "../bill/line.js";

/** A part in 10^12 is the arithmetic's and not traffic, as in the queries. */
const EXACT = 1e-12;
/** of an option, to which it is priced */
export const MOST_CLUSTERS = 1000;
export const MOST_MSG_PER_S = 1e7;

export interface Option {
  id: string;
  side: "sqs" | "self-hosted" | "amazon-mq" | "bill";
  label: string;
  lines: Line[];
  /** messages a month that one cluster carries, as a mean; null: one cluster whatever the traffic */
  per_cluster: number | null;
}

/** From `from` (not included) to `to` messages a month; `usd` just above `from`, null: not priced. */
export interface Piece {
  from: number;
  to: number;
  usd: number | null;
  slope: number | null;
}

/** A line with its own tiers: moved up by the free units and down by what the account uses elsewhere. */
interface Tiered {
  line: Line;
  tiers: Tier[];
  priced: boolean;
  /** units at which the prices end; null: nowhere */
  end: number | null;
}

export interface LineCost {
  line: Line;
  units: number;
  clusters: number;
  usd: number | null;
}

/** The tiers of a line's price, as the book has them. */
export function tiersOf(line: Line, book: Book): Tier[] {
  return line.own?.tiers ?? book.prices[`${line.service}/${line.item}`]?.tiers ?? [];
}

function tiered(line: Line, book: Book): Tiered {
  const moved = (units: number) => Math.max(0, line.free + units - line.used);
  const tiers = tiersOf(line, book).map<Tier>(([from, to, usd]) => [
    moved(from), to === null ? null : moved(to), usd === null ? null : usd * line.factor,
  ]);
  const priced = tiers.length > 0 && tiers.every(([, to, usd]) => usd !== null || (to ?? 1) <= 0);
  const ends = tiers.map(([, to]) => to).filter((to): to is number => to !== null);
  const closed = tiers.length > 0 && ends.length === tiers.length;
  return { line, tiers, priced, end: closed ? Math.max(...ends) : null };
}

function clustersAt(messages: number, perCluster: number | null): number {
  return perCluster ? Math.max(1, Math.ceil((messages / perCluster) * (1 - EXACT))) : 1;
}

/** Units at the beginning of a piece, and within it. */
function unitsOf({ line }: Tiered, messages: number, clusters: number): number {
  return line.fixed + line.per_cluster * clusters + line.per_message * messages;
}

/** Whether the prices end below what is used within a piece. */
function isEnded(own: Tiered, reached: number): boolean {
  return own.end !== null && reached * (1 - EXACT) > own.end;
}

/** Dollars of so many units. */
function usdOf(tiers: Tier[], units: number): number {
  let sum = 0;
  for (const [start, end, usd] of tiers) {
    if (units - start > EXACT * start) sum += ((end !== null && end < units ? end : units) - start) * (usd ?? 0);
  }
  return sum;
}

/** What a further message adds where so many units are used. */
function slopeOf({ line, tiers }: Tiered, reached: number): number {
  let sum = 0;
  for (const [start, end, usd] of tiers) {
    if (reached > start && (end === null || reached <= end)) sum += line.per_message * (usd ?? 0);
  }
  return sum;
}

/** The option's bill line by line at so many messages a month. */
export function billAt(option: Option, book: Book, messages: number): LineCost[] {
  const clusters = clustersAt(messages, option.per_cluster);
  return option.lines.map((line) => {
    const own = tiered(line, book);
    const units = unitsOf(own, messages, clusters);
    const known = own.priced && !isEnded(own, units);
    return { line, units, clusters, usd: known ? usdOf(own.tiers, units) : null };
  });
}

/** Dollars of some lines; null where one has no price. */
export function total(costs: LineCost[]): number | null {
  return costs.reduce<number | null>((sum, cost) => (sum === null || cost.usd === null ? null : sum + cost.usd), 0);
}

function edges(option: Option, lines: Tiered[], end: number): number[] {
  const found = [0];
  const each = option.per_cluster;
  if (each) for (let k = 1; k < MOST_CLUSTERS; k++) found.push(k * each);
  for (const { line, tiers } of lines) {
    if (line.per_message <= 0) continue;
    const numbers = line.per_cluster > 0 && each ? MOST_CLUSTERS : 1;
    for (const [from, to] of tiers) {
      for (const units of to === null ? [from] : [from, to]) {
        for (let k = 1; k <= numbers; k++) found.push((units - line.fixed - line.per_cluster * k) / line.per_message);
      }
    }
  }
  const within = found.filter((edge) => edge === 0 || (edge > 0 && edge < end)).sort((a, b) => a - b);
  return within.filter((edge, at) => at === 0 || edge - (within[at - 1] ?? 0) > EXACT * edge);
}

/** Up to ten million messages a second, the thousandth cluster, or the end of the prices. */
export function pieces(option: Option, book: Book, hoursPerMonth: number): Piece[] {
  const lines = option.lines.map((line) => tiered(line, book));
  const most = hoursPerMonth * 3600 * MOST_MSG_PER_S;
  const end = option.per_cluster === null ? most : Math.min(most, option.per_cluster * MOST_CLUSTERS);
  const starts = edges(option, lines, end);
  const found: Piece[] = [];
  starts.forEach((from, at) => {
    const to = starts[at + 1] ?? end;
    const inside = (from + to) / 2;
    const clusters = clustersAt(inside, option.per_cluster);
    let [usd, slope, priced, ended] = [0, 0, to > from, false];
    for (const own of lines) {
      const reached = unitsOf(own, inside, clusters);
      ended ||= isEnded(own, reached);
      priced &&= own.priced;
      usd += usdOf(own.tiers, unitsOf(own, from, clusters));
      slope += slopeOf(own, reached);
    }
    const known = priced && !ended;
    if (from === 0 || !ended) found.push({ from, to, usd: known ? usd : null, slope: known ? slope : null });
  });
  return found;
}
