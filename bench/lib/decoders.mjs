// Independent decoders: how sharp (libvips), Pillow, ImageMagick and OpenJPEG decode the first picture of a
// file. Each returns `{ width, height, data }`: 8-bit RGBA, upright, in sRGB; or throws if it cannot read the
// file.

import { spawn } from "node:child_process";
import { mkdtempSync, readFileSync, rmSync, writeFileSync } from "node:fs";
import { tmpdir } from "node:os";
import { join, resolve } from "node:path";
import { fileURLToPath } from "node:url";
import sharp from "sharp";

const bench = resolve(fileURLToPath(import.meta.url), "../..");
const place = mkdtempSync(join(tmpdir(), "corpus-"));
process.on("exit", () => rmSync(place, { recursive: true, force: true }));
const srgb = "/usr/share/color/icc/colord/sRGB.icc";

sharp.concurrency(1);
sharp.cache(false);

/** A file of the CMYK profile that libvips has for pictures without one. */
const press = join(place, "cmyk.icc");
const white = sharp({ create: { width: 8, height: 8, channels: 3, background: "white" } });
const printed = await white.toColourspace("cmyk").withIccProfile("cmyk").jpeg().toBuffer();
writeFileSync(press, (await sharp(printed).metadata()).icc);

/** Raw RGBA of anything that sharp reads, as `input` or at a path; `upright` follows EXIF. */
export async function rgba(input, { upright = false } = {}) {
  const image = sharp(input, { failOn: "none", limitInputPixels: false, unlimited: true });
  return rgbaOf(upright ? image.rotate() : image);
}

async function rgbaOf(image) {
  const { data, info } = await image
    .timeout({ seconds: 60 })
    .toColourspace("srgb")
    .ensureAlpha()
    .raw()
    .toBuffer({ resolveWithObject: true });
  if (info.channels !== 4) throw new Error(`sharp returned ${info.channels} bands`);
  return { width: info.width, height: info.height, data };
}

/**
 * True if sharp, or OpenJPEG for its format, finds the pixels of a file damaged; decoders then differ in what
 * they show.
 */
export async function damaged(path, format) {
  if (format === "jp2") return openjpegWarns(path); // npm's build of sharp does not read it
  const failOn = format === "jpg" ? "warning" : "error"; // libtiff warns of every unknown tag
  try {
    await sharp(path, { failOn, limitInputPixels: false, unlimited: true }).raw().toBuffer();
    return false;
  } catch {
    return true;
  }
}

/** True if the samples are CMYK without a profile, according to sharp. */
export async function isPlainCmyk(path) {
  const { space, hasProfile } = await sharp(path, { limitInputPixels: false })
    .metadata()
    .catch(() => ({}));
  return space === "cmyk" && !hasProfile;
}

/**
 * Returns a JPEG with the same coefficients that libjpeg does not smooth: it smooths a progressive file with
 * missing scans unless the file is rewritten first.
 */
export async function plainJpeg(path) {
  const command = `jpegtran "$1" | djpeg -ppm`;
  const ppm = await output("sh", ["-c", command, "sh", resolve(path)]);
  const [head, width, height] = ppm.toString("latin1", 0, 40).match(/^P[56]\n(\d+) (\d+)\n255\n/) ?? [];
  if (!head) throw new Error("djpeg wrote no picture");
  const raw = { width: Number(width), height: Number(height), channels: head[1] === "5" ? 1 : 3 };
  return rgbaOf(sharp(ppm.subarray(head.length), { raw }));
}

/**
 * Returns the standard output of a program, which is killed after `seconds`. Rejects if it fails or writes
 * nothing.
 */
function output(program, args, seconds = 60) {
  return new Promise((done, fail) => {
    const child = spawn(program, args, { stdio: ["ignore", "pipe", "pipe"], timeout: seconds * 1000 });
    const [parts, said] = [[], []];
    child.stdout.on("data", (part) => parts.push(part));
    child.stderr.on("data", (part) => said.push(part));
    child.once("error", fail);
    child.once("close", () => {
      const bytes = Buffer.concat(parts);
      if (bytes.length > 0) done(bytes);
      else fail(new Error(Buffer.concat(said).toString().split("\n")[0]));
    });
  });
}

