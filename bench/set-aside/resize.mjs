// @jsquash/resize beside our own resampler and libvips.

import sharp from "sharp";
import { codecHost } from "../lib/codec-host.mjs";
import { compiled } from "../lib/compiled.mjs";
import { moduleOf, montage, packaged } from "./packages.mjs";

sharp.concurrency(1);
sharp.cache(false);

const defaults = {};
const plain = { premultiply: false, linearRGB: false };

async function theirs() {
  const { initResize, default: resize } = await packaged("@jsquash/resize");
  await initResize(moduleOf("@jsquash/resize/lib/resize/pkg/squoosh_resize_bg.wasm"));
  return resize;
}

async function own() {
  const { createResampler } = await compiled("src/pipeline/wasm/resample.ts");
  const module = (await codecHost()).wasm("resample");
  return createResampler(() => module);
}

/** RGBA, which is all that the package takes, 1024 x 1024 to 512 x 512, opaque. */
async function sides(settings) {
  const side = 1024;
  const picture = (await montage(2, 3)).extract({ left: 0, top: 0, width: side, height: side }).ensureAlpha();
  const data = new Uint8Array(await picture.raw().toBuffer());
  const [resize, resampler] = [await theirs(), await own()];
  const image = new ImageData(new Uint8ClampedArray(data), side, side);
  const axis = { size: 512, origin: 0, scale: 2 };
  const pixels = { width: side, height: side, bands: 4, interpretation: "rgb", data };
  return {
    theirs: () => resize(image, { width: 512, height: 512, ...settings }),
    own: () => resampler.resize(pixels, axis, axis),
    sharp: () =>
      sharp(data, { raw: { width: side, height: side, channels: 4 } })
        .resize(512, 512, { fit: "fill", kernel: "lanczos3" })
        .raw()
        .toBuffer(),
  };
}

/** All values of colour that flat gray 128 becomes at 64 x 64 to 20 x 20. */
async function theirFlat(settings) {
  const resize = await theirs();
  const data = new Uint8ClampedArray(64 * 64 * 4).map((_, i) => (i % 4 === 3 ? 255 : 128));
  const result = await resize(new ImageData(data, 64, 64), { width: 20, height: 20, ...settings });
  return valuesOf(result.data);
}

async function ownFlat() {
  const data = new Uint8Array(64 * 64 * 4).map((_, i) => (i % 4 === 3 ? 255 : 128));
  const axis = { size: 20, origin: 0, scale: 3.2 };
  const result = (await own()).resize(
    { width: 64, height: 64, bands: 4, interpretation: "rgb", data },
    axis,
    axis,
  );
  return valuesOf(result.data);
}

const valuesOf = (data) => [...new Set(data.filter((_, i) => i % 4 < 3))].sort().join(" and ");

export const rows = [
  {
    package: "@jsquash/resize",
    what: "1024 to 512 pixels, defaults",
    unit: "ms",
    times: () => sides(defaults),
  },
  {
    package: "@jsquash/resize",
    what: "1024 to 512 pixels, neither alpha nor linear light",
    unit: "ms",
    times: () => sides(plain),
  },
  {
    package: "@jsquash/resize",
    what: "flat gray 128 becomes, defaults",
    values: { theirs: () => theirFlat(defaults), own: ownFlat },
  },
  {
    package: "@jsquash/resize",
    what: "flat gray 128 becomes, neither alpha nor linear light",
    values: { theirs: () => theirFlat(plain), own: ownFlat },
  },
];
