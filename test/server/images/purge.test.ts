// Purges over every backend, over masters elsewhere and in files, alone and under load.
// @module-tag slow

import { mkdtemp, rename, rm, writeFile } from "node:fs/promises";
import { tmpdir } from "node:os";
import { join } from "node:path";
import sharp from "sharp";
import { afterAll, beforeAll, describe, expect, test } from "vitest";
import { type PurgeParts, purgeEntry, purgeImage, purgeSlot } from "../../../src/server/images/purge.ts";
import type { SlotName } from "../../../src/server/stores/bounds.ts";
import { fixture } from "../../host.ts";
import { type Served, served } from "../../served.ts";
import { masterOf, type Origin, startOrigin } from "../../servers/origin.ts";
import { type RedisServer, type RestFront, startRedis, startRestFront } from "../../servers/redis.ts";
import { type S3Server, startS3 } from "../../servers/s3.ts";

let folder: string;
let origin: Origin;
let bucket: S3Server;
let redis: RedisServer;
let rest: RestFront;

beforeAll(async () => {
  folder = await mkdtemp(join(tmpdir(), "smalti-purge-"));
  [origin, bucket, redis] = await Promise.all([startOrigin(), startS3({ account: undefined }), startRedis()]);
  rest = await startRestFront(redis, "token");
});
afterAll(async () => {
  await Promise.all([origin.close(), bucket.close(), rest.close()]);
  await redis.close();
  await rm(folder, { recursive: true, force: true, maxRetries: 5 });
});

let places = 0;
/** A separate store of each backend. */
const backends: Readonly<Record<string, () => string>> = {
  heap: () => "{ backend: heap }",
  filesystem: () => `{ backend: filesystem, path: ${JSON.stringify(join(folder, `cache-${++places}`))} }`,
  "redis over TCP": () =>
    `{ backend: redis, addr: "127.0.0.1:${redis.port}", timeout: 60s, prefix: tcp-${++places}/ }`,
  "redis over REST": () =>
    `{ backend: redis, url: "${rest.url}", token_env: TOKEN, timeout: 60s, prefix: rest-${++places}/ }`,
  s3: () =>
    `{ backend: s3, bucket: ${bucket.bucket}, endpoint: "${bucket.url}", path_style: true, anonymous: true, timeout: 60s, prefix: s3-${++places}/ }`,
};

const slotNames: readonly SlotName[] = ["render", "info", "origin"];

/** A service over the origin, over files below the prefix `files/`, with an alias. */
async function open(store = backends.heap?.() ?? "", over: { readonly origin?: string } = {}) {
  const app = await served(
    `sources:
  - { name: web, type: http, url: "${origin.url}/{identifier}" }
  - { name: files, type: filesystem, prefix: files/, root: ${JSON.stringify(folder)} }
aliases: [{ prefix: /old/, version: 2 }]
cache: { render: ${store}, info: ${store}, origin: ${over.origin ?? store}, text: ${store} }`,
    { TOKEN: "token" },
  );
  const parts: PurgeParts = { ...app.service, aliases: app.service.config().aliases };
  return {
    ...app,
    parts,
    async settled() {
      await app.service.images.sidecars.idle();
      await Promise.all(app.service.slots.all.map((slot) => slot.whenSettled()));
    },
    close: () => app.service.close(),
  };
}

/** Returns the status, and if the derivative was cached. */
async function ask({ get }: Pick<Served, "get">, path: string): Promise<string> {
  const response = await get(path);
  await response.arrayBuffer();
  return `${response.status} ${response.headers.get("Cache-Status")}`;
}
const hit = "200 smalti; hit";
const miss = "200 smalti; fwd=miss";

/** Returns the colour in the middle of a response. */
async function colourOf({ get }: Pick<Served, "get">, path: string): Promise<"red" | "blue" | string> {
  const response = await get(path);
  if (response.status !== 200) return `${response.status} ${await response.text()}`;
  const { data, info } = await sharp(Buffer.from(await response.arrayBuffer()))
    .raw()
    .toBuffer({ resolveWithObject: true });
  const at = (Math.floor(info.height / 2) * info.width + Math.floor(info.width / 2)) * info.channels;
  const [red = 0, , blue = 0] = data.subarray(at, at + 3);
  return red > 200 && blue < 50 ? "red" : blue > 200 && red < 50 ? "blue" : `${red} ${blue}`;
}

