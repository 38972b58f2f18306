// `smalti doctor FOLDER` and `smalti purge`, as an operator runs them.

import { execFileSync } from "node:child_process";
import {
  chmodSync,
  cpSync,
  mkdirSync,
  mkdtempSync,
  readdirSync,
  readFileSync,
  rmSync,
  writeFileSync,
} from "node:fs";
import { createServer } from "node:http";
import type { AddressInfo } from "node:net";
import { tmpdir } from "node:os";
import { join } from "node:path";
import sharp from "sharp";
import { afterAll, beforeAll, describe, expect, test } from "vitest";
import { fixturesFolder } from "../host.ts";
import { type Built, buildProgram } from "./built.ts";

let built: Built;
let folder: string;

beforeAll(async () => {
  built = await buildProgram();
  folder = mkdtempSync(join(tmpdir(), "smalti-survey-cli-"));
  mkdirSync(join(folder, "masters/sound"), { recursive: true });
  for (const name of ["jpg-orient-6.jpg", "jpg-cmyk-adobe.jpg"])
    cpSync(join(fixturesFolder, name), join(folder, "masters/sound", name));
  const plain = { create: { width: 1400, height: 1100, channels: 3, background: "#336699" } } as const;
  writeFileSync(join(folder, "masters/sound/photo.jpg"), await sharp(plain).jpeg().toBuffer());
  const root = JSON.stringify(join(folder, "masters"));
  const on = `{ backend: filesystem, path: ${JSON.stringify(join(folder, "cache"))} }`;
  const sources = `sources: [{ name: masters, type: filesystem, root: ${root} }]`;
  writeFileSync(
    join(folder, "smalti.yaml"),
    `${sources}\ncache: { info: ${on}, origin: ${on}, render: ${on} }\n`,
  );
  writeFileSync(join(folder, "memory.yaml"), `${sources}\ncache: { origin: { backend: heap } }\n`);
});
afterAll(() => {
  built.remove();
  rmSync(folder, { recursive: true });
});

const run = (...args: string[]) => built.command(args, { cwd: folder });
const inOwnProcess = (...args: string[]) => built.run(args, { cwd: folder });

describe("smalti doctor FOLDER", () => {
  test("groups what is odd, and exits 0 if nothing is wrong", async () => {
    const { code, out, err } = await inOwnProcess("doctor", "masters");
    expect([code, err]).toEqual([0, ""]);
    expect(out).toMatch(/^3 files, /);
    expect(out).toMatch(/\nnote: 1 file \[orientation\]\n.*\n {2}files: sound\/jpg-orient-6\.jpg/);
    expect(out).toMatch(/\nnote: 1 file \[cmyk_without_profile\]/);
    expect(out).toContain('exiftool "-icc_profile<=PROFILE.icc" masters/sound/jpg-cmyk-adobe.jpg');
    expect(out).toMatch(/\nNo problem was found\.\n$/);
  });

  test("exits 1 if a file is damaged, and counts it", async () => {
    mkdirSync(join(folder, "masters/bad"));
    cpSync(join(fixturesFolder, "bad-trunc-50.png"), join(folder, "masters/bad/it's.png"));
    writeFileSync(join(folder, "masters/bad/text.tif"), "no image");
    const { code, out } = await inOwnProcess(
      "doctor",
      "bad",
      "-config",
      "smalti.yaml",
      "--json",
      "--measure",
    );
    expect(code).toBe(1);
    const report = JSON.parse(out);
    expect(report).toMatchObject({ files: 2, problems: 2, formats: { png: 1, none: 1 }, limited: false });
    expect(report.groups[0]).toMatchObject({ level: "problem", files: 1 });
    const limited = await run("doctor", "masters", "--limit", "2", "--json");
    expect(JSON.parse(limited.out)).toMatchObject({ files: 2, limited: true });
    rmSync(join(folder, "masters/bad"), { recursive: true });
  });
});

