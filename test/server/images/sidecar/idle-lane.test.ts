// The lane of idle work: it waits for requests, gives way to them, and drops what nobody asks for again.

import { expect, test } from "vitest";
import { createIdleLane, type IdleTask } from "../../../../src/server/images/sidecar/idle-lane.ts";

function setUp() {
  const load = { running: 0, waiting: 0 };
  let time = 0;
  const events: string[] = [];
  let looks = 0;
  const lane = createIdleLane(
    () => {
      looks++;
      return load;
    },
    () => time,
  );
  /** A task that ends when it is released, or with the signal. */
  const task = (name: string, isWanted = () => true): IdleTask & { release(): void } => {
    let release = () => {};
    const released = new Promise<void>((resolve) => (release = resolve));
    return {
      async run(signal) {
        events.push(`${name} begins`);
        const aborted = new Promise<never>((_, reject) =>
          signal.addEventListener("abort", () => {
            events.push(`${name} gives way`);
            reject(signal.reason);
          }),
        );
        await Promise.race([released, aborted]);
        events.push(`${name} ends`);
      },
      isWanted,
      dropped: () => void events.push(`${name} is dropped`),
      release: () => release(),
    };
  };
  return { load, lane, events, task, looks: () => looks, pass: (ms: number) => (time += ms) };
}

test("tasks run one at a time while nothing else runs or waits", async () => {
  const { load, lane, events, task, looks } = setUp();
  const [a, b] = [task("a"), task("b")];
  load.running = 1;
  lane.add("a", a);
  lane.add("b", b);
  await expect.poll(looks).toBeGreaterThan(3);
  expect(events).toEqual([]);
  load.running = 0;
  await expect.poll(() => events).toEqual(["a begins"]);
  a.release();
  await expect.poll(() => events).toEqual(["a begins", "a ends", "b begins"]);
  b.release();
  await lane.settle();
  expect(events.at(-1)).toBe("b ends");
});

test("a task gives way to a request that waits, and runs again later", async () => {
  const { load, lane, events, task } = setUp();
  const a = task("a");
  lane.add("a", a);
  await expect.poll(() => events).toEqual(["a begins"]);
  load.waiting = 1;
  await expect.poll(() => events).toEqual(["a begins", "a gives way"]);
  load.waiting = 0;
  await expect.poll(() => events.slice(2)).toEqual(["a begins"]);
  a.release();
  await lane.settle();
  expect(events.slice(2)).toEqual(["a begins", "a ends"]);
});

test("a task that many requests ask for no longer gives way", async () => {
  const { load, lane, events, task } = setUp();
  const a = task("a");
  load.running = 2;
  load.waiting = 5;
  lane.add("a", a);
  for (let n = 0; n < 8; n++) lane.note("a");
  await expect.poll(() => events).toEqual(["a begins"]);
  a.release();
  await lane.settle();
  expect(events).toEqual(["a begins", "a ends"]);
});

test("a task is dropped if nobody asks for it again within a minute, or if it is of no use any more", async () => {
  const { load, lane, events, task, pass } = setUp();
  load.running = 1;
  let isWanted = true;
  lane.add("a", task("a"));
  lane.add("b", task("b"));
  lane.add(
    "c",
    task("c", () => isWanted),
  );
  pass(40_000);
  lane.note("b");
  lane.note("c");
  pass(40_000);
  isWanted = false;
  await expect.poll(() => events).toEqual(["a is dropped", "c is dropped"]);
  pass(30_000);
  await expect.poll(() => events.at(-1)).toBe("b is dropped");
  await lane.settle();
});

test("the first of too many tasks is dropped", async () => {
  const { load, lane, events, task } = setUp();
  load.running = 1;
  for (let n = 0; n <= 64; n++) lane.add(`${n}`, task(`${n}`));
  expect(events).toEqual(["0 is dropped"]);
});

test("the running task is not dropped, and a task that comes when another one ends runs", async () => {
  const { lane, events, task } = setUp();
  const first = task("first");
  lane.add("first", first);
  await expect.poll(() => events).toEqual(["first begins"]);
  for (let n = 0; n < 64; n++) lane.add(`${n}`, task(`${n}`));
  expect(events).toEqual(["first begins", "0 is dropped"]);
  for (let turns = 0; turns < 12; turns++) {
    const { lane: other, events: seen, task: make } = setUp();
    const [a, b] = [make("a"), make("b")];
    a.release();
    b.release();
    other.add("a", a);
    await expect.poll(() => seen).toContain("a ends");
    for (let n = 0; n < turns; n++) await Promise.resolve();
    other.add("b", b);
    await other.settle();
    expect(seen).toContain("b ends");
  }
});

test("settle hurries only the tasks that it names", async () => {
  const { load, lane, events, task } = setUp();
  load.running = 1;
  const [a, b] = [task("a"), task("b")];
  lane.add("a", a);
  lane.add("b", b);
  b.release();
  await lane.settle(["b", "unknown"]);
  expect(events).toEqual(["b begins", "b ends"]);
});

test("settle runs what waits, whatever requests do", async () => {
  const { load, lane, events, task } = setUp();
  load.running = 1;
  const a = task("a");
  lane.add("a", a);
  a.release();
  await lane.settle();
  expect(events).toEqual(["a begins", "a ends"]);
});
