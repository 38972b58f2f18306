// The gate: lanes, turns, permits that are given back, and the bounds on memory and on what waits.

import { expect, test, vi } from "vitest";
import { createCounts } from "../../../../src/base/telemetry/count.ts";
import {
  type Admission,
  type AdmissionLimits,
  admissionCounts,
  createAdmission,
  type JobNeeds,
} from "../../../../src/server/images/admission/admit.ts";
import { maxCheapMs } from "../../../../src/server/images/admission/lanes.ts";
import type { TurnGroup } from "../../../../src/server/visitors/classes.ts";
import type { Permit } from "../../../../src/server/workers/permit.ts";
import { readCounts } from "../../../counts.ts";

const MiB = 2 ** 20;
const cheap = { kind: "tile", ms: 5 };
const heavy = { kind: "whole", ms: 5000 };

/** Creates an admission, and jobs that run until they are told to end; `order` lists them as admitted. */
function gate(limits: Partial<AdmissionLimits> = {}) {
  const counts = createCounts(...admissionCounts);
  const waits: number[] = [];
  const admission: Admission = createAdmission(
    { permits: 2, memory: 1024 * MiB, waiting: 100, waitMs: Number.POSITIVE_INFINITY, ...limits },
    { counts, wait: { record: (seconds) => void waits.push(seconds) } },
  );
  const order: string[] = [];
  const start = (name: string, needs: Partial<JobNeeds> = {}, signal?: AbortSignal) => {
    let end = () => {};
    const ended = new Promise<void>((resolve) => {
      end = resolve;
    });
    let permit: Permit | undefined;
    const result = admission.run({ work: cheap, memory: MiB, ...needs }, signal, async (own) => {
      permit = own;
      order.push(name);
      await ended;
      return name;
    });
    result.catch(() => {});
    return {
      result,
      leave: () => permit?.leave(),
      back: () => permit?.back() as Promise<void>,
      end: async () => {
        end();
        await result;
        await settled();
      },
    };
  };
  return { admission, counts, order, start, waits };
}

/** Address of the client whose jobs begin with a letter. */
const addressOf = (name: string) => `192.0.2.${name.charCodeAt(0)}`;

/** Lets all that can go on go on. */
const settled = () => new Promise((resolve) => setTimeout(resolve));
const codeOf = (result: Promise<unknown>) =>
  result.then(
    () => "done",
    (error) => `${error.kind} ${error.code}`,
  );

/** A visitor of a network. */
const visitorOf = (network: string, group: TurnGroup) => ({ group, network, chargeWork() {} });

test("heavy jobs leave a permit to cheap ones, however many there are", async () => {
  const { start, order, admission } = gate({ permits: 4 });
  const many = [1, 2, 3, 4, 5, 6].map((n) => start(`heavy ${n}`, { work: heavy }));
  await settled();
  expect(order).toHaveLength(3);
  const tile = start("tile");
  await settled();
  expect(order.at(-1)).toBe("tile");
  expect(admission.status()).toMatchObject({ running: 4, waiting: 3 });
  await tile.end();
  expect(order).toHaveLength(4);
  for (const each of many) await each.end();
  expect(admission.status()).toEqual({ running: 0, away: 0, waiting: 0, memory: 0 });
});

test("heavy jobs of two clients alternate, and so do cheap ones", async () => {
  for (const work of [heavy, cheap]) {
    const { start, order } = gate({ permits: 1 });
    const first = start("first", { work });
    const jobs = new Map(
      ["a1", "a2", "a3", "b1", "b2", "b3"].map((name) => [
        name,
        start(name, { work, client: addressOf(name) }),
      ]),
    );
    await first.end();
    for (const name of ["a1", "b1", "a2", "b2", "a3", "b3"]) {
      expect(order.at(-1)).toBe(name);
      await jobs.get(name)?.end();
    }
  }
});

