// The export as static files: which files there are, what documents say, and what a second run keeps.

import {
  cpSync,
  existsSync,
  mkdirSync,
  mkdtempSync,
  readdirSync,
  readFileSync,
  rmSync,
  statSync,
  symlinkSync,
  writeFileSync,
} from "node:fs";
import { tmpdir } from "node:os";
import { join } from "node:path";
import sharp from "sharp";
import { afterEach, beforeEach, describe, expect, test } from "vitest";
import { type ExportOptions, exportCollection } from "../../../src/cli/collection/export/export.ts";
import { Target } from "../../../src/cli/collection/export/target.ts";
import { nodeFiles } from "../../../src/server/platform/files/node-files.ts";
import { fixturesFolder } from "../../host.ts";
import { served } from "../../served.ts";

const base = "https://static.test/library";
let folder: string;
let out: string;
beforeEach(() => {
  folder = mkdtempSync(join(tmpdir(), "smalti-export-"));
  out = join(folder, "out");
  mkdirSync(join(folder, "masters"));
});
afterEach(() => rmSync(folder, { recursive: true, force: true }));

const master = (name: string) => join(folder, "masters", name);

async function writePhoto(name: string, width = 1300, height = 900): Promise<void> {
  mkdirSync(join(master(name), ".."), { recursive: true });
  const plain = { create: { width, height, channels: 3, background: "#336699" } } as const;
  writeFileSync(master(name), await sharp(plain).jpeg().toBuffer());
}

async function run(options: Partial<ExportOptions> = {}, yaml = ""): ReturnType<typeof exportCollection> {
  const root = JSON.stringify(join(folder, "masters"));
  const { service } = await served(`${yaml}\nsources: [{ name: masters, type: filesystem, root: ${root} }]`);
  try {
    return await exportCollection(service, {
      selection: [],
      target: new Target(nodeFiles(), out),
      version: 3,
      base,
      concurrency: 2,
      pages: "all",
      signal: new AbortController().signal,
      ...options,
    });
  } finally {
    await service.close();
  }
}

const json = (path: string) => JSON.parse(readFileSync(join(out, path), "utf8"));
const files = (path = "."): string[] =>
  (readdirSync(join(out, path), { recursive: true }) as string[]).filter((name) =>
    statSync(join(out, path, name)).isFile(),
  );
/** Every id in a document. */
const ids = (value: unknown): string[] =>
  typeof value !== "object" || value === null
    ? []
    : Object.entries(value).flatMap(([name, inner]) =>
        typeof inner === "string" && /^@?id$/.test(name) ? [inner] : ids(inner),
      );
/** The file of an address. */
const fileOf = (address: string) => join(out, decodeURIComponent(address.slice(base.length + 1)));

