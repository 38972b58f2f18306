// What visitors have used at several servers, merged about once a second. Each server decides by its own
// meters, and never waits for another. It sends what it charged since the last merge, and takes over the
// levels that this leads to.

import { type Budget, type Log, levelOf, type Meter, messageOf } from "../../base/index.ts";

/** Receives what is charged to meters that servers share. */
export interface Ledger {
  /**
   * Records a use that was charged to a meter just now. `name`: the same on all servers; `isPool`: true if it
   * is the meter of a pool, of which there are few, and which is always shared.
   */
  note(name: string, meter: Meter, budget: Budget, amount: number, isPool?: boolean): void;
  /** Returns the number of servers that share the meters; 1 while this one is alone. */
  servers(): number;
}

/** A meter in a merge. Amounts are megapixels. */
export interface MergeRow {
  readonly name: string;
  /** What drains in a millisecond. */
  readonly perMs: number;
  /** The level at this server, without `amount`. The shared level is raised to it. */
  readonly floor: number;
  /** What was charged since the last merge; adds to the shared level. */
  readonly amount: number;
}

/** The other end of a merge. */
export interface Exchange {
  /** Merges rows in one step. Returns the level of each at that time, and the number of servers. */
  merge(rows: readonly MergeRow[]): Promise<{ readonly levels: readonly number[]; readonly servers: number }>;
}

export interface MergingHost {
  readonly now: () => number;
  readonly log: Pick<Log, "info" | "warn">;
  /** Lets work continue after its request, if it ends with that. */
  readonly keepAlive?: ((work: Promise<unknown>) => void) | undefined;
}

export interface Merging extends Ledger {
  close(): void;
}

/** Milliseconds from a use to its merge, which further uses join. */
const mergeMs = 1000;
/** Milliseconds between attempts while the store fails, at most. */
const maxPauseMs = 60_000;
/** A merge that has not ended after these milliseconds was given up with the request that began it. */
const lostMs = 2 * maxPauseMs;
/** Meters of a merge: pools, and those that were used most. All others are charged at this server alone. */
const maxRows = 300;
/** Meters that are noted for a merge; all but those that would be in it make way for further ones. */
const maxNoted = 4096;

interface Use {
  readonly meter: Meter;
  readonly budget: Budget;
  readonly isPool: boolean;
  amount: number;
}

/** Returns the uses that a merge has room for. */
const heaviestOf = (uses: ReadonlyMap<string, Use>): Map<string, Use> =>
  new Map(
    [...uses]
      .sort(([, a], [, b]) => Number(b.isPool) - Number(a.isPool) || b.amount - a.amount)
      .slice(0, maxRows),
  );

/**
 * Creates the merging of a server. A merge that fails is not sent again, since the store may have carried it
 * out: what it had is part of the floor of the next merge of that meter. So nothing is ever charged twice;
 * of what several servers charged while the store failed, the largest counts instead of the sum.
 */
export function createMerging(exchange: Exchange, { now, log, keepAlive }: MergingHost): Merging {
  let uses = new Map<string, Use>();
  let servers = 1;
  let failures = 0;
  let isClosed = false;
  /** When the merge began that is waiting or under way; undefined if there is none. */
  let began: number | undefined;
  let timer: ReturnType<typeof setTimeout> | undefined;

  const merge = async () => {
    const sent = heaviestOf(uses);
    uses = new Map();
    const at = now();
    const rows = [...sent].map(([name, { meter, budget, amount }]) => ({
      name,
      perMs: budget.perMs,
      floor: Math.max(0, levelOf(meter, budget, at) - amount),
      amount,
    }));
    try {
      const merged = await exchange.merge(rows);
      servers = merged.servers;
      rows.forEach(({ name }, index) => {
        const use = sent.get(name) as Use;
        const level = (merged.levels[index] ?? 0) + (uses.get(name)?.amount ?? 0);
        raise(use, { level, at }, now());
      });
      if (failures > 0) log.info("what visitors use is shared with other servers again");
      failures = 0;
    } catch (error) {
      if (failures === 0)
        log.warn("what visitors use cannot be shared with other servers at the moment", {
          error: messageOf(error),
        });
      failures++;
      servers = 1;
    }
  };

  const begin = () => {
    const time = now();
    if (isClosed || (began !== undefined && Math.abs(time - began) < lostMs)) return;
    began = time;
    const pauseMs = Math.min(maxPauseMs, mergeMs * 2 ** failures);
    const paused = new Promise<void>((resolve) => {
      timer = setTimeout(resolve, pauseMs);
      (timer as { unref?(): void }).unref?.();
    });
    const ended = paused.then(merge).then(() => {
      if (began !== time) return;
      began = undefined;
      if (uses.size > 0) begin();
    });
    keepAlive?.(ended);
  };

  return {
    note(name, meter, budget, amount, isPool = false) {
      const use = uses.get(name);
      if (!use && uses.size >= maxNoted) uses = heaviestOf(uses);
      if (use) use.amount += amount;
      else uses.set(name, { meter, budget, isPool, amount });
      begin();
    },
    servers: () => servers,
    close() {
      isClosed = true;
      clearTimeout(timer);
    },
  };
}

/** Raises a meter to what another one of the same budget holds at a time; never lowers it. */
function raise({ meter, budget }: Use, other: Meter, now: number): void {
  const level = levelOf(other, budget, now);
  if (level <= levelOf(meter, budget, now)) return;
  meter.level = level;
  meter.at = Math.max(meter.at, now);
}
