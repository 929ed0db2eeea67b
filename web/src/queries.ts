// The SQL that answers the same questions, as the report's queries are run: with the parts that each includes put in.
import bills from "../../queries/money/bills.sql";
import hours from "../../queries/money/break_even_hours.sql";
import crossover from "../../queries/money/crossover.sql";
import costModel from "../../queries/parts/cost_model.sql";
import costs from "../../queries/parts/costs.sql";
import crossings from "../../queries/parts/crossings.sql";
import intervals from "../../queries/parts/intervals.sql";
import pieces from "../../queries/parts/pieces.sql";
import rates from "../../queries/parts/rates.sql";
import sqsPairs from "../../queries/parts/sqs_pairs.sql";

const PARTS: Record<string, string> = { cost_model: costModel, costs, crossings, intervals, pieces, rates, sqs_pairs: sqsPairs };
const QUERIES = { bills, break_even_hours: hours, crossover };

export type Query = keyof typeof QUERIES;

function whole(text: string): string {
  return text.replace(/^-- include: (\w+)\n/gm, (line: string, name: string) => whole(PARTS[name] ?? line));
}

export function sqlOf(name: Query): string {
  return whole(QUERIES[name]);
}
