// The whole application over remote masters: its requests to their server, and its responses when that fails.

import { mkdtemp, readdir, rm, stat } from "node:fs/promises";
import { tmpdir } from "node:os";
import { join } from "node:path";
import sharp from "sharp";
import { afterAll, beforeAll, describe, expect, test } from "vitest";
import { grain } from "../../grain.ts";
import { fixture } from "../../host.ts";
import { served } from "../../served.ts";
import { type Master, masterOf, type Origin, startOrigin } from "../../servers/origin.ts";

let origin: Origin;
let folder: string;
beforeAll(async () => {
  origin = await startOrigin();
  folder = await mkdtemp(join(tmpdir(), "smalti-remote-"));
});
afterAll(async () => {
  await origin.close();
  await rm(folder, { recursive: true });
});

/** A service over the origin; `cache` names a folder that several may share. */
async function service(
  options: { readonly source?: string; readonly cache?: string; readonly env?: Record<string, string> } = {},
) {
  const { source = `url: "${origin.url}/{identifier}"`, cache, env } = options;
  const kept = cache
    ? `{ backend: filesystem, path: ${JSON.stringify(join(folder, cache))} }`
    : "{ backend: heap }";
  const app = await served(
    `sources: [{ name: web, type: http, ${source} }]\ncache: { render: { backend: none }, origin: ${kept} }`,
    env,
  );
  const close = async () => {
    await app.service.images.sidecars.idle();
    await app.service.close();
  };
  return { ...app, close };
}

/**
 * Returns a tiled, uncompressed RGB TIFF of 475 MB whose directory is at its end; the pixels are not stored
 * anywhere.
 */
function hugeTiff(): Master {
  const side = 12_544; // 49 tiles of 256
  const tiles = 49 * 49;
  const tileBytes = 256 * 256 * 3;
  const pixelsAt = 8;
  const tables = pixelsAt + tiles * tileBytes;
  const directory = tables + 8 * tiles + 8;
  const entries: readonly (readonly [tag: number, type: number, count: number, value: number])[] = [
    [256, 4, 1, side],
    [257, 4, 1, side],
    [258, 3, 3, directory - 8],
    [259, 3, 1, 1],
    [262, 3, 1, 2],
    [277, 3, 1, 3],
    [322, 4, 1, 256],
    [323, 4, 1, 256],
    [324, 4, tiles, tables],
    [325, 4, tiles, tables + 4 * tiles],
  ];
  const end = Buffer.alloc(8 * tiles + 8 + 2 + entries.length * 12 + 4);
  for (let n = 0; n < tiles; n++) {
    end.writeUInt32LE(pixelsAt + n * tileBytes, 4 * n);
    end.writeUInt32LE(tileBytes, 4 * (tiles + n));
  }
  for (let i = 0; i < 3; i++) end.writeUInt16LE(8, 8 * tiles + 2 * i);
  let at = 8 * tiles + 8;
  at = end.writeUInt16LE(entries.length, at);
  for (const [tag, type, count, value] of entries) {
    at = end.writeUInt16LE(tag, at);
    at = end.writeUInt16LE(type, at);
    at = end.writeUInt32LE(count, at);
    at = end.writeUInt32LE(value, at);
  }
  const size = tables + end.length;
  return {
    size,
    etag: '"huge"',
    type: "image/tiff",
    bytes(from, to) {
      const out = Buffer.alloc(to - from, 200);
      const head = Buffer.from([0x49, 0x49, 42, 0, ...new Uint8Array(new Uint32Array([directory]).buffer)]);
      if (from < head.length) head.copy(out, 0, from, Math.min(to, head.length));
      if (to > tables) end.copy(out, Math.max(0, tables - from), Math.max(0, from - tables), to - tables);
      return out;
    },
  };
}

