// The files that a worker reads: opened by itself, checked to be what the main thread has checked, and kept open for a
// while, since the tiles of an image come one after another.

import { ServiceError, sourceChanged } from "../errors.ts";
import type { ByteRange, ByteSource } from "../imaging/lib/byte-source.ts";
import { createLru } from "../imaging/lib/lru.ts";
import { createDeadline } from "../lib/concurrency/deadline.ts";
import type { JobClock } from "../lib/telemetry/job-clock.ts";
import type { JobFile } from "./messages.ts";

/** An open file of the runtime; methods throw what the runtime throws. */
export interface HostFile {
  /** Of what is open, as it is now, whatever stands at its path. */
  stat(): { readonly size: number; readonly id?: string };
  /** As {@link ByteSource.read}. */
  read(offset: number, length: number): Uint8Array;
  /** As {@link ByteSource.borrow}, without waiting. */
  borrow(ranges: readonly ByteRange[]): readonly Uint8Array[];
  close(): void;
}

export interface OpenFiles {
  /**
   * The bytes of a file, until {@link rest} or the next one; the clock measures their reads. Throws ServiceError `source`, and `changed` for
   * another file than the one that was checked.
   */
  open(file: JobFile, clock?: Pick<JobClock, "readNow">): ByteSource;
  /**
   * Whether the file that was opened last still is what was checked. False also where that cannot be seen: the runtime
   * numbers no files.
   */
  unchanged(): boolean;
  /** The job that opened a file has ended. */
  rest(): void;
}

/** Files that stay open at most, and how long after the last job. */
const kept = 8;
const keptMs = 5000;

/**
 * Files over a runtime's way to open one. What is open cannot be exchanged for another file, and what was written to it
 * since it was checked is seen by its number, which changes with it.
 */
export function openFiles(openFile: (path: string) => HostFile): OpenFiles {
  const files = createLru<string, HostFile>(kept, (_, file) => file.close());
  const idle = createDeadline(() => {
    for (const path of [...files.keys()]) forget(path);
  });

  const forget = (path: string) => {
    const file = files.get(path);
    files.delete(path);
    file?.close();
  };

  const checked = (wanted: JobFile): HostFile => {
    const { path, id } = wanted;
    const known = files.get(path);
    if (known && id !== undefined && isAsChecked(known, wanted)) return known;
    forget(path);
    const file = openFile(path);
    files.set(path, file, 1);
    if (isAsChecked(file, wanted)) return file;
    forget(path);
    throw sourceChanged();
  };

  let last: { readonly file: HostFile; readonly wanted: JobFile } | undefined;

  return {
    open(wanted, clock) {
      idle.met();
      last = undefined;
      const file = orUnreadable(() => checked(wanted));
      last = { file, wanted };
      const readNow = (read: () => readonly Uint8Array[]) =>
        orUnreadable(() => (clock ? clock.readNow(read) : read()));
      return {
        size: wanted.size,
        borrow: (ranges) => readNow(() => file.borrow(ranges)),
        // Read before it returns: a promise that is settled costs less than a function that may wait.
        read(offset, length) {
          try {
            const [bytes] = readNow(() => [file.read(offset, length)]);
            return Promise.resolve(bytes as Uint8Array);
          } catch (error) {
            return Promise.reject(error);
          }
        },
      };
    },
    unchanged() {
      try {
        return last?.wanted.id !== undefined && isAsChecked(last.file, last.wanted);
      } catch {
        return false;
      }
    },
    rest: () => idle.expect(keptMs),
  };
}

function isAsChecked(file: HostFile, { size, id }: JobFile): boolean {
  const now = file.stat();
  return now.size === size && now.id === id;
}

function orUnreadable<T>(act: () => T): T {
  try {
    return act();
  } catch (cause) {
    if (cause instanceof ServiceError) throw cause;
    throw new ServiceError("source", "The source file could not be read.", { cause });
  }
}
