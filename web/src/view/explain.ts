// Where a figure comes from: formula, inputs, and each price with its source and date.
import type { Inputs, PageData } from "../data.js";
import { secondsPerMonth } from "../bill/form.js";
import type { Answer, Pair, Priced } from "../cost/answer.js";
import { billAt, total, type LineCost } from "../cost/pieces.js";
import { movingNames } from "../cost/uncertain.js";
import { prices } from "../asked/whose.js";
import { about, amount, dollars, figure, listing, number } from "../numbers.js";
import { between, everyRate } from "../pair_words.js";
import { compared, optionOf, own, pairOf } from "../words.js";
import { AMAZON_MQ, AS_USED, BATCHED } from "../cost/options.js";
import { note, open, sql } from "./dialog.js";
import { el } from "./dom.js";
import type { Explains } from "./tables.js";

const MOST_CROSSINGS = 9;
const FORMULA = "Units a month = fixed + by cluster x clusters + by message x messages; dollars = units x price, through its tiers.";

/** What the load of a cluster comes to, in the words of the inputs. */
const LOAD = "A cluster must carry rate x peak_factor / utilisation, divided by the number of clusters.";

/** What stands behind every figure of an answer: its bills, where two of them meet, and the inputs. */
export interface Explanations extends Explains {
  all: (queries: string[]) => void;
  /** the same, to stand under the text of queries */
  parts: () => (HTMLElement | null)[];
}

export function explanations(answer: Answer, region: string, data: PageData): Explanations {
  const parts = () => [
    note(`${FORMULA} ${LOAD} Bills are at ${figure(answer.rate)} messages a second; at other rates the same lines hold.`), meetings(answer),
    ...compared(answer).map((one) => bill(one, one.lines, region, data)), inputs(answer.inputs, data),
  ];
  return {
    parts,
    all: (queries) => open("What these figures come from", [...parts(), ...queries.map(sql)]),
    price: (one) => open(`${one.option.label}: ${dollars(one.usd)} a month`, [
      note(`At ${figure(answer.rate)} messages a second. ${FORMULA}`), bill(one, one.lines, region, data), inputs(one.inputs, data),
      sql("bills"),
    ]),
    crossing: (pair) => open(`${pair.second.option.label} against ${pair.first.option.label}`, crossing(pair, region, data)),
    hours: (sqs, other) => {
      const people = other.lines.find(({ line }) => line.line === "people")?.usd ?? 0;
      const without = other.usd === null ? null : other.usd - people;
      const left = sqs.usd === null || without === null ? null : (sqs.usd - without) / answer.inputs.hour_rate;
      const found = left === null ? "not priced" : `${figure(Math.max(0, left))} hours`;
      open(`Break-even hours: ${other.option.label} against ${sqs.option.label}`, [
        note(
          `Hours = (SQS's bill − the cluster's bill without staff time) / price of an hour = (${dollars(sqs.usd)} − ` +
            `${dollars(without)}) / $${number(answer.inputs.hour_rate)} = ${found}. The same as queries/money/break_even_hours.sql.`,
        ),
        bill(sqs, sqs.lines, region, data), bill(other, other.lines, region, data), inputs(other.inputs, data),
        sql("break_even_hours"),
      ]);
    },
  };
}

/** Where those that are compared change places. */
function meetings(answer: Answer): HTMLElement {
  const mine = own(answer);
  const found = [AS_USED, BATCHED].flatMap((id) => (mine && pairOf(answer, id, mine.option.id)) ?? []);
  const managed = optionOf(answer, AMAZON_MQ);
  if (managed) found.push(...[BATCHED].flatMap((id) => pairOf(answer, id, managed.option.id) ?? []));
  if (answer.managed) found.push(answer.managed);
  return el("ul", { class: "note" }, ...found.map((pair) => {
    const where = pair.rate === null
      ? pair.above ? `${pair.above.option.label} is cheaper ${everyRate(pair)}` : "not priced"
      : `they change places at ${figure(pair.rate, 6)} messages a second${between(pair)}`;
    return el("li", {}, `${pair.first.option.label} and ${pair.second.option.label}: ${where}.`);
  }));
}

