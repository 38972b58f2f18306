// Change Discovery over HTTP: which manifests the stream lists, and which responses clients get.

import { rename, utimes } from "node:fs/promises";
import { join } from "node:path";
import { afterEach, describe, expect, test, vi } from "vitest";
import { type Served, served } from "../../../served.ts";
import { type Laid, layFolder } from "../presentation/folder.ts";

const context = "http://iiif.io/api/discovery/1/context.json";
const type = `application/ld+json;profile="${context}"`;

/** Milliseconds after which another look counts; see `Seen.compare`. */
const later = 60_000;

interface Activity {
  readonly type: string;
  readonly object?: { readonly id: string };
}

let laid: Laid;
let app: Served;

const on = "presentation: { changes: { enabled: true, interval: 7d } }\n";

/** A service over the folder, after its first look. */
async function start(more = on, sources = laid.yaml()): Promise<void> {
  app = await served(`${sources}${more}`);
  if (app.service.changes) await looked();
}

/** Looks again, at a later time. */
async function looked(): Promise<void> {
  vi.setSystemTime(Date.now() + later);
  await app.service.changes?.look();
}

const json = async (target: string) => (await app.get(target)).json();
const pathOf = (address: string) => new URL(address).pathname;

/** Returns the entries of the last page as types with the rest of the address. */
async function lastEntries(): Promise<readonly string[]> {
  const { last } = await json("/iiif/changes");
  const { orderedItems } = await json(pathOf(last.id));
  return orderedItems.map(({ type, object }: Activity) =>
    object ? `${type} ${pathOf(object.id).replace("/iiif/presentation/3/", "")}` : type,
  );
}

async function begin(): Promise<void> {
  vi.useFakeTimers({ toFake: ["Date"], now: Date.UTC(2030, 0, 1) });
  laid = await layFolder();
}

afterEach(async () => {
  await app?.service.close();
  await laid?.drop();
  vi.useRealTimers();
});

