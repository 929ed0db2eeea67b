// What the page computes, for tests: settings as JSON on standard input, crossings and bills on standard output.
import { readFileSync } from "node:fs";
import { answer, type Pair } from "../src/cost/answer.js";
import type { Inputs, PageData } from "../src/data.js";
import { secondsPerMonth } from "../src/bill/form.js";
import { moving } from "../src/moving.js";
import { requests } from "../src/bill/sqs.js";

interface Setting {
  inputs: Inputs;
  region: string;
  rate: number;
  /** whether crossings have their intervals, which take longer */
  intervals: boolean;
}

function crossing(pair: Pair) {
  const seconds = secondsPerMonth(pair.first.inputs);
  const id = (side: "first" | "second" | null) => (side === null ? null : pair[side].option.id);
  return {
    first: pair.first.option.id,
    second: pair.second.option.id,
    rows: pair.rows.map((row) => ({
      number: row.number, kind: row.kind, msg_per_s: row.rate, low: row.low, high: row.high, sure: row.sure,
      unless: row.unless,
      equal_until: row.equal_until === null ? null : row.equal_until / seconds,
      usd: row.usd, below: id(row.below), above: id(row.above),
    })),
  };
}

const { data, settings } = JSON.parse(readFileSync(0, "utf8")) as { data: PageData; settings: Setting[] };
const found = settings.map(({ inputs, region, rate, intervals }) => {
  const own = answer(inputs, region, rate, data, intervals);
  return {
    left_out: own.left_out,
    requests: requests(inputs),
    options: own.options.map(({ option, lines, usd }) => ({
      id: option.id, label: option.label, per_cluster: option.per_cluster, usd,
      lines: lines.map(({ line, units, usd: cost }) => ({ line: line.line, formula: line.formula, units, usd: cost })),
    })),
    pairs: own.pairs.map(crossing),
    managed: own.managed && crossing(own.managed),
    moving: moving(own),
  };
});
process.stdout.write(JSON.stringify(found));
