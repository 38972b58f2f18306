// The directory of PDF files in all its forms, and in files that are damaged or hostile.

import { deflateSync } from "node:zlib";
import { describe, expect, test } from "vitest";
import { type ByteSource, memoryBytes } from "../../../../src/base/bytes/byte-source.ts";
import { ImagingError } from "../../../../src/base/imaging-error.ts";
import type { ImageHeader } from "../../../../src/imaging/codecs/image-header.ts";
import { createCodecs } from "../../../../src/imaging/codecs/index.ts";
import { fixture, testHost } from "../../../host.ts";
import { converted } from "../../../kept.ts";
import { hasProgram } from "../../../programs.ts";
import { everything, seedOf } from "../../../sampled.ts";
import { seeded } from "../../../seeded.ts";
import { countingBytes } from "../counting.ts";
import { mutate, type PdfObjects, pdfFile, type Scan, scanObjects } from "./pdf-file.ts";

const pdf = createCodecs(testHost).decoder("pdf");
const image = fixture("jpg-baseline-420.jpg");
/** Pages whose widths in points are 600, 601 and so on, so that each is known by its resolution. */
const scans = (count: number) =>
  Array.from(
    { length: count },
    (_, i): Scan => ({
      image,
      width: 600,
      height: 400,
      points: [(600 * (i + 50)) / 50, (400 * (i + 50)) / 50],
    }),
  );
/** Returns the index of a page by its resolution. */
const indexOf = ({ resolution }: ImageHeader) => Math.round((50 * 72) / (resolution!.x * 2.54) - 50);

const latin1 = (bytes: Uint8Array) => Buffer.from(bytes).toString("latin1");
const bytesOf = (text: string) => new Uint8Array(Buffer.from(text, "latin1"));

async function indexes(file: Uint8Array, count: number): Promise<number[]> {
  const found: number[] = [];
  for (let page = 1; page <= count; page++) found.push(indexOf(await pdf.probe(memoryBytes(file), page)));
  return found;
}

async function listed(bytes: ByteSource, count: number, version?: string): Promise<(number | string)[]> {
  const found: (number | string)[] = [];
  for await (const page of pdf.probePages!(bytes, count, version))
    found.push(page instanceof ImagingError ? page.kind : indexOf(page));
  return found;
}

const numbers = (count: number) => Array.from({ length: count }, (_, i) => i);

/** Objects of a tree with nodes of different depths: ((0 1) 2 (3 (4 5))). */
function nested(): PdfObjects {
  const objects = scanObjects(scans(6));
  const page = (i: number) => `${3 + 3 * i} 0 R`;
  return {
    ...objects,
    2: `<< /Type /Pages /Count 6 /Kids [50 0 R ${page(2)} 51 0 R] >>`,
    50: `<< /Type /Pages /Count 2 /Kids [${page(0)} ${page(1)}] >>`,
    51: `<< /Type /Pages /Count 3 /Kids [${page(3)} 52 0 R] >>`,
    52: `<< /Type /Pages /Count 2 /Kids [${page(4)} ${page(5)}] >>`,
  };
}

const flat = pdfFile(scanObjects(scans(6)));
const file = latin1(flat);