function bill(one: Priced, lines: LineCost[], region: string, data: PageData): HTMLElement {
  const rows = lines.map(({ line, units, usd }) =>
    el(
      "tr", {},
      el("th", { scope: "row" }, line.line),
      el("td", { class: "words" }, line.formula),
      el("td", {}, units.toLocaleString("en-US", { maximumFractionDigits: 4 })),
      el("td", {}, dollars(usd)),
      el("td", { class: "words" }, ...priceOf(line, region, data)),
    ),
  );
  const titles = ["line", "how its units come about", "units a month", "$ a month", "price, source and date"];
  const name = `The bill of ${one.option.label}`;
  return el(
    "div", { class: "scroll", role: "region", "aria-label": name, tabindex: 0 },
    el(
      "table", {},
      el("caption", {}, `${name}: ${dollars(total(lines))}`),
      el("thead", {}, el("tr", {}, ...titles.map((title) => el("th", { scope: "col" }, title)))),
      el("tbody", {}, ...rows),
    ),
  );
}

function priceOf(line: LineCost["line"], region: string, data: PageData): HTMLElement[] {
  const book = data.books[region];
  if (!book) return [];
  const price = line.own ?? book.prices[`${line.service}/${line.item}`];
  if (!price) return [el("span", {}, "not known")];
  const factor = line.factor === 1 ? "" : ` x ${figure(line.factor)}`;
  const tiers = prices(line, price.unit, book, factor).map((said) => el("span", { class: "tier" }, said));
  const from =
    "as_of" in price
      ? `${book.label} ${line.service}/${line.item}, ${data.sources[price.source] ?? ""}, ${price.as_of}`
      : price.source;
  return [...tiers, el("span", { class: "tier source" }, from)];
}

function crossing(pair: Pair, region: string, data: PageData): (HTMLElement | null)[] {
  const { first, second } = pair;
  const book = data.books[region];
  const intro = note(
    "Both bills over the traffic, line by line as below: they change places where their difference is 0, or where a " +
      "cluster is added. The page computes this as queries/money/crossover.sql does, and tests hold one to the other.",
  );
  if (pair.rate === null || !book) {
    const always = pair.above ? `${pair.above.option.label} is cheaper ${everyRate(pair)}.` : "A price is not known.";
    const bills = [bill(first, first.lines, region, data), bill(second, second.lines, region, data)];
    return [note(always), intro, ...bills, sql("crossover")];
  }
  const messages = pair.rate * secondsPerMonth(first.inputs);
  const unknown = movingNames(first.inputs, first.kind.movers, data.most_empty_receives)
    .concat(movingNames(second.inputs, second.kind.movers, data.most_empty_receives));
  const span = pair.low === null || pair.high === null
    ? ""
    : ` It lies between ${about(pair.low)} and ${about(pair.high)}, as these are not known: ${listing([...new Set(unknown)])}.`;
  const more = pair.later.slice(0, MOST_CROSSINGS).map((row) => `${about(row.rate)}${between(row)}`);
  const again = more.length ? ` It changes ${pair.later.length + 1} times; next at ${listing(more)}.` : "";
  return [
    note(`At ${figure(pair.rate, 6)} messages a second, ${amount(messages)} a month, ${dollars(pair.usd)}.${span}${again}`),
    intro,
    bill(first, billAt(first.option, book, messages), region, data),
    bill(second, billAt(second.option, book, messages), region, data),
    inputs(second.inputs, data),
    sql("crossover"),
  ];
}

/** Every input, those first that are not as the page has them. */
function inputs(own: Inputs, data: PageData): HTMLElement {
  const entries = Object.entries(own) as [keyof Inputs, Inputs[keyof Inputs]][];
  const changed = entries.filter(([name, value]) => value !== data.inputs[name]);
  const rest = entries.filter(([name, value]) => value === data.inputs[name]);
  const row = ([name, value]: [string, unknown], mark: string) =>
    el("div", {}, el("dt", {}, name + mark), el("dd", {}, value === null ? "not known" : String(value)));
  return el(
    "details", {},
    el("summary", {}, "Every input of this bill"),
    el("dl", { class: "about" }, ...changed.map((one) => row(one, " (set here)")), ...rest.map((one) => row(one, ""))),
  );
}
