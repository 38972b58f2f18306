// The writer of PDF files. Other programs read its output: poppler and qpdf.

import { mkdtempSync, readdirSync, readFileSync, rmSync, writeFileSync } from "node:fs";
import { tmpdir } from "node:os";
import { join } from "node:path";
import sharp from "sharp";
import { afterAll, beforeAll, describe, expect, test } from "vitest";
import { concatenate, memoryBytes } from "../../../src/base/index.ts";
import { srgbProfile, storedJpeg } from "../../../src/imaging/index.ts";
import { type PdfDocument, type PdfPage, pdfPieces } from "../../../src/server/downloads/pdf/pdf.ts";
import { bytesOf, lengthOf, type Piece } from "../../../src/server/downloads/pieces.ts";
import type { PageText } from "../../../src/text/index.ts";
import { fixture, testHost } from "../../host.ts";
import { hasProgram, outputOf } from "../../programs.ts";
import { seeded } from "../../seeded.ts";

/** A page with a fixture as it is, whose upright size is that of all of them. */
async function pageOf(name: string, more: Partial<PdfPage> = {}, orientation = 1): Promise<PdfPage> {
  const file = fixture(name);
  const stored = await storedJpeg(memoryBytes(file), false);
  if (!stored) throw new Error(`${name} cannot be taken as it is`);
  const { width = 0, height = 0 } = await sharp(file).metadata();
  const [across, down] = orientation > 4 ? [height, width] : [width, height];
  return {
    label: name,
    width: across,
    height: down,
    resolution: 300,
    image: { filter: "DCTDecode", width, height, orientation, ...stored, file },
    ...more,
  };
}

const facts = { title: "A title", source: "https://example.org/m", producer: "smalti" };

const deflated = (bytes: Uint8Array) => testHost.deflate(bytes, 6);

function documentOf(pages: readonly PdfPage[], more: Partial<PdfDocument> = {}): PdfDocument {
  const listed = async function* () {
    yield* pages;
  };
  const id = "00112233445566778899aabbccddeeff";
  return {
    facts,
    id,
    isLeftward: false,
    outline: [],
    srgb: srgbProfile(),
    deflate: deflated,
    pages: listed(),
    ...more,
  };
}

async function joined(parts: AsyncIterable<Uint8Array>): Promise<Uint8Array> {
  const all: Uint8Array[] = [];
  for await (const part of parts) all.push(part);
  return concatenate(all);
}

let folder = "";
beforeAll(() => {
  folder = mkdtempSync(join(tmpdir(), "smalti-pdf-"));
});
afterAll(() => rmSync(folder, { recursive: true }));

/** Writes a document to a file, and returns its path. */
async function written(pages: readonly PdfPage[], more: Partial<PdfDocument> = {}): Promise<string> {
  const path = join(folder, "file.pdf");
  writeFileSync(path, await joined(bytesOf(pdfPieces(documentOf(pages, more)))));
  return path;
}

const said = (...call: Parameters<typeof outputOf>) => new TextDecoder().decode(outputOf(...call));

const line = (...words: readonly (readonly [string, number, number, number, number])[]) => ({
  block: 0,
  words: words.map(([text, ...box]) => ({ text, box })),
});

const text: PageText = {
  width: 600,
  height: 400,
  lines: [
    line(["Über", 20, 20, 100, 30], ["(die)", 130, 20, 90, 30]),
    line(["שלום", 300, 80, 90, 30], ["עולם", 200, 80, 90, 30]),
    line(["𝔘𝔫😀", 20, 140, 90, 30], ["漢字", 130, 140, 60, 30]),
  ],
};

/** What a PDF/A-2b file must not have anywhere (ISO 19005-2, 6.1 to 6.6), as keys of its dictionaries. */
const forbiddenKeys = [
  ...["/Encrypt", "/JavaScript", "/JS", "/Launch", "/AA", "/OpenAction", "/XFA", "/AcroForm"],
  ...["/SMask", "/Mask", "/Group", "/OPI", "/Alternates", "/Interpolate", "/PS", "/Ref", "/TR", "/HTP"],
  ...["/EmbeddedFiles", "/OCProperties", "/NeedAppearances", "/F", "/FFilter", "/FDecodeParms"],
];

