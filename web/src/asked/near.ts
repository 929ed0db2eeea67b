// What was measured near a reader's traffic.
import type { Deployment, Latency, PageData } from "../data.js";
import type { Priced } from "../cost/answer.js";
import { AS_USED, BATCHED, BY_TENS } from "../cost/options.js";
import { figure } from "../numbers.js";

/** From half to twice as much counts as near. */
export function isNear(found: number, wanted: number): boolean {
  return found >= wanted / 2 && found <= wanted * 2;
}

/** What cases of an option are called. */
export function sideOf({ option, inputs }: Priced): Latency["side"] {
  if (option.side === "sqs") return inputs.queue === "fifo" ? "fifo" : "sqs";
  return option.side === "amazon-mq" ? "amazon-mq" : (option.id.slice(9) as Deployment);
}

/** Whether a case of SQS sent and received as the option does: one message a call, or several. */
function callsAs({ option: { id }, inputs }: Priced, found: Latency): boolean {
  if (id === BATCHED) return found.batched;
  const batched = id === AS_USED && inputs.send_batch > 1;
  const together = id === BY_TENS || inputs.receive_batch > 1;
  return found.batched === batched && found.received_together === together;
}

/** Cases of an option near the rate, with messages of about that size; a source may not say theirs. */
function casesNear(one: Priced, rate: number, data: PageData): Latency[] {
  const { side } = one.option;
  const wanted = sideOf(one);
  return data.latencies.filter(
    (found) =>
      found.side === wanted && (side !== "sqs" || callsAs(one, found)) && isNear(found.msg_per_s, rate) &&
      (found.message_bytes === null || isNear(found.message_bytes, one.inputs.message_bytes)),
  );
}

/**
 * In a cell, what was measured of an option near the rate: 3.2 ms, 99 of 100 within 12 ms. Only of cases that kept up,
 * as elsewhere messages waited in a queue that grew; of open loops before closed ones.
 */
export function latencyNear(one: Priced, rate: number, data: PageData): string {
  const near = casesNear(one, rate, data);
  const apart = (found: Latency) => Math.abs(Math.log(found.msg_per_s / rate));
  const [found] = near.filter(({ behind }) => !behind).sort((a, b) => Number(b.open) - Number(a.open) || apart(a) - apart(b));
  if (!found) return near.length ? "no case near kept up" : "nothing measured near";
  return latencyWords(found);
}

function latencyWords(found: Latency): string {
  const of = [
    found.what === "end to end" ? "" : ` ${found.what}`,
    found.message_bytes === null ? ", size not given" : "",
    found.origin === "measured" ? "" : `, ${found.origin}`,
  ].join("");
  if (found.p50_ms === null) return `mean ${figure(found.mean_ms)} ms${of}`;
  const p99 = found.p99_ms === null ? "" : `, 99 of 100 within ${figure(found.p99_ms)} ms`;
  return `half within ${figure(found.p50_ms)} ms${p99}${of}`;
}
