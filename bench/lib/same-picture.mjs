// Checks if two decoders mean the same picture. Pictures are `{ width, height, data }` of 8-bit RGBA.

import sharp from "sharp";

/** Difference from which two samples count as far apart; chroma upsampling alone seldom reaches it. */
const farOff = 24;

/**
 * Mean difference of all samples in levels, colours as they weigh under their alpha, and the share of pixels
 * with one that is far off, in percent. Pictures of unlike sizes are infinitely apart.
 */
export function distance(a, b) {
  const known = measured.get(a) ?? new WeakMap();
  if (!known.has(b)) known.set(b, measure(a, b));
  measured.set(a, known);
  return known.get(b);
}

const measured = new WeakMap();

function measure(a, b) {
  if (a.width !== b.width || a.height !== b.height)
    return { mean: Number.MAX_VALUE, far: 100, sizes: [a, b].map((p) => `${p.width}x${p.height}`) };
  let [sum, far] = [0, 0];
  for (let at = 0; at < a.data.length; at += 4) {
    const [p, q] = [a.data[at + 3], b.data[at + 3]];
    let most = Math.abs(p - q);
    sum += most;
    for (let band = at; band < at + 3; band++) {
      const difference = Math.abs(a.data[band] * p - b.data[band] * q) / 255;
      sum += difference;
      if (difference > most) most = difference;
    }
    if (most > farOff) far++;
  }
  return {
    mean: Number((sum / a.data.length).toFixed(2)),
    far: Number(((400 * far) / a.data.length).toFixed(2)),
  };
}

/**
 * True if two decoders agree. They may choose their inverse DCT, the upsampling of chroma, the rounding of 16
 * bits and of colour conversions: together a mean of 2 levels, and more than 24 in at most 1 % of pixels
 * (coloured edges under 4:2:0). `loose`: each assumes another press (CMYK without a profile), so only the
 * mean counts, and 25 levels are near: saturated overprints differ by 20, wrong inks by 60.
 */
export function near(a, b, loose = false) {
  const { mean, far } = distance(a, b);
  return loose ? mean <= 25 : mean <= 2 && far <= 1;
}

/** True if all samples are equal; colours of transparent pixels do not count. */
export const exact = (a, b) => distance(a, b).mean === 0;

/** A part of a picture. */
export function sameRegion(picture, x, y, width, height) {
  const data = new Uint8Array(width * height * 4);
  for (let row = 0; row < height; row++) {
    const from = ((y + row) * picture.width + x) * 4;
    data.set(picture.data.subarray(from, from + width * 4), row * width * 4);
  }
  return { width, height, data };
}

/** A picture as sharp reduces it to the size of another. */
export async function reduced({ width, height, data }, to) {
  const picture = await sharp(data, { raw: { width, height, channels: 4 } })
    .resize(to.width, to.height, { fit: "fill" })
    .raw()
    .toBuffer();
  return { width: to.width, height: to.height, data: picture };
}

/** A picture without its finest detail, in which filters and reduced levels differ. */
export async function blurred({ width, height, data }) {
  const picture = sharp(data, { raw: { width, height, channels: 4 } });
  return { width, height, data: await picture.blur(1.5).raw().toBuffer() };
}
