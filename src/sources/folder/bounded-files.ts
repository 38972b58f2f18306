// The file calls of a source under a deadline, so that a mount that never answers is an error of the source and nobody waits for ever.

import { createLane } from "../../lib/concurrency/lane.ts";
import type { FileSystem, OpenFile } from "../../platform/platform.ts";

/** What a source does with files. */
export type MasterFiles = Pick<FileSystem, "stat" | "realPath" | "open" | "list">;

/**
 * The files with at most `calls` calls under way, each of which fails (code ETIMEDOUT) after `timeoutMs`; 0: no limit. While all that
 * may be under way hang, further calls fail at once.
 */
export function boundMasterFiles(files: MasterFiles, calls: number, timeoutMs: number): MasterFiles {
  if (timeoutMs === 0) return files;
  const lane = createLane(calls, unanswered);
  const opened = (file: OpenFile): OpenFile => ({
    ...file,
    read: (offset, length) => lane(timeoutMs, () => file.read(offset, length)),
  });
  return {
    stat: (path) => lane(timeoutMs, () => files.stat(path)),
    realPath: (path) => lane(timeoutMs, () => files.realPath(path)),
    async open(path) {
      const closeLater = (call: Promise<OpenFile>) => void call.then((file) => file.close()).catch(() => {});
      return opened(await lane(timeoutMs, () => files.open(path), closeLater));
    },
    async *list(path) {
      const entries = files.list(path)[Symbol.asyncIterator]();
      try {
        for (;;) {
          const { done, value } = await lane(timeoutMs, () => entries.next());
          if (done) return;
          yield value;
        }
      } finally {
        // Not awaited: behind a call that hangs it would hang as well.
        void entries.return?.().catch(() => {});
      }
    },
  };
}

const unanswered = () =>
  Object.assign(new Error("The folder of the source does not answer."), { code: "ETIMEDOUT" });
