// What visitors may use, and what happens when they have used it.

import { afterEach, beforeEach, describe, expect, test, vi } from "vitest";
import { type Arrival, createVisitors, type VisitorLimits } from "../../../src/server/visitors/visitors.ts";
import fc from "../../properties.ts";

beforeEach(() => vi.useFakeTimers({ now: 0 }));
afterEach(() => vi.useRealTimers());

const hour = 3_600_000;
const limits: VisitorLimits = {
  mode: "limit",
  permits: 2,
  pools: { viewers: 40, listed: 30, strangers: 10, newcomers: 5, programs: 2.5 },
};

const browser = "browser" as const;
const arrival = (facts: Partial<Arrival> = {}): Arrival => ({
  client: "192.0.2.1",
  agent: browser,
  isKnown: false,
  hasPass: false,
  isListed: false,
  ...facts,
});

function started(changed: Partial<VisitorLimits> = {}) {
  const visitors = createVisitors({ ...limits, ...changed }, Date.now);
  /** Asks for an image as an arrival; resolves to what happened and the milliseconds that it waited. */
  const ask = async (
    facts: Partial<Arrival>,
    shape: "tile" | "big",
    megapixels: number,
  ): Promise<{ outcome: string; waited: number }> => {
    const visitor = visitors.meet(arrival(facts));
    visitor.ask("a", shape, shape === "tile" ? { x: 0, y: 0, width: 512, height: 512, scale: 1 } : undefined);
    const began = Date.now();
    const entered = visitor.enter(megapixels).then(
      () => "served",
      ({ kind, code }) => `${kind} ${code}`,
    );
    let outcome: string | undefined;
    void entered.then((text) => {
      outcome = text;
    });
    await vi.advanceTimersByTimeAsync(0);
    while (outcome === undefined) await vi.advanceTimersByTimeAsync(100);
    return { outcome, waited: Date.now() - began };
  };
  return { visitors, ask };
}

describe("a program", () => {
  const program = { agent: "program" as const };

  test("may use its burst at once, then waits for each large image, then is refused with the seconds to wait", async () => {
    const { ask } = started();
    expect(await ask(program, "big", 30)).toEqual({ outcome: "served", waited: 0 });
    // 30 megapixels an hour are 0.083 in ten seconds.
    expect(await ask(program, "big", 0.05)).toEqual({ outcome: "served", waited: 0 });
    expect((await ask(program, "big", 24)).waited).toBeGreaterThan(5000);
    expect(await ask(program, "big", 24)).toEqual({ outcome: "limited visitor_budget", waited: 0 });
    await vi.advanceTimersByTimeAsync(hour);
    expect((await ask(program, "big", 24)).outcome).toBe("served");
  });

  test("waits ten seconds for a tile, and is refused one only far beyond its budget", async () => {
    const { ask } = started();
    await ask(program, "big", 100);
    expect(await ask(program, "tile", 0.25)).toEqual({ outcome: "served", waited: 10_000 });
    const { visitors } = started();
    const other = visitors.meet(arrival(program));
    other.ask("a", "big");
    await other.enter(1);
    other.chargeWork(400 * 20);
    const tile = visitors.meet(arrival(program));
    tile.ask("a", "tile", { x: 0, y: 0, width: 512, height: 512, scale: 1 });
    await expect(tile.enter(0.25)).rejects.toMatchObject({ kind: "limited", code: "visitor_budget" });
  });
});

test("a swarm with one request from each network shares one bucket, and waits", async () => {
  const { ask } = started();
  const outcomes: number[] = [];
  // 5 % of two permits are 5 megapixels a second, and a minute of it at once.
  for (let n = 0; n < 40; n++) outcomes.push((await ask({ client: `198.51.${n}.1` }, "big", 24)).waited);
  expect(outcomes.slice(0, 12)).toEqual(Array(12).fill(0));
  expect(Math.min(...outcomes.slice(14))).toBeGreaterThan(4000);
});

test("the addresses of a /24 and of a /48 share a budget", async () => {
  const v4 = started();
  const program = { agent: "program" as const };
  await v4.ask({ ...program, client: "203.0.113.7" }, "big", 60);
  expect((await v4.ask({ ...program, client: "203.0.113.99" }, "big", 1)).outcome).toMatch(/^limited/);
  expect((await v4.ask({ ...program, client: "203.0.114.99" }, "big", 1)).outcome).toBe("served");

  const v6 = started();
  // Each /64 has 30 megapixels at once, a /48 four times that.
  for (let n = 0; n < 4; n++) await v6.ask({ ...program, client: `2001:db8:1:${n}::1` }, "big", 31);
  expect((await v6.ask({ ...program, client: "2001:db8:1:ffff::1" }, "big", 1)).outcome).toMatch(/^limited/);
  expect((await v6.ask({ ...program, client: "2001:db8:2:ffff::1" }, "big", 1)).outcome).toBe("served");
});