/** Two pictures of one size in pixels and bytes, the rest of the shorter being filled. */
async function redAndBlue(format: "jpg" | "tif", side: number) {
  const files = await Promise.all(
    ["#ff0000", "#0000ff"].map(async (background) => {
      const picture = sharp({ create: { width: side, height: side, channels: 3, background } });
      const written =
        format === "jpg" ? picture.jpeg({ quality: 90 }) : picture.tiff({ compression: "none" });
      return new Uint8Array(await written.toBuffer());
    }),
  );
  const length = Math.max(...files.map((file) => file.length));
  const [red, blue] = files.map((file) => {
    const padded = new Uint8Array(length);
    padded.set(file);
    return padded;
  });
  if (!red || !blue) throw new Error("no pictures");
  return { red, blue };
}

describe.each(Object.entries(backends))("over %s", (name, store) => {
  test("purging an image removes its entries under all its paths and pages, and nothing else", async () => {
    const app = await open(store());
    const pages = fixture("tif-multipage-3sizes.tif");
    origin.masters.set("m.tif", masterOf(pages, { type: "image/tiff" }));
    origin.masters.set("m.tif.other", masterOf(pages, { type: "image/tiff" }));
    const paths = [
      "/iiif/3/m.tif/full/100,/0/default.png",
      "/iiif/3/m.tif/full/100,/0/default.jpg",
      "/iiif/2/m.tif/full/100,/0/default.png",
      "/old/m.tif/full/50,/0/default.png",
      "/iiif/3/m.tif;2/full/max/0/default.png",
    ];
    const other = "/iiif/3/m.tif.other/full/100,/0/default.png";
    for (const path of [...paths, other]) expect([path, await ask(app, path)]).toEqual([path, miss]);
    await app.settled();
    for (const path of [...paths, other]) expect([path, await ask(app, path)]).toEqual([path, hit]);
    // Entries of the master: its state, and blocks of 128 KiB.
    const blocks = Math.ceil(pages.length / 131_072);
    expect(await purgeImage(app.parts, "m.tif")).toEqual({
      purged: { render: 5, info: 2, origin: 1 + blocks, text: 0, changes: 0 },
      unsupported: [],
    });
    const before = origin.asked.length;
    expect(await ask(app, other)).toBe(hit);
    expect(origin.asked.length).toBe(before);
    for (const path of paths) expect([path, await ask(app, path)]).toEqual([path, miss]);
    // A new request, not just a revalidation.
    const [first] = origin.asked.slice(before);
    expect([first?.path, first?.headers["if-none-match"], first?.status]).toEqual(["m.tif", undefined, 206]);
    await app.settled();
    // Also by one of its pages.
    expect((await purgeImage(app.parts, "m.tif;3")).purged).toEqual({
      render: 5,
      info: 2,
      origin: 1 + blocks,
      text: 0,
      changes: 0,
    });
    expect((await purgeImage(app.parts, "m.tif")).purged).toEqual({
      render: 0,
      info: 0,
      origin: 0,
      text: 0,
      changes: 0,
    });
    await app.close();
  });

  test("purging a slot empties it, or says that its backend cannot", async () => {
    const app = await open(store());
    origin.masters.set("s.tif", masterOf(fixture("tif-strip-none.tif"), { type: "image/tiff" }));
    const path = "/iiif/3/s.tif/full/max/0/default.png";
    await ask(app, path);
    await app.settled();
    for (const slot of slotNames) {
      if (name === "s3") {
        await expect(purgeSlot(app.parts, slot)).rejects.toMatchObject({
          kind: "unsupported",
          code: "purge_unsupported",
        });
        continue;
      }
      await purgeSlot(app.parts, slot);
      expect(await app.service.slots[slot].usage?.()).toEqual({ entries: 0, bytes: 0 });
    }
    origin.since();
    expect(await ask(app, path)).toBe(name === "s3" ? hit : miss);
    expect(origin.since().requests > 0).toBe(name !== "s3");
    await app.close();
  });
});