describe("requests to the origin", () => {
  test("info.json of a TIFF of 475 MB costs at most 2 requests and 512 KiB, and a tile little more", async () => {
    const huge = hugeTiff();
    expect(huge.size).toBeGreaterThan(472e6);
    origin.masters.set("huge.tif", huge);
    const { get, close } = await service();
    origin.since();
    const info = await get("/iiif/3/huge.tif/info.json");
    expect(await info.json()).toMatchObject({ width: 12_544, height: 12_544 });
    const asked = origin.since();
    expect(asked.requests).toBeLessThanOrEqual(2);
    expect(asked.bytes).toBeLessThanOrEqual(512 * 1024);
    const tile = await get("/iiif/3/huge.tif/5120,5120,512,512/512,/0/default.png");
    expect(tile.status).toBe(200);
    const { data } = await sharp(Buffer.from(await tile.arrayBuffer()))
      .raw()
      .toBuffer({ resolveWithObject: true });
    expect(data.every((sample) => sample === 200)).toBe(true);
    expect(origin.since().bytes).toBeLessThanOrEqual(2 * 2 ** 20);
    await close();
  });

  test("for a tile of an indexed JPEG of 24 megapixels are at most 2 with 1 MiB, none when repeated", async () => {
    const input = await grain(750, 500, 12).png({ compressionLevel: 1 }).toBuffer();
    const picture = await sharp({ create: { width: 6000, height: 4000, channels: 3, background: "#000" } })
      .composite([{ input, tile: true }])
      .jpeg({ quality: 84 })
      .toBuffer();
    const bitsPerPixel = (picture.length * 8) / 24e6;
    expect(bitsPerPixel, "as photographs have").toBeGreaterThan(1.5);
    expect(bitsPerPixel).toBeLessThan(2.5);
    origin.masters.set("24mp.jpg", masterOf(picture));
    const first = await service({ cache: "indexed" });
    const target = "/iiif/3/24mp.jpg/2560,2048,512,512/512,/0/default.jpg";
    const tile = Buffer.from(await (await first.get(target)).arrayBuffer());
    await first.close();
    expect(origin.since().bytes, "each byte once").toBeLessThanOrEqual(picture.length);

    // The index stays, the blocks go, as they would from a slot that is full.
    for (const name of await readdir(join(folder, "indexed"), { recursive: true })) {
      const file = join(folder, "indexed", name);
      const { size } = await stat(file);
      if (size > 131_072 && size < 132_000) await rm(file);
    }
    const second = await service({ cache: "indexed" });
    const again = Buffer.from(await (await second.get(target)).arrayBuffer());
    expect(again.equals(tile)).toBe(true);
    const asked = origin.since();
    expect(asked.requests).toBeGreaterThan(0);
    expect(asked.requests).toBeLessThanOrEqual(2);
    expect(asked.bytes).toBeLessThanOrEqual(2 ** 20);
    expect((await second.get(target)).status).toBe(200);
    expect(origin.since()).toEqual({ requests: 0, bytes: 0 });
    await second.close();
  });
});

test("tiles of a page ask once whether there is a file of the very name", async () => {
  const name = "tif-multipage-3sizes.tif";
  origin.masters.set(name, masterOf(fixture(name)));
  const { get, close } = await service();
  origin.since();
  for (const region of ["full", "0,0,16,16", "16,0,16,16", "0,16,16,16"])
    expect((await get(`/iiif/3/${name};2/${region}/max/0/default.png`)).status).toBe(200);
  const paths = origin.asked.map(({ path }) => path);
  expect(paths.filter((path) => path === `${name};2`)).toHaveLength(1);
  await close();
});

