// The masters of a manifest as one ZIP.

import { BlobReader, Uint8ArrayWriter, ZipReader } from "@zip.js/zip.js";
import { afterAll, afterEach, beforeAll, beforeEach, describe, expect, test } from "vitest";
import { fixture } from "../../../host.ts";
import { type Served, served } from "../../../served.ts";
import { authSection, type Gated, gated, pictures } from "../access/gated.ts";
import { type Laid, layFolder } from "../presentation/folder.ts";
import { type Json, json } from "../presentation/walk.ts";

const root = "/iiif/presentation/3";
const base = "http://images.test";
const zip = (id: string) => `/iiif/download/zip/${id}`;
const on = "presentation: { download: { zip: on } }\n";

const bytesOf = async (response: Response) => new Uint8Array(await response.arrayBuffer());

/** Returns the files in an archive by their names. */
async function filesIn(bytes: Uint8Array<ArrayBuffer>): Promise<Map<string, Uint8Array>> {
  const files = new Map<string, Uint8Array>();
  for (const entry of await new ZipReader(new BlobReader(new Blob([bytes]))).getEntries())
    if (!entry.directory)
      files.set(entry.filename, await entry.getData(new Uint8ArrayWriter(), { checkSignature: true }));
  return files;
}

describe("the ZIP of a folder", () => {
  let laid: Laid;
  let app: Served;
  beforeEach(async () => {
    laid = await layFolder();
    await laid.put("book/1.jpg", "jpg-exif-xmp-iptc-gps.jpg");
    await laid.put("book/2.png", "base.png");
  });
  afterEach(() => laid.drop());
  const open = async (more = on) => {
    app = await served(laid.yaml() + more);
  };

  test("has the files as they are, under numbers and labels that any system takes", async () => {
    await laid.put("book/3.jpg", "jpg-gray.jpg");
    await laid.write(
      "book/manifest.yaml",
      `label: "../A/b: c"\ncanvases: { "1.jpg": "../../é?.JPG", "2.png": "2.png", "3.jpg": "" }\n`,
    );
    await open();
    const { rendering } = await json(app, `${root}/book`);
    expect(rendering.map(({ id, type, format }: Json) => [id, type, format])).toEqual([
      [`${base}/iiif/download/pdf/book`, "Text", "application/pdf"],
      [base + zip("book"), "Dataset", "application/zip"],
    ]);
    const response = await app.get(zip("book"));
    expect(response.headers.get("Content-Type")).toBe("application/zip");
    expect(response.headers.get("Content-Disposition")).toMatch(/^attachment; filename="_ A b c\.zip"/);
    const bytes = await bytesOf(response);
    expect(response.headers.get("Content-Length")).toBe(String(bytes.length));
    const files = await filesIn(bytes);
    expect([...files.keys()]).toEqual(["_ A b c/1 _ .. é.jpg", "_ A b c/2 2.png", "_ A b c/3 3.jpg"]);
    expect([...files.values()]).toEqual(
      ["jpg-exif-xmp-iptc-gps.jpg", "base.png", "jpg-gray.jpg"].map((name) => fixture(name)),
    );
  });

  test("has a file with several pages once, and can be continued from any byte", async () => {
    await laid.put("book/0.tif", "tif-multipage-3sizes.tif");
    await open();
    expect((await json(app, `${root}/book`)).items).toHaveLength(5);
    const whole = await app.get(zip("book"));
    const etag = whole.headers.get("ETag") as string;
    const bytes = await bytesOf(whole);
    expect([...(await filesIn(bytes)).keys()]).toEqual(["book/1 0.tif", "book/4 1.jpg", "book/5 2.png"]);
    const from = bytes.length - 5000;
    const headers = { Range: `bytes=${from}-`, "If-Range": etag };
    const rest = await app.get(zip("book"), { headers });
    expect([rest.status, await bytesOf(rest)]).toEqual([206, bytes.subarray(from)]);
  });

  test("is sent in parts from its middle, and ends quietly if its client leaves", async () => {
    await open();
    const bytes = await bytesOf(await app.get(zip("book")));
    const [from, to] = [1000, Math.floor(bytes.length / 2)];
    const part = await app.get(zip("book"), { headers: { Range: `bytes=${from}-${to}` } });
    expect([part.status, await bytesOf(part)]).toEqual([206, bytes.subarray(from, to + 1)]);
    const left = (await app.get(zip("book"))).body!.getReader();
    await left.read();
    await expect(left.cancel()).resolves.toBeUndefined();
  });

  test("is offered only if it is turned on, and only up to its size", async () => {
    await open("");
    expect((await json(app, `${root}/book`)).rendering).toHaveLength(1);
    expect((await app.get(zip("book"))).status).toBe(404);
    // Three pages of one file count once.
    await laid.put("pages/0.tif", "tif-multipage-3sizes.tif");
    const { length } = fixture("tif-multipage-3sizes.tif");
    await open(`presentation: { download: { zip: on, max_size: ${length} } }\n`);
    expect((await app.get(zip("pages"))).status).toBe(200);
    await open("presentation: { download: { zip: on, max_size: 1KiB } }\n");
    const large = await app.get(zip("book"));
    expect([large.status, ((await large.json()) as Json).code]).toEqual([400, "download_too_large"]);
  });
});

