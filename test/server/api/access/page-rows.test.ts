// Rules and rows of a table that name a page: which images they protect, by all names of these
// (docs/concepts/authorization.md, "Rules"; docs/concepts/hooks.md, "Map identifiers with a file").

import { copyFileSync, mkdtempSync, rmSync, writeFileSync } from "node:fs";
import { tmpdir } from "node:os";
import { join } from "node:path";
import sharp from "sharp";
import { afterAll, beforeAll, describe, expect, test } from "vitest";
import { checkAll } from "../../../../src/cli/commands/check.ts";
import { loadConfig } from "../../../../src/server/config/reading/load.ts";
import { fixturesFolder } from "../../../host.ts";
import { type Served, served } from "../../../served.ts";

/** A TIFF of three pages, which differ in size. */
const paged = "multi.tif";

let folder: string;
const open: Served[] = [];
beforeAll(async () => {
  folder = mkdtempSync(join(tmpdir(), "smalti-rows-"));
  const raw = (level: number) => ({
    input: Buffer.alloc(30 * 20, level),
    raw: { width: 30, height: 20, channels: 1 as const },
  });
  const pages = await Promise.all(
    [0, 128, 255].map((level) =>
      sharp(raw(level).input, { raw: raw(level).raw })
        .png()
        .toBuffer(),
    ),
  );
  await sharp(pages, { join: { animated: true } })
    .tiff()
    .toFile(join(folder, paged));
  copyFileSync(join(fixturesFolder, "base.png"), join(folder, "single.png"));
});
afterAll(async () => {
  for (const app of open) await app.service.close();
  rmSync(folder, { recursive: true, maxRetries: 5 });
});

const source = (more = "") =>
  `sources: [{ name: a, type: filesystem, root: ${JSON.stringify(folder)}${more} }]\n`;

async function appOf(yaml: string): Promise<Served> {
  const app = await served(yaml);
  open.push(app);
  return app;
}

const withRule = (match: string, more?: string) =>
  appOf(`${source(more)}auth:
  profiles: { staff: { pattern: clickthrough, access_service: { backend: builtin } } }
  rules: [{ match: ${JSON.stringify(match)}, profile: staff }]`);

let files = 0;
const tableFile = (name: string, text: string) => {
  const file = join(folder, `${++files}-${name}`);
  writeFileSync(file, text);
  return file;
};
const hookOf = (file: string) =>
  `hook: { engine: lookup, lookup: { file: ${JSON.stringify(file)}, unmapped: pass } }\n`;
const withRow = (row: string, more?: string) =>
  appOf(source(more) + hookOf(tableFile("rows.csv", `identifier,allow,status\n${row},false,451\n`)));

const statusOf = async (app: Served, identifier: string) =>
  (await app.get(`/iiif/3/${encodeURIComponent(identifier)}/full/max/0/default.png`)).status;

describe.each([
  ["a rule", withRule, 401],
  ["a row", withRow, 451],
] as const)("%s for", (_, protect, denied) => {
  test.each([
    [
      "a file protects all of its pages",
      paged,
      [paged, `${paged};1`, `${paged};2`, `${paged};3`],
      ["single.png"],
    ],
    ["page 2 protects page 2 alone", `${paged};2`, [`${paged};2`], [paged, `${paged};1`, `${paged};3`]],
    ["page 1 protects the file by its plain name", `${paged};1`, [paged, `${paged};1`], [`${paged};2`]],
    ["page 1 of a single image protects it", "single.png;1", ["single.png", "single.png;1"], [paged]],
  ])("%s", async (_, match, gated, free) => {
    const app = await protect(match);
    for (const identifier of gated)
      expect([identifier, await statusOf(app, identifier)]).toEqual([identifier, denied]);
    for (const identifier of free)
      expect([identifier, await statusOf(app, identifier)]).toEqual([identifier, 200]);
  });

  test("an identifier protects it with and without the prefix of the default source", async () => {
    for (const match of ["single.png", "main/single.png", "main/single.png;1"]) {
      const app = await protect(match, ", prefix: main/");
      for (const identifier of ["single.png", "main/single.png", "single.png;1"])
        expect([match, identifier, await statusOf(app, identifier)]).toEqual([match, identifier, denied]);
    }
  });
});

test("a row for a page counts before that of its file, for each function of its own", async () => {
  const file = tableFile(
    "functions.yaml",
    `book: { key: ${paged}, allow: false }\nbook;2: { allow: true }\nbook;3: single.png\n`,
  );
  const app = await appOf(`${source()}hook: { engine: lookup, lookup: { file: ${JSON.stringify(file)} } }\n`);
  expect(await statusOf(app, "book")).toBe(401);
  expect(await statusOf(app, "book;2")).toBe(200);
  // Its key is another row's, and its decision that of the file.
  expect(await statusOf(app, "book;3")).toBe(401);
});

test("the key of a row for a page names the picture of that page", async () => {
  const file = tableFile("keys.csv", `identifier,key\nbook,${paged}\nbook;3,single.png\n`);
  const app = await appOf(`${source()}hook: { engine: lookup, lookup: { file: ${JSON.stringify(file)} } }\n`);
  const sizeOf = async (identifier: string) => {
    const response = await app.get(`/iiif/3/${encodeURIComponent(identifier)}/full/max/0/default.png`);
    const { width, height } = await sharp(await response.arrayBuffer()).metadata();
    return [width, height];
  };
  const single = await sharp(join(folder, "single.png")).metadata();
  expect(await sizeOf("book;2")).toEqual([30, 20]);
  expect(await sizeOf("book;3")).toEqual([single.width, single.height]);
});

describe("a row that no request can find", () => {
  test.each([
    ["/single.png", "write single.png"],
    ["./single.png", "write single.png"],
    ["a//b.png", "write a/b.png"],
    ["..\\\\single.png", "write single.png"],
  ])("is refused at the start if it decides on access: %s", async (row, advice) => {
    await expect(withRow(`"${row}"`)).rejects.toThrow(advice);
  });

  const warningsOf = async (rows: string) => {
    const file = tableFile("checked.csv", `identifier,key,allow\n${rows}\n`);
    const { config, problems } = loadConfig(source() + hookOf(file), {});
    if (problems) throw new Error("expected a valid configuration");
    const { platform } = (await appOf(source())).service;
    return (await checkAll(config, platform)).warnings.map(({ where, text }) => `${where}: ${text}`);
  };

  test.each([
    ["/single.png,x.png,", /line 2: the row "\/single.png" has no effect: .*write single\.png/],
    ["single.png ,,false", /the row "single.png " has a space at the beginning or the end/],
    ["single%2Epng,,false", /percent-encoded.*write single\.png/],
    ["maps/*,,false", /rows name single images/],
    ["iiif/3/single.png,,false", /is the address of an image/],
    ["Single.png,,false", /holds single\.png instead of Single\.png/],
    ["a/single.png,,false", /matches no image/],
    ["missing.png;2,,false", /matches no image/],
    ["\u00e9.png,,false", /matches no image/],
  ])("is reported by the check: %s", async (row, expected) => {
    expect((await warningsOf(row)).join("\n")).toMatch(expected);
  });

  test.each(["single.png,,false", "single.png;1,,false", `${paged};2,,false`, "ark:/12345/x,single.png,"])(
    "is not meant by the check: %s",
    async (row) => {
      expect(await warningsOf(row)).toEqual([]);
    },
  );
});
