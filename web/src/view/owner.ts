// The owner's further questions, answered for what is set: how sure, what a broker's death does, who says the prices.
import type { PageData } from "../data.js";
import type { Answer } from "../cost/answer.js";
import { outcomes, type Outcome } from "../asked/death.js";
import { measuredSure, priceSure, sourcesOf } from "../asked/sure.js";
import { UNDATED, whose, type Whose } from "../asked/whose.js";
import { whosePrices } from "../books.js";
import { byId, el } from "./dom.js";

/** the section of a run's page that has its self-test */
const SELF_TEST = "validity";

/** Puts the answers under their questions. */
export function showAnswers(answer: Answer, region: string, data: PageData, today: Date): void {
  byId("asked-sure").replaceChildren(...sure(answer, region, data, today).filter((part) => part !== null));
  byId("asked-death").replaceChildren(...outcomes(answer, data).flatMap(death));
  byId("asked-whose").replaceChildren(...prices(answer, region, data));
}

function sure(answer: Answer, region: string, data: PageData, today: Date): (HTMLElement | null)[] {
  const sources = sourcesOf(answer, data, today);
  const list = sources.length
    ? el("ul", {}, ...sources.map(({ title, words, url }) => el("li", {}, link(title, url), words)))
    : null;
  const badge = data.kind === "published" ? el("span", { class: "badge published" }, "published") : null;
  const none = badge && el("p", {}, badge, " No run stands behind this: only what others have printed.");
  const proof = data.kind === "run" && document.getElementById(SELF_TEST)
    ? el("p", {}, data.self_test_failed ? "Do not rely on what was measured: " : "Whether the loader itself measured rightly: ",
        el("a", { href: `#${SELF_TEST}` }, data.self_test_failed ? "the run's self-test failed" : "the run's self-test"), ".")
    : null;
  return [none, list, el("p", {}, priceSure(answer, region, data)), el("p", {}, measuredSure(answer, data).join(" ")), proof];
}

function death({ name, said, source, url, as_of, seen }: Outcome): HTMLElement[] {
  const documented = [" (Documented: ", link(source, url), `, as of ${as_of}.)`];
  return [el("p", {}, el("b", {}, `${name}. `), said, ...documented), ...(seen ? [el("p", {}, seen)] : [])];
}

/** Outwards, to a page of the documentation; of no other scheme than the web's. */
function link(text: string, url: string | null): HTMLElement | string {
  return url?.startsWith("https://") ? el("a", { href: url, rel: "noreferrer" }, text) : text;
}

function prices(answer: Answer, region: string, data: PageData): HTMLElement[] {
  const rows = whose(answer, region, data);
  const [oldest] = rows.map(({ as_of }) => as_of).filter((day) => day !== UNDATED).sort();
  // a redraw leaves unfolded what a reader has unfolded
  const open = document.querySelector<HTMLDetailsElement>("#asked-whose details")?.open ?? false;
  return [
    el("p", {}, `${whosePrices(answer, region, data)}.${oldest ? ` Each price used here stands in a source of ${oldest} or later.` : ""}`),
    el("details", { open }, el("summary", {}, "Each price, its date and its source"), table(rows)),
  ];
}

function table(rows: Whose[]): HTMLElement {
  const titles = ["price", "dollars", "date", "whose list", "source"];
  const row = ({ name, tiers, as_of, list, source }: Whose) =>
    el(
      "tr", { "data-price": name },
      el("th", { scope: "row" }, name), el("td", { class: "words" }, ...tiers.map((tier) => el("span", { class: "tier" }, tier))),
      el("td", {}, as_of), el("td", { class: "words" }, list), el("td", { class: "words" }, source),
    );
  return el(
    "div", { class: "scroll", role: "region", "aria-label": "Prices used here", tabindex: 0 },
    el(
      "table", {},
      el("thead", {}, el("tr", {}, ...titles.map((title) => el("th", { scope: "col" }, title)))),
      el("tbody", {}, ...rows.map(row)),
    ),
  );
}
