// Where two options change places, in words.
import type { Pair, Span } from "./cost/answer.js";
import { BATCHED } from "./cost/options.js";
import { about, plural } from "./numbers.js";

/** Of a boundary that is not there at every end of what is not known; in the words of the report. */
export const OR_NONE = "or no crossing";

/** How far a crossing moves over what is not known, and whether it is there at all; in the words of the report. */
export function between({ low, high, sure }: Span): string {
  const ends = low === null || high === null ? "" : `between ${about(low)} and ${about(high)}`;
  const said = [ends, sure ? "" : OR_NONE].filter(Boolean).join(", ");
  return said && ` (${said})`;
}

/** Such as 'up to 329,000' where a cluster that is cheaper above its first crossing is so no more. */
export function untilWhere(pair: Pair): string {
  const [next, ...more] = pair.later;
  if (next === undefined) return "";
  const until = `${pair.above === pair.second ? "up to" : "again above"} ${about(next.rate)}${between(next)}`;
  return more.length ? `${until}, ${more.length} more` : until;
}

/** One's own cluster against SQS: from where to where it is cheaper. */
export function against(pair: Pair, rate: number): string {
  const sqs = pair.first.option.id === BATCHED ? "SQS batched" : pair.first.option.label;
  if (pair.rate === null) return `${pair.above === pair.second ? "cheaper" : "dearer"} than ${sqs} at every rate`;
  const rises = pair.above === pair.second;
  const first = `about ${about(pair.rate)} messages a second${between(pair)}`;
  const [next, ...more] = pair.later;
  if (next === undefined) return `cheaper than ${sqs} only ${rises ? "above" : "below"} ${first}`;
  const end = `about ${about(next.rate)}${more.length ? "" : between(next)}`;
  const span = rises ? `${more.length ? "" : "only "}above ${first} up to ${end}` : `below ${first} and again above ${end}`;
  const again = more.length ? ` (above which the cheaper one changes ${plural(more.length, "more time")}${here(pair, rate, next.rate)})` : "";
  return `cheaper than ${sqs} ${span}${again}`;
}

/** Which of two is cheaper at the reader's rate, where that is beyond the changes that are named. */
function here({ first, second }: Pair, rate: number, named: number): string {
  if (rate <= named || first.usd === null || second.usd === null) return "";
  return `; at this traffic it is ${second.usd < first.usd ? "cheaper" : "not cheaper"}`;
}
