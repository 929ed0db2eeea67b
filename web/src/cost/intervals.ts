// How far each crossing moves over what is not known: queries/parts/intervals.sql, step by step.
import type { Crossing } from "./crossings.js";

const EXACT = 1e-12;

/** Messages a month; null: nothing is uncertain. */
export interface Interval {
  low: number | null;
  high: number | null;
  /** whether every corner changes to the same side within */
  sure: boolean;
}

/** What changes at a traffic: of a crossing its side, of a tie's end none but that. */
interface Change {
  messages: number;
  /** of the sides' sum: 1 where the second is cheaper, -1 where the first is */
  by: number;
  /** null: the end of a tie */
  crossing: Crossing | null;
  /** 0 is the question itself */
  member: number;
}

/** A change, and the number of the range about it in which the order is not certain. */
interface Placed extends Change {
  crossing: Crossing;
  range: number;
}

function signOf(side: "first" | "second" | null): number {
  return side === "second" ? 1 : side === "first" ? -1 : 0;
}

function changesOf(rows: Crossing[], member: number): Change[] {
  return rows.flatMap((row) => {
    if (row.messages === null) return [];
    const tie = row.kind === "tie";
    const [below, above] = [signOf(row.below), signOf(row.above)];
    const found: Change[] = [{ messages: row.messages, by: (tie ? 0 : above) - below, crossing: row, member }];
    if (tie && row.equal_until !== null) found.push({ messages: row.equal_until, by: above, crossing: null, member });
    return found;
  });
}

/** Every crossing of all in the range in which it lies; a range begins where all agreed just below. */
function inRanges(members: Crossing[][]): Placed[] {
  const sorted = members.flatMap(changesOf).sort((a, b) => a.messages - b.messages);
  let sides = members.reduce((sum, rows) => sum + signOf(rows[0]?.below ?? null), 0);
  let range = 0;
  const found: Placed[] = [];
  for (let at = 0; at < sorted.length; ) {
    if (Math.abs(sides) === members.length) range++;
    let last = sorted[at] as Change;
    // what is less than a part in 10^12 apart is at one mark
    for (; at < sorted.length; at++) {
      const next = sorted[at] as Change;
      if (next.messages - last.messages > EXACT * next.messages) break;
      sides += next.by;
      if (next.crossing) found.push({ ...next, crossing: next.crossing, range });
      last = next;
    }
  }
  return found;
}

/** Of each crossing of a question, in order; `corners`: the same pair with what is uncertain at its ends. */
export function intervals(own: Crossing[], corners: Crossing[][]): Interval[] {
  const members = [own, ...corners].filter((rows) => rows.every(({ kind }) => kind !== "unpriced"));
  const placed = inRanges(members);
  const mine = new Map(placed.flatMap((one) => (one.member === 0 ? [[one.crossing, one.range] as const] : [])));
  const changed = new Map<string, { low: number; high: number; of: Set<number> }>();
  for (const { range, messages, member, crossing } of placed) {
    const side = `${range} ${crossing.above}`;
    const before = changed.get(side);
    changed.set(side, { low: before?.low ?? messages, high: messages, of: (before?.of ?? new Set()).add(member) });
  }
  return own.map((row) => {
    const range = mine.get(row);
    const found = range === undefined ? undefined : changed.get(`${range} ${row.above}`);
    if (!found || !corners.length) return { low: null, high: null, sure: true };
    return { low: found.low, high: found.high, sure: found.of.size === corners.length + 1 };
  });
}
