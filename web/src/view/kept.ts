// What a redraw would take from a reader, given back: the focus, and how far tables are scrolled.

const FOCUSED = "a, button, summary, .scroll";

/** Redraws what is in an element. */
export function keeping(root: HTMLElement, redraw: () => void): void {
  const [scroll, focus] = [scrolled(root), focused(root)];
  redraw();
  scroll();
  focus();
}

/** Tables that are not at their left edge, by their names. */
function scrolled(root: HTMLElement): () => void {
  const all = () => [...root.querySelectorAll<HTMLElement>(".scroll")];
  const name = (one: HTMLElement) => one.getAttribute("aria-label") ?? "";
  const places = new Map(all().filter((one) => one.scrollLeft > 0).map((one) => [name(one), one.scrollLeft]));
  return () => {
    if (places.size) for (const one of all()) one.scrollLeft = places.get(name(one)) ?? 0;
  };
}

/** A figure by its key; others by their place in the nearest element that has an id. */
function focused(root: HTMLElement): () => void {
  const active = document.activeElement;
  const holder = active?.parentElement?.closest("[id]");
  if (!active || !holder || !root.contains(holder)) return () => undefined;
  const key = active.getAttribute("data-key");
  const within = () => [...(document.getElementById(holder.id)?.querySelectorAll<HTMLElement>(FOCUSED) ?? [])];
  const place = within().findIndex((one) => one === active);
  return () => {
    if (active.isConnected) return;
    const again = key === null ? within()[place] : within().find((one) => one.getAttribute("data-key") === key);
    again?.focus({ preventScroll: true });
  };
}