test("a report names files that end early without --measure, and no sound ones", async () => {
  const top = mkdtempSync(join(tmpdir(), "smalti-cut-"));
  const cut = [
    "jpg-baseline-420.jpg",
    "png-rgba16.png",
    "tif-jpeg-ycbcr-tiled.tif",
    "webp-lossy.webp",
    "jp2-reversible.jp2",
    "gif-animated-4.gif",
  ];
  for (const name of cut) {
    const whole = readFileSync(join(fixturesFolder, name));
    writeFileSync(join(top, `cut-${name}`), whole.subarray(0, name.endsWith(".tif") ? -100 : -200));
    writeFileSync(join(top, `more-${name}`), Buffer.concat([whole, Buffer.from("more ".repeat(50))]));
    writeFileSync(join(top, `sound-${name}`), whole);
  }
  const { code, out } = await built.command(["doctor", ".", "--json"], {
    cwd: top,
    env: { XDG_CACHE_HOME: top },
  });
  rmSync(top, { recursive: true });
  const { groups, problems } = JSON.parse(out);
  const damaged = groups
    .filter(({ level }: { level: string }) => level === "problem")
    .flatMap(({ examples }: { examples: readonly string[] }) => examples);
  expect([code, problems, damaged.sort()]).toEqual([1, cut.length, cut.map((name) => `cut-${name}`).sort()]);
});

test("a report names every damaged file, each kind of damage, and what the user may not read", async () => {
  const top = mkdtempSync(join(tmpdir(), "smalti-messy-"));
  mkdirSync(join(top, "closed"));
  for (let n = 1; n <= 5; n++) writeFileSync(join(top, `text-${n}.jpg`), "no image");
  writeFileSync(join(top, "empty.jpg"), "");
  cpSync(join(fixturesFolder, "jpg-cmyk-icc.jpg"), join(top, "inks.jpg"));
  cpSync(join(fixturesFolder, "jpg-cmyk-adobe.jpg"), join(top, "bare-inks.jpg"));
  cpSync(join(fixturesFolder, "base.png"), join(top, "locked.png"));
  chmodSync(top, 0o755);
  for (const name of ["locked.png", "closed"]) chmodSync(join(top, name), 0);
  const user = process.getuid?.() === 0 ? { uid: 65534 } : {};
  const { code, out } = await built.run(["doctor", "."], { cwd: top, env: { XDG_CACHE_HOME: top }, ...user });
  chmodSync(join(top, "closed"), 0o755);
  rmSync(top, { recursive: true });
  expect(code).toBe(1);
  expect(out).toMatch(/\[header_unsupported_format\]\n.*\n {2}files: text-1\.jpg(, text-\d\.jpg){4}\n/);
  expect(out).toMatch(/\[header_empty_file\]\n {2}This file is empty\.\n {2}files: empty\.jpg\n/);
  expect(out).toMatch(/ has no permission to read this\.\n {2}files: locked\.png\n/);
  expect(out).not.toContain("Ask the operator");
  expect(out).toMatch(/\nnote: 1 file \[cmyk\]\n.*\n {2}files: inks\.jpg\n/);
  expect(out).toMatch(
    /\nfolders that cannot be listed:\n {2}closed: .* permission .*\n\nOnly headers .* --measure .*\nFound: 7 files with problems, 1 folder that cannot be listed\.\n$/,
  );
});

