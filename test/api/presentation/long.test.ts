// Manifests and collections of large folders: written in batches, in parts, and given up when their reader leaves.

import { linkSync, mkdirSync } from "node:fs";
import { join } from "node:path";
import { afterAll, beforeAll, expect, test } from "vitest";
import { problemsOf2 } from "../../iiif/presentation/rules-2.ts";
import { problemsOf3 } from "../../iiif/presentation/rules-3.ts";
import { type Served, served } from "../../served.ts";
import { type Laid, layFolder } from "./folder.ts";
import { type Json, json } from "./walk.ts";

let laid: Laid;
let app: Served;
const base = "http://images.test";
const images = 2050;
const folders = 1001;

beforeAll(async () => {
  laid = await layFolder();
  await laid.put("book/1.jpg", "jpg-1x1.jpg");
  for (let n = 2; n <= images; n++) linkSync(join(laid.root, "book/1.jpg"), join(laid.root, `book/${n}.jpg`));
  for (let n = 1; n <= folders; n++) mkdirSync(join(laid.root, `many/${n}`), { recursive: true });
  app = await served(laid.yaml("revalidate: 1h"));
});
afterAll(() => laid.drop());

test("a long manifest is valid in both versions, and its canvases answer", async () => {
  const manifest = await json(app, "/iiif/presentation/3/book");
  expect(manifest.items.map(({ label }: Json) => label.none[0])).toEqual(
    Array.from({ length: images }, (_, at) => `${at + 1}.jpg`),
  );
  expect(problemsOf3(manifest)).toEqual([]);
  const older = await json(app, "/iiif/presentation/2/book");
  expect(older.sequences[0].canvases).toHaveLength(images);
  expect(problemsOf2(older)).toEqual([]);
  const canvas = await json(app, `/iiif/presentation/3/book/canvas/${images}`);
  expect(canvas.items).toEqual(manifest.items.at(-1).items);
  expect((await app.get(`/iiif/presentation/3/book/canvas/${images + 1}`)).status).toBe(404);
});

test("a long manifest has a tag of its canvases and of its address", async () => {
  const tagOf = async (host: string, headers = {}) =>
    app.get("/iiif/presentation/3/book", { method: "HEAD", host, headers: { Host: host, ...headers } });
  const etag = (await tagOf("images.test")).headers.get("ETag") as string;
  expect((await tagOf("images.test", { "If-None-Match": etag })).status).toBe(304);
  expect((await tagOf("other.test", { "If-None-Match": etag })).status).toBe(200);
  const fresh = await served(laid.yaml());
  const tag = (await fresh.get("/iiif/presentation/3/book", { method: "HEAD" })).headers.get("ETag");
  await laid.put("book/7.jpg", "jpg-gray.jpg");
  const changed = await fresh.get("/iiif/presentation/3/book", { method: "HEAD" });
  expect(changed.headers.get("ETag")).not.toBe(tag);
});

test("a reader of a long manifest who leaves ends its writing", async () => {
  const { body } = await app.get("/iiif/presentation/3/book");
  const reader = body?.getReader();
  expect((await reader?.read())?.value?.length).toBeGreaterThan(0);
  await reader?.cancel();
  expect((await reader?.read())?.done).toBe(true);
});

test("a large collection lists its parts, which list its members", async () => {
  const { items } = await json(app, "/iiif/presentation/3/many");
  expect(items.map(({ id }: Json) => id)).toEqual(
    [1, 2].map((n) => `${base}/iiif/presentation/3/many/_part/${n}`),
  );
  const parts = await Promise.all(items.map(({ id }: Json) => json(app, id.slice(base.length))));
  expect(parts.map((part) => [part.id, part.items.length])).toEqual([
    [items[0].id, 1000],
    [items[1].id, 1],
  ]);
  expect(parts[1].items[0].id).toBe(`${base}/iiif/presentation/3/many/${folders}`);
  expect((await app.get("/iiif/presentation/3/many/_part/3")).status).toBe(404);
});

test("a long manifest with texts of its folder is written in batches as well, and whole where canvases are described", async () => {
  const plain = await json(app, "/iiif/presentation/3/book");
  const told = await served(laid.yaml());
  const lengthOf = async () => (await told.get("/iiif/presentation/3/book")).headers.get("Content-Length");
  await laid.write("book/manifest.yaml", "label: Told\nmetadata: { Date: 1470 }\nbehavior: paged\n");
  const manifest = await json(told, "/iiif/presentation/3/book");
  expect(await lengthOf()).toBeNull();
  expect(manifest).toMatchObject({ label: { none: ["Told"] }, behavior: ["paged"] });
  expect(manifest.items.map(({ id }: Json) => id)).toEqual(plain.items.map(({ id }: Json) => id));
  expect(problemsOf3(manifest)).toEqual([]);
  const older = await json(told, "/iiif/presentation/2/book");
  expect([older.label, older.sequences[0].canvases.length]).toEqual(["Told", images]);
  expect(problemsOf2(older)).toEqual([]);
  expect(await json(told, `/iiif/presentation/3/book/canvas/${images}`)).toMatchObject({ type: "Canvas" });
  await laid.write("book/manifest.yaml", "label: Told\norder: [9.jpg]\n");
  const [first] = (await json(told, "/iiif/presentation/3/book")).items;
  expect(first.label).toEqual({ none: ["9.jpg"] });
  expect(await lengthOf()).not.toBeNull();
  await laid.remove("book/manifest.yaml");
});