describe.runIf(hasProgram("pdfinfo") && hasProgram("qpdf"))("a PDF file", () => {
  test("is sound, and has its pages, labels, outline and facts", async () => {
    const pages = await Promise.all(
      ["jpg-baseline-420.jpg", "jpg-gray.jpg"].map((name, at) =>
        pageOf(name, { label: at === 0 ? "iv" : "Ü (5)" }),
      ),
    );
    const outline = [{ title: "Kapitel ä", page: 1, items: [{ title: "(Inner)", page: 0, items: [] }] }];
    const more = { publisher: "A & B", rights: "Free", licence: "https://example.org/l" };
    const path = await written(pages, { outline, facts: { ...facts, ...more } });
    expect(said("qpdf", ["--check", path])).toContain("No syntax or stream encoding errors found");
    const { qpdf, pagelabels, outlines, pages: listed } = JSON.parse(said("qpdf", ["--json", path]));
    expect(qpdf).toBeDefined();
    expect(pagelabels).toMatchObject([
      { index: 0, label: { "/P": "u:iv" } },
      { index: 1, label: { "/P": "u:Ü (5)" } },
    ]);
    const [chapter] = outlines;
    expect(chapter).toMatchObject({ title: "Kapitel ä", destpageposfrom1: 2, open: false });
    expect(chapter.kids).toMatchObject([{ title: "(Inner)", destpageposfrom1: 1 }]);
    expect(listed).toHaveLength(2);
    const info = said("pdfinfo", [path]);
    expect(info).toMatch(/Title: +A title\n/);
    expect(info).toMatch(/Producer: +smalti\n/);
    const meta = said("pdfinfo", ["-meta", path]);
    for (const one of ["<rdf:li>A &amp; B</rdf:li>", ">Free</rdf:li>", "WebStatement>https://example.org/l<"])
      expect(meta).toContain(one);
  });

  test("follows the rules of PDF/A-2b", async () => {
    const names = ["jpg-gray.jpg", "jpg-icc-displayp3.jpg", "jpg-gray-icc.jpg"];
    const pages = await Promise.all(names.map((name) => pageOf(name, { text })));
    const path = await written([
      ...pages,
      { label: "x", width: 10, height: 10, resolution: 72, problem: "Gone" },
    ]);
    const bytes = readFileSync(path);
    // 6.1.2: a comment of four bytes above 127 behind the header.
    expect(bytes.subarray(0, 9).toString("latin1")).toBe("%PDF-1.7\n");
    expect([...bytes.subarray(9, 14)].map((byte, at) => (at === 0 ? byte === 0x25 : byte > 127))).toEqual(
      Array(5).fill(true),
    );
    // 6.1.3: an id, no encryption, nothing behind the end of the file.
    expect(bytes.subarray(-7).toString("latin1").trimEnd()).toMatch(/%%EOF$/);
    const objects = JSON.parse(said("qpdf", ["--json", "--json-stream-data=none", path])).qpdf[1];
    expect(objects.trailer.value["/ID"]).toHaveLength(2);
    const keys = new Set<string>();
    const texts: string[] = [];
    const walk = (value: unknown): void => {
      if (typeof value === "string") texts.push(value);
      if (Array.isArray(value)) value.forEach(walk);
      else if (typeof value === "object" && value !== null)
        for (const [key, inner] of Object.entries(value)) {
          keys.add(key);
          walk(inner);
        }
    };
    walk(objects);
    // "/F" is the name of the font in resources as well.
    expect(forbiddenKeys.filter((key) => keys.has(key))).toEqual(["/F"]);
    expect(texts).not.toContain("/LZWDecode");
    // biome-ignore lint/suspicious/noExplicitAny: objects of any form are read by any path.
    const values = Object.values(objects as Record<string, any>).map(({ value }) => value);
    const catalogue = values.find((value) => value?.["/Type"] === "/Catalog");
    // 6.2.3: device colours are those of an output intent with a profile.
    const intent = catalogue["/OutputIntents"][0];
    expect(intent["/S"]).toBe("/GTS_PDFA1");
    const profile = objects[`obj:${intent["/DestOutputProfile"]}`].stream.dict;
    expect(profile["/N"]).toBe(3);
    // 6.6.2: metadata are plain XMP, and equal to the information dictionary (6.6.3).
    const metadata = objects[`obj:${catalogue["/Metadata"]}`].stream.dict;
    expect(metadata["/Filter"]).toBeUndefined();
    const xmp = said("pdfinfo", ["-meta", path]);
    expect(xmp).toContain("<pdfaid:part>2</pdfaid:part>");
    expect(xmp).toContain("<pdfaid:conformance>B</pdfaid:conformance>");
    const information = objects[`obj:${objects.trailer.value["/Info"]}`].value;
    expect(Object.keys(information).sort()).toEqual(["/Producer", "/Title"]);
    expect(xmp).toContain(`x-default">${information["/Title"].slice(2)}</rdf:li>`);
    expect(xmp).toContain(`<pdf:Producer>${information["/Producer"].slice(2)}</pdf:Producer>`);
    // 6.2.11: fonts are embedded, and no text shows `.notdef`: all codes have the second glyph.
    expect(said("pdffonts", [path])).toMatch(/CID TrueType +Identity-H +yes +no +yes/);
    const font = values.find((value) => value?.["/Subtype"] === "/CIDFontType2");
    const map = outputOf("qpdf", [
      `--show-object=${font["/CIDToGIDMap"].split(" ")[0]}`,
      "--filtered-stream-data",
      path,
    ]);
    expect(map).toHaveLength(2 * 65536);
    expect(map.every((byte, at) => byte === at % 2)).toBe(true);
  });

  test("has the text of its pages in all scripts, where the words are seen", async () => {
    const path = await written([await pageOf("jpg-gray.jpg", { text })]);
    // Poppler marks a line from right to left by U+202B and U+202C.
    const plain = said("pdftotext", [path, "-"]).replace(/[\u202a-\u202c]/g, "");
    expect(plain.trim().split("\n")).toEqual(["Über (die)", "שלום עולם", "𝔘𝔫😀 漢字"]);
    const boxes = [...said("pdftotext", ["-bbox", path, "-"]).matchAll(/<word (.*?)>(.*?)</g)].map(
      ([, box = "", word = ""]) =>
        [word, ...[...box.matchAll(/"([\d.]+)"/g)].map(([, n]) => Number(n))] as const,
    );
    // A pixel has 72/300 points; poppler takes 1 to 1.03 of the size of a font as its height.
    const points = (pixels: number) => (pixels * 72) / 300;
    const near = (seen: number | string | undefined, wanted: number) =>
      expect(Math.abs(Number(seen) - wanted)).toBeLessThan(1);
    for (const [word, left, top, width, height] of [
      ["Über", 20, 20, 100, 30],
      ["(die)", 130, 20, 90, 30],
      ["漢字", 130, 140, 60, 30],
    ] as const) {
      const seen = boxes.find(([name]) => name === word);
      near(seen?.[1], points(left));
      near(seen?.[2], points(top));
      near(seen?.[3], points(left + width));
      near(seen?.[4], points(top + height));
    }
  });

  test("keeps a column of characters and lines without boxes searchable", async () => {
    const page: PageText = {
      width: 600,
      height: 400,
      lines: [
        { block: 0, box: [10, 10, 200, 20], words: [{ text: "a" }, { text: "line" }] },
        line(["縦書きの文", 500, 20, 30, 300]),
      ],
    };
    const path = await written([await pageOf("jpg-gray.jpg", { text: page })]);
    const found = said("pdftotext", ["-raw", path, "-"]);
    expect(found).toContain("a line");
    for (const character of "縦書きの文") expect(found).toContain(character);
  });

  test.each([1, 2, 3, 4, 5, 6, 7, 8])("turns an image of orientation %i upright", async (orientation) => {
    const name = `jpg-orient-${orientation}.jpg`;
    const path = await written([await pageOf(name, {}, orientation)]);
    const drawn = outputOf("pdftocairo", ["-r", "300", "-png", "-singlefile", path, "-"]);
    const upright = await sharp(fixture(name)).rotate().raw().toBuffer({ resolveWithObject: true });
    const shown = await sharp(drawn).raw().toBuffer({ resolveWithObject: true });
    expect([shown.info.width, shown.info.height]).toEqual([upright.info.width, upright.info.height]);
    let sum = 0;
    for (const [at, sample] of upright.data.entries()) sum += Math.abs(sample - shown.data[at]!);
    // libjpeg-turbo and poppler round in different places.
    expect(sum / upright.data.length).toBeLessThan(1);
  });

  test.each(["jpg-rgb-adobe0.jpg", "jpg-icc-adobergb.jpg", "jpg-progressive.jpg", "jpg-restart.jpg"])(
    "contains %s byte by byte",
    async (name) => {
      const path = await written([await pageOf(name)]);
      const out = mkdtempSync(join(folder, "images-"));
      outputOf("pdfimages", ["-all", path, join(out, "i")]);
      expect(new Uint8Array(readFileSync(join(out, readdirSync(out)[0]!)))).toEqual(fixture(name));
    },
  );

  test("shares the profile of its pages, and has one text code for each character of other planes", async () => {
    const page = await pageOf("jpg-icc-adobergb.jpg", { text });
    const path = await written([page, page, page]);
    const { qpdf } = JSON.parse(said("qpdf", ["--json", "--json-stream-data=none", path]));
    const dicts = Object.values(qpdf[1] as Record<string, { stream?: { dict: Record<string, unknown> } }>);
    // Its own and that of the output intent.
    expect(dicts.filter(({ stream }) => stream?.dict["/N"] !== undefined)).toHaveLength(2);
  });

  test("has a crossed box and the reason in place of an image that cannot be read", async () => {
    const gone = { label: "2", width: 600, height: 400, resolution: 300, problem: "2: It is damaged." };
    const path = await written([await pageOf("jpg-gray.jpg"), gone]);
    expect(said("pdftotext", ["-f", "2", path, "-"]).trim()).toBe("2: It is damaged.");
    const drawn = outputOf("pdftoppm", ["-r", "72", "-f", "2", "-png", path]);
    const { channels } = await sharp(drawn).stats();
    expect(channels[0]?.min).toBeLessThan(200);
    expect(channels[0]?.max).toBe(255);
  });

  test("finds each of many pages by nodes of 64", async () => {
    const page = await pageOf("jpg-1x1.jpg");
    const path = await written(Array.from({ length: 130 }, (_, at) => ({ ...page, label: String(at) })));
    const { qpdf } = JSON.parse(said("qpdf", ["--json", "--json-stream-data=none", path]));
    const nodes = Object.values(qpdf[1] as Record<string, { value?: Record<string, unknown> }>)
      .map(({ value }) => value)
      .filter((value) => value?.["/Type"] === "/Pages")
      .map((value) => [value?.["/Count"], (value?.["/Kids"] as unknown[] | undefined)?.length]);
    expect(nodes.sort()).toEqual(
      [
        [130, 3],
        [2, 2],
        [64, 64],
        [64, 64],
      ].sort(),
    );
    expect(said("pdfinfo", ["-f", "130", "-l", "130", path])).toMatch(/Pages: +130\n/);
  });

  test("says everything that hostile texts say as text", async () => {
    const title = "a) /JS (x) << \\ \ud800 \u0000 ]]> & < \u202e ü";
    const words: PageText = {
      width: 600,
      height: 400,
      lines: [line(["\u0000\ufeff\ud800)>ENDSTREAM", 1, 1, 90, 9])],
    };
    const path = await written([await pageOf("jpg-gray.jpg", { label: title, text: words })], {
      facts: { ...facts, title, rights: title },
      outline: [{ title, page: 9, items: [] }],
    });
    expect(said("qpdf", ["--check", path])).toContain("No syntax or stream encoding errors found");
    expect(said("pdftotext", [path, "-"])).toContain(")>ENDSTREAM");
  });
});

