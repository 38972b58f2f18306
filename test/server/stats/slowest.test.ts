import { describe, expect, test } from "vitest";
import { indexOfStage, StageClock } from "../../../src/base/telemetry/stage-times.ts";
import { createSlowest } from "../../../src/server/stats/slowest.ts";

const minute = 60_000;

function render(identifier: string, request = "full/max/0/default.jpg"): StageClock {
  const stages = new StageClock(0);
  stages.ms[indexOfStage.open] = 1;
  stages.ms[indexOfStage.decode] = 30;
  stages.ms[indexOfStage.encode] = 8;
  stages.ms[indexOfStage.store] = 900;
  stages.setRender({ codec: "jpg", format: "jpg", identifier, request });
  return stages;
}

describe("the slowest renders", () => {
  test("keeps the ten slowest in order, with their longest stage before the response", () => {
    const slowest = createSlowest();
    // 3 and 100 have no common factor: each of 0 to 99 comes once, in another order.
    for (let i = 0; i < 100; i++) slowest.offer(render(`${(i * 3) % 100}.jpg`), (i * 3) % 100, minute);
    expect(slowest.read(minute).map(({ identifier }) => identifier)).toEqual(
      [99, 98, 97, 96, 95, 94, 93, 92, 91, 90].map((n) => `${n}.jpg`),
    );
    expect(slowest.read(minute)[0]).toEqual({
      at: minute,
      identifier: "99.jpg",
      request: "full/max/0/default.jpg",
      ms: 99,
      stage: "decode",
      stageMs: 30,
    });
  });

  test("has each image once, with its slowest request", () => {
    const slowest = createSlowest();
    slowest.offer(render("a.jpg", "first"), 50, 0);
    slowest.offer(render("b.jpg"), 40, 0);
    slowest.offer(render("a.jpg", "slower"), 60, minute);
    slowest.offer(render("a.jpg", "faster"), 45, minute);
    const read = slowest.read(2 * minute).map(({ identifier, request, ms }) => [identifier, request, ms]);
    expect(read).toEqual([
      ["a.jpg", "slower", 60],
      ["b.jpg", "full/max/0/default.jpg", 40],
    ]);
  });

  test("forgets renders older than an hour, and then shows the slowest since", () => {
    const slowest = createSlowest();
    for (let i = 0; i < 20; i++) slowest.offer(render(`early-${i}.jpg`), 1000 + i, 0);
    for (let i = 0; i < 3; i++) slowest.offer(render(`later-${i}.jpg`), 10 + i, 30 * minute);
    expect(slowest.read(60 * minute).map(({ ms }) => ms)).toEqual([
      1019, 1018, 1017, 1016, 1015, 1014, 1013, 1012, 1011, 1010,
    ]);
    expect(slowest.read(61 * minute).map(({ ms }) => ms)).toEqual([12, 11, 10]);
    expect(slowest.read(91 * minute)).toEqual([]);
    slowest.offer(render("new.jpg"), 1, 600 * minute);
    expect(slowest.read(600 * minute).map(({ ms }) => ms)).toEqual([1]);
  });

  test("leaves out requests that began no render", () => {
    const slowest = createSlowest();
    slowest.offer(new StageClock(0), 5000, 0);
    expect(slowest.read(0)).toEqual([]);
  });
});
