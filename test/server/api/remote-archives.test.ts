// The application over archives on a web server and in a bucket: the requests of a first tile, manifests and
// purges.

import sharp from "sharp";
import { afterAll, beforeAll, describe, expect, test } from "vitest";
import { documentAddress } from "../../../src/iiif/presentation/mounts.ts";
import { purgeImage } from "../../../src/server/images/purge.ts";
import { fixture } from "../../host.ts";
import { type Served, served } from "../../served.ts";
import { masterOf, type Origin, startOrigin } from "../../servers/origin.ts";
import { type S3Server, startS3, testAccount } from "../../servers/s3.ts";
import { writeZip } from "../sources/archive/written-zip.ts";

/** As many members as the archive of the issue has. */
const count = 1293;
const image = fixture("jp2-tiled-128.jp2");
const nameOf = (n: number) => `page-${String(n).padStart(4, "0")}.jp2`;
const archive = writeZip(Array.from({ length: count }, (_, n) => ({ name: nameOf(n + 1), data: image })));

/** An archive of folders, and of names that a URL has to encode. */
const volumes = writeZip(
  ["1/page é 1.jp2", "1/page+[2] 100%?.jp2", "2/a&b/page.jp2"].map((name) => ({ name, data: image })),
);

let origin: Origin;
let bucket: S3Server;
beforeAll(async () => {
  const masters = { "scans.zip": masterOf(archive), "volumes.zip": masterOf(volumes) };
  [origin, bucket] = await Promise.all([startOrigin(masters), startS3()]);
  bucket.put("scans.zip", archive);
});
afterAll(() => Promise.all([origin.close(), bucket.close()]));

const overWeb = () => served(`sources: [{ name: web, type: http, url: "${origin.url}/{identifier}" }]`);

const overBucket = () =>
  served(
    `sources: [{ name: vault, type: s3, bucket: ${bucket.bucket}, region: ${bucket.region}, endpoint: "${bucket.url}", path_style: true, session_token_env: TOKEN }]`,
    {
      AWS_ACCESS_KEY_ID: testAccount.accessKeyId,
      AWS_SECRET_ACCESS_KEY: testAccount.secretAccessKey,
      TOKEN: testAccount.sessionToken ?? "",
    },
  );

const tile = (n: number) => `/iiif/3/scans.zip%2F${nameOf(n)}/128,128,128,128/128,128/0/default.png`;

const overUrls = () =>
  served(
    `sources: [{ name: web, type: http, url: "{identifier}", allowed_hosts: ["${new URL(origin.url).host}"] }]`,
  );

interface Document {
  readonly items: { readonly id: string; readonly type: string; readonly label: unknown }[];
}

const json = async (app: Served, target: string): Promise<Document> => {
  const response = await app.get(target);
  expect([target, response.status]).toEqual([target, 200]);
  return (await response.json()) as Document;
};

/** Returns the pixels of a response. */
const pixelsOf = async (response: Response) =>
  sharp(await response.arrayBuffer())
    .raw()
    .toBuffer();

