// What OpenJPEG writes for the service: irreversible files alone, of any size.

import { expect, test } from "vitest";
import { memoryBytes } from "../../../../src/base/bytes/byte-source.ts";
import { createCodecs } from "../../../../src/imaging/codecs/index.ts";
import { testHost } from "../../../host.ts";

const codecs = createCodecs(testHost);
const codec = codecs.decoder("jp2");
const sides = [1, 2, 3, 7, 8, 9, 31, 33, 65];
const sizes = sides.flatMap((width) => sides.map((height) => [width, height] as const));

test.each([
  [1, "gray"],
  [3, "rgb"],
] as const)("files of %i bands name the 9-7 wavelet and hold the picture", async (bands, interpretation) => {
  const options = { format: "jp2", quality: 90, progressive: false, chroma: "444", encoder: "fast" } as const;
  for (const [width, height] of sizes) {
    const data = new Uint8Array(width * height * bands).map((_, i) => {
      const pixel = Math.floor(i / bands);
      return 60 + (pixel % width) + Math.floor(pixel / width) + 20 * (i % bands);
    });
    const file = await codecs.encoder("jp2").encode({ width, height, bands, interpretation, data }, options);
    // ITU-T T.800, A.6.1: after COD and its length, Scod, SGcod and four bytes of SPcod; 0 is irreversible.
    const cod = Buffer.from(file).indexOf(Buffer.from([0xff, 0x52, 0, 12]));
    expect([width, height, file[cod + 13]]).toEqual([width, height, 0]);
    const header = await codec.probe(memoryBytes(file), 1);
    const region = { x: 0, y: 0, width, height };
    const read = await codec.decode(memoryBytes(file), { header, page: 1, region, scaleFactor: 1 });
    const error = data.reduce((sum, value, i) => sum + Math.abs(value - read.data[i]!), 0) / data.length;
    expect([width, height, error < 8]).toEqual([width, height, true]);
  }
});
