// Who makes the sidecar of a master, how often, and what happens to it: over real files, worker threads and
// slots.

import { mkdtemp, readFile, rm, writeFile } from "node:fs/promises";
import { tmpdir } from "node:os";
import { join } from "node:path";
import sharp from "sharp";
import { afterAll, beforeAll, expect, test } from "vitest";
import { ServiceError } from "../../../../src/base/errors.ts";
import { parseImageRequest } from "../../../../src/iiif/image/grammar.ts";
import { writtenFormats } from "../../../../src/imaging/codecs/formats.ts";
import type { ImageHeader } from "../../../../src/imaging/codecs/image-header.ts";
import { readEntry, withoutLevels } from "../../../../src/imaging/sidecar/entry.ts";
import { sidecarKey } from "../../../../src/server/images/cache-keys.ts";
import {
  describe as describeImage,
  type Master,
  openMaster,
} from "../../../../src/server/images/describe.ts";
import { prepare, render } from "../../../../src/server/images/render.ts";
import { createSidecars } from "../../../../src/server/images/sidecar/sidecars.ts";
import { grain } from "../../../grain.ts";
import { type Served, served } from "../../../served.ts";
import { askedForRest, masterOf, startOrigin } from "../../../servers/origin.ts";

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
  await writeFile(join(folder, "a.png"), await picture.clone().png({ compressionLevel: 1 }).toBuffer());
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
  const run: Build = (...args) => images.pool.run(...args);
  const pool = {
    run: (...args: Parameters<Build>) => {
      if (args[0].task.kind !== "sidecar") return run(...args);
      made++;
      return build(run, ...args);
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
  const each = await sidecars.find(found, read, { signal: never });
  each?.finish?.();
  await sidecars.idle();
  return each;
}

/** Empties the slot of the entries of a master. */
const clear = async (found: Master) => {
  await app.service.slots.origin.delete((await sidecarKey(found, "ground")).name);
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
  const first = await sidecars.find(found, at1(header), { signal: never });
  expect(first?.access.absent).toBe(true);
  const others = Promise.all([1, 2, 3].map(() => sidecars.find(found, at1(header), { signal: never })));
  expect(made()).toBe(0);
  first?.finish?.();
  for (const other of await others) {
    expect(other?.access.absent).toBeUndefined();
    expect((await other?.access.load())?.length).toBeGreaterThan(1000);
  }
  await sidecars.idle();
  expect(made()).toBe(1);
  const { name, variant } = await sidecarKey(found, "ground");
  await app.service.slots.origin.whenSettled();
  expect((await app.service.slots.origin.get(name, variant))?.length).toBeGreaterThan(1000);
  // Another process finds it there.
  const elsewhere = parts();
  expect(
    (await elsewhere.sidecars.find(found, at1(header), { signal: never }))?.access.absent,
  ).toBeUndefined();
  expect(elsewhere.made()).toBe(0);
});

test("a waiting caller may leave", async () => {
  const { found, header } = await master("a.jpg");
  const { sidecars } = parts();
  await clear(found);
  const first = await sidecars.find(found, at1(header), { signal: never });
  const leaving = new AbortController();
  const waiting = sidecars.find(found, at1(header), { signal: leaving.signal });
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
    const first = sidecars.find(left, at1(header), { signal: leaving.signal }).catch((error) => error);
    const second = await sidecars.find(found, at1(header), { signal: never });
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
  const first = await sidecars.find(found, at1(header), { signal: never });
  const others = [1, 2, 3].map(() => sidecars.find(found, at1(header), { signal: never }));
  const failed = await found.image.bytes.read(600_000, 10).catch((error: unknown) => error);
  first?.finish?.(failed);
  for (const other of others)
    await expect(other).rejects.toMatchObject({ kind: "source", code: "origin_unavailable" });
  await close();
});

