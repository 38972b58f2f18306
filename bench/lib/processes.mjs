// CPU time and memory of a process and everything it started, from /proc (Linux only; elsewhere undefined).

import { readdirSync, readFileSync } from "node:fs";
import { setTimeout as pause } from "node:timers/promises";

const startWords = JSON.parse(
  readFileSync(new URL("../../package.json", import.meta.url), "utf8"),
).scripts.start.split(" ");

/** The flags that `npm start` passes to Node. */
export const nodeFlags = startWords.filter((word) => word.startsWith("--"));

/** The variables that `npm start` sets. */
export const nodeVariables = Object.fromEntries(
  startWords.filter((word) => /^[A-Z_]+=/.test(word)).map((word) => word.split("=")),
);

/** Linux counts CPU time in hundredths of a second, so differences are exact to 10 ms. */
const millisecondsPerTick = 10;

/**
 * Returns the usage of the process tree under `pid`: user and system time so far in ms, including ended
 * children, and the sum of the largest resident memory of each process, in bytes.
 */
export function usage(pid) {
  if (process.platform !== "linux") return undefined;
  let cpu = 0;
  let peak = 0;
  for (const each of tree(pid)) {
    const fields = statistics(each);
    if (!fields) continue;
    for (const ticks of fields.slice(11, 15)) cpu += Number(ticks) * millisecondsPerTick;
    peak += highWater(each);
  }
  return { cpu, peak };
}

/**
 * Nanoseconds of CPU time that each thread of one process has used, by its id; that of the main thread is
 * `pid`.
 */
export function threadTimes(pid) {
  const times = threadsOf(pid).map((thread) => [
    Number(thread),
    readOrNothing(`/proc/${pid}/task/${thread}/schedstat`)?.split(" ")[0],
  ]);
  return new Map(times.filter(([, ns]) => ns !== undefined).map(([thread, ns]) => [thread, Number(ns)]));
}

/** A reading for `spentExactly` of the tree of processes under `pid`. */
export const exactUsage = (pid) => ({
  ...usage(pid),
  threads: new Map(tree(pid).flatMap((each) => [...threadTimes(each)])),
});

/**
 * CPU milliseconds between two readings of `exactUsage`: by the clock of each thread, which is exact but
 * knows only threads that still run, unless the one of the processes, which counts steps of 10 ms, shows that
 * others have ended.
 */
export function spentExactly(before, after) {
  let exact = 0;
  for (const [thread, ns] of after.threads) exact += (ns - (before.threads.get(thread) ?? 0)) / 1e6;
  const counted = after.cpu - before.cpu;
  return counted - exact > 2 * millisecondsPerTick ? counted : exact;
}

/**
 * Returns the reading of `exactUsage` after which a process has used less than 4 ms in half a second, at most
 * 20 s later.
 */
export async function idle(pid) {
  let last = exactUsage(pid);
  for (const end = Date.now() + 20_000; Date.now() < end; ) {
    await pause(500);
    const now = exactUsage(pid);
    if (spentExactly(last, now) < 4) return now;
    last = now;
  }
  return last;
}

/** CPU milliseconds that the tree used between two readings. */
export const spent = (before, after) => (before && after ? after.cpu - before.cpu : undefined);

function threadsOf(pid) {
  try {
    return readdirSync(`/proc/${pid}/task`);
  } catch {
    return []; // it has ended
  }
}

function tree(pid) {
  const children = new Map();
  for (const name of readdirSync("/proc")) {
    const parent = /^\d+$/.test(name) ? Number(statistics(name)?.[1]) : Number.NaN;
    if (parent) children.set(parent, [...(children.get(parent) ?? []), Number(name)]);
  }
  const found = [pid];
  for (const each of found) found.push(...(children.get(each) ?? []));
  return found;
}

/**
 * Fields of /proc/PID/stat after the name: state, parent, … (proc(5)); undefined for a process that has
 * ended.
 */
function statistics(pid) {
  const text = readOrNothing(`/proc/${pid}/stat`);
  return text?.slice(text.lastIndexOf(")") + 2).split(" ");
}

const highWater = (pid) => statusBytes(pid, "VmHWM");

/** Resident memory of one process now, in bytes. */
export const resident = (pid) => statusBytes(pid, "VmRSS");

/** A line of /proc/PID/status in kibibytes, as bytes; 0 for a process that has ended. */
function statusBytes(pid, name) {
  const line = new RegExp(`^${name}:\\s*(\\d+)`, "m");
  return Number(line.exec(readOrNothing(`/proc/${pid}/status`) ?? "")?.[1] ?? 0) * 1024;
}

function readOrNothing(path) {
  try {
    return readFileSync(path, "utf8");
  } catch {
    return undefined;
  }
}
