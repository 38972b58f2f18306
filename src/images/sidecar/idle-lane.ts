// The lane of idle work: what later requests may need, made while no request needs a permit.

import { ServiceError } from "../../errors.ts";

export interface IdleTask {
  /** Runs it; it ends early when the signal aborts, and then runs again later. */
  run(signal: AbortSignal): Promise<void>;
  /** False if its result would be of no use any more. */
  isWanted(): boolean;
  /** Called if it is dropped: it is not wanted, or nobody has asked for it again within its time. */
  dropped(): void;
}

export interface IdleLane {
  /** Adds a task; it waits for those before it. */
  add(id: string, task: IdleTask): void;
  /** Notes that a waiting task was asked for again. One that many requests ask for is no idle work. */
  note(id: string): void;
  /** Runs all waiting tasks without regard for requests, and resolves when they are over. */
  settle(): Promise<void>;
}

interface Waiting extends IdleTask {
  /** Number of times that it was asked for, and the last time in milliseconds. */
  asked: number;
  at: number;
}

/** Milliseconds between two looks at whether requests wait. */
const pauseMs = 50;
/** Milliseconds after which a waiting task is dropped unless it is asked for again. */
const patienceMs = 60_000;
/** A task that this many requests have asked for no longer gives way. */
const mostAsked = 16;
/** Maximum number of waiting tasks; one more drops the first. */
const mostWaiting = 64;

/**
 * Creates a lane that runs one task at a time. `load` returns the jobs of requests and of the lane that run,
 * and those that wait for a permit; `now` the time in milliseconds.
 */
export function createIdleLane(
  load: () => { readonly running: number; readonly waiting: number },
  now: () => number,
): IdleLane {
  const waiting = new Map<string, Waiting>();
  let working: Promise<void> | undefined;
  let hurried = false;
  const pause = () => new Promise((resolve) => setTimeout(resolve, pauseMs));
  const givesWay = ({ asked }: Waiting) => !hurried && asked < mostAsked;

  const drop = (id: string, task: Waiting) => {
    waiting.delete(id);
    task.dropped();
  };
  const dropStale = () => {
    for (const [id, task] of waiting) {
      if (!task.isWanted() || now() - task.at > patienceMs) drop(id, task);
    }
  };
  /** Waits until a task may run, and returns it. */
  const next = async (): Promise<[string, Waiting] | undefined> => {
    for (;;) {
      dropStale();
      const tasks = [...waiting];
      const { running, waiting: requests } = load();
      const found = running + requests === 0 ? tasks[0] : tasks.find(([, task]) => !givesWay(task));
      if (found || tasks.length === 0) return found;
      await pause();
    }
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
    for (let found = await next(); found; found = await next()) {
      const [id, task] = found;
      if (await runTask(task)) waiting.delete(id);
    }
    working = undefined;
  };

  return {
    add(id, task) {
      const [first] = waiting;
      if (first && waiting.size >= mostWaiting) drop(...first);
      waiting.set(id, { ...task, asked: 0, at: now() });
      working ??= work();
    },
    note(id) {
      const task = waiting.get(id);
      if (!task) return;
      task.asked++;
      task.at = now();
    },
    async settle() {
      hurried = true;
      await working;
      hurried = false;
    },
  };
}
