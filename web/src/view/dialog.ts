// The dialog in which a figure explains itself, and what several explanations have.
import { sqlOf } from "../queries.js";
import { byId, el } from "./dom.js";

export function open(title: string, parts: (HTMLElement | null)[]): void {
  const dialog = byId("explanation") as HTMLDialogElement;
  const close = el("button", { type: "button", class: "close", click: () => dialog.close() }, "Close");
  const heading = el("h2", { id: "explanation-title" }, title);
  dialog.replaceChildren(el("div", { class: "bar" }, heading, close), ...parts.filter((part) => part !== null));
  dialog.showModal();
}

export function note(text: string): HTMLElement {
  return el("p", { class: "note" }, text);
}

/** The query that a report answers this by: its file, and its text when it is asked for. */
export function sql(name: string): HTMLElement | null {
  const found = sqlOf(name);
  return found && el(
    "details", {},
    el("summary", {}, `The query: ${found.file}`),
    el("div", { class: "scroll", role: "region", "aria-label": found.file, tabindex: 0 }, el("pre", {}, found.text)),
  );
}

/** A press that begins and ends outside of it closes a dialog; one that is dragged there, as a text is selected, does not. */
export function closeFromOutside(dialog: HTMLDialogElement): void {
  let began = false;
  const isOutside = ({ clientX: x, clientY: y }: MouseEvent) => {
    const { left, right, top, bottom } = dialog.getBoundingClientRect();
    return x < left || x > right || y < top || y > bottom;
  };
  dialog.addEventListener("pointerdown", (event) => (began = isOutside(event)));
  dialog.addEventListener("click", (event) => {
    if (began && isOutside(event)) dialog.close();
    began = false;
  });
}
