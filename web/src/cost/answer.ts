// What some inputs come to: each option's bill, where two of them change places and how sure that is.
import type { Inputs, PageData } from "../data.js";
import { secondsPerMonth } from "../bill/form.js";
import { crossings, deciding, type Crossing } from "./crossings.js";
import { AMAZON_MQ, kinds, ownId, type Kind } from "./options.js";
import { billAt, pieces, total, type LineCost, type Option, type Piece } from "./pieces.js";
import { corners, type Changes } from "./uncertain.js";

export interface Priced {
  option: Option;
  kind: Kind;
  inputs: Inputs;
  pieces: Piece[];
  lines: LineCost[];
  usd: number | null;
}

/** Rates are messages a second, monthly means. */
export interface Pair {
  first: Priced;
  second: Priced;
  rows: Crossing[];
  /** the first change of sides; null: never, or a price is not known */
  rate: number | null;
  /** the changes of sides above it, as a cluster is added or its steps are caught up with */
  later: number[];
  usd: number | null;
  low: number | null;
  high: number | null;
  /** whether it is there at every end of what is not known */
  sure: boolean;
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
  const options = found.map((kind): Priced => {
    const option = kind.make(kind.inputs);
    const lines = billAt(option, book, messages);
    return { option, kind, inputs: kind.inputs, pieces: piecesOf(kind, {}), lines, usd: total(lines) };
  });
  const clusters = options.filter((one) => one.option.side !== "sqs");
  const asked = intervals ? { mostEmpty: data.most_empty_receives, piecesOf } : null;
  const pairs = options
    .filter((one) => one.option.side === "sqs")
    .flatMap((first) => clusters.map((second) => compare(first, second, asked)));
  const [own, service] = [ownId(inputs.deployment), AMAZON_MQ].map((id) => clusters.find((one) => one.option.id === id));
  const managed = own && service ? compare(own, service, asked) : null;
  return { inputs, rate, options, pairs, managed, left_out };
}

/** Whether another one of the two is cheaper on the other side. */
function changes(row: Crossing): row is Crossing & { messages: number } {
  return row.messages !== null && row.below !== null && row.above !== null && row.below !== row.above;
}

/** One pair with the interval of its first change of sides: the same crossing over all corners. */
function compare(first: Priced, second: Priced, asked: { mostEmpty: number; piecesOf: PiecesOf } | null): Pair {
  const rows = crossings(first.pieces, second.pieces);
  const found = deciding(rows);
  const seconds = secondsPerMonth(first.inputs);
  const of = (side: "first" | "second" | null | undefined) => (side ? { first, second }[side] : null);
  const pair: Pair = {
    first, second, rows, rate: found?.messages == null ? null : found.messages / seconds,
    later: found?.messages == null ? [] : rows.slice(rows.indexOf(found) + 1).filter(changes).map((row) => row.messages / seconds),
    usd: found?.usd ?? null,
    low: null, high: null, sure: true, below: of(found?.below), above: of(found?.above),
  };
  if (!asked || !found || found.messages === null) return pair;
  const { mostEmpty, piecesOf } = asked;
  const ends = corners(first.inputs, first.kind.movers, mostEmpty).flatMap((mine) =>
    corners(second.inputs, second.kind.movers, mostEmpty).map((theirs) =>
      crossings(piecesOf(first.kind, mine), piecesOf(second.kind, theirs)).find(
        (row) => row.number === found.number && row.above === found.above,
      ),
    ),
  );
  pair.sure = ends.every((row) => row?.messages != null);
  const rates = ends.flatMap((row) => (row?.messages == null ? [] : [row.messages / seconds]));
  const [low, high] = [Math.min(...rates), Math.max(...rates)];
  // less than this part apart is the arithmetic's
  if (rates.length && high - low > 1e-9 * high) [pair.low, pair.high] = [low, high];
  return pair;
}

/** Dollars a month of an option at a rate; null: not priced. */
export function usdAt(one: Priced, messages: number): number | null {
  const piece = one.pieces.find((each) => messages > each.from && messages <= each.to) ?? one.pieces[0];
  if (!piece || messages > piece.to || piece.usd === null || piece.slope === null) return null;
  return piece.usd + piece.slope * (messages - piece.from);
}
