// The packages, compiled as they are for the service, their modules, and the pictures that all rows share.

import {
  existsSync,
  mkdirSync,
  mkdtempSync,
  readdirSync,
  readFileSync,
  rmSync,
  writeFileSync,
} from "node:fs";
import { tmpdir } from "node:os";
import { join, resolve } from "node:path";
import { fileURLToPath, pathToFileURL } from "node:url";
import { build } from "esbuild";
import sharp from "sharp";
import { defaultSources } from "../lib/options.mjs";

const root = resolve(fileURLToPath(import.meta.url), "../../..");
const fixturesFolder = join(root, "test/fixtures");

/** Folders that may hold node_modules with a package. */
const folders = () => [root, process.env.SET_ASIDE_MODULES].filter(Boolean).map((folder) => resolve(folder));
const folderOf = (name) => folders().find((folder) => existsSync(join(folder, "node_modules", name)));

/** The version of a package that is installed; undefined of others. */
export function packageVersion(name) {
  const folder = folderOf(name);
  return (
    folder && JSON.parse(readFileSync(join(folder, "node_modules", name, "package.json"), "utf8")).version
  );
}

/** All exports of `path`, a package or a file of one, which is bundled into a file: glue of emscripten looks at its own address. */
export async function packaged(name, path = name) {
  const folder = mkdtempSync(join(tmpdir(), "set-aside-"));
  const outfile = join(folder, "package.mjs");
  await build({
    stdin: { contents: `export * as all from ${JSON.stringify(path)};`, resolveDir: folderOf(name) },
    bundle: true,
    format: "esm",
    platform: "node",
    banner: {
      js: `import { createRequire } from "node:module"; const require = createRequire(import.meta.url); const __dirname = "";`,
    },
    outfile,
  });
  const { all } = await import(pathToFileURL(outfile).href);
  rmSync(folder, { recursive: true });
  return all;
}

/** The compiled module of a package's file. */
export const moduleOf = (file) => new WebAssembly.Module(readFileSync(join(root, "node_modules", file)));

export const fixture = (name) => new Uint8Array(readFileSync(join(fixturesFolder, name)));

/** Names of the sound fixtures with this ending. */
export const soundFixtures = (ending) =>
  readdirSync(fixturesFolder).filter(
    (name) => name.endsWith(ending) && !/^(bad|bomb|mislabelled)/.test(name),
  );

/** The suite's photograph, `across` times `down` side by side: 0.24 megapixels each. */
export function montage(across, down) {
  const base = sharp(join(fixturesFolder, "base.png")).removeAlpha();
  const size = { width: 600 * across, height: 400 * down };
  return base
    .toBuffer()
    .then((input) =>
      sharp({ create: { ...size, channels: 3, background: "black" }, limitInputPixels: false }).composite([
        { input, tile: true },
      ]),
    );
}

/** A picture that is made once and kept for the other processes. */
export async function keptPicture(name, make) {
  const file = join(defaultSources, `set-aside-${name}`);
  if (!existsSync(file)) {
    mkdirSync(defaultSources, { recursive: true });
    writeFileSync(file, await make());
  }
  return new Uint8Array(readFileSync(file));
}

/** RGBA of 8 bits by libvips, without colour management. */
export async function rgbaOf(file) {
  const image = sharp(file, { ignoreIcc: true }).toColourspace("srgb").ensureAlpha();
  return new Uint8Array(await image.raw().toBuffer());
}

/** Our pixels as RGBA of 8 bits. */
export function asRgba({ width, height, bands, data }) {
  const at = (pixel, band) =>
    data instanceof Uint16Array ? data[pixel * bands + band] >> 8 : data[pixel * bands + band];
  const out = new Uint8Array(width * height * 4).fill(255);
  for (let pixel = 0; pixel < width * height; pixel++) {
    for (let band = 0; band < 3; band++) out[4 * pixel + band] = at(pixel, bands < 3 ? 0 : band);
    if (bands % 2 === 0) out[4 * pixel + 3] = at(pixel, bands - 1);
  }
  return out;
}

export const isSame = (a, b) => a.length === b.length && Buffer.compare(Buffer.from(a), Buffer.from(b)) === 0;

/** jSquash answers with a browser's ImageData. */
globalThis.ImageData ??= class {
  constructor(data, width, height = data.length / 4 / width) {
    Object.assign(this, { data, width, height });
  }
};

/** The largest resident memory of this process so far in MB. */
export const peakMegabytes = () => process.resourceUsage().maxRSS / 1024;
