// Images in an archive on a web server: each runtime reads ranges and inflates in its own way.

import { mkdtempSync, rmSync, writeFileSync } from "node:fs";
import { tmpdir } from "node:os";
import { join } from "node:path";
import { afterAll, beforeAll, describe, expect, it } from "vitest";
import { fixture } from "../host.ts";
import { writeZip } from "../server/sources/archive/written-zip.ts";
import { masterOf, type Origin, startOrigin } from "../servers/origin.ts";
import { runtimesFor } from "./selection.ts";
import { startServer } from "./server.ts";

const image = fixture("jpg-baseline-420.jpg");
const archive = writeZip([
  { name: "stored.jpg", data: image },
  { name: "deflated.jpg", data: image, deflated: true },
]);

let origin: Origin;
let folder: string;
beforeAll(async () => {
  folder = mkdtempSync(join(tmpdir(), "smalti-runtime-archives-"));
  writeFileSync(join(folder, "scans.zip"), archive);
  origin = await startOrigin({ "a.jpg": masterOf(image), "scans.zip": masterOf(archive) });
});
afterAll(async () => {
  await origin.close();
  rmSync(folder, { recursive: true });
});

describe.each(runtimesFor("archives"))("smalti on $name, with an archive", (runtime) => {
  // The disk of workerd is that of its configuration.
  const hasFolders = runtime.name !== "workerd";

  it("serves images in it as those outside of it", async () => {
    const server = await startServer(runtime, {
      sources: [
        `{ name: web, type: http, prefix: web/, url: "${origin.url}/{identifier}", allow_private: true }`,
        ...(hasFolders ? [`{ name: files, type: filesystem, prefix: files/, root: ${folder} }`] : []),
      ],
    });
    try {
      const get = async (name: string, request: string) => {
        const response = await fetch(`${server.url}/iiif/3/${encodeURIComponent(name)}/${request}`);
        return { status: response.status, bytes: Buffer.from(await response.arrayBuffer()) };
      };
      const members = (hasFolders ? ["web", "files"] : ["web"]).flatMap((source) =>
        ["stored.jpg", "deflated.jpg"].map((member) => [source, member] as const),
      );
      for (const request of ["0,0,256,256/256,/0/default.jpg", "full/200,/0/default.png"]) {
        const wanted = await get("web/a.jpg", request);
        expect(wanted.status).toBe(200);
        for (const [source, member] of members) {
          const name = `${source}/scans.zip/${member}`;
          const found = await get(name, request);
          expect([found.status, Buffer.compare(found.bytes, wanted.bytes)], name).toEqual([200, 0]);
        }
      }
      expect((await get("web/scans.zip/none.jpg", "info.json")).status).toBe(404);
      const manifest = await fetch(`${server.url}/iiif/presentation/3/web/scans.zip`);
      expect((await manifest.json()).items.length).toBe(2);
    } finally {
      await server.close();
    }
  });
});
