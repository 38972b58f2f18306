// Places and maps in manifest files, as the service sends them.

import { afterEach, beforeEach, expect, test } from "vitest";
import { served } from "../../../served.ts";
import { type Laid, layFolder } from "./folder.ts";
import { json } from "./walk.ts";

const base = "http://images.test";
const manifest = "/iiif/presentation/3/maps";

let laid: Laid;

beforeEach(async () => {
  laid = await layFolder();
  for (const page of [1, 2]) await laid.put(`maps/${page}.jpg`, "jpg-gray.jpg");
});
afterEach(() => laid.drop());

const points = "[[0, 0, 4.48, 51.91], [300, 0, 4.5, 51.9], [0, 200, 4.4, 51.89]]";

test("a map has a page about its image, which its canvas links to", async () => {
  await laid.write(
    "maps/manifest.yaml",
    `navPlace: { type: Point, coordinates: [4.48, 51.91] }\ncanvases: { 2.jpg: { georeference: { points: ${points} } } }`,
  );
  const app = await served(laid.yaml());
  const document = await json(app, manifest);
  expect(document["@context"]).toEqual([
    "http://iiif.io/api/extension/navplace/context.json",
    "http://iiif.io/api/extension/georef/1/context.json",
    "http://iiif.io/api/presentation/3/context.json",
  ]);
  const [first, second] = document.items;
  expect(first).not.toHaveProperty("seeAlso");
  const [{ id }] = second.seeAlso;
  expect(id).toBe(`${base}${manifest}/canvas/2/map`);
  const page = await json(app, id.slice(base.length));
  expect(page).toMatchObject({
    "@context": [
      "http://iiif.io/api/extension/georef/1/context.json",
      "http://iiif.io/api/presentation/3/context.json",
    ],
    id,
    type: "AnnotationPage",
    items: [
      {
        motivation: "georeferencing",
        target: { source: { id: `${base}/iiif/3/maps%2F2.jpg`, type: "ImageService3" } },
      },
    ],
  });
  const embedded = await json(app, `${manifest}/canvas/2/georeference`);
  expect(embedded.items[0].target.source).toMatchObject({ id: second.id, type: "Canvas" });
  expect((await app.get(`${manifest}/canvas/1/map`)).status).toBe(404);
});

test("a place that is not on Earth is left out, and the response says in which line it is", async () => {
  await laid.write(
    "maps/manifest.yaml",
    "label: Maps\nnavPlace: { type: Point, coordinates: [51.91, 184.48] }",
  );
  const app = await served(laid.yaml());
  const response = await app.get(manifest);
  expect(response.headers.get("x-ignored-manifest-file")).toContain("line 2");
  expect(await response.json()).not.toHaveProperty("navPlace");
});

test("the place of a gated map is for those who may see its image, wherever it is written", async () => {
  await laid.write(
    "maps/manifest.yaml",
    `canvases: { 2.jpg: { georeference: { points: ${points} } }, 1.jpg: { georeference: { points: ${points} } } }`,
  );
  const profile =
    "{ pattern: kiosk, access_service: { backend: builtin }, kiosk: { allowed_ips: [198.51.100.0/24] } }";
  const app = await served(`
${laid.yaml()}
auth:
  profiles: { staff: ${profile} }
  rules: [{ match: maps/2.jpg, profile: staff }]
`);
  const textOf = async (path: string) => (await app.get(`${manifest}${path}`)).text();
  expect(await textOf("/canvas/1/map")).toContain("51.91");
  for (const path of ["/canvas/2", "/canvas/2/map", "/canvas/2/georeference"])
    expect(await textOf(path)).not.toContain("51.91");
  const [, second] = (await json(app, manifest)).items;
  expect(JSON.stringify(second)).not.toMatch(/georef|canvas\/2\/map/);
});
