// Where the figures of the report's tables come from: the queries whose columns they are.
import { note, open, sql } from "./dialog.js";
import { el } from "./dom.js";

const ABOUT =
  "Every figure is a column of a query over the run's rows, rounded for this page. The head of each query names its inputs, which are " +
  "tables of rows, and its columns with their units and methods. A run keeps its rows in rows/, a file for each table and case; on AWS " +
  "they are Athena's tables, and the same SQL is run on both. Unrounded figures are in report.json.";

/** A button beside the caption of each table whose figures are a query's. */
export function offerOrigins(): void {
  for (const figure of document.querySelectorAll<HTMLElement>("figure[data-queries]")) {
    const caption = figure.querySelector("figcaption");
    const name = caption?.textContent ?? "";
    const names = (figure.dataset.queries ?? "").split(" ");
    const show = () => open(`Where these figures come from: ${name}`, [note(ABOUT), ...names.map(sql)]);
    const label = `where from? The figures of “${name}”`;
    caption?.append(" ", el("button", { type: "button", class: "origin", "aria-label": label, click: show }, "where from?"));
  }
}
