// Inputs of a question that are not known, and the ends between which each of them lies.
import type { Inputs } from "../data.js";
import { brokersOf } from "../bill/form.js";
import { mostReceived, pollsEnds } from "../bill/receiving.js";
import { bestOfLambda } from "../bill/sqs.js";

export type Changes = Partial<Inputs>;
/** What moves the bill of an option: SQS as it is called, SQS batched, one's own cluster, Amazon MQ. */
export type Mover = "as-used" | "batched" | "cluster" | "amazon-mq";

interface Uncertain {
  name: string;
  moves: Mover[];
  ends: Changes[];
  /** of an input that a question is priced with at one end: what makes the other; in the words of the report */
  other_end: string | null;
}

const HALF_FULL = "if batches are half full";

const BATCHES = ["send_batch", "receive_batch", "delete_batch"] as const;

/** Every uncertain input; `mostEmpty`: empty receives a message at most, where they are not known. */
function uncertain(inputs: Inputs, mostEmpty: number): Uncertain[] {
  const found: Uncertain[] = [];
  const add = (name: string, moves: Mover[], ends: Changes[], other_end: string | null = null) => {
    if (ends.length) found.push({ name, moves, ends, other_end });
  };
  if (inputs.empty_receives === null && inputs.consumer === null) {
    const counts = [{ empty_receives: 0 }, { empty_receives: mostEmpty }];
    add("empty receives", ["as-used"], counts, "if receives are often empty");
  }
  // it keeps the batches that were asked for where they cost less, and these are filled no better
  add("how full batches are", ["as-used", "batched"], asUsedFill(inputs), HALF_FULL);
  add("Lambda's polling", ["as-used", "batched"], lambdaPolling(inputs));
  const fills = batchedFill(inputs).map((end) => ({ batch_fill: end }));
  add("how full batches of SQS batched are", ["batched"], fills, inputs.batch_fill === null ? HALF_FULL : null);
  const own = ends(inputs.capacity_msg_per_s, inputs.capacity_low_msg_per_s, inputs.capacity_high_msg_per_s);
  add("the cluster's capacity", ["cluster"], own.map((end) => ({ capacity_msg_per_s: end })));
  if (inputs.amazon_mq !== null) {
    if (brokersOf(inputs.deployment) > 1 && inputs.amazon_mq_inter_node === null) {
      const shares = [0, 1].map((end) => ({ amazon_mq_inter_node: end }));
      const charged = "if traffic between Amazon MQ's brokers is charged";
      add("what traffic between Amazon MQ's brokers is charged", ["amazon-mq"], shares, charged);
    }
    const managed = ends(
      inputs.amazon_mq_capacity_msg_per_s, inputs.amazon_mq_low_msg_per_s, inputs.amazon_mq_high_msg_per_s,
    );
    add("Amazon MQ's capacity", ["amazon-mq"], managed.map((end) => ({ amazon_mq_capacity_msg_per_s: end })));
  }
  return found;
}

function asUsedFill(inputs: Inputs): Changes[] {
  // what Lambda receives is uncertain by itself
  const batches = inputs.consumer === "lambda" ? BATCHES.slice(0, 1) : [...BATCHES];
  if (!batches.some((batch) => inputs[batch] > 1)) return [];
  return [0.5, 1].map((fill) =>
    Object.fromEntries(batches.map((batch) => [batch, Math.max(1, inputs[batch] * fill)])),
  );
}

/** From the least requests to the most: what its receives bring, and how often it asks idle queues. */
function lambdaPolling(inputs: Inputs): Changes[] {
  if (inputs.consumer !== "lambda") return [];
  const least: Changes = {};
  const most: Changes = {};
  if (inputs.lambda_receives === null && mostReceived(inputs) > 0) {
    const best = bestOfLambda(inputs);
    if (best > 1) [least.lambda_receives, most.lambda_receives] = [best, 1];
  }
  if (inputs.lambda_polls_per_s === null && inputs.empty_receives === null) {
    [least.lambda_polls_per_s, most.lambda_polls_per_s] = pollsEnds(inputs);
  }
  return Object.keys(least).length ? [least, most] : [];
}

/** Half full and full where it is not known; of one that was measured the interval's. */
function batchedFill(inputs: Inputs): number[] {
  if (inputs.batch_fill === null) return [0.5, 1];
  const { batch_fill_low: low, batch_fill_high: high } = inputs;
  return low !== null && high !== null && low < high ? [low, high] : [];
}

/** A quarter less and more; of a capacity that was measured its interval's ends, null where none bounds it above. */
function ends(stated: number | null, low: number | null, high: number | null): (number | null)[] {
  if (stated === null) return [];
  return low === null ? [stated * 0.75, stated * 1.25] : [low, high];
}

/** When two options have no crossing that have one as they are priced, in the words of the report. */
export function mayBeNone(sides: [Inputs, Mover[]][], mostEmpty: number): string {
  const moving = sides.flatMap(([inputs, movers]) =>
    uncertain(inputs, mostEmpty).filter((one) => one.moves.some((mover) => movers.includes(mover))),
  );
  const [one] = moving;
  const alone = moving.length === 1 && one?.other_end;
  return alone ? ` ${alone}` : ", depending on what is not known";
}

/** Names of the uncertain inputs that move one of the options. */
export function movingNames(inputs: Inputs, movers: Mover[], mostEmpty: number): string[] {
  return uncertain(inputs, mostEmpty)
    .filter((one) => one.moves.some((mover) => movers.includes(mover)))
    .map((one) => one.name);
}

/** What to change for each combination of the ends of the inputs that move one of the options; [{}]: nothing. */
export function corners(inputs: Inputs, movers: Mover[], mostEmpty: number): Changes[] {
  const moving = uncertain(inputs, mostEmpty).filter((one) => one.moves.some((mover) => movers.includes(mover)));
  return moving.reduce<Changes[]>(
    (found, one) => found.flatMap((before) => one.ends.map((end) => ({ ...end, ...before }))),
    [{}],
  );
}