describe("a master that was replaced undetectably", () => {
  // The same entity tag and length, so that no validator changes.
  test.each(["jpg", "tif"] as const)("is shown again after its image was purged (%s)", async (format) => {
    const { red, blue } = await redAndBlue(format, 600);
    const app = await open();
    const path = `/iiif/3/one.${format}/300,300,100,100/max/0/default.png`;
    const small = `/iiif/3/one.${format}/full/75,/0/default.png`;
    origin.masters.set(`one.${format}`, masterOf(red));
    for (const each of [path, small]) expect(await colourOf(app, each)).toBe("red");
    await app.settled();
    origin.masters.set(`one.${format}`, masterOf(blue));
    const tile = `/iiif/3/one.${format}/200,200,100,100/max/0/default.png`;
    for (const each of [path, small, tile]) expect(await colourOf(app, each)).toBe("red");
    await purgeImage(app.parts, `one.${format}`);
    for (const each of [path, small, tile]) expect(await colourOf(app, each)).toBe("blue");
    await app.settled();
    for (const each of [path, small, tile]) expect(await colourOf(app, each)).toBe("blue");
    await app.close();
  });

  // Bytes of the old one that are on their way while it is purged.
  test.each([
    ["its beginning", false],
    ["a part of it", true],
  ])("is shown again when %s arrives after the purge", async (what, opened) => {
    const { red, blue } = await redAndBlue("tif", 900);
    const store = backends.filesystem?.();
    const app = await open(store);
    const name = `held ${opened}.tif`;
    const path = `/iiif/3/${encodeURIComponent(name)}/400,500,100,100/max/0/default.png`;
    origin.masters.set(name, masterOf(red));
    if (opened) await app.get(`/iiif/3/${encodeURIComponent(name)}/info.json`);
    let release = () => {};
    const held = new Promise<void>((resolve) => {
      origin.behaviour.instead = (request, response) => {
        origin.behaviour.instead = undefined;
        const [, from = 0, to = 0] = (/(\d+)-(\d+)/.exec(request.headers.range ?? "") ?? []).map(Number);
        const part = red.subarray(from, to + 1);
        release = () =>
          response
            .writeHead(206, {
              "content-type": "image/tiff",
              "content-length": part.length,
              "content-range": `bytes ${from}-${from + part.length - 1}/${red.length}`,
              etag: '"1"',
            })
            .end(part);
        resolve();
        return true;
      };
    });
    const begun = colourOf(app, path);
    await held;
    origin.masters.set(name, masterOf(blue));
    await purgeImage(app.parts, name);
    release();
    expect([what, await begun]).toEqual([what, expect.stringMatching(/^(red|blue)$/)]);
    await app.settled();
    // Also for a server that has nothing of it in memory.
    const other = await open(store);
    for (const one of [app, other])
      for (const each of [path, path.replace("/400,", "/300,"), path.replace("/400,500,", "/0,0,")])
        expect([each, await colourOf(one, each)]).toEqual([each, "blue"]);
    await Promise.all([app.close(), other.close()]);
  });

  test("is shown again if no slot stores anything, since memory is purged too", async () => {
    const { red, blue } = await redAndBlue("jpg", 600);
    const app = await open("{ backend: none }");
    origin.masters.set("memory.jpg", masterOf(red));
    const path = "/iiif/3/memory.jpg/full/75,/0/default.png";
    expect(await colourOf(app, path)).toBe("red");
    await app.settled();
    origin.masters.set("memory.jpg", masterOf(blue));
    expect(await colourOf(app, path)).toBe("red");
    expect(await purgeImage(app.parts, "memory.jpg")).toEqual({
      purged: { render: 0, info: 0, origin: 0, text: 0, changes: 0 },
      unsupported: [],
    });
    expect(await colourOf(app, path)).toBe("blue");
    await app.close();
  });
});

describe("a purge while images are rendered", () => {
  test.each(["heap", "redis over TCP"])("leaves no old derivative behind (%s)", async (name) => {
    const { red, blue } = await redAndBlue("jpg", 1024);
    const app = await open(backends[name]?.());
    const masters = ["load.jpg", "files/load.jpg"] as const;
    const paths = masters.flatMap((master) =>
      Array.from({ length: 8 }, (_, n) => {
        const [x, y] = [(n % 4) * 256, Math.floor(n / 4) * 256];
        return `/iiif/3/${encodeURIComponent(master)}/${x},${y},256,256/64,/0/default.png`;
      }),
    );
    const file = join(folder, "load.jpg");
    const replace = async (picture: Uint8Array) => {
      origin.masters.set("load.jpg", masterOf(picture));
      await writeFile(`${file}.new`, picture);
      await rename(`${file}.new`, file);
    };
    const found = new Set<string>();
    for (const [colour, picture] of [
      ["red", red],
      ["blue", blue],
      ["red", red],
    ] as const) {
      let over = false;
      let answers = 0;
      const load = [0, 1, 2, 3].map(async (worker) => {
        for (let n = worker; !over; n += 3) {
          found.add(await colourOf(app, paths[n % paths.length] as string));
          answers++;
        }
      });
      await expect.poll(() => answers).toBeGreaterThan(8);
      await replace(picture);
      for (const master of masters) await purgeImage(app.parts, master);
      for (const path of paths) expect([path, await colourOf(app, path)]).toEqual([path, colour]);
      over = true;
      await Promise.all(load);
      await app.settled();
      for (const path of paths) expect([path, await colourOf(app, path)]).toEqual([path, colour]);
    }
    expect([...found].filter((each) => each !== "red" && each !== "blue" && !each.startsWith("404"))).toEqual(
      [],
    );
    await app.close();
  });
});