/** Tiles that a viewer asks for when it opens an image: of two levels, in order. */
const opening = [8, 4].flatMap((scale) =>
  [0, 1].map((n) => ({ x: n * 512 * scale, y: 0, width: 512 * scale, height: 512 * scale, scale })),
);

describe("a crawler that comes from many networks", () => {
  /** Has `count` networks, of IPv4 and IPv6, ask for a tile each. */
  const rotate = (
    visitors: ReturnType<typeof createVisitors>,
    count: number,
    facts: Partial<Arrival> = {},
  ) => {
    for (let n = 0; n < count; n++) {
      const [a, b] = [n >> 8, n & 255];
      const client = n % 2 === 0 ? `10.${a}.${b}.1` : `2001:db8:${n.toString(16)}:1::1`;
      visitors.meet(arrival({ client, ...facts })).ask("a", "tile", opening[0]);
    }
  };

  test("makes the service forget neither a reader nor a budget that is used up, of a /48 either", async () => {
    const { visitors, ask } = started();
    const program = { agent: "program" as const };
    await ask({ ...program, client: "203.0.113.7" }, "big", 60);
    for (let n = 0; n < 4; n++) await ask({ ...program, client: `2001:db8:1:${n}::1` }, "big", 31);
    for (const tile of opening) visitors.meet(arrival()).ask("a", "tile", tile);
    expect(visitors.counts().reader.requests).toBe(1);
    rotate(visitors, 60_000);
    rotate(visitors, 60_000, program);
    visitors.meet(arrival()).ask("b", "tile", opening[0]);
    expect(visitors.counts().reader.requests).toBe(2);
    expect((await ask({ ...program, client: "203.0.113.7" }, "big", 1)).outcome).toMatch(/^limited/);
    expect((await ask({ ...program, client: "2001:db8:1:ffff::1" }, "big", 1)).outcome).toMatch(/^limited/);
  });

  test("earns what readers have for 240 networks of a /48 in an hour, and not for all of them", () => {
    const { visitors } = started();
    for (let n = 0; n < 500; n++)
      for (const tile of opening)
        visitors.meet(arrival({ client: `2001:db8:1:${n.toString(16)}::1` })).ask("a", "tile", tile);
    expect(visitors.counts().reader.requests).toBe(240);
  });

  test("leaves our own viewers what they have if it claims to come from a listed site", async () => {
    const { visitors, ask } = started();
    for (let n = 0; n < 200; n++) {
      const visitor = visitors.meet(arrival({ client: `198.51.${n}.1`, isListed: true }));
      visitor.ask("a", "tile", opening[0]);
      void visitor.enter(200);
    }
    await vi.advanceTimersByTimeAsync(0);
    expect(await ask({ hasPass: true }, "tile", 0.25)).toEqual({ outcome: "served", waited: 0 });
    expect(await ask({ hasPass: true }, "big", 24)).toEqual({ outcome: "served", waited: 0 });
  });

  test("leaves light readers of a listed site what they have, and waits itself", async () => {
    const { visitors, ask } = started();
    const listed = (n: number) => ({ client: `198.51.${n}.1`, isListed: true });
    for (let n = 0; n < 200; n++) {
      const visitor = visitors.meet(arrival(listed(n)));
      visitor.ask("a", "tile", opening[0]);
      void visitor.enter(200);
    }
    await vi.advanceTimersByTimeAsync(0);
    // Half of 30 % of two permits in a minute, 900 megapixels, divided by 201 networks.
    for (let n = 0; n < 16; n++)
      expect(await ask({ isListed: true }, "tile", 0.25)).toEqual({ outcome: "served", waited: 0 });
    expect((await ask(listed(7), "tile", 0.25)).waited).toBe(10_000);
  });

  test("from a /48 takes one part of a pool, however many of its networks it uses", async () => {
    const { visitors, ask } = started();
    for (let n = 0; n < 1000; n++) {
      const client = `2001:db8:1:${n.toString(16)}::1`;
      const visitor = visitors.meet(arrival({ client, isListed: true }));
      visitor.ask("a", "tile", opening[0]);
      void visitor.enter(4).catch(() => {});
    }
    await vi.advanceTimersByTimeAsync(0);
    // Half of 1,800 megapixels, divided by two, is more than the 300 that one network may use at once.
    for (let n = 0; n < 28; n++)
      expect(await ask({ isListed: true }, "tile", 10)).toEqual({ outcome: "served", waited: 0 });
  });

  test("gets no large image past an empty pool by asking for one from each network", async () => {
    // 10 % of two permits are 600 megapixels in a minute.
    const outcomes: string[] = [];
    const { visitors } = started();
    for (let n = 0; n < 60; n++) {
      const client = `198.51.${n}.1`;
      for (const tile of opening) visitors.meet(arrival({ client })).ask("a", "tile", tile);
      const visitor = visitors.meet(arrival({ client }));
      visitor.ask("a", "big");
      outcomes.push(
        await Promise.race([
          visitor.enter(24).then(
            () => "served",
            ({ code }) => code,
          ),
          vi.advanceTimersByTimeAsync(0).then(() => "waits"),
        ]),
      );
    }
    expect(outcomes.filter((outcome) => outcome === "served").length).toBeLessThanOrEqual(600 / 24 + 2);
  });
});

