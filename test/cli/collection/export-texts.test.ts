// The texts of pages in an export: which files there are, that documents lead to them, and to nothing else,
// and what happens to them when their images become gated.

import {
  existsSync,
  mkdirSync,
  mkdtempSync,
  readdirSync,
  readFileSync,
  rmSync,
  statSync,
  writeFileSync,
} from "node:fs";
import { tmpdir } from "node:os";
import { join } from "node:path";
import sharp from "sharp";
import { afterEach, beforeEach, describe, expect, test } from "vitest";
import { type ExportOptions, exportCollection } from "../../../src/cli/collection/export/export.ts";
import { Target } from "../../../src/cli/collection/export/target.ts";
import { nodeFiles } from "../../../src/server/platform/files/node-files.ts";
import { clausesOf, linesWith, OpenSite } from "../../../src/text/site/site-search.ts";
import { served } from "../../served.ts";

const base = "https://static.test/library";
let folder: string;
let out: string;
beforeEach(() => {
  folder = mkdtempSync(join(tmpdir(), "smalti-export-texts-"));
  out = join(folder, "out");
});
afterEach(() => rmSync(folder, { recursive: true, force: true }));

async function writePage(name: string): Promise<void> {
  const path = join(folder, "masters", name);
  mkdirSync(join(path, ".."), { recursive: true });
  const plain = { create: { width: 300, height: 200, channels: 3, background: "#eeeeee" } } as const;
  writeFileSync(path, await sharp(plain).jpeg().toBuffer());
}

/** A page of ALTO with a line for each text, and a box for each word. */
const alto = (...lines: readonly string[]) =>
  `<alto xmlns="http://www.loc.gov/standards/alto/ns-v4#"><Layout><Page WIDTH="300" HEIGHT="200"><PrintSpace>${lines
    .map(
      (line, row) =>
        `<TextBlock><TextLine HPOS="10" VPOS="${20 * row}" WIDTH="200" HEIGHT="18">${line
          .split(" ")
          .map(
            (word, at) =>
              `<String CONTENT="${word}" HPOS="${10 + 50 * at}" VPOS="${20 * row}" WIDTH="45" HEIGHT="18"/>`,
          )
          .join("")}</TextLine></TextBlock>`,
    )
    .join("")}</PrintSpace></Page></Layout></alto>`;

const write = (name: string, text: string) => writeFileSync(join(folder, "masters", name), text);

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

const read = (path: string) => readFileSync(join(out, path), "utf8");
const json = (path: string) => JSON.parse(read(path));
/** Files of text, by their names below the folder of manifests. */
const texts = (): string[] =>
  (readdirSync(join(out, "manifests"), { recursive: true }) as string[])
    .filter((name) => name.includes("/canvas/") && statSync(join(out, "manifests", name)).isFile())
    .sort();
const fileOf = (address: string) => decodeURIComponent(address.slice(base.length + 1));

async function layBook(): Promise<void> {
  await writePage("book/1.jpg");
  await writePage("book/2.jpg");
  await writePage("book/3.jpg");
  write("book/1.xml", alto("The quick brown", "fox jumps"));
  write("book/2.txt", "Words without boxes\n");
}

test("the lines, the plain text and the file of each page are where its canvas says", async () => {
  await layBook();
  expect(await run()).toMatchObject({ images: 3, texts: 5, failed: 0 });
  expect(texts()).toEqual([
    "book/canvas/1/lines.json",
    "book/canvas/1/ocr.txt",
    "book/canvas/1/text.txt",
    "book/canvas/2/lines.json",
    "book/canvas/2/text.txt",
  ]);
  const manifest = json("manifests/book.json");
  // A web server of files makes no PDF.
  expect(manifest).not.toHaveProperty("rendering");
  const [first, second, third] = manifest.items;
  expect(first.rendering.map(({ id }: { id: string }) => read(fileOf(id)))).toEqual([
    "The quick brown\n\nfox jumps\n",
  ]);
  expect(read(fileOf(first.seeAlso[0].id))).toBe(alto("The quick brown", "fox jumps"));
  const [lines] = first.annotations;
  const page = json(fileOf(lines.id));
  expect(page.id).toBe(lines.id);
  expect(page.items.map(({ body, target }: never) => [(body as { value: string }).value, target])).toEqual([
    ["The quick brown", `${first.id}#xywh=10,0,200,18`],
    ["fox jumps", `${first.id}#xywh=10,20,200,18`],
  ]);
  expect(second.seeAlso).toBeUndefined();
  expect(read(fileOf(second.rendering[0].id))).toBe("Words without boxes\n");
  for (const member of ["rendering", "seeAlso", "annotations"]) expect(third).not.toHaveProperty(member);
  // Nobody searches an export.
  expect(JSON.stringify(manifest)).not.toContain("/iiif/");
});

