// The contract of every source. Each backend's test calls this.

import { describe, expect, it } from "vitest";
import type { Source } from "../../src/server/sources/source.ts";
import { readCounts } from "../counts.ts";

export interface SourceContract {
  /** A source that holds the master, opened once for all tests. */
  readonly source: () => Source;
  /** The key of a master, and its bytes. */
  readonly key: string;
  readonly content: () => Uint8Array;
  /** Number of files that are opened to find out that a master is missing: those that could hold it. */
  readonly opensToMiss?: number;
}

export function sourceContract(
  backend: string,
  { source, key, content, opensToMiss = 0 }: SourceContract,
): void {
  describe(`a ${backend} source`, () => {
    const open = async () => {
      const image = await source().open(key);
      if (!image) throw new Error("the master of the contract is not there");
      return image;
    };

    it("can be used", async () => {
      await expect(source().check()).resolves.toBeUndefined();
    });

    it("reports its backend", () => {
      expect(source().backend).toBe(backend);
    });

    it("returns the bytes of a master by any range, fewer only at its end", async () => {
      const image = await open();
      const all = content();
      const ranges = [
        [0, all.length],
        [0, 1],
        [all.length - 1, 1],
        [3, 5],
        [all.length - 2, 100],
        [0, all.length + 100],
        [all.length, 10],
        [all.length + 1000, 10],
        [5, 0],
      ] as const;
      for (const [offset, length] of ranges)
        expect(await image.bytes.read(offset, length), `${offset}+${length}`).toEqual(
          all.slice(offset, offset + length),
        );
      if (image.bytes.size !== undefined) expect(image.bytes.size).toBe(all.length);
      await image.close();
    });

    it("returns arrays that the caller may change", async () => {
      const image = await open();
      (await image.bytes.read(0, 8)).fill(0xaa);
      expect(await image.bytes.read(0, 8)).toEqual(content().slice(0, 8));
      await image.close();
    });

    it("serves concurrent reads", async () => {
      const image = await open();
      const all = content();
      const parts = await Promise.all(Array.from({ length: 50 }, (_, i) => image.bytes.read(i * 7, 7)));
      for (const [i, part] of parts.entries()) expect(part).toEqual(all.slice(i * 7, i * 7 + 7));
      await image.close();
    });

    it("names one state of a master by one validator", async () => {
      const [one, two] = [await open(), await open()];
      expect(one.validator).not.toBe("");
      expect(two.validator).toBe(one.validator);
      await Promise.all([one.close(), two.close()]);
    });

    it("does not know a key that no master has", async () => {
      expect(await source().open(`${key}-not-there`)).toBeUndefined();
    });

    it.each([
      "",
      "/",
      ".",
      "..",
      "../x",
      "a/../b",
      "a/./b",
      "a//b",
      "a/",
      "/etc/passwd",
      "a\\b",
      "..\\x",
      "a\0b",
      "C:/x",
      "c:",
    ])("refuses the key %j", async (bad) => {
      await expect(source().open(bad)).rejects.toMatchObject({ name: "ServiceError", kind: "bad-request" });
    });

    it("counts opened, read and missing masters", async () => {
      const before = readCounts(source().counts);
      const image = await open();
      await image.bytes.read(0, 4);
      await image.close();
      await source().open(`${key}-not-there`);
      const after = readCounts(source().counts);
      const grew = (name: keyof typeof after) => after[name] - before[name];
      expect((["opens", "reads", "bytes", "notFound", "errors"] as const).map(grew)).toEqual([
        1 + opensToMiss,
        1,
        4,
        1,
        0,
      ]);
    });
  });
}