describe("the ZIP of gated images", () => {
  let site: Gated;
  beforeAll(async () => {
    site = await gated({ folder: await pictures(), more: on });
  });
  afterAll(() => site.close());

  test("has the files that its reader may see as a whole, and none of a substitute", async () => {
    const names = async (id: string, headers: Record<string, string> = {}) => {
      const response = await site.app.get(zip(id), { headers });
      return response.ok ? [...(await filesIn(await bytesOf(response))).keys()] : response.status;
    };
    const inside = (...own: string[]) => own.map((name) => `_images/${name}`.replace("_images", label));
    const { label: named } = await json(site.app, `${root}/_images`);
    const label = named.none[0];
    expect(await names("_images")).toEqual(inside("1 blue.png", "2 public.png"));
    const Cookie = await site.cookie("terms");
    expect(await names("_images", { Cookie })).toEqual(inside("1 blue.png", "2 public.png", "3 terms.png"));
    expect(await names("terms.png")).toBe(404);
    expect(await names("private")).toBe(401);
  });
});

describe("a file with several pages", () => {
  let laid: Laid;
  beforeEach(async () => {
    laid = await layFolder();
    await laid.put("book/0.jpg", "jpg-gray.jpg");
    await laid.put("book/1.tif", "tif-multipage-3sizes.tif");
  });
  afterEach(() => laid.drop());
  const namesIn = async (more: string, id = "book") => {
    const app = await served(laid.yaml() + on + more);
    const response = await app.get(zip(id));
    return response.ok ? [...(await filesIn(await bytesOf(response))).keys()] : response.status;
  };
  const gatedPage = (page: number) =>
    `auth:${authSection.replace("rules:", `rules:\n    - { match: "book/1.tif;${page}", profile: staff }`)}`;
  const scaledPage = (page: number) => gatedPage(page).replace("profile: staff }", "profile: terms }");

  test("is in a ZIP only for readers who may see all of its pages", async () => {
    expect(await namesIn("")).toEqual(["book/1 0.jpg", "book/2 1.tif"]);
    for (const page of [1, 2, 3])
      for (const rules of [gatedPage(page), scaledPage(page)])
        expect(await namesIn(rules), rules).toEqual(["book/1 0.jpg"]);
    for (const id of ["book/1.tif", "book/1.tif;1"]) expect(await namesIn(gatedPage(3), id)).toBe(401);
  });

  test("is in a ZIP only if derivatives may show each of its pages in full", async () => {
    // Its pages are 100, 150 and 200 pixels high.
    const limit = (height: number) => `image: { max_output_height: ${height} }\n`;
    for (const id of ["book/1.tif", "book/1.tif;1"]) {
      expect(await namesIn(limit(200), id)).toHaveLength(1);
      expect(await namesIn(limit(199), id)).toBe(404);
    }
  });
});
