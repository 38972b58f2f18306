// Sends a frame each second to everybody who watches the dashboard, from one loop that runs only while
// somebody does.

import type { Frames } from "./frame.ts";

/** Maximum of simultaneous watchers; further ones are refused. */
export const maxWatchers = 32;
const tickMs = 1000;
/** Every tenth frame has the state of the sources. */
const healthEach = 10;
/** A watcher whose own loop has not run for this long has left without notice. */
const lostMs = 10_000;

export interface Watcher {
  /** True if it can take a frame now. If not, it misses this one; the next contains everything. */
  isReady(): boolean;
  /** Receives a frame as an event stream message (HTML, section 9.2), in bytes shared with other watchers. */
  take(message: Uint8Array): void;
  /** Called after the last frame: the service is about to end. */
  end(): void;
}

export interface Hub {
  /**
   * Starts to send frames, the first immediately, including the state of the sources; returns a function that
   * stops them. Returns undefined if too many watch.
   */
  join(watcher: Watcher): (() => void) | undefined;
  /** True if one more watcher may join. */
  hasRoom(): boolean;
  watchers(): number;
  /** Ends all watchers and accepts no more. */
  close(): void;
}

interface WatcherSlot {
  readonly watcher: Watcher;
  /** Time when a frame was last due for it, by performance.now(). */
  at: number;
  /** Its own loop, if loops are not shared. */
  loop?: Loop;
}

/**
 * Creates an empty hub. `shared`: true if one loop may serve all watchers; on workerd timers and sockets
 * belong to the request that made them.
 */
export function createHub(frames: Frames, { shared }: { readonly shared: boolean }): Hub {
  const slots = new Set<WatcherSlot>();
  let closed = false;
  let loop: Loop | undefined;
  /** Frames are read one at a time, so that watchers who join meanwhile cause no further store reads. */
  let last: Promise<unknown> = Promise.resolve();

  const read = (health: boolean): Promise<Uint8Array> => {
    const next = async () => utf8.encode(`data: ${JSON.stringify(await frames({ health }))}\n\n`);
    if (!shared) return next();
    const frame = last.then(next, next);
    last = frame;
    return frame;
  };

  const send = async (to: () => Iterable<WatcherSlot>, health: boolean) => {
    for (const slot of to()) slot.at = performance.now();
    const frame = await read(health);
    for (const { watcher } of to()) if (watcher.isReady()) watcher.take(frame);
  };

  const forgetLost = () => {
    const since = performance.now() - lostMs;
    if (!shared) for (const slot of slots) if (slot.at < since) leave(slot);
  };

  const leave = (slot: WatcherSlot) => {
    slots.delete(slot);
    slot.loop?.stop();
    if (slots.size > 0) return;
    loop?.stop();
    loop = undefined;
  };

  const hub: Hub = {
    hasRoom() {
      forgetLost();
      return !closed && slots.size < maxWatchers;
    },
    join(watcher) {
      if (!hub.hasRoom()) return undefined;
      const slot: WatcherSlot = { watcher, at: performance.now() };
      const ownSlot = () => (slots.has(slot) ? [slot] : []);
      slots.add(slot);
      void send(ownSlot, true).catch(() => {});
      if (shared) loop ??= createLoop((health) => send(() => slots, health));
      else slot.loop = createLoop((health) => send(ownSlot, health));
      return () => leave(slot);
    },
    watchers: () => slots.size,
    close() {
      closed = true;
      for (const slot of [...slots]) {
        leave(slot);
        slot.watcher.end();
      }
    },
  };
  return hub;
}

interface Loop {
  stop(): void;
}

/**
 * Calls back each second until it is stopped, but not while the previous call is running; `health` is true in
 * every tenth tick.
 */
function createLoop(tick: (health: boolean) => Promise<void>): Loop {
  let count = 0;
  let busy = false;
  const timer = setInterval(() => {
    if (busy) return;
    busy = true;
    void tick(++count % healthEach === 0)
      .catch(() => {})
      .finally(() => {
        busy = false;
      });
  }, tickMs);
  return { stop: () => clearInterval(timer) };
}

const utf8 = new TextEncoder();
