// Where the figures of the page's tables, charts and tiles come from: the queries whose columns they are.
import type { PageData } from "../data.js";
import type { Answer } from "../cost/answer.js";
import { isOfMoney } from "../queries.js";
import { own, pairOf } from "../words.js";
import { note, open, sql } from "./dialog.js";
import { el } from "./dom.js";
import type { Explanations } from "./explain.js";
import { figuresIn } from "./figures.js";

const OF_RUN =
  "Every figure is a column of a query over the run's rows, rounded for this page. The head of each query names its inputs, which are " +
  "tables of rows, and its columns with their units and methods. A run keeps its rows in rows/, a file for each table and case; on AWS " +
  "they are Athena's tables, and the same SQL is run on both. Unrounded figures are in report.json.";
const OF_NONE =
  "Every figure is a column of a query over rows of inputs and prices, which stand below. No run stands behind it; what others have " +
  "published is shown as they printed it.";

export function originButton(name: string, show: () => void): HTMLElement {
  return el(
    "button", { type: "button", class: "origin", "aria-label": `where from? The figures of “${name}”`, click: show }, "where from?",
  );
}

/**
 * A button beside each table, chart and paragraph whose figures are a query's; of a tile the figure itself.
 *
 * @param asked - what the page's own inputs come to, of which its tiles are
 */
export function offerOrigins(asked: Answer, explains: Explanations, data: PageData): void {
  const about = data.kind === "run" ? OF_RUN : OF_NONE;
  for (const holder of document.querySelectorAll<HTMLElement>("[data-queries]")) {
    const caption = holder.querySelector("figcaption") ?? holder;
    const tile = holder.querySelector("dd > b");
    if (holder instanceof HTMLParagraphElement && !/\d/.test(holder.textContent ?? "")) continue;
    const name = (tile ? holder.querySelector("dt") : caption)?.textContent ?? "";
    const names = (holder.dataset.queries ?? "").split(" ");
    const title = holder instanceof HTMLParagraphElement ? "these sentences" : name;
    const show = () =>
      open(`Where these figures come from: ${title}`, [
        note(about), ...names.map(sql),
        ...(names.some(isOfMoney) ? [note("At the page's own inputs:"), ...explains.parts()] : []),
      ]);
    if (tile) figuresIn(tile, show);
    else caption.append(" ", originButton(title, show));
  }
  const mine = own(asked);
  for (const tile of document.querySelectorAll<HTMLElement>("[data-pair]")) {
    const pair = mine && pairOf(asked, tile.dataset.pair ?? "", mine.option.id);
    if (pair) figuresIn(tile.querySelector("dd > b"), () => explains.crossing(pair));
  }
}
