// The parts of a JPEG's sidecar.

import { expect, test } from "vitest";
import { loadParts, saveParts } from "../../../../../src/imaging/codecs/jpg/sidecar/parts.ts";
import { listBlocks } from "../../../../../src/imaging/sidecar/blocks.ts";

const blocks = await listBlocks(new Uint8Array(100));
const all = {
  accessPoints: Uint8Array.of(1, 2, 3),
  level8: [Uint8Array.of(4, 5)],
  smallerLevels: Uint8Array.of(6),
  transcode: blocks,
  transcodeHead: Uint8Array.of(7, 8),
};

test.each([
  ["all of them", all],
  ["none at 1/8", { ...all, level8: [], smallerLevels: new Uint8Array() }],
  ["none below 1/8", { ...all, smallerLevels: new Uint8Array() }],
  ["those of a sequential file", { ...all, transcode: undefined }],
  ["those of a layer with the transcode itself", { ...all, transcodeHead: undefined }],
])("%s come apart as they were put together", async (_, parts) => {
  expect(await loadParts(await saveParts(parts), true)).toEqual(parts);
});

test("levels that are not wanted are neither read nor checked", async () => {
  const entry = await saveParts(all);
  const { level8, smallerLevels, ...rest } = all;
  expect(await loadParts(entry, false)).toEqual({ ...rest, level8: [], smallerLevels: new Uint8Array() });
  const changed = entry.with(entry.length - 3, entry.at(-3)! ^ 1) as Uint8Array;
  expect(await loadParts(changed, false)).toBeDefined();
  expect([level8.length, smallerLevels.length]).not.toContain(0);
});

test("no part is used of an entry of which one is changed", async () => {
  const entry = await saveParts(all);
  for (const fromEnd of [1, 3, 4, 6]) {
    const at = entry.length - fromEnd;
    expect(await loadParts(entry.with(at, entry[at]! ^ 1) as Uint8Array, true)).toBeUndefined();
  }
  expect(await loadParts(new Uint8Array(), true)).toBeUndefined();
});
