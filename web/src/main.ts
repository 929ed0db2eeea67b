// The page's first screen: controls, the verdict for the reader's own traffic, prices, the chart, and the hash.
import type { PageData } from "./data.js";
import { answer, type Answer } from "./cost/answer.js";
import { read, written } from "./hash.js";
import { asCsv, asPicture, asText, copy, download } from "./share.js";
import { moving } from "./moving.js";
import { settings } from "./settings.js";
import { initial, rateOf, settled, type State } from "./state.js";
import { chart, key } from "./view/chart.js";
import { byId, el } from "./view/dom.js";
import { legend } from "./view/legend.js";
import { explanations, type Explanations } from "./view/explain.js";
import { figuresIn, withFigures } from "./view/figures.js";
import { Form } from "./view/form.js";
import { offerOrigins, originButton } from "./view/origins.js";
import { showAnswers } from "./view/owner.js";
import { LIGHT, theme } from "./view/palette.js";
import { HEIGHT, WIDTH, picture } from "./view/picture.js";
import { changes, prices } from "./view/tables.js";
import { beside, ranges, supposed, verdict } from "./words.js";

const NARROW = 560;

/** The section's state, what it came to, and the form that changes it. */
class Page {
  private state: State;
  private shown: Answer;
  private readonly form: Form;

  constructor(private readonly data: PageData) {
    const [state, problem] = this.fromHash();
    this.state = state;
    this.shown = this.answered(state);
    byId("yours").hidden = false;
    this.form = new Form(data, state, (next) => this.change(next));
    this.draw();
    byId("yours-link").textContent = problem;
    addEventListener("hashchange", () => this.follow());
    matchMedia("(prefers-color-scheme: dark)").addEventListener("change", () => this.draw());
    addEventListener("resize", () => this.draw());
    this.listen();
  }

  /** The state of the hash; the page's own, and why, where that is none. A section's name is no state. */
  private fromHash(): [State, string] {
    const hash = location.hash.slice(1);
    if (!hash || document.getElementById(hash)) return [initial(this.data), ""];
    const found = read(hash, this.data);
    if (typeof found !== "string") return [found, ""];
    return [initial(this.data), `${found}: these are the page's own inputs.`];
  }

  private follow(): void {
    if (document.getElementById(location.hash.slice(1))) return;
    const [state, problem] = this.fromHash();
    this.state = state;
    this.shown = this.answered(state);
    this.form.show(state);
    this.draw();
    byId("yours-link").textContent = problem;
  }

  private answered(state: State): Answer {
    return answer(settled(state, this.data), state.region, rateOf(state, this.data) ?? 0, this.data);
  }

  private change(state: State): void {
    this.state = state;
    this.shown = this.answered(state);
    this.draw();
    byId("yours-link").textContent = "";
    const hash = written(state, this.data);
    history.replaceState(null, "", hash ? `#${hash}` : location.pathname + location.search);
  }

  private draw(): void {
    const { shown, state, data } = this;
    const explains = explanations(shown, state.region, data);
    const say = (id: string, text: string) => byId(id).replaceChildren(...withFigures(text, shown, explains, data));
    say("yours-verdict", verdict(shown, state.region));
    const usual = initial(data);
    const asked = state.region === usual.region && JSON.stringify(state.inputs) === JSON.stringify(usual.inputs);
    say("yours-beside", beside(shown, data));
    // the page's own headline, which stands above, says it of the page's own inputs
    say("yours-ranges", asked ? "" : ranges(shown));
    say("yours-moving", moving(shown));
    say("yours-supposed", supposed(shown, data));
    showAnswers(shown, state.region, data, new Date());
    const pressed = document.activeElement?.getAttribute("data-key");
    byId("yours-tables").replaceChildren(prices(shown, data, theme(), explains), changes(shown, data, explains));
    if (pressed) document.querySelector<HTMLElement>(`[data-key="${CSS.escape(pressed)}"]`)?.focus();
    const frame = byId("yours-chart");
    const width = Math.max(280, frame.clientWidth || 640);
    const origin = originButton("the chart of costs", () => explains.all(["cost_curves", "crossover"]));
    frame.replaceChildren(chart(shown, width, width < NARROW ? 320 : 400, theme()), el("p", { class: "note" }, origin));
    byId("yours-legend").replaceChildren(...legend(shown, theme()));
    byId("yours-rings").textContent = key(shown);
    byId("yours-settings").textContent = settings(state, data);
  }

  private listen(): void {
    const on = (id: string, act: () => Promise<string> | string) =>
      byId(id).addEventListener("click", () => {
        Promise.resolve()
          .then(act)
          .catch((error: unknown) => `That did not work: ${error instanceof Error ? error.message : String(error)}`)
          .then((said) => (byId("yours-done").textContent = said));
      });
    const text = () => asText(this.shown, this.state.region, this.data, location.href);
    on("copy-text", async () => ((await copy(text())) ? "Copied as text." : "This browser let nothing be copied."));
    on("copy-link", async () => ((await copy(location.href)) ? "Link copied." : "This browser let nothing be copied."));
    on("save-picture", async () => {
      const drawn = picture(this.shown, this.state.region, this.data);
      download("queue-breakeven.png", await asPicture(drawn, WIDTH, HEIGHT, LIGHT.paper));
      return "Picture saved.";
    });
    on("save-csv", () => {
      const csv = asCsv(this.shown, this.state.region, this.data);
      download("queue-breakeven.csv", new Blob([csv], { type: "text/csv" }));
      return "CSV saved.";
    });
    on("reset", () => {
      this.form.show(initial(this.data));
      this.change(initial(this.data));
      return "The page's own inputs.";
    });
  }
}

/** Links within the page go to their section, unfolded, and leave the hash to the state. */
function keepHash(): void {
  const reveal = (id: string): boolean => {
    const target = id ? document.getElementById(id) : null;
    if (!target) return false;
    for (let at: Element | null = target; at; at = at.parentElement) if (at instanceof HTMLDetailsElement) at.open = true;
    const fold = target.querySelector(":scope > details");
    if (fold instanceof HTMLDetailsElement) fold.open = true;
    target.scrollIntoView();
    return true;
  };
  document.addEventListener("click", (event) => {
    const link = event.target instanceof Element ? event.target.closest('a[href^="#"]') : null;
    if (link && reveal(link.getAttribute("href")?.slice(1) ?? "")) event.preventDefault();
  });
  reveal(location.hash.slice(1));
}

const embedded = document.getElementById("page-data");
if (embedded) {
  const data = JSON.parse(embedded.textContent ?? "") as PageData;
  const close = () => (byId("explanation") as HTMLDialogElement).close();
  byId("explanation").addEventListener("click", (event) => {
    if (event.target === byId("explanation")) close();
  });
  new Page(data);
  const usual = initial(data);
  const asked = answer(settled(usual, data), usual.region, rateOf(usual, data) ?? 0, data);
  const own: Explanations = explanations(asked, usual.region, data);
  figuresIn(document.querySelector("h1"), () => own.all(["crossover", "bills"]));
  offerOrigins(asked, own, data);
}
keepHash();
// on paper everything is open
addEventListener("beforeprint", () => document.querySelectorAll("details").forEach((fold) => (fold.open = true)));
