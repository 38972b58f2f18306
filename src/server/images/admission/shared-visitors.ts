// Visitors that wait for the same work: it takes its turns as the best of them, so that nobody waits in the
// turn of a crawler that asked first.

import { type TurnGroup, turnGroups } from "../../visitors/classes.ts";

/** For whom a job is, as far as it decides on turns. */
export interface JobVisitor {
  readonly group: TurnGroup;
  /** Name of the network that takes turns with others of the group. */
  readonly network: string;
  /** Charges the milliseconds that the job has worked, also if it failed. */
  chargeWork(ms: number): void;
}

/** All visitors that wait for some work, as one. */
export interface SharedVisitor {
  readonly all: JobVisitor;
  /** Ends the wait of the visitor that has joined. */
  leave(): void;
}

export interface SharedVisitors {
  /** Has a visitor wait for the work that a key names. */
  join(key: string, visitor: JobVisitor): SharedVisitor;
}

/** True if a group has its turns before another. */
export const isBetter = (group: TurnGroup, other: TurnGroup): boolean =>
  turnGroups.indexOf(group) < turnGroups.indexOf(other);

/** Creates the visitors of an admission. `joined` is called when one joins others. */
export function createSharedVisitors(joined: () => void): SharedVisitors {
  const byKey = new Map<string, Together>();
  return {
    join(key, visitor) {
      const found = byKey.get(key);
      const all = found ?? new Together(visitor);
      const leave = all.add(visitor);
      if (found) joined();
      else byKey.set(key, all);
      return {
        all,
        leave() {
          leave();
          if (all.isEmpty && byKey.get(key) === all) byKey.delete(key);
        },
      };
    },
  };
}

class Together implements JobVisitor {
  readonly #first: JobVisitor;
  readonly #members = new Set<{ readonly visitor: JobVisitor }>();
  /** The best turn so far: work never falls back behind others when a visitor leaves. */
  #best: Pick<JobVisitor, "group" | "network">;

  constructor(first: JobVisitor) {
    this.#first = first;
    this.#best = first;
  }

  get group() {
    return this.#turn().group;
  }

  get network() {
    return this.#turn().network;
  }

  get isEmpty() {
    return this.#members.size === 0;
  }

  add(visitor: JobVisitor): () => void {
    const member = { visitor };
    this.#members.add(member);
    return () => {
      this.#turn();
      this.#members.delete(member);
    };
  }

  chargeWork(ms: number): void {
    this.#first.chargeWork(ms);
  }

  #turn() {
    // A member may be several visitors together, which others join later.
    for (const { visitor } of this.#members)
      if (isBetter(visitor.group, this.#best.group))
        this.#best = { group: visitor.group, network: visitor.network };
    return this.#best;
  }
}
