// The file calls of a store, of which only a few can hang.
//
// A call that a dead mount never completes blocks a thread of the runtime forever, and the runtime has few
// threads (four on Node) for all file calls of the process. So a store limits its simultaneous calls. A call
// that misses its deadline fails, but keeps its permit until it ends; when only such calls are left, further
// ones fail immediately.

import { createLane, type FileSystem } from "../../../base/index.ts";

/** File operations of a store. */
export type EntryFiles = Pick<
  FileSystem,
  "stat" | "readFile" | "list" | "writeFile" | "touch" | "remove" | "space"
>;

/** Milliseconds. */
export interface FileDeadlines {
  readonly read: number;
  /** For a file's facts, each part of a listing, and the space of a volume. */
  readonly look: number;
  readonly write: number;
  readonly remove: number;
}

/** Deadlines that a slow disk meets: a write is synced, and a folder is removed with all of its contents. */
const usual: FileDeadlines = { read: 2000, look: 3000, write: 10_000, remove: 30_000 };

export interface BoundedFiles extends EntryFiles {
  /** Resolves when no write is under way that missed its deadline, and may still land. */
  lateWrites(): Promise<void>;
}

/**
 * The files under deadlines, with at most `calls` calls under way: half of them for reads, the others for the
 * rest.
 */
export function boundFiles(
  files: EntryFiles,
  calls = Number.POSITIVE_INFINITY,
  { read, look, write, remove }: FileDeadlines = usual,
): BoundedFiles {
  const reads = createLane(Math.ceil(calls / 2), timeoutError);
  const others = calls > 1 ? createLane(Math.floor(calls / 2), timeoutError) : reads;
  /** Late calls by path. */
  const late = new Map<string, Promise<void>>();
  const { touch, space } = files;
  return {
    stat: (path) => others(look, () => files.stat(path)),
    readFile: (path, options) => reads(read, () => files.readFile(path, options)),
    async *list(path) {
      const entries = files.list(path)[Symbol.asyncIterator]();
      for (;;) {
        const { done, value } = await others(look, () => entries.next());
        if (done) return;
        yield value;
      }
    },
    writeFile(path, data, options) {
      // Its older data could overwrite this one.
      if (late.has(path)) return Promise.reject(timeoutError());
      const act = () => files.writeFile(path, data, options);
      return others(write, act, (call) => {
        const onEnd = () => void late.delete(path);
        late.set(path, call.then(onEnd, onEnd));
      });
    },
    ...(touch ? { touch: (path: string) => reads(read, () => touch(path)) } : {}),
    ...(space ? { space: (path: string) => others(look, () => space(path)) } : {}),
    remove: (path) => others(remove, () => files.remove(path)),
    async lateWrites() {
      await Promise.all(late.values());
    },
  };
}

const timeoutError = () =>
  Object.assign(new Error("The folder of the store does not respond. Check its mount and its disk."), {
    code: "ETIMEDOUT",
  });
