// Figures as the page writes them, for tests: names of functions and values as JSON on standard input, texts on standard output.
import { readFileSync } from "node:fs";
import { about, amount, dollars, figure, number, plural, size, unitPrice } from "../src/numbers.js";

const KNOWN = { about, amount, dollars, figure, number, size, unit_price: unitPrice, plural: (count: number) => plural(count, "case") };

const asked = JSON.parse(readFileSync(0, "utf8")) as [keyof typeof KNOWN, number][];
process.stdout.write(JSON.stringify(asked.map(([name, value]) => KNOWN[name](value))));
