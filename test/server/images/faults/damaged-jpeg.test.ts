// One damaged JPEG file always gets the same status and code, whatever was requested before and whatever is
// cached.
// @module-tag slow

import { mkdtemp, rm, writeFile } from "node:fs/promises";
import { tmpdir } from "node:os";
import { join } from "node:path";
import sharp from "sharp";
import { afterAll, beforeAll, expect, test } from "vitest";
import { ServiceError } from "../../../../src/base/errors.ts";
import { parseImageRequest } from "../../../../src/iiif/image/grammar.ts";
import { writtenFormats } from "../../../../src/imaging/codecs/formats.ts";
import { openMaster } from "../../../../src/server/images/describe.ts";
import { prepare, render } from "../../../../src/server/images/render.ts";
import { createSidecars } from "../../../../src/server/images/sidecar/sidecars.ts";
import { fixture } from "../../../host.ts";
import { randomness } from "../../../imaging/codecs/jpg/make-matrix.ts";
import { mutate } from "../../../imaging/codecs/jpg/mutate.ts";
import { takeApart } from "../../../imaging/codecs/jpg/segments.ts";
import { everything } from "../../../sampled.ts";
import { served } from "../../../served.ts";

const count = Number(process.env.MUTATIONS ?? (everything ? 60 : 20));
let folder: string;
const never = new AbortController().signal;

beforeAll(async () => {
  folder = await mkdtemp(join(tmpdir(), "smalti-damaged-"));
  const random = randomness(21);
  const small = sharp(fixture("base.png")).removeAlpha().resize(96, 64);
  const sources = await Promise.all([
    small.clone().jpeg({ quality: 80 }).toBuffer(),
    small.clone().jpeg({ quality: 80, progressive: true }).toBuffer(),
    small.clone().toColourspace("b-w").jpeg().toBuffer(),
    small.clone().toColourspace("cmyk").jpeg().toBuffer(),
    small.clone().toColourspace("cmyk").jpeg({ progressive: true }).toBuffer(),
  ]);
  for (let i = 0; i < count; i++) {
    const source = new Uint8Array(sources[i % sources.length]!);
    const scan = source.length - takeApart(source).rest.length;
    const header = mutate(source.subarray(0, scan + 14), 20, random);
    const damaged =
      i % 3 > 0 ? Buffer.concat([header, source.subarray(scan + 14)]) : mutate(source, scan, random);
    await writeFile(join(folder, `${i}.jpg`), damaged);
  }
});
afterAll(() => rm(folder, { recursive: true, force: true }));

const requests = [
  { region: "full", size: "max", rotation: "0", file: "default.jpg" },
  { region: "full", size: "max", rotation: "0", file: "default.png" },
  { region: "full", size: "12,8", rotation: "0", file: "default.jpg" },
  { region: "full", size: "24,", rotation: "0", file: "default.png" },
  { region: "0,0,96,64", size: "max", rotation: "90", file: "default.jpg" },
] as const;

/** Returns the responses of a fresh service, with jobs in workers or in place: "200", or kind and code. */
async function answers(origin: string, inPlace: boolean, order: readonly number[]) {
  const { service } = await served(
    `sources: [{ name: own, type: filesystem, root: ${JSON.stringify(folder)} }]
cache: { render: { backend: none }, origin: ${origin} }`,
  );
  const { images, slots } = service;
  const { codecs, pool, admission, timeoutMs } = images;
  const sidecars = createSidecars({ codecs, pool, origin: slots.origin, admission, timeoutMs, inPlace });
  const parts = { ...images, sidecars };
  return async (name: string): Promise<Map<number, Set<string>>> => {
    const seen = new Map<number, Set<string>>();
    for (const n of order) {
      const master = await openMaster(images.sources, name);
      let answer = "200";
      try {
        const request = parseImageRequest(3, requests[n] as never, writtenFormats);
        await render(parts, master, await prepare(parts, master, request), never);
      } catch (error) {
        if (!(error instanceof ServiceError)) throw error;
        answer = `${error.kind} ${error.code}`;
      } finally {
        await master.image.close();
      }
      seen.set(n, (seen.get(n) ?? new Set()).add(answer));
    }
    await sidecars.idle();
    return seen;
  };
}

test("a damaged JPEG file has the same kind and code at each request", async () => {
  const heap = "{ backend: heap, max_bytes: 64MiB, ttl: 0s }";
  const ways = await Promise.all([
    answers(heap, false, [0, 1, 2, 3, 4, 0, 1, 2, 3, 4]),
    answers(heap, false, [2, 2, 3, 0, 0]),
    answers("{ backend: none }", false, [1, 1, 4, 4, 2]),
    answers(heap, true, [2, 0, 2, 0]),
  ]);
  const several: string[] = [];
  let refused = 0;
  for (let i = 0; i < count; i++) {
    const all = new Map<number, Set<string>>();
    for (const answer of ways)
      for (const [n, seen] of await answer(`${i}.jpg`)) all.set(n, new Set([...(all.get(n) ?? []), ...seen]));
    for (const [n, seen] of all)
      if (seen.size > 1) several.push(`${i}.jpg, request ${n}: ${[...seen].join(", ")}`);
    if ([...all.values()].some((seen) => !seen.has("200"))) refused++;
  }
  expect(several).toEqual([]);
  expect(refused).toBeGreaterThan(count / 20);
  expect(refused).toBeLessThan((count * 9) / 10);
});
