// The form: a field for each control, what is wrong beside it, and the state that it says.
import type { Field, PageData } from "../data.js";
import { CONTROLS, TRAFFIC, UNITS, combinationProblem, fieldProblem, parsed, parsedSize, separatorProblem, unitProblem, type Control } from "../controls.js";
import { set } from "../hash.js";
import { number, size } from "../numbers.js";
import { rateProblem, type State, TrafficUnit } from "../state.js";
import { byId, el } from "./dom.js";

const TRAFFIC_FIELD: Field = { least: 0, most: 1e15 };

export class Form {
  private readonly boxes = new Map<string, HTMLElement>();

  /** `changed` is called with every state that is whole. */
  constructor(
    private readonly data: PageData,
    private state: State,
    private readonly changed: (state: State) => void,
  ) {
    const [first, more] = [byId("controls-first"), byId("controls-more")];
    for (const control of CONTROLS) {
      const box = this.box(control);
      this.boxes.set(control.key, box);
      (control.first ? first : more).append(box);
    }
    this.show(state);
  }

  /** Puts a state into the fields. */
  show(state: State): void {
    this.state = state;
    for (const control of CONTROLS) {
      const field = this.field(control.key);
      if (field instanceof HTMLSelectElement) this.fillChoices(control, field);
      field.value = this.text(control);
    }
    (byId("control-unit") as HTMLSelectElement).value = state.unit;
    this.mark([]);
    this.reveal();
  }

  private box(control: Control): HTMLElement {
    const id = `control-${control.key}`;
    const hints = [control.unit, control.hint].filter(Boolean).join("; ");
    const listener = () => this.read();
    const described = `${id}-problem${hints ? ` ${id}-hint` : ""}`;
    const field = control.kind === "select"
      ? el("select", { id, "aria-describedby": described, change: listener })
      : el("input", { id, "aria-describedby": described, inputmode: control.kind === "number" ? "decimal" : "text",
          autocomplete: "off", input: listener, change: () => this.tidy(control) });
    const box = el(
      "div", { class: control === TRAFFIC ? "control traffic" : "control" },
      el("label", { for: id }, control.label),
      control === TRAFFIC ? el("div", { class: "pair" }, field, this.units()) : field,
      hints ? el("small", { id: `${id}-hint` }, hints) : null,
      el("p", { id: `${id}-problem`, class: "problem", role: "alert" }),
    );
    return box;
  }

  private units(): HTMLElement {
    const options = Object.entries(UNITS).map(([value, name]) => el("option", { value }, name));
    return el("select", { id: "control-unit", "aria-label": "What the traffic is counted in", change: () => this.read() }, ...options);
  }

  private field(key: string): HTMLInputElement | HTMLSelectElement {
    return byId(`control-${key}`) as HTMLInputElement | HTMLSelectElement;
  }

  private fillChoices(control: Control, field: HTMLSelectElement): void {
    const choices = control.choices?.(this.data, this.state) ?? [];
    const own = this.text(control);
    // what has no price in this region stays named, so that the region is what a reader changes back
    const there = choices.some(([value]) => value === own) ? choices : [...choices, [own, `${own} (no price here)`] as [string, string]];
    field.replaceChildren(...there.map(([value, name]) => el("option", { value }, name)));
  }

  private text(control: Control): string {
    if (control === TRAFFIC) return number(this.state.traffic);
    if (control.key === "region") return this.state.region;
    const [name] = control.sets;
    const value = name ? this.state.inputs[name] : null;
    if (value === null) return "";
    if (control.kind === "size") return size(Number(value));
    return typeof value === "number" ? number(value) : String(value);
  }

  /** Once it is left, a field that is whole says its value as the page writes it: 2 KiB, 3,000,000. */
  private tidy(control: Control): void {
    const field = this.field(control.key);
    if (field.getAttribute("aria-invalid") === "false") field.value = this.text(control);
  }

  /** Reads every field; a state that is not whole is said beside its fields, and changes nothing else. */
  private read(): void {
    const problems: [string, string][] = [];
    const next: State = { ...this.state, inputs: { ...this.state.inputs } };
    next.unit = (byId("control-unit") as HTMLSelectElement).value as TrafficUnit;
    for (const control of CONTROLS) {
      const problem = this.take(control, next);
      if (problem) problems.push([control.key, problem]);
    }
    const combined = problems.length ? null : combinationProblem(next.inputs);
    if (combined) problems.push(combined);
    const wrong = problems.length ? null : rateProblem(next, this.data);
    if (wrong) problems.push(["traffic", wrong]);
    this.mark(problems);
    if (problems.length) return;
    this.state = next;
    for (const control of CONTROLS) {
      const field = this.field(control.key);
      if (field instanceof HTMLSelectElement) {
        this.fillChoices(control, field);
        field.value = this.text(control);
      }
    }
    this.reveal();
    this.changed(next);
  }

  /** Sets what a field says; answers with what is wrong with it. */
  private take(control: Control, next: State): string | null {
    const text = this.field(control.key).value.trim();
    // what is shown is rounded: a field that nobody has touched keeps its whole value
    if (text === this.text(control)) return null;
    if (control === TRAFFIC) {
      next.traffic = parsed(text);
      return separatorProblem(text, control) ?? fieldProblem(next.traffic, TRAFFIC_FIELD);
    }
    if (control.key === "region") {
      next.region = text;
      return null;
    }
    const field = this.data.fields[control.key] ?? {};
    if (text === "" && field.optional) {
      set(next.inputs, control.sets, null);
      return null;
    }
    if (control.kind === "select") {
      set(next.inputs, control.sets, text);
      return null;
    }
    const value = control.kind === "size" ? parsedSize(text) : parsed(text);
    set(next.inputs, control.sets, value);
    return unitProblem(text, control) ?? separatorProblem(text, control) ?? fieldProblem(value, field);
  }

  private mark(problems: [string, string][]): void {
    for (const { key } of CONTROLS) {
      const problem = problems.find(([name]) => name === key)?.[1] ?? "";
      const said = byId(`control-${key}-problem`);
      if (said.textContent !== problem) said.textContent = problem;
      this.field(key).setAttribute("aria-invalid", String(problem !== ""));
      if (problem) this.boxes.get(key)?.removeAttribute("hidden");
    }
    const stale = problems.length > 0;
    byId("yours").classList.toggle("stale", stale);
    byId("yours-note").textContent = stale ? "What is shown is of the last inputs that were whole." : "";
  }

  private reveal(): void {
    for (const control of CONTROLS) {
      this.boxes.get(control.key)?.toggleAttribute("hidden", !(control.shown?.(this.state, this.data) ?? true));
    }
  }
}
