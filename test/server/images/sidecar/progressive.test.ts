// Progressive masters: one pass makes the transcode for all who wait, small pictures go on apart, and blocks
// may come and go.
// @module-tag slow

import { mkdtemp, rm, writeFile } from "node:fs/promises";
import { tmpdir } from "node:os";
import { join } from "node:path";
import sharp from "sharp";
import { afterAll, afterEach, beforeAll, describe, expect, test } from "vitest";
import { ServiceError } from "../../../../src/base/errors.ts";
import { parseImageRequest } from "../../../../src/iiif/image/grammar.ts";
import { writtenFormats } from "../../../../src/imaging/codecs/formats.ts";
import type { ImageHeader } from "../../../../src/imaging/codecs/image-header.ts";
import { blockVariant, sidecarKey } from "../../../../src/server/images/cache-keys.ts";
import {
  describe as describeImage,
  type Master,
  openMaster,
} from "../../../../src/server/images/describe.ts";
import { prepare, render } from "../../../../src/server/images/render.ts";
import { createSidecars } from "../../../../src/server/images/sidecar/sidecars.ts";
import type { Slot } from "../../../../src/server/stores/slot.ts";
import { grain } from "../../../grain.ts";
import { served } from "../../../served.ts";

let folder: string;
let file: Uint8Array;
const never = new AbortController().signal;

beforeAll(async () => {
  folder = await mkdtemp(join(tmpdir(), "smalti-transcodes-"));
  file = await grain(1600, 1100, 50).jpeg({ quality: 88, progressive: true }).toBuffer();
  await writeFile(join(folder, "a.jpg"), file);
});

const masters: Master[] = [];
afterEach(async () => {
  for (const { image } of masters.splice(0)) await image.close();
});
afterAll(() => rm(folder, { recursive: true, force: true }));

const origins = {
  heap: () => "{ backend: heap, max_bytes: 64MiB, ttl: 0s }",
  filesystem: () => `{ backend: filesystem, path: ${JSON.stringify(join(folder, `s${++places}`))}, ttl: 0s }`,
  none: () => "{ backend: none }",
} as const;
let places = 0;

const serviceWith = async (kind: keyof typeof origins) =>
  (
    await served(
      `sources: [{ name: own, type: filesystem, root: ${JSON.stringify(folder)} }]
cache: { render: { backend: none }, origin: ${origins[kind]()} }`,
    )
  ).service;

/** A service over its own slot, with workers; counts its reads of the slot and the sidecars it makes. */
async function setUp(kind: keyof typeof origins, change: (slot: Slot) => Partial<Slot> = () => ({})) {
  const { images, slots } = await serviceWith(kind);
  let made = 0;
  let bytes = 0;
  let hold: Promise<void> = Promise.resolve();
  let failure: ServiceError | undefined;
  const countedPool = (own: typeof images.pool): typeof own => ({
    ...own,
    async run(...args) {
      if (args[0].task.kind !== "sidecar") return own.run(...args);
      made++;
      await hold;
      if (failure) throw failure;
      return own.run(...args);
    },
  });
  const inner: Slot = { ...slots.origin, ...change(slots.origin) };
  const origin: Slot = {
    ...inner,
    async get(name, variant) {
      const found = await inner.get(name, variant);
      bytes += found?.length ?? 0;
      return found;
    },
  };
  let time = 0;
  const processOver = ({ codecs, admission, timeoutMs, ...own }: typeof images) => {
    const pool = countedPool(own.pool);
    const parts = { codecs, pool, origin, admission, timeoutMs, inPlace: false };
    return {
      ...own,
      codecs,
      admission,
      timeoutMs,
      pool,
      sidecars: createSidecars({ ...parts, now: () => time }),
    };
  };
  const here = processOver(images);
  const master = await openMaster(images.sources, "a.jpg");
  masters.push(master);
  const header = await describeImage(images, master);
  const key = await sidecarKey(master, "ground");
  const answer = async (region: string, size = "max", parts = here) => {
    const request = parseImageRequest(
      3,
      { region, size, rotation: "0", file: "default.png" } as never,
      writtenFormats,
    );
    const { bytes: png } = await render(parts, master, await prepare(parts, master, request), never);
    const { data, info } = await sharp(png).raw().toBuffer({ resolveWithObject: true });
    return { data, size: [info.width, info.height] };
  };
  return {
    sidecars: here.sidecars,
    /** Another process over the same slot, with an empty memory. */
    elsewhere: async () => processOver((await serviceWith("none")).images),
    answer,
    master,
    header,
    key,
    origin: slots.origin,
    made: () => made,
    bytes: () => bytes,
    admission: here.admission,
    pass: (ms: number) => (time += ms),
    hold: (until: Promise<void>) => (hold = until),
    fail: (error: ServiceError | undefined) => (failure = error),
  };
}