test("if a source fails the pass all waiting callers continue on their own, immediately", async () => {
  const { sidecars, found, header, close } = await stalled("large.jpg", "1s");
  const first = await sidecars.find(found, at1(header), { signal: never });
  const others = [1, 2, 3].map(() => sidecars.find(found, at1(header), { signal: never }));
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
        sidecars.find(found, at1(header), { signal }).then(
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
  expect(await parts().sidecars.find(found, at1(small(header)), { signal: never })).toBeUndefined();
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
  const { name, variant } = await sidecarKey(found, "ground");
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
    (await (await sidecars.find(found, at1(header), { signal: never }))?.access.load())?.length,
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
  const each = await sidecars.find(found, at1(header), { signal: never });
  each?.access.reportLoss?.();
  await sidecars.idle();
  expect((await sidecars.find(found, at1(header), { signal: never }))?.access.id).toBe(each?.access.id);
});

/** A part of the image, read for a derivative of half its size. */
const atHalf = (header: ImageHeader) => ({
  ...at1(header),
  halvesColour: true as const,
  halvesSize: true as const,
});

const partsOf = async (found: Master, layer: Parameters<typeof sidecarKey>[1]) => {
  await app.service.slots.origin.whenSettled();
  const { name, variant } = await sidecarKey(found, layer);
  const entry = await app.service.slots.origin.get(name, variant);
  return entry && [...readEntry(entry)!.keys()];
};

test.each(["a.jpg", "progressive.jpg"])(
  "a read of %s has what all reads need made, and each level is made after the second read of its scale",
  async (name) => {
    const { found, header } = await master(name);
    const { sidecars, made } = parts();
    await clear(found);
    for (const scale of [1, 2]) await readOnce(sidecars, found, at(header, scale));
    expect(await partsOf(found, "ground")).toEqual(
      name === "a.jpg" ? ["accessPoints", "level8"] : ["accessPoints", "level8", "transcode"],
    );
    expect(made()).toBe(1);
    for (const [layer, read] of [
      ["level4", atQuarter(header)],
      ["level2", atHalf(header)],
    ] as const) {
      const before = made();
      expect((await readOnce(sidecars, found, read))?.access.faster).toBeUndefined();
      expect([made() - before, await partsOf(found, layer)]).toEqual([0, undefined]);
      expect((await readOnce(sidecars, found, read))?.access.faster).toBeUndefined();
      expect([made() - before, await partsOf(found, layer)]).toEqual([1, [`${layer}Index`, layer]]);
      const third = await sidecars.find(found, read, { signal: never });
      expect(third?.access.faster?.absent).toBeUndefined();
      expect((await third!.access.faster!.load()).length).toBeGreaterThan(100);
    }
    const elsewhere = parts();
    const again = await elsewhere.sidecars.find(found, atQuarter(header), { signal: never });
    expect([again?.state, again?.access.faster?.absent]).toEqual(["complete", undefined]);
    expect(elsewhere.made()).toBe(0);
  },
);

test("reads do not wait for a level, and go on without it if the job that makes it fails", async () => {
  const { found, header } = await master("a.jpg");
  await clear(found);
  let isLevel = false;
  const { sidecars, made } = parts({
    build: (own, ...args) => {
      isLevel = args[0].task.kind === "sidecar" && args[0].task.layer === "level4";
      return isLevel ? Promise.reject(new ServiceError("decode", "expected")) : own(...args);
    },
  });
  for (let n = 0; n < 4; n++) {
    const each = await sidecars.find(found, atQuarter(header), { signal: never });
    expect(each?.access.faster).toBeUndefined();
    each?.finish?.();
  }
  await sidecars.idle();
  expect([made(), isLevel]).toEqual([2, true]);
  expect((await readOnce(sidecars, found, atQuarter(header)))?.state).toBe("complete");
  expect(made()).toBe(2);
});

test("a level that no memory budget allows is left out, and the rest is made", async () => {
  const { found, header } = await master("a.jpg");
  const { admission, codecs } = app.service.images;
  const most = codecs.decoder("jpg").sidecar?.memory(header, 0, "ground") ?? 0;
  const { sidecars, made } = parts({
    admission: {
      run: (...args) => admission.run(...args),
      status: () => admission.status(),
      share: (...args) => admission.share(...args),
      allows: (bytes: number) => bytes <= most,
    },
  });
  await clear(found);
  for (let n = 0; n < 3; n++) await readOnce(sidecars, found, atQuarter(header));
  expect(await sidecars.state(found, header)).toMatchObject({
    parts: [{ kind: "accessPoints" }, { kind: "level8" }],
  });
  expect(made()).toBe(1);
});

test("all layers are built if a caller asks for that, each once", async () => {
  const { found, header } = await master("progressive.jpg");
  await clear(found);
  const { sidecars, made } = parts();
  expect(await sidecars.buildAll(found, header, never)).toBe("made");
  expect(made()).toBe(3);
  expect(await sidecars.buildAll(found, header, never)).toBe("found");
  await app.service.slots.origin.whenSettled();
  const elsewhere = parts();
  expect(await elsewhere.sidecars.buildAll(found, header, never)).toBe("found");
  expect(made() + elsewhere.made()).toBe(3);
  const cut = await master("cut.jpg");
  expect(await parts().sidecars.buildAll(cut.found, cut.header, never)).toBe("refused");
});

test("a thumbnail leaves an overview, and the second tile of an image has its levels built", async () => {
  const { found, header } = await master("a.png");
  await clear(found);
  const { service } = app;
  const { sidecars, made } = parts();
  const images = { ...service.images, sidecars };
  const open = await openMaster(images.sources, "a.png");
  const ask = async (region: string, size: string) => {
    const parsed = parseImageRequest(
      3,
      { region, size, rotation: "0", file: "default.png" } as never,
      writtenFormats,
    );
    await render(images, open, await prepare(images, open, parsed), never);
    await sidecars.idle();
  };
  await ask("full", "200,");
  expect(await partsOf(found, "overview")).toEqual(["overviewIndex", "overview"]);
  await ask("full", "300,");
  await ask("0,0,256,256", "max");
  expect([made(), await partsOf(found, "pyramid")]).toEqual([0, undefined]);
  await ask("512,512,256,256", "max");
  expect([made(), await partsOf(found, "pyramid")]).toEqual([1, ["pyramidIndex", "pyramid"]]);
  await ask("768,512,256,256", "max");
  expect(made()).toBe(1);
  expect(await sidecars.state(found, header)).toMatchObject({ state: "complete" });
  await open.image.close();
});

test.each(["cancelled", "busy", "timeout"] as const)(
  "a thumbnail that failed (%s) leaves no work behind, and the next one begins again",
  async (kind) => {
    const { found, header } = await master("a.png");
    await clear(found);
    const { sidecars, made } = parts();
    for (let n = 0; n < 2; n++) {
      const each = await sidecars.find(found, at(header, 4), { signal: never });
      expect(each?.access.keepEntry).toBeDefined();
      each?.finish?.(new ServiceError(kind, "expected"));
      await sidecars.idle();
    }
    expect(made()).toBe(0);
  },
);

test.each(["busy", "timeout", "too-large"] as const)(
  "tiles of a PNG are read from the file if the job that makes its levels fails (%s)",
  async (kind) => {
    const { found, header } = await master("a.png");
    await clear(found);
    const { sidecars, made } = parts({
      build: (own, ...args) =>
        args[0].task.kind === "sidecar" && args[0].task.layer === "pyramid"
          ? Promise.reject(new ServiceError(kind, "expected"))
          : own(...args),
    });
    await readOnce(sidecars, found, at1(header));
    const both = [1, 2].map(() => sidecars.find(found, at1(header), { signal: never }));
    for (const each of await Promise.all(both)) expect(each?.access.absent).toBe(true);
    expect(made()).toBe(1);
  },
);

test("thumbnails of a file whose levels are all there need no overview", async () => {
  const { found, header } = await master("a.png");
  await clear(found);
  const { sidecars, made } = parts();
  for (let n = 0; n < 2; n++) await readOnce(sidecars, found, at1(header));
  expect(made()).toBe(1);
  const elsewhere = parts();
  await app.service.slots.origin.whenSettled();
  for (const each of [sidecars, elsewhere.sidecars]) {
    const small = await each.find(found, at(header, 4), { signal: never });
    expect([small?.state, small?.finish]).toEqual(["complete", undefined]);
  }
  expect(await partsOf(found, "overview")).toBeUndefined();
});

test("its state comes from memory, else from the slot, without starting anything", async () => {
  const { found, header } = await master("a.jpg");
  await clear(found);
  const { sidecars, made } = parts();
  const stateOf = async (all = sidecars) => (await all.state(found, header))?.state;
  expect(await stateOf()).toBe("absent");
  const first = await sidecars.find(found, at1(header), { signal: never });
  expect(await stateOf()).toBe("building");
  first?.finish?.();
  await sidecars.idle();
  expect(await stateOf()).toBe("complete");
  // luma and two components of half its width and height, rounded up each
  expect(await sidecars.state(found, header)).toMatchObject({
    parts: [{ kind: "accessPoints" }, { kind: "level8", bytes: 188 * 125 + 2 * 94 * 63 }],
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
  expect(await sidecars.find(found, at1(header), { signal: never })).toMatchObject({ state: "unavailable" });
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
    const { name, variant } = await sidecarKey(found, "ground");
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
    cacheBytes: 2 * Math.max(...entries.map(({ length }) => length)) + 600,
  });
  const use = ({ found, header }: (typeof pictures)[number]) =>
    sidecars.find(found, at1(header), { signal: never });
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
