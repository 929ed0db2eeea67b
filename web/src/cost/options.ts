// The options that are set side by side, each with the inputs and the lines that it is priced with.
import type { Book, Deployment, Inputs, KnownCapacity, PageData } from "../data.js";
import { amazonMqLines } from "../bill/amazon_mq.js";
import { brokerLines } from "../bill/broker.js";
import { managedCapacity, ownCapacity } from "../bill/capacity.js";
import { consumerLines } from "../bill/consumers.js";
import { clusterName, copiesOf, inForm, managedForm, nodesOf, secondsPerMonth } from "../bill/form.js";
import { Unpriced, bills, known, type Line } from "../bill/line.js";
import { batched, receivedBy, singleSends, sqsLines } from "../bill/sqs.js";
import type { Option } from "./pieces.js";
import type { Mover } from "./uncertain.js";

/** An option under some inputs: its own, which may have another form or capacity than the question's. */
export interface Kind {
  id: string;
  movers: Mover[];
  inputs: Inputs;
  make: (inputs: Inputs) => Option;
}

export const AS_USED = "sqs-as-used";
export const BY_TENS = "sqs-by-tens";
export const BATCHED = "sqs-batched";
export const AMAZON_MQ = "amazon-mq";

export function ownId(form: Deployment): string {
  return `rabbitmq-${form}`;
}

function priced(lines: Line[], book: Book): Line[] {
  const billing = lines.filter(bills);
  for (const line of billing) if (line.own === null) known(book, line.service, line.item);
  return billing;
}

function sqs(id: string, label: string, book: Book, change: (inputs: Inputs) => Inputs): (inputs: Inputs) => Option {
  return (inputs) => {
    const own = change(inputs);
    const lines = [...sqsLines(own, book), ...consumerLines(own, book, "sqs")];
    return { id, side: "sqs", label, lines: priced(lines, book), per_cluster: null };
  };
}

function perCluster(mean: number | null, inputs: Inputs): number | null {
  return mean === null ? null : mean * secondsPerMonth(inputs);
}

function cluster(id: string, inputs: Inputs, book: Book, data: PageData): Option {
  const lines = [...brokerLines(inputs, book, data.machines), ...consumerLines(inputs, book, "self-hosted")];
  const mean = ownCapacity(inputs, data.machines).mean;
  const label = clusterName(inputs);
  return { id, side: "self-hosted", label, lines: priced(lines, book), per_cluster: perCluster(mean, inputs) };
}

function managed(inputs: Inputs, book: Book, data: PageData): Option {
  const type = inputs.amazon_mq;
  if (type === null) throw new Unpriced("Amazon MQ is not asked for");
  const lines = [...amazonMqLines(inputs, type, book, data.brokers), ...consumerLines(inputs, book, "amazon-mq")];
  const mean = managedCapacity(inputs, data.brokers).mean;
  const label = managedForm(inputs.deployment) === "single" ? `Amazon MQ, one ${type}` : `Amazon MQ cluster of ${type}`;
  return { id: AMAZON_MQ, side: "amazon-mq", label, lines: priced(lines, book), per_cluster: perCluster(mean, inputs) };
}

/** The first that holds; they stand in the order in which they count. */
export function capacityFor(inputs: Inputs, known: KnownCapacity[]): KnownCapacity | undefined {
  return known.find(
    (one) =>
      !one.managed && one.deployment === inputs.deployment && one.nodes === nodesOf(inputs) &&
      one.copies === copiesOf(inputs) && one.instance === inputs.instance && one.message_bytes >= inputs.message_bytes,
  );
}

/** The inputs with the capacity that is known of just this cluster, or with none. */
export function withKnownCapacity(inputs: Inputs, known: KnownCapacity[]): Inputs {
  const found = capacityFor(inputs, known);
  return {
    ...inputs,
    capacity_msg_per_s: found?.msg_per_s ?? null,
    capacity_low_msg_per_s: found?.low ?? null,
    capacity_high_msg_per_s: found?.high ?? null,
    capacity_nodes_down: found?.nodes_down ?? null,
  };
}

/** The same of Amazon MQ's brokers. */
export function withManagedCapacity(inputs: Inputs, known: KnownCapacity[]): Inputs {
  const form = managedForm(inputs.deployment) === "single" ? "single" : "trio";
  const found = known.find(
    (one) =>
      one.managed && one.deployment === form && one.instance === inputs.amazon_mq &&
      one.message_bytes >= inputs.message_bytes,
  );
  return {
    ...inputs,
    amazon_mq_capacity_msg_per_s: found?.msg_per_s ?? null,
    amazon_mq_low_msg_per_s: found?.low ?? null,
    amazon_mq_high_msg_per_s: found?.high ?? null,
  };
}

/** Which forms of clusters of one's own are shown: pair and trio, and the one that was asked for. */
export function formsOf(inputs: Inputs): Deployment[] {
  return inputs.deployment === "single" ? ["single", "pair", "trio"] : ["pair", "trio"];
}

/** Every option in the order in which it is shown, and why others are left out. */
export function kinds(inputs: Inputs, book: Book, data: PageData): { found: Kind[]; left_out: string[] } {
  const all: Kind[] = [
    { id: AS_USED, movers: ["as-used"], inputs, make: sqs(AS_USED, data.sqs_names[AS_USED], book, (own) => own) },
    {
      id: BY_TENS, movers: ["batched"], inputs,
      make: sqs(BY_TENS, `SQS, single sends, ${receivedBy(inputs)}`, book, singleSends),
    },
    { id: BATCHED, movers: ["batched"], inputs, make: sqs(BATCHED, data.sqs_names[BATCHED], book, batched) },
    ...formsOf(inputs).map<Kind>((form) => {
      const own = form === inputs.deployment ? inputs : withKnownCapacity(inForm(inputs, form), data.capacities);
      return { id: ownId(form), movers: ["cluster"], inputs: own, make: (asked) => cluster(ownId(form), asked, book, data) };
    }),
  ];
  if (inputs.amazon_mq !== null) {
    all.push({ id: AMAZON_MQ, movers: ["amazon-mq"], inputs, make: (asked) => managed(asked, book, data) });
  }
  const found: Kind[] = [];
  const left_out: string[] = [];
  for (const kind of all) {
    try {
      kind.make(kind.inputs);
      found.push(kind);
    } catch (error) {
      if (!(error instanceof Unpriced)) throw error;
      left_out.push(error.message);
    }
  }
  return { found, left_out };
}
