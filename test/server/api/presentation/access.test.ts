// Who sees what of gated images in manifests and collections, and what hooks change in them.

import { writeFileSync } from "node:fs";
import { join } from "node:path";
import { afterAll, beforeAll, describe, expect, test } from "vitest";
import { type Log, silentLog } from "../../../../src/base/telemetry/log.ts";
import { type Served, served } from "../../../served.ts";
import { type Gated, gated, pictures } from "../access/gated.ts";
import { type Laid, layFolder } from "./folder.ts";
import { type Json, json, walk } from "./walk.ts";

const base = "https://images.example.org";
const at = (id: string) => `${base}/iiif/presentation/3${id && `/${id}`}`;
const path = (id: string) => `/iiif/presentation/3${id && `/${id}`}`;
const labels = (document: Json) => document.items.flatMap(({ label }: Json) => Object.values(label)[0]);

describe("gated images", () => {
  let site: Gated;
  beforeAll(async () => {
    site = await gated({ folder: await pictures() });
  });
  afterAll(() => site.close());

  test("are listed with their sizes and services, and without thumbnails for readers without access", async () => {
    const documents = await walk(site.app, path(""), { base });
    const manifest = documents.get(at("private"));
    expect(labels(manifest)).toEqual(["a.png", "é ü.png"]);
    expect(JSON.stringify(manifest)).not.toContain('"thumbnail"');
    expect(
      documents.get(at("")).items.map(({ id, thumbnail }: Json) => [id, thumbnail === undefined]),
    ).toEqual([
      [at("private"), true],
      [at("_images"), false],
    ]);
    const [canvas] = manifest.items;
    expect([canvas.width, canvas.height]).toEqual([800, 600]);
    const info = await (await site.app.get("/iiif/3/private%2Fa.png/info.json")).json();
    const [image3] = canvas.items[0].items[0].body.service;
    // The manifest names the services to log in once, and each image refers to them.
    const [probe, older] = (info as Json).service;
    const [login] = probe.service;
    const { "@context": _, service, ...texts } = older;
    expect(manifest.services).toEqual([login, expect.objectContaining(texts)]);
    expect(manifest.services[1].service).toHaveLength(service.length);
    expect(image3.service).toEqual([
      {
        id: probe.id,
        type: probe.type,
        profile: probe.profile,
        service: [{ id: login.id, type: login.type, profile: login.profile }],
      },
      { "@id": older["@id"], "@type": "AuthCookieService1", profile: older.profile },
    ]);
    const whole = await (await site.app.get(path("private"))).text();
    // Once for each protocol.
    expect(whole.split('"confirmLabel"')).toHaveLength(3);
    // 2.1 has no services of a manifest, so each image names its own.
    const [{ images }] = (await json(site.app, path("private").replace("/3/", "/2/"))).sequences[0].canvases;
    expect(images[0].resource.service.service).toMatchObject({ "@id": older["@id"], label: older.label });
    const single = await json(site.app, `${path("private").replace("/3/", "/2/")}/canvas/1`);
    expect(single.images[0].resource.service.service).toMatchObject({ label: older.label });
    expect(manifest["@context"]).toEqual([
      "http://iiif.io/api/auth/2/context.json",
      "http://iiif.io/api/presentation/3/context.json",
    ]);
  });

  test("have thumbnails for readers who have logged in, in documents that no one else may cache", async () => {
    const Cookie = await site.cookie("staff");
    const [denied, granted] = await Promise.all([
      site.app.get(path("private")),
      site.app.get(path("private"), { headers: { Cookie } }),
    ]);
    for (const { headers } of [denied, granted]) {
      expect(headers.get("Cache-Control")).toBe("private, no-cache");
      expect(headers.get("Vary")).toMatch(/Accept.*Cookie.*Authorization/);
      expect(headers.get("Last-Modified")).toBeNull();
    }
    const manifest = (await granted.json()) as Json;
    expect(manifest.thumbnail[0].id).toBe(`${base}/iiif/3/private%2Fa.png/full/!200,200/0/default.jpg`);
    expect(manifest.items.every(({ thumbnail }: Json) => thumbnail)).toBe(true);
    const held = granted.headers.get("ETag") as string;
    const afterLogout = await site.app.get(path("private"), { headers: { "If-None-Match": held } });
    expect(afterLogout.status).toBe(200);
    const still = await site.app.get(path("private"), { headers: { Cookie, "If-None-Match": held } });
    expect(still.status).toBe(304);
  });

  test("appear in each caller's documents according to their access, even if a document was written before", async () => {
    const Cookie = await site.cookie("staff");
    const thumbnails = async (headers: Record<string, string>, id: string) => {
      const { items } = await json(site.app, path(id), { headers });
      return items.filter(({ thumbnail }: Json) => thumbnail).map(({ label }: Json) => label.none[0]);
    };
    for (let round = 0; round < 3; round++) {
      expect(await thumbnails({}, "private")).toEqual([]);
      expect(await thumbnails({ Cookie }, "private")).toEqual(["a.png", "é ü.png"]);
      expect(await thumbnails({ "X-Reader": "bob" }, "_images")).not.toContain("room.png");
    }
    const terms = await site.cookie("terms");
    expect(await thumbnails({}, "_images")).toEqual(["blue.png", "public.png"]);
    expect(await thumbnails({ Cookie: terms }, "_images")).toEqual(["blue.png", "public.png", "terms.png"]);
    expect(await thumbnails({ Cookie }, "_images")).toEqual(["blue.png", "public.png"]);
  });

  test("with a smaller substitute have no thumbnail either", async () => {
    const { items } = await json(site.app, path("_images"));
    const shown = items.filter(({ thumbnail }: Json) => thumbnail);
    expect(labels({ items: shown })).toEqual(["blue.png", "public.png"]);
    expect(labels({ items })).toContain("terms.png");
  });

  test("leave one record for a whole document", async () => {
    const before = site.app.service.decisions.latest().length;
    await json(site.app, path("private"));
    const records = site.app.service.decisions.latest();
    expect(records).toHaveLength(before + 1);
    expect(records[0]).toMatchObject({
      identifier: "private",
      subject: "document",
      profile: "staff",
      verdict: "allow in part",
      status: 200,
    });
  });

  test("and public ones in separate folders differ in their caching headers", async () => {
    const { headers } = await site.app.get(path("public.png"));
    expect(headers.get("Cache-Control")).toBe("public, max-age=60");
    expect((await site.app.get(path("private/a.png"))).headers.get("Cache-Control")).toBe(
      "private, no-cache",
    );
  });
});

