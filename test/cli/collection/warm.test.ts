// Filling the caches ahead of readers: what is made, what is found, and what an interruption leaves.

import { cpSync, mkdirSync, mkdtempSync, rmSync, writeFileSync } from "node:fs";
import { tmpdir } from "node:os";
import { join } from "node:path";
import sharp from "sharp";
import { afterEach, beforeEach, describe, expect, test } from "vitest";
import { ServiceError } from "../../../src/base/index.ts";
import { type WarmOptions, type WarmReport, warm } from "../../../src/cli/collection/warm/warm.ts";
import { fixturesFolder } from "../../host.ts";
import { type Served, served } from "../../served.ts";

let folder: string;
beforeEach(() => {
  folder = mkdtempSync(join(tmpdir(), "smalti-warm-"));
  mkdirSync(join(folder, "masters"));
});
afterEach(() => rmSync(folder, { recursive: true, force: true }));

const master = (name: string) => join(folder, "masters", name);

/** Writes a JPEG of enough pixels to have a sidecar. */
async function writePhoto(name: string, side = 1500): Promise<void> {
  mkdirSync(join(master(name), ".."), { recursive: true });
  const noise = { create: { width: side, height: side, channels: 3, background: "#336699" } } as const;
  writeFileSync(master(name), await sharp(noise).jpeg().toBuffer());
}

const cacheYaml = (render = "filesystem") => {
  const path = JSON.stringify(join(folder, "cache"));
  const on = `{ backend: filesystem, path: ${path} }`;
  return `cache: { info: ${on}, origin: ${on}, text: ${on}, render: ${render === "filesystem" ? on : "{ backend: heap }"} }`;
};

const open = (cache = cacheYaml()): Promise<Served> =>
  served(
    `${cache}\nsources: [{ name: masters, type: filesystem, root: ${JSON.stringify(join(folder, "masters"))} }]`,
  );

const run = async (options: Partial<WarmOptions> = {}, cache?: string): Promise<WarmReport> => {
  const { service } = await open(cache);
  try {
    const signal = new AbortController().signal;
    return await warm(service, {
      selection: [],
      concurrency: 2,
      levels: 2,
      pages: "all",
      texts: false,
      signal,
      ...options,
    });
  } finally {
    await service.close();
  }
};

/** Requests that a viewer sends first, by a service in another process. */
async function firstRequests(name: string): Promise<readonly number[]> {
  const { service, get } = await open();
  try {
    const address = `/iiif/3/${encodeURIComponent(name)}`;
    expect((await get(`${address}/info.json`)).status).toBe(200);
    expect((await get(`${address}/full/!200,200/0/default.jpg`)).status).toBe(200);
    const { misses, hits } = service.slots.render.counts;
    return [hits.value, misses.value];
  } finally {
    await service.close();
  }
}