describe("an archive of 1,293 images", () => {
  test("on a web server costs three requests to the first tile, and one for each further image", async () => {
    const app = await overWeb();
    origin.since();
    const first = await app.get(tile(700));
    expect(first.status).toBe(200);
    // Its beginning with its state; its end with the directory; the image.
    const { requests, bytes } = origin.since();
    expect(requests).toBe(3);
    expect(bytes).toBeLessThan(archive.length / 10);
    expect((await app.get(tile(200))).status).toBe(200);
    expect(origin.since().requests).toBe(1);
    const direct = await served();
    const wanted = await direct.get("/iiif/3/jp2-tiled-128.jp2/128,128,128,128/128,128/0/default.png");
    expect(Buffer.compare(await pixelsOf(first), await pixelsOf(wanted))).toBe(0);
  });

  test("in a bucket costs the same", async () => {
    const app = await overBucket();
    const before = bucket.seen.length;
    expect((await app.get(tile(700))).status).toBe(200);
    const ranges = bucket.seen
      .slice(before)
      .map(({ method, key, range }) => [method, key, range !== undefined]);
    expect(ranges).toEqual(Array.from({ length: 3 }, () => ["GET", "scans.zip", true]));
    expect((await app.get(tile(200))).status).toBe(200);
    expect(bucket.seen.length - before).toBe(4);
  });

  test.each([
    ["on a web server, which cannot list", overWeb],
    ["in a bucket", overBucket],
  ])("%s has a manifest", async (_, over) => {
    const app = await over();
    const response = await app.get("/iiif/presentation/3/scans.zip");
    const manifest = (await response.json()) as { type: string; label: unknown; items: { label: unknown }[] };
    expect([response.status, manifest.type, manifest.label]).toEqual([
      200,
      "Manifest",
      { none: ["scans.zip"] },
    ]);
    expect(manifest.items.map(({ label }) => label)).toEqual(
      Array.from({ length: count }, (_, n) => ({ none: [nameOf(n + 1)] })),
    );
  });

  test.each([
    ["by their path", () => "", overWeb],
    ["by their URL", () => `${origin.url}/`, overUrls],
  ])("on a web server has its folders, %s", async (_, host, over) => {
    const app = await over();
    const collection = await json(app, documentAddress("", `${host()}volumes.zip`));
    expect(collection.items.map(({ type, label }) => [type, label])).toEqual([
      ["Manifest", { none: ["1"] }],
      ["Collection", { none: ["2"] }],
    ]);
    const book = await json(app, new URL(collection.items[0]!.id).pathname);
    expect(book.items).toHaveLength(2);
    const inner = await json(app, new URL(collection.items[1]!.id).pathname);
    expect(inner.items.map(({ label }) => label)).toEqual([{ none: ["a&b"] }]);
    for (const { id } of (await json(app, new URL(inner.items[0]!.id).pathname)).items)
      book.items.push({ id, type: "Canvas", label: {} });
    const found = JSON.stringify(book).matchAll(/"service":\[\{"id":"([^"]+)"/g);
    const images = new Set([...found].map(([, id]) => id));
    expect(images.size).toBe(2);
    for (const id of images)
      expect((await app.get(`${new URL(id as string).pathname}/info.json`)).status, id).toBe(200);
  });

  test("that is none, or has no such member, leaves what the server has below that name", async () => {
    const page = new TextEncoder().encode("<html>The landing page of a package</html>");
    const { url, close, since } = await startOrigin({
      "package.zip": masterOf(page),
      "package.zip/inner.jp2": masterOf(image),
      "scans.zip": masterOf(archive),
      "scans.zip/besides.jp2": masterOf(image),
    });
    const app = await served(`sources: [{ name: web, type: http, url: "${url}/{identifier}" }]`);
    const statusOf = async (id: string) =>
      (await app.get(`/iiif/3/${encodeURIComponent(id)}/info.json`)).status;
    expect(await statusOf("package.zip/inner.jp2")).toBe(200);
    expect(await statusOf("scans.zip/besides.jp2")).toBe(200);
    since();
    expect(await statusOf("package.zip/inner.jp2")).toBe(200);
    expect(since().requests).toBe(0);
    expect([await statusOf("package.zip/none.jp2"), await statusOf("scans.zip/none.jp2")]).toEqual([
      500, 404,
    ]);
    await close();
  });

  test("that is none leaves the objects of a bucket below that name", async () => {
    bucket.put("package.zip", new TextEncoder().encode("no archive"));
    bucket.put("package.zip/inner.jp2", image);
    const app = await overBucket();
    const { items } = await json(app, "/iiif/presentation/3/package.zip");
    expect(items.map(({ label }) => label)).toEqual([{ none: ["inner.jp2"] }]);
    expect((await app.get("/iiif/3/package.zip%2Finner.jp2/info.json")).status).toBe(200);
  });

  test("on a web server leaves all else of it unlisted", async () => {
    const app = await overWeb();
    for (const target of [
      "/iiif/presentation/3/none.zip",
      "/iiif/presentation/3/scans.zip/none",
      "/view/none",
    ])
      expect((await app.get(target)).status, target).toBe(404);
    expect((await app.get("/iiif/3/none.zip%2Fa.jpg/info.json")).status).toBe(404);
  });

  test("is asked for again after a purge of one of its images", async () => {
    const app = await overWeb();
    await app.get(tile(700));
    origin.since();
    await app.get(tile(700));
    expect(origin.since().requests).toBe(0);
    const parts = { ...app.service, aliases: [] };
    const { purged } = await purgeImage(parts, `scans.zip/${nameOf(700)}`);
    expect(purged.origin).toBeGreaterThan(0);
    await app.get(tile(700));
    expect(origin.since().requests).toBe(3);
  });
});
