// CPU of converting a tile of 512 pixels to sRGB: our module, Little CMS in WebAssembly, and sharp, in turn,
// in one run.
//
//   node bench/colour.mjs [--rounds 15]
//
// Medians in ms of user and system time of the process; the picture is a photograph. Raw samples in, raw
// samples out. sharp has its profile from an uncompressed TIFF: its figure is what that takes more than the
// same file without conversion. "First" is what making the transform takes, once for each profile and worker.
// "Largest" and "99 %" are how far 8-bit samples are from those of Little CMS in floating point, in levels,
// over the photograph: half a level is rounding.

import { execFileSync } from "node:child_process";
import { mkdtempSync, readFileSync, rmSync, writeFileSync } from "node:fs";
import { tmpdir } from "node:os";
import { dirname, join, resolve } from "node:path";
import { fileURLToPath, pathToFileURL } from "node:url";
import { build } from "esbuild";
import instantiateLcms from "lcms-wasm";
import sharp from "sharp";
import { buildWasm } from "../scripts/wasm.mjs";

const root = resolve(dirname(fileURLToPath(import.meta.url)), "..");
const at = process.argv.indexOf("--rounds");
const rounds = Number(at < 0 ? 15 : process.argv[at + 1]);
const side = 512;

sharp.concurrency(1);
sharp.cache(false);

const { colour: colourFile } = await buildWasm(["colour"]);
const modules = {
  colour: new WebAssembly.Module(readFileSync(colourFile)),
  lcms: new WebAssembly.Module(readFileSync(join(root, "node_modules/lcms-wasm/dist/lcms.wasm"))),
};
const folder = mkdtempSync(join(tmpdir(), "colour-bench-"));
const { createColour, sampleProfile, linearToSrgb } = await imported();
const lcms = await instantiateLcms();

async function imported() {
  const outfile = join(folder, "colour.mjs");
  const contents = ["transform", "lcms", "srgb"]
    .map((name) => `export * from "./src/imaging/colour/${name}.ts";`)
    .join("\n");
  await build({
    stdin: { contents, resolveDir: root },
    bundle: true,
    format: "esm",
    target: "es2022",
    outfile,
  });
  return import(pathToFileURL(outfile).href);
}

const icc = (name) => new Uint8Array(readFileSync(`/usr/share/color/icc/${name}`));
const fixture = (name) => join(root, "test/fixtures", name);
const proof = new Uint8Array(
  execFileSync("exiftool", ["-b", "-icc_profile", fixture("jpg-cmyk-icc.jpg")], { maxBuffer: 2 ** 26 }),
);

const cases = [
  { name: "RGB, Adobe RGB (matrix)", space: "rgb", profile: icc("compatibleWithAdobeRGB1998.icc"), bits: 8 },
  { name: "RGB, ProPhoto (matrix)", space: "rgb", profile: icc("colord/ProPhotoRGB.icc"), bits: 8 },
  { name: "RGB, ProPhoto, 16 bit", space: "rgb", profile: icc("colord/ProPhotoRGB.icc"), bits: 16 },
  { name: "CMYK (table)", space: "cmyk", profile: proof, bits: 8 },
  { name: "CMYK without profile", space: "cmyk", bits: 8 },
  { name: "Lab", space: "lab", bits: 8 },
];

const channels = { rgb: 3, cmyk: 4, lab: 3 };
const types = { rgb: 4, cmyk: 6 };

async function photograph(space, bits) {
  const image = sharp(fixture(space === "cmyk" ? "jpg-cmyk-icc.jpg" : "base.png"), { ignoreIcc: true });
  const raw = space === "cmyk" ? image.pipelineColourspace("cmyk").toColourspace("cmyk") : image;
  const data = await raw.resize(side, side, { fit: "fill" }).removeAlpha().raw().toBuffer();
  if (data.length !== side * side * channels[space]) throw new Error(`${data.length} samples of ${space}`);
  return bits === 16 ? Uint16Array.from(data, (value) => value * 257) : new Uint8Array(data);
}

