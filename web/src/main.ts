// The page's first screen: controls, the verdict for the reader's own traffic, prices, the chart, and the hash.
import type { PageData } from "./data.js";
import { answer, type Answer, type Pair } from "./cost/answer.js";
import { changed, read, written } from "./hash.js";
import { asCsv, asPicture, asText, copy, download } from "./share.js";
import { moving } from "./moving.js";
import { settings } from "./settings.js";
import { initial, rateOf, settled, type State } from "./state.js";
import { Aloud } from "./view/aloud.js";
import { chart, key } from "./view/chart.js";
import { closeFromOutside } from "./view/dialog.js";
import { byId, el, say } from "./view/dom.js";
import { legend } from "./view/legend.js";
import { explanations, type Explanations } from "./view/explain.js";
import { figuresIn, withFigures } from "./view/figures.js";
import { Form } from "./view/form.js";
import { keeping } from "./view/kept.js";
import { keepHash, reveal } from "./view/links.js";
import { offerOrigins, originButton } from "./view/origins.js";
import { showAnswers } from "./view/owner.js";
import { LIGHT, theme, type Theme } from "./view/palette.js";
import { onPaper } from "./view/paper.js";
import { HEIGHT, WIDTH, picture } from "./view/picture.js";
import { changes, prices } from "./view/tables.js";
import { beside, ranges, supposed, verdict } from "./words.js";

const NARROW = 560;
/** until an address that the browser refused is tried again */
const AGAIN_MS = 1000;

/** The section's state, what it came to, and the form that changes it. */
class Page {
  private state: State;
  private shown: Answer;
  private readonly form: Form;
  private readonly aloud: Aloud;
  private isPaper = false;
  /** of the chart's frame, as it was drawn, CSS pixels */
  private width = 0;
  private waiting = 0;

  constructor(private readonly data: PageData) {
    const [state, problem] = this.fromHash();
    this.state = state;
    this.shown = this.answered(state);
    byId("yours").hidden = false;
    this.aloud = new Aloud("yours-aloud", verdict(this.shown, state.region));
    this.form = new Form(data, state, (next) => this.change(next), (said) => this.aloud.after(said));
    const explained = () => explanations(this.shown, this.state.region, data).all(["cost_curves", "crossover"]);
    byId("yours-chart").append(el("p", { class: "note" }, originButton("the chart of costs", explained)));
    this.draw();
    say("yours-link", problem);
    addEventListener("hashchange", () => this.follow());
    matchMedia("(prefers-color-scheme: dark)").addEventListener("change", () => this.draw());
    // a phone's window changes its height as it is scrolled: only the chart has a size, and only from the width
    addEventListener("resize", () => {
      if (byId("yours-chart").clientWidth !== this.width) this.drawChart();
    });
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
    if (reveal(location.hash.slice(1))) return;
    const [state, problem] = this.fromHash();
    this.state = state;
    this.shown = this.answered(state);
    this.form.show(state);
    this.draw();
    say("yours-link", problem);
    this.aloud.after(verdict(this.shown, state.region));
  }

  private answered(state: State): Answer {
    return answer(settled(state, this.data), state.region, rateOf(state, this.data) ?? 0, this.data);
  }

  private change(state: State): void {
    this.state = state;
    this.shown = this.answered(state);
    this.draw();
    say("yours-link", "");
    this.aloud.after(verdict(this.shown, state.region));
    this.address();
  }

  /** The state into the address bar: later, where a browser takes no more of them for now. */
  private address(): void {
    clearTimeout(this.waiting);
    try {
      history.replaceState(null, "", this.link());
    } catch {
      this.waiting = setTimeout(() => this.address(), AGAIN_MS);
    }
  }

  /** To what is shown, whatever the address bar says. */
  private link(): string {
    const hash = written(this.state, this.data);
    return location.href.split("#", 1).join("") + (hash && `#${hash}`);
  }

  /** Anew, for paper or for the screen. */
  drawFor(isPaper: boolean): void {
    this.isPaper = isPaper;
    this.draw();
  }

  private get theme(): Theme {
    return this.isPaper ? LIGHT : theme();
  }

  private draw(): void {
    keeping(byId("yours"), () => this.redraw());
  }

  private redraw(): void {
    const { shown, state, data } = this;
    const explains = explanations(shown, state.region, data);
    const put = (id: string, text: string, rates: Pair[] = []) =>
      byId(id).replaceChildren(...withFigures(text, shown, explains, data, rates));
    const asked = changed(state, data).every(([name]) => name === "traffic" || name === "unit");
    put("yours-verdict", verdict(shown, state.region));
    put("yours-beside", beside(shown, data), shown.pairs);
    // the page's own headline, which stands above, says it of the page's own inputs
    put("yours-ranges", asked ? "" : ranges(shown), shown.pairs);
    put("yours-moving", moving(shown));
    put("yours-supposed", supposed(shown, data));
    showAnswers(shown, state.region, data, new Date());
    byId("yours-tables").replaceChildren(prices(shown, data, this.theme, explains), changes(shown, data, explains));
    this.drawChart();
    byId("yours-legend").replaceChildren(...legend(shown, this.theme));
    say("yours-rings", key(shown));
    say("yours-settings", settings(state, data));
  }

  private drawChart(): void {
    const frame = byId("yours-chart");
    this.width = frame.clientWidth;
    const width = Math.max(280, this.width || 640);
    frame.querySelector(":scope > svg")?.remove();
    frame.prepend(chart(this.shown, width, width < NARROW ? 320 : 400, this.theme));
  }

  private listen(): void {
    const on = (id: string, act: () => Promise<string> | string) =>
      byId(id).addEventListener("click", () => {
        Promise.resolve()
          .then(act)
          .catch((error: unknown) => `That did not work: ${error instanceof Error ? error.message : String(error)}`)
          .then((said) => (byId("yours-done").textContent = said));
      });
    const text = () => asText(this.shown, this.state.region, this.data, this.link());
    on("copy-text", async () => ((await copy(text())) ? "Copied as text." : "This browser let nothing be copied."));
    on("copy-link", async () => ((await copy(this.link())) ? "Link copied." : "This browser let nothing be copied."));
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

const embedded = document.getElementById("page-data");
if (embedded) {
  const data = JSON.parse(embedded.textContent ?? "") as PageData;
  closeFromOutside(byId("explanation") as HTMLDialogElement);
  const page = new Page(data);
  const usual = initial(data);
  const asked = answer(settled(usual, data), usual.region, rateOf(usual, data) ?? 0, data);
  const own: Explanations = explanations(asked, usual.region, data);
  figuresIn(document.querySelector("h1"), () => own.all(["crossover", "bills"]));
  offerOrigins(asked, own, data);
  onPaper((isPaper) => page.drawFor(isPaper));
} else {
  onPaper(() => undefined);
}
keepHash();
