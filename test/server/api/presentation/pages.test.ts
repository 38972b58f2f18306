// Pages of TIFF files in the manifest of their folder.

import { writeFileSync } from "node:fs";
import { join } from "node:path";
import { afterAll, beforeAll, expect, test } from "vitest";
import { expectedRows } from "../../../host.ts";
import { served } from "../../../served.ts";
import { type Laid, layFolder } from "./folder.ts";
import { type Json, json, walk } from "./walk.ts";

const base = "http://images.test";
const path = "/iiif/presentation/3/mixed";
const labels = ({ items }: Json) => items.map(({ label }: Json) => Object.values<string[]>(label)[0]?.[0]);
const imagesOf = ({ items }: Json) =>
  items.map(({ items: [page] }: Json) =>
    decodeURIComponent(page.items[0].body.service[0].id.slice(`${base}/iiif/3/mixed%2F`.length)),
  );

/** As tiffinfo reports them. */
const tiffSizes = [
  [200, 100],
  [200, 150],
  [200, 200],
];

let laid: Laid;

beforeAll(async () => {
  laid = await layFolder();
  await laid.put("mixed/1.jpg", "jpg-gray.jpg");
  await laid.put("mixed/2.tif", "tif-multipage-3sizes.tif");
  await laid.put("mixed/3.tif", "tif-pyramid-multipage.tif");
  await laid.put("mixed/4.gif", "gif-animated-4.gif");
  await laid.put("mixed/5.webp", "webp-animated-4.webp");
  await laid.put("mixed/6.jpg", "jpg-gray.jpg");
});
afterAll(() => laid.drop());

test("the pages of a TIFF are canvases of its folder, pyramids and animations are one canvas each", async () => {
  const app = await served(laid.yaml());
  const manifest = await json(app, path);
  expect(labels(manifest)).toEqual([
    "1.jpg",
    "2.tif, p. 1",
    "2.tif, p. 2",
    "2.tif, p. 3",
    "3.tif",
    "4.gif",
    "5.webp",
    "6.jpg",
  ]);
  expect(imagesOf(manifest)).toEqual([
    "1.jpg",
    "2.tif;1",
    "2.tif;2",
    "2.tif;3",
    "3.tif",
    "4.gif",
    "5.webp",
    "6.jpg",
  ]);
  expect(manifest.items.map(({ id }: Json) => id)).toEqual(
    Array.from({ length: 8 }, (_, at) => `${base}${path}/canvas/${at + 1}`),
  );
  const sizes = manifest.items.slice(1, 4).map(({ width, height }: Json) => [width, height]);
  expect(sizes).toEqual(tiffSizes);
  const row = expectedRows().find(({ file }) => file === "tif-pyramid-multipage.tif");
  expect([manifest.items[4].width, manifest.items[4].height]).toEqual([
    Number(row?.owidth),
    Number(row?.oheight),
  ]);
  const own = await json(app, `${path}/2.tif`);
  expect(own.items.map(({ width, height }: Json) => [width, height])).toEqual(tiffSizes);
});

test("every id of a folder with pages responds, in both versions", async () => {
  const app = await served(laid.yaml());
  const documents = await walk(app, path, { base });
  expect(documents.get(base + path).items).toHaveLength(8);
  expect((await app.get(`${path}/canvas/9`)).status).toBe(404);
});

test("content states and the viewer name pages by the numbers of their canvases", async () => {
  const app = await served(laid.yaml());
  const minted = await json(app, "/content-state/mint?target=mixed&canvas=3&xywh=1,2,3,4");
  expect(minted.contentState.id).toBe(`${base}${path}/canvas/3#xywh=1,2,3,4`);
  const link = minted.viewerUrl.slice(base.length);
  for (const target of [link, "/view/mixed/canvas/3"]) {
    const page = await (await app.get(target)).text();
    const settings = JSON.parse(
      /<script type="application\/json" id="view">(.*?)<\/script>/.exec(page)?.[1] ?? "",
    );
    expect(settings).toMatchObject({ canvasId: `${base}${path}/canvas/3`, canvasIndex: 2, count: 8 });
  }
  const beyond = await app.get("/content-state/mint?target=mixed&canvas=9");
  expect(((await beyond.json()) as Json).detail).toContain("1 to 8; received 9");
});

