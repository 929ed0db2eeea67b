// The answer for those who listen to the page: one sentence once they have stopped typing, not one a key.
import { say } from "./dom.js";

/** without a key, before it is said */
const QUIET_MS = 800;

export class Aloud {
  private waiting = 0;

  /** `last`: what the page says as it opens, which nobody has to be told. */
  constructor(private readonly id: string, private last: string) {}

  /** Says a text after a pause, unless it is the one that was said last. */
  after(text: string): void {
    clearTimeout(this.waiting);
    this.waiting = setTimeout(() => {
      if (text === this.last) return;
      this.last = text;
      say(this.id, text);
    }, QUIET_MS);
  }
}
