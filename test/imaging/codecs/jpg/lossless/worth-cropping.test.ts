// The estimate of the savings of re-encoding, compared with files written by sharp.

import sharp from "sharp";
import { describe, expect, test } from "vitest";
import { bytesRatio, worthCropping } from "../../../../../src/imaging/codecs/jpg/lossless/worth-cropping.ts";
import { quantisationTables } from "../../../../../src/imaging/codecs/jpg/markers/quantisation.ts";
import { fixture } from "../../../../host.ts";
import { decode, encode, hasTools } from "../make-matrix.ts";
import { openIndexed } from "../open.ts";

/** A photograph that was not in the fit, sharp and softened. */
const photographs = {
  sharp: sharp(fixture("base.png")).removeAlpha(),
  soft: sharp(fixture("base.png")).removeAlpha().resize(1200, 800, { kernel: "cubic" }),
} as const;

async function stored(photograph: keyof typeof photographs, quality: number, chromaSubsampling: string) {
  const file = await photographs[photograph]
    .clone()
    .jpeg({ quality, chromaSubsampling, optimiseCoding: false })
    .toBuffer();
  const again = await sharp(file)
    .jpeg({ quality: 90, chromaSubsampling: "4:2:0", optimiseCoding: false })
    .toBuffer();
  return { file: new Uint8Array(file), ratio: file.length / again.length };
}

describe.each(["sharp", "soft"] as const)("for a %s photograph", (photograph) => {
  test.each([
    ["4:2:0", 1.5],
    ["4:4:4", 3],
  ] as const)(
    "in %s, the ratio of bytes is estimated within 30 %, at any quality",
    async (chroma, samples) => {
      for (const quality of [75, 85, 90, 93, 95, 97, 98]) {
        const { file, ratio } = await stored(photograph, quality, chroma);
        const { frame, quant, codedBytes = 0 } = await openIndexed(file);
        const bytesPerPixel = codedBytes / (frame.width * frame.height);
        const estimate = bytesRatio({ steps: quant, bytesPerPixel, samples }, quantisationTables(90).luma);
        expect(Math.abs(estimate / ratio - 1), `quality ${quality}: ${estimate} for ${ratio}`).toBeLessThan(
          0.3,
        );
      }
    },
  );

  test("crops are used if real files are small enough, and not if they are much larger", async () => {
    for (const quality of [60, 80, 88, 90, 92, 100]) {
      const { file, ratio } = await stored(photograph, quality, "4:2:0");
      expect(worthCropping(await openIndexed(file), 90), `quality ${quality}: ${ratio}`).toBe(ratio <= 1.5);
    }
  });
});

test.skipIf(!hasTools)(
  "crops in RGB are used if real files are small enough, and not if they are larger",
  async () => {
    const { data, info } = await photographs.sharp.clone().raw().toBuffer({ resolveWithObject: true });
    const ppmOf = (pixels: Uint8Array) =>
      Buffer.concat([Buffer.from(`P6 ${info.width} ${info.height} 255\n`), pixels]);
    const qualities = [
      [50, 96],
      [70, 98],
      [75, 90],
      [90, 90],
      [95, 97],
    ] as const;
    const decisions: boolean[] = [];
    for (const [quality, wanted] of qualities) {
      const file = encode(ppmOf(data), ["-quality", String(quality), "-rgb"]);
      const again = encode(ppmOf(decode(file)), ["-quality", String(wanted), "-sample", "2x2"]);
      const ratio = file.length / again.length;
      const worth = worthCropping(await openIndexed(file), wanted);
      expect(worth, `quality ${quality} for ${wanted}: ${ratio}`).toBe(ratio <= 1.5);
      decisions.push(worth);
    }
    expect(new Set(decisions).size).toBe(2);
  },
);

test("a file of unknown length counts as one of usual detail", async () => {
  const { file } = await stored("sharp", 90, "4:2:0");
  const reader = await openIndexed(file);
  const unknown = { frame: reader.frame, quant: reader.quant, codedBytes: undefined };
  expect(worthCropping(unknown, 90)).toBe(true);
  expect(worthCropping(unknown, 10)).toBe(false);
});
