// Who makes the sidecar of a master, how often, and what happens to it: over real files, worker threads and
// slots.

import { mkdtemp, readFile, rm, writeFile } from "node:fs/promises";
import { tmpdir } from "node:os";
import { join } from "node:path";
import sharp from "sharp";
import { afterAll, beforeAll, expect, test } from "vitest";
import { ServiceError } from "../../../src/errors.ts";
import { sidecarKey } from "../../../src/images/cache-keys.ts";
import { describe as describeImage, type Master, openMaster } from "../../../src/images/describe.ts";
import { createSidecars } from "../../../src/images/sidecar/sidecars.ts";
import type { ImageHeader } from "../../../src/imaging/codecs/image-header.ts";
import { readEntry, withoutLevels } from "../../../src/imaging/sidecar/entry.ts";
import { grain } from "../../grain.ts";
import { type Served, served } from "../../served.ts";
import { askedForRest, masterOf, startOrigin } from "../../servers/origin.ts";

let folder: string;
let app: Served;

beforeAll(async () => {
  folder = await mkdtemp(join(tmpdir(), "smalti-indexes-"));
  const picture = grain(1500, 1000, 40);
  await writeFile(join(folder, "a.jpg"), await picture.clone().jpeg({ quality: 90 }).toBuffer());
  await writeFile(
    join(folder, "progressive.jpg"),
    await picture.clone().jpeg({ quality: 80, progressive: true }).toBuffer(),
  );
  for (const progressive of [false, true])
    await writeFile(
      join(folder, progressive ? "left-progressive.jpg" : "left.jpg"),
      await picture.clone().jpeg({ quality: 70, progressive }).toBuffer(),
    );
  // much larger than the first read of a remote file
  for (const progressive of [false, true])
    await writeFile(
      join(folder, progressive ? "large-progressive.jpg" : "large.jpg"),
      await picture.clone().jpeg({ quality: 99, chromaSubsampling: "4:4:4", progressive }).toBuffer(),
    );
  const sound = await picture.clone().jpeg({ quality: 75 }).toBuffer();
  await writeFile(join(folder, "cut.jpg"), sound.subarray(0, sound.length / 2));
  await writeFile(join(folder, "a.tif"), await picture.clone().tiff().toBuffer());
  app = await fresh();
});

/** An application that has seen nothing yet. */
const fresh = () =>
  served(
    `sources: [{ name: own, type: filesystem, root: ${JSON.stringify(folder)} }]
cache: { render: { backend: none }, origin: { backend: heap, max_bytes: 64MiB, ttl: 0s } }`,
  );

afterAll(() => rm(folder, { recursive: true, force: true }));

const never = new AbortController().signal;

/** The whole image, read at 1/scaleFactor. */
const at = (header: ImageHeader, scaleFactor: number) => ({
  header,
  page: 1,
  region: { x: 0, y: 0, width: header.width, height: header.height },
  scaleFactor,
});
const at1 = (header: ImageHeader) => at(header, 1);
/** The header of an image that is decoded quickly without a sidecar. */
const small = (header: ImageHeader): ImageHeader => ({ ...header, width: 900, height: 900 });
/** One that the level at 1/4 serves. */
const atQuarter = (header: ImageHeader) => ({ ...at(header, 4), halvesColour: true as const });

type Build = Served["service"]["images"]["pool"]["run"];

interface Parts extends Partial<Parameters<typeof createSidecars>[0]> {
  readonly service?: Served["service"];
  /** Replaces a pass; it may call the pool's own. */
  readonly build?: (own: Build, ...args: Parameters<Build>) => ReturnType<Build>;
}

/** Sidecars over the application's parts, with workers; `made` counts the passes. */
function parts({ service = app.service, build = (own, ...args) => own(...args), ...change }: Parts = {}) {
  const { images, slots } = service;
  let made = 0;
  const pool: typeof images.pool = {
    ...images.pool,
    run: (...args) => {
      if (args[0].task.kind !== "sidecar") return images.pool.run(...args);
      made++;
      return build(images.pool.run, ...args);
    },
  };
  const { codecs, admission, timeoutMs } = images;
  const given = { codecs, pool, origin: slots.origin, admission, timeoutMs, inPlace: false };
  const sidecars = createSidecars({ ...given, ...change });
  return { sidecars, made: () => made };
}