describe("the stream of a service", () => {
  test("lists the manifests that collections list, and their changes", async () => {
    await begin();
    await laid.put("book/1.png", "base.png");
    await laid.put("shelf/1.png", "base.png");
    await laid.put("shelf/map/1.png", "base.png");
    await laid.put("top.png", "base.png");
    await laid.write("written/manifest.json", stored("Manifest"));
    await laid.write("list/manifest.json", stored("Collection"));
    await laid.write("notes/readme.txt", "no folder of images");
    await start();
    expect((await lastEntries()).toSorted()).toEqual([
      "Refresh",
      "Update _images",
      "Update book",
      "Update shelf/_images",
      "Update shelf/map",
      "Update written",
    ]);
    for (const entry of await lastEntries()) {
      const [, name = ""] = entry.split(" ");
      if (entry !== "Refresh") expect((await app.get(`/iiif/presentation/3/${name}`)).status).toBe(200);
    }
    const count = 6;
    await looked();
    expect(await lastEntries()).toHaveLength(count);
    await laid.put("book/2.png", "base.png");
    await laid.put("new/1.png", "base.png");
    await laid.remove("shelf/map");
    await looked();
    // Without its only folder, a shelf is a book.
    expect((await lastEntries()).slice(count).toSorted()).toEqual([
      "Create new",
      "Create shelf",
      "Delete shelf/_images",
      "Delete shelf/map",
      "Update book",
    ]);
  });

  test.each<[string, () => Promise<void>]>([
    ["an image", () => laid.put("book/1.png", "png-gray4.png")],
    ["its description", () => laid.write("book/manifest.yaml", "label: Another title\n")],
    ["a text next to an image", () => laid.write("book/1.txt", "Words")],
    ["annotations next to an image", () => laid.write("book/1.png.annotations.json", "[]")],
    ["a text in a folder of texts", () => laid.write("book/ocr/1.txt", "Other words")],
    [
      "the time of an image alone",
      () => utimes(join(laid.root, "book/1.png"), new Date(), new Date(2031, 0, 1)),
    ],
  ])("lists a manifest if somebody changes %s", async (_, act) => {
    await begin();
    await laid.put("book/1.png", "base.png");
    await laid.write("book/ocr/1.txt", "Words");
    await laid.put("other/1.png", "base.png");
    await start();
    const { length } = await lastEntries();
    await looked();
    expect(await lastEntries()).toHaveLength(length);
    await act();
    await looked();
    expect((await lastEntries()).slice(length)).toEqual(["Update book"]);
  });

  test("lists nothing that does not belong to a manifest", async () => {
    await begin();
    await laid.put("shelf/1.png", "base.png");
    await laid.put("shelf/book/1.png", "base.png");
    await start();
    const { length } = await lastEntries();
    await laid.write("shelf/notes.docx", "of somebody");
    await laid.put("shelf/book/2.png", "base.png");
    await looked();
    expect((await lastEntries()).slice(length)).toEqual(["Update shelf/book"]);
  });

  test("has the manifests of all sources, and none of a source that cannot be listed", async () => {
    await begin();
    const other = await layFolder();
    await laid.put("book/1.png", "base.png");
    await other.put("map/1.png", "base.png");
    const root = (folder: string) => JSON.stringify(folder);
    const sources = `sources:
  - { name: books, type: filesystem, root: ${root(laid.root)}, revalidate: 0s }
  - { name: maps, type: filesystem, root: ${root(other.root)}, prefix: m/, revalidate: 0s }
  - { name: web, type: http, url: "http://127.0.0.1:1/{identifier}", prefix: w/, allow_private: true }
`;
    await start(on, sources);
    const all = ["Refresh", "Update book", "Update m/map"];
    expect((await lastEntries()).toSorted()).toEqual(all);
    // Its disk is not mounted: that is no deletion.
    await rename(other.root, `${other.root}-away`);
    await looked();
    expect((await lastEntries()).toSorted()).toEqual(all);
    await rename(`${other.root}-away`, other.root);
    await other.remove("map");
    await looked();
    expect((await lastEntries()).slice(3)).toEqual(["Delete m/map"]);
    await other.drop();
  });

  test("leaves out what needs a login, and has an entry when that changes", async () => {
    await begin();
    await laid.put("public/1.png", "base.png");
    await laid.put("private/1.png", "base.png");
    await laid.put("reading/1.png", "base.png");
    const gated = (match: string) => `${on}auth:
  profiles:
    staff: { pattern: clickthrough, documents: gated, access_service: { backend: builtin } }
    readers: { pattern: clickthrough, access_service: { backend: builtin } }
  rules: [{ match: ${match}, profile: staff }, { match: reading/*, profile: readers }]
cache: { changes: { backend: filesystem, path: ${JSON.stringify(join(laid.root, ".cache"))} } }
`;
    await start(gated("private/*"));
    expect((await lastEntries()).toSorted()).toEqual(["Refresh", "Update public", "Update reading"]);
    await app.service.close();
    vi.setSystemTime(Date.now() + later);
    await start(gated("public/*"));
    expect((await lastEntries()).slice(3).toSorted()).toEqual(["Create private", "Delete public"]);
  });

  test("leaves out folders that manifest files hide, and has an entry when that changes", async () => {
    await begin();
    await laid.put("book/1.png", "base.png");
    await laid.put("drafts/1/1.png", "base.png");
    await laid.write("manifest.yaml", "items: { drafts: { hide: true } }\n");
    await start();
    expect(await lastEntries()).toEqual(["Refresh", "Update book"]);
    await laid.write("manifest.yaml", "items: { book: { hide: true } }\n");
    await looked();
    expect((await lastEntries()).slice(2).toSorted()).toEqual(["Create drafts/1", "Delete book"]);
  });

  test("does not exist if a hook decides which identifiers exist, and the log says so", async () => {
    await begin();
    const hook = join(laid.root, "hook.mjs");
    await laid.write("hook.mjs", "export const resolve = () => undefined;");
    await start(`${on}hook: { engine: js, js: { file: ${JSON.stringify(hook)} } }\n`);
    expect(app.service.changes).toBeUndefined();
    expect((await app.get("/iiif/changes")).status).toBe(404);
  });
});

