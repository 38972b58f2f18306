// The level at 1/8 as bytes.

import { expect, test } from "vitest";
import type { Frame } from "../../../../../src/imaging/codecs/jpg/markers/frame.ts";
import { planesOfLevel8 } from "../../../../../src/imaging/codecs/jpg/sidecar/levels.ts";

/** 3 by 2 blocks, and colour of half that size. */
const frame = {
  components: [
    { width: 20, height: 16 },
    { width: 10, height: 8 },
    { width: 10, height: 8 },
  ],
} as unknown as Frame;
const planes = [Uint8Array.of(1, 2, 3, 4, 5, 6), Uint8Array.of(7, 8), Uint8Array.of(9, 10)];

test("the planes come apart again if they are one piece, and stay as they are if they are apart", () => {
  const together = Uint8Array.from(planes.flatMap((plane) => [...plane]));
  expect(planesOfLevel8(frame, [together])).toEqual(planes);
  expect(planesOfLevel8(frame, planes)).toEqual(planes);
});

test("there are none if the level is too large to be stored", () => {
  expect(planesOfLevel8(frame, [])).toBeUndefined();
});
