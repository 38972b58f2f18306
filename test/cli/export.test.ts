// `smalti export`, as an operator runs it: a folder, an archive, and mistakes.

import { execFileSync } from "node:child_process";
import {
  cpSync,
  existsSync,
  mkdirSync,
  mkdtempSync,
  readdirSync,
  readFileSync,
  rmSync,
  symlinkSync,
  writeFileSync,
} from "node:fs";
import { tmpdir } from "node:os";
import { join } from "node:path";
import { afterAll, beforeAll, describe, expect, test } from "vitest";
import { fixturesFolder } from "../host.ts";
import { type Built, buildProgram } from "./built.ts";

let built: Built;
let folder: string;

beforeAll(async () => {
  built = await buildProgram();
  folder = mkdtempSync(join(tmpdir(), "smalti-export-cli-"));
  mkdirSync(join(folder, "masters/a"), { recursive: true });
  cpSync(join(fixturesFolder, "tif-multipage-3sizes.tif"), join(folder, "masters/a/pages.tif"));
  cpSync(join(fixturesFolder, "jpg-cmyk-adobe.jpg"), join(folder, "masters/1.jpg"));
});
afterAll(() => {
  built.remove();
  rmSync(folder, { recursive: true });
});

const base = "https://static.test/x";
const run = (...args: string[]) => built.command(["export", ...args], { cwd: folder });
const inOwnProcess = (...args: string[]) => built.run(["export", ...args], { cwd: folder });