describe("a file in pieces", () => {
  const below = seeded(63);
  const content = Uint8Array.from({ length: 5000 }, () => below(256));
  /** The content in pieces, of which every other one is read on demand, in parts of 7 bytes. */
  const pieces = async function* (reads: [number, number][] = []): AsyncGenerator<Piece> {
    for (let at = 0, index = 0; at < content.length; index++) {
      const own = content.subarray(at, at + 100 + 13 * index);
      const start = at;
      at += own.length;
      if (index % 2 === 0) yield own;
      else
        yield {
          length: own.length,
          async *read(from) {
            reads.push([start, from]);
            for (let i = from; i < own.length; i += 7) yield own.subarray(i, i + 7);
          },
        };
    }
  };

  test("is measured without reading its sections", async () => {
    const reads: [number, number][] = [];
    expect(await lengthOf(pieces(reads))).toBe(content.length);
    expect(reads).toEqual([]);
  });

  test("is sent from any byte to any other", async () => {
    for (let round = 0; round < 200; round++) {
      const first = below(content.length);
      const last = first + below(content.length - first);
      expect(await joined(bytesOf(pieces(), first, last))).toEqual(content.subarray(first, last + 1));
    }
    expect(await joined(bytesOf(pieces()))).toEqual(content);
  });

  test("reads no section outside of what is asked for", async () => {
    const reads: [number, number][] = [];
    await joined(bytesOf(pieces(reads), content.length - 20));
    expect(reads.length).toBeLessThan(2);
  });

  test("fails if a section ends early", async () => {
    const short = async function* (): AsyncGenerator<Piece> {
      yield {
        length: 10,
        async *read() {
          yield new Uint8Array(9);
        },
      };
    };
    await expect(joined(bytesOf(short()))).rejects.toThrow("end");
  });
});