describe("pages are found", () => {
  const cases: readonly (readonly [string, () => Uint8Array])[] = [
    ["by a cross-reference table", () => flat],
    ["by a cross-reference stream", () => pdfFile(scanObjects(scans(6)), { isStream: true })],
    ["in a tree of nodes", () => pdfFile(nested())],
    // Each of two kids looks like a page: one is a node.
    [
      "in a node among as many kids as there are pages",
      () =>
        pdfFile({
          ...scanObjects(scans(6)),
          2: "<< /Type /Pages /Count 6 /Kids [50 0 R null null null null null] >>",
          50: `<< /Type /Pages /Count 6 /Kids [${numbers(6)
            .map((i) => `${3 + 3 * i} 0 R`)
            .join(" ")}] >>`,
        }),
    ],
    ["behind an update", updated],
    [
      "behind a previous table that is none",
      () => bytesOf(file.replace("/Root 1 0 R", "/Root 1 0 R /Prev 1.5")),
    ],
    ["before zeros at the end", () => bytesOf(file + "\0".repeat(4096))],
    ["in a file that ends with a number", () => bytesOf(file.replace(/\s*%%EOF\s*$/, ""))],
    ["in a hybrid file", hybrid],
  ];
  test.each(cases)("%s", async (_, make) => {
    expect(await indexes(make(), 6)).toEqual(numbers(6));
    expect(await listed(memoryBytes(make()), 6)).toEqual(numbers(6));
  });

  test.skipIf(!hasProgram("qpdf")).each([
    ["in object streams of qpdf", ["--object-streams=generate"]],
    ["in a linearised file", ["--linearize"]],
    ["in a linearised file with object streams", ["--linearize", "--object-streams=generate"]],
  ])("%s", async (_, options) => {
    const made = converted("qpdf", [...options, "in.pdf", "out.pdf"], {
      input: pdfFile(nested()),
      from: "in.pdf",
      to: "out.pdf",
    });
    expect(latin1(made).includes("/ObjStm")).toBe(options.includes("--object-streams=generate"));
    expect(await indexes(made, 6)).toEqual(numbers(6));
    expect(await listed(memoryBytes(made), 6)).toEqual(numbers(6));
  });
});

/** A file whose update replaces the first page by one that was the last, and that page by the first. */
function updated(): Uint8Array {
  const objects = scanObjects([...scans(6).slice(5), ...scans(6).slice(1, 5), ...scans(6).slice(0, 1)]);
  const base = latin1(pdfFile(objects));
  const start = /startxref\s+(\d+)/.exec(base)![1];
  const [first, last] = [objects[3], objects[18]];
  const swap = (value: unknown, to: string) =>
    `${value}`.replace(/\/Contents \d+ 0 R/, `/Contents ${to} 0 R`);
  const one = `3 0 obj\n${swap(last, "19")}\nendobj\n`;
  const six = `18 0 obj\n${swap(first, "4")}\nendobj\n`;
  const at = (offset: number) => `${`${offset}`.padStart(10, "0")} 00000 n \n`;
  const xref = base.length + one.length + six.length;
  const table = `xref\n3 1\n${at(base.length)}18 1\n${at(base.length + one.length)}`;
  return bytesOf(
    `${base}${one}${six}${table}trailer\n<< /Size 21 /Root 1 0 R /Prev ${start} >>\nstartxref\n${xref}\n%%EOF\n`,
  );
}

/** A file whose table says that its page tree is free, and whose stream has it in an object stream. */
function hybrid(): Uint8Array {
  const { 2: tree, ...objects } = scanObjects(scans(6));
  const data = bytesOf(`2 0 ${tree}`);
  const made = latin1(pdfFile({ ...objects, 60: { dictionary: "/Type /ObjStm /N 1 /First 4", data } }));
  const start = Number(/startxref\s+(\d+)/.exec(made)![1]);
  const stream = `<< /Type /XRef /Size 61 /W [1 1 1] /Index [2 1] /Length 3 >>\nstream\n\x02\x3c\x00\nendstream\nendobj\n`;
  const entry = `61 0 obj\n${stream}`;
  const table = made.slice(start).replace("/Root 1 0 R", `/Root 1 0 R /XRefStm ${start}`);
  const body = made.slice(0, start) + entry;
  return bytesOf(body + table.replace(/startxref\s+\d+/, `startxref\n${body.length}`));
}

