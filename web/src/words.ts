// The answer in sentences.
import type { Inputs, PageData } from "./data.js";
import { brokersOf, nodesOf, secondsPerMonth, zonesOf } from "./bill/form.js";
import { managedCapacity, neededEach, ownCapacity } from "./bill/capacity.js";
import { usdAt, type Answer, type Pair, type Priced } from "./cost/answer.js";
import { AMAZON_MQ, AS_USED, BATCHED, ownId } from "./cost/options.js";
import { about, amount, capital, dollars, figure, listing, number, size } from "./numbers.js";
import { against, between, beyond, whyItEnds } from "./pair_words.js";

/** Such as 'a RabbitMQ pair of m7g.large'. */
export function spoken(one: Priced): string {
  const label = one.option.label;
  if (one.option.side === "sqs") return label;
  if (label.startsWith("Amazon MQ cluster")) return `an ${label}`;
  if (label.startsWith("Amazon MQ, one ")) return `an Amazon MQ broker of ${label.slice(15)}`;
  return label.startsWith("RabbitMQ on") ? label : `a ${label}`;
}

export function optionOf(answer: Answer, id: string): Priced | undefined {
  return answer.options.find((one) => one.option.id === id);
}

/** Our own cluster in the form that was asked for. */
export function own(answer: Answer): Priced | undefined {
  return optionOf(answer, ownId(answer.inputs.deployment));
}

export function pairOf(answer: Answer, first: string, second: string): Pair | undefined {
  return answer.pairs.find((pair) => pair.first.option.id === first && pair.second.option.id === second);
}

/** What is compared for the cheapest, as in the headline: every way of SQS, the cluster that is asked for, Amazon MQ. */
export function compared(answer: Answer): Priced[] {
  const ids = [ownId(answer.inputs.deployment), AMAZON_MQ];
  return answer.options.filter(({ option }) => option.side === "sqs" || ids.includes(option.id));
}

/** Why other forms of clusters stand in the tables and are not compared; empty where there are none. */
export function notCompared(answer: Answer, data: PageData): string {
  const rest = answer.options.filter((one) => !compared(answer).includes(one));
  if (!rest.length) return "";
  const names = listing(rest.map((one) => spoken(one)));
  const pair = rest.some(({ option }) => option.id === ownId("pair")) ? ` ${data.of_mirroring}` : "";
  const service = answer.options.some(({ option }) => option.id === AMAZON_MQ) ? ", the chosen cluster of your own and Amazon MQ" : " and the chosen cluster of your own";
  return `Compared are SQS${service}, as in the headline; ${names} ${rest.length === 1 ? "is" : "are"} shown beside.${pair}`;
}

/** The option that costs least at the rate of those that are compared; of several the first. */
export function cheapest(answer: Answer): Priced | null {
  const known = compared(answer).filter((one) => one.usd !== null);
  return known.reduce<Priced | null>(
    (best, one) => (best === null || (one.usd ?? 0) < (best.usd ?? 0) * (1 - 1e-9) ? one : best),
    null,
  );
}

/** Those that are compared and cost as much as the cheapest, in their order. */
export function asCheap(answer: Answer): Priced[] {
  const least = cheapest(answer)?.usd ?? null;
  return compared(answer).filter(({ usd }) => usd !== null && least !== null && Math.abs(usd - least) <= 1e-9 * least);
}

/** The verdict at the rate: which option is the cheapest. */
export function verdict(answer: Answer, region: string): string {
  const best = cheapest(answer);
  const month = amount(answer.rate * secondsPerMonth(answer.inputs));
  const bytes = size(answer.inputs.message_bytes);
  const traffic = `At ${month} messages of ${bytes} a month (${figure(answer.rate)} a second) in ${region},`;
  if (!best) return `${traffic} no option has a price.`;
  const alike = asCheap(answer);
  const sqs = compared(answer).filter(({ option }) => option.side === "sqs");
  if (alike.length > 1 && alike.length === sqs.length && sqs.every((one) => alike.includes(one))) {
    return `${traffic} SQS is the cheapest, whichever way it is called: ${dollars(best.usd)} a month${less(answer, best)}.`;
  }
  const others = alike.filter((one) => one !== best).map(spoken);
  const same = others.length ? `, and ${listing(others)} ${others.length > 1 ? "cost" : "costs"} the same` : "";
  return `${traffic} ${spoken(best)} is the cheapest${same}: ${dollars(best.usd)} a month${less(answer, best)}.`;
}

/** By the side of an option. */
export const SIDES: Record<string, string> = { sqs: "SQS", "self-hosted": "RabbitMQ", "amazon-mq": "Amazon MQ" };

/** By how much it costs less than what is cheapest beside it, of another side: every way of SQS is one side. */
function less(answer: Answer, best: Priced): string {
  const others = compared(answer).filter(({ option, usd }) => option.side !== best.option.side && usd !== null);
  const [next] = others.sort((a, b) => (a.usd ?? 0) - (b.usd ?? 0));
  const more = (next?.usd ?? 0) - (best.usd ?? 0);
  return next && more > 1e-9 * (next.usd ?? 0) ? `, ${dollars(more)} less than ${SIDES[next.option.side] ?? spoken(next)}` : "";
}

