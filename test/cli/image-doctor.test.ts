// `smalti doctor IMAGE`, as an operator runs it.

import { cpSync, mkdtempSync, readFileSync, rmSync, writeFileSync } from "node:fs";
import { tmpdir } from "node:os";
import { join } from "node:path";
import sharp from "sharp";
import { afterAll, beforeAll, describe, expect, test } from "vitest";
import { fixturesFolder } from "../host.ts";
import { type Built, buildProgram, type Output } from "./built.ts";

let built: Built;
let folder: string;
let file: string;

beforeAll(async () => {
  built = await buildProgram();
  folder = mkdtempSync(join(tmpdir(), "smalti-image-doctor-"));
  file = join(folder, "smalti.yaml");
  cpSync(join(fixturesFolder, "bad-trunc-50.jpg"), join(folder, "auth"));
  writeFileSync(file, `sources: [{ name: a, type: filesystem, root: ${JSON.stringify(fixturesFolder)} }]\n`);
});
afterAll(() => {
  built.remove();
  rmSync(folder, { recursive: true });
});

const doctor = (...args: string[]) => built.command(["doctor", ...args], { cwd: folder });
const inOwnProcess = (...args: string[]) => built.run(["doctor", ...args], { cwd: folder });

describe("smalti doctor IMAGE", () => {
  test("prints findings and facts, and exits 0 if there is no problem", async () => {
    const { code, out, err } = await inOwnProcess("tif-pyramid-subifd.tif", "-config", file);
    expect([code, err]).toEqual([0, ""]);
    expect(out).toMatch(/^tif-pyramid-subifd\.tif\n\n/);
    expect(out).toMatch(/^ {2}Levels in the file +300 × 200, 150 × 100/m);
    expect(out).toMatch(/^ {2}Measured now +tile at 1\/1: /m);
    expect(out).toMatch(/\nNo problem was found\.\n$/);
    const unmeasured = await doctor("tif-pyramid-subifd.tif", "-config", file, "--no-measure");
    expect(unmeasured.out).toMatch(/^good +Tiles are fast to serve/m);
    expect(unmeasured.out).not.toContain("Measured now");
  });

  test("exits 1 if there is a problem, and says what to do", async () => {
    const { code, out } = await inOwnProcess("bad-trunc-50.png", "-config", file);
    expect(code).toBe(1);
    expect(out).toMatch(/^problem +Expected an intact PNG.*\n +what to do: Replace the file/m);
  });

  test("finds what only rendering shows, unless rendering is disabled", async () => {
    const scrambled = readFileSync(join(fixturesFolder, "base.png")).fill(0x55, 20_000, 30_000);
    writeFileSync(join(folder, "scrambled.png"), scrambled);
    expect((await doctor("scrambled.png")).code).toBe(1);
    expect((await doctor("scrambled.png", "--no-measure")).code).toBe(0);
  });

  test("prints the same as JSON", async () => {
    const { code, out } = await doctor("nowhere.tif", "-config", file, "--json");
    expect(code).toBe(1);
    expect(JSON.parse(out)).toMatchObject({
      identifier: "nowhere.tif",
      problems: 1,
      findings: [{ level: "problem", code: "open_image_not_found" }],
    });
  });

  test("accepts a file if no sources are configured, even one named auth", async () => {
    const { code, out } = await doctor("--", "auth");
    expect([code, /^problem +The file ends before the end of its picture/m.test(out)]).toEqual([1, true]);
    expect((await doctor(join(fixturesFolder, "base.png"))).code).toBe(0);
    expect(out).not.toContain(folder);
  });

  test("reports the same for an untouched JPEG and for one with a sidecar from the first run", async () => {
    const large = { create: { width: 6000, height: 4000, channels: 3, background: "#336699" } } as const;
    writeFileSync(join(folder, "untouched.jpg"), await sharp(large).jpeg().toBuffer());
    // Without the line of the sidecar. What a run measures depends on the machine.
    const ofSidecar =
      /^(?:note|good) +The first tiles of this image build its sidecar, once, .* \d+ ms\..*\n(?: +what to do: .*\n)?/m;
    const findings = ({ out }: Output) => out.split("\nFile\n")[0]?.replace(ofSidecar, "");
    const first = await doctor("untouched.jpg", "--no-measure");
    expect((await doctor("untouched.jpg")).code).toBe(0);
    const second = await doctor("untouched.jpg", "--no-measure");
    expect([first.code, findings(first)]).toEqual([0, findings(second)]);
    expect(second.out).toMatch(/^good +The first tiles of this image build its sidecar.* It is built/m);
    for (const { out } of [first, second]) {
      expect(out).toMatch(ofSidecar);
      expect(out).toMatch(/^good +Tiles are fast to serve/m);
      expect(out).not.toMatch(/vips|convert|^slow/m);
      expect(out).toMatch(/\nNo problem was found\.\n$/);
    }
  });

  test("says before rendering that the first tile builds the sidecar", async () => {
    cpSync(join(fixturesFolder, "jpg-progressive.jpg"), join(folder, "unmeasured.jpg"));
    const { out } = await doctor("unmeasured.jpg", "--no-measure");
    expect(out).toMatch(/^good +Tiles are fast to serve/m);
    expect(out).toMatch(/^note +The first tiles of this image build its sidecar.* It is not built yet/m);
  });

  test("accepts a page of a file, as its findings name it", async () => {
    cpSync(join(fixturesFolder, "tif-multipage-3sizes.tif"), join(folder, "pages.tif"));
    expect((await doctor("pages.tif;2")).out).toMatch(/^note +The file has \d pages; this is page 2\./m);
    expect((await doctor("nowhere.tif;2")).err).toContain("which does not exist here");
  });

  test("says that a first tile is slow, why, and how to avoid it", async () => {
    const wide = { create: { width: 12_000, height: 6000, channels: 3, background: "#336699" } } as const;
    writeFileSync(join(folder, "wide.jpg"), await sharp(wide).jpeg({ progressive: true }).toBuffer());
    const { out } = await doctor("wide.jpg", "--no-measure");
    expect(out).toMatch(
      /^slow +The first request for a tile is slow: it is expected .* A progressive JPEG has/m,
    );
    expect(out).toMatch(
      /\n +smalti warm wide\.jpg\n +smalti convert wide\.jpg -o wide\.new\.tif --compression jpeg --quality 90\n/,
    );
    expect(out).toMatch(/^good +Tiles are fast to serve after the first: /m);
    expect(out).toMatch(/\n1 reason why it is slow was found\.\n$/);
  });

  test("says that a file on the command line does not exist, and mentions no addresses", async () => {
    const { code, out, err } = await doctor("nowhere.jpg");
    expect([code, out]).toEqual([1, ""]);
    expect(err).toContain("received nowhere.jpg, which does not exist here");
    expect(err).not.toMatch(/%2F|identifier with this/);
  });

  test.each([
    ["text", "hello\n", "This file is not a JPEG"],
    ["empty", "", "This file is empty"],
    ["document", "PK\u0003\u0004 word/document.xml", "This file is not a JPEG"],
  ])("advises no conversion of a %s file, which is no image", async (name, content, message) => {
    writeFileSync(join(folder, name), content);
    const { code, out } = await doctor(name);
    expect(code).toBe(1);
    expect(out).toContain(message);
    expect(out).not.toMatch(/vips|smalti convert/);
  });

  test("counts the causes of slowness in its last line", async () => {
    const { code, out } = await doctor("bomb-deflate-30000x30000-1bit.tif", "-config", file, "--no-measure");
    expect(code).toBe(0);
    expect(out).toMatch(/\n2 reasons why it is slow were found\.\n$/);
  });

  test.each([[["a", "--loud"]], [["a", "-config"]], [["a", "--limit", "0"]]])(
    "refuses the arguments %j in one line",
    async (args) => {
      const { code, out, err } = await doctor(...args);
      expect([code, out, err.trimEnd().split("\n").length]).toEqual([2, "", 1]);
    },
  );
});
