// A file of the operator's that is read again when it changes. The last good content stays in effect while
// the new one is broken.

import { sha256, toHex } from "./bytes/digest.ts";
import { withDeadline } from "./concurrency/bounded-wait.ts";
import { messageOf, ServiceError } from "./errors.ts";
import type { FileStat, FileSystem } from "./platform.ts";
import type { Log } from "./telemetry/log.ts";
import { maskUrls } from "./telemetry/mask.ts";

export interface WatchedFile<T> {
  /** Returns the last valid contents. */
  current(): T;
  /**
   * Checks for a change, at most once a second, and reads the changed file. Returns undefined if it was
   * checked a moment ago. Never rejects, and never takes longer than a second: a hanging disk is not waited
   * for.
   */
  refresh(): Promise<void> | undefined;
  /**
   * Why the current file is not in effect, in words for the operator without its path; undefined if it is.
   */
  problem(): string | undefined;
}

export interface WatchOptions<T> {
  /** Absolute. */
  readonly path: string;
  readonly files: FileSystem | undefined;
  readonly log: Pick<Log, "info" | "error">;
  /** Owner of the file, such as `hook`, for the log. */
  readonly of: string;
  /** The key of the configuration that names the file. */
  readonly key: string;
  /**
   * Parses the bytes. Throws with the reason, in words for the operator; a ServiceError `busy` says nothing
   * about the file, which is read again.
   */
  readonly read: (bytes: Uint8Array) => T | Promise<T>;
  /** Milliseconds, never going back. */
  readonly now?: () => number;
}

/** Milliseconds between two checks. */
const lookEveryMs = 1000;
/** Milliseconds without a check after a file could not be read because this machine is busy. */
const busyMs = 60_000;
/** Milliseconds that a call waits for a check. */
const maxWaitMs = 1000;
/** Milliseconds after which a further change of a file has another time. */
const freshMs = 2500;
/** Bytes; a larger file is refused. */
export const maxFileBytes = 64 * 2 ** 20;

/** Reads a file for the first time. Throws an Error that names the key if it cannot be read or is invalid. */
export async function watchFile<T>(options: WatchOptions<T>): Promise<WatchedFile<T>> {
  const { path, files, log, of, key, now = () => performance.now() } = options;
  if (!files) throw new Error(`${key}: this runtime has no access to files, so it cannot be read`);
  const readBytes = async (): Promise<Uint8Array> => {
    const size = (await files.stat(path))?.size ?? 0;
    if (size > maxFileBytes)
      throw new Error(`the file has ${size} bytes, more than the ${maxFileBytes} that are read`);
    const bytes = await files.readFile(path);
    if (!bytes) throw new Error("the file does not exist; create it, or correct its name");
    return bytes;
  };

  // Before the first reading, so that a change during it is seen.
  let seen = stateOf(await files.stat(path).catch(() => undefined));
  /** Digest of the contents in effect. */
  let inForce: string;
  let current: T;
  try {
    const bytes = await readBytes();
    inForce = toHex(await sha256(bytes));
    current = await options.read(bytes);
  } catch (error) {
    throw new Error(`${key}: ${path}: ${reasonOf(error)}`, { cause: error });
  }
  let problem: string | undefined;
  let looked = now();
  let looking: Promise<void> | undefined;

  const look = async () => {
    let wasRead = false;
    try {
      const state = stateOf(await files.stat(path));
      if (state.text === seen.text && !seen.isFresh) return;
      // Recorded before reading: a write in between is another change.
      seen = state;
      const bytes = await readBytes();
      const digest = toHex(await sha256(bytes));
      if (digest === inForce && !problem) return;
      wasRead = true;
      if (digest !== inForce) current = await options.read(bytes);
      inForce = digest;
      problem = undefined;
      log.info(`the file of the ${of} was read again`, { key });
    } catch (error) {
      // A file that could not be checked or read may look the same the next time.
      const isBusy = error instanceof ServiceError && error.kind === "busy";
      if (!wasRead || isBusy) seen = unseen;
      if (isBusy) looked = now() + busyMs;
      const reason = reasonOf(error);
      if (reason !== problem)
        log.error(`the file of the ${of} has changed and cannot be used; the previous one stays in effect`, {
          key,
          file: path,
          error: reason,
        });
      problem = reason;
    }
  };

  return {
    current: () => current,
    problem: () =>
      problem && `the file has changed and cannot be used; the previous one stays in effect: ${problem}`,
    refresh() {
      if (!looking) {
        if (now() - looked < lookEveryMs) return undefined;
        looked = now();
        looking = look().finally(() => {
          looking = undefined;
        });
      }
      const look_ = looking;
      return withDeadline(maxWaitMs, () => look_).catch(() => {});
    },
  };
}

/** State of a file that the next check has to read in any case. */
const unseen: State = { text: "", isFresh: true };

interface State {
  /** Changes with the file; a file that does not exist has one too. */
  readonly text: string;
  /** It was written so recently that another write may leave no trace: some disks have whole seconds. */
  readonly isFresh: boolean;
}

function stateOf(stat: FileStat | undefined): State {
  if (!stat) return { text: "missing", isFresh: false };
  const modified = stat.modified.getTime();
  return {
    text: `${modified} ${stat.changed?.getTime()} ${stat.size} ${stat.id}`,
    isFresh: Math.abs(Date.now() - modified) < freshMs,
  };
}

const reasonOf = (error: unknown) => maskUrls(messageOf(error));
