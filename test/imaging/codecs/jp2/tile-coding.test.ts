// Tiles that say other things of their coding than the main header, and components other things than the
// first.

import { expect, test } from "vitest";
import { coding, decode, header, segment, tilePart } from "./without-blocks.ts";

const transformed = { transforms: true, levels: 2 };

test("a tile may have its own transform and levels", async () => {
  const file = [
    header({ side: 64, steps: [1, 1, 1], levels: 1 }),
    tilePart(9, [...segment(0xff52, coding(transformed)), ...segment(0xff5c, new Array(8).fill(0x40))]),
  ];
  expect(new Set((await decode(file)).data)).toEqual(new Set([128]));
  expect((await decode(file, 2)).width).toBe(32);
});

test.each([
  ["of subsampled components in the main header", header({ side: 64, steps: [1, 2, 2], ...transformed }), []],
  [
    "of subsampled components in a tile",
    header({ side: 64, steps: [1, 2, 2], levels: 2 }),
    segment(0xff52, coding(transformed)),
  ],
  [
    "of components with other levels",
    header({ side: 64, steps: [1, 1, 1], ...transformed, more: segment(0xff53, [1, 0, 1, 4, 4, 0, 1]) }),
    [],
  ],
])("a transform %s is refused at every scale", async (_, main, inTile) => {
  for (const scaleFactor of [1, 2])
    await expect(decode([main, tilePart(9, inTile)], scaleFactor)).rejects.toMatchObject({
      kind: "unsupported",
      message: expect.stringContaining("multi-component transform"),
    });
});

test("a tile with fewer levels reports the scales that it lacks", async () => {
  const file = [
    header({ side: 64, levels: 2 }),
    tilePart(2, [
      ...segment(0xff52, coding({ levels: 1 })),
      ...segment(0xff5c, [0x40, 0x40, 0x40, 0x40, 0x40]),
    ]),
  ];
  expect((await decode(file, 2)).width).toBe(32);
  await expect(decode(file, 4)).rejects.toMatchObject({
    kind: "unsupported",
    message: expect.stringMatching(
      /^Expected at least 2 resolution levels in each tile .* received 1 in one/,
    ),
  });
});