describe("the commands of the report", () => {
  let images: string;
  beforeAll(async () => {
    images = join(folder, "odd names");
    mkdirSync(images);
    const wide = { create: { width: 12_000, height: 6000, channels: 3, background: "#336699" } } as const;
    const slow = await sharp(wide).jpeg({ progressive: true }).toBuffer();
    writeFileSync(join(images, '-it\'s a \n "map".jpg'), slow);
    cpSync(join(fixturesFolder, "jpg-orient-6.jpg"), join(images, "fine.jpg"));
    writeFileSync(
      join(folder, "prefixed.yaml"),
      `sources: [{ name: maps, type: filesystem, prefix: maps/, root: ${JSON.stringify(images)} }]\n`,
    );
  });
  afterAll(() => rmSync(images, { recursive: true }));

  test.each([
    { args: ["odd names"], below: "." },
    { args: ["."], below: "odd names" },
    { args: ["-config", "prefixed.yaml"], below: "." },
  ])("on $args run as they are in its folder, whatever the files are called", async ({ args, below }) => {
    const cwd = join(folder, below);
    const env = { XDG_CACHE_HOME: mkdtempSync(join(folder, "cache-")) };
    const { out } = await built.command(["doctor", ...args, "--json"], { cwd, env });
    const { groups, slow: count } = JSON.parse(out);
    const { text, command } = groups.find(({ code }: { code: string }) => code === "slow_first");
    expect([count, text]).toEqual([1, expect.stringContaining("expected to take about 1.")]);
    expect(command.split("\n")).toHaveLength(2);
    const program = `smalti() { '${process.execPath}' '${join(built.dist, "main.js")}' "$@"; }`;
    execFileSync("bash", ["-ec", `${program}\n${command}`], { cwd, env: { ...process.env, ...env } });
    expect(readdirSync(images)).toContain('-it\'s a \n "map".new.tif');
    rmSync(join(images, '-it\'s a \n "map".new.tif'));
    const warm = await built.command(["doctor", ...args], { cwd, env });
    expect(warm.out).not.toContain("slow_first");
  });
});

test("smalti doctor of an empty folder finds nothing", async () => {
  mkdirSync(join(folder, "empty"));
  const { code, out } = await run("doctor", "empty");
  expect([code, out]).toEqual([
    0,
    expect.stringMatching(/^0 files, 0 megapixels, in \d+ s\n\nNo problem was found\.\n$/),
  ]);
});

