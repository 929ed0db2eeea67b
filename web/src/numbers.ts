// Figures as a reader sees them, the same as breakeven.words and breakeven.pricing.bill.lines have them: tests compare them.

const NOTHING = "–";
const MAGNITUDES: [number, string][] = [[1e12, "trillion"], [1e9, "billion"], [1e6, "million"]];

/** whose zeros can still be counted; below it an exponent says how many there are */
const LEAST_WRITTEN_OUT = 1e-9;
/** of a binary number's whole decimal expansion, as far as a tie can need them */
const EXACT = 60;

function commas(digits: string): string {
  const [whole = "", part] = digits.split(".");
  const grouped = whole.replace(/\B(?=(\d{3})+$)/g, ",");
  return part === undefined ? grouped : `${grouped}.${part}`;
}

/** The digits before a tie's 5 are made even, as Python rounds: `exact` has more of them than are wanted. */
function isTie(exact: string, wanted: string): boolean {
  const digits = exact.replace(/^[-0.]*/, "").replace(/e.*$/, "").replace(".", "");
  const kept = wanted.replace(/^[-0.]*/, "").replace(/e.*$/, "").replace(".", "").length;
  const odd = Number(digits[kept - 1] ?? "0") % 2 === 1;
  return /^50*$/.test(digits.slice(kept)) && !odd;
}

/** To so many significant digits, ties to even. */
function rounded(value: number, digits: number): number {
  const wanted = value.toExponential(digits - 1);
  if (!isTie(value.toExponential(EXACT), wanted)) return Number(wanted);
  const below = Number(value.toExponential(EXACT).slice(0, value < 0 ? digits + 2 : digits + 1));
  return Number(`${below}e${wanted.split("e")[1]}`);
}

/** To so many decimals, ties to even. */
function decimal(value: number, decimals: number): string {
  const exact = value.toFixed(EXACT);
  const kept = exact.slice(0, exact.length - EXACT + decimals);
  const isEven = Number(kept.slice(-1)) % 2 === 0;
  return isEven && /^50*$/.test(exact.slice(kept.length)) ? kept : value.toFixed(decimals);
}

/** For a formula: up to six figures, no trailing zeros. */
export function number(value: number): string {
  if (Math.abs(value) >= 999_999.5) return commas(evenly(value).toFixed(0));
  if (value === 0) return "0";
  const short = rounded(value, 6);
  const exponent = Math.floor(Math.log10(Math.abs(short)));
  if (exponent < -4) {
    const [digits = "", power = ""] = short.toExponential().split("e");
    return `${digits}e-${power.slice(1).padStart(2, "0")}`;
  }
  return commas(String(short));
}

/** To a whole number, ties to even. */
export function evenly(value: number): number {
  const whole = Math.floor(value);
  if (value - whole !== 0.5) return Math.round(value);
  return whole % 2 === 0 ? whole : whole + 1;
}

/** To significant figures with thousands separated: 3,160, 14.8, 0.00123, 1.20e-10. */
export function figure(value: number | null, digits = 3): string {
  if (value === null) return NOTHING;
  if (value === 0) return "0";
  const short = rounded(value, digits);
  return (short < 0 ? "−" : "") + written(Math.abs(short), digits);
}

function written(short: number, digits: number): string {
  if (short < LEAST_WRITTEN_OUT) return short.toExponential(digits - 1).replace(/e-(\d)$/, "e-0$1");
  const decimals = Math.max(0, digits - 1 - Math.floor(Math.log10(short) + 1e-12));
  return commas(short.toFixed(decimals));
}

/** A rate in a sentence: two figures below a hundred, three from there. */
export function about(msgPerS: number): string {
  return figure(msgPerS, msgPerS < 100 ? 2 : 3);
}

/** A large number in words: 102 million. */
export function amount(value: number | null): string {
  if (value === null) return NOTHING;
  for (const [size, word] of MAGNITUDES) {
    if (Math.abs(rounded(value, 3)) >= size) return `${figure(value / size)} ${word}`;
  }
  return figure(value);
}

/** Dollars: cents below a thousand, whole dollars above. */
export function dollars(value: number | null): string {
  if (value === null) return NOTHING;
  const sign = value < 0 ? "−" : "";
  const sum = Math.abs(value);
  return sign + "$" + commas(sum < 1000 ? decimal(sum, 2) : evenly(sum).toFixed(0));
}

/** Dollars of one unit, exact and without an exponent: $0.0000004. */
export function unitPrice(value: number): string {
  return `$${value.toFixed(12).replace(/\.?0+$/, "")}`;
}

const SPELT: Record<string, string> = { gb: "GB", tb: "TB", vcpu: "vCPU", mibps: "MiB/s", iops: "IOPS" };

/** One unit of a price book: 'GB month'. */
export function unitWords(unit: string): string {
  return unit.split("_").map((word) => SPELT[word] ?? word).join(" ");
}

/** Bytes as people say them: 16 B, 1 KiB. */
export function size(bytes: number): string {
  for (const [step, unit] of [[1 << 20, "MiB"], [1 << 10, "KiB"]] as const) {
    if (bytes >= step) return `${bytes % step ? figure(bytes / step) : bytes / step} ${unit}`;
  }
  return `${bytes} B`;
}

export function plural(count: number, noun: string): string {
  return `${commas(String(count))} ${noun}${count === 1 ? "" : "s"}`;
}

/** 'a, b and c'. */
export function listing(items: string[]): string {
  return items.length > 1 ? `${items.slice(0, -1).join(", ")} and ${items[items.length - 1]}` : items.join("");
}

export function capital(text: string): string {
  return text.charAt(0).toUpperCase() + text.slice(1);
}

/** Minutes and seconds: 1:05. */
export function clock(seconds: number): string {
  return `${Math.floor(seconds / 60)}:${String(Math.floor(seconds % 60)).padStart(2, "0")}`;
}
