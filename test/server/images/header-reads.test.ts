// What the image information and the manifest of unseen images cost: reads of their files, and no job.

import { mkdir, mkdtemp, rm, writeFile } from "node:fs/promises";
import { tmpdir } from "node:os";
import { join } from "node:path";
import sharp from "sharp";
import { afterAll, beforeAll, describe, expect, test, vi } from "vitest";
import type { FileSystem, OpenFile } from "../../../src/base/platform.ts";
import { nodeFiles } from "../../../src/server/platform/files/node-files.ts";
import { fixture } from "../../host.ts";
import { seeded } from "../../seeded.ts";
import { type Served, served } from "../../served.ts";

const [width, height] = [900, 700];
const below = seeded(58);
const noise = new Uint8Array(3 * width * height).map(() => below(256));
const picture = () => sharp(noise, { raw: { width, height, channels: 3 } });
const tiles = { tile: true, pyramid: true, tileWidth: 128, tileHeight: 128 } as const;

/** A file in which something of this length comes before the picture, as thumbnails in EXIF and XMP do. */
function withComment(jpeg: Buffer, length: number): Buffer {
  const segments: Buffer[] = [];
  for (let left = length; left > 0; left -= 60_000) {
    const body = Buffer.alloc(Math.min(left, 60_000) + 4, 0x20);
    body.writeUInt16BE(0xfffe, 0);
    body.writeUInt16BE(body.length - 2, 2);
    segments.push(body);
  }
  return Buffer.concat([jpeg.subarray(0, 2), ...segments, jpeg.subarray(2)]);
}

/** A JP2 file with a longer codestream: data of tiles is no part of its header. */
async function longer(name: string, more: number, after = Buffer.alloc(0)): Promise<Buffer> {
  const file = Buffer.from(fixture(name));
  const at = file.indexOf("jp2c") - 4;
  const data = Buffer.alloc(more, 0x55);
  data.writeUInt16BE(0xffd9, more - 2);
  const head = Buffer.from(file.subarray(at, at + 8));
  head.writeUInt32BE(file.length - at + more, 0);
  return Buffer.concat([file.subarray(0, at), head, file.subarray(at + 8), data, after]);
}

/** An XMP box of JPEG 2000 (XMP specification part 3, 1.1.6). */
const xmpBox = Buffer.concat([
  Buffer.from([0, 0, 1, 0]),
  Buffer.from("uuid"),
  Buffer.from("be7acfcb97a942e89c71999491e3afac", "hex"),
  Buffer.alloc(0x100 - 24, 0x20),
]);

interface Row {
  readonly name: string;
  readonly make: () => Promise<Uint8Array>;
  /** Reads of the file: two, or more for a reason. */
  readonly most?: readonly [reads: number, because: string];
}

const rows: readonly Row[] = [
  { name: "baseline.jpg", make: () => picture().jpeg({ quality: 90 }).toBuffer() },
  { name: "progressive.jpg", make: () => picture().jpeg({ progressive: true }).toBuffer() },
  {
    name: "profile.jpg",
    make: () =>
      picture()
        .withIccProfile("p3")
        .withExif({ IFD0: { Artist: "A" } })
        .jpeg()
        .toBuffer(),
  },
  {
    name: "long-header.jpg",
    make: async () => withComment(await picture().jpeg().toBuffer(), 130_000),
    most: [5, "segments of 130 kB come before its frame"],
  },
  { name: "plain.png", make: () => picture().png().toBuffer() },
  { name: "profile.png", make: () => picture().withIccProfile("p3").png().toBuffer() },
  { name: "plain.webp", make: () => picture().webp({ quality: 95 }).toBuffer() },
  {
    name: "exif.webp",
    make: () =>
      picture()
        .withExif({ IFD0: { Artist: "A" } })
        .webp({ quality: 95 })
        .toBuffer(),
  },
  {
    name: "plain.gif",
    make: () => picture().gif().toBuffer(),
    most: [8, "it has no count of its frames, so it is read to its end"],
  },
  { name: "strips.tif", make: () => picture().tiff({ compression: "none" }).toBuffer() },
  { name: "deflate.tif", make: () => picture().tiff({ compression: "deflate" }).toBuffer() },
  {
    name: "pyramid.tif",
    make: () =>
      picture()
        .tiff({ compression: "jpeg", ...tiles })
        .toBuffer(),
  },
  {
    name: "large-pyramid.tif",
    make: () =>
      picture()
        .resize(2 * width)
        .tiff({ compression: "none", ...tiles })
        .toBuffer(),
    most: [5, "directories of its first levels are further than 240 KiB from its end, each behind its tiles"],
  },
  { name: "plain.jp2", make: () => longer("jp2-reversible.jp2", 100_000) },
  { name: "palette.jp2", make: () => longer("jp2-palette.jp2", 100_000) },
  {
    name: "metadata.jp2",
    make: () => longer("jp2-reversible.jp2", 100_000, xmpBox),
  },
];

let root: string;
beforeAll(async () => {
  root = await mkdtemp(join(tmpdir(), "smalti-header-reads-"));
  await mkdir(join(root, "book"));
  for (const { name, make } of rows) {
    const bytes = await make();
    for (const path of [name, `book/${name}`]) await writeFile(join(root, path), bytes);
  }
});
afterAll(() => rm(root, { recursive: true }));

/** Runs `act` with a fresh service over the folder, and returns the reads of each file and the jobs. */
async function counted(
  act: (app: Served) => Promise<void>,
): Promise<{ readonly reads: ReadonlyMap<string, number>; readonly jobs: number }> {
  const reads = new Map<string, number>();
  const files = nodeFiles();
  const counting = (path: string, file: OpenFile): OpenFile => ({
    ...file,
    read(offset, length) {
      reads.set(path, (reads.get(path) ?? 0) + 1);
      return file.read(offset, length);
    },
  });
  const wrapped: FileSystem = {
    ...files,
    open: async (path) => counting(path, await files.open(path)),
    ...(files.openPlain && {
      async openPlain(path: string) {
        const file = await files.openPlain!(path);
        return file && counting(path, file);
      },
    }),
  };
  const app = await served(
    `sources: [{ name: a, type: filesystem, root: ${JSON.stringify(root)} }]`,
    {},
    {
      files: wrapped,
    },
  );
  const run = vi.spyOn(app.service.images.pool, "run");
  try {
    await act(app);
    return { reads, jobs: run.mock.calls.length };
  } finally {
    run.mockRestore();
    await app.service.close();
  }
}

describe("an unseen image", () => {
  test.each(rows)("$name takes at most its reads for image information", async ({ name, most = [2] }) => {
    const { reads, jobs } = await counted(async ({ get }) => {
      const response = await get(`/iiif/3/${name}/info.json`);
      expect(response.status).toBe(200);
      await get(`/iiif/2/${name}/info.json`);
    });
    expect(reads.get(join(root, name)), String(most[1] ?? "")).toBeLessThanOrEqual(most[0]);
    expect(jobs).toBe(0);
  });

  test("takes the same reads in a manifest, and both together once", async () => {
    const { reads, jobs } = await counted(async ({ get }) => {
      const response = await get("/iiif/presentation/3/book");
      const { items } = (await response.json()) as { items: unknown[] };
      expect(items).toHaveLength(rows.length);
      for (const { name } of rows) await get(`/iiif/3/book%2F${name}/info.json`);
    });
    for (const { name, most = [2] } of rows)
      expect(reads.get(join(root, "book", name)), name).toBeLessThanOrEqual(most[0]);
    expect(jobs).toBe(0);
  });
});
