// Price books in words.
import type { PageData } from "./data.js";
import type { Answer } from "./cost/answer.js";
import { listing } from "./numbers.js";
import { compared } from "./words.js";

/** Whose prices they are: AWS's lists, and whose and of when others are. */
export function whosePrices(answer: Answer, region: string, data: PageData): string {
  const book = data.books[region];
  const label = book?.label ?? region;
  const lines = compared(answer).flatMap((one) => one.lines.map(({ line }) => `${line.service}/${line.item}`));
  const others = [...new Set(lines)].flatMap((name) => {
    const price = book?.prices[name];
    return price?.third_party ? [`${name.replace("amazonmq/", "Amazon MQ's ")} (third parties', ${price.as_of})`] : [];
  });
  return `AWS's list prices ${label}${others.length ? `, but for ${listing(others)}` : ""}, before tax`;
}