test("networks that wait get the same milliseconds, not the same number of jobs", async () => {
  const { start, order } = gate({ permits: 1 });
  const first = start("first");
  const large = { kind: "large", ms: 40 };
  const small = { kind: "small", ms: 10 };
  const names = ["a1", "a2", "a3", ...Array.from({ length: 9 }, (_, n) => `b${n}`)];
  const jobs = names.map(
    (name) =>
      [name, start(name, { work: name[0] === "a" ? large : small, client: addressOf(name) })] as const,
  );
  const byName = new Map(jobs);
  await first.end();
  for (let done = 0; done < names.length; done++) await byName.get(order.at(-1) as string)?.end();
  expect(order.slice(1).join(" ")).toBe("a1 b0 b1 b2 b3 a2 b4 b5 b6 b7 a3 b8");
});

test("with one permit cheap jobs go first, and heavy ones still run", async () => {
  const { start, order } = gate({ permits: 1 });
  const first = start("first");
  const whole = start("whole", { work: heavy });
  const tiles = Array.from({ length: 40 }, (_, n) => start(`tile ${n}`));
  await first.end();
  for (const tile of tiles.slice(0, 10)) await tile.end();
  expect(order).not.toContain("whole");
  for (const tile of tiles.slice(10)) {
    if (order.includes("whole")) break;
    await tile.end();
  }
  expect(order.at(-1)).toBe("whole");
  expect(order.length).toBeLessThan(30);
  await whole.end();
  for (const tile of tiles) await tile.end();
});

test("a heavy job that waits for memory gets it, however many cheap ones come", async () => {
  const { start, order } = gate({ memory: 100 * MiB });
  const tile = (n: number) => start(`tile ${n}`, { memory: 40 * MiB });
  const running = [tile(0), tile(1)];
  const whole = start("whole", { work: heavy, memory: 70 * MiB });
  for (let n = 2; n < 60 && !order.includes("whole"); n++) {
    running.push(tile(n));
    await running.shift()?.end();
  }
  for (const each of running) {
    if (order.includes("whole")) break;
    await each.end();
  }
  expect(order).toContain("whole");
  await whole.end();
});

test("heavy jobs leave memory to cheap ones", async () => {
  const { start, order } = gate({ permits: 8, memory: 100 * MiB });
  for (const n of [1, 2, 3, 4]) start(`heavy ${n}`, { work: heavy, memory: 30 * MiB });
  start("tile", { memory: 20 * MiB });
  await settled();
  expect(order).toEqual(["heavy 1", "heavy 2", "tile"]);
});

test("a job that waits for bytes leaves its permit to another, and comes back before those that are new", async () => {
  const { start, order, admission, counts, waits } = gate({ permits: 1 });
  const slow = start("slow", { remote: "web" });
  const local = start("local");
  await settled();
  expect(order).toEqual(["slow"]);
  slow.leave();
  await settled();
  expect(order).toEqual(["slow", "local"]);
  expect(admission.status()).toEqual({ running: 1, away: 1, waiting: 0, memory: 2 * MiB });
  const next = start("next");
  let isBack = false;
  const back = slow.back().then(() => {
    isBack = true;
  });
  await settled();
  expect(isBack).toBe(false);
  await local.end();
  await back;
  expect(order).toEqual(["slow", "local"]);
  await slow.end();
  expect(order).toEqual(["slow", "local", "next"]);
  await next.end();
  expect(readCounts(counts)).toMatchObject({ cheap: 3, heavy: 0, left: 1, waited: 2 });
  expect(waits.map((seconds) => seconds >= 0)).toEqual([true, true, true]);
});

test("a heavy job that comes back leaves a permit to cheap ones as well", async () => {
  const { start, order } = gate({ permits: 2 });
  const slow = start("slow", { work: heavy, remote: "web" });
  await settled();
  slow.leave();
  const other = start("other", { work: heavy });
  await settled();
  let isBack = false;
  void slow.back().then(() => {
    isBack = true;
  });
  start("tile");
  await settled();
  expect(order).toEqual(["slow", "other", "tile"]);
  expect(isBack).toBe(false);
  await other.end();
  expect(isBack).toBe(true);
});