test("who is known is charged to nothing and never waits", async () => {
  const { ask } = started();
  for (let n = 0; n < 50; n++)
    expect(await ask({ isKnown: true }, "big", 100)).toEqual({ outcome: "served", waited: 0 });
});

test("a tile of a newcomer is never refused, however much others of its kind have used", async () => {
  const { ask } = started();
  for (let n = 0; n < 100; n++) void ask({ client: `198.51.${n}.1` }, "big", 500);
  await vi.advanceTimersByTimeAsync(0);
  for (let n = 0; n < 20; n++)
    expect((await ask({ client: "192.0.2.1" }, "tile", 0.25)).outcome).toBe("served");
});

describe("once 2,048 requests of a swarm wait for their budget", () => {
  /** Has a swarm use up its budget, and ask for more tiles than may wait. */
  const crowded = async (facts: Partial<Arrival> = {}) => {
    const all = started();
    const outcomes: string[] = [];
    for (let n = 0; n < 3100; n++) {
      const visitor = all.visitors.meet(arrival({ client: `10.${n >> 8}.${n & 255}.1`, ...facts }));
      visitor.ask("a", "tile", opening[0]);
      void visitor.enter(1).then(
        () => outcomes.push("served"),
        ({ kind, code, retryAfter }) => outcomes.push(`${kind} ${code} ${retryAfter > 0}`),
      );
    }
    await vi.advanceTimersByTimeAsync(0);
    return { ...all, outcomes };
  };

  test("more are refused with the seconds to wait, and none goes on at once", async () => {
    const { outcomes, ask } = await crowded();
    const served = outcomes.filter((outcome) => outcome === "served").length;
    // 5 % of two permits are 300 megapixels in a minute.
    expect(served).toBeGreaterThanOrEqual(300);
    expect(served).toBeLessThanOrEqual(301);
    expect(outcomes.filter((outcome) => outcome === "limited visitor_budget true")).toHaveLength(
      3100 - served - 2048,
    );
    await vi.advanceTimersByTimeAsync(10_000);
    expect((await ask({ client: "192.0.2.9" }, "tile", 0.25)).outcome).toBe("served");
  });

  test("documents of programs are refused too, and those of browsers are not", async () => {
    const { visitors } = await crowded({ agent: "program" });
    const read = (facts: Partial<Arrival>) => visitors.meet(arrival(facts)).read();
    await expect(read({ agent: "program", client: "10.0.0.1" })).rejects.toMatchObject({
      code: "visitor_budget",
    });
    expect(read({ client: "10.0.0.1" })).toBeUndefined();
  });

  test("readers, listed sites, own viewers and other classes wait as before", async () => {
    const { visitors, ask } = await crowded();
    for (const tile of opening) visitors.meet(arrival({ client: "192.0.2.77" })).ask("a", "tile", tile);
    for (const facts of [{ client: "192.0.2.77" }, { isListed: true }, { hasPass: true }]) {
      expect((await ask(facts, "tile", 0.25)).outcome).toBe("served");
    }
    expect((await ask({ agent: "program" }, "tile", 0.25)).outcome).toBe("served");
  });

  test("those of better groups go on to the queue if their own do", async () => {
    const { outcomes } = await crowded({ isListed: true });
    expect(outcomes.filter((outcome) => outcome !== "served")).toEqual([]);
  });
});

