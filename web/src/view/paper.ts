// Printing: on paper every fold is open, and what is drawn is drawn for white paper; afterwards all is as it was.

/** `draw` is called with whether it is for paper. */
export function onPaper(draw: (isPaper: boolean) => void): void {
  let closed: HTMLDetailsElement[] = [];
  addEventListener("beforeprint", () => {
    draw(true);
    closed = [...document.querySelectorAll<HTMLDetailsElement>("details:not([open])")];
    for (const fold of closed) fold.open = true;
  });
  addEventListener("afterprint", () => {
    for (const fold of closed) fold.open = false;
    closed = [];
    draw(false);
  });
}
