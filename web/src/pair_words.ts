// Where two options change places, in words.
import type { Pair, Priced, Span } from "./cost/answer.js";
import { BATCHED } from "./cost/options.js";
import { MOST_CLUSTERS, MOST_MSG_PER_S } from "./cost/pieces.js";
import { secondsPerMonth } from "./bill/form.js";
import { about, listing, number, plural } from "./numbers.js";

/** Of a boundary that is not there at every end of what is not known; in the words of the report. */
export const OR_NONE = "or no crossing";

/** That there may be none, and when; empty where it is there in any case. */
export function orNone({ sure, unless }: Span): string {
  return sure ? "" : `${OR_NONE}${unless}`;
}

/** How far a crossing moves over what is not known, and whether it is there at all; in the words of the report. */
export function between(span: Span): string {
  const { low, high } = span;
  const ends = low === null || high === null ? "" : `between ${about(low)} and ${about(high)}`;
  const said = [ends, orNone(span)].filter(Boolean).join(", ");
  return said && ` (${said})`;
}

/** Such as 'up to 329,000' where a cluster that is cheaper above its first crossing is so no more. */
export function untilWhere(pair: Pair): string {
  const [next, ...more] = pair.later;
  if (next === undefined) return "";
  const until = `${pair.above === pair.second ? "up to" : "again above"} ${about(next.rate)}${between(next)}`;
  return more.length ? `${until}, ${more.length} more` : until;
}

/** From which rate on another undercuts the last that is named, above all that were compared; in the words of the headline. */
export function beyond(pairs: Pair[], ranked: Priced[], last: Priced | null, compared: number, name: (one: Priced) => string): string {
  const undercuts = pairs.flatMap((pair) => {
    if (pair.first !== last && pair.second !== last) return [];
    const own = pair.first === last ? "first" : "second";
    const other = own === "first" ? pair.second : pair.first;
    if (!ranked.includes(other)) return [];
    return pair.rows.flatMap(({ rate, below, above }) =>
      rate !== null && rate > compared && below !== above && above !== null && above !== own ? [{ rate, other }] : [],
    );
  });
  const [next] = undercuts.sort((a, b) => a.rate - b.rate);
  return next ? ` (above about ${about(next.rate)} ${name(next.other)} is cheaper than it)` : "";
}

/** Of a pair that never changes places: how far it was searched. */
export function everyRate({ first, second, searched }: Pair): string {
  const end = searched === null ? "" : `, up to about ${about(searched)} messages a second${whyItEnds([first, second], searched)}`;
  return `at every rate searched${end}`;
}

/** Why options were compared up to a rate: the last cluster that is priced, or the last price; empty at the highest of any search. */
export function whyItEnds(options: Priced[], rate: number): string {
  const near = (end: number) => Math.abs(rate - end) <= 1e-9 * end;
  if (near(MOST_MSG_PER_S)) return "";
  const full = options.find((one) => one.option.per_cluster !== null && near(fullAt(one)));
  const name = full && (full.option.side === "amazon-mq" ? "Amazon MQ" : "RabbitMQ");
  return name ? `, where the ${number(MOST_CLUSTERS)}th ${name} cluster is full` : ", where a price ends";
}

/** Messages a second at which the last cluster that is priced is full. */
function fullAt({ option, inputs }: Priced): number {
  return ((option.per_cluster ?? 0) * MOST_CLUSTERS) / secondsPerMonth(inputs);
}

/** One's own cluster against ways of SQS: from where to where it is cheaper; what holds of all of them is said once. */
export function against(pairs: Pair[], rate: number): string[] {
  const throughout = pairs.filter((pair) => pair.rate === null);
  const [one] = throughout;
  const alike = (pair: Pair) => one && (pair.above === pair.second) === (one.above === one.second) && pair.searched === one.searched;
  if (one && throughout.every(alike)) {
    const said = `${one.above === one.second ? "cheaper" : "dearer"} than ${listing(throughout.map(sqsName))} ${everyRate(one)}`;
    return [...new Set(pairs.map((pair) => (throughout.includes(pair) ? said : ofChanges(pair, pair.rate ?? 0, rate))))];
  }
  return pairs.map((pair) => (pair.rate === null ? against([pair], rate).join("") : ofChanges(pair, pair.rate, rate)));
}

function sqsName({ first }: Pair): string {
  return first.option.id === BATCHED ? "SQS batched" : first.option.label;
}

/** Of a pair that changes places. */
function ofChanges(pair: Pair, met: number, rate: number): string {
  const sqs = sqsName(pair);
  const rises = pair.above === pair.second;
  const first = `about ${about(met)} messages a second${between(pair)}`;
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
