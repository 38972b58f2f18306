// Directories of ZIP files written by hand: what is read, and what is refused and why.

import { crc32 } from "node:zlib";
import { describe, expect, it } from "vitest";
import { memoryBytes, sectionOf } from "../../../../src/base/index.ts";
import { readDirectory } from "../../../../src/server/sources/archive/directory.ts";
import { separate } from "../../../../src/server/sources/archive/extents.ts";
import { archiveFindings } from "../../../../src/server/sources/archive/findings.ts";
import { findMember } from "../../../../src/server/sources/archive/member.ts";
import { field, numbers, type WrittenMember, writeZip } from "./written-zip.ts";

const text = (value: string) => new TextEncoder().encode(value);
const directoryOf = (zip: Uint8Array) => readDirectory(memoryBytes(zip));

/** Returns the bytes of a stored member; throws if it is refused or not there. */
async function stored(zip: Uint8Array, path: string): Promise<string> {
  const bytes = memoryBytes(zip);
  const directory = await readDirectory(bytes);
  const header = directory.find(path);
  if (typeof header !== "object") throw new Error(`${path}: ${header}`);
  const { offset, length } = await findMember(bytes, directory, header);
  return new TextDecoder().decode(await sectionOf(bytes, offset, length).read(0, length));
}

const member = (name: string | Uint8Array, more: Partial<WrittenMember> = {}): WrittenMember => ({
  name,
  data: text(`data of ${name}`),
  ...more,
});

/** Returns what becomes of one member, next to a good one that is always there. */
async function outcomeOf(one: WrittenMember, path = String(one.name)) {
  const directory = await directoryOf(writeZip([member("good.jpg"), one]));
  expect(directory.find("good.jpg")).toMatchObject({ size: 16 });
  const found = directory.find(path);
  return { found, refused: [...directory.refused] };
}

const damaged = (what: RegExp) => ({
  name: "ServiceError",
  kind: "decode",
  code: "archive_damaged",
  message: expect.stringMatching(what),
});
const unsupported = (what: RegExp) => ({
  name: "ServiceError",
  kind: "unsupported",
  code: "archive_unsupported",
  message: expect.stringMatching(what),
});

