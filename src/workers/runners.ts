// The runners of a pool: as many as may work, started on demand, and ended when they are surplus.

import type { Runner } from "./runner.ts";

/** How long a runner that was started while others waited stays without a job, since starting one costs more than a tile. */
const surplusMs = 10_000;

export interface RunnersOptions {
  /** Runners that work at most; more are started while jobs wait without their place. */
  readonly size: number;
  /** `first`: there is no other. Throws where none can be started. */
  start(options: { readonly warm: boolean; readonly first: boolean }): Runner;
  /** Surplus runners stay for a while; false where no timer outlives its request, so that they end at once. */
  readonly linger: boolean;
}

export interface Runners {
  /** Starts one that renders a small image before its first job. */
  warmUp(): void;
  /** Whether one more may work. */
  hasRoom(): boolean;
  /** The idle one that worked last; undefined: none is idle. Those that ended while idle are forgotten. */
  takeIdle(): Runner | undefined;
  /** An idle one, else a new one; undefined: as many work as may. Throws what `start` throws. */
  take(): Runner | undefined;
  /** Its job is over; `usable`: it takes another one. */
  release(runner: Runner, usable: boolean): void;
  resize(size: number): void;
  /** `waiting`: of the busy ones, those whose job waits for bytes without its place. */
  status(): {
    readonly size: number;
    readonly workers: number;
    readonly busy: number;
    readonly waiting: number;
  };
  /** Bytes of all, as far as they have answered. */
  memory(): Promise<number>;
  /** Ends all. */
  close(): void;
}

/** No runners yet. */
export function createRunners({ start, linger, ...options }: RunnersOptions): Runners {
  let { size } = options;
  /** The one that worked last at the end. */
  const idle: { readonly runner: Runner; readonly since: number }[] = [];
  const all = new Set<Runner>();

  const begin = (warm: boolean): Runner => {
    const runner = start({ warm, first: all.size === 0 });
    all.add(runner);
    return runner;
  };
  const rest = (runner: Runner) => idle.push({ runner, since: performance.now() });
  const end = (runner: Runner) => {
    runner.kill();
    all.delete(runner);
  };

  const takeIdle = (): Runner | undefined => {
    for (let last = idle.pop(); last; last = idle.pop()) {
      if (last.runner.alive()) return last.runner;
      all.delete(last.runner);
    }
    return undefined;
  };

  const waiting = () => [...all].filter((runner) => runner.waits()).length;
  const hasRoom = () => all.size - idle.length - waiting() < size;
  const idleMs = (now: number) => (idle[0] ? now - idle[0].since : 0);

  /** Ends those beyond the size that have been idle for this long. */
  const trim = (ms = 0) => {
    while (all.size > size && idle[0] && idleMs(performance.now()) >= ms) end(idle.shift()!.runner);
  };
  let trimming: ReturnType<typeof setTimeout> | undefined;
  const trimLater = () => {
    if (all.size <= size || trimming !== undefined) return;
    const left = surplusMs - idleMs(performance.now());
    trimming = setTimeout(
      () => {
        trimming = undefined;
        trim(surplusMs);
        trimLater();
      },
      Math.max(1, Math.ceil(left)),
    );
    (trimming as { unref?(): void }).unref?.();
  };

  return {
    warmUp: () => void rest(begin(true)),
    hasRoom,
    takeIdle,
    take: () => (hasRoom() ? (takeIdle() ?? begin(false)) : undefined),
    release(runner, usable) {
      if (usable) rest(runner);
      else end(runner);
      if (linger) trimLater();
      else trim();
    },
    resize(wanted) {
      size = wanted;
      trim();
    },
    status: () => ({ size, workers: all.size, busy: all.size - idle.length, waiting: waiting() }),
    async memory() {
      const each = await Promise.all([...all].map((runner) => runner.memory?.()));
      return each.reduce<number>((sum, bytes = 0) => sum + bytes, 0);
    },
    close() {
      clearTimeout(trimming);
      for (const runner of all) runner.kill();
      all.clear();
      idle.length = 0;
    },
  };
}
