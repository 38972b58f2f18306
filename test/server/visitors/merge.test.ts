// The merging of what visitors use at several servers: its arithmetic, its pauses and its bounds.

import { afterEach, beforeEach, describe, expect, test, vi } from "vitest";
import { type Budget, charge, emptyMeter, levelOf, type Meter } from "../../../src/base/index.ts";
import {
  createMerging,
  type Exchange,
  type Ledger,
  type MergeRow,
} from "../../../src/server/visitors/merge.ts";
import { createVisitors, type VisitorLimits } from "../../../src/server/visitors/visitors.ts";
import fc from "../../properties.ts";

beforeEach(() => vi.useFakeTimers({ now: 0 }));
afterEach(() => vi.useRealTimers());

/** How a merge ends: as it should, without having been carried out, or carried out without a reply. */
type Fate = "done" | "lost" | "unknown";

interface ModelStore extends Exchange {
  fate: Fate;
  readonly merges: (readonly MergeRow[])[];
}

/** The store as a model: one meter for each name, in a table. */
function createStore(): ModelStore {
  const meters = new Map<string, Meter>();
  const store: ModelStore = {
    fate: "done",
    merges: [],
    async merge(rows) {
      store.merges.push(rows);
      if (store.fate === "lost") throw new Error("lost");
      const levels = rows.map(({ name, perMs, floor, amount }) => {
        const meter = meters.get(name) ?? emptyMeter(Date.now());
        const level = Math.max(levelOf(meter, { perMs, burst: 0 }, Date.now()), floor) + amount;
        meters.set(name, { level, at: Date.now() });
        return level;
      });
      if (store.fate === "unknown") throw new Error("no reply");
      return { levels, servers: 2 };
    },
  };
  return store;
}

const silent = { info() {}, warn() {} };
const start = (store: Exchange) => createMerging(store, { now: Date.now, log: silent });

/** Drains so slowly that an hour takes next to nothing. */
const slow: Budget = { perMs: 1e-9, burst: 30 };
const hour = 3_600_000;

/** Servers with one meter each, and the meter that one server would have. */
function cluster(store: Exchange, count: number, budget: Budget) {
  const all = emptyMeter(0);
  const servers = Array.from({ length: count }, () => ({
    merging: start(store),
    meter: emptyMeter(0),
    own: emptyMeter(0),
  }));
  const use = (index: number, amount: number) => {
    const { merging, meter, own } = servers[index % count] as (typeof servers)[number];
    for (const each of [all, own, meter]) charge(each, budget, amount, Date.now());
    merging.note("a", meter, budget, amount);
  };
  /** Has all servers merge, the first ones again when the last ones have. */
  const settle = async () => {
    for (let round = 0; round < 2; round++) {
      servers.forEach((_, index) => void use(index, 0));
      await vi.advanceTimersByTimeAsync(200_000);
    }
  };
  return { servers, all, use, settle };
}

const step = fc.record({
  server: fc.nat(4),
  amount: fc.double({ min: 0, max: 20, noNaN: true }),
  ms: fc.nat(5000),
});

