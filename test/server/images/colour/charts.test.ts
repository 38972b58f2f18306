// Patches in many colour spaces through the whole application, held to LittleCMS's command line.

import { spawnSync } from "node:child_process";
import { mkdtempSync, readFileSync, rmSync } from "node:fs";
import { tmpdir } from "node:os";
import { join } from "node:path";
import { afterAll, beforeAll, describe, expect, test } from "vitest";
import { grayProfile, rgbProfile } from "../../../../src/imaging/colour/write.ts";
import {
  type Container,
  cmykPatches,
  grayPatches,
  patchesOf,
  rgbPatches,
  writeCharts,
} from "../../../imaging/colour/charts.ts";
import { labOf, srgbDifference } from "../../../imaging/colour/delta-e.ts";
import { bySrgb, hasLittleCms, type Space } from "../../../imaging/colour/littlecms.ts";
import {
  chemicalProof,
  curve,
  installed,
  matrixProfile,
  profileOf,
  type ToLab,
  tableProfile,
} from "../../../imaging/colour/profiles.ts";
import { type Served, served } from "../../../served.ts";

/** Columns of Display P3 under D50, as Apple's profile has them. */
const p3 = [
  [0.51512, 0.2412, -0.00105],
  [0.29198, 0.69225, 0.04189],
  [0.1571, 0.06657, 0.78407],
];
const p3Primaries = {
  white: [0.3127, 0.329],
  red: [0.68, 0.32],
  green: [0.265, 0.69],
  blue: [0.15, 0.06],
} as const;

const p3ToLab: ToLab = (device) => {
  const light = device.map((value) => value ** 2.2);
  return labOf(
    [0.9642, 1, 0.8249].map(
      (white, row) => p3.reduce((sum, column, i) => sum + column[row]! * light[i]!, 0) / white,
    ),
  );
};
/** A printer of no particular kind, whose black is not quite black. */
const inksToLab: ToLab = ([c = 0, m = 0, y = 0, k = 0]) => {
  const light = 1 - 0.95 * k;
  const xyz = [c, m, y].map((ink) => 0.04 + 0.96 * (1 - ink) ** 1.8 * light);
  return labOf([(xyz[0]! + xyz[1]!) / 2, xyz[1]!, xyz[2]!]);
};

interface Case {
  readonly space: Space;
  readonly profile: () => Uint8Array;
  readonly containers: readonly Container[];
  /**
   * A patch with a band about halfway between two levels, so that rounding to 8 bit alone takes it beyond the
   * bound.
   */
  readonly halfway?: number;
}

const every = ["jpg", "png", "tif", "webp", "jp2"] as const;
const one = ["png"] as const;

const cases: Readonly<Record<string, Case>> = {
  "sRGB, version 2": { space: "rgb", profile: () => installed("sRGB.icc"), containers: one },
  "sRGB, version 4": { space: "rgb", profile: () => installed("colord/sRGB.icc"), containers: one },
  "Adobe RGB, version 2": {
    space: "rgb",
    profile: () => installed("compatibleWithAdobeRGB1998.icc"),
    containers: every,
  },
  "Adobe RGB, version 4": {
    space: "rgb",
    profile: () => installed("colord/AdobeRGB1998.icc"),
    containers: one,
  },
  "ProPhoto, version 4": {
    space: "rgb",
    profile: () => installed("colord/ProPhotoRGB.icc"),
    containers: one,
  },
  "L* RGB, version 2": {
    space: "rgb",
    profile: () => installed("LStar-RGB.icc"),
    containers: one,
    halfway: 2, // 59.5 in all bands
  },
  "Display P3, version 4 with formulae": {
    space: "rgb",
    profile: () => rgbProfile("P3", p3Primaries, [2.4, 1 / 1.055, 0.055 / 1.055, 1 / 12.92, 0.04045]),
    containers: ["png", "webp"],
  },
  "Display P3, version 2 with a gamma": {
    space: "rgb",
    profile: () => matrixProfile(p3, curve(2.2)),
    containers: one,
  },
  "a curve that begins above black": {
    space: "rgb",
    profile: () => matrixProfile(p3, curve(0.02, 0.1, 0.4, 1)),
    containers: one,
  },
  "RGB by a table of 8 bit": {
    space: "rgb",
    profile: () => tableProfile({ space: "RGB ", type: "mft1", nodes: 9, gamma: 1, toLab: p3ToLab }),
    containers: one,
  },
  "RGB by a table of 16 bit": {
    space: "rgb",
    profile: () => tableProfile({ space: "RGB ", type: "mft2", nodes: 17, gamma: 1.2, toLab: p3ToLab }),
    containers: ["jpg", "tif"],
  },
  "RGB by a table of version 4": {
    space: "rgb",
    profile: () => tableProfile({ space: "RGB ", type: "mAB ", nodes: 13, gamma: 1.2, toLab: p3ToLab }),
    containers: one,
  },
  "gray gamma 1.8": { space: "gray", profile: () => grayProfile("1.8", [1.8]), containers: one },
  "gray gamma 2.2": {
    space: "gray",
    profile: () => grayProfile("2.2", [2.2]),
    containers: ["jpg", "png", "tif"],
  },
  "gray gamma 2.2, version 2": {
    space: "gray",
    profile: () => profileOf("GRAY", "XYZ ", 2, [["kTRC", curve(2.2)]]),
    containers: one,
  },
  "gray in L*": { space: "gray", profile: () => installed("Gray-CIE_L.icc"), containers: one },
  "CMYK, version 2": {
    space: "cmyk",
    profile: chemicalProof,
    containers: ["jpg", "tif"],
    halfway: 23, // blue 140.4
  },
  "CMYK, version 4": {
    space: "cmyk",
    profile: () => tableProfile({ space: "CMYK", type: "mAB ", nodes: 7, gamma: 0.8, toLab: inksToLab }),
    containers: ["tif"],
  },
};