const at = (header: ImageHeader, scaleFactor: number) => ({
  header,
  page: 1,
  region: { x: 0, y: 0, width: header.width, height: header.height },
  scaleFactor,
});

/** The region as another decoder has it. */
async function expected(left: number, top: number, width: number, height: number) {
  const { data } = await sharp(file)
    .extract({ left, top, width, height })
    .raw()
    .toBuffer({ resolveWithObject: true });
  return data;
}

async function blocksOf({ origin, key }: Awaited<ReturnType<typeof setUp>>): Promise<number> {
  await origin.whenSettled();
  let count = 0;
  while (await origin.get(key.name, blockVariant(key, count))) count++;
  return count;
}

describe.each(Object.keys(origins) as (keyof typeof origins)[])("with the origin slot on %s", (kind) => {
  test("concurrent callers that need pixels at 1/1 wait for one pass, and get what another decoder shows", async () => {
    const all = await setUp(kind);
    const [first, second] = await Promise.all([all.answer("700,600,256,256"), all.answer("100,880,300,200")]);
    expect(first.data.equals(await expected(700, 600, 256, 256))).toBe(true);
    expect(second.data.equals(await expected(100, 880, 300, 200))).toBe(true);
    expect(all.made()).toBe(1);
    expect(await blocksOf(all)).toBe(kind === "none" ? 0 : Math.ceil((1.1 * file.length) / 2 ** 20));
  });

  test("a small derivative needs no pass, not even during one, and is the same after it", async () => {
    const all = await setUp(kind);
    const { sidecars, header, master } = all;
    let go = () => {};
    all.hold(new Promise((resolve) => (go = resolve)));
    const before = await all.answer("full", "100,");
    expect(before.size).toEqual([100, 69]);
    const waiting = sidecars.find(master, at(header, 1), { signal: never });
    const apart = await sidecars.find(master, at(header, 8), { signal: never });
    expect(apart?.state, "the first one has left the level at 1/8").toBe("complete");
    expect((await all.answer("full", "100,")).data.equals(before.data)).toBe(true);
    go();
    expect((await waiting)?.access.absent).toBeUndefined();
    expect((await all.answer("full", "100,")).data.equals(before.data)).toBe(true);
    expect(all.made()).toBe(1);
  });
});

describe.each(["heap", "filesystem"] as const)("blocks on %s", (kind) => {
  test("serve another process, and are read once for neighbouring tiles", async () => {
    const all = await setUp(kind);
    await all.answer("0,0,64,64");
    await all.origin.whenSettled();
    const elsewhere = await all.elsewhere();
    const fromBefore = all.bytes();
    await all.answer("1000,950,256,96", "max", elsewhere);
    const before = all.bytes();
    const index = (await all.origin.get(all.key.name, all.key.variant)) as Uint8Array;
    expect(before - fromBefore).toBeGreaterThan(index.length);
    const tile = await all.answer("600,950,256,96", "max", elsewhere);
    expect(tile.data.equals(await expected(600, 950, 256, 96))).toBe(true);
    expect(all.bytes()).toBe(before);
    expect(all.made()).toBe(1);
  });

  test("go with the master's name when it is purged, and come back when they are needed", async () => {
    const all = await setUp(kind);
    await all.answer("0,0,64,64");
    const count = await blocksOf(all);
    expect(count).toBeGreaterThanOrEqual(2);
    expect(await all.origin.delete(all.key.name)).toBe(count + 1);
    expect(await blocksOf(all)).toBe(0);
    const tile = await all.answer("500,990,256,100", "max", await all.elsewhere());
    expect(tile.data.equals(await expected(500, 990, 256, 100))).toBe(true);
    expect(await blocksOf(all)).toBe(count);
  });
});