/** Reads as a completed render does, and waits for what it started. */
async function readOnce(
  sidecars: ReturnType<typeof createSidecars>,
  found: Master,
  read: ReturnType<typeof at>,
) {
  const each = await sidecars.of(found, read, { signal: never });
  each?.finish?.();
  await sidecars.idle();
  return each;
}

/** Empties the slot of the entries of a master. */
const clear = async (found: Master) => {
  await app.service.slots.origin.delete((await sidecarKey(found)).name);
};

async function master(name: string) {
  const found = await openMaster(app.service.images.sources, name);
  const header = await describeImage(app.service.images, found);
  await found.image.close();
  return { found, header };
}

test("the first render begins, all others wait for one pass, which the origin slot keeps", async () => {
  const { found, header } = await master("a.jpg");
  const { sidecars, made } = parts();
  await clear(found);
  const first = await sidecars.of(found, at1(header), { signal: never });
  expect(first?.access.absent).toBe(true);
  const others = Promise.all([1, 2, 3].map(() => sidecars.of(found, at1(header), { signal: never })));
  expect(made()).toBe(0);
  first?.finish?.();
  for (const other of await others) {
    expect(other?.access.absent).toBeUndefined();
    expect((await other?.access.load())?.length).toBeGreaterThan(1000);
  }
  await sidecars.idle();
  expect(made()).toBe(1);
  const { name, variant } = await sidecarKey(found);
  await app.service.slots.origin.whenSettled();
  expect((await app.service.slots.origin.get(name, variant))?.length).toBeGreaterThan(1000);
  // Another process finds it there.
  const elsewhere = parts();
  expect((await elsewhere.sidecars.of(found, at1(header), { signal: never }))?.access.absent).toBeUndefined();
  expect(elsewhere.made()).toBe(0);
});

test("a waiting caller may leave", async () => {
  const { found, header } = await master("a.jpg");
  const { sidecars } = parts();
  await clear(found);
  const first = await sidecars.of(found, at1(header), { signal: never });
  const leaving = new AbortController();
  const waiting = sidecars.of(found, at1(header), { signal: leaving.signal });
  leaving.abort();
  await expect(waiting).rejects.toMatchObject({ kind: "cancelled" });
  first?.finish?.();
  await sidecars.idle();
});

test.each(["left.jpg", "left-progressive.jpg"])(
  "in place a pass over %s ends when its client leaves, and a waiting caller starts another",
  async (name) => {
    const { found, header } = await master(name);
    await clear(found);
    const leaving = new AbortController();
    let reads = 0;
    const read: typeof found.image.bytes.read = (...range) => {
      reads++;
      leaving.abort();
      return found.image.bytes.read(...range);
    };
    const left = { ...found, image: { ...found.image, bytes: { ...found.image.bytes, read } } };
    const { sidecars, made } = parts({ inPlace: true });
    const first = sidecars.of(left, at1(header), { signal: leaving.signal }).catch((error) => error);
    const second = await sidecars.of(found, at1(header), { signal: never });
    expect((await second?.access.load())?.length).toBeGreaterThan(1000);
    await first;
    await sidecars.idle();
    expect(reads).toBe(1);
    expect(made()).toBe(2);
  },
);

/** An application over a server that sends no more than the beginning of `name`. */
async function stalled(name: string, timeout: string) {
  const origin = await startOrigin({ [name]: masterOf(await readFile(join(folder, name))) });
  origin.behaviour.holdRest = new Promise(() => {});
  const { service } = await served(
    `sources: [{ name: web, type: http, url: "${origin.url}/{identifier}", timeout: ${timeout} }]
cache: { render: { backend: none }, origin: { backend: heap, max_bytes: 64MiB } }`,
  );
  const { admission } = service.images;
  const { sidecars } = parts({ service });
  const found = await openMaster(service.images.sources, name);
  const header = await describeImage(service.images, found);
  const close = async () => {
    await sidecars.idle();
    await service.close();
    await origin.close();
  };
  return { sidecars, found, header, admission, origin, close };
}