describe("warm", () => {
  test("makes facts, sidecars and first levels, which a server then finds", async () => {
    await writePhoto("a.jpg");
    await writePhoto("inner/b.jpg");
    const report = await run();
    expect(report).toMatchObject({ files: 2, filesMade: 2, failed: 0, writeErrors: 0, interrupted: false });
    expect(report.sidecars).toEqual({ made: 2, found: 0 });
    // 1500 pixels at 1/4 are one tile of 512 and at 1/2 four; each file also has a thumbnail.
    expect(report.derivatives).toEqual({ made: 2 * (1 + 1 + 4), found: 0 });
    const { text, changes, ...written } = report.bytesWritten;
    expect([text, changes]).toEqual([0, 0]);
    expect(Math.min(...Object.values(written))).toBeGreaterThan(0);
    expect(await firstRequests("inner/b.jpg")).toEqual([1, 0]);
  });

  test("finds in the caches what an earlier run has made, and makes only a changed file again", async () => {
    await writePhoto("a.jpg");
    await writePhoto("b.jpg");
    await run();
    const second = await run();
    expect(second).toMatchObject({
      files: 2,
      filesMade: 0,
      bytesWritten: { info: 0, origin: 0, render: 0 },
      sidecars: { made: 0, found: 2 },
      derivatives: { made: 0, found: 12 },
    });
    await writePhoto("b.jpg", 1600);
    expect(await run()).toMatchObject({ files: 2, filesMade: 1, sidecars: { made: 1, found: 1 } });
  });

  test("stops when it is interrupted, and the next run continues", async () => {
    for (let i = 0; i < 20; i++) await writePhoto(`${i}.jpg`, 1100);
    const stop = new AbortController();
    const first = await run({
      concurrency: 1,
      signal: stop.signal,
      onProgress: ({ done }) => done === 7 && stop.abort(),
    });
    expect(first).toMatchObject({ interrupted: true, failed: 0 });
    expect(first.files).toBeGreaterThanOrEqual(7);
    expect(first.files).toBeLessThan(20);
    const second = await run({ concurrency: 1 });
    expect(second).toMatchObject({ files: 20, failed: 0, interrupted: false });
    expect(second.sidecars.found).toBeGreaterThanOrEqual(7);
    expect(second.sidecars.made + second.sidecars.found).toBe(20);
  });

  test("reports files that cannot be rendered, and continues with the others", async () => {
    await writePhoto("b.jpg");
    cpSync(join(fixturesFolder, "bad-trunc-50.jpg"), master("a.jpg"));
    writeFileSync(master("c.tif"), "no image");
    const report = await run({ concurrency: 1 });
    expect(report).toMatchObject({ files: 3, filesMade: 1 });
    expect(report.failures).toEqual([
      expect.objectContaining({ where: "a.jpg", code: "decode" }),
      expect.objectContaining({ where: "c.tif", code: "unsupported_format" }),
    ]);
  });

  test("warms a selection, each page of a TIFF, and says that a file is missing", async () => {
    await writePhoto("a/b.jpg");
    await writePhoto("c.jpg");
    cpSync(join(fixturesFolder, "tif-multipage-3sizes.tif"), master("pages.tif"));
    const report = await run({ selection: ["a", "pages.tif", "nowhere.jpg"], levels: 1 });
    expect(report.files).toBe(3);
    expect(report.failures).toEqual([
      expect.objectContaining({ where: "nowhere.jpg", code: "image_not_found" }),
    ]);
    // Two of b.jpg, and at least one of each of the three pages.
    expect(report.derivatives.made).toBeGreaterThanOrEqual(2 + 3);
  });

  test("makes nothing for a cache in memory, and says so", async () => {
    await writePhoto("a.jpg");
    const report = await run({}, cacheYaml("heap"));
    expect(report.unfilled).toEqual([{ cache: "render", backend: "heap" }]);
    expect(report.derivatives).toEqual({ made: 0, found: 0 });
    expect(report.sidecars.made).toBe(1);
  });

  test("indexes the texts of folders, which another process then finds, and only those that changed again", async () => {
    await writePhoto("book/1.jpg", 300);
    await writePhoto("book/2.jpg", 300);
    writeFileSync(master("book/1.txt"), "Guten Tag");
    writeFileSync(master("book/2.txt"), "Gute Nacht");
    await writePhoto("none/1.jpg", 300);
    const reported: (readonly number[])[] = [];
    const onTexts = (done: number, total: number) => void reported.push([done, total]);
    expect((await run({ levels: 0 })).texts).toBeUndefined();
    expect((await run({ levels: 0, texts: true, onTexts })).texts).toEqual({ made: 1, found: 0 });
    // The top, and two folders.
    expect(reported).toEqual([1, 2, 3].map((done) => [done, 3]));
    expect((await run({ levels: 0, texts: true })).texts).toEqual({ made: 0, found: 1 });
    const { service, get } = await open();
    const built = service.slots.text.counts.writes.value;
    const response = await get("/iiif/search/2/presentation/3/book?q=gut*");
    const { items } = (await response.json()) as { readonly items: readonly unknown[] };
    expect(items.length).toBe(2);
    expect(service.slots.text.counts.writes.value).toBe(built);
    await service.close();
    writeFileSync(master("book/2.txt"), "Gute Nacht und Guten Morgen");
    expect((await run({ levels: 0, texts: true })).texts).toEqual({ made: 1, found: 0 });
  });

  test("indexes whole sources if no folder is selected, and stops if it is interrupted", async () => {
    mkdirSync(master("book"));
    for (const name of ["1", "2"]) {
      cpSync(join(fixturesFolder, "jpg-gray.jpg"), master(`book/${name}.jpg`));
      writeFileSync(master(`book/${name}.txt`), "two words");
    }
    const pages: (readonly number[])[] = [];
    const onPages = (...counts: readonly number[]) => void pages.push(counts);
    await run({ levels: 0, texts: true, onPages, selection: ["book"] });
    expect(pages).toEqual([]);
    await run({ levels: 0, texts: true, onPages });
    expect(pages).toEqual([[2, 2]]);

    const { service } = await open();
    const controller = new AbortController();
    const sourceTexts = {
      ...service.sourceTexts!,
      async prepare(...asked: Parameters<NonNullable<typeof service.sourceTexts>["prepare"]>) {
        controller.abort();
        await service.sourceTexts!.prepare(...asked);
      },
    };
    const options = { selection: [], concurrency: 1, levels: 0, pages: "all", texts: true } as const;
    const report = await warm({ ...service, sourceTexts }, { ...options, signal: controller.signal });
    expect(report.interrupted).toBe(true);
    await service.close();
  });

  test("reports a folder whose texts cannot be indexed, and goes on", async () => {
    await writePhoto("book/1.jpg", 300);
    writeFileSync(master("book/1.txt"), "Guten Tag");
    const controller = new AbortController();
    const { service } = await open();
    const failing = {
      ...service.textSearch,
      prepare: () => Promise.reject(new ServiceError("too-large", "too long")),
    };
    const report = await warm(
      { ...service, textSearch: failing },
      { selection: [], concurrency: 1, levels: 0, pages: "all", texts: true, signal: controller.signal },
    );
    expect(report).toMatchObject({ failed: 1, texts: { made: 0, found: 0 } });
    expect(report.failures[0]).toMatchObject({ where: "book", text: "too long" });
    await service.close();
  });
});
