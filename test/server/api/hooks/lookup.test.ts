// A mapping file in effect on every surface: which master an identifier means, who may have it, and what is
// purged.
// @module-tag slow

import { mkdirSync, mkdtempSync, renameSync, rmSync, writeFileSync } from "node:fs";
import { tmpdir } from "node:os";
import { join } from "node:path";
import sharp from "sharp";
import { afterAll, beforeAll, describe, expect, test } from "vitest";
import { purgeEntry, purgeImage } from "../../../../src/server/images/purge.ts";
import { type Served, served } from "../../../served.ts";

let folder: string;
let app: Served;

/** Colour of each master; the multi-page file has a page of each. */
const colours = { red: "#ff0000", green: "#00ff00", blue: "#0000ff" } as const;

const mapping = `
ms-1: masters/red.png
ms-2: { key: green.png, source: vault }
pages: { key: pages.tif, source: vault }
missing: masters/none.png
outside: ../vault/green.png
literal;2: masters/red.png
closed: { key: masters/red.png, allow: false }
gone: { key: masters/red.png, status: 410, reason: This image was withdrawn. }
odd: { key: masters/red.png, status: 418 }
moved: { key: masters/red.png, redirect: "https://images.example.org/elsewhere?a=b" }
swapped: { key: masters/red.png, substitute: ms-2 }
badly-swapped: { key: masters/red.png, substitute: nothing, status: 403 }
worse-swapped: { key: masters/red.png, substitute: ../x, status: 451 }
`;

const put = (text: string) => {
  writeFileSync(join(folder, "mapping.new"), text);
  renameSync(join(folder, "mapping.new"), join(folder, "mapping.yaml"));
};

const settings = (hook: string) => `base_url: https://images.example.org
sources:
  - { name: scans, type: filesystem, root: ${JSON.stringify(join(folder, "scans"))} }
  - { name: vault, type: filesystem, root: ${JSON.stringify(join(folder, "vault"))}, prefix: vault/ }
cache: { render: { backend: heap }, info: { backend: heap } }
hook: ${hook}`;

beforeAll(async () => {
  folder = mkdtempSync(join(tmpdir(), "smalti-hooks-"));
  mkdirSync(join(folder, "scans", "masters"), { recursive: true });
  mkdirSync(join(folder, "vault"));
  const plain = (background: string) => sharp({ create: { width: 40, height: 30, channels: 3, background } });
  await plain(colours.red)
    .png()
    .toFile(join(folder, "scans", "masters", "red.png"));
  await plain(colours.green)
    .png()
    .toFile(join(folder, "vault", "green.png"));
  const strips = await Promise.all(
    [colours.green, colours.blue].map((colour) => plain(colour).raw().toBuffer()),
  );
  await sharp(Buffer.concat(strips), {
    raw: { width: 40, height: 60, channels: 3, pageHeight: 30 } as never,
  })
    .tiff({ compression: "deflate" })
    .toFile(join(folder, "vault", "pages.tif"));
  put(mapping);
  app = await served(
    settings(`{ engine: lookup, lookup: { file: ${JSON.stringify(join(folder, "mapping.yaml"))} } }`),
  );
});
afterAll(async () => {
  await app.service.close();
  rmSync(folder, { recursive: true, maxRetries: 5 });
});

const path = (identifier: string, rest = "full/max/0/default.png") =>
  `/iiif/3/${encodeURIComponent(identifier)}/${rest}`;
const get = (identifier: string, rest?: string, init: RequestInit = {}) =>
  app.get(path(identifier, rest), init);

async function colourOf(response: Response): Promise<string> {
  expect(response.status).toBe(200);
  const pixels = await sharp(Buffer.from(await response.arrayBuffer()))
    .removeAlpha()
    .raw()
    .toBuffer();
  return `#${pixels.subarray(0, 3).toString("hex")}`;
}

describe("an identifier", () => {
  test("means the mapped key, in the source that the mapping names", async () => {
    expect(await colourOf(await get("ms-1"))).toBe(colours.red);
    expect(await colourOf(await get("ms-2"))).toBe(colours.green);
    const info = (await (await get("ms-2", "info.json")).json()) as Record<string, unknown>;
    expect(info).toMatchObject({ id: "https://images.example.org/iiif/3/ms-2", width: 40, height: 30 });
  });

  test("with a page means that page of the master", async () => {
    const masters = await sharp(join(folder, "vault", "pages.tif")).metadata();
    expect(masters.pages).toBe(2);
    expect(await colourOf(await get("pages"))).toBe(colours.green);
    expect(await colourOf(await get("pages;1"))).toBe(colours.green);
    expect(await colourOf(await get("pages;2"))).toBe(colours.blue);
    expect((await get("pages;3")).status).toBe(404);
    // A row for a page is for that page alone.
    expect(await colourOf(await get("literal;2"))).toBe(colours.red);
    expect((await get("literal")).status).toBe(404);
  });

  test("that is not in the mapping does not exist, even if a source has a file of that name", async () => {
    for (const name of ["masters/red.png", "vault/green.png", "none", "missing"]) {
      const response = await get(name);
      expect([name, response.status]).toEqual([name, 404]);
      expect(await response.json()).toMatchObject({ code: "image_not_found" });
    }
  });

  test("whose key leads out of its source is a failure of the hook", async () => {
    const response = await get("outside");
    expect(response.status).toBe(500);
    expect(await response.json()).toMatchObject({ code: "hook_failed" });
  });
});