/** What follows it: SQS as it is called and one's own cluster, and where that changes. */
export function beside(answer: Answer, data: PageData): string {
  const best = cheapest(answer);
  return best ? [used(answer, best), cluster(answer, best, data)].filter(Boolean).join(" ") : "";
}

function used(answer: Answer, best: Priced): string {
  const asked = optionOf(answer, AS_USED);
  if (!asked || asked === best || asked.usd === null || asked.usd <= (best.usd ?? 0) * (1 + 1e-9)) return "";
  const { send_batch, receive_batch, delete_batch } = answer.inputs;
  const single = Math.max(send_batch, receive_batch, delete_batch) === 1;
  return `${asked.option.label} (${single ? "one message a call" : "calls as asked"}) costs ${dollars(asked.usd)}.`;
}

function cluster(answer: Answer, best: Priced, data: PageData): string {
  const mine = own(answer);
  if (!mine || mine.usd === null) return "";
  const staff = answer.inputs.hours;
  const hours = staff ? `${number(staff)} ${staff === 1 ? "hour" : "hours"} of staff time` : null;
  const name = capital(spoken(mine));
  const costs = mine === best
    ? `${name}, whose price ${hours ? `includes ${hours}` : "is before staff time"}, is`
    : `${name} costs ${dollars(mine.usd)} ${hours ? `with ${hours}` : "before staff time"}, and is`;
  const mirrored = answer.inputs.deployment === "pair" ? ` ${data.of_mirroring}` : "";
  const parts = against([BATCHED, AS_USED].flatMap((id) => pairOf(answer, id, mine.option.id) ?? []), answer.rate);
  // without a price of SQS there is nothing that it is cheaper or dearer than
  if (!parts.length) return `${name} costs ${dollars(mine.usd)} ${hours ? `with ${hours}` : "before staff time"}.${mirrored}`;
  // what has a comma of its own does not run into the next
  const joined = parts.some((part) => part.includes(" up to ") || part.includes(" again ")) ? parts.join(", and ") : listing(parts);
  return `${costs} ${joined}.${mirrored}`;
}

/** What the price of one's own cluster supposes. */
export function supposed(answer: Answer, data: PageData): string {
  const mine = own(answer);
  if (!mine) return "";
  const capacity = ownCapacity(mine.inputs, data.machines);
  const needs = figure(neededEach(mine.inputs, capacity, answer.rate));
  const managed = optionOf(answer, AMAZON_MQ);
  const service = managed && managedCapacity(managed.inputs, data.brokers);
  const each = managed && service && neededEach(managed.inputs, service, answer.rate);
  const free = managed && managed.inputs.amazon_mq_inter_node === null && answer.inputs.deployment !== "single";
  const charged = free ? "; traffic between its brokers is taken to be free" : "";
  const mq = service ? ` Amazon MQ must carry ${figure(each ?? 0)}; ${carries(service.stated)}${charged}.` : "";
  return `At this rate a cluster of your own must carry ${needs} messages a second at peak; ${carries(capacity.stated)}.${mq}${inOneZone(mine.inputs, managed)}`;
}

function carries(stated: number | null): string {
  return stated === null ? "what it carries was not measured" : `it is taken to carry ${figure(stated)}`;
}

/** Whose traffic crosses no zone where the brokers are in one, and whose does. */
function inOneZone(inputs: Inputs, managed: Priced | undefined): string {
  if (inputs.client_zone_share !== null || nodesOf(inputs) === 1 || zonesOf(inputs) > 1) return "";
  const theirs = managed && brokersOf(inputs.deployment) > 1
    ? " Amazon MQ's brokers stay in three zones, so that two thirds of its clients' traffic is charged across zones; " +
      "with 0 as traffic to another zone, none is."
    : "";
  return ` The clients are taken to be in the one zone of the brokers.${theirs}`;
}

