// The life of a sidecar: the state that each event leads to from each state.

import { describe, expect, test } from "vitest";
import { createBuild } from "../../../../src/server/images/sidecar/build.ts";
import {
  createSidecarLives,
  nextState,
  type Sidecar,
  type SidecarEvent,
  type SidecarState,
} from "../../../../src/server/images/sidecar/life.ts";

const build = createBuild();
const plain: Sidecar = { entry: new Uint8Array(100) };

const states: Readonly<Record<SidecarState["is"], SidecarState>> = {
  absent: { is: "absent" },
  building: { is: "building", build },
  complete: { is: "complete", sidecar: plain },
  unavailable: { is: "unavailable", until: 500 },
};

const events = {
  sought: { is: "sought", build },
  obtained: { is: "obtained", sidecar: plain },
  refused: { is: "refused", until: 900 },
  abandoned: { is: "abandoned" },
  lost: { is: "lost" },
} as const satisfies Readonly<Record<string, SidecarEvent>>;

/** Arrows of the drawing in src/server/images/sidecar/README.md. */
const arrows: readonly (readonly [SidecarState["is"], keyof typeof events, SidecarState])[] = [
  ["absent", "sought", { is: "building", build }],
  ["building", "obtained", { is: "complete", sidecar: plain }],
  ["building", "refused", { is: "unavailable", until: 900 }],
  ["building", "abandoned", { is: "absent" }],
  ["complete", "obtained", { is: "complete", sidecar: plain }],
  ["complete", "lost", { is: "absent" }],
];

const everyPair = Object.keys(states).flatMap((state) =>
  Object.keys(events).map((event) => [state, event] as [keyof typeof states, keyof typeof events]),
);

describe("a sidecar that is", () => {
  test.each(arrows)("%s and is %s is %o", (state, event, expected) => {
    expect(nextState(states[state], events[event], 0)).toEqual(expected);
  });

  const others = everyPair.filter(
    ([state, event]) => !arrows.some(([from, what]) => from === state && what === event),
  );
  test.each(others)("%s stays so when it is %s, which comes too late", (state, event) => {
    expect(nextState(states[state], events[event], 0)).toBe(states[state]);
  });

  test("unavailable until a time is absent from then on, and can be built", () => {
    const sought = (now: number) => nextState(states.unavailable, events.sought, now).is;
    expect([499, 500, 501].map(sought)).toEqual(["unavailable", "building", "building"]);
  });
});

describe("the lives of sidecars", () => {
  test("are separate by id", () => {
    const lives = createSidecarLives(10_000, () => 0);
    lives.apply("a", events.sought);
    lives.apply("b", events.sought);
    lives.apply("b", events.obtained);
    expect(["a", "b", "c"].map((id) => lives.stateOf(id).is)).toEqual(["building", "complete", "absent"]);
    expect(lives.builds()).toEqual([build]);
  });

  test("end when a time is over", () => {
    let now = 0;
    const lives = createSidecarLives(10_000, () => now);
    lives.apply("a", events.sought);
    lives.apply("a", events.refused);
    expect(lives.stateOf("a")).toEqual({ is: "unavailable", until: 900 });
    now = 900;
    expect(lives.stateOf("a").is).toBe("absent");
  });

  test("take bounded memory: those used least recently are absent again, blocks counted; builds are not", () => {
    const lives = createSidecarLives(10_000, () => 0);
    const large = { entry: new Uint8Array(1000), blocks: new Map([[0, new Uint8Array(4000)]]) };
    lives.apply("building", events.sought);
    for (const id of ["a", "b", "c"]) {
      lives.apply(id, events.sought);
      lives.apply(id, { is: "obtained", sidecar: large });
    }
    expect(["a", "b", "c", "building"].map((id) => lives.stateOf(id).is)).toEqual([
      "absent",
      "absent",
      "complete",
      "building",
    ]);
  });
});
