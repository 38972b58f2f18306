// Bounds the file operations of a source by a deadline, so that a mount that never responds causes an error
// of the source and nothing waits forever.

import { createLane, type FileSystem, type OpenFile } from "../../../base/index.ts";

/** File operations of a source. */
export type MasterFiles = Pick<FileSystem, "stat" | "realPath" | "open" | "openPlain" | "list">;

/**
 * Returns `files` with at most `calls` simultaneous calls, each of which fails after `timeoutMs` (code
 * ETIMEDOUT); 0: no limits. While all of them hang, further calls fail immediately.
 */
export function boundMasterFiles(files: MasterFiles, calls: number, timeoutMs: number): MasterFiles {
  if (timeoutMs === 0) return files;
  const lane = createLane(calls, timeoutError);
  const boundFile = (file: OpenFile): OpenFile => ({
    ...file,
    read: (offset, length) => lane(timeoutMs, () => file.read(offset, length)),
  });
  const closeLater = (call: Promise<OpenFile | undefined>) =>
    void call.then((file) => file?.close()).catch(() => {});
  return {
    stat: (path) => lane(timeoutMs, () => files.stat(path)),
    realPath: (path) => lane(timeoutMs, () => files.realPath(path)),
    open: async (path) => boundFile(await lane(timeoutMs, () => files.open(path), closeLater)),
    ...(files.openPlain && {
      async openPlain(path: string) {
        const file = await lane(timeoutMs, () => files.openPlain!(path), closeLater);
        return file && boundFile(file);
      },
    }),
    async *list(path) {
      const entries = files.list(path)[Symbol.asyncIterator]();
      try {
        for (;;) {
          const { done, value } = await lane(timeoutMs, () => entries.next());
          if (done) return;
          yield value;
        }
      } finally {
        // Not awaited: if a call hangs, this would hang as well.
        void entries.return?.().catch(() => {});
      }
    },
  };
}

const timeoutError = () =>
  Object.assign(new Error("The folder of the source does not respond."), { code: "ETIMEDOUT" });
