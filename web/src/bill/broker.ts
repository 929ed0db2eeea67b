// The bill of a cluster of one's own: hours, volumes, traffic across zones, people.
import type { Book, Inputs } from "../data.js";
import { number } from "../numbers.js";
import type { Machines } from "./capacity.js";
import { surplusShare } from "./capacity.js";
import { nodesOf, zonesOf } from "./form.js";
import { CLIENT_BYTES, HOP_BYTES, copyBytes, hops, replicated } from "./traffic.js";
import { BYTES_PER_GB, known, line, through, type Line, type OwnPrice } from "./line.js";

const FREE_IOPS = 3000;
const FREE_MIBPS = 125;
export const SERVICES = {
  "on-demand": "ec2",
  "1y-standard": "ec2_1y_standard",
  "1y-convertible": "ec2_1y_convertible",
  "3y-standard": "ec2_3y_standard",
  "3y-convertible": "ec2_3y_convertible",
};

export function brokerLines(inputs: Inputs, book: Book, machines: Machines): Line[] {
  const nodes = nodesOf(inputs);
  const hours = inputs.hours_per_month;
  const reserved = inputs.commitment === "on-demand" ? "" : `, reserved ${inputs.commitment}, no upfront`;
  const instances = line(
    "instances",
    `${nodes} x ${inputs.instance} x ${number(hours)} h${reserved}`,
    SERVICES[inputs.commitment],
    inputs.instance,
    { per_cluster: nodes * hours, factor: inputs.instance_price_factor },
  );
  return [
    instances, surplusCredits(inputs, machines), ...volumes(inputs, book), traffic(inputs), ...monitoring(inputs),
    people(inputs, inputs.hours),
  ];
}

/** What a burstable type's CPU is used above its credits, at most: by clusters that are full. */
function surplusCredits(inputs: Inputs, machines: Machines): Line {
  const share = surplusShare(inputs, machines);
  const vcpu = machines[inputs.instance]?.vcpu ?? 0;
  const nodes = nodesOf(inputs);
  const hours = number(inputs.hours_per_month);
  const said = `${nodes} x ${vcpu} vCPUs x ${hours} h x ${number(share)} (mean use of a full cluster above its credits)`;
  const family = inputs.instance.split(".")[0] ?? "";
  return line("surplus CPU credits", said, "ec2_credits", family, {
    per_cluster: nodes * vcpu * share * inputs.hours_per_month,
  });
}

/** Hours of work, at the asker's own price. */
export function people(inputs: Inputs, asked: number | null): Line {
  const hours = asked ?? 0;
  const own: OwnPrice = {
    unit: "hour", source: "given with the question, or assumed", tiers: [[0, null, inputs.hour_rate]],
  };
  return line("people", `${number(hours)} h a month`, "people", "hour", { fixed: hours, own });
}

/** Of a client's traffic: clients spread over the zones and speaking to any node, unless said. */
export function clientShare(inputs: Inputs, zones: number): number {
  return inputs.client_zone_share ?? (zones - 1) / zones;
}

/** Of the pairs of two nodes dealt over the zones in turn: how many have a zone between them. */
function apartShare(nodes: number, zones: number): number {
  if (nodes < 2) return 0;
  let apart = 0;
  for (let a = 0; a < nodes; a++) for (let b = a + 1; b < nodes; b++) if (a % zones !== b % zones) apart++;
  return apart / ((nodes * (nodes - 1)) / 2);
}

/** What crosses zones `times` a message, and the bytes that go beside its body. */
export interface Crossing {
  what: string;
  times: number;
  beside: number;
}

function traffic(inputs: Inputs): Line {
  const nodes = nodesOf(inputs);
  const zones = zonesOf(inputs);
  const apart = apartShare(nodes, zones);
  return acrossZones(inputs, [
    { what: "copies", times: replicated(inputs) * apart, beside: copyBytes(inputs) },
    ofClients(2 * clientShare(inputs, zones)),
    { what: "hops to or from the leader", times: hops(inputs) * apart, beside: HOP_BYTES },
  ]);
}

export function ofClients(times: number): Crossing {
  return { what: "clients in another zone", times, beside: CLIENT_BYTES };
}

/** Bytes a message, all crossings together. */
export function sentBytes(inputs: Inputs, crossings: Crossing[]): number {
  return crossings.reduce((sum, { times, beside }) => sum + times * (inputs.message_bytes + beside), 0);
}

/** Traffic is charged on both sides of each crossing. */
export function acrossZones(inputs: Inputs, crossings: Crossing[]): Line {
  const each = (2 * sentBytes(inputs, crossings)) / BYTES_PER_GB;
  const formula = `2 directions x (${sentWords(inputs, crossings)}) / 2^30`;
  return line("traffic across zones", formula, "network", "cross_zone_gb", { per_message: each });
}

export function sentWords(inputs: Inputs, crossings: Crossing[]): string {
  return crossings
    .map(({ what, times, beside }) => `${what} ${number(times)} x (${inputs.message_bytes} + ${beside}) B`)
    .join(" + ");
}

function volumes(inputs: Inputs, book: Book): Line[] {
  const { volume: kind, volume_gb: gb, volume_iops: iops } = inputs;
  if (kind === "none") return [];
  const lines = [volume(inputs, "volumes", gb, `${number(gb)} GB of ${kind}`, `${kind}_gb_month`)];
  if (kind === "gp3") {
    const more = Math.max(0, iops - FREE_IOPS);
    const mibps = Math.max(0, inputs.volume_mibps - FREE_MIBPS);
    lines.push(
      volume(inputs, "volume IOPS", more, `${number(more)} above 3,000`, "gp3_iops_month"),
      volume(inputs, "volume throughput", mibps, `${number(mibps)} MiB/s above 125`, "gp3_mibps_month"),
    );
  }
  if (kind === "io2" && iops) {
    const price = known(book, "ebs", "io2_iops_month");
    const own: OwnPrice = {
      unit: price.unit,
      source: "mean price of a volume's IOPS through its tiers",
      tiers: [[0, null, through(price, iops) / iops]],
    };
    lines.push(volume(inputs, "volume IOPS", iops, number(iops), "io2_iops_month", own));
  }
  return lines;
}

function volume(inputs: Inputs, name: string, units: number, what: string, item: string, own: OwnPrice | null = null): Line {
  const nodes = nodesOf(inputs);
  return line(name, `${nodes} x ${what}`, "ebs", item, { per_cluster: nodes * units, own });
}

function monitoring(inputs: Inputs): Line[] {
  const nodes = nodesOf(inputs);
  const parts: [string, number, string][] = [
    ["metrics", inputs.node_metrics, "metric_month"],
    ["alarms", inputs.node_alarms, "alarm_month"],
    ["logs", inputs.node_logs_gb, "logs_gb"],
  ];
  return parts.map(([name, each, item]) =>
    line(name, `${nodes} nodes x ${number(each)}`, "cloudwatch", item, { per_cluster: nodes * each }),
  );
}
