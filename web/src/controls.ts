// The page's controls: what each one sets, how it is named, and what it takes. docs/adding.md says how to add one.
import type { Field, Inputs, PageData } from "./data.js";
import { mostZones } from "./bill/form.js";
import { MAX_CALL_BYTES, payloadFits } from "./bill/receiving.js";
import { SERVICES } from "./bill/broker.js";
import type { State } from "./state.js";

type Key = keyof Inputs;

export interface Control {
  /** of the hash: an input's name, or of what is no input */
  key: string;
  label: string;
  hint?: string;
  unit?: string;
  kind: "number" | "size" | "select";
  /** the inputs that it sets; none: the region or the traffic */
  sets: Key[];
  /** values and names of a select */
  choices?: (data: PageData, state: State) => [string, string][];
  /** names that the page knows, with a price in a region or without */
  known?: (data: PageData, name: string) => boolean;
  /** whether it matters; else it is not shown */
  shown?: (state: State, data: PageData) => boolean;
  /** stands before "More inputs" */
  first?: boolean;
}

const named = (names: Record<string, string>) => (): [string, string][] => Object.entries(names);

function number(key: Key, label: string, rest: Partial<Control> = {}): Control {
  return { key, label, kind: "number", sets: [key], ...rest };
}

function select(key: Key, label: string, choices: NonNullable<Control["choices"]>, rest: Partial<Control> = {}): Control {
  return { key, label, kind: "select", sets: [key], choices, ...rest };
}

const ofLambda = (state: State) => state.inputs.consumer === "lambda";
const ofContainers = (state: State) => state.inputs.consumer !== null;

function priced(service: string, data: PageData, state: State): string[] {
  const prices = data.books[state.region]?.prices ?? {};
  return Object.entries(prices)
    .filter(([name, price]) => name.startsWith(`${service}/`) && price.tiers.every(([, , usd]) => usd !== null))
    .map(([name]) => name.slice(service.length + 1));
}

function instances(data: PageData, state: State): [string, string][] {
  const there = new Set(priced(SERVICES[state.inputs.commitment], data, state));
  return Object.keys(data.machines).filter((name) => there.has(name)).map((name) => [name, name]);
}

function brokers(data: PageData, state: State): [string, string][] {
  const form = state.inputs.deployment === "single" ? "single" : "cluster";
  const there = new Set(priced("amazonmq", data, state));
  const types = Object.keys(data.brokers).filter((name) => there.has(`${form}.${name}`));
  return [["", "not beside"], ...types.map((name): [string, string] => [name, name])];
}

export const TRAFFIC: Control = {
  key: "traffic", label: "Traffic", hint: "the number stays when its unit changes", kind: "number", sets: [], first: true,
};
export const UNITS: Record<State["unit"], string> = {
  month: "messages a month",
  second: "messages a second, mean",
  bill: "dollars a month on the SQS bill",
};

