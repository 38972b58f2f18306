// Masters of one colour each, for tests of hooks, and the colour that a response shows.

import { mkdirSync, mkdtempSync, rmSync } from "node:fs";
import { tmpdir } from "node:os";
import { join } from "node:path";
import sharp from "sharp";

/** Masters `<name>.png` of 40 by 30 pixels. */
export const colours = { red: "#ff0000", green: "#00ff00", blue: "#0000ff" } as const;

export interface Pictures {
  /** Holds `scans/`, a default source with red and blue, and `vault/`, another with green. */
  readonly folder: string;
  /** A configuration over both, with more of it. */
  settings(more: string): string;
  remove(): void;
}

export async function makePictures(): Promise<Pictures> {
  const folder = mkdtempSync(join(tmpdir(), "smalti-hooks-"));
  for (const [name, place] of [
    ["red", "scans"],
    ["blue", "scans"],
    ["green", "vault"],
  ] as const) {
    mkdirSync(join(folder, place), { recursive: true });
    const create = { width: 40, height: 30, channels: 3, background: colours[name] } as const;
    await sharp({ create })
      .png()
      .toFile(join(folder, place, `${name}.png`));
  }
  return {
    folder,
    settings: (more) => `base_url: https://images.example.org
sources:
  - { name: scans, type: filesystem, root: ${JSON.stringify(join(folder, "scans"))} }
  - { name: vault, type: filesystem, root: ${JSON.stringify(join(folder, "vault"))}, prefix: vault/ }
cache: { render: { backend: heap }, info: { backend: heap } }
${more}`,
    remove: () => rmSync(folder, { recursive: true, maxRetries: 5 }),
  };
}

/** Returns the colour of the first pixel of a PNG, as `#rrggbb`; status and body if it is not a PNG. */
export async function colourOf(response: Response): Promise<string> {
  if (response.status !== 200) return `${response.status} ${await response.text()}`;
  const pixels = await sharp(Buffer.from(await response.arrayBuffer()))
    .removeAlpha()
    .raw()
    .toBuffer();
  return `#${pixels.subarray(0, 3).toString("hex")}`;
}

export const imagePath = (identifier: string, rest = "full/max/0/default.png") =>
  `/iiif/3/${encodeURIComponent(identifier)}/${rest}`;
