// What a cluster is: its nodes, their zones, and how many of them have a copy of a message.
import type { Deployment, Form, Inputs } from "../data.js";

const NODES: Record<Deployment, number> = { single: 1, pair: 2, trio: 3 };
const GROUP_SIZE = 3;
const MOST_ZONES = 3;
const NAMES: Record<Deployment, string> = { single: "on one", pair: "pair of", trio: "trio of" };
const LARGER: Record<Deployment, string> = { single: "on one", pair: "mirrored cluster of", trio: "quorum cluster of" };

export function nodesOf(inputs: Inputs): number {
  return inputs.cluster_nodes ?? NODES[inputs.deployment];
}

/** Of each message, the leader's or master's own among them. */
export function copiesOf(inputs: Inputs): number {
  return inputs.group_size ?? usualCopies(inputs);
}

/** As many as there are unless another number is asked for. */
function usualCopies(inputs: Inputs): number {
  return inputs.deployment === "trio" ? GROUP_SIZE : nodesOf(inputs);
}

export function mostZones(inputs: Inputs): number {
  return Math.min(nodesOf(inputs), MOST_ZONES);
}

export function zonesOf(inputs: Inputs): number {
  return inputs.broker_zones ?? mostZones(inputs);
}

export function secondsPerMonth(inputs: Inputs): number {
  return inputs.hours_per_month * 3600;
}

/** What Amazon MQ has beside a form of one's own. */
export function managedForm(deployment: Deployment): Form {
  return deployment === "single" ? "single" : "cluster";
}

export function brokersOf(deployment: Deployment): number {
  return deployment === "single" ? 1 : 3;
}

/** Such as 'RabbitMQ trio of m7g.large'. */
export function clusterName(inputs: Inputs): string {
  const nodes = nodesOf(inputs);
  const usual = nodes === NODES[inputs.deployment];
  const name = usual
    ? `${NAMES[inputs.deployment]} ${inputs.instance}`
    : `${LARGER[inputs.deployment]} ${nodes} ${inputs.instance}`;
  const copies = copiesOf(inputs);
  const said = copies !== usualCopies(inputs);
  return `RabbitMQ ${name}${said ? `, ${copies} ${copies === 1 ? "copy" : "copies"} of each message` : ""}`;
}

/** The inputs of another form: its own nodes and zones, and no capacity that is another form's. */
export function inForm(inputs: Inputs, form: Deployment): Inputs {
  const changed: Inputs = { ...inputs, deployment: form };
  if (form !== inputs.deployment) {
    changed.cluster_nodes = null;
    changed.group_size = null;
    if (inputs.broker_zones !== null) changed.broker_zones = Math.min(inputs.broker_zones, NODES[form]);
    changed.capacity_msg_per_s = changed.capacity_low_msg_per_s = changed.capacity_high_msg_per_s = null;
    changed.capacity_nodes_down = null;
  }
  if (managedForm(form) !== managedForm(inputs.deployment)) {
    changed.amazon_mq_capacity_msg_per_s = changed.amazon_mq_low_msg_per_s = changed.amazon_mq_high_msg_per_s = null;
  }
  if (managedForm(form) === "single") changed.amazon_mq_gb = null;
  return changed;
}
