// The state in the URL's hash: what differs from the page's own inputs, by the names of the controls.
import type { Inputs, PageData } from "./data.js";
import { CONTROLS, combinationProblem, fieldProblem, UNITS } from "./controls.js";
import { initial, rateProblem, settled, type State } from "./state.js";

type Values = Record<string, string | number | null>;

const CAPACITY = "capacity_msg_per_s";
/** As the page writes them: what Number() takes besides, such as a blank for 0, is no number of a link. */
const NUMBER = /^\d+(\.\d+)?(e[+-]?\d+)?$/i;

/** What the controls set, each as its input has it. */
function values(state: State): Values {
  const found: Values = { region: state.region, unit: state.unit, traffic: state.traffic };
  for (const control of CONTROLS) {
    const [first] = control.sets;
    if (first) found[control.key] = state.inputs[first] as string | number | null;
  }
  return found;
}

/** What differs from the page's own inputs, by the names of the controls. */
export function changed(state: State, data: PageData): [string, string | number | null][] {
  const usual = values(initial(data));
  const own = values(state);
  const keys = Object.keys(own).filter((key) => (key === CAPACITY ? state.capacity_given : own[key] !== usual[key]));
  // a number of messages means nothing without its unit
  if (keys.includes("unit") && !keys.includes("traffic")) keys.push("traffic");
  return keys.map((key) => [key, own[key] ?? null]);
}

/** The state behind `#`; empty where nothing differs. */
export function written(state: State, data: PageData): string {
  const pairs = changed(state, data).map(([key, value]) => `${key}=${encodeURIComponent(String(value ?? ""))}`);
  return pairs.length ? [`v${data.version}`, ...pairs].join("&") : "";
}

/** The state of a hash, or in words why it is not one. */
export function read(hash: string, data: PageData): State | string {
  const [version = "", ...pairs] = hash.split("&");
  if (version !== `v${data.version}`) {
    return /^v\d+$/.test(version) ? "The link is of another version of this page" : "The link is damaged";
  }
  const state = initial(data);
  const keys = new Set<string>();
  for (const pair of pairs) {
    const key = pair.split("=", 1)[0] ?? "";
    if (keys.has(key)) return `The link is damaged (${key.slice(0, 40)} is given twice)`;
    keys.add(key);
    const problem = apply(state, pair, data);
    if (problem) return problem;
  }
  state.capacity_given = keys.has(CAPACITY);
  const combined = combinationProblem(settled(state, data));
  if (combined) return `The link is damaged (${combined[0]}: ${combined[1]})`;
  return rateProblem(state, data) ? "The link is damaged (traffic)" : state;
}

function apply(state: State, pair: string, data: PageData): string | null {
  const at = pair.indexOf("=");
  const key = pair.slice(0, at);
  let text: string;
  try {
    text = decodeURIComponent(pair.slice(at + 1));
  } catch {
    return "The link is damaged";
  }
  const damaged = `The link is damaged (${key.slice(0, 40)})`;
  if (at < 1) return "The link is damaged";
  if (key === "region") return Object.hasOwn(data.books, text) ? ((state.region = text), null) : damaged;
  if (key === "unit") return Object.hasOwn(UNITS, text) ? ((state.unit = text as State["unit"]), null) : damaged;
  if (key === "traffic") {
    const value = numberOf(text);
    return value < 1e15 ? ((state.traffic = value), null) : damaged;
  }
  const control = CONTROLS.find((one) => one.key === key);
  const field = Object.hasOwn(data.fields, key) ? data.fields[key] : undefined;
  if (!control || !field) return damaged;
  if (text === "") {
    if (!field.optional) return damaged;
    set(state.inputs, control.sets, null);
    return null;
  }
  if (control.kind === "select") {
    // of an instance or a broker its price is another question, which a region and a commitment decide
    const there = control.known ?? (() => (control.choices?.(data, state) ?? []).some(([value]) => value === text));
    if (!there(data, text)) return damaged;
    set(state.inputs, control.sets, text);
    return null;
  }
  const value = numberOf(text);
  if (fieldProblem(value, field)) return damaged;
  set(state.inputs, control.sets, value);
  return null;
}

function numberOf(text: string): number {
  return NUMBER.test(text) ? Number(text) : NaN;
}

/** Names and values come from the list of controls, which says what each input takes. */
export function set(inputs: Inputs, names: (keyof Inputs)[], value: string | number | null): void {
  for (const name of names) (inputs as unknown as Record<string, string | number | null>)[name] = value;
}
