// What a report embeds for its page: prices, what machines sustain, the question's own inputs, what was measured.
// functions/breakeven/report/render/page_data.py writes it.

/** A question's inputs, with the names and units of the model `breakeven.pricing.bill.inputs.Inputs`. */
export interface Inputs {
  msg_per_s: number | null;
  message_bytes: number;
  hours_per_month: number;
  queue: "standard" | "fifo" | "fair";
  send_batch: number;
  receive_batch: number;
  delete_batch: number;
  batch_fill: number | null;
  batch_fill_low: number | null;
  batch_fill_high: number | null;
  empty_receives: number | null;
  free_tier: boolean;
  existing_requests: number;
  sqs_path: "public" | "endpoint" | "nat";
  client_zones: number;
  sqs_alarms: number;
  sqs_price_factor: number;
  instance: string;
  commitment: Commitment;
  cpu_credits: "unlimited" | "standard";
  instance_price_factor: number;
  volume: "none" | "gp3" | "gp2" | "io2" | "st1";
  volume_gb: number;
  volume_iops: number;
  volume_mibps: number;
  broker_zones: number | null;
  client_zone_share: number | null;
  leader_hop_share: number | null;
  node_metrics: number;
  node_alarms: number;
  node_logs_gb: number;
  capacity_msg_per_s: number | null;
  capacity_low_msg_per_s: number | null;
  capacity_high_msg_per_s: number | null;
  capacity_nodes_down: number | null;
  utilisation: number;
  peak_factor: number;
  hours: number | null;
  hour_rate: number;
  migration_hours: number | null;
  deployment: Deployment;
  cluster_nodes: number | null;
  group_size: number | null;
  consumer: "containers" | "lambda" | null;
  consumer_queues: number;
  containers: number;
  container_vcpu: number;
  container_gb: number;
  poll_wait_s: number;
  lambda_batch: number;
  lambda_window_s: number | null;
  lambda_ms: number;
  lambda_memory_mb: number;
  lambda_pollers: number;
  lambda_receives: number | null;
  lambda_polls_per_s: number | null;
  amazon_mq: string | null;
  amazon_mq_gb: number | null;
  amazon_mq_inter_node: number | null;
  amazon_mq_hours: number | null;
  amazon_mq_price_factor: number;
  amazon_mq_capacity_msg_per_s: number | null;
  amazon_mq_low_msg_per_s: number | null;
  amazon_mq_high_msg_per_s: number | null;
}

export type Commitment = "on-demand" | "1y-standard" | "1y-convertible" | "3y-standard" | "3y-convertible";
export type Deployment = "single" | "pair" | "trio";
export type Form = "single" | "cluster";
/** From and to, in units a month, and US dollars of one; a null end: none; null dollars: not known. */
export type Tier = [from: number, to: number | null, usd: number | null];

export interface Price {
  unit: string;
  tiers: Tier[];
  /** index into `PageData.sources` */
  source: number;
  as_of: string;
  /** why it is not known */
  reason?: string;
  /** set where it stands in no data of AWS that was read */
  third_party?: true;
}

export interface Book {
  /** the book's name with its date, as rows and reports have it */
  label: string;
  /** requests of SQS a month that cost nothing */
  free_requests: number;
  /** by `service/item` */
  prices: Record<string, Price>;
}

export interface Machine {
  vcpu: number | null;
  /** 10^6 bits a second, sustained */
  network: number | null;
  /** share of each vCPU that CPU credits sustain; null: no burstable type */
  credits: number | null;
}

export interface BrokerType {
  network: number;
  single_gb: number;
  cluster_gb: number;
}

/** Of one cluster; `deployment`, `nodes` and `copies` must be the same for it to hold, and messages no larger. */
export interface KnownCapacity {
  deployment: Deployment;
  nodes: number;
  copies: number;
  instance: string;
  message_bytes: number;
  msg_per_s: number;
  low: number | null;
  high: number | null;
  nodes_down: number | null;
  managed: boolean;
  about: string;
}

/** A case that was measured to the end, of which a latency is known. */
export interface Latency {
  side: "sqs" | "fifo" | Deployment | "amazon-mq";
  name: string;
  /** end to end, or of a send alone */
  what: string;
  /** measured, emulated, published 2012 */
  origin: string;
  /** key of `PageData.published`; null: the run's own */
  source: string | null;
  msg_per_s: number;
  /** of a message; null: a source does not say */
  message_bytes: number | null;
  p50_ms: number | null;
  p99_ms: number | null;
  /** of what a source published, which prints no percentile */
  mean_ms: number | null;
  open: boolean;
  /** whether less was consumed than sent, or sent than offered: the queue grew, and with it the latency end to end */
  behind: boolean;
  /** whether its sends carried several messages */
  batched: boolean;
  /** whether its receives were of several */
  received_together: boolean;
}

/** What becomes of a queue when a broker dies, as its makers document it. */
export interface Documented {
  said: string;
  source: string;
  url: string;
  as_of: string;
}

/** A broker's end in a case of the run, or in a row that a source printed. */
export interface Death {
  side: Latency["side"];
  name: string;
  origin: string;
  said: string;
  /** before it */
  msg_per_s: number | null;
  message_bytes: number | null;
  source: string | null;
}

/** A publication whose rows stand in a page without a run. */
export interface Published {
  title: string;
  author: string;
  publication: string;
  date: string;
  url: string | null;
  machines: string | null;
}

/** What a field takes, from the model of the inputs. */
export interface Field {
  least?: number;
  most?: number;
  /** must be more than this */
  above?: number;
  whole?: boolean;
  optional?: boolean;
}

export interface PageData {
  /** of the hash and of this data: a page reads no other version's */
  version: number;
  kind: "run" | "published";
  /** whether nothing that was measured is to be relied on */
  self_test_failed: boolean;
  title: string;
  /** what ways of SQS are called, and the same in a narrow column beside the word SQS */
  sqs_names: Record<"sqs-as-used" | "sqs-batched", string>;
  sqs_short_names: Record<"sqs-as-used" | "sqs-batched", string>;
  /** said where a pair is priced */
  of_mirroring: string;
  region: string;
  books: Record<string, Book>;
  sources: string[];
  machines: Record<string, Machine>;
  brokers: Record<string, BrokerType>;
  inputs: Inputs;
  fields: Record<string, Field>;
  capacities: KnownCapacity[];
  latencies: Latency[];
  deaths: {
    /** by form of queue: of SQS and of clusters their side, of Amazon MQ with -single or -cluster */
    documented: Record<string, Documented>;
    /** what it means where Lambda consumes, by the side of an option */
    with_lambda: Record<string, string>;
    seen: Death[];
  };
  /** by id */
  published: Record<string, Published>;
  /** empty receives a message at most, where their number is not known: one, or the most that the run counted */
  most_empty_receives: number;
}
