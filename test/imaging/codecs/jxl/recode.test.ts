// Coefficients of JPEG as JPEG XL, as libjxl decodes them.

import sharp from "sharp";
import { describe, expect, test } from "vitest";
import { createRecoder } from "../../../../src/imaging/codecs/jxl/recode.ts";
import { grain } from "../../../grain.ts";
import { fixture } from "../../../host.ts";
import { converted, filtered } from "../../../kept.ts";
import { hasProgram } from "../../../programs.ts";
import { sampled } from "../../../sampled.ts";
import { seeded } from "../../../seeded.ts";
import { ownModule } from "../../../wasm/own-modules.ts";
import { mutate } from "../jpg/mutate.ts";
import { differences, djpeg, djxl, type Netpbm } from "./pixels.ts";

const module = await ownModule("jxl-recode");
const recode = createRecoder(() => module);

async function recoded(jpeg: Uint8Array, orientation = 1): Promise<Uint8Array> {
  const jxl = await recode(jpeg, orientation);
  if (!jxl) throw new Error("not recoded");
  return jxl;
}

/**
 * Turns a picture as EXIF says: for each orientation, which corner of the stored picture is above left, and
 * whether its rows are columns (Exif 2.3, tag 0x0112).
 */
function turned(stored: Netpbm, orientation: number): Netpbm {
  const isSwapped = orientation >= 5;
  const fromRight = [2, 3, 7, 8].includes(orientation);
  const fromBottom = [3, 4, 6, 7].includes(orientation);
  const [width, height] = isSwapped ? [stored.height, stored.width] : [stored.width, stored.height];
  const data = new Uint8Array(stored.data.length);
  for (let y = 0, to = 0; y < height; y++)
    for (let x = 0; x < width; x++) {
      const [column, row] = isSwapped ? [y, x] : [x, y];
      const fromX = fromRight ? stored.width - 1 - column : column;
      const fromY = fromBottom ? stored.height - 1 - row : row;
      for (let band = 0; band < stored.bands; band++, to++)
        data[to] = stored.data[(fromY * stored.width + fromX) * stored.bands + band]!;
    }
  return { ...stored, width, height, data };
}

const canDecode = hasProgram("djxl") && hasProgram("djpeg");

const base = (width: number, height: number) =>
  sharp(fixture("base.png")).removeAlpha().resize(width, height, { fit: "fill" });

const samplings = { "4:4:4": "1x1", "4:2:0": "2x2", "4:2:2": "2x1", "4:4:0": "1x2", gray: "1x1" } as const;
type Sampling = keyof typeof samplings;

/** Returns the file that cjpeg makes of a part of a photograph. */
async function photograph(width: number, height: number, sampling: Sampling, quality = 85) {
  const picture = sampling === "gray" ? base(width, height).toColourspace("b-w") : base(width, height);
  const { data, info } = await picture.raw().toBuffer({ resolveWithObject: true });
  const head = Buffer.from(`P${info.channels === 1 ? 5 : 6}\n${width} ${height}\n255\n`);
  const args = ["-quality", String(quality), "-optimize", "-sample", samplings[sampling]];
  const file = filtered("cjpeg", args, Buffer.concat([head, data]));
  if (!file) throw new Error("cjpeg fails");
  return file;
}

/** Sides around those of blocks, groups of 256 and groups of 2,048. */
const sizes = [
  [1, 1],
  [17, 9],
  [8, 16],
  [255, 33],
  [257, 256],
  [300, 520],
  [2049, 24],
  [40, 2051],
] as const;

describe.skipIf(!canDecode)("the picture of libjxl is that of libjpeg", () => {
  const cases = sizes.flatMap((size) =>
    (Object.keys(samplings) as Sampling[]).map((sampling) => [...size, sampling] as const),
  );
  test.each(sampled("sides and samplings of JPEG XL", cases, 16))(
    "at %d by %d pixels in %s",
    async (width, height, sampling) => {
      const jpeg = await photograph(width, height, sampling);
      const jxl = djxl(await recoded(jpeg));
      const { mean, largest, over } = differences(jxl, djpeg(jpeg));
      // Chroma is enlarged by another filter, and is not clamped on the way to RGB.
      if (sampling === "gray" || width * height === 1) expect(largest).toBeLessThanOrEqual(1);
      else if (sampling === "4:4:4") expect([mean < 0.45, over < 0.02]).toEqual([true, true]);
      else expect([mean < 0.75, over < 0.08]).toEqual([true, true]);
    },
  );

  test.each([1, 2, 3, 4, 5, 6, 7, 8])("turned by orientation %d", async (orientation) => {
    const jpeg = await photograph(90, 50, "4:4:4");
    const shown = djxl(await recoded(jpeg, orientation));
    const { mean, over } = differences(shown, turned(djpeg(jpeg), orientation));
    expect([mean < 0.45, over < 0.02]).toEqual([true, true]);
  });

  test("with steps of every size, and coefficients up to the largest", async () => {
    const data = await grain(64, 64, 90).toColourspace("b-w").raw().toBuffer();
    const noise = Buffer.concat([Buffer.from("P5\n64 64\n255\n"), data]);
    for (const quality of [1, 20, 100]) {
      const jpeg = filtered("cjpeg", ["-quality", String(quality), "-baseline"], noise)!;
      expect(differences(djxl(await recoded(jpeg)), djpeg(jpeg)).largest).toBeLessThanOrEqual(1);
    }
  });
});

test.skipIf(!hasProgram("cjxl"))("a tile has few more bytes than libjxl gives it at its best", async () => {
  // Without its order of coefficients, and its trees for DC values, which are most of a gray tile's.
  for (const [sampling, most] of [
    ["4:2:0", 1.035],
    ["4:4:4", 1.035],
    ["gray", 1.05],
  ] as const) {
    const jpeg = await photograph(512, 512, sampling);
    const args = ["in.jpg", "out.jxl", "-e", "7", "--container=0", "--jpeg_reconstruction_cfl=0"];
    const theirs = converted("cjxl", args, { input: jpeg, from: "in.jpg", to: "out.jxl" });
    expect((await recoded(jpeg)).length / theirs.length).toBeLessThan(most);
  }
});

test("files that have no such coefficients are not recoded", async () => {
  for (const name of ["jpg-progressive", "jpg-restart", "jpg-cmyk-adobe", "jpg-ycck-adobe", "jpg-rgb-adobe0"])
    expect([name, await recode(fixture(`${name}.jpg`), 1)]).toEqual([name, undefined]);
});

test.skipIf(!canDecode)("a damaged file is recoded to one that can be decoded, or not at all", async () => {
  const jpeg = await photograph(120, 90, "4:2:0");
  const below = seeded(11);
  const random = () => below(1_000_000) / 1_000_000;
  let decoded = 0;
  for (let i = 0; i < 60; i++) {
    const damaged = mutate(jpeg, 300, random);
    const jxl = await recode(damaged, 1).catch(() => undefined);
    if (!jxl) continue;
    expect(() => djxl(jxl)).not.toThrow();
    decoded++;
  }
  expect(decoded).toBeGreaterThan(0);
});
