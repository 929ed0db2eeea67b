// The frame of the chart: its edges, and where rates and dollars are in it.
export const MARGIN = { left: 62, right: 14, top: 12, bottom: 40 };
/** at the right edge, where the reader's word stands left of the rule, CSS pixels */
export const YOU = 70;

export interface Scale {
  x: (rate: number) => number;
  y: (usd: number) => number;
  width: number;
  height: number;
  usd: [number, number];
  rates: [number, number];
}
