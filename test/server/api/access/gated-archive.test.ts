// A rule for an archive covers all that is in it, on every surface, as one for a folder of that name does.

import { writeFileSync } from "node:fs";
import { join } from "node:path";
import { afterAll, beforeAll, describe, expect, test } from "vitest";
import { fixture } from "../../../host.ts";
import { type Served, served } from "../../../served.ts";
import { writeZip } from "../../sources/archive/written-zip.ts";
import { type Laid, layFolder } from "../presentation/folder.ts";

const alto = `<?xml version="1.0"?><alto xmlns="http://www.loc.gov/standards/alto/ns-v3#"><Layout><Page WIDTH="600" HEIGHT="400"><PrintSpace><TextBlock><TextLine HPOS="100" VPOS="200" WIDTH="300" HEIGHT="40"><String CONTENT="Verborgen" HPOS="100" VPOS="200" WIDTH="140" HEIGHT="40"/></TextLine></TextBlock></PrintSpace></Page></Layout></alto>`;

/** Requests of what is in the archive, each of which a reader without a login is refused. */
const refused = [
  "/iiif/3/g%2Fbox.zip%2Fa.jpg/full/max/0/default.jpg",
  "/iiif/2/g%2Fbox.zip%2Fa.jpg/full/full/0/default.jpg",
  "/iiif/3/g%2Fbox.zip%2Fa.jpg;1/full/max/0/default.jpg",
  "/iiif/3/g/box.zip/a.jpg/full/max/0/default.jpg",
  "/iiif/3/g%2Fbox.zip%2Fa.jpg/info.json",
  "/iiif/2/g%2Fbox.zip%2Fa.jpg/info.json",
];

const documents = [
  "/iiif/download/zip/g/box.zip",
  "/iiif/download/pdf/g/box.zip",
  "/iiif/search/2/presentation/3/g/box.zip?q=verborgen",
  "/iiif/auth/probe/g%2Fbox.zip%2Fa.jpg",
  "/iiif/presentation/3/g",
  "/iiif/presentation/3/g/box.zip",
  "/iiif/presentation/2/g/box.zip",
  "/iiif/presentation/3/g/box.zip/a.jpg",
  "/iiif/presentation/3/g/box.zip/canvas/1/lines",
  "/view/g/box.zip",
  "/?q=box",
  "/",
];

let laid: Laid;
beforeAll(async () => {
  laid = await layFolder();
  await laid.put("open.jpg", "jpg-gray.jpg");
  await laid.put("g/open/1.jpg", "jpg-gray.jpg");
  const members = [
    { name: "a.jpg", data: fixture("jpg-gray.jpg") },
    { name: "a.xml", data: new TextEncoder().encode(alto) },
  ];
  writeFileSync(join(laid.root, "g", "box.zip"), writeZip(members));
});
afterAll(() => laid.drop());

const gatedBy = (match: string, archives: boolean): Promise<Served> =>
  served(`base_url: https://images.example.org
sources: [{ name: a, type: filesystem, root: ${JSON.stringify(laid.root)}, archives: ${archives} }]
presentation: { download: { zip: on } }
auth:
  profiles:
    staff: { pattern: clickthrough, access_service: { backend: builtin } }
  rules: [{ match: ${JSON.stringify(match)}, profile: staff }]
`);

/** Returns a response without what differs from service to service. */
async function responseOf(app: Served, target: string) {
  const response = await app.get(target);
  const text = await response.text();
  return [response.status, text.replace(/"requestId":"[^"]*"/g, "").replace(/nonce[-=]"?[^"' ]+/g, "")];
}

describe.each([true, false])("with archives: %s", (archives) => {
  let archive: Served;
  let folder: Served;
  beforeAll(async () => {
    [archive, folder] = await Promise.all([gatedBy("g/box.zip", archives), gatedBy("g/box.zip/*", archives)]);
  });
  afterAll(() => Promise.all([archive.service.close(), folder.service.close()]));

  test.each(refused)("%s is refused", async (target) => {
    const isMissing = !archives && target.endsWith("/info.json");
    expect((await archive.get(target)).status).toBe(isMissing ? 404 : 401);
  });

  test.each([...refused, ...documents])("%s is as by a rule for all below it", async (target) => {
    expect(await responseOf(archive, target)).toEqual(await responseOf(folder, target));
  });

  test("no text of it is found", async () => {
    for (const target of documents)
      expect((await responseOf(archive, target))[1], target).not.toContain("Verborgen");
  });

  test("no reader without a login downloads it", async () => {
    for (const target of documents.filter((each) => each.includes("/download/")))
      expect((await archive.get(target)).status, target).toBe(archives ? 401 : 404);
  });
});
