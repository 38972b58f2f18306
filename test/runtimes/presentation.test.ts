// Manifests and collections on every runtime: listings, manifest files, and long documents that are streamed.

import { linkSync, mkdirSync, writeFileSync } from "node:fs";
import { join } from "node:path";
import { afterAll, beforeAll, describe, expect, it } from "vitest";
import { fixture } from "../host.ts";
import { runtimesFor } from "./selection.ts";
import { type Started, startServer } from "./server.ts";

const images = 2040;

// biome-ignore lint/suspicious/noExplicitAny: documents are read by any path.
type Json = any;

describe.each(runtimesFor("presentation"))("smalti on $name, with folders of images", (runtime) => {
  let server: Started;
  beforeAll(async () => {
    const arrange = (folder: string) => {
      for (const name of ["book", "many", "scans"]) mkdirSync(join(folder, name));
      for (const name of ["1.jpg", "2.jpg"])
        writeFileSync(join(folder, "scans", name), fixture("jpg-gray.jpg"));
      for (const name of ["10.png", "9.png"]) linkSync(join(folder, "base.png"), join(folder, "book", name));
      writeFileSync(join(folder, "book/manifest.yaml"), "label: { de: Buch }\ncanvases: { 9: Neun }\n");
      for (let n = 1; n <= images; n++) linkSync(join(folder, "base.png"), join(folder, `many/${n}.png`));
    };
    server = await startServer(runtime, { arrange });
  });
  afterAll(() => server?.close());

  const get = (path: string, headers = {}) => fetch(`${server.url}${path}`, { headers });
  const json = async (path: string): Promise<Json> => {
    const response = await get(path);
    expect([path, response.status]).toEqual([path, 200]);
    return response.json();
  };

  it("lists the folders of the root", async () => {
    const { type, items } = await json("/iiif/presentation/3");
    expect(type).toBe("Collection");
    const ids = items.map(({ id }: Json) => id);
    for (const name of ["book", "many", "deep"])
      expect(ids).toContain(`${server.url}/iiif/presentation/3/${name}`);
  });

  it("makes a manifest of a folder in natural order, as its manifest file has it, in both versions", async () => {
    const manifest = await json("/iiif/presentation/3/book");
    expect(manifest.label).toEqual({ de: ["Buch"] });
    expect(manifest.items.map(({ label }: Json) => label.none[0])).toEqual(["Neun", "10.png"]);
    expect(manifest.items[0]).toMatchObject({ width: 600, height: 400 });
    const older = await json("/iiif/presentation/2/book");
    expect(older.sequences[0].canvases.map(({ label }: Json) => label)).toEqual(["Neun", "10.png"]);
    const canvas = await json("/iiif/presentation/3/book/canvas/1");
    expect(canvas).toMatchObject({ id: manifest.items[0].id, type: "Canvas" });
  });

  it("responds to a conditional request without a body", async () => {
    const first = await get("/iiif/presentation/3/book");
    await first.arrayBuffer();
    const etag = first.headers.get("ETag") ?? "";
    const again = await get("/iiif/presentation/3/book", { "If-None-Match": etag });
    expect([again.status, await again.text()]).toEqual([304, ""]);
  });

  it("streams a long manifest whole", async () => {
    for (const time of ["cold", "warm"]) {
      const { items } = await json("/iiif/presentation/3/many");
      expect([time, items.length, items.at(-1).label.none[0]]).toEqual([time, images, `${images}.png`]);
    }
  });

  it.each(["book", "scans"])("sends the folder %s as one PDF, rendered or as it is", async (name) => {
    const text = new TextDecoder("latin1");
    const whole = await get(`/iiif/download/pdf/${name}`);
    const bytes = new Uint8Array(await whole.arrayBuffer());
    expect(text.decode(bytes.subarray(0, 8))).toBe("%PDF-1.7");
    expect(text.decode(bytes).match(/\/Type \/Page /g)).toHaveLength(2);
    expect(text.decode(bytes.subarray(-6))).toBe("%%EOF\n");
    const headers = { Range: "bytes=-6", "If-Range": whole.headers.get("ETag") ?? "" };
    const end = await get(`/iiif/download/pdf/${name}`, headers);
    expect(end.status).toBe(name === "scans" ? 206 : 200);
    expect((await end.text()).slice(-6)).toBe("%%EOF\n");
  });

  it("has nothing at the address of MCP, which is not enabled", async () => {
    const response = await fetch(`${server.url}/mcp`, { method: "POST", body: "{}" });
    await response.arrayBuffer();
    expect(response.status).toBe(404);
  });
});
