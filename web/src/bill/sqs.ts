// The bill of Amazon SQS: requests by the 64 KiB chunk, the clients' way to it, and its alarms.
import type { Book, Inputs } from "../data.js";
import { number } from "../numbers.js";
import { BYTES_PER_GB, line, type Line } from "./line.js";
import { MAX_BATCH, MAX_CALL_BYTES, deleted, idlePolls, mostReceived, received } from "./receiving.js";

const CHUNK_BYTES = 64 * 1024;
const ITEMS = { standard: "standard_request", fair: "standard_request", fifo: "fifo_request" };
const WAYS = { endpoint: "interface endpoint", nat: "NAT gateway" };
/** What a call moves beside its messages, and what a message has beside its body in three calls, bytes. */
const CALL_BYTES = 1050;
const MESSAGE_BYTES = 1050;

/** Billed requests a message of calls that carry so many. */
function carried(batch: number, bytes: number): number {
  return Math.ceil((batch * bytes) / CHUNK_BYTES) / batch;
}

/** Billed requests a message of sends, receives, deletes and empty receives. */
export function requests(inputs: Inputs): number {
  const bytes = inputs.message_bytes;
  const calls = carried(inputs.send_batch, bytes) + carried(received(inputs), bytes) + 1 / deleted(inputs);
  return calls + (inputs.empty_receives ?? 0);
}

function formula(inputs: Inputs): string {
  const { message_bytes: bytes, send_batch: sent } = inputs;
  const got = received(inputs);
  const sends = carried(sent, bytes);
  const receives = carried(got, bytes);
  const deletes = 1 / deleted(inputs);
  const empty = inputs.empty_receives ?? 0;
  return [
    `send ceil(${number(sent)} x ${bytes} B / 64 KiB) / ${number(sent)} = ${number(sends)}`,
    `receive ceil(${number(got)} x ${bytes} B / 64 KiB) / ${number(got)} = ${number(receives)}`,
    `delete 1 / ${number(deleted(inputs))} = ${number(deletes)}`,
    `empty receives ${number(empty)}`,
    `together ${number(sends + receives + deletes + empty)} requests a message`,
  ].join("; ");
}

export function sqsLines(inputs: Inputs, book: Book): Line[] {
  const [polls, polling] = idlePolls(inputs);
  const free = inputs.free_tier ? book.free_requests : 0;
  const deducted = free ? `; ${number(free)} a month are free` : "";
  const billed = requests(inputs);
  const factor = inputs.sqs_price_factor;
  const lines = [
    line("requests", `${formula(inputs)}${polling}${deducted}`, "sqs", ITEMS[inputs.queue], {
      fixed: polls, per_message: billed, factor, free, used: inputs.existing_requests,
    }),
    line("alarms", `${number(inputs.sqs_alarms)} alarms`, "cloudwatch", "alarm_month", { fixed: inputs.sqs_alarms }),
  ];
  if (inputs.queue === "fair") {
    const said = `${number(billed)} requests a message, all of them`;
    lines.push(line("fair queue surcharge", said, "sqs", "fair_surcharge", { per_message: billed, factor }));
  }
  return [...lines, ...way(inputs)];
}

/** What the clients' way to SQS costs; over public addresses of the same region it is free. */
function way(inputs: Inputs): Line[] {
  if (inputs.sqs_path === "public") return [];
  const name = WAYS[inputs.sqs_path];
  const { client_zones: zones, hours_per_month: hours, message_bytes: bytes } = inputs;
  const calls = 1 / inputs.send_batch + 1 / received(inputs) + 1 / deleted(inputs) + (inputs.empty_receives ?? 0);
  const moved = 2 * bytes + MESSAGE_BYTES + calls * CALL_BYTES;
  const data =
    `in and out: (2 x ${bytes} B + ${MESSAGE_BYTES} B + ${number(calls)} calls x ${CALL_BYTES} B) / 2^30 a message`;
  const hourly = `${zones} zones x ${number(hours)} h`;
  const fixed = zones * hours;
  const lines = [
    line(`${name} hours`, hourly, "network", `${inputs.sqs_path}_hour`, { fixed }),
    line(`${name} data`, data, "network", `${inputs.sqs_path}_gb`, { per_message: moved / BYTES_PER_GB }),
  ];
  if (inputs.sqs_path === "nat") lines.push(line(`${name} addresses`, hourly, "network", "public_ipv4_hour", { fixed }));
  return lines;
}

/** Messages of the calls that are billed least a message, of those that carry so many at most. */
function leastBilled(bytes: number, most: number): number {
  let best = most;
  for (let batch = most - 1; batch > 0; batch--) {
    if (carried(batch, bytes) < carried(best, bytes)) best = batch;
  }
  return best;
}

/** Messages of a receive of Lambda, where it is billed least. */
export function bestOfLambda(inputs: Inputs): number {
  return leastBilled(inputs.message_bytes, mostReceived(inputs));
}

function filled(batch: number, inputs: Inputs): number {
  return Math.max(1, batch * (inputs.batch_fill ?? 1));
}

/** The batch that costs least, as full as it is known to be, or what was asked for where that costs less. */
function best(inputs: Inputs, asked: number): number {
  const bytes = inputs.message_bytes;
  const full = filled(leastBilled(bytes, Math.min(MAX_BATCH, Math.floor(MAX_CALL_BYTES / bytes))), inputs);
  return carried(asked, bytes) < carried(full, bytes) ? asked : full;
}

function longPolled(inputs: Inputs): Inputs {
  return {
    ...inputs,
    receive_batch: best(inputs, inputs.receive_batch),
    delete_batch: Math.max(filled(MAX_BATCH, inputs), inputs.delete_batch),
    empty_receives: inputs.consumer && inputs.empty_receives === null ? null : 0,
  };
}

/** The same traffic in the batches that cost least, and long polls. */
export function batched(inputs: Inputs): Inputs {
  return { ...longPolled(inputs), send_batch: best(inputs, inputs.send_batch) };
}

/** Messages that are sent one by one, as they come, and received over long polls, as many a call as cost least. */
export function singleSends(inputs: Inputs): Inputs {
  return { ...longPolled(inputs), send_batch: 1 };
}

/** How these are received: a call carries ten messages at most, and 1 MiB together. */
export function receivedBy(inputs: Inputs): string {
  const full = singleSends({ ...inputs, batch_fill: null }).receive_batch;
  if (full === MAX_BATCH) return "received by tens";
  return full <= 1 ? "received one by one" : `received ${number(full)} a call`;
}
