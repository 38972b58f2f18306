// Converts a page of a file to a tiled TIFF with all its levels, a few rows at a time.

import { type ByteSource, ImagingError } from "../../base/index.ts";
import type { Decoder, TakeRows } from "../codecs/codec.ts";
import type { Codecs } from "../codecs/codecs.ts";
import type { ImageHeader } from "../codecs/image-header.ts";
import type { MasterPage, ReadRequest } from "../codecs/plan.ts";
import { type TiffSink, writeTiffPyramid } from "../codecs/tif/write/pyramid.ts";
import type { TileCompression, TileHost } from "../codecs/tif/write/tile-formats.ts";
import { srgbProfile } from "../colour/write.ts";
import { profileOf } from "../metadata/colour.ts";
import { hasAlpha } from "../pipeline/pixels.ts";
import { runSteps } from "../pipeline/run-steps.ts";
import type { Step } from "../pipeline/step.ts";
import { colourKernels } from "./colour-kernels.ts";
import { colourSteps } from "./sampling.ts";

/** What to make of an image. */
export interface PyramidFileOptions {
  /** Default: JPEG for 8-bit gray or RGB without alpha that was lossy before, else deflate. */
  readonly compression?: TileCompression["kind"] | undefined;
  /** Quality of JPEG, 1 to 100. From 90 on chroma is stored at full size, as libvips does. */
  readonly quality: number;
  /** Side of a tile in pixels, a multiple of 16. */
  readonly tileSide: number;
  /** Decodes the file as a whole, which `wholeFileError` asks for. */
  readonly whole?: boolean;
}

/** Rows that are decoded at a time, a multiple of what codecs divide reads by. */
const rowsAtOnce = 256;
const deflateLevel = 6;

/** Formats and variants that lose detail. */
const isLossy = ({ format, variant }: ImageHeader) =>
  format === "jpg" || (format === "tif" && /jpeg/i.test(variant));

/** Returns the compression of the tiles of an image. */
function compressionFor(
  header: ImageHeader,
  { compression, quality }: Pick<PyramidFileOptions, "compression" | "quality">,
): TileCompression {
  const isPlain = header.depth === 8 && !hasAlpha(header) && /^(gray|rgb)$/.test(header.interpretation);
  const kind = compression ?? (isPlain && isLossy(header) ? "jpeg" : "deflate");
  return kind === "jpeg"
    ? { kind, quality, chroma: quality >= 90 ? "444" : "420" }
    : { kind, level: deflateLevel };
}

/**
 * Returns the steps to the pixels that tiles can hold. Gray and RGB keep their colours, CMYK too if it is
 * not JPEG; everything else becomes sRGB. JPEG takes neither alpha, which white replaces, nor 16 bits.
 */
function stepsFor(header: ImageHeader, kind: TileCompression["kind"]): Step[] {
  const isStored =
    header.interpretation === "gray" ||
    header.interpretation === "rgb" ||
    (header.interpretation === "cmyk" && kind === "deflate" && header.bands === 4);
  const colours = isStored ? [] : colourSteps(header, true);
  if (kind === "deflate") return colours;
  return [
    ...colours,
    ...(hasAlpha(header) ? [{ op: "flatten", background: [255, 255, 255] } as const] : []),
    ...(header.depth === 16 ? [{ op: "depth", bits: 8 } as const] : []),
  ];
}

/**
 * Writes a page of a file as a pyramid with its profile, resolution, orientation, XMP and IPTC, and returns
 * the compression of its tiles; pixels stay
 * as stored, and the orientation says how to turn them. Decodes rows as they are written, so that an image of
 * any size takes little memory if its format allows. Throws ImagingError `unsupported` for files that cannot
 * be read correctly, `decode` for damaged ones, also if only a part of the image is missing,
 * and what the bytes and the sink throw; the bytes in the sink are then no file.
 */
export async function writePyramidFile(
  bytes: ByteSource,
  { header, page }: MasterPage,
  sink: TiffSink,
  options: PyramidFileOptions,
  {
    codecs,
    host,
    onRows,
  }: { readonly codecs: Codecs; readonly host: TileHost; onRows?(count: number): void },
): Promise<TileCompression["kind"]> {
  if (header.unsupported) throw new ImagingError("unsupported", header.unsupported);
  const codec = codecs.decoder(header.format);
  const { width, height } = header;
  const read: ReadRequest = {
    header,
    page,
    region: { x: 0, y: 0, width, height },
    scaleFactor: 1,
    ...(options.whole && { whole: true }),
  };
  const compression = compressionFor(header, options);
  const steps = stepsFor(header, compression.kind);
  const kernels = await colourKernels({ read, steps }, bytes, codecs);
  const own = await codec.metadata?.read(bytes, header);
  const converts = steps.some(({ op }) => op === "to-srgb");
  const icc = converts
    ? srgbProfile()
    : (header.colour?.from === "icc" && own?.icc) || (await profileOf(codec, bytes, header));
  const decodeRows = async (take: TakeRows) => {
    const isIncomplete = await decodeAll(codec, bytes, read, async (rows) => {
      await take(runSteps(rows, steps, kernels));
      onRows?.(rows.height);
    });
    if (isIncomplete || header.incomplete)
      throw new ImagingError(
        "decode",
        "Expected a whole image; this file is damaged or ends early, so a part of the picture is missing. Replace the file.",
      );
  };
  await writeTiffPyramid(
    decodeRows,
    header,
    sink,
    {
      compression,
      tileSide: options.tileSide,
      resolution: header.resolution,
      orientation: header.orientation,
      icc,
      xmp: own?.xmp,
      iptc: own?.iptc,
    },
    { host, resize: codecs.kernels.resize },
  );
  return compression.kind;
}

/** Passes on all rows of an image, those of a few at a time if its format allows. */
async function decodeAll(
  codec: Decoder,
  bytes: ByteSource,
  read: ReadRequest,
  take: TakeRows,
): Promise<boolean> {
  const access = { id: crypto.randomUUID(), absent: true, load: async () => new Uint8Array() };
  const apart = read.whole ? undefined : codec.rows?.apart(read);
  if (codec.rows && apart !== undefined) {
    const rows = Math.ceil(rowsAtOnce / apart) * apart;
    return codec.rows.decode(bytes, read, rows, take, access);
  }
  const whole = await codec.decode(bytes, read, access);
  await take(whole);
  return whole.incomplete === true;
}
