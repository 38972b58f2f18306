// What a server shows of its build on every runtime and in both images: each codec, static files, the folder
// it serves, and the configuration that it reads.

import { copyFileSync, mkdirSync, writeFileSync } from "node:fs";
import { join } from "node:path";
import { fileURLToPath } from "node:url";
import sharp from "sharp";
import { expect, it } from "vitest";
import { psnr } from "../imaging/codecs/counting.ts";
import { rawGet } from "../server/platform/server/raw-http.ts";
import type { Runtime } from "./runtimes.ts";
import { pictures, type Started, startServer } from "./server.ts";

const png = fileURLToPath(new URL("../fixtures/base.png", import.meta.url));

/** The part of the configuration that these tests need, as YAML. */
export const optInFormats = "image: { formats: [avif, jxl] }\n";

/** Defines the tests of what a server serves; it does so to `server()`. */
export function testServing(runtime: Runtime, server: () => Started): void {
  const get = (path: string) => fetch(`${server().url}${path}`);

  it("prints once what it serves", async () => {
    const heading = new RegExp(`smalti \\S+ on ${runtime.name.replace(/\d+$|-container$/, "")}`, "g");
    await expect.poll(() => server().output()).toMatch(/source +images: .*\n/);
    expect(server().output().match(heading)).toHaveLength(1);
  });

  it.each(pictures)("describes %s", async (name) => {
    const response = await get(`/iiif/3/${name}/info.json`);
    expect(response.status).toBe(200);
    expect(await response.json()).toMatchObject({
      id: `${server().url}/iiif/3/${name}`,
      width: 600,
      height: 400,
      type: "ImageService3",
    });
  });

  it.each([
    ...pictures.map((name): [string, string, string] => [name, "jpg", "jpeg"]),
    ["jpg-baseline-420.jpg", "webp", "webp"],
    ["jpg-baseline-420.jpg", "png", "png"],
    ["base.png", "tif", "tiff"],
    ["base.png", "avif", "heif"],
  ])("reduces %s to half as %s", async (name, extension, format) => {
    const response = await get(`/iiif/3/${name}/full/300,/0/default.${extension}`);
    expect(response.status).toBe(200);
    expect(await sharp(await response.arrayBuffer()).metadata()).toMatchObject({
      format,
      width: 300,
      height: 200,
    });
  });

  it("writes JPEG XL with alpha by a module that it loads on demand", async () => {
    const response = await get("/iiif/3/base.png/full/300,/30/default.jxl");
    expect([response.status, response.headers.get("content-type")]).toEqual([200, "image/jxl"]);
    expect([...new Uint8Array(await response.arrayBuffer()).subarray(0, 2)]).toEqual([0xff, 0x0a]);
  });

  it.each([
    "/iiif/3/..%2Fconfig.yaml/info.json",
    "/iiif/3/../config.yaml/info.json",
    "/static/../main.js",
    "/static/..%2fmain.js",
  ])("returns nothing from outside its folders: %s", async (target) => {
    const { status, body } = await rawGet(server().port, target);
    expect(status).toBeGreaterThanOrEqual(400);
    expect(status).toBeLessThan(500);
    expect(body).not.toContain("sources");
    expect(body).not.toContain("import");
  });

  it("serves the documentation with its files", async () => {
    const page = await get("/static/docs/reference/errors.html");
    expect([page.status, page.headers.get("content-type")]).toEqual([200, "text/html; charset=utf-8"]);
    const addresses = [
      ...(await page.text()).matchAll(/ (?:src|href|data-sections)="(\.\.\/assets\/[^"]*)"/g),
    ];
    expect(addresses.length).toBeGreaterThan(4);
    for (const [, address = ""] of addresses)
      expect([address, (await get(`/static/docs/reference/${address}`)).status]).toEqual([address, 200]);
  });

  it("serves the viewer's script", async () => {
    const response = await get("/static/openseadragon/openseadragon.min.js");
    expect(response.status).toBe(200);
    expect(response.headers.get("content-type")).toMatch(/^text\/javascript/);
    expect(await response.text()).toContain("OpenSeadragon");
  });

  // Only for runtimes that take part in this.
  if (runtime.hosted)
    it("serves a folder without a configuration as it is", async () => {
      const folder = await startServer(runtime, { bare: true });
      const statusOf = async (name: string) => (await fetch(`${folder.url}/iiif/3/${name}/info.json`)).status;
      const base = runtime.images ? "base.png" : "images%2Fbase.png";
      expect([await statusOf(base), await statusOf("sample")]).toEqual([200, 404]);
      await folder.close();
    });
}

/** Defines the test of SIGHUP, for runtimes that take it. */
export function testReload(runtime: Runtime, server: () => Started): void {
  const get = (path: string) => fetch(`${server().url}${path}`);

  // Only for runtimes that take part in this: the folder of the others does not change while they run.
  if (runtime.reload)
    it.each(["avif", "jxl"])(
      "reads the %s that it writes by a module that it loads on demand",
      async (format) => {
        const written = await get(`/iiif/3/jpg-baseline-420.jpg/full/max/0/default.${format}`);
        const file = join(server().directory, `images/read.${format}`);
        writeFileSync(file, new Uint8Array(await written.arrayBuffer()));
        const response = await get(`/iiif/3/read.${format}/full/300,/0/default.png`);
        expect(response.status).toBe(200);
        const source = await get("/iiif/3/jpg-baseline-420.jpg/full/300,/0/default.png");
        const [ours, expected] = await Promise.all(
          [response, source].map(async (each) =>
            sharp(await each.arrayBuffer())
              .raw()
              .toBuffer(),
          ),
        );
        expect(psnr(ours!, expected!)).toBeGreaterThan(30);
      },
    );

  if (runtime.reload)
    it("reads its configuration again on SIGHUP", async () => {
      mkdirSync(join(server().directory, "images/new"), { recursive: true });
      let n = 0;
      /** Status of a picture that nothing has described yet. */
      const statusOfNew = async () => {
        copyFileSync(png, join(server().directory, `images/new/${++n}.png`));
        const response = await get(`/iiif/3/new%2F${n}.png/info.json`);
        await response.arrayBuffer();
        return response.status;
      };
      for (const [extra, status] of [
        ["image: { max_pixel_area: 1000 }\n", 400],
        ["", 200],
      ] as const) {
        server().configure(extra);
        server().signal("SIGHUP");
        await expect.poll(statusOfNew, { interval: 50 }).toBe(status);
      }
    });
}