describe("the export of an image", () => {
  test("has the files of level 0 under their canonical names", async () => {
    await writePhoto("a.jpg");
    expect(await run()).toMatchObject({ images: 1, failed: 0, interrupted: false });
    // 1300 × 900 in tiles of 512: factors 1 (3 × 2 tiles), 2 (2 × 1) and 4 (one).
    expect(files("images/a.jpg").sort()).toEqual(
      [
        "info.json",
        "full/max/0/default.jpg",
        "full/1300,900/0/default.jpg",
        "full/650,450/0/default.jpg",
        "full/325,225/0/default.jpg",
        "full/200,138/0/default.jpg",
        "0,0,512,512/512,512/0/default.jpg",
        "512,0,512,512/512,512/0/default.jpg",
        "1024,0,276,512/276,512/0/default.jpg",
        "0,512,512,388/512,388/0/default.jpg",
        "512,512,512,388/512,388/0/default.jpg",
        "1024,512,276,388/276,388/0/default.jpg",
        "0,0,1024,900/512,450/0/default.jpg",
        "1024,0,276,900/138,450/0/default.jpg",
      ].sort(),
    );
    expect(json("images/a.jpg/info.json")).toEqual({
      "@context": "http://iiif.io/api/image/3/context.json",
      id: `${base}/images/a.jpg`,
      type: "ImageService3",
      protocol: "http://iiif.io/api/image",
      profile: "level0",
      width: 1300,
      height: 900,
      sizes: [
        { width: 325, height: 225 },
        { width: 650, height: 450 },
        { width: 1300, height: 900 },
      ],
      tiles: [{ width: 512, scaleFactors: [1, 2, 4] }],
    });
    for (const name of files("images/a.jpg").filter((each) => each.endsWith(".jpg"))) {
      const [, region, w, h] = /^([^/]+)\/(?:max|(\d+),(\d+))\//.exec(name) ?? [];
      const size = await sharp(join(out, "images/a.jpg", name)).metadata();
      expect([region, size.width, size.height]).toEqual([region, Number(w ?? 1300), Number(h ?? 900)]);
    }
  });

  test("has the names of version 2.1 if that is wanted", async () => {
    await writePhoto("a.jpg");
    await run({ version: 2 });
    expect(json("images/a.jpg/info.json")).toMatchObject({
      "@context": "http://iiif.io/api/image/2/context.json",
      "@id": `${base}/images/a.jpg`,
      profile: ["http://iiif.io/api/image/2/level0.json"],
    });
    for (const name of ["full/full", "full/max", "full/650,", "full/650,450", "1024,0,276,900/138,"])
      expect(existsSync(join(out, `images/a.jpg/${name}/0/default.jpg`))).toBe(true);
    const manifest = json("manifests/_images.json");
    expect(JSON.stringify(manifest)).not.toContain("ImageService3");
    expect(JSON.stringify(manifest)).toContain("ImageService2");
  });

  test("limits the largest derivative to what the service may render", async () => {
    await writePhoto("a.jpg");
    await run({}, "image: { max_output_width: 700 }");
    const { maxWidth, sizes } = json("images/a.jpg/info.json");
    expect([maxWidth, sizes.at(-1)]).toEqual([700, { width: 650, height: 450 }]);
    const { width } = await sharp(join(out, "images/a.jpg/full/max/0/default.jpg")).metadata();
    expect(width).toBe(700);
  });

  test("has names that every web server and file system takes", async () => {
    await writePhoto("a b;c%~é.jpg", 300, 200);
    await run();
    expect(readdirSync(join(out, "images"))).toEqual(["a~20b~3bc~25~7eé.jpg"]);
    expect(json("images/a~20b~3bc~25~7eé.jpg/info.json").id).toBe(`${base}/images/a~20b~3bc~25~7e%C3%A9.jpg`);
  });
});

describe("a file that cannot be written", () => {
  test("is one failure in the report, and the export goes on", async () => {
    // The manifest of the first folder is a file where the second one needs a folder.
    await writePhoto("a/1.jpg", 300, 200);
    await writePhoto("a.json/b/2.jpg", 300, 200);
    await writePhoto("z/3.jpg", 300, 200);
    const { images, failures } = await run();
    expect(images).toBe(3);
    expect(failures.map(({ code }) => code)).toEqual(["export_name"]);
    expect(existsSync(join(out, "manifests/z.json"))).toBe(true);
    expect(readdirSync(join(out, ".smalti-export"))).not.toContain("aside");
  });

  test("ends the export if the disk is full", async () => {
    await writePhoto("a.jpg", 300, 200);
    await writePhoto("b.jpg", 300, 200);
    let writes = 0;
    const full = {
      ...nodeFiles(),
      writeFile: async (path: string) => {
        writes++;
        throw Object.assign(new Error("ENOSPC: no space left on device"), { code: "ENOSPC", path });
      },
    };
    await expect(run({ target: new Target(full, out) })).rejects.toThrow(/cannot be written: ENOSPC/);
    expect(writes).toBe(1);
  });

  test("is none if only its escaped name is too long", async () => {
    const [one, other] = ["1", "2"].map((end) => `${"x ".repeat(100)}${end}`);
    for (const folder of [one, other]) await writePhoto(`${folder}/${"y ".repeat(110)}.jpg`, 300, 200);
    expect(await run()).toMatchObject({ images: 2, failed: 0 });
    const names = readdirSync(join(out, "images"));
    expect(names).toHaveLength(2);
    for (const name of names) expect(name).toMatch(/^x~20x.*~~[0-9a-f]{32}$/);
  });
});

