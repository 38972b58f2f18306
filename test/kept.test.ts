import { mkdtempSync, readdirSync, readFileSync, rmSync, statSync, utimesSync, writeFileSync } from "node:fs";
import { tmpdir } from "node:os";
import { join } from "node:path";
import { afterEach, beforeEach, expect, test, vi } from "vitest";

let folder: string;
beforeEach(() => {
  folder = mkdtempSync(join(tmpdir(), "smalti-kept-"));
  vi.stubEnv("KEPT_FOLDER", folder);
  vi.stubEnv("TEST_ALL", "");
});
afterEach(() => {
  vi.unstubAllEnvs();
  vi.resetModules();
  rmSync(folder, { recursive: true });
});

/** The functions as another process has them. */
const otherProcess = () => {
  vi.resetModules();
  return import("./kept.ts");
};

const input = Uint8Array.of(1, 2, 3);
const making = { program: "encoder", version: "1", options: ["-q", "9"], input };
const made = Uint8Array.of(7, 8, 9);
const entries = () => readdirSync(folder).map((name) => join(folder, name));

/** True if the bytes have to be made; they are right in any case. */
async function makes(of: Partial<typeof making> = {}): Promise<boolean> {
  let asked = false;
  const { kept } = await otherProcess();
  const bytes = kept({ ...making, ...of }, () => {
    asked = true;
    return made;
  });
  expect(bytes).toEqual(made);
  return asked;
}

test("what was made is not made again in another process", async () => {
  expect(await makes()).toBe(true);
  expect(await makes()).toBe(false);
});

test.each([
  ["program", { program: "encode" }],
  ["version", { version: "2" }],
  ["options", { options: ["-q", "90"] }],
  ["division of options", { options: ["-q 9"] }],
  ["input", { input: Uint8Array.of(1, 2, 4) }],
])("another %s makes another result", async (_, other) => {
  await makes();
  expect(await makes(other)).toBe(true);
});

test.each([
  ["cut short", (entry: Buffer) => entry.subarray(0, -1)],
  ["empty", () => Buffer.alloc(0)],
  ["changed in its bytes", (entry: Buffer) => Buffer.from(entry).fill(0, 34)],
  ["changed in its digest", (entry: Buffer) => Buffer.from(entry).fill(0, 0, 1)],
])("an entry that is %s is made again", async (_, damage) => {
  await makes();
  const [path] = entries() as [string];
  const sound = readFileSync(path);
  writeFileSync(path, damage(sound));
  expect(await makes()).toBe(true);
  expect(readFileSync(path)).toEqual(sound);
});

test("TEST_ALL=1 makes everything and keeps nothing", async () => {
  await makes();
  vi.stubEnv("TEST_ALL", "1");
  expect(await makes()).toBe(true);
  expect(await makes({ version: "2" })).toBe(true);
  expect(entries()).toHaveLength(1);
});

test("a failure is thrown on and nothing of it is kept", async () => {
  const { kept } = await otherProcess();
  const fail = () => {
    throw new Error("no such option");
  };
  expect(() => kept(making, fail)).toThrow("no such option");
  expect(entries()).toEqual([]);
  expect(await makes()).toBe(true);
});

test("entries that were not used for 30 days are removed, and a use counts", async () => {
  const [used, unused] = [{ version: "used" }, { version: "unused" }];
  await makes(used);
  await makes(unused);
  const old = new Date(Date.now() - 31 * 86_400_000);
  for (const path of entries()) utimesSync(path, old, old);
  expect(await makes(used)).toBe(false);
  await makes({ version: "a write" });
  expect(entries()).toHaveLength(2);
  expect(await makes(used)).toBe(false);
  expect(await makes(unused)).toBe(true);
});

test("a program converts a file in a folder of its own, once", async () => {
  const log = join(folder, "runs");
  const args = ["-e", 'require("fs").appendFileSync(process.argv[1], "x"); fs.copyFileSync("a", "b")', log];
  for (const _ of [1, 2]) {
    const { converted } = await otherProcess();
    expect(converted(process.execPath, args, { input, from: "a", to: "b" })).toEqual(input);
  }
  expect(statSync(log).size).toBe(1);
});

test("a program that fails or writes no file throws", async () => {
  const { converted } = await otherProcess();
  for (const script of ["process.exit(3)", "0"])
    expect(() => converted(process.execPath, ["-e", script], { input, from: "a", to: "b" })).toThrow();
});
