// The runners of a pool: started on demand, and ended when they are surplus or idle.

import type { Runner } from "./runner.ts";

/**
 * Milliseconds that a runner stays idle before it ends: starting one costs more than a tile, and an idle one
 * keeps about 100 MB, since an isolate without work does not collect its garbage.
 */
const idleMs = 10_000;

/** If the last runner holds more bytes than this when it is idle, a new one takes its turn. */
const lastBytes = 64 * 1024 * 1024;

export interface RunnersOptions {
  /** Maximum number of working runners; more are started while jobs wait without their permit. */
  readonly size: number;
  /** Starts a runner. `first`: true if there is no other. Throws if none can be started. */
  start(options: { readonly warm: boolean; readonly first: boolean }): Runner;
  /**
   * True if idle runners stay for a while, and then end; false if timers cannot outlive their request, so
   * that surplus ones end immediately and the others stay.
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

interface Idle {
  readonly runner: Runner;
  /** Time since which it is idle, by `performance.now()`. */
  readonly since: number;
}

const idleUntil = ({ since }: Idle) => since + idleMs;

/** Creates the runners of a pool, none of them started yet. */
export function createRunners({ start, linger, ...options }: RunnersOptions): Runners {
  let { size } = options;
  /** Idle runners, the most recently used one last. */
  const idle: Idle[] = [];
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

  const countWaiting = () => [...all].filter((runner) => runner.waits()).length;
  const hasRoom = () => all.size - idle.length - countWaiting() < size;

  /** Ends surplus runners that are idle. */
  const trim = () => {
    while (all.size > size && idle[0]) end(idle.shift()!.runner);
  };

  /** Ends runners that have been idle for long, but the last one, which is replaced if it holds much. */
  const retire = () => {
    while (all.size > 1 && idle[0] && idleUntil(idle[0]) <= performance.now()) end(idle.shift()!.runner);
    const last = idle[0];
    if (last && all.size === 1 && idleUntil(last) <= performance.now())
      refresh(last).catch(() => {}); // if no other can be started, it stays
    else retireLater();
  };
  const refresh = async (last: Idle) => {
    const bytes = (await last.runner.memory?.()) ?? 0;
    if (bytes <= lastBytes || idle[0] !== last || all.size > 1) return;
    rest(begin(true));
    idle.shift();
    end(last.runner);
  };
  let retiring: ReturnType<typeof setTimeout> | undefined;
  const retireLater = () => {
    if (!idle[0] || retiring !== undefined) return;
    retiring = setTimeout(
      () => {
        retiring = undefined;
        retire();
      },
      Math.max(1, Math.ceil(idleUntil(idle[0]) - performance.now())),
    );
    (retiring as { unref?(): void }).unref?.();
  };

  return {
    warmUp: () => void rest(begin(true)),
    hasRoom,
    takeIdle,
    take: () => (hasRoom() ? (takeIdle() ?? begin(false)) : undefined),
    release(runner, usable) {
      if (usable) rest(runner);
      else end(runner);
      if (linger) retireLater();
      else trim();
    },
    resize(wanted) {
      size = wanted;
      trim();
    },
    status: () => ({ size, workers: all.size, busy: all.size - idle.length, waiting: countWaiting() }),
    async memory() {
      const each = await Promise.all([...all].map((runner) => runner.memory?.()));
      return each.reduce<number>((sum, bytes = 0) => sum + bytes, 0);
    },
    close() {
      clearTimeout(retiring);
      for (const runner of all) runner.kill();
      all.clear();
      idle.length = 0;
    },
  };
}
