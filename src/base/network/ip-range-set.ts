// A set of many ranges of addresses, such as those that a crawler publishes.

import { type IpRange, parseIp } from "./ip-range.ts";

export interface IpRangeSet {
  /** True if an address in any spelling is in one of the ranges; false for anything but an address. */
  has(address: string): boolean;
}

/** First and last address of each run, ascending and apart from each other. */
interface Runs {
  readonly first: bigint[];
  readonly last: bigint[];
}

/** Creates a set. A lookup takes as many steps as the number of ranges has bits. */
export function createIpRangeSet(ranges: readonly IpRange[]): IpRangeSet {
  const runs = { 32: runsOf(ranges, 32), 128: runsOf(ranges, 128) };
  return {
    has(address) {
      const ip = parseIp(address);
      if (!ip) return false;
      const { first, last } = runs[ip.bits];
      let [low, high] = [0, first.length];
      while (low < high) {
        const middle = (low + high) >> 1;
        if ((first[middle] as bigint) <= ip.value) low = middle + 1;
        else high = middle;
      }
      return low > 0 && ip.value <= (last[low - 1] as bigint);
    },
  };
}

function runsOf(ranges: readonly IpRange[], bits: IpRange["bits"]): Runs {
  const runs: Runs = { first: [], last: [] };
  const sorted = ranges
    .filter((range) => range.bits === bits)
    .map(({ value, prefix }) => {
      const size = 1n << BigInt(bits - prefix);
      const start = value - (value % size);
      return { start, end: start + size - 1n };
    })
    .sort((a, b) => (a.start < b.start ? -1 : a.start > b.start ? 1 : 0));
  for (const { start, end } of sorted) {
    const before = runs.last.length - 1;
    const reached = runs.last[before];
    if (reached === undefined || start > reached) {
      runs.first.push(start);
      runs.last.push(end);
    } else if (end > reached) runs.last[before] = end;
  }
  return runs;
}