describe("an error says what to do", () => {
  test.skipIf(!hasProgram("qpdf"))("with an encrypted file", async () => {
    const options = ["--encrypt", "", "owner", "256", "--", "in.pdf", "out.pdf"];
    const made = converted("qpdf", options, { input: flat, from: "in.pdf", to: "out.pdf" });
    await expect(pdf.probe(memoryBytes(made), 1)).rejects.toMatchObject({
      kind: "unsupported",
      code: "encrypted_pdf",
      message: expect.stringContaining("qpdf --decrypt"),
    });
  });

  test.each<[string, Uint8Array]>([
    ["no startxref", bytesOf(file.replace("startxref", "startxxxx"))],
    ["a table beyond its end", bytesOf(file.replace(/startxref\s\d+/, "startxref\n999999999"))],
    ["a table that is none", bytesOf(file.replace(/startxref\s\d+/, "startxref\n20"))],
    ["entries that are not of 20 bytes", bytesOf(file.replaceAll(" n \n", " n\n"))],
    ["no trailer", bytesOf(file.replace("trailer", "trailxx"))],
    ["no catalog", bytesOf(file.replace("/Root 1 0 R", "/Root 99 0 R"))],
    ["no pages", bytesOf(file.replace("/Count 6", "/Count 0"))],
    ["an object at another offset", bytesOf(file.replace("\n2 0 obj", "\n7 0 obj"))],
    ["its end cut off", flat.subarray(0, flat.length - 600)],
    ["a dictionary that does not end", bytesOf(file.replace("/Type /Catalog", "/Type [[ /Catal"))],
  ])("with a file that has %s", async (_, damaged) => {
    await expect(pdf.probe(memoryBytes(damaged), 1)).rejects.toMatchObject({
      kind: "decode",
      message: expect.stringContaining("qpdf IN.pdf OUT.pdf"),
    });
  });

  test("with a page that the file does not have", async () => {
    for (const page of [0, 7, 1.5])
      await expect(pdf.probe(memoryBytes(flat), page)).rejects.toMatchObject({ code: "page_not_found" });
  });

  test("with names of members that all objects of the runtime have", async () => {
    for (const entries of [
      "/ColorSpace /DeviceRGB /Filter /constructor",
      "/ColorSpace /toString /Filter /DCTDecode",
    ])
      expect(
        await pdf.probe(memoryBytes(pdfFile(scanObjects([{ ...scans(1)[0]!, entries }]))), 1),
      ).toHaveProperty("drawn");
  });

  test("with a page that only the number of pages promises", async () => {
    const promised = memoryBytes(bytesOf(file.replace("/Count 6", "/Count 9")));
    expect(indexOf(await pdf.probe(promised, 6))).toBe(5);
    await expect(pdf.probe(promised, 8)).rejects.toMatchObject({ code: "page_not_found" });
  });

  test("with one page that is too large, and the others are listed", async () => {
    const objects = scanObjects(scans(3));
    const resources = `<< /Padding (${" ".repeat(60_000)}) /XObject << /I 5 0 R >> >>`;
    const large = `${objects[6]}`.replace(/\/Resources .*/, "/Resources 90 0 R >>");
    const data = bytesOf("/I Do ".repeat(900));
    const bytes = pdfFile({ ...objects, 6: large, 7: { dictionary: "", data }, 90: resources });
    expect(await listed(memoryBytes(bytes), 3)).toEqual([0, "unsupported", 2]);
  });

  test("with one damaged page, and the others are listed", async () => {
    const damaged = bytesOf(file.replace("\n9 0 obj", "\n8 0 obj"));
    expect(await listed(memoryBytes(damaged), 6)).toEqual([0, 1, "decode", 3, 4, 5]);
    expect(indexOf(await pdf.probe(memoryBytes(damaged), 4))).toBe(3);
  });
});