describe("a document", () => {
  /** Reads one; resolves to what happened and the milliseconds that it waited. */
  const read = async (visitors: ReturnType<typeof createVisitors>, facts: Partial<Arrival>) => {
    const began = Date.now();
    let outcome: string | undefined;
    void (visitors.meet(arrival(facts)).read() ?? Promise.resolve()).then(
      () => (outcome = "served"),
      ({ code }) => (outcome = code),
    );
    await vi.advanceTimersByTimeAsync(0);
    while (outcome === undefined) await vi.advanceTimersByTimeAsync(100);
    return { outcome, waited: Date.now() - began };
  };
  const free = { outcome: "served", waited: 0 };

  test.each(["program", "crawler"] as const)(
    "counts little for a %s, which waits for it above its budget",
    async (agent) => {
      const { visitors, ask } = started();
      // 1,500 of 0.02 megapixels are a burst.
      for (let n = 0; n < 1500; n++) expect(await read(visitors, { agent })).toEqual(free);
      expect(visitors.counts()[agent].megapixels).toBeCloseTo(30, 9);
      await ask({ agent }, "tile", 1);
      expect(await read(visitors, { agent })).toEqual({ outcome: "served", waited: 10_000 });
      await ask({ agent }, "tile", 300);
      expect(await read(visitors, { agent })).toEqual({ outcome: "visitor_budget", waited: 0 });
      // A listed page and a known network make it welcome; a pass is one of browsers.
      expect(await read(visitors, { agent, hasPass: true })).toMatchObject({ outcome: "visitor_budget" });
      for (const facts of [{ isListed: true }, { isKnown: true }])
        expect(await read(visitors, { agent, ...facts })).toEqual(free);
    },
  );

  test("waits for those that claim to be a crawler too, whom neither a pass nor a listed page helps", async () => {
    const { visitors, ask } = started();
    await ask({ agent: "claimed" }, "tile", 400);
    for (const facts of [{}, { hasPass: true }, { isListed: true }])
      expect(await read(visitors, { agent: "claimed", ...facts })).toMatchObject({
        outcome: "visitor_budget",
      });
    expect(await read(visitors, { agent: "claimed", isKnown: true })).toEqual(free);
  });

  test("never has a browser wait, whatever its network and all others have used", async () => {
    const { visitors, ask } = started();
    await ask({ agent: "program" }, "tile", 1000);
    for (let n = 0; n < 9; n++) visitors.meet(arrival()).ask("a", "big");
    for (const facts of [{}, { hasPass: true }, { isListed: true }])
      expect(await read(visitors, facts)).toEqual(free);
  });
});

test("observe has nobody wait, and counts whom limit would have had wait or refused", async () => {
  const { ask, visitors } = started({ mode: "observe" });
  const program = { agent: "program" as const };
  for (let n = 0; n < 10; n++)
    expect(await ask(program, "big", 24)).toEqual({ outcome: "served", waited: 0 });
  expect(visitors.counts().program).toMatchObject({ requests: 10, megapixels: 240, refused: 8 });
  const visitor = visitors.meet(arrival(program));
  expect(visitor.inform("a")).toBe(false);
  expect(visitor.group).toBe("welcome");
  expect(visitors.counts().program.limited).toBe(1);
});

test("work that takes more than its pixels is charged as what it takes", async () => {
  const { visitors } = started();
  const visitor = visitors.meet(arrival({ agent: "program" }));
  visitor.ask("a", "tile", { x: 0, y: 0, width: 512, height: 512, scale: 1 });
  await visitor.enter(0.25);
  // A megapixel is 20 ms.
  visitor.chargeWork(200);
  expect(visitors.counts().program).toMatchObject({ megapixels: 10, ms: 200 });
  // Jobs of one request add up.
  visitor.chargeWork(200);
  expect(visitors.counts().program).toMatchObject({ megapixels: 20, ms: 400 });
  expect(visitors.heaviest("networks", 1)).toEqual([{ name: "192.0.2.0/24", amount: 20, excess: 0 }]);
});

test("a class gets no more large images than its burst, its rate and what waits (property)", async () => {
  await fc.assert(
    fc.asyncProperty(
      fc.array(
        fc.record({ after: fc.nat(60_000), network: fc.nat(3), megapixels: fc.integer({ min: 1, max: 24 }) }),
        {
          minLength: 10,
          maxLength: 60,
        },
      ),
      async (requests) => {
        const visitors = createVisitors(limits, Date.now);
        const began = Date.now();
        const served = [0, 0, 0, 0];
        for (const { after, network, megapixels } of requests) {
          await vi.advanceTimersByTimeAsync(after);
          const visitor = visitors.meet(arrival({ agent: "program", client: `203.0.${network}.1` }));
          visitor.ask("a", "big");
          void visitor.enter(megapixels).then(
            () => {
              served[network] = (served[network] as number) + megapixels;
            },
            () => {},
          );
        }
        await vi.advanceTimersByTimeAsync(10_000);
        const hours = (Date.now() - began) / hour;
        // One goes beyond the burst, and one more waits at most ten seconds.
        for (const sum of served) expect(sum).toBeLessThanOrEqual(30 + 30 * hours + 2 * 24);
      },
    ),
    { numRuns: 30 },
  );
});
