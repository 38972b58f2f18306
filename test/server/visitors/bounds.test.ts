// What visitors get at most, whatever they and all others do.

import { readFileSync } from "node:fs";
import { afterEach, beforeEach, describe, expect, test, vi } from "vitest";
import { classRows, networkBudget, poolBudget } from "../../../src/server/visitors/classes.ts";
import { crawlerOptions } from "../../../src/server/visitors/options.ts";
import { createPool } from "../../../src/server/visitors/pools.ts";
import { type Arrival, createVisitors, type VisitorLimits } from "../../../src/server/visitors/visitors.ts";
import fc from "../../properties.ts";

// Waits of requests are timers; time itself is a number that each property moves.
beforeEach(() => vi.useFakeTimers({ now: 0 }));
afterEach(() => vi.useRealTimers());

const numRuns = 500;
const limits: VisitorLimits = {
  mode: "limit",
  permits: 2,
  pools: { viewers: 40, listed: 30, strangers: 10, newcomers: 5, programs: 2.5 },
};
/** Milliseconds that a request waits at most. */
const maxWait = 10_000;

const facts = {
  newcomer: {},
  viewer: { hasPass: true },
  listed: { isListed: true },
  program: { agent: "program" },
  crawler: { agent: "crawler" },
  known: { isKnown: true },
} as const satisfies Record<string, Partial<Arrival>>;

/** A request, `after` milliseconds after the one before; clocks go back now and then. */
interface Request {
  readonly after: number;
  readonly network: number;
  readonly who: keyof typeof facts;
  readonly shape: "tile" | "big";
  readonly megapixels: number;
  readonly workMs: number;
}

const request = (
  who: readonly (keyof typeof facts)[],
  shapes: readonly Request["shape"][] = ["tile", "big"],
  longest = 600_000,
) =>
  fc.record({
    after: fc.oneof(
      { weight: 8, arbitrary: fc.nat(longest) },
      { weight: 1, arbitrary: fc.integer({ min: -3_600_000, max: 0 }) },
    ),
    network: fc.nat(3),
    who: fc.constantFrom(...who),
    shape: fc.constantFrom(...shapes),
    megapixels: fc.integer({ min: 1, max: 24 }),
    workMs: fc.nat(1000),
  });
const many = (each: fc.Arbitrary<Request>) => fc.array(each, { minLength: 5, maxLength: 80 });

/** Visitors with a clock that is set. */
function clocked(changed: Partial<VisitorLimits> = {}) {
  const clock = { now: 0 };
  const visitors = createVisitors({ ...limits, ...changed }, () => clock.now);
  /** Sends a request. Returns what was charged for it, in megapixels, and to which class. */
  const send = ({ after, network, who, shape, megapixels, workMs }: Request) => {
    clock.now += after;
    const before = structuredClone(visitors.counts());
    const visitor = visitors.meet({
      client: `203.0.${network}.1`,
      agent: "browser",
      isKnown: false,
      hasPass: false,
      isListed: false,
      ...facts[who],
    });
    const tile = { x: 0, y: 0, width: 512, height: 512, scale: 1 };
    visitor.ask("a", shape, shape === "tile" ? tile : undefined);
    let isRefused = false;
    const counts = visitors.counts();
    const refused = () => Object.values(counts).reduce((sum, each) => sum + each.refused, 0);
    const refusedBefore = refused();
    const entered = visitor.enter(megapixels);
    entered.catch(() => {});
    isRefused = refused() > refusedBefore;
    // Work that is cheaper than its pixels changes nothing.
    if (!isRefused || changed.mode === "observe") visitor.chargeWork(workMs);
    const names = Object.keys(counts) as (keyof typeof counts)[];
    const name = names.find((each) => counts[each].requests > before[each].requests) as keyof typeof counts;
    return {
      name,
      entered,
      isRefused,
      charged: counts[name].megapixels - before[name].megapixels,
      waited: counts[name].waited - before[name].waited,
    };
  };
  return { clock, visitors, send };
}

/** A charge; `at`: milliseconds by which the clock has gone on, without those by which it went back. */
interface Charge {
  readonly at: number;
  readonly amount: number;
}

/** Expects of every window of time that no more was charged than `burst`, the rate, and one request. */
function expectBounded(charges: readonly Charge[], burst: number, perMs: number, one: number) {
  for (const [first, { at: begin }] of charges.entries()) {
    let sum = 0;
    for (const { at, amount } of charges.slice(first)) {
      sum += amount;
      expect(sum).toBeLessThanOrEqual(burst + perMs * (at - begin) + one + 1e-6);
    }
  }
}

/** Sends requests, and returns the charges by class and network. */
function charged(requests: readonly Request[]) {
  const { send } = clocked();
  const charges = new Map<string, Charge[]>();
  let at = 0;
  for (const each of requests) {
    const { name, charged: amount } = send(each);
    at += Math.max(0, each.after);
    const key = `${classRows[name].pool} ${each.network}`;
    charges.set(key, [...(charges.get(key) ?? []), { at, amount }]);
  }
  return charges;
}

