// A certain refusal applies to info.json too, with the same status and code, and is listed with its reason.

import { copyFileSync, mkdtempSync, rmSync, truncateSync, writeFileSync } from "node:fs";
import { tmpdir } from "node:os";
import { join } from "node:path";
import { afterAll, beforeAll, describe, expect, test } from "vitest";
import { fixture, fixturesFolder } from "../../host.ts";
import { boxed, codestreamOf } from "../../imaging/codecs/jp2/files.ts";
import { jbigTiff } from "../../imaging/codecs/tif/tiff-file.ts";
import { type Served, served } from "../../served.ts";

let folder: string;
beforeAll(() => {
  folder = mkdtempSync(join(tmpdir(), "refusals-"));
  const put = (name: string, bytes: Uint8Array) => writeFileSync(join(folder, name), bytes);
  // 20 is e-sRGB
  put(
    "wide.jp2",
    boxed({ codestream: codestreamOf("jp2-reversible.jp2"), size: [600, 400, 3], enumerated: 20 }),
  );
  const lossless = fixture("jpg-baseline-420.jpg").slice();
  lossless[Buffer.from(lossless).indexOf(Uint8Array.of(0xff, 0xc0)) + 1] = 0xc3;
  put("lossless.jpg", lossless);
  put("text.jpg", new TextEncoder().encode("no picture at all"));
  put("jbig.tif", jbigTiff());
  for (const name of ["jp2-gray.jp2", "base.png", "webp-lossy-alpha.webp"])
    copyFileSync(join(fixturesFolder, name), join(folder, name));
  // sparse: it takes no room
  copyFileSync(join(folder, "webp-lossy-alpha.webp"), join(folder, "long.webp"));
  truncateSync(join(folder, "long.webp"), 513 * 2 ** 20);
});
afterAll(() => rmSync(folder, { recursive: true }));

const from = (yaml = "") =>
  served(`${yaml}\nsources: [{ name: files, type: filesystem, root: ${JSON.stringify(folder)} }]`);

async function refusal(app: Served, target: string, headers: Record<string, string> = {}) {
  const response = await app.get(target, { headers });
  const head = await app.get(target, { method: "HEAD", headers });
  expect([target, head.status]).toEqual([target, response.status]);
  const { code, detail } = (await response.json()) as { code: string; detail: string };
  return { status: response.status, code, detail };
}

async function expectRefused(app: Served, name: string, status: number, code: string) {
  const picture = await refusal(app, `/iiif/3/${name}/full/9,/0/default.png`);
  expect({ name, ...picture }).toMatchObject({ name, status, code });
  for (const version of [2, 3])
    for (const headers of [
      {},
      { "If-None-Match": "*" },
      { "If-Modified-Since": "Fri, 01 Jan 2100 00:00:00 GMT" },
    ] as Record<string, string>[]) {
      const information = await refusal(app, `/iiif/${version}/${name}/info.json`, headers);
      expect(information).toMatchObject({ status, code });
    }
  const html = await (await app.get("/")).text();
  expect(html).not.toContain(`data-name="${name}"`);
  expect(html).toContain(name);
}

describe("info.json and the start page", () => {
  test.each([
    ["wide.jp2", "unsupported_image"],
    ["lossless.jpg", "unsupported_image"],
    ["jbig.tif", "unsupported_image"],
    ["text.jpg", "unsupported_format"],
  ])("refuse an unsupported kind of file exactly as images do: %s", async (name, code) => {
    await expectRefused(await from(), name, 501, code);
  });

  test("refuse an image of which no derivative fits the memory budget, and no other", async () => {
    // JPEG 2000 is decoded whole, by a module that takes 32 MiB at rest
    const app = await from("image: { memory_budget: 20MiB }");
    await expectRefused(app, "jp2-gray.jp2", 400, "memory_budget");
    for (const target of ["info.json", "full/max/0/default.png"])
      expect((await app.get(`/iiif/3/base.png/${target}`)).status).toBe(200);
  });

  test("refuse a file longer than its decoder takes", async () => {
    const app = await from("image: { memory_budget: 4GiB }");
    await expectRefused(app, "long.webp", 400, "source_too_large");
    expect((await app.get("/iiif/3/webp-lossy-alpha.webp/info.json")).status).toBe(200);
  });
});