describe("servers that share a meter", () => {
  test("come to the level that one server would have, later by the pauses at most", async () => {
    const budget = { perMs: 1e-4, burst: 30 };
    await fc.assert(
      fc.asyncProperty(
        fc.integer({ min: 1, max: 4 }),
        fc.array(step, { maxLength: 30 }),
        async (count, steps) => {
          vi.setSystemTime(0);
          const { servers, all, use } = cluster(createStore(), count, budget);
          for (const { server, amount, ms } of steps) {
            use(server, amount);
            await vi.advanceTimersByTimeAsync(ms);
          }
          await vi.advanceTimersByTimeAsync(2000);
          const late = 2000 * budget.perMs;
          for (const index of servers.keys()) use(index, 0);
          await vi.advanceTimersByTimeAsync(1000);
          for (const { meter, merging } of servers) {
            const [shared, expected] = [meter, all].map((each) => levelOf(each, budget, Date.now())) as [
              number,
              number,
            ];
            expect(shared).toBeGreaterThanOrEqual(expected - 1e-9);
            expect(shared).toBeLessThanOrEqual(expected + late + 1e-9);
            merging.close();
          }
        },
      ),
      { numRuns: 50 },
    );
  });

  test("never charge twice, and forget nothing of their own, whatever becomes of merges", async () => {
    const fate = fc.constantFrom<Fate>("done", "lost", "unknown");
    await fc.assert(
      fc.asyncProperty(
        fc.integer({ min: 1, max: 4 }),
        fc.array(fc.record({ step, fate }), { maxLength: 30 }),
        async (count, steps) => {
          vi.setSystemTime(0);
          const store = createStore();
          const { servers, all, use, settle } = cluster(store, count, slow);
          for (const { step, fate } of steps) {
            store.fate = fate;
            use(step.server, step.amount);
            await vi.advanceTimersByTimeAsync(step.ms);
          }
          store.fate = "done";
          await settle();
          for (const { meter, own, merging } of servers) {
            expect(meter.level).toBeLessThanOrEqual(all.level + 0.01);
            expect(meter.level).toBeGreaterThanOrEqual(own.level - 0.01);
            merging.close();
          }
        },
      ),
      { numRuns: 50 },
    );
  });

  test("count what a lost merge had as soon as the meter is used again", async () => {
    const store = createStore();
    const { servers, use, settle } = cluster(store, 2, slow);
    store.fate = "lost";
    use(0, 20);
    await vi.advanceTimersByTimeAsync(1000);
    store.fate = "done";
    await settle();
    expect(servers.map(({ meter }) => Math.round(meter.level))).toEqual([20, 20]);
  });
});

describe("a server", () => {
  const used = (merging: ReturnType<typeof start>, name = "a", meter = emptyMeter(0)) => {
    charge(meter, slow, 1, Date.now());
    merging.note(name, meter, slow, 1);
    return meter;
  };

  test("merges a second after the first use, what was used until then together, and nothing without a use", async () => {
    const store = createStore();
    const merging = start(store);
    await vi.advanceTimersByTimeAsync(hour);
    const meter = used(merging);
    await vi.advanceTimersByTimeAsync(500);
    used(merging, "a", meter);
    await vi.advanceTimersByTimeAsync(499);
    expect(store.merges).toEqual([]);
    await vi.advanceTimersByTimeAsync(hour);
    expect(store.merges).toEqual([[{ name: "a", perMs: slow.perMs, floor: 0, amount: 2 }]]);
  });

  test("tries a store that fails again after longer and longer pauses, a minute at most, and says so once", async () => {
    const store = createStore();
    const lines: string[] = [];
    const log = { info: (text: string) => lines.push(text), warn: (text: string) => lines.push(text) };
    const merging = createMerging(store, { now: Date.now, log });
    store.fate = "lost";
    const times: number[] = [];
    const meter = used(merging);
    for (let second = 0; second < 400; second++) {
      used(merging, "a", meter);
      await vi.advanceTimersByTimeAsync(1000);
      if (store.merges.length > times.length) times.push(Date.now() / 1000);
    }
    expect(times).toEqual([1, 3, 7, 15, 31, 63, 123, 183, 243, 303, 363]);
    expect(merging.servers()).toBe(1);
    store.fate = "done";
    await vi.advanceTimersByTimeAsync(60_000);
    expect(merging.servers()).toBe(2);
    expect(lines).toEqual([
      "what visitors use cannot be shared with other servers at the moment",
      "what visitors use is shared with other servers again",
    ]);
  });

  test("sends at most 300 meters at a time", async () => {
    const store = createStore();
    const merging = start(store);
    for (let n = 0; n < 1000; n++) used(merging, `network ${n}`);
    await vi.advanceTimersByTimeAsync(1000);
    expect(store.merges.map(({ length }) => length)).toEqual([300]);
  });

  test.each([400, 9000])("sends pools and the heaviest of %i networks", async (count) => {
    const store = createStore();
    const merging = start(store);
    const use = (name: string, amount: number, isPool?: boolean) => {
      const meter = emptyMeter(0);
      charge(meter, slow, amount, Date.now());
      merging.note(name, meter, slow, amount, isPool);
    };
    use("first", 3);
    for (let n = 0; n < count; n++) {
      use(`light ${n}`, 2);
      // A pool that was used little, after there are too many already.
      if (n === count / 2) use("pool", 1, true);
    }
    use("last", 3);
    await vi.advanceTimersByTimeAsync(1000);
    const names = store.merges.flat().map(({ name }) => name);
    expect(names).toHaveLength(300);
    expect(names.slice(0, 3)).toEqual(["pool", "first", "last"]);
  });

  test("begins again if a merge was given up with its request", async () => {
    const store = createStore();
    const merging = start(store);
    const meter = used(merging);
    // A runtime that ends timers with their request.
    vi.clearAllTimers();
    await vi.advanceTimersByTimeAsync(119_000);
    used(merging, "a", meter);
    await vi.advanceTimersByTimeAsync(1000);
    expect(store.merges).toEqual([]);
    used(merging, "a", meter);
    await vi.advanceTimersByTimeAsync(1000);
    expect(store.merges.map(([row]) => row?.amount)).toEqual([3]);
  });

  test("merges nothing after it is closed", async () => {
    const store = createStore();
    const merging = start(store);
    used(merging);
    merging.close();
    used(merging);
    await vi.advanceTimersByTimeAsync(hour);
    expect(store.merges).toEqual([]);
  });
});