function cpu(work) {
  const before = process.cpuUsage();
  work();
  const { user, system } = process.cpuUsage(before);
  return (user + system) / 1000;
}

async function cpuOf(work) {
  const before = process.cpuUsage();
  await work();
  const { user, system } = process.cpuUsage(before);
  return (user + system) / 1000;
}

const median = (values) => values.sort((a, b) => a - b)[values.length >> 1];
const cell = (value) => (value === undefined ? "" : value.toFixed(2)).padStart(10);

function byLcms(space, profile, data, bits) {
  const bytes = bits / 8;
  const from = lcms.cmsOpenProfileFromMem(profile, profile.length);
  const to = lcms.cmsCreate_sRGBProfile();
  const format = (type, count) => (type << 16) | (count << 3) | bytes;
  const transform = lcms.cmsCreateTransform(
    from,
    format(types[space], channels[space]),
    to,
    format(4, 3),
    1,
    0x2000,
  );
  return () => lcms.cmsDoTransform(transform, data, side * side);
}

async function bySharp(space, profile, data) {
  if (space !== "rgb") return undefined; // it reads raw inks as colours
  const [icc, plain, tagged] = ["in.icc", "plain.tif", "tagged.tif"].map((name) => join(folder, name));
  writeFileSync(icc, profile);
  await sharp(data, { raw: { width: side, height: side, channels: 3 } })
    .tiff({ compression: "none" })
    .toFile(plain);
  execFileSync("exiftool", ["-q", "-m", `-icc_profile<=${icc}`, "-o", tagged, plain]);
  const file = readFileSync(tagged);
  rmSync(tagged);
  const read = (ignoreIcc) => () => sharp(file, { ignoreIcc }).toColourspace("srgb").raw().toBuffer();
  return { plain: read(true), converted: read(false) };
}

function errors(space, profile, data, found) {
  const sample = data.subarray(0, 65536 * channels[space]);
  const light = sampleProfile(
    modules.lcms,
    profile,
    space,
    Float32Array.from(sample, (value) => value / 255),
  );
  const off = Array.from(light, (value, i) => {
    const clipped = Math.min(1, Math.max(0, value));
    return Math.abs(linearToSrgb(clipped) * 255 - found[i]);
  }).sort((a, b) => a - b);
  return [off[Math.floor(off.length * 0.99)], off.at(-1)];
}

console.log(
  `${"".padEnd(26)}${["ours", "lcms-wasm", "sharp", "first", "99 %", "largest"].map((name) => name.padStart(10)).join("")}`,
);
for (const { name, space, profile, bits } of cases) {
  const data = await photograph(space, bits);
  const pixels = { width: side, height: side, bands: channels[space], interpretation: space, data };
  const colour = createColour({ wasm: (module) => modules[module] });
  let toSrgb;
  const first = await cpuOf(async () => {
    toSrgb = profile ? (await colour.byProfile(async () => profile, space)).toSrgb : colour.plain(space);
    toSrgb({ ...pixels, width: 1, height: 1, data: data.slice(0, channels[space]) });
  });
  const direct = profile && byLcms(space, profile, data, bits);
  const other = profile && bits === 8 && (await bySharp(space, profile, data));
  const times = { ours: [], lcms: [], plain: [], converted: [] };
  for (let round = 0; round < rounds; round++) {
    times.ours.push(cpu(() => toSrgb(pixels)));
    if (direct) times.lcms.push(cpu(direct));
    if (other) {
      times.plain.push(await cpuOf(other.plain));
      times.converted.push(await cpuOf(other.converted));
    }
  }
  const [most, largest] = profile && bits === 8 ? errors(space, profile, data, toSrgb(pixels).data) : [];
  const sharpTime = other ? median(times.converted) - median(times.plain) : undefined;
  const row = [median(times.ours), direct && median(times.lcms), sharpTime, first, most, largest];
  console.log(`${name.padEnd(26)}${row.map(cell).join("")}`);
}
rmSync(folder, { recursive: true });
