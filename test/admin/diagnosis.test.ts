// The findings of the image doctor on /admin/view/{identifier}.

import { mkdtempSync, rmSync, writeFileSync } from "node:fs";
import { tmpdir } from "node:os";
import { join } from "node:path";
import { expect, test } from "vitest";
import { pixelsText } from "../../src/server/images/words.ts";
import { jbigTiff } from "../imaging/codecs/tif/tiff-file.ts";
import { served } from "../served.ts";
import { asOperator, operator } from "./operator.ts";

const app = await served("", operator);
const page = async (path: string) => {
  const response = await app.get(`/admin/view/${path}`, { headers: asOperator });
  return { status: response.status, text: await response.text() };
};
const codes = (text: string) => [...text.matchAll(/data-code="([^"]+)"/g)].map(([, code]) => code);

test("the page of an image shows findings, the costs of its tiles, and facts", async () => {
  const { status, text } = await page("tif-pyramid-subifd.tif");
  expect(status).toBe(200);
  expect(codes(text)).toContain("fast");
  expect(text).toMatch(/<th scope="row">Tile at 1\/1<span/);
  expect(text).toMatch(/<dt>Levels in the file<\/dt><dd>300 × 200, 150 × 100, 75 × 50<\/dd>/);
  expect(text).not.toContain("Measured now");
});

test("findings come before the picture, those to act on first and in sight", async () => {
  const { text } = await page("bad-trunc-50.jpg");
  const [, list = ""] = /<h2 id="doctor">(.*?)<\/section>/s.exec(text) ?? [];
  const [inSight = "", good = ""] = list.split("<details");
  const levels = (part: string) => [...part.matchAll(/class="pill ?(\w*)"/g)].map(([, level]) => level);
  expect([levels(inSight).length > 0, levels(inSight).includes("good")]).toEqual([true, false]);
  expect(new Set(levels(good))).toEqual(new Set(["good"]));
  expect(text.indexOf('id="doctor"')).toBeLessThan(text.indexOf('id="thumbnail"'));
});

test.each([
  [1, "1 pixel"],
  [9216, "9,216 pixels"],
  [262_144, "0.3 megapixels"],
  [1_000_000, "1 megapixel"],
  [1_100_000, "1.1 megapixels"],
  [1_000_000_000, "1,000 megapixels"],
])("%d pixels are written as %s", (pixels, text) => {
  expect(pixelsText(pixels)).toBe(text);
});

test("it measures on request", async () => {
  const { text } = await page("tif-pyramid-subifd.tif?measure=yes");
  expect(text).toContain("Measured now");
});

test("an image that is refused has its reason and a command on its page", async () => {
  const folder = mkdtempSync(join(tmpdir(), "smalti-refused-"));
  writeFileSync(join(folder, "jbig.tif"), jbigTiff());
  const app = await served(
    `sources: [{ name: files, type: filesystem, root: ${JSON.stringify(folder)} }]`,
    operator,
  );
  const response = await app.get("/admin/view/jbig.tif", { headers: asOperator });
  const [status, text] = [response.status, await response.text()];
  rmSync(folder, { recursive: true });
  expect([status, codes(text)[0]]).toEqual([200, "unsupported"]);
  expect(text).toContain('data-copy="vips tiffsave jbig.tif jbig.new.tif --tile');
});

test("the contents of a file are text on the page", async () => {
  const { text } = await page("jpg-icc-adobergb.jpg");
  expect(text).toMatch(/<dt>Embedded profile<\/dt><dd>[^<]+<\/dd>/);
  const { text: missing } = await page("%3Cb%3Ex.tif");
  expect(missing).not.toContain("<b>x");
});

test("a missing image is diagnosed too, with a hint where to look for it", async () => {
  const { status, text } = await page("nowhere.tif");
  expect([status, codes(text)]).toEqual([404, ["open_image_not_found"]]);
});

test("the cost of a reader's render is shown next to its estimate", async () => {
  await app.get("/iiif/3/tif-zstd.tif/0,0,256,256/max/0/default.jpg");
  const { text } = await page("tif-zstd.tif");
  expect(text).toMatch(
    /Latest for readers: <code class="path">0,0,256,256\/max\/0\/default\.jpg<\/code> took/,
  );
});
