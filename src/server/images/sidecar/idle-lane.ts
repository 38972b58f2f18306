// The lane of idle work: what later requests may need, made while no request needs a permit.

import { ServiceError } from "../../../base/index.ts";

export interface IdleTask {
  /** Runs it; it ends early when the signal aborts, and then runs again later. */
  run(signal: AbortSignal): Promise<void>;
  /** False if its result would be of no use any more. */
  isWanted(): boolean;
  /** Called if it is dropped: it is not wanted, or nobody has asked for it again within its time. */
  dropped(): void;
}

export interface IdleLane {
  /** Adds a task under an id that no task has; it waits for those before it. */
  add(id: string, task: IdleTask): void;
  /** Notes that a waiting task was asked for again. One that many requests ask for is no idle work. */
  note(id: string): void;
  /** Runs the tasks with these ids, or all, without regard for requests; resolves when they are over. */
  settle(ids?: readonly string[]): Promise<void>;
}

interface Waiting extends IdleTask {
  readonly over: Promise<void>;
  readonly end: () => void;
  /** Number of times that it was asked for, and the last time in milliseconds. */
  asked: number;
  at: number;
  isHurried: boolean;
  isRunning: boolean;
}

/** Milliseconds between two looks at whether requests wait. */
const pauseMs = 50;
/** Milliseconds after which a waiting task is dropped unless it is asked for again. */
const patienceMs = 60_000;
/** A task that this many requests have asked for no longer gives way. */
const maxAsked = 8;
/** Maximum number of waiting tasks; one more drops the first. */
const maxWaiting = 64;

/**
 * Creates a lane that runs one task at a time. `load` returns the jobs of requests and of the lane that run,
 * and those that wait for a permit; `now` the time in milliseconds.
 */
export function createIdleLane(
  load: () => { readonly running: number; readonly waiting: number },
  now: () => number,
): IdleLane {
  const waiting = new Map<string, Waiting>();
  let isWorking = false;
  const pause = () => new Promise((resolve) => setTimeout(resolve, pauseMs));
  const givesWay = ({ isHurried, asked }: Waiting) => !isHurried && asked < maxAsked;

  const remove = (id: string, { end }: Waiting) => {
    waiting.delete(id);
    end();
  };
  const drop = (id: string, task: Waiting) => {
    remove(id, task);
    task.dropped();
  };
  const dropStale = () => {
    for (const [id, task] of waiting) if (!task.isWanted() || now() - task.at > patienceMs) drop(id, task);
  };
  /** Returns a task that may run now. */
  const choose = (): [string, Waiting] | undefined => {
    const tasks = [...waiting];
    const urgent = tasks.find(([, task]) => !givesWay(task));
    const { running, waiting: requests } = load();
    return urgent ?? (running + requests === 0 ? tasks[0] : undefined);
  };
  /** Runs a task; returns false if it gave way to a request. */
  const runTask = async (task: Waiting): Promise<boolean> => {
    const ending = new AbortController();
    let isOver = false;
    const over = task
      .run(ending.signal)
      .catch(() => {})
      .finally(() => {
        isOver = true;
      });
    while (!isOver) {
      await Promise.race([over, pause()]);
      if (isOver || !givesWay(task) || load().waiting === 0) continue;
      ending.abort(new ServiceError("cancelled", "Requests need the permit of this work."));
      await over;
      return false;
    }
    return true;
  };
  const work = async () => {
    isWorking = true;
    while (waiting.size > 0) {
      dropStale();
      const [id, task] = choose() ?? [];
      if (id === undefined || !task) await pause();
      else {
        task.isRunning = true;
        if (await runTask(task)) remove(id, task);
        task.isRunning = false;
      }
    }
    isWorking = false;
  };

  return {
    add(id, task) {
      const first =
        waiting.size >= maxWaiting ? [...waiting].find(([, { isRunning }]) => !isRunning) : undefined;
      if (first) drop(...first);
      let end = () => {};
      const over = new Promise<void>((resolve) => (end = resolve));
      waiting.set(id, { ...task, over, end, asked: 0, at: now(), isHurried: false, isRunning: false });
      if (!isWorking) void work();
    },
    note(id) {
      const task = waiting.get(id);
      if (!task) return;
      task.asked++;
      task.at = now();
    },
    async settle(ids = [...waiting.keys()]) {
      const tasks = ids.flatMap((id) => waiting.get(id) ?? []);
      for (const task of tasks) task.isHurried = true;
      await Promise.all(tasks.map(({ over }) => over));
    },
  };
}