describe("a directory of a ZIP file", () => {
  it("lists members and folders, whether folders have entries of their own or not", async () => {
    const directory = await directoryOf(
      writeZip([
        member("a.jpg"),
        member("explicit/", { data: text("") }),
        member("b/c/d.jp2"),
        member("b/e.tif"),
      ]),
    );
    expect(directory.folder("")).toEqual({ files: ["a.jpg"], directories: ["explicit", "b"] });
    expect(directory.folder("explicit")).toEqual({ files: [], directories: [] });
    expect(directory.folder("b")).toEqual({ files: ["e.tif"], directories: ["c"] });
    expect(directory.folder("b/c")).toEqual({ files: ["d.jp2"], directories: [] });
    expect(directory.folder("b/c/d.jp2")).toBeUndefined();
    expect(directory.find("b")).toBeUndefined();
    expect(directory.refused.size).toBe(0);
  });

  it("lists nothing of an archive without members", async () => {
    expect((await directoryOf(writeZip([]))).folder("")).toEqual({ files: [], directories: [] });
  });

  it.each([[false], [true]])("leads to the bytes of each member (ZIP64: %s)", async (zip64) => {
    const localExtra = field(0x5455, text("123456789"));
    const zip = writeZip([member("a.jpg", { localExtra }), member("b/c.jpg")], { zip64 });
    expect(await stored(zip, "a.jpg")).toBe("data of a.jpg");
    expect(await stored(zip, "b/c.jpg")).toBe("data of b/c.jpg");
  });

  it("is found before a comment of any length, also one that holds the end of another archive", async () => {
    for (const comment of [text("x"), new Uint8Array(0xffff), Buffer.concat([writeZip([]), text("!")])])
      expect(await stored(writeZip([member("a.jpg")], { comment }), "a.jpg")).toBe("data of a.jpg");
  });

  it("reads values of ZIP64 for the fields that refer to them alone", async () => {
    const says = { size: 0xffffffff };
    const zip = writeZip([member("a.jpg", { says, extra: field(1, numbers([8, 13])), local: { size: 13 } })]);
    expect(await stored(zip, "a.jpg")).toBe("data of a.jpg");
  });

  it.each([
    ["UTF-8 that says so", text("Bücher/é.jpg"), {}, "Bücher/é.jpg"],
    ["UTF-8 that does not say so", text("Bücher/é.jpg"), { says: { flags: 0 } }, "Bücher/é.jpg"],
    ["code page 437", Uint8Array.of(0x42, 0x81, 0x9b, 0x2e, 0x6a), { says: { flags: 0 } }, "Bü¢.j"],
    [
      "the Unicode field",
      text("?.jpg"),
      { says: { flags: 0 }, extra: field(0x7075, unicode("?.jpg", "猫.jpg")) },
      "猫.jpg",
    ],
    [
      "no Unicode field of another name",
      text("a.jpg"),
      { says: { flags: 0 }, extra: field(0x7075, unicode("b.jpg", "猫.jpg")) },
      "a.jpg",
    ],
  ])("reads names in %s", async (_, name, more, path) => {
    expect((await outcomeOf({ name, ...more }, path)).found).toMatchObject({ size: 0 });
  });

  it.each([".hidden/a.jpg", "__MACOSX/._a.jpg", "a/Thumbs.db", ".DS_Store"])(
    "ignores %s, as a folder would",
    async (name) => {
      expect(await outcomeOf(member(name))).toEqual({ found: undefined, refused: [] });
    },
  );

  it.each([
    "../a.jpg",
    "a/../../b.jpg",
    "/etc/passwd",
    "C:/a.jpg",
    "a\\b.jpg",
    "a\0.jpg",
    "a//b.jpg",
    "./a.jpg",
    "",
    "/",
    "x".repeat(1025),
    `${"a/".repeat(33)}b`,
  ])("refuses the name %j, and serves the others", async (name) => {
    expect(await outcomeOf(member(name))).toEqual({ found: undefined, refused: [["name", 1]] });
  });

  it("refuses a name that is no UTF-8 although it says so", async () => {
    expect((await outcomeOf(member(Uint8Array.of(0xff, 0x2e)))).refused).toEqual([["name", 1]]);
  });

  it.each([
    ["encrypted", "encrypted", { says: { flags: 1 } }],
    ["encrypted strongly", "encrypted", { says: { flags: 1 << 6 } }],
    ["with a masked header", "encrypted", { says: { flags: 1 << 13 } }],
    ["compressed by LZMA", "method", { says: { method: 14 } }],
    ["encrypted by AES", "method", { says: { method: 99 } }],
    ["a symbolic link", "kind", { mode: 0o120777 }],
    ["a device", "kind", { mode: 0o060666 }],
    ["stored with two lengths", "sizes", { says: { size: 5 } }],
    ["deflated by more than deflate can", "sizes", { deflated: true, says: { size: 1_000_000 } }],
    ["behind the directory", "outside", { says: { offset: 100_000 } }],
    ["longer than the archive", "outside", { says: { packed: 100_000, size: 100_000 } }],
    ["on another disk", "outside", { says: { disk: 2 } }],
    [
      "of infinite length",
      "outside",
      { says: { packed: 0xffffffff }, extra: field(1, numbers([8, 2 ** 53])) },
    ],
  ] as const)("refuses a member that is %s, and serves the others", async (_, refusal, more) => {
    expect(await outcomeOf(member("bad.jpg", more))).toEqual({ found: refusal, refused: [[refusal, 1]] });
  });

  it.each([
    ["the same name", "bad.jpg", "bad.jpg"],
    ["two forms of one name", "\u00e9.jpg", "e\u0301.jpg"],
  ])("refuses both of two members with %s", async (_, one, other) => {
    const directory = await directoryOf(writeZip([member("good.jpg"), member(one), member(other)]));
    expect([directory.find(one), directory.find(other)]).toEqual(["twice", "twice"]);
    expect(directory.folder("")?.files).toEqual(["good.jpg"]);
  });

  it("refuses a file that has the name of a folder", async () => {
    const directory = await directoryOf(writeZip([member("a"), member("a/b.jpg")]));
    expect([directory.find("a"), directory.folder("a")?.files]).toEqual(["twice", ["b.jpg"]]);
    expect(directory.folder("")).toEqual({ files: [], directories: ["a"] });
  });

  it("refuses an archive whose members overlap", async () => {
    const inner = { local: { size: 4 } };
    const same = [member("a.jpg"), member("b.jpg", { says: { offset: 0 }, ...inner })];
    await expect(directoryOf(writeZip(same))).rejects.toMatchObject(damaged(/overlap/));
    const quoting = [member("a.jpg", { says: { size: 30, packed: 30 } }), member("b.jpg")];
    await expect(directoryOf(writeZip(quoting))).rejects.toMatchObject(damaged(/overlap/));
  });

  it.each([
    ["a part of a split archive", { disk: 1 }, unsupported(/split/)],
    ["an archive that begins on another disk", { first: 1 }, unsupported(/split/)],
    ["an archive with members elsewhere", { onDisk: 1 }, unsupported(/split/)],
    ["an archive with more members than it says", { entries: 1, onDisk: 1 }, damaged(/more members/)],
    ["an archive with fewer members than it says", { entries: 3, onDisk: 3 }, damaged(/directory/)],
    ["a directory behind its end", { offset: 100_000 }, damaged(/directory/)],
    ["a directory that is longer than the archive", { length: 100_000 }, damaged(/directory/)],
    ["a directory that is shorter than its headers", { length: 60 }, damaged(/directory/)],
    ["a directory that is none", { offset: 3 }, damaged(/directory/)],
  ])("refuses %s", async (_, end, error) => {
    const zip = writeZip([member("a.jpg"), member("b.jpg")], { end });
    await expect(directoryOf(zip)).rejects.toMatchObject(error);
  });

  it("refuses an archive with two ends", async () => {
    const one = writeZip([]);
    const comment = Buffer.concat([one.subarray(0, 20), numbers([2, 0])]);
    await expect(directoryOf(writeZip([member("a.jpg")], { comment }))).rejects.toMatchObject(
      damaged(/two ends/),
    );
  });

  it("refuses a file that is cut anywhere, or empty, or no ZIP file", async () => {
    const zip = writeZip([member("a.jpg"), member("b.jpg")], { zip64: true });
    for (let length = 0; length < zip.length; length++)
      await expect(directoryOf(zip.subarray(0, length)), String(length)).rejects.toMatchObject(damaged(/./));
    await expect(directoryOf(new Uint8Array(100_000))).rejects.toMatchObject(damaged(/end is missing/));
  });

  it("refuses too many members before it reads any", async () => {
    const end = { entries: 0xffff, onDisk: 0xffff, length: 0xffffffff };
    const zip = Buffer.from(writeZip([member("a.jpg")], { zip64: true, end }));
    const record = zip.length - 22 - 20 - 56;
    zip.writeBigUInt64LE(500_001n, record + 24);
    zip.writeBigUInt64LE(500_001n, record + 32);
    await expect(directoryOf(zip)).rejects.toMatchObject(unsupported(/500000 members/));
  });

  it("refuses more folders than names are worth", async () => {
    const levels = Array.from({ length: 30 }, (_, level) => level).join("/");
    const members = Array.from({ length: 3300 }, (_, n) => member(`${n}/${levels}/a.jpg`));
    await expect(directoryOf(writeZip(members))).rejects.toMatchObject(unsupported(/100000 folders/));
    expect((await directoryOf(writeZip(members.slice(1000)))).folder("1000/0/1")).toBeDefined();
  });

  it("lists no more than 20,000 images and as many other files of a folder, and finds all", async () => {
    const images = Array.from({ length: 20_001 }, (_, n) => member(`a/${n}.jpg`));
    const texts = Array.from({ length: 20_002 }, (_, n) => member(`a/${n}.xml`));
    const folders = Array.from({ length: 20_003 }, (_, n) => member(`b/${n}/`));
    const directory = await directoryOf(writeZip([...images, ...texts, ...folders, member("a/late.jpg")]));
    const files = directory.folder("a")?.files ?? [];
    expect([files.filter((name) => name.endsWith(".jpg")).length, files.length]).toEqual([20_000, 40_000]);
    expect(directory.folder("b")?.directories).toHaveLength(20_000);
    expect(directory.unlisted).toBe(1 + 2 + 3 + 1);
    expect(archiveFindings(directory).map(({ code, text }) => [code, Number.parseInt(text, 10)])).toEqual([
      ["archive_unlisted", 7],
    ]);
    expect(directory.find("a/late.jpg")).toMatchObject({ name: "a/late.jpg" });
    expect(directory.folder("b/20002")).toBeDefined();
  });

  it.each([
    ["in order", [0, 10, 30], [10, 20, 40], [0, 10, 30, 40]],
    ["in another order", [30, 0, 10], [40, 10, 20], [0, 10, 30, 40]],
    ["that overlap", [0, 10, 15], [10, 20, 40], undefined],
    ["of which one contains others", [0, 30, 10], [40, 35, 20], undefined],
    ["that begin together", [10, 0, 10], [20, 10, 20], undefined],
    ["behind the end", [0, 10], [10, 41], undefined],
  ])("tells extents %s apart", (_, offsets, ends, found) => {
    const given = {
      count: offsets.length,
      offsets: Float64Array.from(offsets),
      ends: Float64Array.from(ends),
    };
    expect(separate(given, 40)).toEqual(found && Float64Array.from(found));
  });

  it("refuses a local header that contradicts it", async () => {
    const bad: Partial<WrittenMember>[] = [
      { localName: "b.jpg" },
      { localName: "longer.jpg" },
      { local: { method: 8 } },
      { local: { crc: 1 } },
      { local: { size: 12 } },
      { local: { flags: 1 } },
    ];
    for (const more of bad)
      await expect(
        stored(writeZip([member("a.jpg", more)]), "a.jpg"),
        JSON.stringify(more),
      ).rejects.toMatchObject(damaged(/contradicts/));
    await expect(
      stored(writeZip([member("a.jpg", { says: { offset: 5, packed: 2, size: 2 } })]), "a.jpg"),
    ).rejects.toMatchObject(damaged(/directory says/));
  });

  it("takes sizes from the directory if the local header has them after the bytes", async () => {
    const streamed = { says: { flags: 1 << 3 }, local: { crc: 0, size: 0, packed: 0 } };
    expect(await stored(writeZip([member("a.jpg", streamed)]), "a.jpg")).toBe("data of a.jpg");
  });

  it("refuses a member that reaches into the next one by its local header", async () => {
    const zip = Buffer.from(writeZip([member("a.jpg"), member("b.jpg")]));
    zip.writeUInt16LE(10, 28);
    await expect(stored(zip, "a.jpg")).rejects.toMatchObject(damaged(/overlap/));
    expect(await stored(zip, "b.jpg")).toBe("data of b.jpg");
  });
});

function unicode(raw: string, name: string): Uint8Array {
  return Buffer.concat([numbers([1, 1], [4, crc32(raw)]), text(name)]);
}
