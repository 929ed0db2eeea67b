// Where two options change places or cost the same: queries/parts/crossings.sql, step by step.
import type { Piece } from "./pieces.js";

const EXACT = 1e-12;

export type Kind = "meet" | "step" | "touch" | "tie" | "never" | "unpriced";
/** Which is cheaper: 1 the second, -1 the first, 0 neither; null: a price is not known. */
type Sign = 1 | 0 | -1 | null;

/** Messages are a month's. `below` and `above`: which of the two is cheaper there. */
export interface Crossing {
  number: number | null;
  kind: Kind;
  messages: number | null;
  equal_until: number | null;
  /** the next crossing; null: to the end of the search */
  next: number | null;
  searched: number | null;
  usd: number | null;
  below: "first" | "second" | null;
  above: "first" | "second" | null;
}

/** Traffic over which one sign holds, from `messages` on; part 2 is the end of the search, where they meet there. */
interface Stretch {
  part: 0 | 1 | 2;
  messages: number;
  usd: number | null;
  /** dollars of the first just below: a cost may jump where a stretch begins */
  before: number | null;
  from_sign: Sign;
  sign: Sign;
  sign_before: Sign;
  to_sign_before: Sign;
}

function signOf(first: number | null, second: number | null): Sign {
  if (first === null || second === null) return null;
  if (Math.abs(first - second) <= EXACT * Math.max(first, second)) return 0;
  return first > second ? 1 : -1;
}

function at(piece: Piece, messages: number): number | null {
  return piece.usd === null || piece.slope === null ? null : piece.usd + piece.slope * (messages - piece.from);
}

/**
 * Stretches of one sign, from the lowest rate: those that follow one another are one, and a touch parts them. Between
 * the edges of both options the difference is a straight line, and is parted where it passes through zero.
 */
function stretches(first: Piece[], second: Piece[]): { found: Stretch[]; searched: number } {
  const found: Stretch[] = [];
  let searched = 0;
  let begun = false;
  let sign_before: Sign = null;
  let to_sign_before: Sign = null;
  const follow = (
    part: 0 | 1 | 2, messages: number, usd: number | null, before: number | null, from_sign: Sign, sign: Sign, to_sign: Sign,
  ) => {
    const differs = sign !== null && sign_before !== null && sign !== sign_before;
    if (!begun || differs || (sign !== null && sign !== 0 && to_sign_before === 0)) {
      found.push({ part, messages, usd, before, from_sign, sign, sign_before, to_sign_before });
    }
    begun = true;
    sign_before = sign;
    to_sign_before = to_sign;
  };
  let before: number | null = null;
  let met = false;
  for (let i = 0, j = 0; i < first.length && j < second.length; ) {
    const s = first[i] as Piece;
    const o = second[j] as Piece;
    const from = Math.max(s.from, o.from);
    const to = Math.min(s.to, o.to);
    if (s.to <= o.to) i++;
    if (o.to <= s.to) j++;
    if (from !== 0 && to - from <= EXACT * to) continue;
    const [a, a_to, b, b_to] = [at(s, from), at(s, to), at(o, from), at(o, to)];
    const [from_sign, to_sign] = [signOf(a, b), signOf(a_to, b_to)];
    const through = from_sign !== null && to_sign !== null && from_sign * to_sign === -1;
    const sign = from_sign !== null && from_sign !== 0 ? from_sign : to_sign;
    follow(0, from, a, before, from_sign, sign, through ? 0 : to_sign);
    if (through && a !== null && b !== null && a_to !== null && b_to !== null) {
      const share = (a - b) / (a - b - (a_to - b_to));
      follow(1, from + share * (to - from), a + share * (a_to - a), null, 0, to_sign, to_sign);
    }
    before = a_to;
    met = from_sign !== null && from_sign !== 0 && to_sign === 0;
    searched = to;
  }
  if (met) follow(2, searched, before, null, 0, 0, 0);
  return { found, searched };
}

function isCrossing(one: Stretch): boolean {
  return one.sign === 0 || (one.sign_before !== null && one.sign_before !== 0);
}

function kindOf(one: Stretch): Kind {
  if (one.sign === null) return "unpriced";
  if (one.part === 2) return "meet";
  if (one.sign === 0) return "tie";
  if (one.sign === one.sign_before) return "touch";
  return one.to_sign_before === 0 && one.from_sign === 0 ? "meet" : "step";
}

function side(sign: Sign | undefined): "first" | "second" | null {
  return sign === 1 ? "second" : sign === -1 ? "first" : null;
}

/** Every crossing from the lowest rate; where there is none, one row that says which is cheaper throughout. */
export function crossings(first: Piece[], second: Piece[]): Crossing[] {
  const { found: all, searched } = stretches(first, second);
  const kept = all.flatMap((one, place) => (isCrossing(one) ? [{ one, following: all[place + 1] }] : []));
  const start = all[0];
  if (!kept.length) {
    if (!start) return [];
    const sign = start.sign;
    return [{
      number: null, kind: sign === null ? "unpriced" : "never", messages: null, equal_until: null, next: null,
      searched: sign === null ? null : searched, usd: null, below: side(sign), above: side(sign),
    }];
  }
  return kept.map(({ one, following }, place) => {
    const tie = one.sign === 0;
    return {
      number: place + 1,
      kind: kindOf(one),
      messages: one.messages,
      equal_until: tie && one.part !== 2 ? (following?.messages ?? null) : one.messages,
      next: kept[place + 1]?.one.messages ?? null,
      searched: one.sign === null ? null : searched,
      usd: tie ? one.usd : (one.before ?? one.usd),
      below: side(one.sign_before),
      above: tie ? side(following?.sign) : side(one.sign),
    };
  });
}

/** The first crossing at which the cheaper option changes; else the first row, which says why not. */
export function deciding<Row extends Crossing>(rows: Row[]): Row | null {
  return rows.find((row) => row.messages !== null && row.below !== row.above) ?? rows[0] ?? null;
}
