// An overlay on every runtime: workers get its pixels without sharing a file with anyone, and a broken one
// ends no server.

import { copyFileSync, renameSync, rmSync, writeFileSync } from "node:fs";
import { join } from "node:path";
import sharp from "sharp";
import { afterAll, beforeAll, describe, expect, it } from "vitest";
import { runtimesFor } from "./selection.ts";
import { pictures, type Started, startServer } from "./server.ts";

const mark = await sharp({ create: { width: 64, height: 32, channels: 4, background: "#ff0000" } })
  .png()
  .toBuffer();

describe.each(runtimesFor("overlay"))("smalti on $name with an overlay", (runtime) => {
  let server: Started;
  beforeAll(async () => {
    server = await startServer(runtime, {
      cache: "{ render: { backend: heap }, origin: { backend: heap } }",
      extra: "overlay: { image: ./images/mark.png, opacity: 1, offset: [0, 0] }\n",
      arrange: (images) => writeFileSync(join(images, "mark.png"), mark),
    });
  });
  afterAll(() => server?.close());
  const get = (path: string, init?: RequestInit) => fetch(`${server.url}/iiif/3/${path}`, init);
  const corner = async (response: Response) => {
    expect(response.status).toBe(200);
    const raw = await sharp(await response.arrayBuffer())
      .toColourspace("srgb")
      .removeAlpha()
      .raw()
      .toBuffer();
    return [...raw.subarray(-3)];
  };

  it("marks every response, for concurrent requests", async () => {
    const targets = pictures.flatMap((name) =>
      ["jpg", "png", "tif", "webp"].flatMap((format) => [
        `${name}/full/200,/0/default.${format}`,
        `${name}/256,128,128,128/128,128/90/default.${format}`,
      ]),
    );
    const colours = await Promise.all(targets.map(async (target) => corner(await get(target))));
    for (const [i, [r = 0, g = 255, b = 255]] of colours.entries()) {
      expect(r, targets[i]).toBeGreaterThan(235);
      expect(Math.max(g, b), targets[i]).toBeLessThan(20);
    }
  });

  it("sends nothing while its overlay image is missing, not even cached derivatives, and everything again afterwards", async () => {
    const target = "base.png/full/150,/0/default.png";
    const first = await get(target);
    const etag = first.headers.get("etag") ?? "";
    expect(await corner(first)).toEqual([255, 0, 0]);
    const file = join(server.directory, "images", "mark.png");
    renameSync(file, `${file}.away`);
    const other = async () => (await get("base.png/full/149,/0/default.png")).status;
    await expect.poll(other).toBe(500);
    for (const init of [{}, { method: "HEAD" }, { headers: { "If-None-Match": etag } }])
      expect((await get(target, init)).status).toBe(500);
    expect((await get("base.png/info.json")).status).toBe(200);
    copyFileSync(`${file}.away`, file);
    rmSync(`${file}.away`);
    await expect.poll(other).toBe(200);
    const again = await get(target, { headers: { "If-None-Match": etag } });
    expect(again.status).toBe(304);
  });
});
