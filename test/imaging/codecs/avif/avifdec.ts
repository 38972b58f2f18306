// AVIF files as libavif and libheif show them.

import sharp from "sharp";
import { converted } from "../../../kept.ts";

/** Returns the lines of `avifdec --info`, by their names. */
export function avifInfo(file: Uint8Array): Readonly<Record<string, string>> {
  const args = ["-c", "avifdec --info in.avif >out.txt"];
  const text = converted("sh", args, { input: file, from: "in.avif", to: "out.txt" });
  const lines = [
    ...Buffer.from(text)
      .toString()
      .matchAll(/^ +\* ([^:]+?)\s*: (.*)$/gm),
  ];
  return Object.fromEntries(lines.map(([, name = "", value = ""]) => [name, value]));
}

/** Returns the pixels that libavif decodes, before orientation, as a PNG of 16 bits. */
export const avifdec = (file: Uint8Array): Uint8Array =>
  converted("avifdec", ["--depth", "16", "in.avif", "out.png"], {
    input: file,
    from: "in.avif",
    to: "out.png",
  });

/** Returns upright pixels as red, green, blue and alpha of 8 bits, by libvips. */
export async function rgbaOf(file: Uint8Array) {
  const { data, info } = await sharp(file).ensureAlpha().raw().toBuffer({ resolveWithObject: true });
  return { width: info.width, height: info.height, data: new Uint8Array(data) };
}