/** Which option is the cheapest from where to where; SQS batched stands for all of SQS. */
export function ranges(answer: Answer): string {
  const mine = own(answer);
  const ranked = [optionOf(answer, BATCHED), mine, optionOf(answer, AMAZON_MQ)].filter((one): one is Priced => !!one);
  const seconds = secondsPerMonth(answer.inputs);
  // right above each change of sides, too, so that no range between two others goes unseen
  const changes = boundaries(answer).flatMap(({ rate }) => (rate === null ? [] : [rate * (1 + 1e-6)]));
  const grid = Array.from({ length: 73 }, (_, k) => 10 ** (k / 12 - 1));
  // no further than all of them are priced, as what has no price is not dearer; and as far as the reader asks
  const wanted = Math.max(100_000, answer.rate);
  const most = Math.min(wanted, ...ranked.flatMap((one) => pricedUpTo(one, seconds)));
  const rates = [...[...grid, ...changes].filter((rate) => rate < most), most].sort((a, b) => a - b);
  let last: Priced | null = null;
  let before = 0;
  const found: { option: Priced; from: number | null }[] = [];
  for (const rate of rates) {
    const best = cheapestAt(ranked, rate * seconds, last);
    if (!best) break;
    if (best !== last) found.push({ option: best, from: last ? meeting(last, best, before, rate, seconds) : null });
    [last, before] = [best, rate];
  }
  if (!found.length) return "";
  const sqs = likeBatched(answer) ? "SQS, as used or batched," : "";
  const named = found.slice(0, 3).map(({ option, from }, at) => {
    const end = found[at + 1]?.from ?? null;
    const next = found[at + 1]?.option ?? null;
    const span = end === null || next === null ? "" : boundary(answer, option, next, end);
    const until = end === null ? ` up to about ${about(before)}, the highest rate compared here` : ` to about ${about(end)}${span}`;
    const name = sqs && option.option.id === BATCHED ? sqs : spoken(option);
    if (from !== null) return `${name} from there${until}`;
    const reach = `at every rate compared here, up to about ${about(before)} messages a second${most < wanted ? whyItEnds(ranked, before) : ""}`;
    const below = end === null ? reach : `below about ${about(end)} messages a second${span}`;
    return `${name} is the cheapest ${below}`;
  });
  const again = found.length > 3 ? ", above which the cheapest changes again" : beyond(boundaries(answer), ranked, last, before, spoken);
  return `With these inputs, ${listing(named)}${again}.${unstaffed(answer, found.map(({ option }) => option))}`;
}

/** Messages a second to which an option is priced; none where it has no price at all. */
function pricedUpTo({ pieces }: Priced, seconds: number): number[] {
  const known = pieces.filter(({ usd }) => usd !== null);
  return known.length ? [Math.max(...known.map(({ to }) => to)) / seconds] : [];
}

/** Whether SQS as it is called costs the same as SQS batched at every rate: its calls are full batches already. */
function likeBatched(answer: Answer): boolean {
  const [used, batched] = [AS_USED, BATCHED].map((id) => optionOf(answer, id)?.pieces ?? []);
  const near = (a: number | null, b: number | null) => a !== null && b !== null && Math.abs(a - b) <= 1e-9 * Math.abs(b);
  const same = used?.map((one, at) => {
    const other = batched?.[at];
    return other !== undefined && near(one.usd, other.usd) && near(one.slope, other.slope) && near(one.to, other.to);
  });
  return same?.length === batched?.length && !!same?.length && same.every(Boolean);
}

function boundaries(answer: Answer): Pair[] {
  return answer.managed ? [...answer.pairs, answer.managed] : answer.pairs;
}

/** How sure a boundary of two options is, where it is one of their changes of sides. */
function boundary(answer: Answer, first: Priced, second: Priced, rate: number): string {
  const of = [first, second];
  const found = boundaries(answer).find((pair) => of.includes(pair.first) && of.includes(pair.second));
  const near = (at: number | null) => at !== null && Math.abs(at - rate) <= 1e-5 * rate;
  if (!found) return "";
  const later = found.later.find((change) => near(change.rate));
  return near(found.rate) ? between(found) : later ? between(later) : "";
}

/** That Amazon MQ, where one of these, has no staff time in its price beside a cluster of one's own that has. */
function unstaffed(answer: Answer, options: Priced[]): string {
  const { hours, amazon_mq_hours: theirs } = answer.inputs;
  const bare = !!hours && theirs === null && options.some((one) => one.option.id === AMAZON_MQ);
  return bare ? " Amazon MQ is priced without staff time: no source says how much it takes." : "";
}

function cheapestAt(options: Priced[], messages: number, last: Priced | null): Priced | null {
  let best: Priced | null = null;
  let least = Infinity;
  for (const one of options) {
    const usd = usdAt(one, messages);
    if (usd !== null && usd < least * (1 - 1e-9)) [best, least] = [one, usd];
  }
  const kept = last && usdAt(last, messages);
  return kept !== null && kept <= least * (1 + 1e-9) ? last : best;
}

/** Where the second undercuts the first between two rates, by halves. */
function meeting(first: Priced, second: Priced, low: number, high: number, seconds: number): number {
  let [from, to] = [low, high];
  for (let step = 0; step < 60; step++) {
    const middle = (from + to) / 2;
    if ((usdAt(second, middle * seconds) ?? Infinity) < (usdAt(first, middle * seconds) ?? Infinity)) to = middle;
    else from = middle;
  }
  return to;
}

/** Hours of staff time a month below which an option is cheaper than SQS; null: not priced, 0: never. */
export function hoursLeft(sqs: Priced | undefined, other: Priced, inputs: Inputs): number | null {
  if (!sqs || sqs.usd === null || other.usd === null || inputs.hour_rate <= 0) return null;
  const people = other.lines.find(({ line }) => line.line === "people")?.usd ?? 0;
  return Math.max(0, (sqs.usd - (other.usd - people)) / inputs.hour_rate);
}
