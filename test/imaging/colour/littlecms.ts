// LittleCMS from its command line (Debian: liblcms2-utils), as the judge of our conversions.

import { execFileSync, spawnSync } from "node:child_process";
import { existsSync, mkdtempSync, readFileSync, rmSync, writeFileSync } from "node:fs";
import { tmpdir } from "node:os";
import { join } from "node:path";

/**
 * True if its programs and the profiles to test with are installed (Debian: icc-profiles-free, colord-data).
 */
export const hasLittleCms =
  spawnSync("sh", ["-c", "command -v transicc && command -v jpgicc"]).status === 0 &&
  ["TR003.ti3", "colord/ProPhotoRGB.icc"].every((name) => existsSync(`/usr/share/color/icc/${name}`));

/** Full scale of each channel as transicc takes them. */
const scales = { gray: [255], rgb: [255, 255, 255], cmyk: [100, 100, 100, 100] } as const;

export type Space = keyof typeof scales;

/** A profile as bytes, or one that is built in: "*Lab4". */
export type JudgedProfile = Uint8Array | `*${string}`;

/**
 * Encoded sRGB, 0 to 255 with fractions, of colours under a profile: relative colorimetric with black-point
 * compensation. Device values are 0 to 1, those of a built-in profile as it has them.
 */
export function bySrgb(
  profile: JudgedProfile,
  space: Space | "lab",
  colours: readonly (readonly number[])[],
): number[][] {
  return inFolder((folder) => {
    const file = typeof profile === "string" ? profile : join(folder, "in.icc");
    if (typeof profile !== "string") writeFileSync(file, profile);
    const scale = space === "lab" ? [1, 1, 1] : scales[space];
    const input = colours.map((colour) => colour.map((value, i) => value * scale[i]!).join(" ")).join("\n");
    const out = execFileSync("transicc", ["-i", file, "-o", "*sRGB", "-t", "1", "-b", "-n"], {
      input: `${input}\n`,
      stdio: ["pipe", "pipe", "ignore"],
    });
    const rows = out.toString().trim().split("\n").slice(0, colours.length);
    // in floating point it exceeds the range of samples
    return rows.map((row) =>
      row
        .trim()
        .split(/\s+/)
        .map((value) => Math.min(255, Math.max(0, Number(value)))),
    );
  });
}

/** A JPEG through jpgicc to sRGB by its embedded profile, in the best quality. */
export function jpegBySrgb(jpeg: Uint8Array): Uint8Array {
  return inFolder((folder) => {
    writeFileSync(join(folder, "in.jpg"), jpeg);
    execFileSync(
      "jpgicc",
      ["-o*sRGB", "-t1", "-b", "-q100", join(folder, "in.jpg"), join(folder, "out.jpg")],
      { stdio: "ignore" },
    );
    return new Uint8Array(readFileSync(join(folder, "out.jpg")));
  });
}

function inFolder<T>(work: (folder: string) => T): T {
  const folder = mkdtempSync(join(tmpdir(), "colour-"));
  try {
    return work(folder);
  } finally {
    rmSync(folder, { recursive: true, force: true });
  }
}
