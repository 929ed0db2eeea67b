// What one cluster carries all month: its capacity, capped by what the machine sustains.
import type { BrokerType, Inputs, Machine } from "../data.js";
import { brokersOf } from "./form.js";
import { brokerSends, leaderSends } from "./traffic.js";

export type Machines = Record<string, Machine>;
export type Brokers = Record<string, BrokerType>;

/** Messages a second of one cluster. */
export interface Capacity {
  /** as given or measured; null: not known */
  stated: number | null;
  /** the most that the busiest node's network baseline sustains; null: not known */
  network: number | null;
  /** of `stated`, what CPU credits sustain */
  credits: number;
  /** the monthly mean that one cluster carries; null: one cluster whatever the rate */
  mean: number | null;
}

/** Messages a second of which the leader's node sends so many bytes each. */
function carried(baseline: number, bytes: number): number {
  return (baseline * 1e6) / 8 / bytes;
}

function capacity(inputs: Inputs, stated: number | null, network: number | null, credits: number): Capacity {
  const rates = [stated, network, stated === null || credits === 1 ? null : stated * credits];
  const found = rates.filter((rate): rate is number => rate !== null);
  const sustained = found.length ? Math.min(...found) : null;
  const mean = sustained === null ? null : (sustained * inputs.utilisation) / inputs.peak_factor;
  return { stated, network, credits, mean };
}

export function ownCapacity(inputs: Inputs, machines: Machines): Capacity {
  const machine = machines[inputs.instance];
  const network = machine?.network ? carried(machine.network, leaderSends(inputs)) : null;
  const credits = inputs.cpu_credits === "standard" ? (machine?.credits ?? 1) : 1;
  return capacity(inputs, inputs.capacity_msg_per_s, network, credits);
}

export function managedCapacity(inputs: Inputs, brokers: Brokers): Capacity {
  const broker = inputs.amazon_mq === null ? undefined : brokers[inputs.amazon_mq];
  const network = broker ? carried(broker.network, brokerSends(inputs, brokersOf(inputs.deployment))) : null;
  return capacity(inputs, inputs.amazon_mq_capacity_msg_per_s, network, 1);
}

/** Of each vCPU, what a full cluster uses above its credits as a mean. */
export function surplusShare(inputs: Inputs, machines: Machines): number {
  const share = machines[inputs.instance]?.credits ?? null;
  if (share === null || inputs.cpu_credits === "standard") return 0;
  return Math.max(0, inputs.utilisation / inputs.peak_factor - share);
}

/** How many clusters a monthly mean takes, as the queries count them. */
export function clustersOf(mean: number | null, msgPerS: number): number {
  return mean === null ? 1 : Math.max(1, Math.ceil((msgPerS / mean) * (1 - 1e-12)));
}

/** What each cluster must carry at the peak of this monthly mean. */
export function neededEach(inputs: Inputs, found: Capacity, msgPerS: number): number {
  const all = (msgPerS * inputs.peak_factor) / inputs.utilisation / found.credits;
  return all / clustersOf(found.mean, msgPerS);
}
