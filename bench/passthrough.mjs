// Measures how well the header of a JPEG file predicts what re-encoding would save: the estimate of
// src/imaging/codecs/jpg/lossless/worth-cropping.ts compared with real files, and the fit that produced its
// numbers.
//
//   node bench/passthrough.mjs [--photos FOLDER] [--fit]
//
// Photographs are those that sources.mjs fetched. Three windows of each (reduced, so sharp; as stored, so
// soft; and with grain) are stored at qualities from 70 to 98 in 4:2:0, 4:2:2 and 4:4:4, then decoded and
// encoded at 80, 90 and 95 in 4:2:0. Every fourth photograph is held out of the fit.

import { readdirSync, readFileSync } from "node:fs";
import { join } from "node:path";
import { parseArgs } from "node:util";
import sharp from "sharp";
import { buildWasm } from "../scripts/wasm.mjs";
import { compiled } from "./lib/compiled.mjs";
import { defaultSources } from "./lib/options.mjs";

const { values } = parseArgs({
  options: {
    photos: { type: "string", default: join(defaultSources, "photos/usr/share/backgrounds") },
    fit: { type: "boolean", default: false },
  },
});
const stored = [70, 80, 88, 90, 92, 94, 95, 96, 97, 98];
const answered = [80, 90, 95];
const samplings = { "4:2:0": "420", "4:2:2": "422", "4:4:4": "444" };
const [width, height] = [640, 480];

const { createJpegEncoder } = await compiled("src/imaging/codecs/jpg/encode/fast-encode.ts");
const { quantisationTables } = await compiled("src/imaging/codecs/jpg/markers/quantisation.ts");
const { bytesRatio, featuresOf } = await compiled("src/imaging/codecs/jpg/lossless/worth-cropping.ts");
const files = await buildWasm(["jpeg-encode"]);
const encoder = createJpegEncoder(new WebAssembly.Module(readFileSync(files["jpeg-encode"])));
sharp.concurrency(1);

const rows = [];
const names = readdirSync(values.photos).filter((name) => /\.jpe?g$/i.test(name));
for (const [number, name] of names.entries()) {
  const photo = sharp(readFileSync(join(values.photos, name)))
    .removeAlpha()
    .toColourspace("srgb");
  const size = await photo.metadata();
  const middle = {
    left: Math.max(0, (size.width - width) >> 1),
    top: Math.max(0, (size.height - height) >> 1),
    width: Math.min(width, size.width),
    height: Math.min(height, size.height),
  };
  const soft = photo.clone().extract(middle);
  const windows = {
    reduced: photo.clone().resize(width, height, { fit: "cover" }),
    soft,
    grain: grained(await soft.clone().raw().toBuffer({ resolveWithObject: true }), number),
  };
  for (const [window, image] of Object.entries(windows)) {
    const { data, info } = await image.raw().toBuffer({ resolveWithObject: true });
    for (const [subsampling, kind] of Object.entries(samplings))
      for (const quality of stored) {
        const file = await store(data, info, quality, subsampling);
        const pixels = new Uint8Array(await sharp(file).raw().toBuffer());
        const rgb = { width: info.width, height: info.height, bands: 3, interpretation: "rgb", data: pixels };
        for (const target of answered) {
          const anew = encoder.encode({ kind: "pixels", pixels: rgb }, { quality: target, chroma: "420" });
          rows.push({
            held: number % 4 === 3,
            name,
            window,
            kind,
            quality,
            target,
            ratio: file.length / anew.length,
            file: {
              steps: quantisationTables(quality).luma,
              bytesPerPixel: file.length / (info.width * info.height),
              samples: { 420: 1.5, 422: 2, 444: 3 }[kind],
            },
          });
        }
      }
  }
}

/** Stores as cameras do, with the typical Huffman tables. sharp has no 4:2:2. */
async function store(data, { width, height }, quality, subsampling) {
  const raw = { raw: { width, height, channels: 3 } };
  if (subsampling !== "4:2:2")
    return sharp(data, raw)
      .jpeg({ quality, chromaSubsampling: subsampling, optimiseCoding: false })
      .toBuffer();
  return encoder.encode(await halved(data, width, height), { quality, chroma: "420" });
}

/** Planes of JFIF with chroma halved across. */
async function halved(data, width, height) {
  const across = Math.ceil(width / 2);
  const planes = [new Uint8Array(width * height), ...[0, 1].map(() => new Uint8Array(across * height))];
  for (let y = 0; y < height; y++)
    for (let x = 0; x < width; x += 2) {
      let [cb, cr] = [0, 0];
      for (const at of [x, Math.min(width - 1, x + 1)]) {
        const [r, g, b] = data.subarray(3 * (y * width + at), 3 * (y * width + at) + 3);
        planes[0][y * width + at] = Math.round(0.299 * r + 0.587 * g + 0.114 * b);
        cb += 128 - 0.168736 * r - 0.331264 * g + 0.5 * b;
        cr += 128 + 0.5 * r - 0.418688 * g - 0.081312 * b;
      }
      planes[1][y * across + x / 2] = Math.round(cb / 2);
      planes[2][y * across + x / 2] = Math.round(cr / 2);
    }
  const plane = (data, width) => ({ data, width, height, stride: width });
  return {
    kind: "planes",
    width,
    height,
    planes: [plane(planes[0], width), plane(planes[1], across), plane(planes[2], across)],
    sampling: "422",
  };
}