test("a caller waiting for a render that its source fails gets that error, and does not wait for the source again", async () => {
  const { sidecars, found, header, close } = await stalled("large.jpg", "1s");
  const first = await sidecars.of(found, at1(header), { signal: never });
  const others = [1, 2, 3].map(() => sidecars.of(found, at1(header), { signal: never }));
  const failed = await found.image.bytes.read(600_000, 10).catch((error: unknown) => error);
  first?.finish?.(failed);
  for (const other of others)
    await expect(other).rejects.toMatchObject({ kind: "source", code: "origin_unavailable" });
  await close();
});

test("if a source fails the pass all waiting callers continue on their own, immediately", async () => {
  const { sidecars, found, header, close } = await stalled("large.jpg", "1s");
  const first = await sidecars.of(found, at1(header), { signal: never });
  const others = [1, 2, 3].map(() => sidecars.of(found, at1(header), { signal: never }));
  first?.finish?.();
  for (const other of await Promise.all(others)) expect(other).toMatchObject({ access: { absent: true } });
  await close();
});

test.each(["large.jpg", "large-progressive.jpg"])(
  "a pass over the remote %s is dropped with the last who waits for it",
  async (name) => {
    const { sidecars, found, header, admission, origin, close } = await stalled(name, "600s");
    const leaving = [new AbortController(), new AbortController()];
    const waiting = [];
    for (const { signal } of leaving)
      waiting.push(
        sidecars.of(found, at1(header), { signal }).then(
          (each) => each?.finish?.(),
          () => {},
        ),
      );
    await expect.poll(() => askedForRest(origin).size).toBe(1);
    leaving[0]?.abort();
    expect(admission.status().away + admission.status().running).toBe(1);
    leaving[1]?.abort();
    await Promise.all(waiting);
    await sidecars.idle();
    await expect.poll(() => admission.status()).toMatchObject({ running: 0, away: 0, waiting: 0 });
    await close();
  },
);

test("an image that needs no sidecar has none", async () => {
  const { found, header } = await master("a.tif");
  expect(await parts().sidecars.of(found, at1(small(header)), { signal: never })).toBeUndefined();
});

test("with a mismatching entry the response is correct, and the next read has it remade", async () => {
  const { found } = await master("a.jpg");
  const target = "/iiif/3/a.jpg/200,100,300,200/max/0/default.png";
  const pixels = async (from: Served) =>
    sharp(await (await from.get(target)).arrayBuffer())
      .raw()
      .toBuffer();
  const right = await pixels(app);
  const other = await fresh();
  const { origin } = other.service.slots;
  const { name, variant } = await sidecarKey(found);
  origin.put(name, variant, new Uint8Array(500).fill(7));
  const { sidecars } = other.service.images;
  for (let n = 0; n < 2; n++) {
    expect((await pixels(other)).equals(right)).toBe(true);
    await sidecars.idle();
  }
  await origin.whenSettled();
  expect((await origin.get(name, variant))?.length).toBeGreaterThan(1000);
});

test("a pass that a failing source ended is restarted by the next render", async () => {
  const { found, header } = await master("a.jpg");
  const { service } = await fresh();
  let failing = true;
  const { sidecars } = parts({
    service,
    build: (own, ...args) => (failing ? Promise.reject(new ServiceError("source", "gone")) : own(...args)),
  });
  await readOnce(sidecars, found, at1(header));
  failing = false;
  const second = await readOnce(sidecars, found, at1(header));
  expect(second?.access.absent).toBe(true);
  expect(
    (await (await sidecars.of(found, at1(header), { signal: never }))?.access.load())?.length,
  ).toBeGreaterThan(1000);
});

test("blocks that a slot has lost are remade by the next read, once a minute", async () => {
  const { found, header } = await master("a.jpg");
  await clear(found);
  let now = 0;
  const { sidecars, made } = parts({ now: () => now });
  const read = async () => (await readOnce(sidecars, found, at1(header)))?.access;
  await read();
  const passes: number[] = [];
  for (const time of [0, 1, 2, 60_000, 60_001]) {
    now = time;
    (await read())?.reportLoss?.();
    await sidecars.idle();
    await read();
    passes.push(made());
  }
  expect(passes).toEqual([2, 2, 2, 3, 3]);
});