describe("a response", () => {
  test("has the type of the specification, validators, and what lets pages of other origins read it", async () => {
    await begin();
    for (let n = 0; n < 150; n++) await laid.put(`book ${n}/1.png`, "base.png");
    await start();
    const stream = await app.get("/iiif/changes");
    const { headers } = stream;
    expect(headers.get("Content-Type")).toBe(type);
    expect(headers.get("Access-Control-Allow-Origin")).toBe("*");
    expect(headers.get("Cache-Control")).toBe("no-cache");
    const { first, last, totalItems } = await stream.json();
    expect(totalItems).toBe(151);
    const again = await app.get("/iiif/changes", { headers: { "If-None-Match": headers.get("ETag") ?? "" } });
    expect(again.status).toBe(304);
    // Pages never change once they are full.
    expect((await app.get(pathOf(first.id))).headers.get("Cache-Control")).toBe("public, max-age=86400");
    expect((await app.get(pathOf(last.id))).headers.get("Cache-Control")).toBe("no-cache");
    const plain = await app.get(pathOf(last.id), { headers: { Accept: "application/json" } });
    expect(plain.headers.get("Content-Type")).toBe("application/json");
    const page = await plain.json();
    expect(page).toMatchObject({ "@context": context, startIndex: 100, prev: { id: first.id } });
    expect(page.orderedItems).toHaveLength(51);
    expect(page.orderedItems[0].object).toEqual({
      id: expect.stringMatching(/^http:\/\/[^/]+\/iiif\/presentation\/3\/book%20\d+$/),
      type: "Manifest",
    });
  });

  test("is found from the root collection, the start page and robots.txt", async () => {
    await begin();
    await laid.put("book/1.png", "base.png");
    await start();
    const link =
      /<http:\/\/[^/]+\/iiif\/changes>;rel="alternate";type="application\/ld\+json;profile=\\"http:/;
    for (const path of ["/", "/iiif/presentation/3", "/iiif/presentation/2"])
      expect((await app.get(path)).headers.get("Link")).toMatch(link);
    for (const path of ["/?in=book", "/iiif/presentation/3/book"])
      expect((await app.get(path)).headers.get("Link") ?? "").not.toContain("changes");
    const robots = await (await app.get("/robots.txt")).text();
    expect(robots).toMatch(/^# .*http:\/\/[^/]+\/iiif\/changes\nUser-agent: \*\n/);
  });

  test("is an error that says why, if there is no such page, or nothing yet", async () => {
    await begin();
    await laid.put("book/1.png", "base.png");
    app = await served(`${laid.yaml()}${on}cache: { changes: { backend: heap, max_bytes: 1KiB } }\n`);
    expect(await json("/iiif/changes")).toMatchObject({ status: 404, code: "no_changes_yet" });
    await app.service.close();
    await start();
    const { last } = await json("/iiif/changes");
    const path = pathOf(last.id);
    for (const wrong of [path.replace(/0$/, "1"), path.replace(/\/[^/]+\/0$/, "/x1/0")])
      expect(await json(wrong)).toMatchObject({ status: 404, code: "no_such_changes" });
    expect((await app.get("/iiif/changes/")).status).toBe(404);
  });

  test("does not exist by default", async () => {
    await begin();
    await start("");
    expect((await app.get("/iiif/changes")).status).toBe(404);
    expect(await (await app.get("/robots.txt")).text()).not.toContain("changes");
    expect((await app.get("/")).headers.get("Link") ?? "").not.toContain("changes");
  });
});

const stored = (type: "Manifest" | "Collection") =>
  JSON.stringify({
    "@context": "http://iiif.io/api/presentation/3/context.json",
    id: "https://example.org/stored",
    type,
    label: { en: [type] },
    items: type === "Manifest" ? [{ id: "https://example.org/1", type: "Canvas", width: 9, height: 9 }] : [],
  });