test("a manifest file's description of a file applies to its pages, and it can name one of them", async () => {
  const app = await served(laid.yaml());
  await laid.write(
    "mixed/manifest.yaml",
    `order: ["6.jpg", "2.tif;3"]
start: "2.tif"
thumbnail: "2.tif;2"
canvases:
  2.tif: { label: { en: Letter, de: Brief }, rights: CC0 }
  "2.tif;2": { label: The envelope }
  3: { label: A map }
  4.gif: { hide: true }
structures:
  - { label: The letter, items: [2.tif] }
  - { label: To the map, from: 2.tif, to: 3.tif }
  - { label: From the envelope, from: "2.tif;2", to: 3.tif }
`,
  );
  const manifest = await json(app, path);
  const canvas = (number: number) => `${base}${path}/canvas/${number}`;
  const page = (number: number) => ({ en: [`Letter, p. ${number}`], de: [`Brief, p. ${number}`] });
  expect(manifest.items.map(({ id, label }: Json) => [id, label])).toEqual([
    [canvas(8), { none: ["6.jpg"] }],
    [canvas(4), page(3)],
    [canvas(1), { none: ["1.jpg"] }],
    [canvas(2), page(1)],
    [canvas(3), { none: ["The envelope"] }],
    [canvas(5), { none: ["A map"] }],
    [canvas(7), { none: ["5.webp"] }],
  ]);
  expect(manifest.items.filter(({ rights }: Json) => rights)).toHaveLength(3);
  expect(manifest.start.id).toBe(canvas(2));
  expect(manifest.thumbnail[0].id).toContain("2.tif;2/full/");
  expect(manifest.structures.map(({ items }: Json) => items.map(({ id }: Json) => id))).toEqual([
    [canvas(2), canvas(3), canvas(4)],
    [canvas(2), canvas(3), canvas(5)],
    [canvas(3), canvas(5)],
  ]);
  await walk(app, path, { base });
  await laid.write("mixed/manifest.yaml", 'canvases: { 2.tif: { hide: true }, "3.tif": { label: A map } }\n');
  expect(labels(await json(app, path))).toEqual(["1.jpg", "A map", "4.gif", "5.webp", "6.jpg"]);
  await laid.remove("mixed/manifest.yaml");
});

test("presentation.pages: first shows each file as one canvas", async () => {
  const app = await served(`${laid.yaml()}presentation: { pages: first }\n`);
  const manifest = await json(app, path);
  expect(labels(manifest)).toEqual(["1.jpg", "2.tif", "3.tif", "4.gif", "5.webp", "6.jpg"]);
  expect(imagesOf(manifest)).toEqual(["1.jpg", "2.tif", "3.tif", "4.gif", "5.webp", "6.jpg"]);
  expect(labels(await json(app, `${path}/2.tif`))).toEqual(["1", "2", "3"]);
});

test("a rule for a file or a page gates its canvases, and a hook leaves pages out", async () => {
  const rules = (match: string) => `${laid.yaml()}auth:
  profiles:
    staff: { pattern: external, access_service: { backend: header, header: X-Reader } }
  rules: [{ match: "${match}", profile: staff }]
`;
  const gated = async (match: string) => {
    const manifest = await json(await served(rules(match)), path);
    return manifest.items.flatMap(({ thumbnail }: Json, at: number) => (thumbnail ? [] : at + 1));
  };
  expect(await gated("mixed/2.tif")).toEqual([2, 3, 4]);
  expect(await gated("mixed/2.tif;2")).toEqual([3]);
  const hook = join(laid.root, "hook.js");
  writeFileSync(
    hook,
    "export const authorize = ({ page }) => (page === 2 ? { allow: false, status: 404 } : { allow: true });\n",
  );
  const app = await served(`${laid.yaml()}hook: { engine: js, js: { file: ${JSON.stringify(hook)} } }\n`);
  const manifest = await json(app, path);
  expect(labels(manifest).slice(0, 4)).toEqual(["1.jpg", "2.tif, p. 1", "2.tif, p. 3", "3.tif"]);
  expect(manifest.items[2].id).toBe(`${base}${path}/canvas/3`);
  await walk(app, path, { base });
});
