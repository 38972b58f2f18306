// Options that the scripts share, and what follows from them: which servers, which pictures, of which size.

import { existsSync, mkdirSync, readdirSync } from "node:fs";
import { cpus } from "node:os";
import { dirname, join, resolve } from "node:path";
import { fileURLToPath } from "node:url";
import { parseArgs } from "node:util";
import sharp from "sharp";
import { available } from "./servers.mjs";

const root = resolve(dirname(fileURLToPath(import.meta.url)), "../..");

/** Folder where sources.mjs stores pictures by default. */
export const defaultSources = join(root, "node_modules/.cache/bench");

const shared = {
  sources: { type: "string", default: defaultSources },
  pictures: { type: "string" },
  servers: { type: "string" },
  size: { type: "string" },
  tile: { type: "string", default: "512" },
  program: { type: "string", default: join(root, "dist/main.js") },
  cache: { type: "string", multiple: true, default: [] },
  modules: { type: "string", default: join(root, "bench") },
  iipsrv: { type: "string" },
  nginx: { type: "string" },
  out: { type: "string" },
  verbose: { type: "boolean", default: false },
};

/**
 * Reads the command line: the shared options and the `own` ones of a script (name → default text, false for a
 * flag).
 */
export function readOptions(own, servers) {
  const extra = Object.entries(own).map(([name, value]) => [
    name,
    value === false ? { type: "boolean", default: false } : { type: "string", default: value },
  ]);
  const { values } = parseArgs({ options: { ...shared, ...Object.fromEntries(extra) } });
  const cache = { render: "none", info: "heap", origin: "filesystem" };
  for (const slot of values.cache) cache[slot.split("=")[0]] = slot.split("=")[1];
  const options = { ...values, sources: resolve(values.sources), tile: Number(values.tile), cache };
  const wanted = (values.servers ?? servers).split(",");
  return { ...options, servers: available(wanted, options) };
}

/** The pictures of the option, else those of the folder; throws in words when there are none. */
export function chosenPictures({ sources, pictures }) {
  mkdirSync(sources, { recursive: true });
  const names = pictures?.split(",") ?? readdirSync(sources).filter((name) => /^\d+mp-/.test(name));
  const missing = names.find((name) => !existsSync(join(sources, name)));
  if (names.length > 0 && !missing)
    return names.sort((a, b) => Number.parseInt(a, 10) - Number.parseInt(b, 10));
  throw new Error(`expected ${missing ?? "pictures"} in ${sources}; make them: node bench/sources.mjs`);
}

/** Returns width and height in pixels, upright; `--size WxH` if sharp cannot read the format. */
export async function pictureSize({ sources, size }, picture) {
  if (size) {
    const [width, height] = size.split("x").map(Number);
    return { width, height };
  }
  const { autoOrient } = await sharp(join(sources, picture), { limitInputPixels: false }).metadata();
  return { width: autoOrient.width, height: autoOrient.height };
}

/** The machine and runtime that figures belong to, in one line. */
export const machine = () =>
  `${cpus()[0].model.trim()}, ${cpus().length} processors, Node ${process.versions.node}, sharp ${sharp.versions.sharp} (libvips ${sharp.versions.vips})`;
