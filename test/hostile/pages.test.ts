// TIFF files of up to a megabyte with as many directories as fit: what they cost grows with their number, and
// no more.
// @module-tag slow

import { mkdtempSync, rmSync, writeFileSync } from "node:fs";
import { tmpdir } from "node:os";
import { join } from "node:path";
import { afterAll, expect, test } from "vitest";
import { diagnose } from "../../src/doctor/image/diagnose.ts";
import { served } from "../served.ts";
import { costOf } from "./cost.ts";

const root = mkdtempSync(join(tmpdir(), "smalti-pages-"));
afterAll(() => rmSync(root, { recursive: true, force: true }));
const yaml = `sources: [{ name: pages, type: filesystem, root: ${JSON.stringify(root)} }]\n`;

type Field = readonly [tag: number, type: number, count: number, value: number];
const [short, long] = [3, 4];

/** Bytes of a directory of classic TIFF. */
const lengthOf = (fields: number) => 2 + 12 * fields + 4;

/** Writes a directory, little endian (TIFF 6.0, section 2). */
function writeDirectory(view: DataView, at: number, fields: readonly Field[], next: number): void {
  view.setUint16(at, fields.length, true);
  for (const [i, [tag, type, count, value]] of fields.entries()) {
    const entry = at + 2 + 12 * i;
    view.setUint16(entry, tag, true);
    view.setUint16(entry + 2, type, true);
    view.setUint32(entry + 4, count, true);
    if (type === short && count === 1) view.setUint16(entry + 8, value, true);
    else view.setUint32(entry + 8, value, true);
  }
  view.setUint32(at + 2 + 12 * fields.length, next, true);
}

const first = 256;

/** A file of `size` bytes whose first directory is at 256. */
function emptyFile(size: number): { readonly file: Uint8Array; readonly view: DataView } {
  const file = new Uint8Array(size);
  file.set([0x49, 0x49, 42, 0]);
  const view = new DataView(file.buffer);
  view.setUint32(4, first, true);
  return { file, view };
}

/** Pages of gray, 8 by 8 pixels, which share one strip; `sides` in place of the width. */
const pageFields = (width = 8): readonly Field[] => [
  [256, short, 1, width],
  [257, short, 1, 8],
  [258, short, 1, 8],
  [262, short, 1, 1],
  [273, long, 1, 8],
];

interface Chain {
  readonly pages: number;
  readonly fields?: (n: number) => readonly Field[];
  /** Index in the file of page n. */
  readonly place?: (n: number) => number;
  /** Bytes after the directories. */
  readonly more?: number;
}

/** A chain of directories, which all have as many fields. */
function chained({ pages, fields = () => pageFields(), place = (n) => n, more = 0 }: Chain) {
  const length = lengthOf(fields(0).length);
  const { file, view } = emptyFile(first + pages * length + more);
  const at = (n: number) => first + length * place(n);
  for (let n = 0; n < pages; n++) writeDirectory(view, at(n), fields(n), n + 1 < pages ? at(n + 1) : 0);
  return { file, view, end: first + pages * length };
}

function put(name: string, file: Uint8Array): string {
  expect(file.length).toBeLessThanOrEqual(2 ** 20);
  writeFileSync(join(root, name), file);
  return name;
}

/** Canvases of the manifest of a file. */
async function canvasesOf(app: Awaited<ReturnType<typeof served>>, name: string, version = 3) {
  const response = await app.get(`/iiif/presentation/${version}/${name}`);
  expect(response.status).toBe(200);
  const manifest = await response.json();
  return version === 3 ? manifest.items : manifest.sequences[0].canvases;
}

test("the first manifest of many pages has all of them, for a cost in proportion to their number", async () => {
  for (const [pages, most] of [
    [1025, 2000],
    [10_000, 8000],
  ] as const) {
    const name = put(`many-${pages}.tif`, chained({ pages }).file);
    const app = await served(yaml);
    const { result, cpuMs } = await costOf(() => canvasesOf(app, name));
    expect(result).toHaveLength(pages);
    expect(cpuMs).toBeLessThan(most);
  }
});

test("a manifest of 2.1, of the folder and of pages that differ has all pages too", async () => {
  const pages = 4000;
  const name = put("sizes.tif", chained({ pages, fields: (n) => pageFields(1 + n) }).file);
  const app = await served(yaml);
  const { result, cpuMs } = await costOf(() => canvasesOf(app, name, 2));
  expect(result.map(({ width }: { width: number }) => width)).toEqual(
    Array.from({ length: pages }, (_, n) => 1 + n),
  );
  expect(cpuMs).toBeLessThan(8000);
  const viewed = await costOf(async () => {
    for (let n = 1; n <= 20; n++)
      expect((await app.get(`/iiif/presentation/3/${name}/canvas/${200 * n}`)).status).toBe(200);
    expect((await app.get(`/view/${name}`)).status).toBe(200);
  });
  expect(viewed.cpuMs).toBeLessThan(5000);
});

