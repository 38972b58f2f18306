// A picture whose detail is visible in a screenshot, and what a screenshot shows of it.

import sharp from "sharp";

/**
 * 1600 x 1200: squares of 8 pixels, bright and dark in turn, of one colour. Each pixel of a sixteenth has
 * four of them.
 */
export async function chequered([red, green, blue]: readonly [number, number, number]): Promise<Buffer> {
  const [width, height] = [1600, 1200];
  const pixels = new Uint8Array(width * height * 3);
  for (let y = 0; y < height; y++)
    for (let x = 0; x < width; x++) {
      const light = ((x >> 3) + (y >> 3)) % 2 === 0 ? 1 : 0.1;
      pixels.set([red * light, green * light, blue * light], (y * width + x) * 3);
    }
  return sharp(pixels, { raw: { width, height, channels: 3 } })
    .png()
    .toBuffer();
}

/**
 * Returns what the middle of a screenshot shows: no colour, colour without detail, or the picture with its
 * squares.
 */
export async function seen(screenshot: Buffer): Promise<"nothing" | "degraded" | "full"> {
  const { width = 0, height = 0 } = await sharp(screenshot).metadata();
  const side = 200;
  const { data } = await sharp(screenshot)
    .extract({ left: (width - side) >> 1, top: (height - side) >> 1, width: side, height: side })
    .removeAlpha()
    .raw()
    .toBuffer({ resolveWithObject: true });
  let colour = 0;
  let detail = 0;
  for (let i = 3; i < data.length; i += 3) {
    const [r = 0, g = 0, b = 0] = data.subarray(i, i + 3);
    colour += Math.max(r, g, b) - Math.min(r, g, b);
    detail += Math.abs(g - (data[i - 2] as number)) + Math.abs(b - (data[i - 1] as number));
  }
  const pixels = side * side;
  if (colour / pixels < 40) return "nothing";
  return detail / pixels > 15 ? "full" : "degraded";
}
