// How often a cluster's nodes send a message to one another: functions/breakeven/pricing/cluster_traffic.py.
import type { Inputs } from "../data.js";
import { copiesOf, nodesOf } from "./form.js";

/** Bytes beside a message's body: of a copy to a member or a mirror, of a hop between nodes, to or from a client. */
export const MEMBER_BYTES = 250;
const MIRROR_BYTES = 360;
export const HOP_BYTES = 370;
export const CLIENT_BYTES = 90;

/** Of clients: how many speak to another node than the queue's leader; any node, unless said. */
export function hopShare(inputs: Inputs, nodes = nodesOf(inputs)): number {
  return nodes === 1 ? 0 : (inputs.leader_hop_share ?? (nodes - 1) / nodes);
}

function hasMirrors(inputs: Inputs): boolean {
  return inputs.deployment === "pair" && copiesOf(inputs) > 1;
}

/** Deliveries that come from another node than the consumer's: a member of a quorum queue delivers on its own. */
function deliveredFromAfar(inputs: Inputs): number {
  const nodes = nodesOf(inputs);
  if (inputs.deployment === "pair") return hopShare(inputs);
  return nodes > 1 ? (hopShare(inputs) * (nodes - copiesOf(inputs))) / (nodes - 1) : 0;
}

/** How often a message goes between the leader's node and a client's other one. */
export function hops(inputs: Inputs): number {
  return hopShare(inputs) + deliveredFromAfar(inputs);
}

/** How often nodes send a message so that all copies have it, beside the hop to the queue's leader. */
export function replicated(inputs: Inputs): number {
  const others = copiesOf(inputs) - 1;
  if (!hasMirrors(inputs)) return others;
  return copiesOf(inputs) + others * (1 - hopShare(inputs) / (nodesOf(inputs) - 1));
}

/** Beside the body of each copy that is sent. */
export function copyBytes(inputs: Inputs): number {
  return inputs.deployment === "pair" ? MIRROR_BYTES : MEMBER_BYTES;
}

/** Bytes that the node of the leader sends of a message: to its copies, and to consumers that it serves. */
export function leaderSends(inputs: Inputs): number {
  const others = copiesOf(inputs) - 1;
  const hop = hopShare(inputs);
  const copies = hasMirrors(inputs) ? 1 + others * (1 - hop) : others;
  const served = 1 - hop + deliveredFromAfar(inputs);
  const bytes = inputs.message_bytes;
  return copies * (bytes + copyBytes(inputs)) + served * (bytes + CLIENT_BYTES);
}

/** The same of Amazon MQ's brokers, each of which has a member of the queue. */
export function brokerSends(inputs: Inputs, brokers: number): number {
  const served = 1 - hopShare(inputs, brokers);
  return (brokers - 1) * (inputs.message_bytes + MEMBER_BYTES) + served * (inputs.message_bytes + CLIENT_BYTES);
}
