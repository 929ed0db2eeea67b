// How sure the answer is: what is not known of the prices, and which measured or printed rows stand near.
import type { Latency, PageData } from "../data.js";
import type { Answer, Priced } from "../cost/answer.js";
import { capacityFor } from "../cost/options.js";
import { endsOf } from "../cost/ends.js";
import { movingNames } from "../cost/uncertain.js";
import { about, dollars, listing, plural, size } from "../numbers.js";
import { cheapest, compared, own, SIDES } from "../words.js";
import { isNear, sideOf } from "./near.js";

/** Whether the cheapest stays so over the ends of what is not known. */
export function priceSure(answer: Answer, region: string, data: PageData): string {
  const best = cheapest(answer);
  if (!best) return "";
  const ranked = compared(answer);
  const names = new Set(ranked.flatMap((one) => movingNames(one.inputs, one.kind.movers, data.most_empty_receives)));
  const staff = answer.inputs.hours === null ? " Staff time is in no price: the hours at which they break even stand in the table above." : "";
  if (!names.size) return `Every input of the prices is given.${staff}`;
  const [mine, ...rivals] = sides(ranked, best, answer, region, data);
  if (!mine) return "";
  const range = `${SIDES[mine.side]} ${spread(mine)}`;
  const near = rivals.filter(({ low }) => low <= mine.high);
  const others = (near.length ? near : rivals).map((one) => `${SIDES[one.side]} ${spread(one)}`);
  const beside = others.length ? `, ${listing(others)}` : "";
  const sums = `${range}${beside} a month`;
  const unknown = listing([...names]);
  return near.length
    ? `Which is the cheapest is not certain: ${sums}, depending on what is not known: ${unknown}.${staff}`
    : `${SIDES[mine.side]} is the cheapest (${sums}) whatever comes of what is not known: ${unknown}.${staff}`;
}

interface Side {
  side: string;
  low: number;
  high: number;
}

/** What each side may cost at the rate, by its cheapest option at either end; that of `best` first. */
function sides(ranked: Priced[], best: Priced, answer: Answer, region: string, data: PageData): Side[] {
  const found = new Map<string, Side>();
  for (const one of [best, ...ranked.filter((other) => other !== best)]) {
    const ends = endsOf(one, answer.rate, region, data);
    if (!ends) continue;
    const { side } = one.option;
    const before = found.get(side) ?? { side, low: Infinity, high: Infinity };
    found.set(side, { side, low: Math.min(before.low, ends[0]), high: Math.min(before.high, ends[1]) });
  }
  return [...found.values()];
}

function spread({ low, high }: Side): string {
  return dollars(low) === dollars(high) ? dollars(low) : `${dollars(low)} to ${dollars(high)}`;
}

/** What was measured near the traffic, side by side, and what was not. */
export function measuredSure(answer: Answer, data: PageData): string[] {
  const by = new Map(compared(answer).map((one) => [sideOf(one), one]));
  const rows = [...by].map(([side, one]) => `${nearest(side, one, answer, data)} of ${SIDES[one.option.side]}`);
  const whose = data.kind === "run" ? "the run measured" : "sources have printed";
  const bytes = size(answer.inputs.message_bytes);
  const said = [`At half to twice this rate and size ${whose} ${listing(rows)}.${closest(by, answer, data)}`];
  if (!sizesOf(data).some((one) => isNear(one, answer.inputs.message_bytes))) {
    said.push(`Nothing here was measured with messages of about ${bytes}: how fast each is with them is not known.`);
  }
  const carried = capacity(answer, data);
  if (carried) said.push(carried);
  if (answer.inputs.consumer === "lambda") {
    said.push("No case here was consumed by Lambda: its requests, invocations and duration are priced by their documented bounds.");
  } else if (answer.inputs.consumer === "containers") {
    said.push("Containers are priced as they are given; no case here was consumed by any.");
  }
  return said;
}

function nearest(side: string, one: Priced, answer: Answer, data: PageData): string {
  const bytes = one.inputs.message_bytes;
  const near = data.latencies.filter((found) =>
    found.side === side && isNear(found.msg_per_s, answer.rate) && isNear(found.message_bytes ?? bytes, bytes),
  );
  const of = near.map(({ origin, message_bytes }) => origin + (message_bytes === null ? ", size not given" : ""));
  return near.length ? `${plural(near.length, "case")} (${[...new Set(of)].join("; ")})` : "nothing";
}

/** The one that stands nearest of all; empty where nothing does. */
function closest(by: Map<string, Priced>, answer: Answer, data: PageData): string {
  const bytes = answer.inputs.message_bytes;
  const apart = (a: number, b: number) => Math.abs(Math.log(a / b));
  const far = (found: Latency) => apart(found.msg_per_s, answer.rate || 1) + apart(found.message_bytes ?? bytes, bytes);
  const [next] = data.latencies.filter(({ side }) => by.has(side)).sort((a, b) => far(a) - far(b));
  if (!next) return "";
  const of = next.message_bytes === null ? "a size that is not given" : size(next.message_bytes);
  return ` The nearest case is ${next.name} at ${about(next.msg_per_s)} messages a second of ${of}, ${next.origin}.`;
}

function sizesOf(data: PageData): number[] {
  return [...data.latencies, ...data.capacities].flatMap(({ message_bytes }) => (message_bytes === null ? [] : [message_bytes]));
}

/** Whose capacity one's own cluster is priced by. */
function capacity(answer: Answer, data: PageData): string {
  const mine = own(answer);
  if (!mine || mine.inputs.capacity_msg_per_s === null) return "";
  const known = capacityFor(mine.inputs, data.capacities);
  return known && known.msg_per_s === mine.inputs.capacity_msg_per_s ? `Your cluster's capacity is ${known.about}.` : "";
}

/** Sources whose rows stand here, each with its age in whole years and what it was measured on; none of a run. */
export function sourcesOf(answer: Answer, data: PageData, today: Date): { title: string; words: string; url: string | null }[] {
  const wanted = new Set<string>(compared(answer).map(sideOf));
  const used = [...data.latencies, ...data.deaths.seen].filter(({ side }) => wanted.has(side)).map(({ source }) => source);
  return [...new Set(used)].flatMap((id) => {
    const found = id === null ? undefined : data.published[id];
    if (!found) return [];
    const on = found.machines ? `; measured on ${found.machines}` : "";
    const words = `, ${found.author}, ${found.publication}, ${found.date}, ${age(found.date, today)}${on}.`;
    return [{ title: `“${found.title}”`, words, url: found.url }];
  });
}

/** Of a date such as 2012-12-07 or 2020-06. */
function age(date: string, today: Date): string {
  const [year = 0, month = 1] = date.split("-").map(Number);
  const years = Math.floor((today.getFullYear() * 12 + today.getMonth() - (year * 12 + month - 1)) / 12);
  return years < 1 ? "less than a year old" : `${plural(years, "year")} old`;
}