const patches = { gray: grayPatches, rgb: rgbPatches, cmyk: cmykPatches } as const;

const rows = Object.entries(cases).flatMap(([name, { containers }]) =>
  containers.map((container) => [name, container] as const),
);

let folder: string;
let app: Served;
const identifierOf = (name: string, container: Container) => `${name.replace(/\W/g, "-")}.${container}`;

const programs = spawnSync("sh", ["-c", "command -v exiftool && command -v convert"]).status === 0;
const judged = hasLittleCms && programs;

beforeAll(async () => {
  if (!judged) return;
  folder = mkdtempSync(join(tmpdir(), "charts-"));
  const files = rows.map(([name, container]) => {
    const { space, profile } = cases[name]!;
    return { name: identifierOf(name, container), container, patches: patches[space], profile: profile() };
  });
  await writeCharts(folder, files);
  app = await served(`sources: [{ name: charts, type: filesystem, root: ${JSON.stringify(folder)} }]`);
});
afterAll(() => folder && rmSync(folder, { recursive: true, force: true }));

async function answer(name: string, request: string): Promise<Uint8Array> {
  const response = await app.get(`/iiif/3/${name}/${request}`);
  expect([response.status, response.headers.get("X-Ignored-Profile")]).toEqual([200, null]);
  return new Uint8Array(await response.arrayBuffer());
}

/** Bounds of CIEDE2000 by format of the response, for corner patches and for those in between. */
const bounds = { png: { usual: 0.5, halfway: 0.7 }, jpg: { usual: 1, halfway: 1.6 } } as const;

describe.skipIf(!judged)("patches", () => {
  test.each(rows)("in %s, in a %s, match LittleCMS", async (name, container) => {
    const { space, profile, halfway } = cases[name]!;
    const identifier = identifierOf(name, container);
    const file = new Uint8Array(readFileSync(join(folder, identifier)));
    // inks are as they were written, other samples as another decoder has them
    const stored = space === "cmyk" || container === "jp2" ? patches[space] : await patchesOf(file);
    const expected = bySrgb(
      profile(),
      space,
      stored.map((colour) => colour.map((value) => value / 255)),
    );
    for (const format of ["png", "jpg"] as const) {
      const found = await patchesOf(await answer(identifier, `full/max/0/default.${format}`));
      expect(found.length).toBe(24);
      const far = found.flatMap((colour, i) => {
        const [a, b] = [triple(colour), triple(expected[i]!)];
        const bound = bounds[format][i === halfway ? "halfway" : "usual"];
        return srgbDifference(a, b) <= bound ? [] : [{ patch: i, received: a, expected: b }];
      });
      expect(far, format).toEqual([]);
      if (space === "gray") expect(found[0]).toHaveLength(1);
    }
  });
});

const triple = ([r = 0, g = r, b = r]: readonly number[]) => [r, g, b];
