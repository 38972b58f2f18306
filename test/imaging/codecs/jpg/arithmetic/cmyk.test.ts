// Arithmetic-coded CMYK and YCCK JPEG: jpegtran changes the coding of a file without loss, so the picture
// must be that of its source.

import { execFileSync, spawnSync } from "node:child_process";
import { describe, expect, it } from "vitest";
import { memoryBytes } from "../../../../../src/base/bytes/byte-source.ts";
import { ImagingError } from "../../../../../src/base/imaging-error.ts";
import { createCodecs } from "../../../../../src/imaging/codecs/index.ts";
import { toBaseline } from "../../../../../src/imaging/codecs/jpg/arithmetic/baseline.ts";
import { fixture, testHost } from "../../../../host.ts";
import { seeded } from "../../../../seeded.ts";

const codec = createCodecs(testHost).decoder("jpg");
const hasJpegtran =
  spawnSync("sh", ["-c", "command -v jpegtran"]).status === 0 || process.env.CI !== undefined;
const recoded = (name: string, options: readonly string[]) =>
  new Uint8Array(
    execFileSync("jpegtran", ["-copy", "all", ...options], { input: fixture(name), maxBuffer: 1 << 26 }),
  );

async function decode(file: Uint8Array, part?: { x: number; y: number; width: number; height: number }) {
  const header = await codec.probe(memoryBytes(file), 1);
  expect(header.unsupported).toBeUndefined();
  const region = part ?? { x: 0, y: 0, width: header.width, height: header.height };
  return codec.decode(memoryBytes(file), { header, page: 1, region, scaleFactor: 1, whole: true });
}

describe.skipIf(!hasJpegtran)("arithmetic coding", () => {
  const ways = [
    ["sequential", []],
    ["progressive", ["-progressive"]],
    ["with restart markers", ["-restart", "2"]],
    ["progressive with restart markers", ["-progressive", "-restart", "7B"]],
  ] as const;
  const files = ["jpg-cmyk-adobe.jpg", "jpg-cmyk-icc.jpg", "jpg-ycck-adobe.jpg"];

  it.each(files.flatMap((file) => ways.map(([way, options]) => [file, way, options] as const)))(
    "of %s, %s, is the same picture",
    async (file, _, options) => {
      const source = await decode(fixture(file));
      const result = await decode(recoded(file, ["-arithmetic", ...options]));
      expect([result.interpretation, result.bands]).toEqual(["cmyk", 4]);
      expect(Buffer.compare(Buffer.from(result.data.buffer), Buffer.from(source.data.buffer))).toBe(0);
    },
  );

  it("of a region is that part of the picture", async () => {
    const part = { x: 40, y: 24, width: 56, height: 32 };
    const file = recoded("jpg-cmyk-adobe.jpg", ["-arithmetic"]);
    expect([...(await decode(file, part)).data]).toEqual([
      ...(await decode(fixture("jpg-cmyk-adobe.jpg"), part)).data,
    ]);
  });

  it("keeps the coefficients of other files as well when it becomes Huffman coding", async () => {
    for (const name of ["jpg-gray.jpg", "jpg-baseline-420.jpg", "jpg-progressive.jpg"]) {
      const copy = toBaseline(recoded(name, ["-arithmetic", "-progressive"]));
      expect([...(await decode(copy)).data], name).toEqual([...(await decode(fixture(name))).data]);
    }
  });

  it("that is truncated or damaged is an error of the file, or a picture of its size", async () => {
    const next = seeded(3);
    for (const options of [[], ["-progressive", "-restart", "5"]]) {
      const file = recoded("jpg-cmyk-icc.jpg", ["-arithmetic", ...options]);
      await expect(decode(file.subarray(0, file.length / 2))).rejects.toMatchObject({ kind: "decode" });
      // As of other arithmetic-coded files: the header is intact.
      await expect(decode(file.subarray(0, file.length - 4000))).rejects.toMatchObject({
        kind: "decode",
        code: "damaged_image",
      });
      for (let run = 0; run < 25; run++) {
        const broken = file.slice();
        for (let n = 0; n < 3; n++) broken[600 + next(file.length - 600)] = next(256);
        const result = await decode(broken).catch((error: unknown) => error);
        if (result instanceof ImagingError) continue;
        expect(result).toMatchObject({ width: 300, height: 200, bands: 4 });
      }
    }
  });
});
