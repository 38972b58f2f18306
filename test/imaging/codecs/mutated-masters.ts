// Decodes mutated masters as the service does, within the memory that they are estimated to take.

import { memoryBytes } from "../../../src/base/bytes/byte-source.ts";
import { ImagingError } from "../../../src/base/imaging-error.ts";
import { createCodecs } from "../../../src/imaging/codecs/index.ts";
import { testHost } from "../../host.ts";
import { everything, seedOf } from "../../sampled.ts";
import { seeded } from "../../seeded.ts";
import { lentMemories } from "./lent-memories.ts";
import { mutateBytes } from "./mutate-bytes.ts";

/**
 * Decodes 200 files, or 2,000 with `TEST_ALL=1`: first those given, then mutations of them. Returns what
 * went wrong (an error that says nothing, samples of another number, more memory than estimated), and how
 * many ended in pixels and in errors.
 */
export async function decodeMutated(format: "avif" | "jxl", files: readonly Uint8Array[], seed: string) {
  const codec = createCodecs(testHost).decoder(format);
  const random = seeded(seedOf(seed));
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
  return { wrong, ends };
}