test("a job that fails while it is away frees nothing twice", async () => {
  const { admission } = gate({ permits: 1 });
  const gone = new Error("gone");
  const failed = admission.run({ work: cheap, memory: MiB, remote: "web" }, undefined, async (permit) => {
    permit?.leave();
    permit?.leave();
    throw gone;
  });
  await expect(failed).rejects.toBe(gone);
  expect(admission.status()).toEqual({ running: 0, away: 0, waiting: 0, memory: 0 });
});

test("a source whose jobs all wait blocks neither other sources nor local files", async () => {
  const { start, order, admission } = gate({ permits: 2, waiting: 100 });
  for (let n = 0; n < 60; n++) {
    const job = start(`stalled ${n}`, { remote: "stalled" });
    await settled();
    job.leave();
  }
  await settled();
  expect(admission.status().away, "two permits and 16 more").toBe(18);
  expect(admission.status().waiting).toBe(42);
  start("of another source", { remote: "other" });
  await settled();
  start("of a file");
  await settled();
  expect(order.slice(18)).toEqual(["of another source", "of a file"]);
});

test("the jobs of remote sources leave memory to local ones", async () => {
  const { start, order } = gate({ permits: 8, memory: 100 * MiB });
  for (const remote of ["a", "a", "b", "c"]) start(`of ${remote}`, { remote, memory: 30 * MiB });
  start("of a file", { memory: 25 * MiB });
  await settled();
  expect(order).toEqual(["of a", "of b", "of a file"]);
});

test("excess waiting jobs are refused, for each lane and source separately", async () => {
  const { start, counts, admission } = gate({ permits: 1, waiting: 2 });
  start("running");
  const waiting = [start("1", { work: heavy }), start("2", { work: heavy })];
  await settled();
  expect(await codeOf(start("3", { work: heavy }).result)).toBe("busy queue_full");
  const tiles = [start("tile 1"), start("tile 2")];
  expect(await codeOf(start("tile 3").result)).toBe("busy queue_full");
  expect(readCounts(counts)).toMatchObject({ queueFull: 2, waitedTooLong: 0, waited: 4 });
  expect(admission.status()).toMatchObject({ running: 1, waiting: 4 });
  const gone = new AbortController();
  const remote = start("remote", { remote: "web" }, gone.signal);
  await settled();
  gone.abort();
  expect(await codeOf(remote.result)).toBe("cancelled cancelled");
  expect(waiting.length + tiles.length).toBe(4);
});

test("a full lane refuses the last job of the client that has most of them", async () => {
  const { start, order, counts } = gate({ permits: 1, waiting: 3 });
  const running = start("running");
  const many = ["a1", "a2", "a3"].map((name) => start(name, { client: addressOf("a") }));
  const other = start("b1", { client: addressOf("b") });
  expect(await codeOf(many[2]!.result)).toBe("busy queue_full");
  expect(await codeOf(start("a4", { client: addressOf("a") }).result)).toBe("busy queue_full");
  expect(readCounts(counts)).toMatchObject({ queueFull: 2, waited: 4 });
  for (const job of [running, many[0]!, other, many[1]!]) await job.end();
  expect(order).toEqual(["running", "a1", "b1", "a2"]);
});

test("a full lane refuses jobs of the last group first, however many a client of a better one has", async () => {
  const { start } = gate({ permits: 1, waiting: 6 });
  const running = start("running");
  const swarm = Array.from({ length: 6 }, (_, n) =>
    start(`swarm ${n}`, { visitor: visitorOf(`s${n}`, "others") }),
  );
  const [earned, listed, welcome] = (["earned", "listed", "welcome"] as const).map((group) =>
    [1, 2].map((n) => start(`${group} ${n}`, { visitor: visitorOf(group, group) })),
  ) as [ReturnType<typeof start>[], ReturnType<typeof start>[], ReturnType<typeof start>[]];
  for (const { result } of swarm) expect(await codeOf(result)).toBe("busy queue_full");
  const late = start("late", { visitor: visitorOf("late", "others") });
  expect(await codeOf(late.result)).toBe("busy queue_full");
  // Readers who earned it have a larger share than listed sites, and come after them.
  const another = start("another", { visitor: visitorOf("another", "welcome") });
  expect(await codeOf(earned[1]!.result)).toBe("busy queue_full");
  const others = [earned[0]!, ...listed, ...welcome, another];
  await Promise.all([running, ...others].map((job) => job.end()));
});

