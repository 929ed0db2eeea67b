// When a move from SQS to a cluster, or back, is paid back: the same sentences as cli/crossover/moving_words.py has.
import type { Answer } from "./cost/answer.js";
import { AMAZON_MQ, AS_USED } from "./cost/options.js";
import { dollars, figure, number } from "./numbers.js";
import { optionOf, own } from "./words.js";

/** Empty where nobody asked, or SQS as used has no price at the rate. */
export function moving(answer: Answer): string {
  const { migration_hours: once, hour_rate: hourUsd } = answer.inputs;
  const used = optionOf(answer, AS_USED);
  if (once === null || !used || used.usd === null) return "";
  const sqs = used.option.label;
  const found: string[] = [];
  for (const one of [own(answer), optionOf(answer, AMAZON_MQ)]) {
    if (one && one.usd !== null) found.push(paidBack(sqs, one.option.label, used.usd - one.usd, once * hourUsd));
  }
  const takes = `A move takes ${number(once)} hours of staff time once, ${dollars(once * hourUsd)}`;
  return found.length ? `${takes}, and is paid back: ${found.join("; ")}.` : "";
}

/** `saved`: dollars a month, by moving there from SQS; less than nothing by moving back. */
function paidBack(sqs: string, label: string, saved: number, once: number): string {
  if (saved === 0) return `never between ${sqs} and ${label}, which cost the same`;
  const [from, to] = saved > 0 ? [sqs, label] : [label, sqs];
  return `from ${from} to ${to}, ${after(once / Math.abs(saved))}`;
}

function after(months: number): string {
  return months >= 1 ? `in ${figure(months)} months` : "within a month";
}
