// The bill of Amazon MQ for RabbitMQ: brokers, their disks, traffic, people.
import type { Book, Inputs } from "../data.js";
import { number } from "../numbers.js";
import { acrossZones, clientShare, ofClients, people, sentBytes, sentWords, type Crossing } from "./broker.js";
import type { Brokers } from "./capacity.js";
import { brokersOf, managedForm } from "./form.js";
import { BYTES_PER_GB, Unpriced, line, type Line } from "./line.js";
import { HOP_BYTES, MEMBER_BYTES, hopShare } from "./traffic.js";

const BETWEEN = "traffic between brokers";

export function amazonMqLines(inputs: Inputs, type: string, book: Book, types: Brokers): Line[] {
  const form = managedForm(inputs.deployment);
  const brokers = brokersOf(inputs.deployment);
  const own = types[type];
  if (!own) throw new Unpriced(`Amazon MQ has no broker type ${type}`);
  const usual = form === "single" ? own.single_gb : own.cluster_gb;
  const disk = form === "single" ? usual : (inputs.amazon_mq_gb ?? usual);
  const share = clientShare(inputs, brokers);
  const hours = inputs.hours_per_month;
  const factor = inputs.amazon_mq_price_factor;
  return [
    line("brokers", `${form} of ${type} x ${number(hours)} h`, "amazonmq", `${form}.${type}`, { per_cluster: hours, factor }),
    line("storage", `${brokers} x ${number(disk)} GB, all of each broker's disk`, "amazonmq", "storage_gb_month", {
      per_cluster: brokers * disk, factor,
    }),
    acrossZones(inputs, [ofClients(2 * share)]),
    ...betweenBrokers(inputs, book),
    people(inputs, inputs.amazon_mq_hours),
  ];
}

/** How often a cluster's brokers send a message to one another: its copies, and to the leader to be published. */
function between(inputs: Inputs): Crossing[] {
  const brokers = brokersOf(inputs.deployment);
  if (brokers === 1) return [];
  return [
    { what: "copies", times: brokers - 1, beside: MEMBER_BYTES },
    { what: "hops to the leader", times: hopShare(inputs, brokers), beside: HOP_BYTES },
  ];
}

/** At the book's own price where it has one; else at the share of the price across zones that is asked. */
function betweenBrokers(inputs: Inputs, book: Book): Line[] {
  const sent = between(inputs);
  const price = book.prices["amazonmq/inter_node_gb"];
  if (price && price.tiers.every(([, , usd]) => usd !== null)) {
    const each = sentBytes(inputs, sent) / BYTES_PER_GB;
    const formula = `(${sentWords(inputs, sent)}) / 2^30`;
    return [line(BETWEEN, formula, "amazonmq", "inter_node_gb", { per_message: each })];
  }
  if (!sent.length || !inputs.amazon_mq_inter_node) return [];
  return [{ ...acrossZones(inputs, sent), line: BETWEEN, factor: inputs.amazon_mq_inter_node }];
}
