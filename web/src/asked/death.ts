// What a broker's death does to each option: as documented, and as it was measured or printed.
import type { Death, Documented, PageData } from "../data.js";
import { brokersOf, copiesOf } from "../bill/form.js";
import type { Answer, Priced } from "../cost/answer.js";
import { AMAZON_MQ, AS_USED } from "../cost/options.js";
import { about, capital, plural, size } from "../numbers.js";
import { optionOf, own } from "../words.js";
import { sideOf } from "./near.js";

/** Of one option; `seen`: of a measured or printed death, or that there is none. */
export interface Outcome extends Documented {
  name: string;
  seen: string;
}

/** Of one's own cluster, Amazon MQ and SQS, as far as they are priced. */
export function outcomes(answer: Answer, data: PageData): Outcome[] {
  const asked = [own(answer), optionOf(answer, AMAZON_MQ), optionOf(answer, AS_USED)];
  return asked.flatMap((one) => (one ? outcome(one, answer, data) : []));
}

function outcome(one: Priced, answer: Answer, data: PageData): Outcome[] {
  const { side } = one.option;
  const form = side === "amazon-mq" ? `${AMAZON_MQ}-${brokersOf(answer.inputs.deployment) > 1 ? "cluster" : "single"}` : sideOf(one);
  const found = data.deaths.documented[form];
  if (!found) return [];
  const lambda = answer.inputs.consumer === "lambda" ? ` ${data.deaths.with_lambda[side] ?? ""}` : "";
  const said = `${found.said}${tolerated(one)}${lambda}`;
  const name = side === "sqs" ? "SQS" : one.option.label;
  return [{ ...found, name, said, seen: seen(one, data) }];
}

/** How many nodes of a quorum queue may be gone. */
function tolerated(one: Priced): string {
  if (one.option.side !== "self-hosted" || sideOf(one) !== "trio") return "";
  const copies = copiesOf(one.inputs);
  return ` Of ${plural(copies, "member")} ${Math.floor((copies - 1) / 2)} may be gone.`;
}

/** The nearest in size of what was measured or printed. */
function seen(one: Priced, data: PageData): string {
  if (one.option.side === "sqs") return "";
  const bytes = one.inputs.message_bytes;
  const apart = ({ message_bytes }: Death) => Math.abs(Math.log((message_bytes ?? bytes) / bytes));
  const all = data.deaths.seen.filter(({ side }) => side === sideOf(one));
  const [first] = [...all].sort((a, b) => apart(a) - apart(b));
  if (!first) {
    return data.kind === "run"
      ? "The run ended no broker of such a cluster; npm run breakeven -- run faults does."
      : "No source here has figures of it in such a cluster.";
  }
  const alike = (each: Death) => `${capital(each.origin)}${traffic(each, bytes)}`;
  // a source's rows of one kind are said together
  const said = all.filter((each) => each === first || (data.kind === "published" && alike(each) === alike(first)));
  return `${alike(first)}: ${whole(said.map((each) => each.said).join("; "))}`;
}

function traffic({ message_bytes, msg_per_s, name }: Death, wanted: number): string {
  const rate = msg_per_s === null ? "" : ` at ${about(msg_per_s)} messages a second`;
  if (message_bytes === null) return `, ${name}, size not given${rate}`;
  const other = message_bytes === wanted ? "" : `, not ${size(wanted)}`;
  return `, ${name}, with messages of ${size(message_bytes)}${rate}${other}`;
}

function whole(said: string): string {
  return said.endsWith(".") ? said : `${said}.`;
}
