// ZIP files of other programs: every member has the bytes that went in.

import { execFileSync } from "node:child_process";
import { mkdirSync, mkdtempSync, readFileSync, rmSync, writeFileSync } from "node:fs";
import { tmpdir } from "node:os";
import { dirname, join } from "node:path";
import { downloadZip } from "client-zip";
import { afterAll, describe, expect, it } from "vitest";
import { memoryBytes, type NativeZlib } from "../../../../src/base/index.ts";
import { nativeZlib } from "../../../../src/server/platform/process/zlib.ts";
import { createArchives } from "../../../../src/server/sources/archive/archives.ts";
import { seeded } from "../../../seeded.ts";
import { readByZipJs, writeByZipJs } from "./zip-js.ts";

const folder = mkdtempSync(join(tmpdir(), "smalti-zip-"));
afterAll(() => rmSync(folder, { recursive: true, force: true }));

const random = seeded(63);
const noise = (length: number) => Uint8Array.from({ length }, () => random(256));

/** Contents that deflate makes smaller, that it does not, and none. */
const files: ReadonlyMap<string, Uint8Array> = new Map([
  ["page-001.jpg", noise(40_000)],
  ["text/page-001.xml", new TextEncoder().encode("<String CONTENT='word'/>".repeat(20_000))],
  ["text/Grüße/猫.txt", new TextEncoder().encode("zwei Wörter")],
  ["empty.jpg", new Uint8Array()],
  ["long.bin", new Uint8Array(3_000_000).fill(7)],
]);

/** `zlib`: that of the runtime, instead of the Web's streams. */
async function membersOf(zip: Uint8Array, zlib?: NativeZlib): Promise<ReadonlyMap<string, Uint8Array>> {
  const archives = createArchives({ memoryBytes: 2 ** 32, ...(zlib && { zlib }) });
  const archive = { bytes: memoryBytes(zip), validator: "1", close: async () => {} };
  const found = new Map<string, Uint8Array>();
  for (const name of files.keys()) {
    const image = await archives.open("a", archive, name);
    if (image) found.set(name, await image.bytes.read(0, image.bytes.size ?? 0));
  }
  return found;
}

async function byClientZip(): Promise<Uint8Array> {
  const input = [...files].map(([name, data]) => ({ name, input: data as Uint8Array<ArrayBuffer> }));
  return new Uint8Array(await downloadZip(input).arrayBuffer());
}

async function byInfoZip(...options: readonly string[]): Promise<Uint8Array> {
  const top = mkdtempSync(join(folder, "files-"));
  for (const [name, data] of files) {
    mkdirSync(join(top, dirname(name)), { recursive: true });
    writeFileSync(join(top, name), data);
  }
  execFileSync("zip", ["-q", "-r", ...options, `${top}.zip`, "."], { cwd: top });
  return readFileSync(`${top}.zip`);
}

describe("an archive", () => {
  it.each([
    ["zip.js, deflated", () => writeByZipJs(files, {})],
    ["zip.js, stored", () => writeByZipJs(files, { level: 0 })],
    ["zip.js, ZIP64", () => writeByZipJs(files, { zip64: true })],
    [
      "zip.js, ZIP64 and sizes before the bytes",
      () => writeByZipJs(files, { zip64: true, dataDescriptor: false }),
    ],
    ["zip.js, sizes before the bytes", () => writeByZipJs(files, { dataDescriptor: false })],
    ["client-zip", byClientZip],
    ["Info-ZIP", () => byInfoZip()],
    ["Info-ZIP, stored", () => byInfoZip("-0")],
    ["Info-ZIP, best", () => byInfoZip("-9")],
    ["Info-ZIP, without entries of folders", () => byInfoZip("-D")],
    ["Info-ZIP, without extra fields", () => byInfoZip("-X")],
    ["Info-ZIP, ZIP64", () => byInfoZip("-fz")],
  ])("of %s has the bytes that went in", async (_, write) => {
    const zip = await write();
    for (const zlib of [nativeZlib, undefined]) {
      const found = await membersOf(zip, zlib);
      expect([...found.keys()]).toEqual([...files.keys()]);
      for (const [name, data] of files) expect(Buffer.compare(found.get(name)!, data), name).toBe(0);
    }
  });

  it("of zip.js with a password is refused, and says so", async () => {
    const zip = await writeByZipJs(files, { password: "secret", zipCrypto: true });
    await expect(membersOf(zip)).rejects.toMatchObject({
      code: "archive_unsupported",
      message: expect.stringContaining("without a password"),
    });
  });

  it("that is read here is read by zip.js, too", async () => {
    const found = await readByZipJs(await byInfoZip("-D"));
    expect(new Set(found.keys())).toEqual(new Set(files.keys()));
  });
});