describe("smalti purge", () => {
  const purged = async (...args: string[]) =>
    JSON.parse((await inOwnProcess("purge", ...args, "--json")).out).purged;
  const warm = () => run("warm", "-config", "smalti.yaml");

  test("removes what is cached of an image, a folder, or everything", async () => {
    await warm();
    const one = await purged("sound/photo.jpg", "-config", "smalti.yaml");
    expect(one).toMatchObject({ info: 1 });
    expect(Math.min(one.render, one.origin)).toBeGreaterThan(0);
    expect(await purged("sound/photo.jpg", "-config", "smalti.yaml")).toEqual({
      info: 0,
      render: 0,
      origin: 0,
      text: 0,
      changes: 0,
    });
    expect((await purged("--folder", "sound", "-config", "smalti.yaml")).info).toBeGreaterThanOrEqual(2);
    await warm();
    expect((await purged("--all", "-config", "smalti.yaml")).info).toBeGreaterThanOrEqual(3);
    expect(JSON.parse((await run("warm", "-config", "smalti.yaml", "--json")).out)).toMatchObject({
      filesMade: 3,
    });
  });

  test("says of an unknown identifier what was probably meant, and ends with 1", async () => {
    await warm();
    const ask = (...args: string[]) => run("purge", ...args, "-config", "smalti.yaml");
    const cases = [
      ["sound/foto.jpg", "Did you mean sound/photo.jpg?"],
      ["sound/photo.jpeg", "Did you mean sound/photo.jpg?"],
      ["sond/photo.jpg", "Did you mean sound/photo.jpg?"],
      ["sound%2Fphoto.jpg", "Did you mean sound/photo.jpg?"],
      ["sound", "It is a folder: purge it with --folder."],
      ["quite/another.tif", "Check its spelling."],
    ] as const;
    for (const [identifier, advice] of cases) {
      const { code, out, err } = await ask(identifier);
      expect([code, err]).toEqual([1, ""]);
      expect(out).toMatch(/^0 entries removed: render 0, info 0, origin 0, text 0, changes 0\n/);
      expect(out).toContain(`Nothing was cached of ${identifier}, and no source has an image`);
      expect(out).toContain(advice);
    }
    const both = await ask("sound/foto.jpg", "sound/photo.jpg");
    expect([both.code, both.out]).toEqual([1, expect.stringMatching(/^[1-9]\d* entries removed/)]);
    // It is there, and nothing is left to remove.
    expect(await ask("sound/photo.jpg")).toMatchObject({ code: 0, err: "" });
  });

  test.each([
    ["sond", "Did you mean sound?"],
    ["sound/photo.jpg", "It is an image: purge it by its identifier."],
    ["quite-another", "Check its spelling."],
  ])("says of the unknown folder %s: %s", async (name, advice) => {
    const { code, out, err } = await run("purge", "--folder", name, "-config", "smalti.yaml");
    expect([code, out]).toEqual([1, ""]);
    expect(err).toContain(`received ${name}, which no source has. ${advice}`);
  });

  test("asks a running server for what it has in memory", async () => {
    const env = { SERVICE_ADMIN_USER: "ada", SERVICE_ADMIN_PASS: "Grüße?~>?pass?>~" };
    const server = await built.serve(["-config", "memory.yaml"], { cwd: folder, env });
    await (await fetch(`${server.url}/iiif/3/sound%2Fphoto.jpg/full/max/0/default.jpg`)).arrayBuffer();
    const ask = (over: Record<string, string>) =>
      built.command(["purge", "sound/photo.jpg", "--url", server.url, "--json"], { cwd: folder, env: over });
    expect((await ask({})).err).toContain("SERVICE_ADMIN_USER");
    expect(JSON.parse((await ask(env)).out).purged).toMatchObject({ info: 1, render: 1 });
    const unknown = ["purge", "sound/foto.jpg", "--url", server.url];
    expect(await built.command(unknown, { cwd: folder, env })).toMatchObject({
      code: 1,
      out: expect.stringContaining("Did you mean sound/photo.jpg?"),
    });
    server.process.kill();
    await server.ended;
    const here = await run("purge", "sound/photo.jpg", "-config", "memory.yaml");
    expect([here.code, here.err]).toEqual([1, expect.stringContaining("use --url")]);
    expect((await ask(env)).err).toContain("cannot be reached");
  });

  test.each([
    [202, { running: true }, 0, /continues on the server/],
    [202, { purged: 1 }, 1, /responded with 202, but with no report of a purge/],
    [200, null, 1, /responded with 200, but with no report/],
    [200, { ok: true }, 1, /--url has to be the address of this service/],
    [500, null, 1, /responded with 500: no reason/],
    [503, { detail: "busy \x1b]0;owned\x07 now" }, 1, /responded with 503: busy +\]0;owned +now/],
  ])("says what a server means that responds with %i %j", async (status, body, code, text) => {
    const server = createServer((_, response) => {
      response.writeHead(status).end(JSON.stringify(body));
    });
    await new Promise<void>((done) => server.listen(0, "127.0.0.1", done));
    const { port } = server.address() as AddressInfo;
    const found = await run("purge", "--folder", "a", "--url", `http://127.0.0.1:${port}`);
    server.close();
    expect([found.code, found.out + found.err]).toEqual([code, expect.stringMatching(text)]);
    expect(found.err).not.toMatch(/\p{Cc}(?!$)/u);
  });

  test("needs a choice", async () => {
    expect((await run("purge", "-config", "smalti.yaml")).code).toBe(2);
    expect((await run("purge", "a.jpg", "--all", "-config", "smalti.yaml")).code).toBe(2);
    for (const folder of ["/", "//", " "])
      expect(await run("purge", "--folder", folder, "-config", "smalti.yaml")).toMatchObject({
        code: 2,
        err: expect.stringContaining("use --all to purge everything"),
      });
  });
});
