// Headers without a size, as a codec that misreads a hostile file might return them: refused before documents
// and jobs see them.

import { expect, test } from "vitest";
import { memoryBytes } from "../../../src/base/bytes/byte-source.ts";
import type { ImageHeader } from "../../../src/imaging/index.ts";
import { type DescribeParts, describe, type Master } from "../../../src/server/images/describe.ts";
import { describePages } from "../../../src/server/images/pages.ts";
import type { Source } from "../../../src/server/sources/source.ts";

const header = {
  format: "pdf",
  height: 10,
  bands: 3,
  depth: 8,
  interpretation: "rgb",
  orientation: 1,
  pages: 2,
};
const headerOf = (width: number | null) => ({ ...header, width }) as ImageHeader;

/** Parts whose codec returns a header, and whose slot, if `isCached`, already has it. */
function partsOf(found: ImageHeader, isCached = false): DescribeParts {
  const codec = {
    memory: () => 1,
    probe: async () => found,
    async *probePages() {
      yield headerOf(10);
      yield found;
    },
  };
  return {
    codecs: { recognise: () => codec, decoder: () => codec },
    info: {
      getOrMake: async (_name: string, _variant: string, make: (work: AbortSignal) => Promise<Uint8Array>) =>
        isCached ? new TextEncoder().encode(JSON.stringify(found)) : make(new AbortController().signal),
    },
    probes: { run: (_needs: unknown, _work: unknown, job: () => unknown) => job() },
    masters: { maxPixelArea: 0 },
  } as unknown as DescribeParts;
}

const bytes = memoryBytes(new Uint8Array(100));
const master: Master = {
  identifier: "a.pdf",
  key: "a.pdf",
  page: 1,
  source: { name: "files", backend: "filesystem" } as unknown as Source,
  image: { bytes, remote: false } as unknown as Master["image"],
  validator: "1",
};

test.each([null, 0, -1, 1.5, Number.NaN, Number.POSITIVE_INFINITY, 2 ** 53])(
  "a width of %s is a damaged header, also from the cache",
  async (width) => {
    for (const isCached of [false, true])
      await expect(describe(partsOf(headerOf(width), isCached), master)).rejects.toMatchObject({
        kind: "decode",
        code: "damaged_header",
      });
  },
);

test("a page without a size does not take the other pages with it", async () => {
  const { kinds } = await describePages(partsOf(headerOf(null)), master, headerOf(10), 2);
  expect(kinds).toMatchObject([{ width: 10 }, { error: "decode", code: "damaged_header" }]);
});

test("an unsupported image says so, whatever its size", async () => {
  await expect(
    describe(partsOf({ ...headerOf(0), unsupported: "This is too new." }), master),
  ).rejects.toMatchObject({ code: "unsupported_image" });
});
