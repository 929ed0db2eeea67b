// What a reader has set: the inputs, the region and the traffic; and the rate that the traffic is.
import type { Inputs, PageData } from "./data.js";
import { inForm, secondsPerMonth } from "./bill/form.js";
import { sqsLines } from "./bill/sqs.js";
import { bills } from "./bill/line.js";
import { crossings } from "./cost/crossings.js";
import { MOST_MSG_PER_S, pieces, type Option } from "./cost/pieces.js";
import { withKnownCapacity, withManagedCapacity } from "./cost/options.js";

export type TrafficUnit = "month" | "second" | "bill";

export interface State {
  region: string;
  unit: TrafficUnit;
  /** messages a month or a second, or US dollars a month */
  traffic: number;
  /** whether the capacity of `inputs` is the reader's own; else it is what the page knows of the cluster */
  capacity_given: boolean;
  /** as set; capacities follow in `settled` */
  inputs: Inputs;
}

/** What decides whether a capacity holds. */
const CAPACITY_OF = ["instance", "deployment", "cluster_nodes", "group_size", "message_bytes"] as const;
const MANAGED_OF = ["amazon_mq", "deployment", "message_bytes"] as const;

export function initial(data: PageData): State {
  const inputs = { ...data.inputs };
  return { region: data.region, unit: "second", traffic: inputs.msg_per_s ?? 0, capacity_given: false, inputs };
}

/** The inputs with the capacities that hold for them: those asked for, or what is known of just such a cluster. */
export function settled(state: State, data: PageData): Inputs {
  const [asked, usual] = [state.inputs, data.inputs];
  let inputs = asked;
  if (asked.deployment !== usual.deployment) {
    inputs = { ...inForm({ ...asked, deployment: usual.deployment }, asked.deployment), broker_zones: asked.broker_zones };
  }
  if (state.capacity_given) {
    const none = { capacity_low_msg_per_s: null, capacity_high_msg_per_s: null, capacity_nodes_down: null };
    inputs = { ...inputs, ...none, capacity_msg_per_s: asked.capacity_msg_per_s };
  } else if (CAPACITY_OF.some((name) => asked[name] !== usual[name])) {
    inputs = withKnownCapacity(inputs, data.capacities);
  }
  return MANAGED_OF.some((name) => asked[name] !== usual[name]) ? withManagedCapacity(inputs, data.capacities) : inputs;
}

/** What is wrong with the traffic, as a rate; null where it can be priced. */
export function rateProblem(state: State, data: PageData): string | null {
  const rate = rateOf(state, data);
  if (rate === null) return "no rate that can be priced has that bill; give another";
  if (rate > MOST_MSG_PER_S) return "give at most 10,000,000 messages a second";
  const none = rate > 0 && rate * secondsPerMonth(state.inputs) < 1 - 1e-9;
  return none ? "that is less than a message a month; give 0 or more" : null;
}

/** Sets the reader's own capacity, null where theirs is not known; what the page knows of their cluster is not theirs. */
export function giveCapacity(state: State, value: number | null, data: PageData): void {
  const inputs = { ...state.inputs, capacity_msg_per_s: data.inputs.capacity_msg_per_s };
  const known = settled({ ...state, capacity_given: false, inputs }, data).capacity_msg_per_s;
  state.capacity_given = value !== known;
  state.inputs.capacity_msg_per_s = state.capacity_given ? value : data.inputs.capacity_msg_per_s;
}

/** Messages a second, as a monthly mean; null: no rate that can be priced has that bill. */
export function rateOf(state: State, data: PageData): number | null {
  if (state.unit === "second") return state.traffic;
  const seconds = secondsPerMonth(state.inputs);
  if (state.unit === "month") return state.traffic / seconds;
  const book = data.books[state.region];
  if (!book) return null;
  // neither alarms nor the clients' way to SQS stand on its bill
  const lines = sqsLines(state.inputs, book).filter((line) => line.service === "sqs" && bills(line));
  const sqs: Option = { id: "sqs", side: "sqs", label: "", lines, per_cluster: null };
  const own = pieces(sqs, book, state.inputs.hours_per_month);
  const end = own[own.length - 1]?.to ?? 0;
  const [met] = crossings(own, [{ from: 0, to: end, usd: state.traffic, slope: 0 }]);
  return met?.messages == null ? null : met.messages / seconds;
}
