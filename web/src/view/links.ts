// Links within the page go to their section, unfolded, and leave the hash to the state.

/** Shows an element with all that is folded around it, and takes the focus there; false: there is none of that id. */
export function reveal(id: string): boolean {
  const target = id ? document.getElementById(id) : null;
  if (!target) return false;
  for (let at: Element | null = target; at; at = at.parentElement) if (at instanceof HTMLDetailsElement) at.open = true;
  const fold = target.querySelector(":scope > details");
  if (fold instanceof HTMLDetailsElement) fold.open = true;
  // what is no control takes the focus from a script only
  if (target.tabIndex < 0) target.tabIndex = -1;
  target.focus({ preventScroll: true });
  target.scrollIntoView();
  return true;
}

/** A link that is opened in another tab or window is the browser's. */
export function keepHash(): void {
  document.addEventListener("click", (event) => {
    if (event.button !== 0 || event.ctrlKey || event.metaKey || event.shiftKey || event.altKey) return;
    const link = event.target instanceof Element ? event.target.closest('a[href^="#"]') : null;
    if (link && reveal(link.getAttribute("href")?.slice(1) ?? "")) event.preventDefault();
  });
  reveal(location.hash.slice(1));
}
