// The SQL of every question, as the report's queries are run: with the parts that each includes put in.
import baseRatios from "../../queries/base_ratios.sql";
import cases from "../../queries/cases.sql";
import comparison from "../../queries/comparison.sql";
import faults from "../../queries/faults.sql";
import latencyPercentiles from "../../queries/latency_percentiles.sql";
import ledger from "../../queries/ledger.sql";
import loaders from "../../queries/loaders.sql";
import bills from "../../queries/money/bills.sql";
import hours from "../../queries/money/break_even_hours.sql";
import cheapestSize from "../../queries/money/cheapest_size.sql";
import costCurves from "../../queries/money/cost_curves.sql";
import crossover from "../../queries/money/crossover.sql";
import decisionMap from "../../queries/money/decision_map.sql";
import pairCrossings from "../../queries/money/pair_crossings.sql";
import sensitivity from "../../queries/money/sensitivity.sql";
import nodesOverTime from "../../queries/nodes_over_time.sql";
import costModel from "../../queries/parts/cost_model.sql";
import costs from "../../queries/parts/costs.sql";
import crossings from "../../queries/parts/crossings.sql";
import intervals from "../../queries/parts/intervals.sql";
import pieces from "../../queries/parts/pieces.sql";
import rankedBins from "../../queries/parts/ranked_bins.sql";
import rates from "../../queries/parts/rates.sql";
import sqsPairs from "../../queries/parts/sqs_pairs.sql";
import studentT from "../../queries/parts/student_t.sql";
import welch from "../../queries/parts/welch.sql";
import probes from "../../queries/probes.sql";
import rateOverTime from "../../queries/rate_over_time.sql";
import repeats from "../../queries/repeats.sql";
import throughput from "../../queries/throughput.sql";

const PARTS: Record<string, string> = {
  cost_model: costModel, costs, crossings, intervals, pieces, ranked_bins: rankedBins, rates, sqs_pairs: sqsPairs, student_t: studentT,
  welch,
};
const MONEY: Record<string, string> = {
  bills, break_even_hours: hours, cheapest_size: cheapestSize, cost_curves: costCurves, crossover, decision_map: decisionMap,
  pair_crossings: pairCrossings, sensitivity,
};
const MEASURED: Record<string, string> = {
  base_ratios: baseRatios, cases, comparison, faults, latency_percentiles: latencyPercentiles, ledger, loaders,
  nodes_over_time: nodesOverTime, probes, rate_over_time: rateOverTime, repeats, throughput,
};

function whole(text: string): string {
  return text.replace(/^-- include: (\w+)\n/gm, (line: string, name: string) => whole(PARTS[name] ?? line));
}

/** The text of a question, and the file that it is in; null: there is none of that name. */
export function sqlOf(name: string): { file: string; text: string } | null {
  const text = MONEY[name] ?? MEASURED[name];
  return text === undefined ? null : { file: `queries/${name in MONEY ? "money/" : ""}${name}.sql`, text: whole(text) };
}

/** Whether a question is one about money, which is asked of prices and inputs. */
export function isOfMoney(name: string): boolean {
  return name in MONEY;
}
