// What the image doctor says about a first tile, which builds the sidecar.

import { cpSync, mkdtempSync, rmSync, writeFileSync } from "node:fs";
import { tmpdir } from "node:os";
import { join } from "node:path";
import sharp from "sharp";
import { afterAll, describe, expect, test } from "vitest";
import { sidecarFinding, speedFindings } from "../../../src/doctor/image/findings/speed.ts";
import type { DiagnosisFacts } from "../../../src/doctor/image/known.ts";
import { lookAt } from "../../../src/doctor/image/look.ts";
import { fixturesFolder } from "../../host.ts";
import { served } from "../../served.ts";

const folder = mkdtempSync(join(tmpdir(), "smalti-slow-first-"));
const plain = sharp({ create: { width: 1400, height: 1100, channels: 3, background: "#336699" } });
writeFileSync(join(folder, "strips.tif"), await plain.clone().tiff({ compression: "lzw" }).toBuffer());
writeFileSync(join(folder, "rows.png"), await plain.clone().png().toBuffer());
writeFileSync(join(folder, "scans.jpg"), await plain.clone().jpeg({ progressive: true }).toBuffer());
writeFileSync(join(folder, "plain.jpg"), await plain.clone().jpeg().toBuffer());
cpSync(join(fixturesFolder, "jp2-reversible.jp2"), join(folder, "levels.jp2"));
afterAll(() => rmSync(folder, { recursive: true }));

const app = await served(
  `cache: { origin: { backend: heap, max_bytes: 400MiB } }
sources: [{ name: masters, type: filesystem, root: ${JSON.stringify(folder)} }]`,
);
const look = (identifier: string): Promise<DiagnosisFacts> =>
  lookAt(app.service.images, identifier, { measures: true, limitMs: 60_000 });

/** Returns facts of a file that took `firstMs` here. */
const measuredAs = ({ measured = [], ...facts }: DiagnosisFacts, firstMs: number): DiagnosisFacts => ({
  ...facts,
  measured: measured.map((each) => (each.what === "tile" ? { ...each, firstMs } : each)),
});

describe("a first tile of more than a second", () => {
  test.each([
    ["strips.tif", /The TIFF is stored in strips/, /^smalti convert IN .*deflate$/m],
    ["rows.png", /The rows of a PNG can only/, /^smalti convert IN .*deflate$/m],
    ["scans.jpg", /A progressive JPEG has to be decoded as a whole/, /^smalti convert IN .*jpeg/m],
  ])(
    "of %s is slow, with the time it took here, the cause and the commands",
    async (name, cause, command) => {
      const finding = sidecarFinding(measuredAs(await look(name), 13_000));
      expect(finding).toMatchObject({
        level: "slow",
        code: "slow_first",
        text: expect.stringMatching(/^The first request for a tile is slow: it took 13 s here\. /),
      });
      expect(finding?.text).toMatch(cause);
      expect(finding?.text).toMatch(/The sidecar is in the origin cache now/);
      expect(finding?.command).toMatch(command);
      expect(finding?.command).toMatch(/^smalti warm WARM$/m);
    },
  );

  test("that was built before is a note: the wait comes back with an eviction", async () => {
    const facts = await look("scans.jpg");
    const finding = sidecarFinding({ ...facts, measured: [], sidecarMs: 13_000 });
    expect(finding).toMatchObject({ level: "note", code: "sidecar_built" });
    expect(finding?.text).toMatch(/^This image is fast now because its sidecar is in the origin cache\./);
    expect(finding?.text).toMatch(/about 13 s.* if the entry is evicted or purged\.$/);
    expect(finding?.command).toMatch(/^smalti warm WARM$/m);
    expect(finding?.command).toMatch(/^smalti convert IN .*jpeg/m);
  });

  test("is expected to take as long as the build and the tile together", async () => {
    const { costs = [], ...facts } = await look("scans.jpg");
    const expected = { ms: 700, memory: 1, decoded: 1e6 };
    const waiting = { ...facts, costs: costs.map((cost) => ({ ...cost, expected })), measured: [] };
    const finding = sidecarFinding({ ...waiting, sidecar: { state: "absent" }, sidecarMs: 900 });
    expect(finding).toMatchObject({ code: "slow_first", text: expect.stringContaining("about 1.6 s") });
  });
});

test("a JPEG that takes little work has no such finding", async () => {
  expect(sidecarFinding(await look("plain.jpg"))).toMatchObject({ level: "good" });
});

test("a slow JPEG 2000 file decodes the part under a tile only, and may lack levels", async () => {
  const { costs = [], file, ...facts } = await look("levels.jp2");
  const expected = { ms: 3000, memory: 1, decoded: 1e6 };
  const slow = { ...facts, costs: costs.map((cost) => ({ ...cost, expected })), measured: [] };
  const text = (decompositions: number) =>
    speedFindings({ ...slow, file: { ...file, decompositions } })[0]?.text;
  expect(text(5)).toMatch(
    /^A tile of a JPEG 2000 file decodes only the part under it, .* 1 megapixel is decoded\.$/,
  );
  expect(text(0)).toMatch(/^The JPEG 2000 file has no wavelet levels/);
});
