// What a reader has set, in the words of the controls: for paper, and for who listens.
import type { PageData } from "./data.js";
import { CONTROLS, UNITS } from "./controls.js";
import { changed } from "./hash.js";
import { number, size } from "./numbers.js";
import type { State } from "./state.js";

/** Such as 'Set here: Traffic 7 messages a second, mean; Consumers Lambda.' */
export function settings(state: State, data: PageData): string {
  const own = changed(state, data)
    .filter(([key]) => key !== "unit")
    .map(([key, value]) => said(key, value, state, data));
  return own.length ? `Set here: ${own.join("; ")}.` : "At this page's own inputs.";
}

function said(key: string, value: string | number | null, state: State, data: PageData): string {
  const control = CONTROLS.find((one) => one.key === key);
  const name = control?.label ?? key;
  if (key === "traffic") return `${name} ${number(Number(value))} ${UNITS[state.unit]}`;
  const choice = control?.choices?.(data, state).find(([chosen]) => chosen === String(value ?? ""));
  if (choice) return `${name} ${choice[1]}`;
  if (value === null) return `${name} not given`;
  if (typeof value === "string") return `${name} ${value}`;
  if (control?.kind === "size") return `${name} ${size(value)}`;
  return `${name} ${withUnit(number(value), control?.unit ?? "")}`;
}

/** A unit that is a range, such as '1 to 10', says nothing of the value. */
function withUnit(value: string, unit: string): string {
  if (unit === "$") return `$${value}`;
  return unit && !/^\d/.test(unit) ? `${value} ${unit}` : value;
}
