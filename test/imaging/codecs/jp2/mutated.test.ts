// Mutated JPEG 2000 files end in a picture or in an error that says why. MUTATIONS=10000 for a longer
// search, which bounds CPU time, too.
// @module-tag slow

import { beforeAll, expect, it, onTestFinished } from "vitest";
import { memoryBytes } from "../../../../src/base/bytes/byte-source.ts";
import { ImagingError } from "../../../../src/base/imaging-error.ts";
import { scaleFactorsOf } from "../../../../src/imaging/codecs/codec.ts";
import type { ImageHeader } from "../../../../src/imaging/codecs/image-header.ts";
import { createCodecs } from "../../../../src/imaging/codecs/index.ts";
import { expectedRows, fixture, testHost } from "../../../host.ts";
import { seeded } from "../../../seeded.ts";
import { encodeCodestream } from "./files.ts";
import { mutate } from "./mutate.ts";
import { hasOpenJpegTools, opjCompress } from "./openjpeg.ts";

const mutations = Number(process.env.MUTATIONS ?? 1000);
/**
 * Memory that an instance may keep between reads (src/imaging/codecs/instance.ts), and budget of one read
 * here.
 */
const [kept, budget] = [256 * 2 ** 20, 512 * 2 ** 20];
/** CPU ms that no file may take, if many are tried by hand. */
const mostTime = 2000;

/** Options of opj_compress for features that no fixture has. */
const variants = [
  ["-SOP", "-EPH", "-r", "20,10,5", "-p", "PCRL"],
  ["-M", "1", "-n", "3"],
  ["-M", "63", "-I"],
  ["-M", "5", "-b", "16,32"],
  ["-t", "40,32", "-n", "4", "-TP", "R", "-p", "RLCP", "-PLT", "-TLM"],
  ["-n", "4", "-POC", "T1=0,0,1,2,3,RLCP/T1=2,0,1,4,3,CPRL"],
  ["-d", "13,7", "-T", "5,3", "-t", "50,40", "-p", "CPRL"],
  ["-c", "[32,32],[16,16]", "-b", "8,8", "-ROI", "c=0,U=4"],
];

let files: Uint8Array[];

beforeAll(async () => {
  const sound = expectedRows()
    .map(({ file = "" }) => file)
    .filter((file) => /\.(jp2|jph|j2k|j2c|jhc)$/.test(file) && !/^(bad|large)-/.test(file));
  const random = seeded(5);
  const [width, height] = [96, 80];
  const values = Array.from({ length: width * height * 3 }, (_, i) => ((i % 233) >> 1) + random(40));
  const small = { width, height, bands: 3, bits: 8, values };
  files = [
    ...sound.map(fixture),
    await encodeCodestream({ ...small, highThroughput: true }),
    await encodeCodestream({ ...small, highThroughput: true, tile: { width: 40, height: 32 } }),
    await encodeCodestream({ ...small, highThroughput: false }),
    ...withOpenJpeg(width, height, values),
  ];
});

/** Empty if the tool is not installed; its options are then not tried. */
function withOpenJpeg(width: number, height: number, values: readonly number[]): Uint8Array[] {
  if (!hasOpenJpegTools) return [];
  const picture = Buffer.concat([Buffer.from(`P6\n${width} ${height}\n255\n`), Buffer.from(values)]);
  return variants.map((options) => opjCompress(picture, options));
}

/** A seeded read: the whole picture or a window, at one of the scales. */
function chosenRead(header: ImageHeader, factors: readonly number[], random: (below: number) => number) {
  const scaleFactor = factors[random(factors.length)]!;
  const along = (length: number): [at: number, size: number] => {
    const steps = Math.ceil(length / scaleFactor);
    const first = random(3) ? random(steps) : 0;
    const last = random(3) ? Math.min(steps, first + 1 + random(100)) : steps;
    return [first * scaleFactor, Math.min(length, last * scaleFactor) - first * scaleFactor];
  };
  const [x, width] = along(header.width);
  const [y, height] = along(header.height);
  return { header, page: 1, region: { x, y, width, height }, scaleFactor };
}

/**
 * Returns a function that reports the bytes of the largest WebAssembly memory that has grown, or was created,
 * since its last call.
 */
function watchMemory(): () => number {
  let seen: { readonly memory: WeakRef<WebAssembly.Memory>; size: number }[] = [];
  const { Instance } = WebAssembly;
  class Watched extends Instance {
    constructor(module: WebAssembly.Module, imports?: WebAssembly.Imports) {
      super(module, imports);
      for (const part of Object.values(this.exports))
        if (part instanceof WebAssembly.Memory) seen.push({ memory: new WeakRef(part), size: 0 });
    }
  }
  WebAssembly.Instance = Watched;
  onTestFinished(() => {
    WebAssembly.Instance = Instance;
  });
  return () => {
    let most = 0;
    seen = seen.filter((row) => {
      const size = row.memory.deref()?.buffer.byteLength;
      if (size !== undefined && size > row.size) most = Math.max(most, (row.size = size));
      return size !== undefined;
    });
    return most;
  };
}

it("ends in pixels of the asked size or in a ImagingError, within bounds of memory", async () => {
  const codec = createCodecs(testHost).decoder("jp2");
  const grown = watchMemory();
  const random = seeded(20);
  const wrong: string[] = [];
  let [pictures, errors, slowest] = [0, 0, 0];
  for (let run = 0; run < mutations; run++) {
    const file = mutate(files[run % files.length]!, random);
    const bytes = memoryBytes(file);
    const began = process.cpuUsage();
    let estimate = 0;
    try {
      const header = await codec.probe(bytes, 1);
      const read = chosenRead(header, scaleFactorsOf(codec, header), random);
      estimate = codec.memory(read, file.length);
      if (estimate > budget) continue; // the service refuses it
      const { data, width, height, bands } = await codec.decode(bytes, read);
      const wanted = [read.region.width, read.region.height].map((side) =>
        Math.ceil(side / read.scaleFactor),
      );
      const size = width * height * bands;
      if (width !== wanted[0] || height !== wanted[1] || data.length !== size || bands !== header.bands)
        wrong.push(`${run}: ${width} x ${height} x ${bands}, ${data.length} samples for ${wanted}`);
      pictures++;
    } catch (error) {
      if (!(error instanceof ImagingError)) wrong.push(`${run}: ${error}`);
      errors++;
    }
    const most = grown();
    if (most > Math.max(kept, estimate)) wrong.push(`${run}: ${most} bytes, estimated ${estimate}`);
    const { user, system } = process.cpuUsage(began);
    slowest = Math.max(slowest, (user + system) / 1000);
    if (process.env.MUTATIONS && (user + system) / 1000 > mostTime)
      wrong.push(`${run}: ${(user + system) / 1e6} s`);
  }
  if (process.env.MUTATIONS) console.log({ pictures, errors, slowest });
  expect(wrong).toEqual([]);
  expect(pictures).toBeGreaterThan(mutations / 5);
  expect(errors).toBeGreaterThan(mutations / 5);
});