test("single pages of a long file cost little, the last one asked first", async () => {
  const pages = 10_000;
  const name = put("single.tif", chained({ pages }).file);
  const app = await served(yaml);
  const status = async (path: string) => (await app.get(path)).status;
  const last = await costOf(() => status(`/iiif/3/${name};${pages}/full/max/0/default.jpg`));
  expect(last.result).toBe(200);
  expect(last.cpuMs).toBeLessThan(3000);
  const { cpuMs } = await costOf(async () => {
    for (let n = 1; n <= 200; n++) expect(await status(`/iiif/3/${name};${50 * n}/info.json`)).toBe(200);
  });
  expect(cpuMs).toBeLessThan(3000);
  expect(await status(`/iiif/3/${name};${pages + 1}/info.json`)).toBe(404);
});

/** Fields that each hide something that costs more than its bytes. */
const hostile: Readonly<Record<string, () => Uint8Array>> = {
  "in an order of large leaps": () => chained({ pages: 10_007, place: (n) => (n * 7919) % 10_007 }).file,
  "of one field each": () => chained({ pages: 58_000, fields: () => [[256, short, 1, 8]] }).file,
  "that overlap, of 4,096 fields each": () => {
    const { file, view } = emptyFile(2 ** 20);
    writeDirectory(view, first, pageFields(), 600_000);
    for (let at = 400_000; at + 6 <= file.length; at += 6) {
      view.setUint16(at, 4096, true);
      view.setUint32(at + 2, at > 460_000 ? at - 49_140 - ((at - 49_140) % 6) + 4 : 600_000, true);
    }
    return file;
  },
  "that end in a ring": () => {
    const { file, view, end } = chained({ pages: 5000 });
    view.setUint32(end - 4, first, true);
    return file;
  },
  "with thirty levels each, which overlap": () => {
    const fields = (n: number): readonly Field[] => [
      ...pageFields(),
      [330, long, 30, 500_000 + 4 * ((n * 131) % 20_000)],
    ];
    const { file, view } = chained({ pages: 5000, fields, more: 2 ** 20 - first - 5000 * lengthOf(6) });
    for (let i = 0; i < 20_100; i++)
      view.setUint32(500_000 + 4 * i, 600_000 + 6 * ((i * 7919) % 60_000), true);
    for (let at = 600_000; at + 6 <= file.length; at += 6) view.setUint16(at, 4096, true);
    return file;
  },
  "with counts of 4,294,967,295": () =>
    chained({
      pages: 10_000,
      fields: (n) =>
        n === 0
          ? pageFields()
          : [256, 257, 258, 273, 330].map((tag) => [tag, long, tag > 257 ? 2 ** 32 - 1 : 1, 8] as const),
    }).file,
  "of a tiled page, pages in strips, and reductions of the first": () =>
    chained({
      pages: 16_000,
      fields: (n) => {
        const side = n === 0 ? 64 : n < 8000 ? 24 : 32;
        const tiled: Field = n === 0 || n >= 8000 ? [322, short, 1, 64] : [258, short, 1, 8];
        return [[256, short, 1, side], [257, short, 1, side], tiled, [323, short, 1, 64]];
      },
    }).file,
  "that are reductions of one page": () =>
    chained({ pages: 13_000, fields: (n) => [[254, long, 1, n ? 1 : 0], ...pageFields(n ? 4 : 8)] }).file,
  "that share a profile of 300,000 bytes": () =>
    chained({ pages: 9000, fields: () => [...pageFields(), [34675, 7, 300_000, 700_000]], more: 300_000 })
      .file,
  "of old-style JPEG that share one stream": () => {
    const old = (stream: number): readonly Field[] => [
      ...pageFields().filter(([tag]) => tag !== 258),
      [259, short, 1, 6],
      [513, long, 1, stream],
    ];
    const { file, end } = chained({
      pages: 9000,
      fields: (n) => (n === 0 ? [...pageFields(), [259, short, 1, 1]] : old(first + 9000 * lengthOf(6))),
      more: 300_000,
    });
    return file.fill(0xff, end);
  },
};

test.each(Object.entries(hostile))("directories %s cost little", async (what, make) => {
  const name = put(`hostile-${Object.keys(hostile).indexOf(what)}.tif`, make());
  const app = await served(yaml);
  const { cpuMs, peakMiB } = await costOf(async () => {
    for (const path of [
      `/iiif/3/${name}/info.json`,
      `/iiif/presentation/3/${name}`,
      `/iiif/3/${name}/full/max/0/default.jpg`,
      `/iiif/3/${name};2000/info.json`,
    ])
      await (await app.get(path)).arrayBuffer();
  });
  expect(cpuMs).toBeLessThan(8000);
  expect(peakMiB).toBeLessThan(600);
});

test("a file whose chain is damaged says so in its manifest, and in its diagnosis", async () => {
  const { file, view } = chained({ pages: 5 });
  view.setUint16(first + 3 * lengthOf(5), 0, true);
  const name = put("damaged.tif", file);
  const app = await served(yaml);
  const manifest = await (await app.get(`/iiif/presentation/3/${name}`)).json();
  expect(manifest.items).toHaveLength(3);
  expect(manifest.summary.en[0]).toMatch(/^damaged\.tif is damaged: its pages after page 3 /);
  const { findings } = await diagnose(app.service.images, name, {
    signal: new AbortController().signal,
    nameCommands: () => ({ file: name }),
  });
  expect(findings).toContainEqual(expect.objectContaining({ level: "problem", code: "pages_lost" }));
});