describe("a hostile file ends in an error after a bounded number of bytes", () => {
  const page = "<< /Type /Page /MediaBox [0 0 9 9] >>";
  const bomb = deflateSync(new Uint8Array(64 << 20));
  test.each<[string, PdfObjects]>([
    ["a page tree that is a circle", { 1: "<< /Pages 2 0 R >>", 2: "<< /Count 3 /Kids [2 0 R 2 0 R] >>" }],
    ["references in a circle", { 1: "<< /Pages 2 0 R >>", 2: "3 0 R", 3: "2 0 R" }],
    ["deep arrays", { 1: `<< /Pages ${"[".repeat(5000)}${"]".repeat(5000)} >>`, 2: page }],
    [
      "a stream that is its own length",
      {
        1: "<< /Pages 2 0 R >>",
        2: "<< /Count 1 /Kids [3 0 R] >>",
        3: "<< /Contents 4 0 R >>",
        4: "<< /Length 4 0 R >>\nstream\nx\nendstream",
      },
    ],
  ])("%s", async (_, objects) => {
    const bytes = countingBytes(pdfFile(objects));
    await expect(pdf.probe(bytes, 2)).rejects.toBeInstanceOf(ImagingError);
    expect(bytes.total()).toBeLessThan(64 << 20);
  });

  test("an object stream that is a bomb", async () => {
    const data = bomb;
    const objects = {
      1: "<< /Pages 2 0 R >>",
      3: { dictionary: "/Type /ObjStm /N 1 /First 4 /Filter /FlateDecode", data },
    };
    const made = latin1(pdfFile(objects, { isStream: true }));
    // Object 2, the second entry after that of object 1, is in object stream 3.
    const at = made.lastIndexOf("stream\n", made.lastIndexOf("endstream") - 1) + 7;
    const inStream = `\x02\x00\x00\x00\x03\x00`;
    await expect(
      pdf.probe(memoryBytes(bytesOf(made.slice(0, at + 12) + inStream + made.slice(at + 18))), 1),
    ).rejects.toMatchObject({ kind: "decode", message: expect.stringContaining("object stream 3") });
  });

  /** An object stream of one object, a dictionary with a string of `length` bytes. */
  const storing = (number: number, length: number, entries = "") => {
    const head = `${number} 0 `;
    const data = deflateSync(bytesOf(`${head}<< ${entries} /Padding (${" ".repeat(length)}) >> `));
    return { dictionary: `/Type /ObjStm /N 1 /First ${head.length} /Filter /FlateDecode`, data };
  };

  test.each([
    ["an object of more than 1 MiB in an object stream", 2 ** 20],
    ["an object stream of more than 2 MiB", 2 ** 21],
  ])("%s", async (_, length) => {
    const made = (bytes: number) => {
      const objects = { ...scanObjects(scans(1)), 9: storing(10, bytes, "/Pages 2 0 R") };
      const catalogIn = latin1(pdfFile(objects, { isStream: true, stored: { 10: 9 } }));
      return bytesOf(catalogIn.replace("/Root 1 0 R", "/Root 10 0 R"));
    };
    expect(await indexes(made(1000), 1)).toEqual([0]);
    await expect(pdf.probe(memoryBytes(made(length)), 1)).rejects.toMatchObject({ kind: "decode" });
  });

  test("many object streams: the page costs the same whether they are in memory or not", async () => {
    const streams = numbers(20).map((i) => 200 + i);
    const stored = Object.fromEntries(streams.map((stream) => [stream + 100, stream]));
    const names = streams.map((stream) => `/G${stream} ${stream + 100} 0 R`).join(" ");
    const using = (used: readonly number[]) => ({
      ...scans(1)[0]!,
      content: `${used.map((stream) => `/G${stream} gs`).join(" ")} q 600 0 0 400 0 0 cm /I Do Q`,
      points: [600, 400] as const,
      resources: `/ExtGState << ${names} >>`,
    });
    const made = (length: number) => {
      const objects = streams.map((stream) => {
        const head = `${stream + 100} 0 `;
        // The object is short: it stays in memory when its stream no longer does.
        const data = deflateSync(bytesOf(`${head}<< >> ${" ".repeat(length)}`));
        const dictionary = `/Type /ObjStm /N 1 /First ${head.length} /Filter /FlateDecode`;
        return [stream, { dictionary, data }] as const;
      });
      const pages = [using(streams.slice(0, 7)), using(streams)];
      const file = { ...scanObjects(pages), ...Object.fromEntries(objects) };
      return memoryBytes(pdfFile(file, { isStream: true, stored }));
    };
    expect(await listed(made(1000), 2)).toEqual([0, 0]);
    // 20 of 2,000,000 bytes are more than 32 MiB; those of the first page are not.
    const large = made(2_000_000);
    await expect(pdf.probe(large, 2, "cold")).rejects.toMatchObject({ kind: "unsupported" });
    expect(indexOf(await pdf.probe(large, 1, "warm"))).toBe(0);
    await expect(pdf.probe(large, 2, "warm")).rejects.toMatchObject({ kind: "unsupported" });
  });

  test("more entries of tables than objects may have, of a byte each", async () => {
    const start = /startxref\s+(\d+)/.exec(file)![1];
    const entriesOf = (pairs: number) => {
      const index = "0 9999 ".repeat(pairs);
      const rows = "\0".repeat(9999 * pairs);
      const dictionary = `/W [1 0 0] /Index [${index}] /Root 1 0 R /Prev ${start} /Length ${rows.length}`;
      const entry = `99 0 obj\n<< ${dictionary} >>\nstream\n${rows}\nendstream\nendobj\n`;
      return memoryBytes(bytesOf(`${file}${entry}startxref\n${file.length}\n%%EOF\n`));
    };
    // Other work of the thread goes on meanwhile.
    let turns = 0;
    let next = setImmediate(function turn() {
      turns++;
      next = setImmediate(turn);
    });
    await expect(pdf.probe(entriesOf(50), 1)).rejects.toBeInstanceOf(ImagingError);
    clearImmediate(next);
    expect(turns).toBeGreaterThan(40);
    await expect(pdf.probe(entriesOf(202), 1)).rejects.toMatchObject({
      kind: "unsupported",
      message: expect.stringContaining("entries"),
    });
  });

  test("which is not parsed again as long as it does not change", async () => {
    for (const [version, broken] of [
      ["table", bytesOf(file.replace("trailer", "trailxx"))],
      ["page", bytesOf(file.replace("\n2 0 obj", "\n7 0 obj"))],
    ] as const) {
      const bytes = countingBytes(broken);
      const first = await pdf.probe(bytes, 1, version).catch((error: unknown) => error);
      const read = bytes.total();
      expect(first).toMatchObject({ kind: "decode" });
      expect(await pdf.probe(bytes, 1, version).catch((error: unknown) => error)).toBe(first);
      expect([read > 0, bytes.total()]).toEqual([true, read]);
      expect(indexOf(await pdf.probe(memoryBytes(flat), 1, `${version} 2`))).toBe(0);
    }
  });

  test("updates without end", async () => {
    const start = /startxref\s+(\d+)/.exec(file)![1];
    const circle = bytesOf(file.replace("/Root 1 0 R", `/Root 1 0 R /Prev ${start}`));
    expect(await indexes(circle, 1)).toEqual([0]);
  });

  test("a list of more pages than there are objects", async () => {
    const objects = scanObjects(scans(6));
    const many = pdfFile({ ...objects, 2: `${objects[2]}`.replace("/Count 6", "/Count 2147483647") });
    expect((await pdf.probe(memoryBytes(many), 1)).pages).toBeLessThan(30);
  });
});

