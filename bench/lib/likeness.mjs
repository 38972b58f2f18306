// How near pixels are to others: a Lanczos-3 reduction in double precision as the reference, PSNR and SSIM.
// A picture here is `{ width, height, data }` with three interleaved bands of 0..255.

/** A region `[x, y, w, h]` of an RGB picture, reduced to a size with Lanczos-3; edges repeat, values stay fractions. */
export function reduced(picture, region, width, height) {
  const [x, y, w, h] = region;
  if (w === width && h === height) return cropped(picture, region);
  const across = taps(w, width);
  const down = taps(h, height);
  const rows = new Float64Array(width * h * 3);
  for (let row = 0; row < h; row++) {
    const line = ((y + row) * picture.width + x) * 3;
    for (let column = 0; column < width; column++) {
      const { from, weights } = across[column];
      let [red, green, blue] = [0, 0, 0];
      for (let k = 0; k < weights.length; k++) {
        const at = line + within(from + k, w) * 3;
        red += weights[k] * picture.data[at];
        green += weights[k] * picture.data[at + 1];
        blue += weights[k] * picture.data[at + 2];
      }
      rows.set([red, green, blue], (row * width + column) * 3);
    }
  }
  const data = new Float64Array(width * height * 3);
  for (let row = 0; row < height; row++) {
    const { from, weights } = down[row];
    for (let k = 0; k < weights.length; k++) {
      const line = within(from + k, h) * width * 3;
      for (let i = 0; i < width * 3; i++) data[row * width * 3 + i] += weights[k] * rows[line + i];
    }
  }
  return { width, height, data: data.map((value) => Math.max(0, Math.min(255, value))) };
}

const within = (at, length) => Math.max(0, Math.min(length - 1, at));

function cropped(picture, [x, y, width, height]) {
  const data = new Float64Array(width * height * 3);
  for (let row = 0; row < height; row++) {
    const line = ((y + row) * picture.width + x) * 3;
    data.set(picture.data.subarray(line, line + width * 3), row * width * 3);
  }
  return { width, height, data };
}

/** Per output sample the first input sample and the weights, sum 1; the kernel widens with the reduction. */
function taps(input, output) {
  const scale = input / output;
  const widen = Math.max(1, scale);
  return Array.from({ length: output }, (_, i) => {
    const centre = (i + 0.5) * scale - 0.5;
    const from = Math.ceil(centre - 3 * widen);
    const to = Math.floor(centre + 3 * widen);
    const weights = Array.from({ length: to - from + 1 }, (_, k) => lanczos3((from + k - centre) / widen));
    const sum = weights.reduce((a, b) => a + b, 0);
    return { from, weights: weights.map((weight) => weight / sum) };
  });
}

function lanczos3(x) {
  if (x === 0) return 1;
  if (Math.abs(x) >= 3) return 0;
  const angle = Math.PI * x;
  return (3 * Math.sin(angle) * Math.sin(angle / 3)) / (angle * angle);
}

/** Peak signal-to-noise ratio over all bands in dB; at most 99, which equal pictures get. */
export function psnr(a, b) {
  let sum = 0;
  for (let i = 0; i < a.data.length; i++) sum += (a.data[i] - b.data[i]) ** 2;
  return Math.min(99, 10 * Math.log10((255 * 255 * a.data.length) / sum));
}

/** Mean structural similarity of luma (Wang et al. 2004) over windows of 8 x 8, four samples apart, of equal weight. */
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
