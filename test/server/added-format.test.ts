// A format that is only written, added by one row of the table: everything that names formats knows it.
// @module-tag slow

import { readFile } from "node:fs/promises";
import { join } from "node:path";
import { fileURLToPath, pathToFileURL } from "node:url";
import { build } from "esbuild";
import sharp from "sharp";
import { beforeAll, expect, test } from "vitest";

const root = fileURLToPath(new URL("../../", import.meta.url));
const table = join(root, "src/imaging/codecs/formats.ts");
const example = join(root, "test/imaging/codecs/example-format.ts");

/** What the program with the added row exports. */
interface Program {
  readonly served: typeof import("../served.ts").served;
  readonly refuseOtherExtension: typeof import("../../src/cli/commands/output-extension.ts").refuseOtherExtension;
}

/** Builds the program with an import and a row more than the table has, and loads it. */
async function withRow(): Promise<Program> {
  const outfile = join(root, "node_modules/.cache/added-format", `${process.pid}.mjs`);
  await build({
    stdin: {
      contents: `
        export { served } from "./test/served.ts";
        export { refuseOtherExtension } from "./src/cli/commands/output-extension.ts";`,
      resolveDir: root,
    },
    outfile,
    absWorkingDir: root,
    bundle: true,
    packages: "external",
    format: "esm",
    platform: "node",
    target: "node20",
    jsx: "automatic",
    jsxImportSource: "hono/jsx",
    plugins: [
      {
        name: "row",
        setup({ onLoad }) {
          onLoad({ filter: /\.tsx?$/ }, async ({ path }) => {
            const source = await readFile(path, "utf8");
            const text = path === table ? withExample(source) : source;
            const address = JSON.stringify(pathToFileURL(path).href);
            return {
              contents: text.replaceAll("import.meta.url", address),
              loader: path.endsWith("x") ? "tsx" : "ts",
            };
          });
        },
      },
    ],
  });
  return import(/* @vite-ignore */ pathToFileURL(outfile).href);
}

function withExample(source: string): string {
  const row = /^(const rows = \{.*) \};$/m;
  expect(source).toMatch(row);
  return `import { ppm } from ${JSON.stringify(example)};\n${source.replace(row, "$1, ppm };")}`;
}

let program: Program;
beforeAll(async () => {
  program = await withRow();
});

test("it is served with its media type, flattened and in the bytes of its encoder", async () => {
  const app = await program.served();
  const response = await app.get("/iiif/3/base.png/10,20,40,30/max/0/default.ppm");
  expect(response.status).toBe(200);
  expect(response.headers.get("Content-Type")).toBe("image/x-portable-pixmap");
  const bytes = new Uint8Array(await response.arrayBuffer());
  const png = await app.get("/iiif/3/base.png/10,20,40,30/max/0/default.png");
  const pixels = await sharp(new Uint8Array(await png.arrayBuffer()))
    .removeAlpha()
    .raw()
    .toBuffer();
  expect(new TextDecoder().decode(bytes.subarray(0, 13))).toBe("P6 40 30 255\n");
  expect(Buffer.compare(bytes.subarray(13), pixels)).toBe(0);
});

test("image information of both versions lists it", async () => {
  const app = await program.served();
  const three = await (await app.get("/iiif/3/base.png/info.json")).json();
  expect(three).toMatchObject({ extraFormats: ["png", "tif", "webp", "ppm"] });
  const two = await (await app.get("/iiif/2/base.png/info.json")).json();
  expect(two).toMatchObject({ profile: [{}, { formats: ["jpg", "png", "tif", "webp", "ppm"] }] });
});

test("errors name it, and its limit of size holds", async () => {
  const app = await program.served();
  const unknown = await (await app.get("/iiif/3/base.png/full/max/0/default.bmp")).json();
  expect(unknown).toMatchObject({ code: "invalid_format", detail: expect.stringContaining("; jp2 or ppm") });
  const large = await (await app.get("/iiif/3/base.png/full/301,10/0/default.ppm")).json();
  expect(large).toMatchObject({ code: "format_limit" });
});

test("models can ask for it", async () => {
  const app = await program.served("mcp: { enabled: true, allowed_hosts: [images.test] }");
  const response = await app.get("/mcp", {
    method: "POST",
    headers: { "Content-Type": "application/json", Accept: "application/json, text/event-stream" },
    body: JSON.stringify({ jsonrpc: "2.0", id: 1, method: "tools/list" }),
  });
  expect(await response.text()).toContain('"enum":["jpg","png","webp","ppm"]');
});

test("masters of it are refused as unknown, since it is only written", async () => {
  const files = { name: "m", type: "filesystem", root: join(root, "test/imaging/codecs") };
  const app = await program.served(`sources: [${JSON.stringify(files)}]`);
  const refused = await (await app.get("/iiif/3/example-format.ts/info.json")).json();
  expect(refused).toMatchObject({
    detail: expect.stringContaining(
      "not a JPEG, PNG, TIFF, WebP, GIF, JPEG 2000, AVIF, JPEG XL or PDF image",
    ),
  });
});

test("the command line knows its extensions", () => {
  const refuse = () => program.refuseOtherExtension("a.pnm", "png", "full/max/0/default.png");
  expect(refuse).toThrow("request full/max/0/default.ppm");
  program.refuseOtherExtension("a.pnm", "ppm", "full/max/0/default.ppm");
});
