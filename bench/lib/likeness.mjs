// Compares pixels with references in double precision (Lanczos-3 for another size, Lanczos-8 for rotation):
// PSNR and SSIM. A picture here is `{ width, height, data }` with three interleaved bands of 0..255.

/**
 * A region `[x, y, w, h]` of an RGB picture, brought to a size with Lanczos-3 as if it were all there is;
 * edges repeat, values stay fractions.
 */
export function resized(picture, region, width, height) {
  const [x, y, w, h] = region;
  if (w === width && h === height) return cropped(picture, region);
  return filtered(picture, taps(x, w / width, width, x, x + w), taps(y, h / height, height, y, y + h));
}

/**
 * Returns a tile of the picture reduced by exactly `factor`: the filter sees the surroundings of the region.
 */
export function tileOf(picture, [x, y], width, height, factor) {
  const across = taps(x, factor, width, 0, picture.width);
  return filtered(picture, across, taps(y, factor, height, 0, picture.height));
}

function filtered(picture, across, down) {
  const [width, height] = [across.length, down.length];
  const top = down[0].places[0];
  const rows = new Float64Array(width * (down.at(-1).places.at(-1) + 1 - top) * 3);
  for (let row = 0; row * width * 3 < rows.length; row++) {
    const line = (top + row) * picture.width * 3;
    for (let column = 0; column < width; column++) {
      const { places, weights } = across[column];
      let [red, green, blue] = [0, 0, 0];
      for (let k = 0; k < weights.length; k++) {
        const at = line + places[k] * 3;
        red += weights[k] * picture.data[at];
        green += weights[k] * picture.data[at + 1];
        blue += weights[k] * picture.data[at + 2];
      }
      rows.set([red, green, blue], (row * width + column) * 3);
    }
  }
  const data = new Float64Array(width * height * 3);
  for (let row = 0; row < height; row++) {
    const { places, weights } = down[row];
    for (let k = 0; k < weights.length; k++) {
      const line = (places[k] - top) * width * 3;
      for (let i = 0; i < width * 3; i++) data[row * width * 3 + i] += weights[k] * rows[line + i];
    }
  }
  return { width, height, data: data.map((value) => Math.max(0, Math.min(255, value))) };
}

/** Lobes of the filter that turned references are made with. */
const lobes = 8;

/**
 * Renders a region of an RGB picture, turned clockwise about its centre, at the pixels of a picture of
 * `size`, with that picture's own samples there. Returns `[reference, picture]` as rows of pixels, only those
 * well inside the region, about one in seven.
 */
export function turned(source, [x, y, w, h], degrees, picture) {
  const angle = (degrees * Math.PI) / 180;
  const [sine, cosine] = [Math.sin(angle), Math.cos(angle)];
  const wanted = [];
  const seen = [];
  for (let row = 0; row < picture.height; row += 3)
    for (let column = row % 5; column < picture.width; column += 5) {
      const [dx, dy] = [column + 0.5 - picture.width / 2, row + 0.5 - picture.height / 2];
      const sx = cosine * dx + sine * dy + w / 2;
      const sy = cosine * dy - sine * dx + h / 2;
      if (Math.min(sx, sy, w - sx, h - sy) < lobes + 1) continue;
      const at = (row * picture.width + column) * 3;
      wanted.push(...sampled(source, x + sx, y + sy));
      seen.push(picture.data[at], picture.data[at + 1], picture.data[at + 2]);
    }
  return [wanted, seen].map((data) => ({ width: data.length / 3, height: 1, data }));
}