describe("a hook", () => {
  let laid: Laid;
  let failures: Json[];
  beforeAll(async () => {
    laid = await layFolder();
    for (const name of ["1", "2", "3"]) await laid.put(`book/${name}.jpg`, "jpg-gray.jpg");
    await laid.write("book/manifest.yaml", "label: By the file\nsummary: By the file\n");
  });
  afterAll(() => laid.drop());

  async function withHook(code: string, more = ""): Promise<Served> {
    const file = join(laid.root, `${Math.abs(hashOf(code))}.mjs`);
    writeFileSync(file, code);
    failures = [];
    const log: Log = { ...silentLog, error: (_message, fields = {}) => void failures.push(fields) };
    const hook = `base_url: ${base}\nhook: { engine: js, js: { file: ${JSON.stringify(file)} } }\n${more}`;
    return served(laid.yaml() + hook, {}, { log });
  }

  test("that denies with 404 omits an image, with 401 only its thumbnail", async () => {
    const app = await withHook(
      `export const authorize = ({ identifier }) =>
        identifier.endsWith("1.jpg") ? { allow: false, status: 404 } : { allow: !identifier.endsWith("2.jpg") };`,
    );
    const response = await app.get(path("book"));
    const { items } = (await response.json()) as Json;
    expect(items.map(({ label, thumbnail }: Json) => [label.none[0], thumbnail !== undefined])).toEqual([
      ["2.jpg", false],
      ["3.jpg", true],
    ]);
    expect(response.headers.get("Cache-Control")).toBe("private, no-cache");
    expect((await app.get(path("book/1.jpg"))).status).toBe(404);
  });

  test("with `presentation` merges members over those of the folder and its file", async () => {
    const app = await withHook(
      `export const presentation = ({ id, kind, descriptor }) =>
        id === "book" ? { label: { en: [kind + " of " + descriptor.items.length] }, canvases: { 2: "Two" } } : undefined;`,
    );
    const manifest = await json(app, path("book"));
    expect(manifest).toMatchObject({ label: { en: ["manifest of 3"] }, summary: { none: ["By the file"] } });
    expect(labels(manifest)).toEqual(["1.jpg", "Two", "3.jpg"]);
    expect((await json(app, path("book/canvas/2"))).label).toEqual({ none: ["Two"] });
  });

  test("may return a whole document, even for its own identifiers", async () => {
    const app = await withHook(
      `export const presentation = ({ id, descriptor }) =>
        id === "virtual" ? { ...descriptor, label: { en: ["Mine"] }, items: [{ type: "Canvas", width: 1, height: 1, items: [] }] } : null;`,
    );
    expect(await json(app, path("virtual"))).toMatchObject({
      id: at("virtual"),
      label: { en: ["Mine"] },
      items: [{ id: `${at("virtual")}/canvas/1` }],
    });
    expect(await json(app, path("virtual/canvas/1"))).toMatchObject({ type: "Canvas", width: 1 });
    expect((await app.get(path("nothing"))).status).toBe(404);
  });

  test.each([
    ["throws", "() => { throw new Error('no') }"],
    ["answers a list", "() => [1]"],
    ["misspells a member", "() => ({ lable: 'x' })"],
    ["has a whole document without items", "() => ({ type: 'Manifest', label: { en: ['x'] } })"],
  ])("that %s fails the request, and the log says why", async (_, hook) => {
    const app = await withHook(`export const presentation = ${hook};`);
    const response = await app.get(path("book"));
    expect(response.status).toBe(500);
    expect(await response.json()).toMatchObject({ code: "hook_failed" });
    expect(failures).toContainEqual(
      expect.objectContaining({ function: "presentation", identifier: "book" }),
    );
  });

  const mapping = `export const resolve = ({ identifier }) => /^[123]$/.test(identifier) ? { key: "book/" + identifier + ".jpg" } : false;`;

  test("that maps identifiers leaves only the manifests of single images, whose ids work", async () => {
    const app = await withHook(mapping);
    for (const id of ["", "book"]) {
      const response = await app.get(path(id));
      expect(response.status).toBe(404);
      expect(((await response.json()) as Json).detail).toMatch(/A hook maps identifiers/);
    }
    const manifest = await json(app, path("2"));
    const [{ id }] = manifest.items[0].items[0].items[0].body.service;
    expect((await app.get(`${id.slice(base.length)}/info.json`)).status).toBe(200);
    expect((await app.get(path("book/2.jpg"))).status).toBe(404);
  });

  test("that maps identifiers lists folders if it has `presentation` for them, or if the operator enables it", async () => {
    const paths = "export const resolve = ({ identifier }) => ({ key: identifier });\n";
    const consenting = await withHook(
      `${paths}export const presentation = ({ id }) => id === "book" ? {} : undefined;`,
    );
    expect((await json(consenting, path("book"))).items).toHaveLength(3);
    expect((await consenting.get(path(""))).status).toBe(404);
    const told = await withHook(paths, "presentation: { derive: always }");
    expect([...(await walk(told, path(""), { base })).keys()]).toEqual([at(""), at("book")]);
  });
});

/** A name for a file of that text. */
const hashOf = (text: string) =>
  [...text].reduce((sum, letter) => (Math.imul(sum, 31) + letter.charCodeAt(0)) | 0, 0);