/** The largest cost of one request of {@link request}: 1,000 ms of work are 50 megapixels. */
const one = 50;

describe("a network", () => {
  const rows = [classRows.viewer, classRows.listed, classRows.program];

  test("gets at most its burst, its rate and one request, if it asks for large images (property)", () => {
    fc.assert(
      fc.property(many(request(["viewer", "program", "crawler", "listed"], ["big"])), (requests) => {
        const charges = charged(requests);
        for (const { pool, network } of rows)
          for (let n = 0; n < 4; n++) {
            const { burst, perMs } = networkBudget(network as NonNullable<typeof network>);
            expectBounded(charges.get(`${pool} ${n}`) ?? [], burst + perMs * maxWait, perMs, one);
          }
      }),
      { numRuns },
    );
  });

  test("gets at most ten bursts, its rate and one request, whatever it asks for and claims (property)", () => {
    fc.assert(
      fc.property(many(request(["viewer", "program", "crawler", "listed", "newcomer"])), (requests) => {
        // All from one network, so that it gets there.
        const charges = charged(requests.map((each) => ({ ...each, network: 0 })));
        for (const { pool, network } of rows) {
          const { burst, perMs } = networkBudget(network as NonNullable<typeof network>);
          expectBounded(charges.get(`${pool} 0`) ?? [], 10 * burst, perMs, one);
        }
      }),
      { numRuns },
    );
  });

  test("gets exactly as many tiles as ten bursts have", () => {
    const { send } = clocked();
    const tile = { after: 0, network: 0, who: "program", shape: "tile", workMs: 0 } as const;
    // Ten bursts are 300 megapixels; what goes beyond them is the last.
    for (let n = 0; n < 31; n++) expect(send({ ...tile, megapixels: 10 }).isRefused).toBe(false);
    expect(send({ ...tile, megapixels: 1 }).isRefused).toBe(true);
    expect(send({ ...tile, who: "viewer", megapixels: 1 }).isRefused).toBe(false);
  });

  test("that claims a listed site does not recover faster as a program", () => {
    const { send } = clocked();
    const program = { after: 0, network: 0, who: "program", shape: "big", workMs: 0 } as const;
    send({ ...program, megapixels: 31 });
    for (let n = 0; n < 60; n++)
      send({ after: 10_000, network: 0, who: "listed", shape: "tile", megapixels: 0.01, workMs: 0 });
    // 30 megapixels an hour are 5 in ten minutes.
    expect(send({ ...program, megapixels: 20 }).isRefused).toBe(false);
    expect(send({ ...program, megapixels: 1 }).isRefused).toBe(true);
  });
});

describe("a pool", () => {
  test("of a swarm gives at most its burst, its rate and one request for large images (property)", () => {
    fc.assert(
      fc.property(many(request(["newcomer"], ["big"], 4000)), (requests) => {
        const { send } = clocked();
        const { burst, perMs } = poolBudget(limits.pools.newcomers, limits.permits);
        let at = 0;
        const charges = requests.map((each) => {
          // Each from a network of its own, so that none is taken for a program.
          const { charged: amount } = send({ ...each, network: requests.indexOf(each) });
          at += Math.max(0, each.after);
          return { at, amount };
        });
        expectBounded(charges, burst + perMs * maxWait, perMs, one);
      }),
      { numRuns },
    );
  });

  /**
   * What a pool gives to networks that never wait, in `ms` milliseconds in which each asks for 0.25
   * megapixels every 100 ms.
   */
  const given = (networks: number, ms: number) => {
    const budget = { perMs: 0.01, burst: 600 };
    const pool = createPool(0);
    let sum = 0;
    for (let now = 0; now < ms; now += 100)
      for (let n = 0; n < networks; n++) {
        if (pool.waitOf(`${n}`, budget, 0.25, now) > 0) continue;
        pool.charge(`${n}`, budget, 0.25, now);
        sum += 0.25;
      }
    return sum;
  };

  test.each([10, 100, 400])("gives %d networks that never wait no more than what it has", (networks) => {
    const ms = 600_000;
    // Its burst and its rate, and half of the burst by the parts of the first networks (harmonic sum).
    expect(given(networks, ms)).toBeLessThanOrEqual(600 + 0.01 * ms + 300 * (1 + Math.log(networks)));
  });

  test("gives networks that send one request each no more than what it has", () => {
    const budget = { perMs: 0.01, burst: 600 };
    const pool = createPool(0);
    let sum = 0;
    for (let n = 0; n < 20_000; n++) {
      if (pool.waitOf(`${n}`, budget, 1, 0) > 0) continue;
      pool.charge(`${n}`, budget, 1, 0);
      sum++;
    }
    expect(sum).toBeLessThanOrEqual(600 + 1 + 300 * (1 + Math.log(4096)));
  });

  test("gives bounded parts, no matter who comes, goes and returns (property)", () => {
    const budget = { perMs: 0.01, burst: 600 };
    const uses = fc.array(
      fc.record({
        after: fc.oneof(
          { weight: 9, arbitrary: fc.nat(60_000) },
          { weight: 1, arbitrary: fc.integer({ min: -300_000, max: 0 }) },
        ),
        network: fc.nat(7),
        amount: fc.integer({ min: 1, max: 200 }),
      }),
      { minLength: 5, maxLength: 100 },
    );
    fc.assert(
      fc.property(uses, (all) => {
        const pool = createPool(0);
        let now = 0;
        let forward = 0;
        let sum = 0;
        for (const { after, network, amount } of all) {
          now += after;
          forward += Math.max(0, after);
          if (pool.waitOf(`${network}`, budget, amount, now) > 0) continue;
          pool.charge(`${network}`, budget, amount, now);
          sum += amount;
          // Parts begin again after two minutes without a use; together they drain at the rate of the pool.
          const parts = (1 + forward / 120_000) * 300 * (1 + Math.log(8)) + budget.perMs * forward;
          expect(sum).toBeLessThanOrEqual(budget.burst + budget.perMs * forward + 200 + parts);
        }
      }),
      { numRuns },
    );
  });
});