export const CONTROLS: Control[] = [
  TRAFFIC,
  { key: "message_bytes", label: "Message size", hint: "such as 2KiB", kind: "size", sets: ["message_bytes"], first: true },
  {
    key: "region", label: "Region", kind: "select", sets: [], first: true,
    choices: (data) => Object.keys(data.books).sort().map((name) => [name, name]),
  },
  number("send_batch", "Messages a send", { unit: "1 to 10", first: true }),
  number("receive_batch", "Messages a receive", { unit: "1 to 10", first: true }),
  number("delete_batch", "Messages a delete", { unit: "1 to 10", first: true }),
  select("consumer", "Consumers", named({ "": "the queue only", containers: "containers (Fargate)", lambda: "Lambda" }), {
    first: true,
  }),
  select("instance", "Instance of each node", instances, {
    first: true, known: (data, name) => Object.hasOwn(data.machines, name),
  }),
  number("hours", "Staff time", { unit: "hours a month", hint: "empty: break-even hours", first: true }),
  number("hour_rate", "Price of an hour", { unit: "$", first: true }),
  number("peak_factor", "Peak", { unit: "times the mean", first: true }),
  select("amazon_mq", "Amazon MQ broker", brokers, {
    first: true, known: (data, name) => Object.hasOwn(data.brokers, name),
  }),
  select("queue", "Queue", named({ standard: "standard", fifo: "FIFO", fair: "fair" })),
  number("empty_receives", "Empty receives", { unit: "a message", hint: "empty: not known" }),
  number("existing_requests", "Other SQS requests", { unit: "a month" }),
  select("sqs_path", "Network path to SQS", named({
    public: "public endpoint", endpoint: "interface endpoint", nat: "NAT gateway",
  })),
  number("client_zones", "Zones of the clients", {
    unit: "with an endpoint or a gateway each", shown: (state) => state.inputs.sqs_path !== "public" || ofLambda(state),
  }),
  number("batch_fill", "Fill of batched calls", { unit: "0 to 1", hint: "empty: not known" }),
  select("deployment", "Cluster of your own", named({ trio: "quorum trio", pair: "mirrored pair", single: "one node" })),
  select("commitment", "Commitment", named({
    "on-demand": "on demand", "1y-standard": "1 year, standard", "1y-convertible": "1 year, convertible",
    "3y-standard": "3 years, standard", "3y-convertible": "3 years, convertible",
  })),
  select("cpu_credits", "CPU credits", named({ unlimited: "unlimited", standard: "standard" }), {
    shown: (state, data) => (data.machines[state.inputs.instance]?.credits ?? null) !== null,
  }),
  number("capacity_msg_per_s", "Capacity of a cluster", { unit: "msg/s, one node down", hint: "empty: not known" }),
  number("utilisation", "Utilisation at the peak", { unit: "0 to 1" }),
  number("broker_zones", "Zones of the brokers", { unit: "1 to 3", hint: "empty: one a node; 1: clients are in it, too" }),
  number("client_zone_share", "Traffic to another zone", { unit: "0 to 1", hint: "empty: spread evenly over the brokers' zones" }),
  number("amazon_mq_hours", "Staff time of Amazon MQ", { unit: "hours a month", hint: "empty: none" }),
  number("migration_hours", "Staff time of a move", { unit: "hours, once", hint: "from SQS, or back; empty: not asked" }),
  number("consumer_queues", "Queues", { shown: ofContainers }),
  number("containers", "Containers", { unit: "at every rate", shown: ofContainers }),
  number("lambda_batch", "Messages an invocation", { unit: "at most", shown: ofLambda }),
  number("lambda_window_s", "Batch window", { unit: "s", hint: "empty: 0 on SQS, 0.5 on RabbitMQ", shown: ofLambda }),
  number("lambda_ms", "Function's time", { unit: "ms a message", shown: ofLambda }),
  number("lambda_memory_mb", "Function's memory", { unit: "MB", shown: ofLambda }),
];

/** Digits, either none of them parted or all by thousands, and a point: 1,5 is nothing that it could be taken for. */
const DIGITS = "((?:[0-9]{1,3}(?:,[0-9]{3})+|[0-9]{1,3}(?:_[0-9]{3})+|[0-9]{1,3}(?: [0-9]{3})+|[0-9]+)(?:\\.[0-9]*)?|\\.[0-9]+)";
const NUMBER = new RegExp(`^${DIGITS}(e[0-9]{1,2})?\\s*(k|thousand|m|million|bn|billion)?$`, "i");
const SIZE = new RegExp(`^${DIGITS}\\s*(b|bytes?|kib|mib)?$`, "i");
/** 1,000 bytes to some, and 1,024 to others */
const AMBIGUOUS = new RegExp(`^${DIGITS}\\s*([km])b$`, "i");

/** Between thousands of what was copied from a page or a table: no-break, narrow no-break and thin spaces. */
const SPACES = /[\u00a0\u202f\u2009]/g;

export function plain(text: string): string {
  return text.replace(SPACES, " ").trim();
}

/** Whether dollars are what a control counts in. */
function isOfDollars(control: Control, unit: State["unit"]): boolean {
  return control === TRAFFIC ? unit === "bill" : control.unit === "$";
}

/** What a control's text says, in the unit of its input; NaN where that is nothing. */
export function valueOf(text: string, control: Control, unit: State["unit"]): number {
  if (control.kind === "size") return parsedSize(text);
  return parsed(isOfDollars(control, unit) ? text.replace(/^\s*\$/, "") : text);
}

