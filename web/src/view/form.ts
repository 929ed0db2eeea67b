// The form: a field for each control, what is wrong beside it, and the state that it says.
import type { Field, PageData } from "../data.js";
import {
  CONTROLS, TRAFFIC, UNITS, combinationProblem, dollarProblem, fieldProblem, separatorProblem, unitProblem, valueOf, type Control,
} from "../controls.js";
import { set } from "../hash.js";
import { listing, number, size } from "../numbers.js";
import { giveCapacity, rateProblem, settled, type State, TrafficUnit } from "../state.js";
import { byId, el, say } from "./dom.js";

const TRAFFIC_FIELD: Field = { least: 0, most: 1e15 };
const CAPACITY = "capacity_msg_per_s";

export class Form {
  private readonly boxes = new Map<string, HTMLElement>();
  /** whether the fields say the state that is shown */
  private whole = true;

  /** `changed` is called with every state that is whole, `refused` with what is wrong with one that is not. */
  constructor(
    private readonly data: PageData,
    private state: State,
    private readonly changed: (state: State) => void,
    private readonly refused: (said: string) => void,
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
    this.fill();
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
      : el("input", { id, "aria-describedby": described, inputmode: this.keypad(control), autocomplete: "off",
          input: listener, change: () => this.tidy(control) });
    const box = el(
      "div", { class: control === TRAFFIC ? "control traffic" : "control" },
      el("label", { for: id }, control.label),
      control === TRAFFIC ? el("div", { class: "pair" }, field, this.units()) : field,
      hints ? el("small", { id: `${id}-hint` }, hints) : null,
      el("p", { id: `${id}-problem`, class: "problem" }),
    );
    return box;
  }

  /** Keypads for decimals have the comma of their country, which is none here, and no letters for "3 million". */
  private keypad(control: Control): string {
    return control.kind === "number" && this.data.fields[control.key]?.whole ? "numeric" : "text";
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

  /** Puts the state into every field but the one that is excepted. */
  private fill(except: Element | null = null): void {
    for (const control of CONTROLS) {
      const field = this.field(control.key);
      if (field instanceof HTMLSelectElement) this.fillChoices(control, field);
      else if (field === except) continue;
      field.value = this.text(control);
    }
  }

  /** What a field shows of the state: as capacity the one that the answer is of. */
  private text(control: Control): string {
    if (control === TRAFFIC) return number(this.state.traffic);
    if (control.key === "region") return this.state.region;
    const [name] = control.sets;
    const inputs = control.key === CAPACITY ? settled(this.state, this.data) : this.state.inputs;
    const value = name ? inputs[name] : null;
    if (value === null) return "";
    if (control.kind === "size") return size(Number(value));
    return typeof value === "number" ? number(value) : String(value);
  }

  /** Once it is left, a field says its value as the page writes it, where all are whole: 2 KiB, 3,000,000. */
  private tidy(control: Control): void {
    if (this.whole) this.field(control.key).value = this.text(control);
  }

  /** Reads the fields that count; a state that is not whole is said beside its fields, and changes nothing else. */
  private read(): void {
    const next: State = { ...this.state, inputs: { ...this.state.inputs } };
    next.unit = (byId("control-unit") as HTMLSelectElement).value as TrafficUnit;
    // what is chosen says which of the others count
    for (const control of CONTROLS) if (control.kind === "select") this.take(control, next);
    const asked = CONTROLS.filter((control) => control.kind !== "select" && (control.shown?.(next, this.data) ?? true));
    const problems = asked.flatMap<[string, string]>((control) => {
      const problem = this.take(control, next);
      return problem ? [[control.key, problem]] : [];
    });
    const combined = problems.length ? null : combinationProblem(settled(next, this.data));
    if (combined) problems.push(combined);
    const wrong = problems.length ? null : rateProblem(next, this.data);
    if (wrong) problems.push(["traffic", wrong]);
    this.mark(problems);
    if (problems.length) return;
    this.state = next;
    this.fill(document.activeElement);
    this.reveal();
    this.changed(next);
  }

  /** Sets what a field says; answers with what is wrong with it. */
  private take(control: Control, next: State): string | null {
    const text = this.field(control.key).value.trim();
    // what is shown is rounded: a field that nobody has touched keeps its whole value
    if (text === this.text(control)) return null;
    if (control.key === "region") {
      next.region = text;
      return null;
    }
    const field = control === TRAFFIC ? TRAFFIC_FIELD : (this.data.fields[control.key] ?? {});
    if (control.kind === "select" || (text === "" && field.optional)) {
      this.put(control, next, text === "" && field.optional ? null : text);
      return null;
    }
    const value = valueOf(text, control, next.unit);
    this.put(control, next, value);
    return (
      unitProblem(text, control) ?? dollarProblem(text, control, next.unit) ?? separatorProblem(text, value, control) ??
      fieldProblem(value, field)
    );
  }

  private put(control: Control, next: State, value: string | number | null): void {
    if (control === TRAFFIC) next.traffic = Number(value);
    else if (control.key === CAPACITY) giveCapacity(next, value as number | null, this.data);
    else set(next.inputs, control.sets, value);
  }

  private mark(problems: [string, string][]): void {
    const wrong = CONTROLS.filter(({ key }) => problems.some(([name]) => name === key));
    for (const control of CONTROLS) {
      const problem = problems.find(([name]) => name === control.key)?.[1] ?? "";
      say(`control-${control.key}-problem`, problem);
      this.field(control.key).setAttribute("aria-invalid", String(problem !== ""));
      if (problem) this.unfold(control);
    }
    this.whole = !wrong.length;
    byId("yours").classList.toggle("stale", !this.whole);
    const names = listing(wrong.map(({ label }) => label));
    say("yours-note", this.whole ? "" : `What is shown is of the last inputs that were whole. To correct: ${names}.`);
    const [first] = problems;
    if (first) this.refused(`${wrong[0]?.label ?? ""}: ${first[1]}`);
  }

  /** Nothing that is wrong stays out of sight. */
  private unfold(control: Control): void {
    const box = this.boxes.get(control.key);
    box?.removeAttribute("hidden");
    const fold = box?.closest("details");
    if (fold) fold.open = true;
  }

  private reveal(): void {
    for (const control of CONTROLS) {
      this.boxes.get(control.key)?.toggleAttribute("hidden", !(control.shown?.(this.state, this.data) ?? true));
    }
  }
}