test("a job that took better turns leaves the queue if nobody waits for it any more", async () => {
  const { admission, start, order } = gate({ permits: 1 });
  const running = start("running");
  const crawler = admission.share("image", visitorOf("a", "others"));
  const gone = new AbortController();
  const job = start("shared", { visitor: crawler.all }, gone.signal);
  admission.share("image", visitorOf("r", "welcome"));
  gone.abort();
  expect(await codeOf(job.result)).toBe("cancelled cancelled");
  expect(admission.status()).toMatchObject({ waiting: 0 });
  await running.end();
  expect(order).toEqual(["running"]);
  expect(admission.status()).toMatchObject({ running: 0 });
});

test("shorter jobs of a client go first, but not before one that has waited ten times the difference", async () => {
  vi.useFakeTimers({ toFake: ["performance"] });
  try {
    const { start, order } = gate({ permits: 1 });
    const work = (ms: number) => ({ work: { kind: "picture", ms } });
    const running = start("running", work(100));
    const long = start("long", work(1100));
    vi.advanceTimersByTime(9_999);
    const early = start("early", work(100));
    vi.advanceTimersByTime(2);
    const late = start("late", work(100));
    for (const job of [running, early, long, late]) await job.end();
    expect(order).toEqual(["running", "early", "long", "late"]);
  } finally {
    vi.useRealTimers();
  }
});

test("a job that has waited longer than the bound is refused, and leaves the queue", async () => {
  vi.useFakeTimers({ toFake: ["performance", "setTimeout", "clearTimeout"] });
  try {
    const { start, order, admission, counts } = gate({ permits: 1, waitMs: 10_000 });
    const running = start("running");
    const old = ["old 1", "old 2"].map((name) => start(name));
    await vi.advanceTimersByTimeAsync(5_000);
    start("recent");
    await vi.advanceTimersByTimeAsync(4_999);
    expect(admission.status().waiting).toBe(3);
    await vi.advanceTimersByTimeAsync(1);
    for (const { result } of old) expect(await codeOf(result)).toBe("busy queue_full");
    expect(admission.status()).toMatchObject({ running: 1, waiting: 1 });
    expect(readCounts(counts)).toMatchObject({ queueFull: 0, waitedTooLong: 2 });
    void running.end();
    await vi.advanceTimersByTimeAsync(60_000);
    expect(order, "the clock of a job that has its permit has stopped").toEqual(["running", "recent"]);
    expect(readCounts(counts)).toMatchObject({ waitedTooLong: 2 });
  } finally {
    vi.useRealTimers();
  }
});

test("a job that has waited longer than the bound is refused when its turn comes, without a timer too", async () => {
  vi.useFakeTimers({ toFake: ["performance"] });
  try {
    const { start, order, admission, counts } = gate({ permits: 1, waitMs: 10_000 });
    const running = start("running");
    const old = ["old 1", "old 2"].map((name) => start(name));
    vi.advanceTimersByTime(5_000);
    const recent = start("recent");
    vi.advanceTimersByTime(5_001);
    await running.end();
    for (const { result } of old) expect(await codeOf(result)).toBe("busy queue_full");
    expect(readCounts(counts)).toMatchObject({ queueFull: 0, waitedTooLong: 2 });
    expect(order).toEqual(["running", "recent"]);
    await recent.end();
    expect(admission.status()).toEqual({ running: 0, away: 0, waiting: 0, memory: 0 });
  } finally {
    vi.useRealTimers();
  }
});

