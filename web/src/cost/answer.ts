// What some inputs come to: each option's bill, where two of them change places and how sure that is.
import type { Inputs, PageData } from "../data.js";
import { secondsPerMonth } from "../bill/form.js";
import { crossings, deciding, type Crossing } from "./crossings.js";
import { intervals, type Interval } from "./intervals.js";
import { AMAZON_MQ, kinds, ownId, type Kind } from "./options.js";
import { billAt, pieces, total, type LineCost, type Option, type Piece } from "./pieces.js";
import { corners, mayBeNone, type Changes, type Mover } from "./uncertain.js";

export interface Priced {
  option: Option;
  kind: Kind;
  inputs: Inputs;
  pieces: Piece[];
  lines: LineCost[];
  usd: number | null;
  /** dollars a month at the ends of what is not known of it, but for those that have no price; none without intervals */
  ends: number[];
}

/** How sure a crossing is: over which traffic it is not certain which of the two is cheaper. */
export interface Span {
  /** messages a second, monthly means; null: nothing that is not known moves it */
  low: number | null;
  high: number | null;
  /** whether it is there at every end of what is not known */
  sure: boolean;
  /** if not: when there is none, as it follows "or no crossing" */
  unless: string;
}

const CERTAIN: Span = { low: null, high: null, sure: true, unless: "" };

/** A crossing as it is shown; `rate`: messages a second, monthly mean; null: the two never meet. */
export interface Placed extends Crossing, Span {
  rate: number | null;
}

/** Rates are messages a second, monthly means. */
export interface Pair extends Span {
  first: Priced;
  second: Priced;
  /** every crossing from the lowest rate; where there is none, one row that says so */
  rows: Placed[];
  /** the first change of sides, of which low, high and sure are; null: never, or a price is not known */
  rate: number | null;
  /** the changes of sides above it, as a cluster is added or its steps are caught up with */
  later: (Placed & { rate: number })[];
  usd: number | null;
  /** to where the two were compared; null: a price is not known */
  searched: number | null;
  below: Priced | null;
  above: Priced | null;
}

export interface Answer {
  inputs: Inputs;
  /** messages a second that the bills are of */
  rate: number;
  options: Priced[];
  pairs: Pair[];
  /** one's own cluster of the form that is asked for, beside Amazon MQ; null: that is not priced */
  managed: Pair | null;
  left_out: string[];
}

type PiecesOf = (kind: Kind, changes: Changes) => Piece[];
/** What intervals are made of. */
interface Uncertain {
  mostEmpty: number;
  piecesOf: PiecesOf;
}

/**
 * Bills at `rate`, and every SQS option beside every cluster, with the intervals of their crossings unless these are not
 * asked for. Throws where the region is none of the data's.
 */
export function answer(inputs: Inputs, region: string, rate: number, data: PageData, intervals = true): Answer {
  const book = data.books[region];
  if (!book) throw new Error(`no prices of ${region}`);
  const { found, left_out } = kinds(inputs, book, data);
  const known = new Map<string, Piece[]>();
  const piecesOf: PiecesOf = (kind, changes) => {
    const key = `${kind.id} ${JSON.stringify(changes)}`;
    const before = known.get(key);
    if (before) return before;
    const made = pieces(kind.make({ ...kind.inputs, ...changes }), book, inputs.hours_per_month);
    known.set(key, made);
    return made;
  };
  const messages = rate * secondsPerMonth(inputs);
  const asked = intervals ? { mostEmpty: data.most_empty_receives, piecesOf } : null;
  const options = found.map((kind): Priced => {
    const option = kind.make(kind.inputs);
    const lines = billAt(option, book, messages);
    const ends = asked ? corners(kind.inputs, kind.movers, asked.mostEmpty) : [];
    const usdOf = (changes: Changes) => usdIn(piecesOf(kind, changes), messages) ?? [];
    return { option, kind, inputs: kind.inputs, pieces: piecesOf(kind, {}), lines, usd: total(lines), ends: ends.flatMap(usdOf) };
  });
  const clusters = options.filter((one) => one.option.side !== "sqs");
  const pairs = options
    .filter((one) => one.option.side === "sqs")
    .flatMap((first) => clusters.map((second) => compare(first, second, asked)));
  const [own, service] = [ownId(inputs.deployment), AMAZON_MQ].map((id) => clusters.find((one) => one.option.id === id));
  const managed = own && service ? compare(own, service, asked) : null;
  return { inputs, rate, options, pairs, managed, left_out };
}

/** Whether another one of the two is cheaper on the other side. */
function changes(row: Placed): row is Placed & { rate: number } {
  return row.rate !== null && row.below !== null && row.above !== null && row.below !== row.above;
}

/** One pair: its crossings with their intervals, and the first change of sides. */
function compare(first: Priced, second: Priced, asked: Uncertain | null): Pair {
  const seconds = secondsPerMonth(first.inputs);
  const found = crossings(first.pieces, second.pieces);
  const met = found.some((row) => row.messages !== null);
  const ends = asked && met ? atCorners(first, second, asked) : [];
  const sides: [Inputs, Mover[]][] = [first, second].map((one) => [one.inputs, one.kind.movers]);
  const unless = asked ? mayBeNone(sides, asked.mostEmpty) : "";
  const spans = intervals(found, ends).map((one) => span(one, seconds, unless));
  const rows = found.map((row, at): Placed => ({ ...row, rate: perSecond(row, seconds), ...(spans[at] ?? CERTAIN) }));
  const start = deciding(rows);
  const change = start && start.below !== start.above ? start : null;
  const of = (side: "first" | "second" | null | undefined) => (side ? { first, second }[side] : null);
  return {
    first, second, rows, rate: change?.rate ?? null,
    later: change?.rate == null ? [] : rows.slice(rows.indexOf(change) + 1).filter(changes),
    usd: change?.usd ?? null, searched: start?.searched == null ? null : start.searched / seconds,
    low: change?.low ?? null, high: change?.high ?? null, sure: change?.sure ?? true, unless: change?.unless ?? "",
    below: of(start?.below), above: of(start?.above),
  };
}

function perSecond(row: Crossing, seconds: number): number | null {
  return row.messages === null ? null : row.messages / seconds;
}

/** The crossings of the same pair at each combination of the ends of what is not known of either. */
function atCorners(first: Priced, second: Priced, { mostEmpty, piecesOf }: Uncertain): Crossing[][] {
  return corners(first.inputs, first.kind.movers, mostEmpty).flatMap((mine) =>
    corners(second.inputs, second.kind.movers, mostEmpty).map((theirs) =>
      crossings(piecesOf(first.kind, mine), piecesOf(second.kind, theirs)),
    ),
  );
}

/** A second's, of a crossing; what is less than a part in a billion wide is the arithmetic's. */
function span({ low, high, sure }: Interval, seconds: number, unless: string): Span {
  if (low === null || high === null || high - low <= 1e-9 * high) return { low: null, high: null, sure, unless };
  return { low: low / seconds, high: high / seconds, sure, unless };
}

/** Dollars a month of an option at a rate; null: not priced. */
export function usdAt(one: Priced, messages: number): number | null {
  return usdIn(one.pieces, messages);
}

function usdIn(pieces: Piece[], messages: number): number | null {
  const piece = pieces.find((each) => messages > each.from && messages <= each.to) ?? pieces[0];
  if (!piece || messages > piece.to || piece.usd === null || piece.slope === null) return null;
  return piece.usd + piece.slope * (messages - piece.from);
}
