// The page of a run under way: asks its server how the run stands, shows it, and goes to the report at the end.
import { clock, figure } from "./numbers.js";
import { byId, el, say } from "./view/dom.js";
import { moments, type Moment } from "./view/moments.js";
import { theme } from "./view/palette.js";

const EVERY_MS = 2000;
/** answers that may fail to come before the run is called gone */
const PATIENCE = 3;
const LABELS = ["Case", "Target", "Status"];
const RATES: Record<string, string> = { sent_per_s: "sent", received_per_s: "received" };
const LATENCIES: Record<string, string> = { produce: "Produce, ms", consume: "Consume, ms", end_to_end: "End to end, ms" };
const PERCENTILES: Record<string, string> = { p50_ms: "p50", p99_ms: "p99" };

type Figures = Record<string, number | null>;

interface Case {
  id: string;
  /** whether it is the self-test's, which no report counts */
  proves: boolean;
  name: string;
  target: string;
  status: "ok" | "failed" | "running" | "to come";
  reason: string | null;
  rates: Figures;
  latencies: Record<string, Figures>;
}

/** What `cli/running/live/live_view.py` gives. */
interface Status {
  outcome: string;
  folder: string;
  elapsed_s: number;
  left_s: number;
  lines: string[];
  lanes: Record<string, string>;
  stage: string | null;
  cases: Case[];
  moments: Moment[];
  report: string | null;
}

/** How many of the suite's cases are settled, and how many it has. */
function counts(status: Status): [number, number] {
  const own = status.cases.filter((one) => !one.proves);
  return [own.filter((one) => one.status === "ok" || one.status === "failed").length, own.length];
}

/** What is happening, in one sentence. */
function now(status: Status): string {
  const done = `${counts(status).join(" of ")} cases settled`;
  if (status.outcome === "interrupted") return `Interrupted. ${done}; what was measured is in ${status.folder}.`;
  if (status.outcome !== "running") return status.report ? `The run has ended. ${done}.` : `The run has ended as ${status.outcome}.`;
  const running = status.cases.find((one) => one.status === "running");
  if (running) return `${running.name} on ${running.target}: ${status.stage ?? "starting"}. ${done}.`;
  const lanes = Object.entries(status.lanes).filter(([, state]) => state !== "released").map(([name, state]) => `${name} ${state}`);
  return `${lanes.join(", ") || status.lines[status.lines.length - 1] || "Starting"}. ${done}.`;
}

/** Titles over two rows, of which the first says what the figures of the second are of. */
function head(): HTMLElement {
  const group = (title: string, columns: object) =>
    el("th", { scope: "colgroup", colspan: Object.keys(columns).length }, title);
  const labels = LABELS.map((title) => el("th", { scope: "col", rowspan: 2, class: "label" }, title));
  const groups = [group("Messages a second", RATES), ...Object.values(LATENCIES).map((title) => group(title, PERCENTILES))];
  const titles = [...Object.values(RATES), ...Object.keys(LATENCIES).flatMap(() => Object.values(PERCENTILES))];
  return el(
    "thead", {},
    el("tr", { class: "groups" }, ...labels, ...groups),
    el("tr", {}, ...titles.map((title) => el("th", { scope: "col" }, title))),
  );
}

function row(one: Case): HTMLElement {
  const rates = Object.keys(RATES).map((name) => el("td", {}, figure(one.rates[name] ?? null)));
  const latencies = Object.keys(LATENCIES).flatMap((metric) =>
    Object.keys(PERCENTILES).map((name) => el("td", {}, figure(one.latencies[metric]?.[name] ?? null))),
  );
  const reason = one.reason ? el("span", { class: "reason" }, one.reason) : null;
  return el(
    "tr", { class: one.status.replace(" ", "-"), "data-case": one.id },
    el("th", { scope: "row" }, one.name, reason), el("td", { class: "words" }, one.target), el("td", { class: "words" }, one.status),
    ...rates, ...latencies,
  );
}

function show(status: Status): void {
  // every two seconds: said anew, it would be read out anew
  say("now", now(status));
  const left = status.outcome === "running" ? `, about ${clock(status.left_s)} left` : "";
  byId("clock").textContent = `${clock(status.elapsed_s)} under way${left}`;
  const bar = byId("bar") as HTMLProgressElement;
  const [settled, all] = counts(status);
  [bar.max, bar.value] = [Math.max(1, all), settled];
  const frame = byId("chart");
  frame.replaceChildren(moments(status.moments, Math.max(280, frame.clientWidth), 260, theme()));
  byId("cases").replaceChildren(
    head(),
    el("tbody", {}, ...status.cases.map(row)),
  );
  byId("lines").replaceChildren(...status.lines.map((line) => el("li", {}, line)));
}

function goodbye(text: string): void {
  byId("gone").hidden = false;
  byId("gone").textContent = text;
}

async function follow(): Promise<void> {
  let failures = 0;
  let folder = "runs";
  while (failures < PATIENCE) {
    try {
      const answer = await fetch("/status.json", { cache: "no-store" });
      const status = (await answer.json()) as Status;
      failures = 0;
      folder = status.folder || folder;
      if (status.cases) show(status);
      if (status.report) return location.replace(status.report);
      if (status.outcome && status.outcome !== "running") return goodbye("The run has ended, and this page with it.");
    } catch {
      failures += 1;
    }
    await new Promise((resolve) => setTimeout(resolve, EVERY_MS));
  }
  goodbye(`The run does not answer any more: it has ended, and what was settled is in ${folder}.`);
}

byId("legend").replaceChildren(
  el("span", { class: "swatch", style: `border-color: ${theme().sqs}` }), "sent ",
  el("span", { class: "swatch dashed", style: `border-color: ${theme().own}` }), "received",
);
void follow();
