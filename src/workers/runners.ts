// The runners of a pool: started on demand, and ended when they are surplus.

import type { Runner } from "./runner.ts";

/**
 * Milliseconds that a surplus runner stays idle before it ends, since starting one costs more than a tile.
 */
const surplusMs = 10_000;

export interface RunnersOptions {
  /** Maximum number of working runners; more are started while jobs wait without their permit. */
  readonly size: number;
  /** Starts a runner. `first`: true if there is no other. Throws if none can be started. */
  start(options: { readonly warm: boolean; readonly first: boolean }): Runner;
  /**
   * True if surplus runners stay for a while; false if timers cannot outlive their request, so that they end
   * immediately.
   */
  readonly linger: boolean;
}

export interface Runners {
  /** Starts a runner that renders a small image before its first job. */
  warmUp(): void;
  /** True if one more runner may work. */
  hasRoom(): boolean;
  /**
   * Returns the idle runner that worked last; undefined if none is idle. Runners that ended while idle are
   * dropped.
   */
  takeIdle(): Runner | undefined;
  /**
   * Returns an idle runner, or else a new one; undefined if the maximum is reached. Throws what `start`
   * throws.
   */
  take(): Runner | undefined;
  /**
   * Takes back a runner whose job is over. `usable`: true if it can take another job; otherwise it is ended.
   */
  release(runner: Runner, usable: boolean): void;
  resize(size: number): void;
  /** `waiting`: busy runners whose job waits for bytes without its permit. */
  status(): {
    readonly size: number;
    readonly workers: number;
    readonly busy: number;
    readonly waiting: number;
  };
  /** Returns the memory of all runners in bytes, as far as they have reported it. */
  memory(): Promise<number>;
  /** Ends all runners. */
  close(): void;
}

/** Creates the runners of a pool, none of them started yet. */
export function createRunners({ start, linger, ...options }: RunnersOptions): Runners {
  let { size } = options;
  /** Idle runners, the most recently used one last. */
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

  /** Ends surplus runners that have been idle for at least `ms` milliseconds. */
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
