// The level at 1/4 in blocks: what parts of it hold.

import { expect, test } from "vitest";
import type { Frame } from "../../../../../src/imaging/codecs/jpg/markers/frame.ts";
import { level4Size } from "../../../../../src/imaging/codecs/jpg/region/index.ts";
import { level4InBlocks, planesToBlocks } from "../../../../../src/imaging/codecs/jpg/sidecar/levels.ts";
import { createBlockCache } from "../../../../../src/imaging/sidecar/block-reader.ts";
import { seeded } from "../../../../seeded.ts";
import { heapBlocks } from "../../heap-blocks.ts";

/** 2,000 x 1,500 pixels at 1/4, chroma in half of that: 4.3 blocks. */
const frame = {
  components: [
    { width: 8000, height: 6000 },
    { width: 4000, height: 3000 },
    { width: 3999, height: 2999 },
  ],
} as unknown as Frame;

/** A sample that its place alone decides. */
const sampleAt = (component: number, x: number, y: number) =>
  (7 * component + 31 * x + 131 * y + (x >> 5)) & 255;

const planes = frame.components.map((_, component) => {
  const { width, height } = level4Size(frame, component);
  return Uint8Array.from({ length: width * height }, (_, i) =>
    sampleAt(component, i % width, Math.floor(i / width)),
  );
});

test("parts of it hold the samples of their places", async () => {
  const blocks = heapBlocks();
  const list = (await planesToBlocks(planes, blocks, 2))!;
  const reader = createBlockCache().reader(list, { current: () => blocks, onLost: () => {} });
  const random = seeded(1);
  for (let n = 0; n < 12; n++) {
    const areas = planes.map((_, component) => {
      const { width, height } = level4Size(frame, component);
      const across = 1 + random(width);
      const down = 1 + random(height);
      const [left, top] = [random(width - across + 1), random(height - down + 1)];
      return { component, left, right: left + across, top, bottom: top + down };
    });
    const parts = (await level4InBlocks(frame, reader)(areas))!;
    const wrong = areas.map(({ component, left, right, top, bottom }, i) => {
      const stride = right - left + 3;
      const data = new Uint8Array(5 + stride * (bottom - top));
      parts[i]!(data, 5, stride);
      let count = 0;
      for (let y = top; y < bottom; y++)
        for (let x = left; x < right; x++)
          if (data[5 + (y - top) * stride + (x - left)] !== sampleAt(component, x, y)) count++;
      return count;
    });
    expect(wrong).toEqual([0, 0, 0]);
  }
});

test("a level of which a block is lost is not there", async () => {
  const blocks = heapBlocks();
  const list = (await planesToBlocks(planes, blocks, 0))!;
  blocks.all.delete(1);
  const lost: string[] = [];
  const reader = createBlockCache().reader(list, {
    current: () => blocks,
    onLost: () => lost.push("a block"),
  });
  const all = (top: number, bottom: number) => [{ component: 0, left: 0, right: 2000, top, bottom }];
  expect(await level4InBlocks(frame, reader)(all(0, 1500))).toBeUndefined();
  expect(lost).toEqual(["a block"]);
  expect(await level4InBlocks(frame, reader)(all(0, 10))).toHaveLength(1);
});