/** What is wrong with dollars where something else is counted. */
export function dollarProblem(text: string, control: Control, unit: State["unit"]): string | null {
  if (!/^\s*\$/.test(text) || isOfDollars(control, unit)) return null;
  return control === TRAFFIC ? `of a bill, choose “${UNITS.bill}”; else give a number without $` : "give a number without $";
}

/** A number as people write it: 3,000,000, 3e6, 3 million; NaN where it is none. */
export function parsed(text: string): number {
  const match = NUMBER.exec(plain(text));
  if (!match) return NaN;
  const times: Record<string, number> = { k: 1e3, thousand: 1e3, m: 1e6, million: 1e6, bn: 1e9, billion: 1e9 };
  const digits = (match[1] ?? "").replace(/[,_ ]/g, "");
  return Number(digits + (match[2] ?? "")) * (times[(match[3] ?? "").toLowerCase()] ?? 1);
}

/** Bytes of 2KiB, 2048; NaN where it is no size. */
export function parsedSize(text: string): number {
  const match = SIZE.exec(plain(text));
  if (!match) return NaN;
  const units: Record<string, number> = { kib: 1024, mib: 1 << 20 };
  return Math.round(Number((match[1] ?? "").replace(/[,_ ]/g, "")) * (units[(match[2] ?? "").toLowerCase()] ?? 1));
}

/** What is wrong with a size whose unit has two meanings. */
export function unitProblem(text: string, control: Control): string | null {
  const match = control.kind === "size" ? AMBIGUOUS.exec(text.trim()) : null;
  if (!match) return null;
  const kilo = (match[2] ?? "").toLowerCase() === "k";
  const [unit, decimal, binary] = kilo ? ["KB", "1,000", "1,024"] : ["MB", "1,000,000", "1,048,576"];
  return `${unit} is ${decimal} bytes to some and ${binary} to others: write ${kilo ? "KiB" : "MiB"}, or bytes`;
}

/** What is wrong with a text that is no number for a comma, a space or _ between other digits than thousands. */
export function separatorProblem(text: string, value: number, control: Control): string | null {
  if (!Number.isNaN(value) || !/[0-9][,_ ]+[0-9]/.test(plain(text))) return null;
  const shown = text.length > 20 ? `${text.slice(0, 20)}…` : text;
  return `${control.label} "${shown}" is no number: part thousands only, as in 1,500, and write decimals with a point, as in 1.5`;
}

/** What is wrong with a value of a field, and what it takes; null where all is well. */
export function fieldProblem(value: number, field: Field): string | null {
  const { least, most, above } = field;
  const show = (bound: number) => bound.toLocaleString("en-US", { maximumFractionDigits: 6 });
  const from = least !== undefined ? show(least) : above !== undefined ? `more than ${show(above)}` : null;
  const range = from === null || most === undefined ? "" : `: ${from} to ${show(most)}`;
  if (Number.isNaN(value)) return `give a number${range}`;
  if (field.whole && !Number.isInteger(value)) return `give a whole number${range}`;
  const below = (least !== undefined && value < least) || (above !== undefined && value <= above);
  return below || (most !== undefined && value > most) ? `give a number in the range${range}` : null;
}

/** Combinations that the model refuses, by the control beside which the message stands. */
export function combinationProblem(inputs: Inputs): [string, string] | null {
  const bytes = inputs.message_bytes;
  if (inputs.send_batch * bytes > MAX_CALL_BYTES) {
    return ["send_batch", `a call sends 1 MiB at most; ${Math.floor(MAX_CALL_BYTES / bytes)} of these messages fit`];
  }
  const zones = mostZones(inputs);
  if ((inputs.broker_zones ?? 1) > zones) return ["broker_zones", `at most one a node: ${zones}`];
  if (inputs.consumer !== "lambda") return null;
  const { lambda_batch: batch, lambda_window_s: window } = inputs;
  if (inputs.queue === "fifo" && batch > 10) return ["lambda_batch", "of a FIFO queue an invocation takes 10 at most"];
  if (inputs.queue === "fifo" && window) return ["lambda_window_s", "a FIFO queue has no window; leave it empty"];
  if (batch > 10 && !window) return ["lambda_batch", "over 10 messages need a batch window of 1 s or more"];
  if (Math.min(batch, payloadFits("sqs", bytes)) * inputs.lambda_ms > 900_000) {
    return ["lambda_ms", "a batch takes over 15 minutes; give less"];
  }
  return null;
}