/** Noise as of a sensor, alike in all bands, the same for the same seed. */
function grained({ data, info }, seed) {
  let state = seed + 1;
  const random = () => (state = (Math.imul(state, 1664525) + 1013904223) >>> 0) / 2 ** 32;
  const noisy = Buffer.from(data);
  for (let i = 0; i < noisy.length; i += 3) {
    const more = (random() + random() + random() - 1.5) * 10;
    for (let b = 0; b < 3; b++) noisy[i + b] = Math.min(255, Math.max(0, data[i + b] + more));
  }
  return sharp(noisy, { raw: { width: info.width, height: info.height, channels: 3 } });
}

/** Weights of the features that come nearest to the logarithms of the real ratios, by least squares. */
function fitted(samples) {
  const n = samples[0].x.length;
  const normal = Array.from({ length: n }, () => new Float64Array(n + 1));
  for (const { x, y } of samples)
    for (let i = 0; i < n; i++) {
      for (let j = 0; j < n; j++) normal[i][j] += x[i] * x[j];
      normal[i][n] += x[i] * y;
    }
  for (let i = 0; i < n; i++) {
    for (let row = 0; row < n; row++) {
      if (row === i) continue;
      const share = normal[row][i] / normal[i][i];
      for (let j = i; j <= n; j++) normal[row][j] -= share * normal[i][j];
    }
  }
  return normal.map((row, i) => row[n] / row[i]);
}

/** The step-only model that was used before, for comparison. */
function before({ file, kind, target }) {
  const mean = (steps) => {
    let sum = 0;
    for (let i = 0; i < 64; i++) if ((i & 7) + (i >> 3) < 6) sum += steps[i];
    return Math.max(1, sum / 21);
  };
  const steps = mean(quantisationTables(target).luma) / mean(file.steps);
  return (kind === "444" ? 1.2 : 1) * steps ** 0.7;
}

const now = ({ file, target }) => bytesRatio(file, quantisationTables(target).luma);
const errorsOf = (of, model) => of.map((row) => Math.abs(model(row) / row.ratio - 1)).sort((a, b) => a - b);
const percent = (value) => `${(100 * value).toFixed(1)} %`.padStart(8);
const line = (label, of) => {
  const cells = [before, now].flatMap((model) => {
    const errors = errorsOf(of, model);
    const mean = errors.reduce((sum, error) => sum + error, 0) / errors.length;
    return [mean, errors[Math.floor(errors.length * 0.95)], errors.at(-1)].map(percent);
  });
  console.log(label.padEnd(22), cells.join(" "), String(of.length).padStart(6));
};

console.log(`${names.length} photographs; error of the estimated ratio: mean, 95 of 100 below, largest`);
console.log("".padEnd(22), "before".padStart(26), "now".padStart(26), "rows".padStart(7));
line("all", rows);
line(
  "held out",
  rows.filter(({ held }) => held),
);
line(
  "held out, to q90",
  rows.filter(({ held, target }) => held && target === 90),
);
for (const quality of stored)
  line(
    `to q90 from q${quality}`,
    rows.filter((row) => row.quality === quality && row.target === 90),
  );
for (const kind of Object.values(samplings))
  line(
    `to q90 from ${kind}`,
    rows.filter((row) => row.kind === kind && row.target === 90),
  );
for (const window of ["reduced", "soft", "grain"])
  line(
    `to q90, ${window}`,
    rows.filter((row) => row.window === window && row.target === 90),
  );
const decided = (model) =>
  rows.filter((row) => row.target === 90 && model(row) <= 1.5 === row.ratio <= 1.5).length /
  rows.filter((row) => row.target === 90).length;
console.log(
  `cut or not decided as the real files ask, to q90: before ${percent(decided(before))}, now ${percent(decided(now))}`,
);

if (values.fit) {
  // files coarser than the response are cropped whatever the estimate
  const finer = ({ file, target }) => featuresOf(file, quantisationTables(target).luma)[0] > -0.02;
  const samples = rows
    .filter((row) => !row.held && finer(row))
    .map((row) => ({
      x: featuresOf(row.file, quantisationTables(row.target).luma),
      y: Math.log(row.ratio),
    }));
  console.log(
    "weights",
    fitted(samples)
      .map((weight) => weight.toFixed(3))
      .join(", "),
  );
}
