// Pages of /view: what they open, what they hand to the viewers, and what they say where they open nothing.

import { afterAll, beforeAll, describe, expect, test } from "vitest";
import { encodeState } from "../../src/iiif/content-state/encode.ts";
import { type Served, served } from "../served.ts";
import { type Laid, layFolder } from "./presentation-folder.ts";

let laid: Laid;
let app: Served;

const base = "http://images.test";
const book = `${base}/iiif/presentation/3/book`;
const canvas = (number: number, version = 3) => `${base}/iiif/presentation/${version}/book/canvas/${number}`;
const partOf = [{ id: book, type: "Manifest" }];

beforeAll(async () => {
  laid = await layFolder();
  await laid.put("book/1.jpg", "jpg-gray.jpg");
  await laid.put("book/2.png", "png-gray16.png");
  await laid.put("shelf/a <b>&c/1.jpg", "jpg-gray.jpg");
  await laid.put("shelf/inner/1.jpg", "jpg-gray.jpg");
  app = await served(laid.yaml());
});
afterAll(() => laid.drop());

const html = { headers: { Accept: "text/html" } };
const page = async (target: string, from = app) => {
  const response = await from.get(target, html);
  return { response, text: await response.text() };
};
const stateQuery = (state: unknown) => `iiif-content=${encodeState(state)}`;

/** What the page hands to its scripts. */
function settings(text: string): Record<string, unknown> {
  const [, json = ""] = /<script type="application\/json" id="view">(.*?)<\/script>/s.exec(text) ?? [];
  return JSON.parse(json);
}

describe("/view", () => {
  test("opens the whole manifest of an identifier in Mirador", async () => {
    const { response, text } = await page("/view/book");
    expect(response.status).toBe(200);
    expect(settings(text)).toMatchObject({ manifestId: book, count: 2 });
    expect(settings(text)).not.toHaveProperty("canvasId");
    expect(text).toMatch(/<script src="\/static\/viewer\/mirador-\d+\.\d+\.\d+\/mirador\.min\.js" defer>/);
    expect(text).toContain("<title>book</title>");
  });

  test("opens the view that a state encodes, with the region in pixels of the canvas", async () => {
    const state = { id: `${canvas(2)}#xywh=1,2,3,4`, type: "Canvas", partOf };
    const { text } = await page(`/view/?${stateQuery(state)}`);
    expect(settings(text)).toMatchObject({ manifestId: book, canvasId: canvas(2), xywh: [1, 2, 3, 4] });
  });

  test("lets the state win over the identifier", async () => {
    const state = { id: canvas(2), type: "Canvas", partOf };
    for (const id of ["shelf/inner", "nothing/of/that"])
      expect(settings((await page(`/view/${id}?${stateQuery(state)}`)).text)).toMatchObject({
        manifestId: book,
        canvasId: canvas(2),
      });
  });

  test("takes a region in percent of the canvas", async () => {
    const document = (await (await app.get("/iiif/presentation/3/book")).json()) as {
      items: { width: number; height: number }[];
    };
    const { width, height } = document.items[0] as { width: number; height: number };
    const state = { id: `${canvas(1)}#xywh=percent:0,50,50,50`, type: "Canvas", partOf };
    expect(settings((await page(`/view/?${stateQuery(state)}`)).text).xywh).toEqual([
      0,
      Math.floor(height / 2),
      Math.ceil(width / 2),
      height - Math.floor(height / 2),
    ]);
  });
});