describe("a row about access", () => {
  test.each([
    ["closed", 401, "You may not have this image."],
    ["gone", 410, "This image was withdrawn."],
    ["odd", 401, "You may not have this image."],
    ["badly-swapped", 403, "You may not have this image."],
    ["worse-swapped", 451, "You may not have this image."],
  ])("denies %s with %i", async (name, status, detail) => {
    for (const method of ["GET", "HEAD"]) {
      const response = await get(name, undefined, { method, headers: { "If-None-Match": "*" } });
      expect(response.status).toBe(status);
      expect(response.headers.get("Cache-Control")).toBe("no-store");
      if (method === "GET") expect(await response.json()).toMatchObject({ code: "access_denied", detail });
    }
    const info = await get(name, "info.json");
    expect(info.status).toBe(status);
    if (status !== 410) expect(await info.json()).toMatchObject({ width: 40, type: "ImageService3" });
  });

  test.each(["full/max/0/default.png", "info.json"])("redirects %s, for the caller alone", async (rest) => {
    for (const method of ["GET", "HEAD"]) {
      const response = await get("moved", rest, { method });
      expect(response.status).toBe(303);
      expect(response.headers.get("Location")).toBe("https://images.example.org/elsewhere?a=b");
      expect(response.headers.get("Cache-Control")).toBe("private, no-cache");
      expect(response.headers.get("Access-Control-Allow-Origin")).toBe("*");
      expect(await response.text()).toBe("");
    }
  });

  test("shows a substitute in the place of the image, by its own mapping", async () => {
    const response = await get("swapped");
    expect(response.headers.get("Link")).toContain("<https://images.example.org/iiif/3/swapped/full/max/");
    expect(response.headers.get("Cache-Control")).toBe("private, no-cache");
    expect(await colourOf(response)).toBe(colours.green);
  });

  test("makes all responses private, without a date, and conditional requests consult it again", async () => {
    for (const rest of ["full/max/0/default.png", "info.json"]) {
      const response = await get("ms-1", rest);
      expect(response.headers.get("Cache-Control")).toBe("private, no-cache");
      expect(response.headers.get("Last-Modified")).toBeNull();
      const etag = response.headers.get("ETag") as string;
      expect((await get("ms-1", rest, { headers: { "If-None-Match": etag } })).status).toBe(304);
      expect((await get("closed", rest, { headers: { "If-None-Match": etag } })).status).toBe(401);
    }
  });
});

test("the start page lists nothing of a source whose files the hook names", async () => {
  const page = await (await app.get("/")).text();
  expect(page).toContain("A hook maps identifiers");
  expect(page).not.toMatch(/red\.png|green\.png/);
});

describe("a mapping that changes", () => {
  test("takes effect within about a second; a broken one leaves the previous one in effect, and /ready reports it", async () => {
    const ready = async () => {
      const response = await app.get("/ready");
      return { status: response.status, hooks: ((await response.json()) as { hooks: unknown[] }).hooks };
    };
    expect(await ready()).toMatchObject({ status: 200, hooks: [{ name: "lookup", healthy: true }] });
    expect((await get("new")).status).toBe(404);
    put(`${mapping}\nnew: masters/red.png`);
    await expect.poll(async () => (await get("new")).status).toBe(200);
    put(`${mapping}\nnew: masters/red.png\nms-1: again.png`);
    await expect
      .poll(async () => (await ready()).hooks)
      .toMatchObject([{ healthy: false, error: expect.stringMatching(/stays in effect: line 17: /) }]);
    // The last valid file stays in effect, so the service can do its work.
    expect((await ready()).status).toBe(200);
    expect((await get("new")).status).toBe(200);
    put(mapping);
    await expect.poll(async () => (await get("new")).status).toBe(404);
    expect(await ready()).toMatchObject({ hooks: [{ healthy: true }] });
  });
});

describe("a purge by identifier", () => {
  const small = "full/20,/0/default.png";
  const keep = async (identifier: string) => expect((await get(identifier, small)).status).toBe(200);
  const parts = () => ({ ...app.service, aliases: [] });

  test("takes every master that was seen under it, and the one that it means now", async () => {
    put(`${mapping}\nmoving: masters/red.png`);
    await expect.poll(async () => (await get("moving", small)).status).toBe(200);
    put(`${mapping}\nmoving: { key: green.png, source: vault }`);
    await expect.poll(async () => colourOf(await get("moving", small))).toBe(colours.green);
    const { purged } = await purgeImage(parts(), "moving");
    expect(purged.render).toBeGreaterThanOrEqual(2);
    expect((await get("moving", small)).headers.get("Cache-Status")).toBe("smalti; fwd=miss");
    put(mapping);
  });

  test("takes an entry by its address", async () => {
    await keep("ms-2");
    await keep("ms-2");
    expect((await get("ms-2", small)).headers.get("Cache-Status")).toBe("smalti; hit");
    expect(await purgeEntry(parts(), "render", path("ms-2", "full/20,15/0/default.png"))).toBe(1);
    expect((await get("ms-2", small)).headers.get("Cache-Status")).toBe("smalti; fwd=miss");
    expect(await purgeEntry(parts(), "info", `images.example.org${path("ms-2", "info.json")}`)).toBe(1);
  });
});

test("a template names masters of a source, and refuses identifiers without the parts that it takes", async () => {
  const other = await served(
    settings(`{ engine: lookup, lookup: { template: "{{ .Segments | at 1 }}.png", source: vault } }`),
  );
  const answer = await other.get(path("ms/green"));
  expect(answer.headers.get("Cache-Control")).toBe("public, max-age=86400");
  expect(answer.headers.get("Vary")).toBeNull();
  expect(await colourOf(answer)).toBe(colours.green);
  expect((await other.get(path("green"))).status).toBe(404);
  await other.service.close();
});