/**
 * A Pillow that keeps running and decodes one file at a time; it restarts after a crash or `seconds` without
 * a response.
 */
export function pillow(seconds = 60) {
  let child;
  let waiting;
  let parts = [];
  const settle = (error, picture) => {
    clearTimeout(waiting?.timer);
    const asked = waiting;
    [waiting, parts] = [undefined, []];
    if (error) asked?.fail(error);
    else asked?.done(picture);
  };
  const take = (part) => {
    parts.push(part);
    if (waiting && !waiting.head) {
      const seen = Buffer.concat(parts);
      const end = seen.indexOf(10);
      if (end < 0) return;
      waiting.head = JSON.parse(seen.toString("utf8", 0, end));
      parts = [seen.subarray(end + 1)];
    }
    if (!waiting) return;
    const { error, ...picture } = waiting.head;
    if (error) return settle(new Error(error));
    const size = parts.reduce((sum, { length }) => sum + length, 0);
    if (size === picture.width * picture.height * 4)
      settle(undefined, { ...picture, data: Buffer.concat(parts) });
  };
  const begin = () => {
    const own = spawn("/usr/bin/python3", [join(bench, "peers/pillow.py"), press], {
      stdio: ["pipe", "pipe", "ignore"],
    });
    own.stdout.on("data", take);
    own.stdin.on("error", () => {});
    own.once("exit", () => {
      if (child === own) child = undefined;
      settle(new Error("Pillow ended"));
    });
    return own;
  };
  const read = (path) =>
    new Promise((done, fail) => {
      child ??= begin();
      waiting = { done, fail, timer: setTimeout(() => child?.kill("SIGKILL"), seconds * 1000) };
      child.stdin.write(`${JSON.stringify(path)}\n`);
    });
  return { read, stop: () => child?.stdin.end() };
}

/** ImageMagick; `colour` is what Pillow has found: the file's own profile or one to assume. */
export async function imagemagick(path, { icc, assumed } = {}) {
  const conversion = ["-intent", "relative", "-black-point-compensation"];
  const profiles = icc
    ? ["-profile", srgb]
    : assumed
      ? ["+profile", "icc", "-profile", assumed, "-profile", srgb]
      : [];
  const first = /\.(gif|webp)$/.test(path) ? ["-coalesce"] : [];
  const args = [...conversion, `${path}[0]`, ...first, "-auto-orient", ...profiles, "-colorspace", "sRGB"];
  const pam = await output("/usr/bin/convert-im6.q16", [
    ...args,
    "-alpha",
    "on",
    "-depth",
    "8",
    "-type",
    "TrueColorMatte",
    "PAM:-",
  ]);
  const end = pam.indexOf("ENDHDR\n") + 7;
  const head = pam.toString("latin1", 0, end);
  const [width, height, depth] = ["WIDTH", "HEIGHT", "DEPTH"].map((key) =>
    Number(head.match(`${key} (\\d+)`)?.[1]),
  );
  if (depth !== 4) throw new Error(`ImageMagick returned ${depth} bands`);
  return { width, height, data: pam.subarray(end, end + width * height * 4) };
}

let names = 0;

/** OpenJPEG's own program. */
export async function openjpeg(path) {
  const target = join(place, `${++names}.png`);
  try {
    await output("opj_decompress", ["-i", resolve(path), "-o", target]);
    return await rgba(readFileSync(target));
  } finally {
    rmSync(target, { force: true });
  }
}

async function openjpegWarns(path) {
  const target = join(place, `${++names}.png`);
  const args = ["-c", `opj_decompress -i "$1" -o "$2" 2>&1`, "sh", resolve(path), target];
  const said = await output("sh", args).catch(() => "[ERROR]");
  rmSync(target, { force: true });
  return /\[(WARNING|ERROR)\]/.test(said.toString());
}