test("the words are exported if they are wanted, and named after the lines", async () => {
  await layBook();
  expect(await run({ words: true })).toMatchObject({ texts: 7, failed: 0 });
  const [first] = json("manifests/book.json").items;
  expect(first.annotations.map(({ id }: { id: string }) => fileOf(id))).toEqual([
    "manifests/book/canvas/1/lines.json",
    "manifests/book/canvas/1/words.json",
  ]);
  const words = json("manifests/book/canvas/1/words.json").items;
  expect(words.map(({ body }: { body: { value: string } }) => body.value)).toEqual(
    "The quick brown fox jumps".split(" "),
  );
});

test("a text that cannot be read fails alone, and no document leads to it", async () => {
  await layBook();
  write("book/1.xml", alto("The quick").slice(0, -20));
  const report = await run();
  expect(report.failures.length).toBeGreaterThan(0);
  for (const failure of report.failures)
    expect(failure).toMatchObject({
      where: expect.stringMatching(/^book\/canvas\/1\//),
      code: "text_damaged",
      text: expect.stringContaining("1.xml"),
    });
  const [first, second] = json("manifests/book.json").items;
  for (const { id } of [...(first.rendering ?? []), ...(first.annotations ?? []), ...(first.seeAlso ?? [])])
    expect(existsSync(join(out, fileOf(id)))).toBe(true);
  expect(existsSync(join(out, fileOf(second.rendering[0].id)))).toBe(true);
});

test("the texts of a gated image are left out, and those of earlier runs are reported and removed", async () => {
  await layBook();
  await run();
  expect(read("manifests/book/canvas/1/text.txt")).toContain("quick");
  const rules = `auth:
  profiles: { room: { pattern: kiosk, access_service: { backend: builtin }, kiosk: { allowed_ips: [192.0.2.4/30] } } }
  rules: [{ match: book/1.jpg, profile: room }]`;
  const report = await run({}, rules);
  const gated = report.stale.filter(({ reason }) => reason === "gated").map(({ identifier }) => identifier);
  expect(gated.sort()).toEqual([
    "book/1.jpg",
    "book/canvas/1/lines",
    "book/canvas/1/ocr",
    "book/canvas/1/text",
  ]);
  expect(JSON.stringify(json("manifests/book.json"))).not.toContain("canvas/1/text");
  await run({ prunes: true }, rules);
  expect(texts()).toEqual(["book/canvas/2/lines.json", "book/canvas/2/text.txt"]);
  // Nor does a first run have them.
  rmSync(out, { recursive: true });
  await run({}, rules);
  for (const name of texts()) expect(read(`manifests/${name}`)).not.toContain("quick");
  expect(texts()).not.toContain("book/canvas/1/text.txt");
});

test("nothing that is written about a gated image is exported: annotations, METS, stored manifests", async () => {
  await layBook();
  const secret = "Geheimnis";
  const about = (target?: string) => ({
    type: "Annotation",
    body: { type: "TextualBody", value: target === undefined ? secret : "Offen" },
    ...(target && { target }),
  });
  write("book/1.jpg.annotations.json", JSON.stringify([about()]));
  write(
    "book/annotations.json",
    JSON.stringify([about("2.jpg"), { ...about(), target: ["1.jpg", "2.jpg"] }]),
  );
  write("book/named.xml", alto(secret));
  write(
    "book/mets.xml",
    `<mets><fileSec><fileGrp><file ID="i" MIMETYPE="image/jpeg"><FLocat href="1.jpg"/></file><file ID="t" MIMETYPE="text/xml"><FLocat href="named.xml"/></file></fileGrp></fileSec><structMap TYPE="PHYSICAL"><div TYPE="page"><fptr FILEID="i"/><fptr FILEID="t"/></div></structMap></mets>`,
  );
  rmSync(join(folder, "masters/book/1.xml"));
  mkdirSync(join(folder, "masters/stored"));
  const body = { id: "/iiif/3/book%2F1.jpg/full/max/0/default.jpg", type: "Image" };
  const painting = { type: "AnnotationPage", items: [{ type: "Annotation", motivation: "painting", body }] };
  const canvas = { id: "https://old.example/a", type: "Canvas", width: 300, height: 200, items: [painting] };
  write(
    "stored/manifest.json",
    JSON.stringify({ type: "Manifest", label: { none: ["x"] }, items: [canvas] }),
  );
  const exported = () =>
    (readdirSync(join(out, "manifests"), { recursive: true }) as string[])
      .filter((name) => statSync(join(out, "manifests", name)).isFile())
      .map((name) => read(`manifests/${name}`))
      .join("\n");
  await run();
  for (const word of [secret, "Offen", '"https://old.example/a#xywh']) expect(exported()).toContain(word);
  rmSync(out, { recursive: true });
  const rules = `auth:
  profiles: { room: { pattern: kiosk, access_service: { backend: builtin }, kiosk: { allowed_ips: [192.0.2.4/30] } } }
  rules: [{ match: book/1.jpg, profile: room }]`;
  await run({}, rules);
  expect(exported()).toContain("Offen");
  expect(exported()).not.toContain(secret);
});

test("an archive has the files of text", async () => {
  await layBook();
  const { contents } = await run();
  expect(contents.files.filter((name) => name.endsWith(".txt")).sort()).toEqual([
    "manifests/book/canvas/1/ocr.txt",
    "manifests/book/canvas/1/text.txt",
    "manifests/book/canvas/2/text.txt",
  ]);
});

test.each([2, 3] as const)("a map has a page about the exported image of version %i", async (version) => {
  await writePage("maps/1.jpg");
  const points = "[[0, 0, 4.48, 51.91], [300, 0, 4.5, 51.9], [0, 200, 4.4, 51.89]]";
  write("maps/manifest.yaml", `canvases: { 1.jpg: { georeference: { points: ${points} } } }`);
  expect(await run({ version })).toMatchObject({ failed: 0 });
  const [canvas] = json("manifests/maps.json").items;
  const page = json(fileOf(canvas.seeAlso[0].id));
  expect(page.items[0].target.source).toEqual({
    id: `${base}/images/maps/1.jpg`,
    type: `ImageService${version}`,
    width: 300,
    height: 200,
  });
  expect(canvas.annotations[0].items[0].target.source).toMatchObject({ id: canvas.id, type: "Canvas" });
});

describe("the search of an export", () => {
  const asset = async (name: string) => new TextEncoder().encode(`the file ${name}`);
  const searched = { search: true, asset };
  /** Searches as the page does: all files by their addresses next to it. */
  const search = async (query: string) => {
    const site = new OpenSite(async (name) => json(join("search", name)));
    const clauses = clausesOf(query);
    const found = [];
    for (const number of await site.find(clauses)) {
      const [document, label, lines, image, thumbnail] = await site.page(number);
      const [title, manifest] = (await site.head()).documents[document] ?? [];
      const { items } = json(join("search", decodeURIComponent(lines)));
      const texts = items.map(({ body }: { body: { value: string } }) => body.value);
      const words = linesWith(texts, clauses).flatMap((line) =>
        line.words.flatMap(({ text, isFound }) => (isFound ? [text] : [])),
      );
      for (const address of [manifest, image, thumbnail])
        expect(existsSync(join(out, "search", decodeURIComponent(address ?? "")))).toBe(true);
      found.push([title, label, words]);
    }
    return found;
  };

  test("finds the words of pages, with their lines, images and documents", async () => {
    await layBook();
    await writePage("other & more/1.jpg");
    write("other & more/1.txt", "A fox again\n");
    const report = await run(searched);
    expect(report).toMatchObject({ searched: 3, failed: 0 });
    expect(await search("fox")).toEqual([
      ["book", "1.jpg", ["fox"]],
      ["other & more", "1.jpg", ["fox"]],
    ]);
    expect(await search('"quick brown"')).toEqual([["book", "1.jpg", ["quick", "brown"]]]);
    expect(await search("boxes")).toEqual([["book", "2.jpg", ["boxes"]]]);
    expect(await search("quick boxes")).toEqual([]);
    expect(read("search/index.html")).toBe("the file index.html");
    expect(report.contents.files.filter((name) => name.startsWith("search/")).sort()).toEqual(
      readdirSync(join(out, "search"))
        .map((name) => `search/${name}`)
        .sort(),
    );
  });

  test("does not exist unless it is wanted, and follows what is exported from then on", async () => {
    await layBook();
    expect(await run({ asset })).not.toHaveProperty("searched");
    expect(existsSync(join(out, "search"))).toBe(false);
    await run(searched);
    write("book/1.xml", alto("Another text"));
    expect(await run({ asset })).toMatchObject({ searched: 2 });
    expect(await search("fox")).toEqual([]);
    expect(await search("another")).toHaveLength(1);
  });

  test("finds nothing of what needs a login now, even while its files are still there", async () => {
    await layBook();
    await run(searched);
    expect(await search("quick")).toHaveLength(1);
    const rules = `auth:
  profiles: { room: { pattern: kiosk, access_service: { backend: builtin }, kiosk: { allowed_ips: [192.0.2.4/30] } } }
  rules: [{ match: book/1.jpg, profile: room }]`;
    await run({ asset }, rules);
    expect(existsSync(join(out, "manifests/book/canvas/1/text.txt"))).toBe(true);
    expect(await search("quick")).toEqual([]);
    for (const name of readdirSync(join(out, "search")))
      expect(read(`search/${name}`)).not.toContain("quick");
    expect(await search("boxes")).toHaveLength(1);
  });

  test("replaces and removes no files of others", async () => {
    await layBook();
    mkdirSync(join(out, "search"), { recursive: true });
    writeFileSync(join(out, "search/index.html"), "mine");
    const report = await run(searched);
    expect(report.failures).toMatchObject([{ code: "export_foreign_file", where: "search" }]);
    expect(read("search/index.html")).toBe("mine");
    expect(await run({ ...searched, replaces: true })).toMatchObject({ searched: 2, failed: 0 });
    expect(read("search/index.html")).toBe("the file index.html");
    writeFileSync(join(out, "search/mine.json"), "mine");
    await run(searched);
    expect(read("search/mine.json")).toBe("mine");
  });

  test("of a run into an archive leaves nothing behind", async () => {
    await layBook();
    await run(searched);
    const target = new Target(nodeFiles(), out);
    await target.clear();
    expect(existsSync(out)).toBe(false);
  });
});
