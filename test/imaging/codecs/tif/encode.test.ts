import { execFileSync } from "node:child_process";
import { mkdtempSync, rmSync, writeFileSync } from "node:fs";
import { tmpdir } from "node:os";
import { join } from "node:path";
import sharp from "sharp";
import { describe, expect, it } from "vitest";
import { encodeTiff } from "../../../../src/imaging/codecs/tif/encode.ts";
import type { PixelBuffer } from "../../../../src/imaging/pipeline/pixels.ts";
import { testHost } from "../../../host.ts";
import { sequence } from "../png/make-png.ts";
import { reference } from "../reference.ts";

function noise(width: number, height: number, bands: number, depth: 8 | 16): PixelBuffer {
  const next = sequence(width + bands);
  const length = width * height * bands;
  const data = depth === 16 ? new Uint16Array(length) : new Uint8Array(length);
  for (let i = 0; i < length; i++) data[i] = next() >>> 12;
  return { width, height, bands, interpretation: bands < 3 ? "gray" : "rgb", data };
}

describe("a written TIFF", () => {
  for (const bands of [1, 2, 3, 4])
    for (const depth of [8, 16] as const)
      for (const [width, height] of [
        [1, 1],
        [61, 37],
        [700, 301],
      ] as const)
        it(`of ${width} x ${height} with ${bands} bands of ${depth} bit decodes to the same samples elsewhere`, async () => {
          const pixels = noise(width, height, bands, depth);
          const back = await reference(await encodeTiff(pixels, {}, testHost));
          expect([back.width, back.height, back.bands]).toEqual([width, height, bands]);
          expect(Buffer.compare(Buffer.from(back.data.buffer), Buffer.from(pixels.data.buffer))).toBe(0);
        });

  it("stores its resolution, or 72 dpi", async () => {
    const pixels = noise(5, 5, 3, 8);
    const given = await sharp(
      await encodeTiff(pixels, { resolution: { x: 118.11, y: 118.11 } }, testHost),
    ).metadata();
    expect(given).toMatchObject({ density: 300, hasAlpha: false });
    const plain = await sharp(await encodeTiff(pixels, {}, testHost)).metadata();
    expect(plain.density).toBe(72);
  });

  it("has unassociated alpha when it has alpha", async () => {
    const file = await encodeTiff(noise(5, 5, 4, 8), {}, testHost);
    expect((await sharp(file).metadata()).hasAlpha).toBe(true);
    const view = new DataView(file.buffer, file.byteOffset);
    const entries = Array.from({ length: view.getUint16(8, true) }, (_, i) => 10 + i * 12);
    const extra = entries.find((entry) => view.getUint16(entry, true) === 338)!;
    expect(view.getUint16(extra + 8, true)).toBe(2);
  });

  it("has its directory in ascending order of tags", async () => {
    const file = await encodeTiff(noise(300, 400, 4, 16), {}, testHost);
    const view = new DataView(file.buffer, file.byteOffset);
    const tags = Array.from({ length: view.getUint16(8, true) }, (_, i) => view.getUint16(10 + i * 12, true));
    expect(tags).toEqual(tags.toSorted((a, b) => a - b));
    expect(tags).toHaveLength(15);
  });

  it("is read by libtiff without a warning", async () => {
    for (const bands of [1, 2, 3, 4]) {
      const file = await encodeTiff(noise(300, 400, bands, 16), {}, testHost);
      await expect(sharp(file, { failOn: "warning" }).stats()).resolves.toBeDefined();
    }
  });

  it("is refused for inks", async () => {
    const inks = { ...noise(2, 2, 4, 8), interpretation: "cmyk" } as const;
    await expect(encodeTiff(inks, {}, testHost)).rejects.toMatchObject({ kind: "encode" });
  });

  it.skipIf(!installed("identify"))("is read by ImageMagick without a warning", async () => {
    const folder = mkdtempSync(join(tmpdir(), "tif-"));
    try {
      for (const bands of [1, 2, 3, 4]) {
        const path = join(folder, `${bands}.tif`);
        writeFileSync(path, await encodeTiff(noise(300, 400, bands, 16), {}, testHost));
        const told = execFileSync("sh", ["-c", 'identify -format "%w %h %z %C" "$0" 2>&1', path], {
          encoding: "utf8",
        });
        expect(told).toBe("300 400 16 Zip");
      }
    } finally {
      rmSync(folder, { recursive: true });
    }
  });
});

function installed(command: string): boolean {
  try {
    execFileSync("sh", ["-c", `command -v ${command}`], { stdio: "ignore" });
    return true;
  } catch {
    return false;
  }
}