describe("a purge in one of two servers", () => {
  test.each(["filesystem", "redis over TCP"])("is seen by the other (%s)", async (name) => {
    const store = backends[name]?.();
    const [one, two] = await Promise.all([open(store), open(store)]);
    await writeFile(join(folder, "shared.png"), fixture("base.png"));
    const path = "/iiif/3/files%2Fshared.png/full/100,/0/default.png";
    expect(await ask(one, path)).toBe(miss);
    await one.settled();
    expect(await ask(two, path)).toBe(hit);
    expect((await purgeImage(two.parts, "files/shared.png")).purged).toMatchObject({ render: 1, info: 1 });
    expect(await ask(one, path)).toBe(miss);
    await one.settled();
    expect(await purgeEntry(two.parts, "render", path)).toBe(1);
    expect(await ask(one, path)).toBe(miss);
    await Promise.all([one.close(), two.close()]);
  });
});

describe("the key of an entry", () => {
  let app: Awaited<ReturnType<typeof open>>;
  const size = "600,400"; // of base.png
  beforeAll(async () => {
    app = await open();
    await writeFile(join(folder, "a b.png"), fixture("base.png"));
    origin.masters.set("p.tif", masterOf(fixture("tif-multipage-3sizes.tif"), { type: "image/tiff" }));
  });
  afterAll(() => app.close());

  test.each([
    ["/iiif/3/files%2Fa%20b.png/full/max/0/default.jpg", "/iiif/3/files%2Fa%20b.png/full/max/0/default.jpg"],
    [
      "/iiif/3/files%2Fa%20b.png/full/max/0/default.jpg",
      `/iiif/3/files/a%20b.png/0,0,${size}/^${size}/0/color.jpg`,
    ],
    [
      "/iiif/3/files%2Fa%20b.png/full/max/0/default.jpg",
      "/iiif/3/files%2fa%20b.png/pct:0,0,100,100/pct:100/0.0/default.jpg",
    ],
    [
      "/iiif/3/files%2Fa%20b.png/full/max/0/default.jpg",
      "https://images.example.org/files/iiif/3/files%2Fa%20b.png/full/max/0/default.jpg?download",
    ],
    [
      "/iiif/2/files%2Fa%20b.png/full/100,/0/default.jpg",
      "/old/files%2Fa%20b.png/full/!100,100/0/native.jpg",
    ],
    ["/old/files%2Fa%20b.png/full/90,/0/default.jpg", "/iiif/2/files%2Fa%20b.png/full/90,60/0/default.jpg"],
    ["/iiif/3/p.tif;2/full/max/0/default.jpg", "/iiif/3/p.tif;2/full/max/0/color.jpg"],
  ])("of %s in the slot render may be %s", async (path, key) => {
    expect(await ask(app, path)).toBe(miss);
    await app.settled();
    expect(await ask(app, path)).toBe(hit);
    expect(await purgeEntry(app.parts, "render", `${key.replace(/\?.*/, "")}|v1|full`)).toBe(0);
    expect(await purgeEntry(app.parts, "render", `${key.replace(/\?.*/, "")}|v1|substitute`)).toBe(0);
    expect(await purgeEntry(app.parts, "render", key)).toBe(1);
    expect(await purgeEntry(app.parts, "render", key)).toBe(0);
    expect(await ask(app, path)).toBe(miss);
    await app.settled();
    await purgeEntry(app.parts, "render", key);
  });

  test("in the slot render identifies the entry of a missing master, literally", async () => {
    await writeFile(join(folder, "gone.png"), fixture("base.png"));
    const path = "/iiif/3/files%2Fgone.png/full/300,200/0/default.jpg";
    expect(await ask(app, path)).toBe(miss);
    await app.settled();
    await rm(join(folder, "gone.png"));
    expect(await purgeEntry(app.parts, "render", path)).toBe(1);
  });

  test.each([
    "images.example.org/iiif/3/files%2Fa%20b.png/info.json",
    "other.example.org/iiif/2/files%2Fa%20b.png/info.json|v1|full",
    "https://images.example.org:8080/old/files/a%20b.png/info.json",
  ])("in the slot info may be %s, with any host, version and tier", async (key) => {
    await app.get("/iiif/3/files%2Fa%20b.png/info.json");
    await app.settled();
    expect(await purgeEntry(app.parts, "info", key)).toBe(1);
    expect(await purgeEntry(app.parts, "info", key)).toBe(0);
  });

  test.each(["web:p.tif", "web:p.tif;2"])("in the slot origin may be %s", async (key) => {
    await app.get("/iiif/3/p.tif/info.json");
    await app.settled();
    origin.since();
    expect(await purgeEntry(app.parts, "origin", key)).toBeGreaterThanOrEqual(2);
    expect(await purgeEntry(app.parts, "origin", key)).toBe(0);
    await app.get("/iiif/3/p.tif/info.json");
    expect(origin.since().requests).toBe(1);
  });

  test("in the slot origin may name the identifier with the prefix of its source or without", async () => {
    await writeFile(join(folder, "indexed.jpg"), (await redAndBlue("jpg", 600)).red);
    for (const key of ["files:indexed.jpg", "files:files/indexed.jpg"]) {
      await app.get("/iiif/3/files%2Findexed.jpg/300,300,100,100/max/0/default.png");
      await purgeEntry(app.parts, "render", "/iiif/3/files%2Findexed.jpg/300,300,100,100/max/0/default.png");
      await app.settled();
      expect(await purgeEntry(app.parts, "origin", key)).toBe(1);
    }
  });

  test.each([
    ["render", ""],
    ["render", "a b.png"],
    ["render", "/iiif/4/a/full/max/0/default.jpg"],
    ["render", "/iiif/3/a/info.json"],
    ["render", "/iiif/3/a/full/max/0/default.jpg|v2|full"],
    ["render", "/iiif/3/%zz/full/max/0/default.jpg"],
    ["render", "/iiif/3/..%2Fa/full/max/0/default.jpg"],
    ["render", "/iiif/3/a/nowhere/max/0/default.jpg"],
    ["info", "/iiif/3/a/full/max/0/default.jpg"],
    ["info", "images.example.org/a"],
    ["origin", "a"],
    ["origin", "nobody:a.tif"],
    ["origin", "web:"],
    ["origin", "web:../a.tif"],
  ] as const)("in the slot %s cannot be %j, and the expected form is explained", async (slot, key) => {
    const error = await purgeEntry(app.parts, slot, key).catch((thrown: unknown) => thrown);
    expect(error).toMatchObject({ kind: "bad-request", code: "invalid_purge_key" });
    const example = { render: "/iiif/3/a.tif/full/", info: "info.json", origin: "scans:a.tif" }[slot];
    expect((error as Error).message).toContain(example);
  });
});

test("an image with an identifier that cannot be one is not found", async () => {
  const app = await open();
  await expect(purgeImage(app.parts, "../a")).rejects.toMatchObject({ kind: "not-found" });
  await app.close();
});

test("a store that does not work fails the purge, after the other slots were purged", async () => {
  const broken = await startRedis();
  const store = `{ backend: redis, addr: "127.0.0.1:${broken.port}", timeout: 500ms }`;
  const app = await open(undefined, { origin: store });
  await writeFile(join(folder, "broken.png"), fixture("base.png"));
  const path = "/iiif/3/files%2Fbroken.png/full/100,/0/default.png";
  await ask(app, path);
  await app.settled();
  await broken.close();
  await expect(purgeImage(app.parts, "files/broken.png")).rejects.toMatchObject({
    kind: "busy",
    code: "purge_failed",
  });
  await expect(purgeSlot(app.parts, "origin")).rejects.toMatchObject({ code: "purge_failed" });
  expect(await ask(app, path)).toBe(miss);
  await app.close();
});
