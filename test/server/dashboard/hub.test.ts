import { afterEach, beforeEach, describe, expect, test, vi } from "vitest";
import type { Frame } from "../../../src/server/dashboard/frame.ts";
import { createHub, type Hub, type Watcher } from "../../../src/server/dashboard/hub.ts";

/** Frames that say which they are, and whether they have the state of the sources. */
function numbered() {
  const asked: boolean[] = [];
  const frames = async ({ health }: { readonly health: boolean }) => {
    asked.push(health);
    return { requests: asked.length, ...(health && { sources: [] }) } as unknown as Frame;
  };
  return { asked, frames };
}

interface Seen extends Watcher {
  readonly frames: { readonly requests: number; readonly sources?: [] }[];
  ended: number;
}

function watcher(isReady = () => true): Seen {
  const seen: Seen = {
    frames: [],
    ended: 0,
    isReady,
    take(message) {
      const text = new TextDecoder().decode(message);
      expect(text).toMatch(/^data: \{[^\n]*\}\n\n$/);
      seen.frames.push(JSON.parse(text.slice("data: ".length)));
    },
    end() {
      seen.ended++;
    },
  };
  return seen;
}

beforeEach(() => {
  vi.useFakeTimers({ toFake: ["setInterval", "clearInterval", "performance"] });
});
afterEach(() => {
  vi.useRealTimers();
});
const seconds = (n: number) => vi.advanceTimersByTimeAsync(n * 1000);

const joined = (hub: Hub, one: Watcher) => {
  const leave = hub.join(one);
  if (!leave) throw new Error("there is no room");
  return leave;
};

describe.each([
  ["one loop for all", true],
  ["a loop for each", false],
])("a hub with %s", (_name, shared) => {
  test("sends a frame immediately and one each second, every tenth with the state of the sources", async () => {
    const hub = createHub(numbered().frames, { shared });
    const one = watcher();
    joined(hub, one);
    await seconds(0);
    expect(one.frames).toEqual([{ requests: 1, sources: [] }]);
    await seconds(20);
    expect(one.frames).toHaveLength(21);
    expect(one.frames.flatMap(({ sources }, i) => (sources ? [i] : []))).toEqual([0, 10, 20]);
    hub.close();
  });

  test("lets 32 watch and refuses the 33rd, until one leaves", async () => {
    const hub = createHub(numbered().frames, { shared });
    const leaves = Array.from({ length: 32 }, () => joined(hub, watcher()));
    expect([hub.hasRoom(), hub.join(watcher()), hub.watchers()]).toEqual([false, undefined, 32]);
    leaves[7]?.();
    expect([hub.hasRoom(), hub.watchers()]).toEqual([true, 31]);
    joined(hub, watcher());
    expect(hub.hasRoom()).toBe(false);
    hub.close();
  });

  test("has no timer before the first watcher, and none after the last has left", async () => {
    const hub = createHub(numbered().frames, { shared });
    expect(vi.getTimerCount()).toBe(0);
    const leaves = [joined(hub, watcher()), joined(hub, watcher())];
    expect(vi.getTimerCount()).toBe(shared ? 1 : 2);
    for (const leave of leaves) leave();
    expect([vi.getTimerCount(), hub.watchers()]).toEqual([0, 0]);
    for (const leave of leaves) leave();
    const again = joined(hub, watcher());
    await seconds(2);
    again();
    expect(vi.getTimerCount()).toBe(0);
  });

  test("passes over a watcher that does not read, which then gets the newest", async () => {
    const hub = createHub(numbered().frames, { shared });
    let reads = true;
    const slow = watcher(() => reads);
    const quick = watcher();
    joined(hub, slow);
    joined(hub, quick);
    await seconds(1);
    const [before, newest] = [slow.frames.length, quick.frames.length];
    reads = false;
    await seconds(5);
    expect([slow.frames.length, quick.frames.length]).toEqual([before, newest + 5]);
    reads = true;
    await seconds(1);
    expect(slow.frames).toHaveLength(before + 1);
    expect(slow.frames.at(-1)?.requests).toBeGreaterThan((slow.frames.at(-2)?.requests ?? 0) + 4);
    hub.close();
  });

  test("ends all watchers when it is closed, and accepts none afterwards", async () => {
    const hub = createHub(numbered().frames, { shared });
    const watchers = [watcher(), watcher()];
    for (const one of watchers) joined(hub, one);
    hub.close();
    hub.close();
    expect(watchers.map(({ ended }) => ended)).toEqual([1, 1]);
    expect([hub.watchers(), vi.getTimerCount(), hub.join(watcher())]).toEqual([0, 0, undefined]);
    await seconds(3);
    expect(watchers.map(({ frames }) => frames.length)).toEqual([0, 0]);
  });

  test("sends nothing to who left while a frame was read", async () => {
    const hub = createHub(numbered().frames, { shared });
    const one = watcher();
    joined(hub, one)();
    await seconds(3);
    expect(one.frames).toEqual([]);
  });

  test("begins no frame while the one before is not there", async () => {
    let begun = 0;
    let finish = (_: Frame) => {};
    const frames = () => {
      begun++;
      return new Promise<Frame>((resolve) => {
        finish = resolve;
      });
    };
    const hub = createHub(frames, { shared });
    const one = watcher();
    joined(hub, one);
    await seconds(0);
    finish({} as Frame);
    await seconds(10);
    expect([begun, one.frames.length]).toEqual([2, 1]);
    finish({} as Frame);
    await seconds(1);
    expect([begun, one.frames.length]).toEqual([3, 2]);
    hub.close();
  });
});

describe("a hub", () => {
  test("with one loop reads one frame a second, however many watch", async () => {
    const { asked, frames } = numbered();
    const hub = createHub(frames, { shared: true });
    const watchers = Array.from({ length: 32 }, () => watcher());
    for (const one of watchers) joined(hub, one);
    await seconds(0);
    const before = asked.length;
    await seconds(5);
    expect(asked.length - before).toBe(5);
    expect(new Set(watchers.map(({ frames }) => frames.at(-1)?.requests)).size).toBe(1);
    hub.close();
  });

  test("with a loop for each frees the slot of a watcher whose loop has stopped", async () => {
    const hub = createHub(numbered().frames, { shared: false });
    for (let i = 0; i < 32; i++) joined(hub, watcher());
    // As on workerd, where the timers of a request end with it.
    vi.clearAllTimers();
    await vi.advanceTimersByTimeAsync(9_000);
    expect(hub.hasRoom()).toBe(false);
    await vi.advanceTimersByTimeAsync(2_000);
    expect([hub.hasRoom(), hub.watchers()]).toEqual([true, 0]);
  });
});