/** The samples at a point inside an RGB picture. */
function sampled(picture, x, y) {
  const [left, top] = [Math.floor(x - 0.5), Math.floor(y - 0.5)];
  const offsets = Array.from({ length: 2 * lobes }, (_, i) => i + 1 - lobes);
  const across = offsets.map((i) => windowedSinc(left + i + 0.5 - x, lobes));
  const down = offsets.map((i) => windowedSinc(top + i + 0.5 - y, lobes));
  const sums = [0, 0, 0];
  let all = 0;
  for (const [j, dy] of offsets.entries())
    for (const [i, dx] of offsets.entries()) {
      const weight = across[i] * down[j];
      const at = ((top + dy) * picture.width + left + dx) * 3;
      for (let band = 0; band < 3; band++) sums[band] += weight * picture.data[at + band];
      all += weight;
    }
  return sums.map((sum) => Math.max(0, Math.min(255, sum / all)));
}

function cropped(picture, [x, y, width, height]) {
  const data = new Float64Array(width * height * 3);
  for (let row = 0; row < height; row++) {
    const line = ((y + row) * picture.width + x) * 3;
    data.set(picture.data.subarray(line, line + width * 3), row * width * 3);
  }
  return { width, height, data };
}

/** For each output sample, its input samples from `low` to `high` - 1 and their weights, which sum to 1. */
function taps(start, scale, size, low, high) {
  const widen = Math.max(1, scale);
  return Array.from({ length: size }, (_, i) => {
    const centre = start + (i + 0.5) * scale - 0.5;
    const from = Math.ceil(centre - 3 * widen);
    const all = Array.from({ length: Math.floor(centre + 3 * widen) - from + 1 }, (_, k) => from + k);
    const weights = all.map((place) => windowedSinc((place - centre) / widen, 3));
    const sum = weights.reduce((a, b) => a + b, 0);
    return {
      places: all.map((place) => Math.max(low, Math.min(high - 1, place))),
      weights: weights.map((weight) => weight / sum),
    };
  });
}

/** Lanczos with the given number of lobes. */
function windowedSinc(x, lobes) {
  if (x === 0) return 1;
  if (Math.abs(x) >= lobes) return 0;
  const angle = Math.PI * x;
  return (lobes * Math.sin(angle) * Math.sin(angle / lobes)) / (angle * angle);
}

/** Peak signal-to-noise ratio over all bands in dB; at most 99, which equal pictures get. */
export function psnr(a, b) {
  let sum = 0;
  for (let i = 0; i < a.data.length; i++) sum += (a.data[i] - b.data[i]) ** 2;
  return Math.min(99, 10 * Math.log10((255 * 255 * a.data.length) / sum));
}

/**
 * Mean structural similarity of luma (Wang et al. 2004) over windows of 8 x 8, four samples apart, of equal
 * weight.
 */
export function ssim(a, b) {
  const first = luma(a);
  const second = luma(b);
  let sum = 0;
  let windows = 0;
  for (let y = 0; y + 8 <= a.height; y += 4)
    for (let x = 0; x + 8 <= a.width; x += 4) {
      sum += windowSimilarity(first, second, a.width, x, y);
      windows++;
    }
  return sum / windows;
}

function windowSimilarity(first, second, stride, x, y) {
  let [a, b, aa, bb, ab] = [0, 0, 0, 0, 0];
  for (let row = y; row < y + 8; row++)
    for (let at = row * stride + x; at < row * stride + x + 8; at++) {
      const p = first[at];
      const q = second[at];
      a += p;
      b += q;
      aa += p * p;
      bb += q * q;
      ab += p * q;
    }
  const [meanA, meanB] = [a / 64, b / 64];
  const spread = aa / 64 - meanA * meanA + bb / 64 - meanB * meanB;
  const common = ab / 64 - meanA * meanB;
  const [c1, c2] = [(0.01 * 255) ** 2, (0.03 * 255) ** 2];
  return (
    ((2 * meanA * meanB + c1) * (2 * common + c2)) / ((meanA * meanA + meanB * meanB + c1) * (spread + c2))
  );
}

const luma = ({ width, height, data }) =>
  Float64Array.from(
    { length: width * height },
    (_, i) => 0.299 * data[3 * i] + 0.587 * data[3 * i + 1] + 0.114 * data[3 * i + 2],
  );