test("mutated files end in an error or in a page, after a bounded number of bytes", async () => {
  const small = (objects: PdfObjects) => {
    const tiny = fixture("jpg-1x1.jpg");
    const each = Object.entries(objects).map(([number, value]) => [
      number,
      typeof value === "string" ? value : value.data.length > 1000 ? { ...value, data: tiny } : value,
    ]);
    return pdfFile(Object.fromEntries(each), { isStream: Object.keys(objects).length % 2 === 0 });
  };
  const bases = [small(nested()), small(scanObjects(scans(6))), small({ ...nested(), 99: "null" })];
  if (hasProgram("qpdf"))
    for (const options of [["--object-streams=generate"], ["--linearize"]])
      bases.push(
        converted("qpdf", [...options, "--warning-exit-0", "in.pdf", "out.pdf"], {
          input: bases[0]!,
          from: "in.pdf",
          to: "out.pdf",
        }),
      );
  if (hasProgram("tesseract")) {
    const scan = { input: fixture("jpg-gray.jpg"), from: "in.jpg", to: "out.pdf" };
    bases.push(converted("tesseract", ["in.jpg", "out", "pdf"], scan));
  }
  const below = seeded(seedOf("mutated PDF"));
  const kinds = new Map<string, number>();
  for (let i = 0; i < (everything ? 2000 : 200); i++) {
    const bytes = countingBytes(mutate(bases[i % bases.length]!, below));
    const page = 1 + below(6);
    const result = await pdf.probe(bytes, page).catch((error: unknown) => error);
    if (result instanceof Error) expect(result, `mutation ${i}`).toBeInstanceOf(ImagingError);
    const rest = await listed(bytes, 6).catch((error: unknown) => error);
    if (rest instanceof Error) expect(rest, `mutation ${i}`).toBeInstanceOf(ImagingError);
    expect(bytes.total()).toBeLessThan(1 << 20);
    const kind = result instanceof ImagingError ? result.kind : "page";
    kinds.set(kind, (kinds.get(kind) ?? 0) + 1);
  }
  // Both ends occur: mutations reach the directory, and do not always break it.
  expect(kinds.get("page")).toBeGreaterThan(20);
  expect(kinds.get("decode")).toBeGreaterThan(20);
});
