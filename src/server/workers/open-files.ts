// Files that a worker reads. The worker opens them, verifies that they are the ones that the main thread has
// checked, and keeps them open for a while, since tiles of an image are requested in succession.

import {
  type ByteRange,
  type ByteSource,
  createDeadline,
  createLru,
  type JobClock,
  ServiceError,
  sectionOf,
  sourceChangedError,
} from "../../base/index.ts";
import type { JobFile } from "./messages.ts";

/** An open file of the runtime. Its methods throw the errors of the runtime. */
export interface HostFile {
  /** Returns the current facts of the open file, even if another one is now at its path. */
  stat(): { readonly size: number; readonly id?: string };
  /** See {@link ByteSource.read}. */
  read(offset: number, length: number): Uint8Array;
  /** See {@link ByteSource.borrow}; never waits. */
  borrow(ranges: readonly ByteRange[]): readonly Uint8Array[];
  close(): void;
}

export interface OpenFiles {
  /**
   * Opens a file and returns its bytes, or those of its section; they may be read until {@link rest} or the
   * next `open`. The clock measures reads. Throws ServiceError `source`, and `changed` if the file is not the
   * checked one.
   */
  open(file: JobFile, clock?: Pick<JobClock, "readNow">): ByteSource;
  /**
   * True if the file opened last is still the checked one. False also if that is unknown, since the runtime
   * has no file numbers.
   */
  isUnchanged(): boolean;
  /** Called when a job that opened a file has ended. */
  rest(): void;
}

/** Maximum number of open files; they are closed `keptMs` milliseconds after the last job. */
const maxOpen = 8;
const openMs = 5000;

/**
 * Creates the open files of a worker. An open file cannot be replaced by another one, and a write to it after
 * the check changes its file number.
 */
export function openFiles(openFile: (path: string) => HostFile): OpenFiles {
  const files = createLru<string, HostFile>(maxOpen, (_, file) => file.close());
  const idle = createDeadline(() => {
    for (const path of [...files.keys()]) forget(path);
  });

  const forget = (path: string) => {
    const file = files.get(path);
    files.delete(path);
    file?.close();
  };

  const checkFile = (wanted: JobFile): HostFile => {
    const { path, id } = wanted;
    const known = files.get(path);
    if (known && id !== undefined && isAsChecked(known, wanted)) return known;
    forget(path);
    const file = openFile(path);
    files.set(path, file, 1);
    if (isAsChecked(file, wanted)) return file;
    forget(path);
    throw sourceChangedError();
  };

  let last: { readonly file: HostFile; readonly wanted: JobFile } | undefined;

  return {
    open(wanted, clock) {
      idle.met();
      last = undefined;
      const file = orUnreadable(() => checkFile(wanted));
      last = { file, wanted };
      const readNow = (read: () => readonly Uint8Array[]) =>
        orUnreadable(() => (clock ? clock.readNow(read) : read()));
      const bytes: ByteSource = {
        size: wanted.size,
        borrow: (ranges) => readNow(() => file.borrow(ranges)),
        // Reads before it returns: a settled promise is cheaper than an async function.
        read(offset, length) {
          try {
            const [bytes] = readNow(() => [file.read(offset, length)]);
            return Promise.resolve(bytes as Uint8Array);
          } catch (error) {
            return Promise.reject(error);
          }
        },
      };
      const { section } = wanted;
      return section ? sectionOf(bytes, section.offset, section.length) : bytes;
    },
    isUnchanged() {
      try {
        return last?.wanted.id !== undefined && isAsChecked(last.file, last.wanted);
      } catch {
        return false;
      }
    },
    rest: () => idle.expect(openMs),
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