describe("the documents of an export", () => {
  test("name only files of the export", async () => {
    await writePhoto("a/1.jpg", 600, 400);
    await writePhoto("a/b/2.jpg", 100, 80);
    await writePhoto("top.jpg", 600, 400);
    cpSync(join(fixturesFolder, "tif-multipage-3sizes.tif"), master("a/pages.tif"));
    const report = await run();
    expect(report).toMatchObject({ images: 6, failed: 0, start: ["collection.json"] });
    expect(
      files(".")
        .filter((name) => /^(collection|manifests)/.test(name))
        .sort(),
    ).toEqual([
      "collection.json",
      "manifests/_images.json",
      "manifests/a.json",
      "manifests/a/_images.json",
      "manifests/a/b.json",
    ]);
    for (const file of files(".").filter((name) => /^(collection|manifests)/.test(name))) {
      const document = json(file);
      expect(document.id).toBe(`${base}/${file}`);
      for (const id of ids(document).filter((each) => !/\/canvas\//.test(each))) {
        expect(id.startsWith(`${base}/`)).toBe(true);
        const path = fileOf(id);
        expect([id, existsSync(path) || existsSync(join(path, "info.json"))]).toEqual([id, true]);
      }
    }
    expect(JSON.stringify(json("manifests/a/_images.json"))).not.toMatch(/level2|invalid|!200/);
  });

  test("keep what an operator describes, with the derivatives that it names", async () => {
    await writePhoto("a/1.jpg", 600, 400);
    writeFileSync(
      master("a/manifest.yaml"),
      [
        "label: { en: [Described] }",
        "rights: http://creativecommons.org/publicdomain/mark/1.0/",
        "thumbnail: [{ id: '/iiif/3/a%2F1.jpg/square/90,90/0/default.jpg', type: Image, format: image/jpeg }]",
        "seeAlso: [{ id: 'https://catalogue.test/1', type: Dataset }]",
      ].join("\n"),
    );
    await run({ selection: ["a"] });
    const manifest = json("manifests/a.json");
    expect(manifest).toMatchObject({
      label: { en: ["Described"] },
      rights: "http://creativecommons.org/publicdomain/mark/1.0/",
      seeAlso: [{ id: "https://catalogue.test/1" }],
    });
    expect(manifest.partOf).toBeUndefined();
    const { width, height } = await sharp(fileOf(manifest.thumbnail[0].id)).metadata();
    expect([width, height]).toEqual([90, 90]);
  });

  test("leave out canvases of images that could not be exported, which are reported", async () => {
    await writePhoto("a/1.jpg", 600, 400);
    cpSync(join(fixturesFolder, "bad-trunc-50.png"), master("a/2.png"));
    const report = await run({ selection: ["a"] });
    expect(report.failures).toEqual([expect.objectContaining({ where: "a/2.png", code: "decode" })]);
    expect(json("manifests/a.json").items).toHaveLength(1);
    expect(existsSync(join(out, "images/a/2.png/info.json"))).toBe(false);
  });

  test("contain nothing that only readers with a login may see", async () => {
    await writePhoto("open/1.jpg", 300, 200);
    await writePhoto("closed/2.jpg", 300, 200);
    await writePhoto("terms.jpg", 300, 200);
    const auth = `auth:
  profiles:
    room: { pattern: kiosk, access_service: { backend: builtin }, kiosk: { allowed_ips: [192.0.2.4/30] } }
    terms: { pattern: clickthrough, access_service: { backend: builtin }, substitute: { max_size: "!100,100" } }
  rules:
    - { match: closed/*, profile: room }
    - { match: terms.jpg, profile: terms }`;
    const report = await run({}, auth);
    expect(report).toMatchObject({ images: 1, failed: 0, failures: [] });
    // The manifest of the images at the top and that of the folder have no canvas left.
    expect(report.leftOut).toEqual({
      images: 2,
      documents: 2,
      identifiers: ["terms.jpg", "closed/2.jpg", "closed", "_images"],
    });
    expect(files("manifests")).toEqual(["open.json"]);
    expect(json("collection.json").items).toHaveLength(1);
    expect(files("images").filter((name) => !name.startsWith("open/"))).toEqual([]);
    expect(
      JSON.stringify(files(".").map((name) => json(name.endsWith(".json") ? name : "collection.json"))),
    ).not.toMatch(/closed%2F|closed\/2|terms\.jpg/);
  });
});

describe("a second run", () => {
  const gated = `auth:
  profiles: { room: { pattern: kiosk, access_service: { backend: builtin }, kiosk: { allowed_ips: [192.0.2.4/30] } } }
  rules: [{ match: closed/*, profile: room }]`;

  const prunes = true;
  const write = (path: string, text = "mine") => {
    mkdirSync(join(out, path, ".."), { recursive: true });
    writeFileSync(join(out, path), text);
  };
  const named = (some: readonly { readonly identifier: string }[]) =>
    some.map(({ identifier }) => identifier).sort();
  const kept = (path = "images") =>
    files(path)
      .filter((name) => name.endsWith("info.json"))
      .sort();

  test("reports what is gone or needs a login now, and removes it only if it prunes", async () => {
    for (const name of ["a.jpg", "b.jpg", "old/c.jpg", "closed/d.jpg"]) await writePhoto(name, 300, 200);
    cpSync(join(fixturesFolder, "tif-multipage-3sizes.tif"), master("closed/pages.tif"));
    expect(await run()).toMatchObject({ images: 7, stale: [], removed: [] });
    rmSync(master("b.jpg"));
    rmSync(master("old"), { recursive: true });
    const before = files(".").length;
    const { stale, removed } = await run({}, gated);
    const pages = [1, 2, 3].map((page) => `closed/pages.tif;${page}`);
    expect(named(stale)).toEqual(["b.jpg", "closed", "closed/d.jpg", ...pages, "old", "old/c.jpg"].sort());
    expect(stale).toContainEqual({ kind: "document", identifier: "closed", reason: "gated" });
    expect(stale).toContainEqual({ kind: "document", identifier: "old", reason: "gone" });
    expect(stale).toContainEqual({ kind: "image", identifier: "closed/d.jpg", reason: "gated" });
    expect([removed, files(".").length]).toEqual([[], before]);
    const pruned = await run({ prunes }, gated);
    expect([named(pruned.removed), pruned.stale]).toEqual([named(stale), []]);
    expect(files("images").filter((name) => !name.startsWith("a.jpg/"))).toEqual([]);
    expect(readdirSync(join(out, "images"))).toEqual(["a.jpg"]);
    expect(files("manifests")).toEqual(["_images.json"]);
    expect(await run({ prunes }, gated)).toMatchObject({ images: 1, removed: [], derivatives: 0 });
  });

  test("looks at the access of all images also if some are selected", async () => {
    for (const name of ["x/a.jpg", "y/b.jpg", "closed/d.jpg"]) await writePhoto(name, 300, 200);
    await run();
    await run({ selection: ["closed/d.jpg"] });
    rmSync(master("x/a.jpg"));
    const first = await run({ selection: ["y"] }, gated);
    const reason = "gated";
    expect(first.stale).toEqual([
      { kind: "image", identifier: "closed/d.jpg", reason },
      { kind: "document", identifier: "closed", reason },
      { kind: "document", identifier: "closed/d.jpg", reason },
    ]);
    // It still names the folder.
    expect(first.failures).toEqual([expect.objectContaining({ where: "collection.json" })]);
    const one = await run({ selection: ["y"] }, gated.replace("closed/*", "closed/d.jpg"));
    expect(named(one.stale)).toEqual(["closed/d.jpg", "closed/d.jpg"]);
    expect(one.failures).toEqual([expect.objectContaining({ where: "closed" })]);
    expect(named((await run({ selection: ["y"], prunes }, gated)).removed)).toEqual(named(first.stale));
    expect(kept()).toEqual(["x/a.jpg/info.json", "y/b.jpg/info.json"]);
    expect(existsSync(join(out, "manifests/closed/d.jpg.json"))).toBe(false);
  });

  test("writes no document of a folder of which nothing is public", async () => {
    for (const name of ["y/b.jpg", "closed/d.jpg", "closed/in/e.jpg"]) await writePhoto(name, 300, 200);
    expect(await run({}, gated)).toMatchObject({ failed: 0, leftOut: { images: 2, documents: 3 } });
    expect(await run({ selection: ["y"], prunes }, gated)).toMatchObject({
      stale: [],
      removed: [],
      failed: 0,
    });
    expect(files("manifests")).toEqual(["y.json"]);
    // What is still there of an earlier run is reported, and in no other document.
    rmSync(out, { recursive: true });
    await run();
    await run({}, gated);
    const { stale, failures } = await run({ selection: ["y"] }, gated);
    expect([named(stale), failures]).toEqual([
      ["closed", "closed/_images", "closed/d.jpg", "closed/in", "closed/in/e.jpg"],
      [],
    ]);
  });

  test("writes nothing if nothing is public, and says what is left out", async () => {
    await writePhoto("closed/d.jpg", 300, 200);
    expect(await run({}, gated)).toMatchObject({
      images: 0,
      documents: 0,
      failed: 0,
      start: [],
      leftOut: { images: 1, documents: 2, identifiers: ["closed/d.jpg", "closed", "collection.json"] },
    });
    expect(files(".").filter((name) => /^(images|manifests|collection)/.test(name))).toEqual([]);
  });

  test("writes no manifest of a folder whose only image is damaged, and reports the image", async () => {
    await writePhoto("y/b.jpg", 300, 200);
    mkdirSync(master("bad"));
    writeFileSync(master("bad/text.jpg"), "no image");
    const { failures, leftOut } = await run();
    expect(failures).toEqual([expect.objectContaining({ where: "bad/text.jpg" })]);
    expect(leftOut).toMatchObject({ images: 0 });
    expect(files("manifests")).toEqual(["y.json"]);
  });

  test("keeps what is gone if something failed, if it is interrupted, and if nothing is left", async () => {
    for (const name of ["x/a.jpg", "y/b.jpg"]) await writePhoto(name, 300, 200);
    await run();
    rmSync(master("x/a.jpg"));
    const whole = readFileSync(master("y/b.jpg"));
    writeFileSync(master("y/b.jpg"), "damaged");
    const failed = await run({ prunes });
    expect(failed).toMatchObject({ failed: 1, removed: [], unpruned: "an image failed" });
    // What failed is listed, and so not gone.
    expect(named(failed.stale)).toEqual(["x/a.jpg"]);
    const stop = new AbortController();
    stop.abort();
    expect(await run({ prunes, signal: stop.signal })).toMatchObject({ removed: [], interrupted: true });
    rmSync(master("y/b.jpg"));
    expect(await run({ prunes })).toMatchObject({ removed: [], unpruned: "no image was exported" });
    expect(kept()).toEqual(["x/a.jpg/info.json", "y/b.jpg/info.json"]);
    writeFileSync(master("y/b.jpg"), whole);
    expect(named((await run({ prunes })).removed)).toEqual(["x/a.jpg"]);
  });

  test("keeps the manifest of an image that was exported by its name", async () => {
    await writePhoto("a/1.jpg", 300, 200);
    await run({ selection: ["a/1.jpg"] });
    expect(await run({ prunes })).toMatchObject({ stale: [], removed: [] });
    expect(existsSync(join(out, "manifests/a/1.jpg.json"))).toBe(true);
  });

  test("keeps the images of another folder that was exported to the same place", async () => {
    await writePhoto("a.jpg", 300, 200);
    await run();
    rmSync(master("a.jpg"));
    await writePhoto("b.jpg", 300, 200);
    expect(named((await run()).stale)).toEqual(["a.jpg"]);
    expect(kept()).toEqual(["a.jpg/info.json", "b.jpg/info.json"]);
  });

  test("leaves the images below one that is gone", async () => {
    await writePhoto("a.jpg", 300, 200);
    await run();
    rmSync(master("a.jpg"));
    await writePhoto("a.jpg/full/b.jpg", 300, 200);
    await writePhoto("a.jpg/c.jpg", 300, 200);
    expect(named((await run({ prunes })).removed)).toEqual(["_images", "a.jpg"]);
    expect(kept()).toEqual(["a.jpg/c.jpg/info.json", "a.jpg/full/b.jpg/info.json"]);
    expect(readdirSync(join(out, "images/a.jpg/full"))).toEqual(["b.jpg"]);
  });

  test("leaves files of others in the folder of an image that changes or is gone", async () => {
    await writePhoto("a.jpg", 300, 200);
    await writePhoto("b.jpg", 300, 200);
    await run();
    const own = ["full/logo.jpg", "full/max/0/mine.txt", "readme.txt"];
    for (const name of own) write(`images/a.jpg/${name}`);
    await writePhoto("a.jpg", 200, 300);
    await run();
    expect(files("images/a.jpg")).toEqual(expect.arrayContaining(own));
    rmSync(master("a.jpg"));
    expect(named((await run({ prunes })).removed)).toEqual(["a.jpg"]);
    expect(files("images/a.jpg").sort()).toEqual(own);
  });

  test("never takes a file or folder of others for an image", async () => {
    await writePhoto("logo.jpg", 300, 200);
    await writePhoto("photo.jpg", 300, 200);
    await writePhoto("z.jpg", 300, 200);
    write("images/logo.jpg");
    write("images/photo.jpg/info.json");
    const codes = (await run()).failures.map(({ where, code }) => [where, code]);
    expect(codes).toEqual([
      ["logo.jpg", "export_foreign_file"],
      ["photo.jpg", "export_foreign_file"],
    ]);
    for (const name of ["logo.jpg", "photo.jpg"]) rmSync(master(name));
    expect(await run({ prunes })).toMatchObject({ stale: [], removed: [] });
    for (const name of ["images/logo.jpg", "images/photo.jpg/info.json"])
      expect(readFileSync(join(out, name), "utf8")).toBe("mine");
  });

  test("goes through no link in the folder, neither to write nor to remove", async () => {
    const elsewhere = join(folder, "elsewhere");
    for (const name of ["a/1.jpg", "b/2.jpg"]) await writePhoto(name, 300, 200);
    await run();
    cpSync(join(out, "images/a"), elsewhere, { recursive: true });
    rmSync(join(out, "images/a"), { recursive: true });
    symlinkSync(elsewhere, join(out, "images/a"));
    const before = readdirSync(elsewhere, { recursive: true }).length;
    await writePhoto("a/1.jpg", 200, 300);
    expect((await run()).failures).toEqual([
      expect.objectContaining({ where: "a/1.jpg", code: "export_foreign_file" }),
    ]);
    rmSync(master("a/1.jpg"));
    const { failures } = await run({ prunes });
    expect(failures).toEqual([expect.objectContaining({ where: "a/1.jpg", code: "export_foreign_file" })]);
    expect(readdirSync(elsewhere, { recursive: true })).toHaveLength(before);
  });

  test("never removes a folder in the place of a document", async () => {
    await writePhoto("a.json/b/1.jpg", 300, 200);
    await run();
    await writePhoto("a/2.jpg", 300, 200);
    expect((await run()).failures).toEqual([expect.objectContaining({ where: "a", code: "export_name" })]);
    rmSync(master("a"), { recursive: true });
    expect(named((await run({ prunes })).removed)).toEqual(["a/2.jpg"]);
    expect(existsSync(join(out, "manifests/a.json/b.json"))).toBe(true);
  });

  test("believes no note that an export has not written", async () => {
    await writePhoto("a.jpg", 300, 200);
    await writePhoto("b.jpg", 300, 200);
    await run();
    write("images/mine/info.json");
    write(".smalti-export/aa/00.json", JSON.stringify({ identifier: "mine", version: "x", complete: true }));
    write(".smalti-export/documents.json", JSON.stringify(["../images/mine", "a//b", 1]));
    expect(await run({ prunes, replaces: true })).toMatchObject({ stale: [], removed: [], failed: 0 });
    expect(existsSync(join(out, "images/mine/info.json"))).toBe(true);
  });

  test("removes a derivative that a document names once its image needs a login", async () => {
    await writePhoto("closed/1.jpg", 600, 400);
    await writePhoto("b/2.jpg", 300, 200);
    const square = "square/90,90/0/default.jpg";
    writeFileSync(
      master("b/manifest.yaml"),
      `thumbnail: [{ id: '/iiif/3/closed%2F1.jpg/${square}', type: Image, format: image/jpeg }]`,
    );
    const path = `images/closed/1.jpg/${square}`;
    expect((await run({ selection: ["b"] })).contents.files).toContain(path);
    expect((await run({ selection: ["b"] })).contents.files).toContain(path);
    expect(existsSync(join(out, path))).toBe(true);
    const { contents, failures, leftOut } = await run({ selection: ["b"] }, gated);
    expect(contents.files).not.toContain(path);
    expect([failures, leftOut.identifiers]).toEqual([[], ["closed/1.jpg"]]);
    expect(JSON.stringify(json("manifests/b.json"))).not.toContain("closed");
    expect(named((await run({ selection: ["b"], prunes }, gated)).removed)).toEqual(["closed/1.jpg"]);
    expect(existsSync(join(out, "images/closed"))).toBe(false);
  });

  test("replaces a document that it did not write only if `replaces` is set", async () => {
    await writePhoto("a/1.jpg", 300, 200);
    await run({ selection: ["a"] });
    writeFileSync(join(out, "collection.json"), "mine");
    const { failures } = await run();
    expect(failures).toEqual([expect.objectContaining({ code: "export_foreign_file" })]);
    expect(readFileSync(join(out, "collection.json"), "utf8")).toBe("mine");
    expect(await run({ replaces: true })).toMatchObject({ failed: 0, start: ["collection.json"] });
    // It is one of the export from then on.
    expect(await run()).toMatchObject({ failed: 0, start: ["collection.json"] });
  });

  test("makes only what changed", async () => {
    await writePhoto("a.jpg");
    await writePhoto("b.jpg");
    await run();
    expect(await run()).toMatchObject({ images: 2, derivatives: 0 });
    await writePhoto("b.jpg", 500, 900);
    const again = await run();
    expect(again.derivatives).toBeGreaterThan(0);
    expect(files("images/b.jpg").some((name) => name.startsWith("512,0"))).toBe(false);
  });

  test("continues an image where the first one was interrupted", async () => {
    await writePhoto("a.jpg", 3000, 3000);
    const stop = new AbortController();
    let writes = 0;
    class Counted extends Target {
      override write(path: string, bytes: Uint8Array): Promise<void> {
        if (++writes === 10) stop.abort();
        return super.write(path, bytes);
      }
    }
    const target = new Counted(nodeFiles(), out);
    expect(await run({ target, signal: stop.signal })).toMatchObject({
      interrupted: true,
      images: 0,
    });
    expect(existsSync(join(out, "images/a.jpg/info.json"))).toBe(false);
    const before = files("images/a.jpg").length;
    const { derivatives } = await run();
    // full/max and full/3000,3000 are one derivative.
    expect(derivatives).toBe(files("images/a.jpg").length - 1 - before);
  });

  test.each([
    ["an image", /\/images\/a\/1\.jpg\/.*default\.jpg$/],
    ["a derivative that a document names", /\/square\/90,90\/0\/default\.jpg$/],
    ["a document", /\/manifests\/a\.json$/],
  ])("continues %s if the process of the first one ended after the write", async (_, last) => {
    await writePhoto("a/1.jpg", 300, 200);
    await writePhoto("b/2.jpg", 300, 200);
    writeFileSync(
      master("a/manifest.yaml"),
      "thumbnail: [{ id: '/iiif/3/b%2F2.jpg/square/90,90/0/default.jpg', type: Image, format: image/jpeg }]",
    );
    const real = nodeFiles();
    let hasEnded = false;
    const ending: typeof real = {
      ...real,
      async writeFile(path, ...rest) {
        if (!hasEnded) await real.writeFile(path, ...rest);
        hasEnded ||= last.test(path);
        if (hasEnded) throw new Error("ended");
      },
    };
    const options = { selection: ["a"], concurrency: 1 };
    await expect(run({ ...options, target: new Target(ending, out) })).rejects.toThrow("ended");
    expect(files().some((name) => last.test(`/${name}`))).toBe(true);
    await writePhoto("a/3.jpg", 300, 200);
    expect(await run(options)).toMatchObject({ failures: [] });
    expect(json("manifests/a.json").items).toHaveLength(2);
  });

  test("removes unfinished files of the first one with the folders that contain them", async () => {
    const unfinished = ".12-3-0b6ac1f4-5d0e-4a53-9d3c-2f7f5f1f7a10.tmp";
    for (const name of ["a.jpg", "old/c.jpg"]) await writePhoto(name, 300, 200);
    await run({ selection: ["old/c.jpg"] });
    await run();
    rmSync(master("old"), { recursive: true });
    const inOld = ["images/old", "images/old/c.jpg", "images/old/c.jpg/full/200,/0", "manifests/old"];
    for (const path of inOld) write(`${path}/${unfinished}`);
    await run({ prunes });
    expect(["images", "manifests"].map((name) => readdirSync(join(out, name)))).toEqual([
      ["a.jpg"],
      ["_images.json"],
    ]);
    const image = ["images/a.jpg", "images/a.jpg/full/max/0", "images/a.jpg/square/9,9/0"];
    for (const path of image) write(`${path}/${unfinished}`);
    const target = new Target(nodeFiles(), out);
    const whole: string[] = [];
    for await (const path of target.filesOf("images/a.jpg")) whole.push(path);
    expect(whole.filter((path) => path.endsWith(".tmp"))).toEqual([]);
    for (const path of [".", "images", "manifests", ".smalti-export", ".smalti-export/zz"])
      write(`${path}/${unfinished}`);
    // Neither of these was written by an export.
    write("images/a.jpg/full/max/0/.mine.tmp");
    symlinkSync(master("a.jpg"), join(out, "images/a.jpg", unfinished.replace("12", "13")));
    await target.clear();
    expect(readdirSync(join(out, "images/a.jpg"), { recursive: true }).sort()).toEqual([
      unfinished.replace("12", "13"),
      "full",
      "full/max",
      "full/max/0",
      "full/max/0/.mine.tmp",
    ]);
    expect(existsSync(join(out, ".smalti-export"))).toBe(false);
    rmSync(join(out, "images/a.jpg"), { recursive: true });
    await target.clear();
    expect(existsSync(out)).toBe(false);
  });
});
