// A pool of work that networks share. While it is short, those that use more than their part of it wait, so
// that light users notice nothing of heavy ones, and many networks get no more than one.

import { type Budget, charge, emptyMeter, levelOf, type Meter, waitOf } from "../../base/index.ts";

export interface SharedPool {
  /** What all have used. */
  readonly meter: Meter;
  /** Charges a use; `network`: whose part it is, undefined if it has none of its own. */
  charge(network: string | undefined, budget: Budget, amount: number, now: number): void;
  /** Returns the milliseconds that a use waits for the pool; 0 if it is within the part of its network. */
  waitOf(network: string | undefined, budget: Budget, amount: number, now: number): number;
}

/** Part of a pool that is divided by networks; the rest goes to who comes first. */
const dividedPart = 1 / 2;
/** Milliseconds for which a network counts after a use, and at most twice as long. */
const activeMs = 120_000;
/** Networks with a part of their own; more of them share one. */
const maxActive = 4096;
/** Name of the part of those. */
const allOthers = "";

/** Creates a pool that nobody has used. `servers`: the number of those that share it. */
export function createPool(start: number, servers = () => 1): SharedPool {
  const meter = emptyMeter(start);
  // Two generations, since no list of networks has to be searched for those that left.
  let current = new Map<string, Meter>();
  let previous = new Map<string, Meter>();
  let began = start;

  const turnTo = (now: number) => {
    began = Math.min(began, now);
    if (now - began < activeMs) return;
    previous = now - began < 2 * activeMs ? current : new Map();
    current = new Map();
    began = now;
  };
  /** Number of networks that use the pool, about. */
  const active = () => Math.max(1, current.size, previous.size);
  const partOf = ({ perMs, burst }: Budget): Budget => {
    // A network may come to each server, and each of them lets it have its part.
    const part = dividedPart / (active() * servers());
    return { perMs: perMs * part, burst: burst * part };
  };
  const find = (network: string) => current.get(network) ?? previous.get(network);

  return {
    meter,
    charge(network, budget, amount, now) {
      charge(meter, budget, amount, now);
      if (network === undefined) return;
      turnTo(now);
      const name = current.has(network) || current.size < maxActive ? network : allOthers;
      const own = find(name) ?? emptyMeter(now);
      current.set(name, own);
      charge(own, partOf(budget), amount, now);
    },
    waitOf(network, budget, amount, now) {
      const wait = waitOf(meter, budget, now);
      if (wait === 0 || network === undefined) return wait;
      turnTo(now);
      const part = partOf(budget);
      const own = find(network) ?? (current.size < maxActive ? undefined : find(allOthers));
      // A use has to fit, since the first of each of many networks would be free otherwise.
      const excess = amount + (own ? levelOf(own, part, now) : 0) - part.burst;
      return Math.min(wait, Math.max(0, excess) / part.perMs);
    },
  };
}
