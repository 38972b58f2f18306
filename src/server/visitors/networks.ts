// What is known of networks, in bounded memory. Networks that were only met are apart from those that earned
// or used something: to come from many networks costs a crawler little, and must not make the service forget
// readers, or budgets that are used up.

import { createLru } from "../../base/index.ts";
import { type History, newHistory } from "./history.ts";

export interface Networks {
  /** Returns what is known of a network or a site; undefined if it was never met, or is forgotten. */
  find(name: string): History | undefined;
  /** Returns what is known of a network or a site; an empty history if that is nothing. */
  meet(name: string, now: number): History;
  /** Holds a network that was met apart from those that are only met. */
  promote(name: string): void;
}

/** Networks that are remembered, at most: those that were only met, and the others. */
export interface NetworkBounds {
  readonly met: number;
  readonly proven: number;
}

/** Creates an empty memory. */
export function createNetworks(bounds: NetworkBounds): Networks {
  const met = createLru<string, History>(bounds.met);
  const proven = createLru<string, History>(bounds.proven);
  const find = (name: string) => proven.get(name) ?? met.get(name);
  return {
    find,
    meet(name, now) {
      let history = find(name);
      if (!history) met.set(name, (history = newHistory(now)), 1);
      return history;
    },
    promote(name) {
      const history = met.get(name);
      if (!history) return;
      met.delete(name);
      proven.set(name, history, 1);
    },
  };
}
