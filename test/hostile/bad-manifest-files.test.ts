// A folder with a manifest file that costs much or cannot be read stays where it is, and is reported once.

import { readFile } from "node:fs/promises";
import { createServer, type Server } from "node:http";
import { join, normalize } from "node:path";
import { afterEach, beforeEach, describe, expect, test } from "vitest";
import { type Log, silentLog } from "../../src/base/telemetry/log.ts";
import { type Served, served } from "../served.ts";
import { type Laid, layFolder } from "../server/api/presentation/folder.ts";
import { fill, filled } from "./texts.ts";

let laid: Laid;
let reports: string[];
let log: Log;
let server: Server | undefined;

beforeEach(async () => {
  laid = await layFolder();
  for (const name of ["good/1.jpg", "bad/1.jpg", "bad/2.jpg"]) await laid.put(name, "jpg-gray.jpg");
  reports = [];
  const note = (message: string, fields?: Readonly<Record<string, unknown>>) => {
    if (message.startsWith("a manifest file")) reports.push(String(fields?.fault));
  };
  log = { ...silentLog, warn: note, error: note };
});

afterEach(async () => {
  await laid.drop();
  server?.close();
  server = undefined;
});

const files = {
  "deep YAML": ["manifest.yaml", "[".repeat(100_000), "64 levels"],
  "YAML of many keys": ["manifest.yaml", filled((n) => `k${n}: v\n`), "words and signs"],
  "YAML that is malformed": ["manifest.yaml", "label: [", "line "],
  "deep JSON": ["manifest.json", fill('{"a":'), "64 levels"],
} as const;

async function twice(app: Served, target: string): Promise<string> {
  const [first, second] = [await app.get(target), await app.get(target)];
  expect([first.status, second.status], target).toEqual([200, 200]);
  return second.text();
}

describe.each(Object.entries(files))("%s", (_, [name, text, fault]) => {
  test("in a folder on a disk: the folder is listed with its images, and reported once", async () => {
    await laid.write(`bad/${name}`, text);
    const app = await served(`base_url: http://a.test\n${laid.yaml("revalidate: 0s")}`, {}, { log });
    for (const target of ["/iiif/presentation/3", "/", "/view", "/iiif/presentation/2"]) {
      const body = await twice(app, target);
      expect(body, target).toContain("bad");
      expect(body, target).toContain("good");
    }
    const manifest = JSON.parse(await twice(app, "/iiif/presentation/3/bad"));
    expect(manifest).toMatchObject({ type: "Manifest", label: { none: ["bad"] } });
    expect(manifest.items).toHaveLength(2);
    expect(await twice(app, "/view/bad")).toContain("bad");
    expect(reports).toEqual([expect.stringContaining(fault)]);
  });

  test("on a web server: others are unaffected, and it is reported once", async () => {
    await laid.write(`bad/${name}`, text);
    server = createServer(async ({ url = "" }, response) => {
      const bytes = await readFile(join(laid.root, normalize(decodeURIComponent(url)))).catch(
        () => undefined,
      );
      response.statusCode = bytes ? 200 : 404;
      response.end(bytes);
    });
    await new Promise<void>((resolve) => server?.listen(0, "127.0.0.1", resolve));
    const { port } = server.address() as { port: number };
    const app = await served(
      `sources: [{ name: web, type: http, url: "http://127.0.0.1:${port}/{identifier}", allow_private: true, revalidate: 0s }]`,
      {},
      { log },
    );
    for (let visit = 0; visit < 2; visit++) {
      const response = await app.get("/iiif/presentation/3/bad");
      expect(response.status).toBe(500);
      expect(await response.json()).toMatchObject({
        code: "unusable_manifest_file",
        detail: expect.stringContaining(fault),
      });
    }
    for (const target of ["/", "/iiif/presentation/3/bad/1.jpg", "/iiif/presentation/3/good/1.jpg"])
      await twice(app, target);
    expect(reports).toEqual([expect.stringContaining(fault)]);
  });
});