describe("smalti export", () => {
  test("writes a folder and an archive with the same files, and nothing else", async () => {
    const first = await run("masters", "--to", "out", "--base-url", `${base}/`, "--json");
    expect([first.code, first.err]).toEqual([0, ""]);
    expect(JSON.parse(first.out)).toMatchObject({ images: 4, failed: 0, start: ["collection.json"] });
    const second = await inOwnProcess("masters", "--to", "out.zip", "--base-url", base);
    expect(second.code).toBe(0);
    expect(second.out).toContain(`${base}/collection.json`);
    expect(existsSync(join(folder, "out.zip.work"))).toBe(false);
    const list =
      "import sys, zipfile; z = zipfile.ZipFile('out.zip'); assert z.testzip() is None; z.extractall('unpacked'); print('\\n'.join(z.namelist()))";
    const names = execFileSync("python3", ["-c", list], { cwd: folder, encoding: "utf8" }).trim().split("\n");
    const written = (
      readdirSync(join(folder, "out"), { recursive: true, withFileTypes: true }) as never as {
        parentPath: string;
        name: string;
        isFile(): boolean;
      }[]
    )
      .filter((entry) => entry.isFile())
      .map(({ parentPath, name }) => join(parentPath, name).slice(join(folder, "out").length + 1))
      .filter((name) => !name.startsWith(".smalti-export/"));
    expect(names.sort()).toEqual(written.sort());
    for (const name of names)
      expect(
        readFileSync(join(folder, "unpacked", name)).equals(readFileSync(join(folder, "out", name))),
      ).toBe(true);
  });

  test("replaces an archive with --force alone, and a folder of its name never", async () => {
    writeFileSync(join(folder, "mine.zip"), "mine");
    mkdirSync(join(folder, "folder.zip"));
    const to = (name: string, ...flags: string[]) =>
      run("masters/1.jpg", "--to", name, "--base-url", base, ...flags);
    const refused = await to("mine.zip");
    expect([refused.code, refused.err]).toEqual([
      1,
      expect.stringContaining("give another name by --to FOLDER, or --force to replace it"),
    ]);
    expect(readFileSync(join(folder, "mine.zip"), "utf8")).toBe("mine");
    expect((await to("folder.zip", "--force")).err).toContain("folder.zip is a folder");
    expect(existsSync(join(folder, "folder.zip.work"))).toBe(false);
    expect(await to("mine.zip", "--force")).toMatchObject({ code: 0, err: "" });
    expect(readFileSync(join(folder, "mine.zip")).subarray(0, 2).toString()).toBe("PK");
  });

  test("packs nothing of an interrupted run that this one has not exported", async () => {
    mkdirSync(join(folder, "changing"));
    for (const name of ["1.jpg", "2.jpg"])
      cpSync(join(fixturesFolder, "jpg-gray.jpg"), join(folder, "changing", name));
    await run("changing", "--to", "changing.zip.work", "--base-url", base);
    rmSync(join(folder, "changing/2.jpg"));
    writeFileSync(join(folder, "changing.zip.work/mine.txt"), "mine");
    const unfinished = ".12-3-0b6ac1f4-5d0e-4a53-9d3c-2f7f5f1f7a10.tmp";
    for (const path of ["images/1.jpg", "images/1.jpg/full/max/0", "images/2.jpg", "manifests"])
      writeFileSync(join(folder, "changing.zip.work", path, unfinished), "half");
    expect(await run("changing", "--to", "changing.zip", "--base-url", base)).toMatchObject({ code: 0 });
    const bytes = readFileSync(join(folder, "changing.zip"));
    expect(["1.jpg", "2.jpg", "mine.txt"].map((name) => bytes.includes(`images/${name}/info.json`))).toEqual([
      true,
      false,
      false,
    ]);
    expect(["mine.txt", unfinished].map((name) => bytes.includes(name))).toEqual([false, false]);
    // What is left of the folder is not of the export.
    expect(readdirSync(join(folder, "changing.zip.work"))).toEqual(["mine.txt"]);
  });

  test("says what is left of earlier runs, and first what is still public", async () => {
    mkdirSync(join(folder, "later/closed"), { recursive: true });
    for (const name of ["1.jpg", "2.jpg", "closed/3.jpg"])
      cpSync(join(fixturesFolder, "jpg-gray.jpg"), join(folder, "later", name));
    const source = `sources: [{ name: later, type: filesystem, root: ${JSON.stringify(join(folder, "later"))} }]`;
    const rules = `auth:
  profiles: { room: { pattern: kiosk, access_service: { backend: builtin }, kiosk: { allowed_ips: [192.0.2.4/30] } } }
  rules: [{ match: closed/*, profile: room }]`;
    writeFileSync(join(folder, "open.yaml"), source);
    writeFileSync(join(folder, "closed.yaml"), `${source}\n${rules}`);
    const to = ["--to", "left", "--base-url", base];
    expect(await run(...to, "-config", "open.yaml")).toMatchObject({ code: 0 });
    rmSync(join(folder, "later/2.jpg"));
    const gone = await run(...to, "-config", "open.yaml");
    expect([gone.code, gone.out]).toEqual([
      0,
      expect.stringContaining("1 image of earlier runs is gone: --prune removes it.\n  2.jpg\n"),
    ]);
    const exposed = await inOwnProcess("1.jpg", ...to, "-config", "closed.yaml");
    expect([exposed.code, exposed.out]).toEqual([
      1,
      expect.stringMatching(
        /^1 image and 1 document of earlier runs need a login now and are still public: --prune removes them\.\n {2}closed\/3\.jpg, closed\n/,
      ),
    ]);
    const pruned = await run(...to, "--prune", "-config", "open.yaml", "--json");
    expect(JSON.parse(pruned.out)).toMatchObject({
      stale: [],
      removed: [{ kind: "image", identifier: "2.jpg", reason: "gone" }],
    });
    expect(readdirSync(join(folder, "left/images")).sort()).toEqual(["1.jpg", "closed"]);
  });

  test("says what it leaves out because it needs a login, and ends with 0", async () => {
    const to = ["--to", "public", "--base-url", base, "-config", "closed.yaml"];
    const { code, out, err } = await run(...to);
    expect([code, err]).toEqual([0, ""]);
    expect(out).toMatch(
      /\nleft out: 1 image and 1 document, since .* only readers with one may see them\n {2}closed\/3\.jpg, closed\n/,
    );
    expect(out).not.toContain("failed:");
    expect(readdirSync(join(folder, "public/manifests"))).toEqual(["_images.json"]);
    expect(JSON.parse((await run(...to, "--json")).out)).toMatchObject({
      failed: 0,
      leftOut: { images: 1, documents: 1, identifiers: ["closed/3.jpg", "closed"] },
    });
  });

  test("says what is wrong with its words", async () => {
    expect((await run("masters", "--to", "out")).code).toBe(2);
    const address = await run("masters", "--to", "out", "--base-url", "www.example.org");
    expect([address.code, address.err]).toEqual([
      2,
      expect.stringContaining("--base-url expects an address"),
    ]);
    const inside = await run("masters", "--to", "masters/out", "--base-url", base);
    expect([inside.code, inside.err]).toEqual([1, expect.stringContaining("outside of it")]);
    expect(existsSync(join(folder, "masters/out"))).toBe(false);
  });

  test("never writes where files of others are", async () => {
    mkdirSync(join(folder, "home/images/scan.tmp"), { recursive: true });
    cpSync(join(fixturesFolder, "jpg-gray.jpg"), join(folder, "home/images/scan.tmp/a.jpg"));
    symlinkSync(join(folder, "home/images"), join(folder, "link"));
    const before = readdirSync(join(folder, "home"), { recursive: true });
    const refused = async (to: string, text: string) => {
      const { code, err } = await run("home/images", "--to", to, "--base-url", base);
      expect([code, err]).toEqual([1, expect.stringContaining(text)]);
    };
    await refused("home", "contains the folder of the source");
    await refused("link", "outside of it");
    await refused("link/new", "outside of it");
    await refused("link/new/and/deeper", "outside of it");
    await refused("masters", "not of an export");
    expect(readdirSync(join(folder, "home"), { recursive: true })).toEqual(before);
    const archive = await run("home/images", "--to", "tmp.zip", "--base-url", base);
    expect([archive.code, archive.err]).toEqual([0, ""]);
    expect(readFileSync(join(folder, "tmp.zip")).includes("scan.tmp")).toBe(true);
  });
});