test.each([
  ["filesystem", "missing"],
  ["heap", "missing"],
  ["heap", "another's"],
  ["heap", "of another length"],
] as const)(
  "blocks on %s that are %s are remade for the response, and stored again by the next one",
  async (kind, what) => {
    const all = await setUp(kind);
    await all.sidecars.find(all.master, at(all.header, 1), { signal: never });
    await all.sidecars.idle();
    const last = (await blocksOf(all)) - 1;
    const variant = blockVariant(all.key, last);
    const sound = (await all.origin.get(all.key.name, variant)) as Uint8Array;
    if (what === "missing") await all.origin.delete(all.key.name, variant);
    else
      all.origin.put(
        all.key.name,
        variant,
        what === "another's" ? sound.map((byte) => byte ^ 3) : sound.slice(1),
      );
    await all.origin.whenSettled();
    const elsewhere = await all.elsewhere();
    const tile = await all.answer("900,1020,256,70", "max", elsewhere);
    expect(tile.data.equals(await expected(900, 1020, 256, 70))).toBe(true);
    expect(all.made()).toBe(1);
    await elsewhere.sidecars.idle();
    const next = await all.answer("900,1000,256,70", "max", elsewhere);
    expect(next.data.equals(await expected(900, 1000, 256, 70))).toBe(true);
    expect(all.made()).toBe(2);
    await all.origin.whenSettled();
    expect((await all.origin.get(all.key.name, variant))?.length).toBe(sound.length);
  },
);

test("a slot that stores no block costs time, not correctness, and is tried again after a minute", async () => {
  const broken = true;
  const all = await setUp("heap", (slot) => ({
    put: (name, variant, value) => {
      if (!broken || !/\.\d+$/.test(variant)) slot.put(name, variant, value);
    },
  }));
  for (const left of [0, 400, 800, 1200]) {
    const tile = await all.answer(`${left},700,256,100`);
    expect(tile.data.equals(await expected(left, 700, 256, 100))).toBe(true);
    await all.sidecars.idle();
  }
  expect(all.made()).toBeLessThanOrEqual(2);
  expect(await blocksOf(all)).toBe(0);
});

test("a file whose transcode exceeds the slot gets the same response, and nothing is stored", async () => {
  const all = await setUp("heap", () => ({ maxBytes: () => 4 * file.length }));
  const tile = await all.answer("800,700,256,100");
  expect(tile.data.equals(await expected(800, 700, 256, 100))).toBe(true);
  expect(all.made()).toBe(0);
  expect(await blocksOf(all)).toBe(0);
});

test("a waiting caller may leave, and the pass continues for the others", async () => {
  const all = await setUp("heap");
  let go = () => {};
  all.hold(new Promise((resolve) => (go = resolve)));
  const leaving = new AbortController();
  const gone = all.sidecars.find(all.master, at(all.header, 1), { signal: leaving.signal });
  const staying = all.sidecars.find(all.master, at(all.header, 2), { signal: never });
  leaving.abort();
  await expect(gone).rejects.toMatchObject({ kind: "cancelled" });
  go();
  expect((await (await staying)?.access.load())?.length).toBeGreaterThan(1000);
  expect(all.made()).toBe(1);
});

test("a pass that fails for its source fails for all waiting callers, and the next read starts again", async () => {
  const all = await setUp("heap");
  all.fail(new ServiceError("source", "gone"));
  const both = [1, 2].map((factor) =>
    all.sidecars.find(all.master, at(all.header, factor), { signal: never }),
  );
  for (const each of await Promise.allSettled(both))
    expect(each).toMatchObject({ status: "rejected", reason: { kind: "source" } });
  expect(all.made()).toBe(1);
  all.fail(undefined);
  expect(
    (await all.sidecars.find(all.master, at(all.header, 1), { signal: never }))?.access.id,
  ).toBeDefined();
});

test("if jobs run in place, a small derivative is made without a pass", async () => {
  const { get, service } = await served(
    `sources: [{ name: own, type: filesystem, root: ${JSON.stringify(folder)} }]
cache: { render: { backend: none }, origin: { backend: heap, max_bytes: 64MiB, ttl: 0s } }`,
  );
  expect((await get("/iiif/3/a.jpg/full/100,/0/default.jpg")).status).toBe(200);
  const master = await openMaster(service.images.sources, "a.jpg");
  masters.push(master);
  const key = await sidecarKey(master, "ground");
  expect(await service.slots.origin.get(key.name, key.variant)).toBeUndefined();
  expect((await get("/iiif/3/a.jpg/0,0,256,256/max/0/default.jpg")).status).toBe(200);
  await service.slots.origin.whenSettled();
  expect((await service.slots.origin.get(key.name, key.variant))?.length).toBeGreaterThan(1000);
});
