// How often a cluster's nodes send a message to one another: functions/breakeven/pricing/cluster_traffic.py.
import type { Inputs } from "../data.js";
import { copiesOf, nodesOf } from "./form.js";

/** Of clients: how many speak to another node than the queue's leader; any node, unless said. */
export function hopShare(inputs: Inputs, nodes = nodesOf(inputs)): number {
  return inputs.leader_hop_share ?? (nodes - 1) / nodes;
}

function hasMirrors(inputs: Inputs): boolean {
  return inputs.deployment === "pair" && copiesOf(inputs) > 1;
}

/** How often nodes send a message so that all copies have it, beside the hop to the queue's leader. */
export function replicated(inputs: Inputs): number {
  const others = copiesOf(inputs) - 1;
  if (!hasMirrors(inputs)) return others;
  return copiesOf(inputs) + others * (1 - hopShare(inputs) / (nodesOf(inputs) - 1));
}

/** How often the node of the leader sends a message: once to a consumer, and for the copies. */
export function leaderSends(inputs: Inputs): number {
  const others = copiesOf(inputs) - 1;
  return hasMirrors(inputs) ? 2 + others * (1 - hopShare(inputs)) : others + 1;
}
