// When a move from SQS to a cluster, or back, is paid back: the same sentences as cli/crossover/moving_words.py has.
import { brokersOf, nodesOf } from "./bill/form.js";
import type { Answer, Priced } from "./cost/answer.js";
import { AMAZON_MQ, AS_USED, BATCHED } from "./cost/options.js";
import { dollars, figure, listing, number } from "./numbers.js";
import { optionOf, own } from "./words.js";

/** Months within which a move is worth a figure: ten years. */
const LONGEST = 120;
/** Share of a bill, below which two are the same. */
const SAME = 1e-9;

/** Dollars a month of an option, and between what they lie with all that is not known. */
interface Bill {
  label: string;
  usd: number;
  low: number;
  high: number;
}
type Saved = Omit<Bill, "label">;

/** Empty where nobody asked, or nothing of one side has a price at the rate. */
export function moving(answer: Answer): string {
  const { migration_hours: once, hour_rate: hourUsd } = answer.inputs;
  if (once === null) return "";
  const usd = once * hourUsd;
  if (usd === 0) return `A move of ${hours(once)} at ${dollars(hourUsd)} an hour costs nothing: there is nothing to pay back.`;
  const sqs = [AS_USED, BATCHED].flatMap((id) => billOf(optionOf(answer, id)));
  if (!sqs.length) return "";
  const found = [own(answer), optionOf(answer, AMAZON_MQ)].flatMap((one) =>
    billOf(one).map((bill) => `To ${bill.label} (${one ? supposes(one) : ""}): ${moves(sqs, bill, usd)}.`),
  );
  return found.length ? [`A move takes ${hours(once)} of staff time once, ${dollars(usd)}, to be paid back by what it saves.`, ...found].join(" ") : "";
}

function billOf(one: Priced | undefined): Bill[] {
  if (!one || one.usd === null) return [];
  const ends = [one.usd, ...one.ends];
  return [{ label: one.option.label, usd: one.usd, low: Math.min(...ends), high: Math.max(...ends) }];
}

/** From each way of SQS there, then back to the cheaper one where that is sure to pay. */
function moves(sqs: Bill[], mine: Bill, once: number): string {
  const there = new Map<string, string[]>();
  for (const each of sqs) {
    const how = paidBack(saved(each, mine), once);
    there.set(how, [...(there.get(how) ?? []), each.label]);
  }
  const cheaper = sqs.reduce((best, one) => (one.usd < best.usd ? one : best));
  const kept = saved(mine, cheaper);
  const back = kept.low > 0 ? [`back to ${cheaper.label}, ${paidBack(kept, once)}`] : [];
  return [...[...there].map(([how, labels]) => `from ${labels.join(" or ")}, ${how}`), ...back].join("; ");
}

/** What is not known of one moves no other. A difference of the arithmetic's is none. */
function saved(left: Bill, taken: Bill): Saved {
  const least = SAME * Math.max(left.high, taken.high);
  const known = (usd: number) => (Math.abs(usd) <= least ? 0 : usd);
  return { usd: known(left.usd - taken.usd), low: known(left.low - taken.high), high: known(left.high - taken.low) };
}

function paidBack({ usd, low, high }: Saved, once: number): string {
  if (high <= 0) return "never";
  if (low <= 0) return "not known which way a move pays";
  const months = once / usd;
  const [soonest, latest] = [figure(once / high), figure(once / low)];
  const isShown = soonest !== latest && once / low >= 1 && once / high <= LONGEST;
  const between = isShown ? ` (between ${soonest} and ${latest})` : "";
  if (months > LONGEST) return `not within 10 years${between}`;
  return months < 1 ? `within a month${between}` : `in ${figure(months)} months${between}`;
}

/** What of its price is not known, and whether staff time is in it. */
function supposes({ option, inputs }: Priced): string {
  const managed = option.id === AMAZON_MQ;
  const many = (managed ? brokersOf(inputs.deployment) : nodesOf(inputs)) > 1;
  const known = managed ? inputs.amazon_mq_capacity_msg_per_s : inputs.capacity_msg_per_s;
  const load = known ? [] : [`its ${many ? "cluster" : managed ? "broker" : "node"}s carry the load`];
  if (managed && many && inputs.amazon_mq_inter_node === null) load.push("traffic between its brokers is free");
  const staff = managed ? inputs.amazon_mq_hours : inputs.hours;
  const without = `${managed && inputs.hours ? "without" : "before"} staff time each month`;
  const said = staff ? `with ${hours(staff)} of staff time each month` : without;
  return load.length ? `${said}, if ${listing(load)}` : said;
}

function hours(count: number): string {
  return `${number(count)} hour${count === 1 ? "" : "s"}`;
}
