import { describe, expect, it } from "vitest";
import { nodeFiles } from "../../../../src/server/platform/files/node-files.ts";
import { boundFiles, type EntryFiles } from "../../../../src/server/stores/filesystem/entry-files.ts";

/** Longer than any test may take, but for what hangs. */
const deadlines = { read: 20, look: 60_000, write: 20, remove: 60_000 };

/** Files whose calls on paths that begin with /hangs hang until they are released. */
function hanging() {
  const state = { calls: 0, release: () => {} };
  const released = new Promise<void>((resolve) => {
    state.release = resolve;
  });
  const answer = async (path: string) => {
    state.calls++;
    if (path.startsWith("/hangs")) await released;
  };
  const files: EntryFiles = {
    ...nodeFiles(),
    readFile: async (path) => {
      await answer(path);
      return Uint8Array.of(path.length);
    },
    writeFile: answer,
    stat: async (path) => {
      await answer(path);
      return undefined;
    },
  };
  return { state, files };
}

describe("the files of a store", () => {
  it("make no more calls than allowed, and fail immediately when all the others hang", async () => {
    const { state, files } = hanging();
    const bound = boundFiles(files, 4, deadlines);
    const reads = Array.from({ length: 10 }, (_, i) => bound.readFile(`/hangs/${i}`));
    for (const { status } of await Promise.allSettled(reads)) expect(status).toBe("rejected");
    await expect(bound.readFile("/works")).rejects.toThrow("does not respond");
    expect(state.calls).toBe(2);
    // The other half of the calls is reserved for non-reads.
    expect(await bound.stat("/works")).toBeUndefined();
  });

  it("work again when hanging calls have ended", async () => {
    const { state, files } = hanging();
    const bound = boundFiles(files, 1, deadlines);
    await expect(bound.readFile("/hangs")).rejects.toThrow("does not respond");
    await expect(bound.readFile("/works")).rejects.toThrow("does not respond");
    state.release();
    await new Promise((resolve) => setTimeout(resolve));
    expect(await bound.readFile("/works")).toEqual(Uint8Array.of(6));
  });

  it("are used while one call of several hangs, and calls wait for their turn", async () => {
    const { files } = hanging();
    const bound = boundFiles(files, 4, deadlines);
    await expect(bound.readFile("/hangs")).rejects.toThrow("does not respond");
    const reads = Array.from({ length: 50 }, () => bound.readFile("/works"));
    expect(await Promise.all(reads)).toEqual(Array(50).fill(Uint8Array.of(6)));
  });

  it("know of writes that may land after their deadline, and write the same file no second time before", async () => {
    const { state, files } = hanging();
    const bound = boundFiles(files, 8, deadlines);
    await expect(bound.writeFile("/hangs", Uint8Array.of(1))).rejects.toThrow("does not respond");
    await expect(bound.writeFile("/hangs", Uint8Array.of(2))).rejects.toThrow("does not respond");
    expect(state.calls).toBe(1);
    let landed = false;
    const late = bound.lateWrites().then(() => {
      landed = true;
    });
    await bound.writeFile("/works", Uint8Array.of(1));
    expect(landed).toBe(false);
    state.release();
    await late;
    await bound.writeFile("/hangs", Uint8Array.of(2));
    expect(state.calls).toBe(3);
  });
});