test("a store that cannot delete costs nothing but the healing", async () => {
  const { found, header } = await master("a.jpg");
  await clear(found);
  const origin = {
    ...app.service.slots.origin,
    delete: () => Promise.reject(new Error("read-only")),
  };
  const { sidecars } = parts({ origin });
  await readOnce(sidecars, found, at1(header));
  const each = await sidecars.of(found, at1(header), { signal: never });
  each?.access.reportLoss?.();
  await sidecars.idle();
  expect((await sidecars.of(found, at1(header), { signal: never }))?.access.id).toBe(each?.access.id);
});

/** Luma and twice a quarter of it at 1/4. */
const planes = 375 * 250 + 2 * 188 * 125;

test.each([
  ["a.jpg", 1, 0],
  ["a.jpg", 4, 0],
  ["progressive.jpg", 1, 1],
  ["progressive.jpg", 4, 1],
] as const)(
  "one pass makes all of the sidecar of %s, whatever is read first (at 1/%i)",
  async (name, scaleFactor, block) => {
    const { found, header } = await master(name);
    const { sidecars, made } = parts();
    await clear(found);
    await readOnce(sidecars, found, at(header, scaleFactor));
    const later = await sidecars.of(found, atQuarter(header), { signal: never });
    expect([later?.state, later?.finish, made()]).toEqual(["complete", undefined, 1]);
    // after the transcode, if there is one
    expect((await later?.access.blocks?.load(block))?.length).toBe(planes);
    const elsewhere = parts();
    await app.service.slots.origin.whenSettled();
    expect((await elsewhere.sidecars.of(found, at1(header), { signal: never }))?.state).toBe("complete");
    expect(elsewhere.made()).toBe(0);
  },
);

test("a level at 1/4 that no memory budget allows is left out, and the rest is made", async () => {
  const { found, header } = await master("a.jpg");
  const { images } = app.service;
  const most = images.codecs.byFormat("jpg").sidecar?.memory(header, 0, () => false) ?? 0;
  const { sidecars, made } = parts({
    admission: { ...images.admission, allows: (bytes: number) => bytes <= most },
  });
  await clear(found);
  await readOnce(sidecars, found, at1(header));
  expect(await sidecars.state(found, header)).toMatchObject({
    parts: [{ kind: "accessPoints" }, { kind: "level8" }],
  });
  await readOnce(sidecars, found, atQuarter(header));
  expect(made()).toBe(1);
});

test("its state comes from memory, else from the slot, without starting anything", async () => {
  const { found, header } = await master("a.jpg");
  await clear(found);
  const { sidecars, made } = parts();
  const stateOf = async (all = sidecars) => (await all.state(found, header))?.state;
  expect(await stateOf()).toBe("absent");
  const first = await sidecars.of(found, at1(header), { signal: never });
  expect(await stateOf()).toBe("building");
  first?.finish?.();
  await sidecars.idle();
  expect(await stateOf()).toBe("complete");
  // at 1/8 and 1/4: luma and two components of half its width and height, rounded up each
  expect(await sidecars.state(found, header)).toMatchObject({
    parts: [
      { kind: "accessPoints" },
      { kind: "level8", bytes: 188 * 125 + 2 * 94 * 63 },
      { kind: "level4", bytes: planes },
      { kind: "level2" },
      // three columns and two rows of tiles
      { kind: "level2Index", bytes: 6 * 8 },
    ],
  });
  await app.service.slots.origin.whenSettled();
  expect(await stateOf(parts().sidecars)).toBe("complete");
  expect(made()).toBe(1);
});

test("the state of a damaged file is unavailable for an hour, and then absent; a small TIFF has none", async () => {
  const { found, header } = await master("cut.jpg");
  await clear(found);
  let now = 5000;
  const { sidecars, made } = parts({ now: () => now });
  await readOnce(sidecars, found, at1(header));
  expect(await sidecars.state(found, header)).toEqual({ state: "unavailable", until: 3_605_000 });
  expect(await sidecars.of(found, at1(header), { signal: never })).toMatchObject({ state: "unavailable" });
  expect(made()).toBe(1);
  now = 3_605_000;
  expect(await sidecars.state(found, header)).toEqual({ state: "absent" });
  const tiff = await master("a.tif");
  expect(await sidecars.state(tiff.found, small(tiff.header))).toBeUndefined();
});

