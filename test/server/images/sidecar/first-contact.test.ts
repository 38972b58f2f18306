// What the first requests for an image cost, in counts: the jobs that run, the bytes of the file that they
// read, and the layers that they leave. A request makes what it needs, and nothing that nobody asked for.
// @module-tag slow

import { mkdtemp, rm, writeFile } from "node:fs/promises";
import { tmpdir } from "node:os";
import { join } from "node:path";
import type { Sharp } from "sharp";
import { afterAll, beforeAll, expect, test } from "vitest";
import { parseImageRequest } from "../../../../src/iiif/image/grammar.ts";
import type { SidecarLayer } from "../../../../src/imaging/codecs/codec.ts";
import { writtenFormats } from "../../../../src/imaging/codecs/formats.ts";
import { sidecarKey } from "../../../../src/server/images/cache-keys.ts";
import { type Master, openMaster } from "../../../../src/server/images/describe.ts";
import { prepare, render } from "../../../../src/server/images/render.ts";
import { createSidecars } from "../../../../src/server/images/sidecar/sidecars.ts";
import { grain } from "../../../grain.ts";
import { served } from "../../../served.ts";

const files: Readonly<Record<string, (image: Sharp) => Sharp>> = {
  "a.jpg": (image) => image.jpeg({ quality: 90 }),
  "progressive.jpg": (image) => image.jpeg({ quality: 90, progressive: true }),
  "a.png": (image) => image.png({ compressionLevel: 1 }),
  "a.webp": (image) => image.webp({ quality: 80, effort: 0 }),
  "a.gif": (image) => image.gif({ effort: 1 }),
  "strips.tif": (image) => image.tiff({ compression: "deflate" }),
  "pyramid.tif": (image) =>
    image.tiff({ compression: "deflate", tile: true, tileWidth: 256, tileHeight: 256, pyramid: true }),
};

let folder: string;
beforeAll(async () => {
  folder = await mkdtemp(join(tmpdir(), "smalti-first-contact-"));
  // Twelve megapixels: tiles of all scales, and more than one block of levels.
  const picture = grain(4000, 3000, 30);
  for (const [name, write] of Object.entries(files))
    await writeFile(join(folder, name), await write(picture.clone()).toBuffer());
});
afterAll(() => rm(folder, { recursive: true, force: true }));

const thumbnail = ["full", "!200,200"] as const;
const larger = ["full", "!400,400"] as const;
const top = ["512,0,512,512", "512,512"] as const;
const middle = ["1536,1536,512,512", "512,512"] as const;
const bottom = ["1536,2560,512,440", "512,440"] as const;
const atHalf = ["1024,1024,1024,1024", "512,512"] as const;
const besideHalf = ["2048,1024,1024,1024", "512,512"] as const;
const atQuarter = ["0,0,2048,2048", "512,512"] as const;
const besideQuarter = ["2048,0,1952,2048", "488,512"] as const;

interface Row {
  readonly file: string;
  readonly asks: readonly (readonly [region: string, size: string])[];
  /** Jobs that build layers, in addition to the render of each request. */
  readonly builds: number;
  readonly layers: readonly SidecarLayer[];
  /** Maximum of bytes read, in files. */
  readonly reads: number;
}

