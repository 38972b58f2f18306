// Mutated AVIF files end in pixels or in an error that says why, within their estimate of memory.
// @module-tag slow

import { expect, test } from "vitest";
import { memoryBytes } from "../../../../src/base/bytes/byte-source.ts";
import { ImagingError } from "../../../../src/base/imaging-error.ts";
import { createCodecs } from "../../../../src/imaging/codecs/index.ts";
import { fixture, testHost } from "../../../host.ts";
import { converted } from "../../../kept.ts";
import { hasProgram } from "../../../programs.ts";
import { everything, seedOf } from "../../../sampled.ts";
import { seeded } from "../../../seeded.ts";
import { lentMemories } from "../lent-memories.ts";
import { mutateBytes } from "../mutate-bytes.ts";

const sources = [
  ["base.png"],
  ["png-rgba8.png", "-d", "10"],
  ["base.png", "-y", "400"],
  ["base.png", "--grid", "2x2"],
  ["jpg-icc-displayp3-orient-6.jpg"],
] as const;

test.skipIf(!hasProgram("avifenc"))("mutated files are shown or refused, within their memory", async () => {
  const codec = createCodecs(testHost).decoder("avif");
  const files = sources.map(([name, ...options]) => {
    const from = `in.${name.split(".")[1]}`;
    const args = ["-s", "10", ...options, from, "out.avif"];
    return converted("avifenc", args, { input: fixture(name), from, to: "out.avif" });
  });
  const random = seeded(seedOf("mutated AVIF"));
  const largest = lentMemories();
  const wrong: string[] = [];
  const ends = { pixels: 0, errors: 0 };
  for (let run = 0; run < (everything ? 2000 : 200); run++) {
    const source = files[run % files.length]!;
    const file = run < files.length ? source : mutateBytes(source, random, 400);
    const bytes = memoryBytes(file);
    let estimate = 0;
    try {
      const header = await codec.probe(bytes, 1);
      const { width, height } = header;
      const read = { header, page: 1, region: { x: 0, y: 0, width, height }, scaleFactor: 1 };
      estimate = codec.memory(read, file.length);
      if (estimate > 2 ** 29) continue; // the service refuses it
      const { data, bands } = await codec.decode(bytes, read);
      if (data.length !== width * height * bands) wrong.push(`${run}: ${data.length} samples`);
      ends.pixels++;
    } catch (error) {
      if (!(error instanceof ImagingError)) wrong.push(`${run}: ${error}`);
      ends.errors++;
    }
    const most = largest();
    if (most > estimate) wrong.push(`${run}: ${most} bytes, estimated ${estimate}`);
  }
  expect(wrong).toEqual([]);
  expect(ends.pixels).toBeGreaterThan(files.length);
  expect(ends.errors).toBeGreaterThan(20);
});