test("a job with more work ahead than it may wait is refused immediately; one of another client is not", async () => {
  const { start, counts, admission } = gate({ permits: 2, waitMs: 10_000 });
  const jobs = (client: string, count: number) =>
    Array.from({ length: count }, (_, n) =>
      start(`${client}${n}`, { work: heavy, client: addressOf(client) }),
    );
  // One heavy job runs, so that each of 5 s waits 5 s longer than the one before.
  const [, first, second, third, fourth] = jobs("a", 5);
  await settled();
  expect(await codeOf(fourth!.result)).toBe("busy queue_full");
  expect(readCounts(counts)).toMatchObject({ queueFull: 0, waitedTooLong: 1 });
  jobs("b", 1);
  await settled();
  expect(admission.status()).toMatchObject({ running: 1, waiting: 4 });
  expect([first, second, third]).toHaveLength(3);
});

test("a job that could never fit is refused immediately", async () => {
  const { admission, start } = gate({ memory: 100 * MiB });
  expect(admission.allows(100 * MiB)).toBe(true);
  expect(await codeOf(start("large", { memory: 101 * MiB }).result)).toBe("too-large memory_budget");
});

test("a kind of job that takes longer than estimated is heavy from then on", async () => {
  const { admission, counts } = gate();
  const job = () =>
    admission.run(
      { work: { kind: "slow", ms: maxCheapMs - 1 }, memory: MiB },
      undefined,
      () => new Promise((resolve) => setTimeout(resolve, 4 * maxCheapMs)),
    );
  await job();
  expect(readCounts(counts)).toMatchObject({ heavy: 0, overran: 1 });
  await job();
  expect(readCounts(counts)).toMatchObject({ heavy: 1, overran: 1 });
});

test("each job is charged to its visitor once, also if it fails", async () => {
  const { admission } = gate();
  const charges: number[] = [];
  const visitor = {
    group: "others" as const,
    network: "a",
    chargeWork: (ms: number) => void charges.push(ms),
  };
  const run = (work: () => Promise<string>) =>
    codeOf(admission.run({ work: heavy, memory: MiB, visitor }, undefined, work));
  await run(async () => "done");
  expect(charges).toHaveLength(1);
  await run(() => Promise.reject(new Error("damaged")));
  expect(charges).toHaveLength(2);
});

test("a job that a reader waits for too takes the turns of the reader, and never those of a crawler again", async () => {
  const { admission, order, start } = gate({ permits: 1 });
  const running = start("running", { visitor: visitorOf("x", "others") });
  const first = admission.share("image", visitorOf("a", "others"));
  const names = ["b1", "a1", "shared", "c1"];
  const jobs = [
    start("b1", { visitor: visitorOf("b", "earned") }),
    start("a1", { visitor: visitorOf("a", "others") }),
    start("shared", { visitor: first.all }),
    start("c1", { visitor: visitorOf("c", "others") }),
  ];
  await settled();
  const reader = admission.share("image", visitorOf("r", "welcome"));
  const crawler = admission.share("image", visitorOf("d", "others"));
  reader.leave();
  await running.end();
  for (const _ of names) await jobs[names.indexOf(order.at(-1) as string)]?.end();
  expect(order).toEqual(["running", "b1", "shared", "a1", "c1"]);
  crawler.leave();
  first.leave();
  // Nobody waits for it any more: a new one begins as who asks for it.
  expect(admission.share("image", visitorOf("e", "others")).all.group).toBe("others");
});

test("cheap jobs of crawlers overtake heavy ones of readers once at most", async () => {
  const { order, start } = gate({ permits: 1 });
  const running = start("running");
  const names = ["tile 1", "tile 2", "tile 3", "reader"];
  const jobs = names.map((name) =>
    name === "reader"
      ? start(name, { work: heavy, visitor: visitorOf("r", "welcome") })
      : start(name, { visitor: visitorOf("a", "others") }),
  );
  await settled();
  await running.end();
  for (const _ of names) await jobs[names.indexOf(order.at(-1) as string)]?.end();
  expect(order).toHaveLength(5);
  expect(order.indexOf("reader")).toBeLessThanOrEqual(2);
});