test("the documentation says what a number of networks gets, by the default budgets", () => {
  const page = readFileSync("docs/operations/crawlers.md", "utf8");
  const { viewers, listed, strangers, newcomers } = crawlerOptions.parse({});
  const percents = { viewers, listed, strangers, newcomers, programs: newcomers / 2 };
  const hour = 3_600_000;
  const figure = (megapixels: number) => Math.round(megapixels).toLocaleString("en");
  const inAnHour = (pool: keyof typeof percents) => {
    const { burst, perMs } = poolBudget(percents[pool], 8);
    return burst + perMs * hour;
  };
  const rows = { "own viewer": "viewer", listed: "listed", reader: "reader", "crawler, program": "program" };
  for (const [title, name] of Object.entries(rows)) {
    const { pool, network } = classRows[name as "reader"];
    const { burst, perHour } = network as NonNullable<typeof network>;
    const cells = [1, 10, 100, 1000].map((count) =>
      figure(Math.min(count * (burst + perHour), inAnHour(pool as NonNullable<typeof pool>))),
    );
    expect(page).toContain(`| ${[title, ...cells].join(" | ")} |`);
  }
  const tiles = Object.values(rows).map((name) => {
    const { network } = classRows[name as "reader"];
    const { burst, perHour } = network as NonNullable<typeof network>;
    return figure(10 * burst + perHour);
  });
  expect(page).toContain(`up to ${tiles.slice(0, 3).join(", ")} and ${tiles[3]} megapixels`);
  expect(page).toContain(`Newcomers get ${figure(inAnHour("newcomers"))} together`);
});

test("observe changes nothing, and counts what limit would do (property)", async () => {
  await fc.assert(
    fc.asyncProperty(
      many(request(["newcomer", "viewer", "listed", "program", "crawler", "known"])),
      async (requests) => {
        const [observed, limited] = [clocked({ mode: "observe" }), clocked()];
        for (const each of requests) {
          const { entered } = observed.send(each);
          limited.send(each);
          // Without a timer, and without an error.
          await expect(entered).resolves.toBeUndefined();
        }
        for (const [name, { waited, refused, requests: sent }] of Object.entries(observed.visitors.counts()))
          expect({ name, waited, refused, sent }).toEqual({
            name,
            waited: limited.visitors.counts()[name as "known"].waited,
            refused: limited.visitors.counts()[name as "known"].refused,
            sent: limited.visitors.counts()[name as "known"].requests,
          });
        vi.clearAllTimers();
      },
    ),
    { numRuns: 100 },
  );
});

test("what others do without a pass neither slows nor refuses a viewer, and nothing does one who is known (property)", () => {
  fc.assert(
    fc.property(
      many(request(["viewer", "known"])),
      many(request(["newcomer", "listed", "program", "crawler"], ["tile", "big"], 0)),
      (own, others) => {
        const [alone, beside] = [clocked(), clocked()];
        own.forEach((each, n) => {
          for (const other of others.slice(n * 3, n * 3 + 3))
            beside.send({
              ...other,
              after: 0,
              network: other.network + 10,
              megapixels: other.megapixels * 50,
            });
          const [{ waited, isRefused }, got] = [alone.send(each), beside.send(each)];
          expect([got.waited, got.isRefused]).toEqual([waited, isRefused]);
          if (each.who === "known") expect([waited, isRefused]).toEqual([0, false]);
        });
      },
    ),
    { numRuns },
  );
});