describe("a swarm that comes to two servers", () => {
  const limits: VisitorLimits = {
    mode: "limit",
    permits: 2,
    pools: { viewers: 40, listed: 30, strangers: 10, newcomers: 5, programs: 2.5 },
  };

  /** Megapixels that a swarm gets in ten minutes; it asks servers in turn, each time as another network. */
  async function rendered(count: number, isShared: boolean): Promise<number> {
    vi.setSystemTime(0);
    const store = createStore();
    const mergings = Array.from({ length: count }, () => start(store));
    const servers = mergings.map((merging) =>
      createVisitors(limits, Date.now, isShared ? merging : undefined),
    );
    let total = 0;
    for (let n = 0; n < 6000; n++) {
      const visitor = servers[n % count]?.meet({
        client: `10.${n >> 8}.${n & 255}.1`,
        agent: "browser",
        isKnown: false,
        hasPass: false,
        isListed: false,
      });
      visitor?.ask("a", "big");
      if (!visitor?.isLimited(10)) {
        void visitor?.enter(10);
        total += 10;
      }
      await vi.advanceTimersByTimeAsync(100);
    }
    for (const merging of mergings) merging.close();
    return total;
  }

  test("gets what it would get from one, but for what it uses in a second", async () => {
    const one = await rendered(1, false);
    // The rate of the pool is 5 megapixels a second, its burst that of a minute.
    expect(one).toBeGreaterThan(3000);
    expect(await rendered(2, false)).toBeGreaterThan(1.9 * one);
    expect(Math.abs((await rendered(2, true)) - one)).toBeLessThanOrEqual(100);
  });
});

test("a network has a meter for each pool, and pools have their own", () => {
  const names: string[] = [];
  const ledger: Ledger = {
    note(name, _meter, _budget, _amount, isPool = false) {
      expect(isPool).toBe(name.startsWith("pool "));
      names.push(name);
    },
    servers: () => 1,
  };
  const limits: VisitorLimits = {
    mode: "observe",
    permits: 2,
    pools: { viewers: 40, listed: 30, strangers: 10, newcomers: 5, programs: 2.5 },
  };
  const visitors = createVisitors(limits, Date.now, ledger);
  for (const [agent, hasPass] of [
    ["program", false],
    ["browser", true],
  ] as const) {
    const arrival = { client: "192.0.2.1", agent, isKnown: false, hasPass, isListed: false };
    const visitor = visitors.meet(arrival);
    visitor.ask("a", "big");
    visitor.chargeWork(20);
    expect(names.filter((name) => !name.startsWith("pool "))).toEqual([]);
    visitor.chargeWork(20 * 40);
    names.sort();
    const pools = hasPass ? ["viewers"] : ["newcomers", "programs", "strangers"];
    expect([...new Set(names)]).toEqual(
      // 192.0.2.0/24
      [...pools.map((pool) => `pool ${pool}`), `${hasPass ? "viewers" : "programs"} 4 ${0xc00002}`],
    );
    names.length = 0;
  }
});