test("an entry that the slot fails to return is forgotten, not removed, and used again without a pass", async () => {
  const { origin } = app.service.slots;
  const pictures = [await master("a.jpg"), await master("left.jpg")] as const;
  const entries: Uint8Array[] = [];
  for (const { found, header } of pictures) {
    const { sidecars } = parts();
    await readOnce(sidecars, found, at1(header));
    await origin.whenSettled();
    const { name, variant } = await sidecarKey(found);
    entries.push((await origin.get(name, variant))!);
  }
  let fails = false;
  let removed = 0;
  const flaky: typeof origin = {
    ...origin,
    get: async (...args) => (fails ? undefined : origin.get(...args)),
    delete: (...args) => {
      removed++;
      return origin.delete(...args);
    },
  };
  // Whole entries have half of the memory: either of them fits, and not both.
  const { sidecars, made } = parts({
    origin: flaky,
    keptBytes: 2 * Math.max(...entries.map(({ length }) => length)) + 600,
  });
  const use = ({ found, header }: (typeof pictures)[number]) =>
    sidecars.of(found, at1(header), { signal: never });
  const first = await use(pictures[0]);
  await use(pictures[1]);
  fails = true;
  expect((await first!.access.load()).length).toBe(0);
  expect(await first!.access.load(true), "details need no slot").toEqual(withoutLevels(entries[0]!));
  first!.access.reportLoss?.();
  fails = false;
  const again = await use(pictures[0]);
  expect((await again!.access.load()).length).toBe(entries[0]!.length);
  expect([made(), removed]).toEqual([0, 0]);
});

test("reads use an early sidecar while the job makes the level at 1/2, and then the whole one", async () => {
  const { found, header } = await master("a.jpg");
  await clear(found);
  let release = () => {};
  const held = new Promise<void>((resolve) => {
    release = resolve;
  });
  const { sidecars, made } = parts({
    async build(own, ...args) {
      const result = await own(...args);
      await held;
      return result;
    },
  });
  const use = () => sidecars.of(found, at1(header), { signal: never });
  (await use())!.finish?.();
  const early = (await use())!;
  expect(early.state).toBe("complete");
  expect(sidecars.building()).toBe(1);
  const partsOf = async (access: typeof early.access) => [...readEntry(await access.load())!.keys()];
  expect(await partsOf(early.access)).toEqual(["accessPoints", "level8", "level4"]);
  release();
  await sidecars.idle();
  expect(sidecars.building()).toBe(0);
  const whole = (await use())!;
  expect(await partsOf(whole.access)).toEqual(["accessPoints", "level8", "level4", "level2", "level2Index"]);
  expect(whole.access.id).not.toBe(early.access.id);
  expect(made()).toBe(1);
});

test("an early sidecar stays and is stored if the job fails to make the rest", async () => {
  const { found, header } = await master("a.jpg");
  await clear(found);
  const { sidecars } = parts({
    async build(own, ...args) {
      await own(...args);
      throw new ServiceError("timeout", "expected");
    },
  });
  const use = () => sidecars.of(found, at1(header), { signal: never });
  (await use())!.finish?.();
  await sidecars.idle();
  const left = (await use())!;
  expect(left.access.id).not.toContain("early");
  const { origin } = app.service.slots;
  await origin.whenSettled();
  const { name, variant } = await sidecarKey(found);
  const entry = (await origin.get(name, variant))!;
  expect([...readEntry(entry)!.keys()]).toEqual(["accessPoints", "level8", "level4"]);
  expect(await left.access.load()).toEqual(entry);
});

test("reads do without for ten minutes if the job took longer than it may", async () => {
  const { found, header } = await master("a.jpg");
  await clear(found);
  let now = 0;
  const { sidecars, made } = parts({
    now: () => now,
    build: async () => {
      throw new ServiceError("timeout", "expected", { code: "render_timeout" });
    },
  });
  const state = async () => (await readOnce(sidecars, found, at1(header)))?.state;
  expect([await state(), await state(), await state()]).toEqual(["absent", "unavailable", "unavailable"]);
  expect(made()).toBe(1);
  now = 600_000;
  expect(await state()).toBe("absent");
  expect(made()).toBe(2);
});
