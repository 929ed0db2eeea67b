// The bill of what takes the messages from the queue: containers that ask for them, or Lambda.
import type { Book, Inputs, Tier } from "../data.js";
import { number } from "../numbers.js";
import { secondsPerMonth } from "./form.js";
import { BYTES_PER_GB, known, line, through, type Line, type OwnPrice } from "./line.js";
import { atATime, inBase64, payloadFits, received, type Queue } from "./receiving.js";

const BROKER_WINDOW_S = 0.5;
const MAPPING_ENDPOINTS = 2;

/** How messages come into invocations; `windows` a month, 0: nothing is gathered. */
interface Batches {
  size: number;
  window_s: number;
  windows: number;
}

/** Every line of the consumers' bill; none where the question names no consumer. */
export function consumerLines(inputs: Inputs, book: Book, queue: Queue): Line[] {
  if (inputs.consumer === null) return [];
  if (inputs.consumer === "containers") return containers(inputs, "containers");
  const found = batches(inputs, queue);
  const invoked = [requests(found, book), duration(inputs, found, book)];
  if (queue === "sqs") return [...invoked, pollers(inputs)];
  return [...invoked, ...(queue === "amazon-mq" ? mapping(inputs) : containers(inputs, "forwarders"))];
}

/** Fargate on ARM, the same number at every rate. */
function containers(inputs: Inputs, name: string): Line[] {
  const { containers: count, hours_per_month: hours } = inputs;
  const parts: [string, string, number, string][] = [
    ["processors", "vCPU", inputs.container_vcpu, "vcpu_hour_arm"],
    ["memory", "GB", inputs.container_gb, "gb_hour_arm"],
  ];
  return parts.map(([what, unit, each, item]) =>
    line(`${name}, ${what}`, `${number(count)} x ${number(each)} ${unit} x ${number(hours)} h`, "fargate", item, {
      fixed: count * each * hours,
    }),
  );
}

/** Those that a mapping has to itself. */
function pollers(inputs: Inputs): Line {
  const { consumer_queues: queues, lambda_pollers: each, hours_per_month: hours } = inputs;
  const said = `${queues} queues x ${each} x ${number(hours)} h`;
  return line("provisioned pollers", said, "lambda", "sqs_poller_hour", { fixed: queues * each * hours });
}

/** The interface endpoints of a mapping's way from a private broker to Lambda, and what passes them. */
function mapping(inputs: Inputs): Line[] {
  const { client_zones: zones, hours_per_month: hours, message_bytes: bytes } = inputs;
  const hourly = `${MAPPING_ENDPOINTS} endpoints x ${zones} zones x ${number(hours)} h`;
  const sent = inBase64(bytes);
  return [
    line("mapping's endpoints, hours", hourly, "network", "endpoint_hour", { fixed: MAPPING_ENDPOINTS * zones * hours }),
    line(
      "mapping's endpoints, data", `${bytes} B, in base64 ${sent} B / 2^30 a message`, "network", "endpoint_gb",
      { per_message: sent / BYTES_PER_GB },
    ),
  ];
}

function batches(inputs: Inputs, queue: Queue): Batches {
  const most = Math.min(inputs.lambda_batch, payloadFits(queue, inputs.message_bytes));
  const sqs = queue === "sqs";
  const window_s = inputs.lambda_window_s ?? (sqs ? 0 : BROKER_WINDOW_S);
  if (!window_s) return { size: sqs ? received(inputs) : 1, window_s: 0, windows: 0 };
  const many = sqs ? atATime(inputs) : 1;
  return { size: most, window_s, windows: (inputs.consumer_queues * many * secondsPerMonth(inputs)) / window_s };
}

function requests(found: Batches, book: Book): Line {
  const said = found.windows
    ? `1 a message up to ${number(found.windows)} messages a month, one each window of ${number(found.window_s)} s; ` +
      `none more up to ${number(found.windows * found.size)}; from there 1 / ${number(found.size)}`
    : `1 / ${number(found.size)} a message (no window: those that come together)`;
  return byBatches("invocations", "request", found, book, said, () => 1);
}

function duration(inputs: Inputs, found: Batches, book: Book): Line {
  const gb = inputs.lambda_memory_mb / 1024;
  const said =
    `${number(inputs.lambda_ms)} ms a message, of an invocation's ${number(found.size)} together rounded ` +
    `up to 1 ms, x ${inputs.lambda_memory_mb} MB / 1,024`;
  const units = (messages: number) => (Math.ceil(inputs.lambda_ms * messages - 1e-9) / 1000) * gb;
  return byBatches("duration", "gb_second_arm", found, book, said, units);
}

/** A line of what each invocation takes; with windows it is a price of a message with three tiers. */
function byBatches(
  name: string, item: string, found: Batches, book: Book, said: string, units: (messages: number) => number,
): Line {
  const first = units(1);
  const full = units(found.size);
  const all = first * found.size;
  if (!found.windows || Math.abs(full - all) <= 1e-9 * Math.max(full, all)) {
    return line(name, said, "lambda", item, { per_message: full / found.size });
  }
  const price = known(book, "lambda", item);
  const usd = through(price, 1);
  const full_from = found.windows * found.size;
  const tiers: Tier[] = [
    [0, found.windows, usd * first],
    [found.windows, full_from, (usd * (full - first)) / (found.size - 1)],
    [full_from, null, (usd * full) / found.size],
  ];
  const own: OwnPrice = {
    unit: "message",
    source:
      `of a message, by batches of ${number(found.size)} and a window of ${number(found.window_s)} s, ` +
      `at the price of the first ${price.unit.replace(/_/g, " ")}`,
    tiers,
  };
  return line(name, said, "lambda", `${item} by batch and window`, { per_message: 1, own });
}