const rows: readonly Row[] = [
  { file: "a.jpg", asks: [thumbnail], builds: 0, layers: ["ground"], reads: 1.1 },
  { file: "a.jpg", asks: [thumbnail, thumbnail], builds: 0, layers: ["ground"], reads: 1.2 },
  { file: "a.jpg", asks: [bottom], builds: 0, layers: ["ground"], reads: 1.5 },
  { file: "a.jpg", asks: [top], builds: 1, layers: ["ground"], reads: 2.2 },
  { file: "a.jpg", asks: [bottom, atHalf, atQuarter], builds: 0, layers: ["ground"], reads: 3 },
  { file: "a.jpg", asks: [bottom, atHalf, besideHalf], builds: 1, layers: ["ground", "level2"], reads: 5 },
  {
    file: "a.jpg",
    asks: [bottom, atQuarter, besideQuarter],
    builds: 1,
    layers: ["ground", "level4"],
    reads: 6,
  },
  { file: "progressive.jpg", asks: [thumbnail, thumbnail], builds: 0, layers: ["overview"], reads: 1.1 },
  { file: "progressive.jpg", asks: [middle, bottom], builds: 1, layers: ["ground"], reads: 2.2 },
  { file: "a.png", asks: [thumbnail, larger], builds: 0, layers: ["overview"], reads: 1.1 },
  { file: "a.png", asks: [top], builds: 0, layers: [], reads: 0.4 },
  { file: "a.png", asks: [thumbnail, middle], builds: 0, layers: ["overview"], reads: 1.9 },
  { file: "a.png", asks: [top, middle, bottom], builds: 1, layers: ["pyramid"], reads: 1.6 },
  { file: "a.webp", asks: [thumbnail, larger], builds: 0, layers: ["overview"], reads: 1.1 },
  { file: "a.webp", asks: [middle], builds: 0, layers: [], reads: 1.1 },
  { file: "a.webp", asks: [middle, bottom], builds: 1, layers: ["pyramid"], reads: 2.2 },
  // Its frames are counted before.
  { file: "a.gif", asks: [thumbnail, larger], builds: 0, layers: ["overview"], reads: 2.1 },
  { file: "strips.tif", asks: [thumbnail, larger], builds: 0, layers: ["overview"], reads: 1.2 },
  { file: "strips.tif", asks: [middle], builds: 0, layers: [], reads: 0.4 },
  { file: "strips.tif", asks: [middle, bottom, top], builds: 1, layers: ["pyramid"], reads: 1.7 },
  { file: "pyramid.tif", asks: [thumbnail, middle, atHalf], builds: 0, layers: [], reads: 0.5 },
];

const all: readonly SidecarLayer[] = ["ground", "overview", "pyramid", "level4", "level2"];

/** Returns the layers of a master that the slot has. */
async function layersOf(service: Awaited<ReturnType<typeof served>>["service"], master: Master) {
  const { origin } = service.slots;
  await origin.whenSettled();
  const found: SidecarLayer[] = [];
  for (const layer of all) {
    const { name, variant } = await sidecarKey(master, layer);
    if (await origin.get(name, variant)) found.push(layer);
  }
  return found;
}

test.each(rows.map((row) => [row.file, row.asks.map((ask) => ask.join("/")).join(", then "), row] as const))(
  "%s, asked for %s",
  async (_file, _asks, { file, asks, builds, layers, reads }) => {
    const { service } = await served(
      `sources: [{ name: own, type: filesystem, root: ${JSON.stringify(folder)} }]
cache: { render: { backend: none }, origin: { backend: heap, max_bytes: 1GiB, ttl: 0s } }`,
    );
    const { images, slots } = service;
    let made = 0;
    const pool: typeof images.pool = {
      runUncounted: (job, limits) => images.pool.runUncounted(job, limits),
      status: () => images.pool.status(),
      resize: (size) => images.pool.resize(size),
      close: () => images.pool.close(),
      run(job, limits) {
        if (job.task.kind === "sidecar") made++;
        return images.pool.run(job, limits);
      },
    };
    const { codecs, admission, timeoutMs } = images;
    const sidecars = createSidecars({
      codecs,
      pool,
      origin: slots.origin,
      admission,
      timeoutMs,
      inPlace: false,
    });
    const parts = { ...images, pool, sidecars };
    const opened = await openMaster(images.sources, file);
    let total = 0;
    const { size = 0, read } = opened.image.bytes;
    const bytes = {
      ...opened.image.bytes,
      async read(offset: number, length: number) {
        const found = await read.call(opened.image.bytes, offset, length);
        total += found.length;
        return found;
      },
    };
    // Without the name of the file, workers read it through the main thread.
    const { file: _path, ...image } = opened.image;
    const master = { ...opened, image: { ...image, bytes } };
    for (const [region, wanted] of asks) {
      const request = { region, size: wanted, rotation: "0", file: "default.jpg" };
      const prepared = await prepare(parts, master, parseImageRequest(3, request as never, writtenFormats));
      await render(parts, master, prepared, new AbortController().signal);
      await sidecars.idle();
    }
    expect([made, await layersOf(service, opened)]).toEqual([builds, layers]);
    expect(total / size).toBeLessThan(reads);
    await opened.image.close();
    await service.close();
  },
);
