// `smalti render` and `smalti info`, compared with what the server says of the same file.

import { execFileSync } from "node:child_process";
import {
  cpSync,
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
import sharp from "sharp";
import { afterAll, beforeAll, describe, expect, test } from "vitest";
import { fixturesFolder } from "../host.ts";
import { type Built, buildProgram } from "./built.ts";

let built: Built;
let folder: string;
let url: string;

beforeAll(async () => {
  built = await buildProgram();
  folder = mkdtempSync(join(tmpdir(), "smalti-render-"));
  mkdirSync(join(folder, "in"));
  for (const name of ["base.png", "jpg-orient-6.jpg", "tif-multipage-3sizes.tif", "bad-trunc-50.jpg"])
    cpSync(join(fixturesFolder, name), join(folder, "in", name));
  ({ url } = await built.serve([join(folder, "in")]));
});
afterAll(() => {
  built.remove();
  rmSync(folder, { recursive: true });
});

const run = (...args: string[]) => built.command(args, { cwd: folder });
const inOwnProcess = (...args: string[]) => built.run(args, { cwd: folder });
const served = async (path: string) =>
  new Uint8Array(await (await fetch(`${url}/iiif/3/${path}`)).arrayBuffer());

describe("render", () => {
  test.each([
    ["base.png", "full/!60,60/0/default.jpg", []],
    ["base.png", "100,50,200,100/max/90/gray.png", []],
    ["jpg-orient-6.jpg", "full/200,/0/default.webp", []],
    ["tif-multipage-3sizes.tif", "full/max/0/default.jpg", ["--page", "2"]],
  ])("writes what the server sends of %s: %s %j", async (name, request, flags) => {
    expect(await run("render", `in/${name}`, request, "-o", "out", "--force", ...flags)).toEqual({
      code: 0,
      out: "",
      err: "",
    });
    const expected = await served(`${flags.length > 0 ? `${name};2` : name}/${request}`);
    expect(Buffer.compare(readFileSync(join(folder, "out")), expected)).toBe(0);
  });

  test("replaces a file with --force alone, and never its own input, a folder, a link or a device", async () => {
    cpSync(join(fixturesFolder, "base.png"), join(folder, "own.png"));
    writeFileSync(join(folder, "mine"), "mine");
    for (const [name, target] of [
      ["link", "mine"],
      ["dangling", "nowhere"],
      ["other.png", "own.png"],
    ] as const)
      symlinkSync(join(folder, target), join(folder, name));
    const refused = async (out: string, text: string, ...flags: string[]) =>
      expect(await run("render", "own.png", "full/30,/0/default.png", "-o", out, ...flags), out).toEqual({
        code: 1,
        out: "",
        err: expect.stringContaining(text),
      });
    await refused("mine", "exists already; give another name by -o FILE, or --force to replace it");
    await refused("own.png", "would replace itself", "--force");
    const ofPage = ["render", "own.png;2", "full/30,/0/default.png", "-o", "own.png", "--force"];
    expect(await run(...ofPage)).toMatchObject({
      code: 1,
      err: expect.stringContaining("own.png is read by this command, and would replace itself"),
    });
    await refused("in", "in is a folder", "--force");
    await refused("link", "is a symbolic link", "--force");
    await refused("dangling", "is a symbolic link", "--force");
    await refused("other.png", "is a symbolic link", "--force");
    await refused("/dev/null", "is a device", "--force");
    expect(readFileSync(join(folder, "mine"), "utf8")).toBe("mine");
    expect(readFileSync(join(folder, "own.png")).equals(readFileSync(join(fixturesFolder, "base.png")))).toBe(
      true,
    );
    writeFileSync(join(folder, "own.yaml"), "image: { jpeg_quality: 80 }\n");
    await refused("own.yaml", "would replace itself", "--force", "-config", "own.yaml");
    const replaced = await run("render", "own.png", "full/30,/0/default.png", "-o", "mine", "--force");
    expect([replaced.code, (await sharp(join(folder, "mine")).metadata()).width]).toEqual([0, 30]);
    rmSync(join(folder, "mine"));
  });

  test.each([
    ["b.png", "full/30,/0/default.jpg", /write -o b\.jpg, or request full\/30,\/0\/default\.png/],
    ["b.PNG", "full/30,/0/default.jpg", /write -o b\.jpg, or request full\/30,\/0\/default\.png/],
    ["b.jpeg", "full/30,/0/gray.png", /write -o b\.png, or request full\/30,\/0\/gray\.jpg/],
    ["b.tiff", "full/30,/0/default.webp", /write -o b\.webp, or request full\/30,\/0\/default\.tif/],
    ["b.jpg.webp", "full/30,/0/default.jpg", /write -o b\.jpg\.jpg, or request .*default\.webp/],
    ["in/../b.webp", "full/30,/0/default.tif", /write -o in\/\.\.\/b\.tif, or request .*default\.webp/],
    ["b.gif", "full/30,/0/default.jpg", /than image\/jpeg, .*; write -o b\.jpg\n$/],
    ["b.bmp", "full/30,/0/default.png", /than image\/png, .*; write -o b\.png\n$/],
  ])("does not write %s for %s, and says both corrections", async (output, request, message) => {
    const before = readdirSync(folder);
    const { code, out, err } = await run("render", "in/base.png", request, "-o", output, "--force");
    expect([code, out, err]).toEqual([2, "", expect.stringMatching(message)]);
    expect(readdirSync(folder)).toEqual(before);
  });

  test.each([
    ["c.JPG", "full/30,/0/default.jpg"],
    ["c.jpeg", "full/30,/0/default.jpg"],
    ["c.TIFF", "full/30,/0/default.tif"],
    ["c.data", "full/30,/0/default.png"],
    ["c", "full/30,/0/default.png"],
    [".png", "full/30,/0/default.jpg"],
  ])("writes %s for %s", async (output, request) => {
    expect(await run("render", "in/base.png", request, "-o", output)).toMatchObject({ code: 0, err: "" });
    expect((await sharp(join(folder, output)).metadata()).width).toBe(30);
    rmSync(join(folder, output));
  });

  test("writes to the standard output", async () => {
    const args = ["render", "in/base.png", "full/30,/0/default.png", "-o", "-"];
    const bytes = execFileSync(process.execPath, [join(built.dist, "main.js"), ...args], {
      cwd: folder,
      env: { ...process.env, HOME: folder },
    });
    const { width, height, format } = await sharp(bytes).metadata();
    expect([width, height, format]).toEqual([30, 20, "png"]);
  });

  test("says with --json what it wrote", async () => {
    const { code, out } = await inOwnProcess(
      "render",
      "in/base.png",
      "full/!60,60/0/default.jpg",
      "-o",
      "j.jpg",
      "--json",
    );
    const bytes = readFileSync(join(folder, "j.jpg")).length;
    expect([code, JSON.parse(out)]).toEqual([
      0,
      { output: "j.jpg", request: "full/60,40/0/default.jpg", width: 60, height: 40, bytes },
    ]);
  });

  test.each<[readonly string[], number, RegExp]>([
    [["in/base.png", "full/max/0/default.jpg"], 2, /render needs --output OUT/],
    [["in/base.png", "-o", "x"], 2, /render needs REQUEST/],
    [
      ["in/base.png", "full/max/default.jpg", "-o", "x"],
      2,
      /REQUEST expects region\/size\/rotation\/quality\.format/,
    ],
    [["in/base.png", "full/full/0/default.jpg", "-o", "x"], 2, /Expected a size/],
    [["in/base.png", "full/max/0/default.bmp", "-o", "x"], 2, /format/],
    [["in/base.png", "9000,0,10,10/max/0/default.jpg", "-o", "x"], 1, /region/],
    [["in/none.png", "full/max/0/default.jpg", "-o", "x"], 1, /in\/none\.png, which does not exist here/],
    [["in", "full/max/0/default.jpg", "-o", "x"], 1, /which is a folder/],
    [["in/base.png", "full/max/0/default.jpg", "-o", "x", "--page", "2"], 1, /page/i],
    [
      ["in/bad-trunc-50.jpg", "full/max/0/default.jpg", "-o", "x"],
      1,
      /damaged or ends early.*nothing was written/,
    ],
    [["in/base.png", "full/max/0/default.jpg", "-o", "in/base.png/x"], 1, /ENOTDIR|EEXIST/],
  ])("%j is refused in one line, and nothing is written", async (args, status, message) => {
    const { code, out, err } = await run("render", ...args);
    expect([code, out, err]).toEqual([status, "", expect.stringMatching(message)]);
    expect(err.trimEnd().split("\n").length).toBe(1);
    expect(readdirSync(folder)).not.toContain("x");
    expect(readdirSync(folder).filter((name) => name.endsWith(".tmp"))).toEqual([]);
  });

  test("ends with exit code 130 when it is interrupted", async () => {
    // A picture that takes seconds to encode.
    const plain = { width: 12_000, height: 12_000, channels: 3, background: "#369" } as const;
    await sharp({ create: plain }).png({ compressionLevel: 1 }).toFile(join(folder, "large.png"));
    const args = ["render", "large.png", "full/max/0/default.png", "-o", "large.out"];
    // A process that does not listen for it yet ends by the signal, without a code.
    const script = "process.on('newListener', (name) => name === 'SIGINT' && console.log('listens'));";
    const flags = ["--import", `data:text/javascript,${encodeURIComponent(script)}`];
    const running = built.start(args, { cwd: folder, flags });
    await running.said(/listens/);
    running.process.kill("SIGINT");
    expect(await running.ended).toEqual({ code: 130, out: "listens\n", err: "smalti: interrupted\n" });
    expect(readdirSync(folder)).not.toContain("large.out");
  });

  test("keeps the limits of a configuration, but not its sources", async () => {
    const root = JSON.stringify(fixturesFolder);
    writeFileSync(
      join(folder, "limits.yaml"),
      `sources: [{ name: other, type: filesystem, root: ${root} }]\nimage: { max_output_width: 50 }`,
    );
    const { code } = await run(
      ...["render", "in/base.png", "full/max/0/default.jpg", "-o", "small.jpg", "-config", "limits.yaml"],
    );
    expect([code, (await sharp(join(folder, "small.jpg")).metadata()).width]).toEqual([0, 50]);
  });
});

describe("info", () => {
  test("has the info.json of the server, and facts as sharp finds them", async () => {
    const { code, out, err } = await inOwnProcess("info", "in/jpg-orient-6.jpg", "--json");
    expect([code, err]).toEqual([0, ""]);
    const facts = JSON.parse(out);
    const sent = JSON.parse(new TextDecoder().decode(await served("jpg-orient-6.jpg/info.json")));
    expect({ ...facts.info, id: sent.id }).toEqual(sent);
    const { width, height, orientation } = await sharp(join(folder, "in/jpg-orient-6.jpg")).metadata();
    expect(facts).toMatchObject({
      path: "in/jpg-orient-6.jpg",
      picture: { format: "jpg", size: { width, height }, pages: 1, bands: 3, depth: 8 },
      metadata: { orientation },
      problems: [],
    });
    expect(facts.costs.expected.length).toBeGreaterThan(0);
  });

  test("prints sections for people", async () => {
    const { code, out, err } = await run("info", "in/tif-multipage-3sizes.tif", "--page", "3");
    expect([code, err]).toEqual([0, ""]);
    expect(out).toMatch(/^in\/tif-multipage-3sizes\.tif\n\nFile\n/);
    const { width, height } = await sharp(join(folder, "in/tif-multipage-3sizes.tif"), {
      page: 2,
    }).metadata();
    expect(out).toMatch(new RegExp(`^ {2}Size as stored +${width} × ${height}, `, "m"));
    expect(out).toMatch(/^ {2}Pages +3$/m);
    expect(out).not.toContain(folder);
  });

  test("of what is no image says so, and exits 1", async () => {
    writeFileSync(join(folder, "in/text.jpg"), "text");
    const { code, out } = await inOwnProcess("info", "in/text.jpg");
    expect([code, out]).toEqual([1, expect.stringMatching(/^problem +This file is not a JPEG/m)]);
    expect(await run("info", "in/none.jpg")).toMatchObject({
      code: 1,
      out: "",
      err: expect.stringMatching(/does not exist/),
    });
  });
});
