// Archives as folders, over all surfaces: a folder and an archive of the same files have the same responses,
// except for the name.

import { execFileSync } from "node:child_process";
import { rmSync, writeFileSync } from "node:fs";
import { join } from "node:path";
import { afterAll, beforeAll, describe, expect, test } from "vitest";
import { fixture } from "../../host.ts";
import { pdfFile, type Scan, scanObjects } from "../../imaging/codecs/pdf/pdf-file.ts";
import { type Served, served } from "../../served.ts";
import { type Laid, layFolder } from "./presentation/folder.ts";

const alto = `<?xml version="1.0"?><alto xmlns="http://www.loc.gov/standards/alto/ns-v3#"><Layout><Page WIDTH="600" HEIGHT="400"><PrintSpace><TextBlock><TextLine HPOS="100" VPOS="200" WIDTH="300" HEIGHT="40"><String CONTENT="Zusammen" HPOS="100" VPOS="200" WIDTH="140" HEIGHT="40"/></TextLine></TextBlock></PrintSpace></Page></Layout></alto>`;

/** A page of a PDF that is one JPEG: a file within a file within an archive. */
const scan: Scan = { image: fixture("jpg-baseline-420.jpg"), width: 600, height: 400 };

let laid: Laid;
let app: Served;

beforeAll(async () => {
  laid = await layFolder();
  const book = async (folder: string) => {
    await laid.put(`${folder}/page 1.jpg`, "jpg-gray.jpg");
    await laid.put(`${folder}/page 2.jp2`, "jp2-tiled-128.jp2");
    await laid.put(`${folder}/page 3.tif`, "tif-multipage-3sizes.tif");
    writeFileSync(join(laid.root, folder, "scan.pdf"), pdfFile(scanObjects([scan, scan])));
    await laid.write(`${folder}/page 1.xml`, alto);
    await laid.write(`${folder}/manifest.yaml`, "label: A book\nmetadata: [{ label: Shelf, value: MS 4 }]\n");
  };
  await book("loose");
  await book("stored");
  await book("packed");
  for (const [folder, option] of [
    ["stored", "-0"],
    ["packed", "-9"],
  ] as const) {
    const cwd = join(laid.root, folder);
    execFileSync("zip", ["-q", "-r", option, `${cwd}.zip`, "."], { cwd });
    rmSync(cwd, { recursive: true });
  }
  app = await served(laid.yaml());
});
afterAll(() => laid.drop());

const archives = ["stored.zip", "packed.zip"];

/** Returns a response without what names the folder, and what depends on the time of a file. */
async function responseOf(target: string, folder: string) {
  const response = await app.get(target.replaceAll("{folder}", folder));
  const type = response.headers.get("content-type");
  const bytes = Buffer.from(await response.arrayBuffer());
  const text = /^(image\/(?!svg)|application\/zip)/.test(type ?? "") ? undefined : bytes.toString();
  return {
    status: response.status,
    type,
    body: text?.replaceAll(folder, "{folder}") ?? bytes.toString("hex"),
  };
}

describe("an archive", () => {
  test.each([
    "/iiif/3/{folder}%2Fpage%201.jpg/info.json",
    "/iiif/3/{folder}%2Fpage%201.jpg/0,0,256,256/256,/0/default.jpg",
    "/iiif/3/{folder}%2Fpage%201.jpg/full/max/0/default.jpg",
    "/iiif/3/{folder}%2Fpage%201.jpg/full/200,/90/gray.png",
    "/iiif/3/{folder}%2Fpage%202.jp2/info.json",
    "/iiif/3/{folder}%2Fpage%202.jp2/128,128,100,100/50,/0/default.png",
    "/iiif/3/{folder}%2Fpage%203.tif/info.json",
    "/iiif/3/{folder}%2Fpage%203.tif;2/full/100,/0/default.png",
    "/iiif/3/{folder}%2Fscan.pdf;2/info.json",
    "/iiif/3/{folder}%2Fscan.pdf;2/0,0,256,256/max/0/default.jpg",
    "/iiif/2/{folder}%2Fpage%202.jp2/full/full/0/default.jpg",
    "/iiif/3/{folder}%2Fpage%204.jpg/info.json",
    "/iiif/presentation/3/{folder}",
    "/iiif/presentation/2/{folder}",
    "/iiif/presentation/3/{folder}/page%202.jp2",
    "/iiif/presentation/3/{folder}/canvas/1",
    "/iiif/presentation/3/{folder}/canvas/1/lines",
    "/iiif/presentation/3/{folder}/canvas/1/text",
    "/iiif/presentation/3/{folder}/none",
    "/iiif/search/2/presentation/3/{folder}?q=Zusammen",
    "/view/{folder}",
    "/view/{folder}%2Fpage%201.jpg",
    "/?in={folder}",
    "/?in={folder}&q=Zusammen",
    "/?in={folder}&q=page",
  ])("has the same response as a folder of the same files: %s", async (target) => {
    const wanted = await responseOf(target, "loose");
    if (!target.includes("none") && !target.includes("4.jpg")) expect(wanted.status).toBe(200);
    for (const folder of archives) expect(await responseOf(target, folder), folder).toEqual(wanted);
  });

  test("is a member of the collection of its folder, with its label and thumbnail", async () => {
    const root = (await (await app.get("/iiif/presentation/3")).json()) as {
      items: readonly { type: string; label: unknown; thumbnail?: unknown }[];
    };
    const members = root.items.map(({ type, label, thumbnail }) => [type, label, thumbnail !== undefined]);
    expect(members).toEqual(Array.from({ length: 3 }, () => ["Manifest", { none: ["A book"] }, true]));
  });

  test("that is damaged is not found as an image, says why as a folder, and hides nothing else", async () => {
    writeFileSync(join(laid.root, "broken.zip"), "no archive");
    try {
      const image = await app.get("/iiif/3/broken.zip%2Fa.jpg/info.json");
      expect([image.status, (await image.json()).code]).toEqual([500, "archive_damaged"]);
      const folder = await app.get("/iiif/presentation/3/broken.zip");
      expect([folder.status, (await folder.json()).code]).toEqual([500, "archive_damaged"]);
      expect((await app.get("/iiif/presentation/3")).status).toBe(200);
      expect((await app.get("/?q=book")).status).toBe(200);
      expect((await app.get("/")).status).toBe(200);
    } finally {
      rmSync(join(laid.root, "broken.zip"));
    }
  });

  test("is nothing with archives: false", async () => {
    const off = await served(laid.yaml("revalidate: 0s, archives: false"));
    for (const target of ["/iiif/3/stored.zip%2Fpage%201.jpg/info.json", "/iiif/presentation/3/stored.zip"])
      expect((await off.get(target)).status, target).toBe(404);
    const root = await (await off.get("/iiif/presentation/3")).json();
    expect(root.items.length).toBe(1);
  });
});
