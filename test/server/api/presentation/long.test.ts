// Manifests and collections of large folders: written in batches, in parts, and given up when their reader
// leaves.
// @module-tag slow

import { linkSync, mkdirSync, writeFileSync } from "node:fs";
import { join } from "node:path";
import { afterAll, beforeAll, expect, test } from "vitest";
import { sha256, toHex } from "../../../../src/base/bytes/digest.ts";
import { type Log, silentLog } from "../../../../src/base/telemetry/log.ts";
import { nodeFiles } from "../../../../src/server/platform/files/node-files.ts";
import { problemsOf2 } from "../../../iiif/presentation/rules-2.ts";
import { problemsOf3 } from "../../../iiif/presentation/rules-3.ts";
import { type Served, served } from "../../../served.ts";
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

test("a long manifest is valid in both versions, and its canvases respond", async () => {
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
  const get = async () => {
    const response = await fresh.get("/iiif/presentation/3/book");
    await response.arrayBuffer();
    return response.headers;
  };
  // Nobody knows the bytes of the first response before its end, nor whether all images can be read.
  const first = await get();
  expect([first.get("ETag"), first.get("Cache-Control")]).toEqual([null, "no-cache"]);
  const second = await get();
  expect(second.get("ETag")).toBe(etag);
  expect(second.get("Cache-Control")).toMatch(/^public, max-age=/);
  await laid.put("book/7.jpg", "jpg-gray.jpg");
  expect((await get()).get("ETag")).toBeNull();
  const changed = (await get()).get("ETag");
  expect(changed).toMatch(/^"[0-9a-f]{32}-ld"$/);
  expect(changed).not.toBe(etag);
});

test("a reader of a long manifest who leaves ends its writing", async () => {
  const { body } = await app.get("/iiif/presentation/3/book");
  const reader = body?.getReader();
  expect((await reader?.read())?.value?.length).toBeGreaterThan(0);
  await reader?.cancel();
  expect((await reader?.read())?.done).toBe(true);
});

/** Files of the service, with the names of those that were opened. */
function watchedFiles() {
  const opened: string[] = [];
  const { openPlain: _, ...files } = nodeFiles();
  const open: typeof files.open = (path) => {
    opened.push(path);
    return files.open(path);
  };
  return { files: { ...files, open }, opened };
}

test("a long manifest begins before its images are read, and a reader who leaves ends the reading", async () => {
  const { files, opened } = watchedFiles();
  const fresh = await served(laid.yaml("revalidate: 1h"), {}, { files });
  const { body } = await fresh.get("/iiif/presentation/3/book");
  const reader = body?.getReader();
  expect(new TextDecoder().decode((await reader?.read())?.value)).toContain('"type":"Manifest"');
  await reader?.cancel();
  const begun = opened.length;
  expect(begun).toBeLessThan(images / 4);
  await fresh.get("/health");
  expect(opened.length - begun).toBeLessThan(images / 4);
});

test("a canvas, a page of the viewer and a minted state of a long manifest open the images that they show alone", async () => {
  const { files, opened } = watchedFiles();
  const fresh = await served(laid.yaml("revalidate: 1h"), {}, { files });
  const canvas = await json(fresh, `/iiif/presentation/3/book/canvas/${images}`);
  expect(canvas.label).toEqual({ none: [`${images}.jpg`] });
  expect((await fresh.get("/view/book/canvas/1000")).status).toBe(200);
  const { contentState } = await json(fresh, `/content-state/mint?target=book&canvas=${images}`);
  expect(contentState.id).toBe(canvas.id);
  expect(new Set(opened).size).toBeLessThan(10);
});

test("a long manifest is sent with the same bytes again, and by another server", async () => {
  const fresh = await served(laid.yaml("revalidate: 1h"));
  const other = await served(laid.yaml("revalidate: 1h"));
  const digestOf = async (from: Served) =>
    toHex(await sha256(await (await from.get("/iiif/presentation/3/book")).text()));
  const first = await digestOf(fresh);
  expect(await digestOf(fresh)).toBe(first);
  expect(await digestOf(fresh)).toBe(first);
  expect(await digestOf(other)).toBe(first);
});

test("hooks deny images of a long manifest and describe it, and one that fails ends its stream", async () => {
  const file = join(laid.root, "hook.js");
  const hooked = async (code: string, more = "", log: Log = silentLog) => {
    writeFileSync(file, code);
    const hook = `hook: { engine: js, js: { file: ${JSON.stringify(file)} } }\n${more}`;
    return served(laid.yaml("revalidate: 1h") + hook, {}, { log });
  };
  const described = await hooked(
    `export const authorize = ({ identifier }) =>
       identifier.endsWith("/3.jpg") ? { allow: false, status: 404 } : { allow: !identifier.endsWith("/2.jpg") };
     export const presentation = ({ id }) => (id === "book" ? { label: "Hooked" } : undefined);`,
  );
  const manifest = await json(described, "/iiif/presentation/3/book");
  expect(manifest.label).toEqual({ none: ["Hooked"] });
  expect(manifest.items.slice(0, 3).map(({ label, thumbnail }: Json) => [label.none[0], !thumbnail])).toEqual(
    [
      ["1.jpg", false],
      ["2.jpg", true],
      ["4.jpg", false],
    ],
  );
  const failures: unknown[] = [];
  const failing = await hooked(
    `export const resolve = ({ identifier }) => {
       if (identifier.endsWith("/1500.jpg")) throw new Error("no such shelf");
       return { key: identifier };
     };`,
    "presentation: { derive: always }\n",
    { ...silentLog, error: (_message, fields) => void failures.push(fields) },
  );
  const { body } = await failing.get("/iiif/presentation/3/book");
  await expect(new Response(body).text()).rejects.toThrow();
  expect(failures).toContainEqual(expect.objectContaining({ code: "hook_failed" }));
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

test("a long manifest with texts of its folder is written in batches too, and whole if canvases are described", async () => {
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
