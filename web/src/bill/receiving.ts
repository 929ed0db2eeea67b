// How consumers receive from SQS: what a receive brings, and how often idle queues are asked.
import type { Inputs } from "../data.js";
import { secondsPerMonth } from "./form.js";
import { number } from "../numbers.js";

export const MAX_BATCH = 10;
export const MAX_CALL_BYTES = 1_048_576;
const PAYLOAD_BYTES = 6 * 1024 * 1024;
const LEAST_POLLERS = 2;
const MOST_POLLERS = 5;
const LAMBDA_WAIT_S = 20;
const MOST_POLLS_PER_S = 10;
const MOST_AT_A_TIME = 10;

export type Queue = "sqs" | "self-hosted" | "amazon-mq";

/** Bytes of a body in Lambda's event of RabbitMQ. */
export function inBase64(bytes: number): number {
  return 4 * Math.ceil(bytes / 3);
}

/** Messages whose bodies an invocation carries. */
export function payloadFits(queue: Queue, bytes: number): number {
  return Math.floor(PAYLOAD_BYTES / (queue === "sqs" ? bytes : inBase64(bytes)));
}

/** Messages that a receive of Lambda brings at most. */
export function mostReceived(inputs: Inputs): number {
  return Math.min(MAX_BATCH, inputs.lambda_batch, payloadFits("sqs", inputs.message_bytes));
}

function ofLambda(inputs: Inputs, asked: number): number {
  return inputs.consumer === "lambda" ? Math.min(mostReceived(inputs), inputs.lambda_receives ?? asked) : asked;
}

/** Messages that a receive brings on average. */
export function received(inputs: Inputs): number {
  return ofLambda(inputs, inputs.receive_batch);
}

/** Messages of a call that deletes. */
export function deleted(inputs: Inputs): number {
  return ofLambda(inputs, inputs.delete_batch);
}

/** Batches of a queue that Lambda has in hand beside each other. */
export function atATime(inputs: Inputs): number {
  return MOST_AT_A_TIME * inputs.lambda_pollers || MOST_POLLERS;
}

/** Receives a second of one idle queue. */
function pollsPerS(inputs: Inputs): number {
  if (inputs.consumer !== "lambda") return inputs.containers / inputs.poll_wait_s;
  return inputs.lambda_polls_per_s ?? (inputs.lambda_pollers || MOST_POLLERS) / LAMBDA_WAIT_S;
}

/** Of the polls a second of Lambda's, where they are not given. */
export function pollsEnds(inputs: Inputs): [number, number] {
  if (inputs.lambda_pollers) return [inputs.lambda_pollers / LAMBDA_WAIT_S, inputs.lambda_pollers * MOST_POLLS_PER_S];
  return [LEAST_POLLERS / LAMBDA_WAIT_S, MOST_POLLERS / LAMBDA_WAIT_S];
}

/** Receives a month that find SQS's queues empty, and the words for a formula. */
export function idlePolls(inputs: Inputs): [number, string] {
  if (inputs.consumer === null || inputs.empty_receives !== null) return [0, ""];
  const each = pollsPerS(inputs);
  const hours = number(inputs.hours_per_month);
  const queues = `${inputs.consumer_queues} ${inputs.consumer_queues === 1 ? "queue" : "queues"}`;
  const said = `; idle polls ${queues} x ${number(each)} a second x ${hours} h x 3,600`;
  return [inputs.consumer_queues * each * secondsPerMonth(inputs), said];
}