describe("answers", () => {
  test("equal those for the same file on a disk", async () => {
    const local = await served();
    const remote = await service();
    const names = [
      "jpg-progressive.jpg",
      "jpg-baseline-420.jpg",
      "png-rgb8-interlaced.png",
      "tif-pyramid-subifd.tif",
    ];
    for (const name of names) {
      origin.masters.set(name, masterOf(fixture(name)));
      for (const rest of [
        "full/max/0/default.png",
        "square/40,/90/gray.png",
        "pct:10,10,50,50/max/0/default.jpg",
      ]) {
        const [one, two] = await Promise.all(
          [local, remote].map(async ({ get }) =>
            Buffer.from(await (await get(`/iiif/3/${name}/${rest}`)).arrayBuffer()),
          ),
        );
        expect(one?.equals(two as Buffer), `${name}/${rest}`).toBe(true);
      }
    }
    await remote.close();
  });

  test("come from the new master after it was replaced", async () => {
    const { get, close } = await service({ source: `url: "${origin.url}/{identifier}", revalidate: 0s` });
    origin.masters.set("replaced.jpg", masterOf(fixture("jpg-baseline-420.jpg"), { etag: '"1"' }));
    const before = await get("/iiif/3/replaced.jpg/full/max/0/default.png");
    origin.masters.set("replaced.jpg", masterOf(fixture("jpg-gray.jpg"), { etag: '"2"' }));
    const after = await get("/iiif/3/replaced.jpg/full/max/0/default.png");
    expect(after.headers.get("etag")).not.toBe(before.headers.get("etag"));
    const { channels } = await sharp(Buffer.from(await after.arrayBuffer())).metadata();
    expect(channels).toBe(1);
    await close();
  });

  test.each([
    [404, 404, "image_not_found"],
    [403, 500, "origin_denied"],
    [500, 500, "origin_unavailable"],
  ])(
    "to a status %i of the origin is %i, code %s, without address or secret",
    async (status, answered, code) => {
      origin.behaviour.instead = (_, response) => {
        response.writeHead(status).end("internal details");
        return true;
      };
      const { get, close } = await service({
        source: `url: "${origin.url}/{identifier}", auth_env: TOKEN`,
        env: { TOKEN: "Bearer top-secret" },
      });
      const response = await get("/iiif/3/x.jpg/info.json");
      const text = await response.text();
      expect([response.status, JSON.parse(text).code]).toEqual([answered, code]);
      expect(text).not.toMatch(/127\.0\.0\.1|secret|internal details/);
      origin.behaviour.instead = undefined;
      await close();
    },
  );

  test("come from the cache while the origin is away, until it has to be revalidated", async () => {
    origin.masters.set("kept.jpg", masterOf(fixture("jpg-baseline-420.jpg")));
    const { get, close } = await service();
    const target = "/iiif/3/kept.jpg/full/max/0/default.png";
    expect((await get(target)).status).toBe(200);
    origin.behaviour.instead = (_, response) => {
      response.destroy();
      return true;
    };
    expect((await get(target)).status).toBe(200);
    expect((await get("/iiif/3/kept.jpg/info.json")).status).toBe(200);
    const ready = await get("/ready");
    expect(ready.status).toBe(503);
    expect(await ready.json()).toMatchObject({ sources: [{ name: "web", backend: "http", healthy: false }] });
    origin.behaviour.instead = undefined;
    expect((await get("/ready")).status).toBe(200);
    await close();
  });
});

describe("identifiers that are URLs", () => {
  test("work with and without folded and encoded slashes, of allowed hosts alone", async () => {
    origin.masters.set("u/a.jpg", masterOf(fixture("jpg-baseline-420.jpg")));
    const { get, close } = await service({
      source: `url: "{identifier}", allowed_hosts: ["127.0.0.1:${origin.port}"]`,
    });
    const at = `127.0.0.1:${origin.port}`;
    for (const spelling of [
      `http://${at}/u/a.jpg`,
      `http:/${at}/u/a.jpg`,
      `http:%2F%2F${at}%2Fu%2Fa.jpg`,
      encodeURIComponent(`http://${at}/u/a.jpg`),
    ]) {
      const response = await get(`/iiif/3/${spelling}/info.json`);
      expect(response.status, spelling).toBe(200);
      expect((await response.json()).id).toBe(`http://images.test/iiif/3/http:%2F%2F${at}%2Fu%2Fa.jpg`);
    }
    for (const refused of [
      "http://169.254.169.254/latest",
      `http://localhost:${origin.port}/u/a.jpg`,
      "http://[::1]/x",
    ]) {
      const response = await get(`/iiif/3/${encodeURIComponent(refused)}/info.json`);
      expect([response.status, (await response.json()).code], refused).toEqual([500, "origin_not_allowed"]);
    }
    await close();
  });
});
