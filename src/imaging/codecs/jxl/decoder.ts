// The JPEG XL decoder: headers by our own reader, pixels by jxl-oxide, which decodes the groups of a region.

import { type ByteSource, concatenate, memoryBytes, readAll } from "../../../base/index.ts";
import type { Decoder, TakeRows } from "../codec.ts";
import { damagedJxl } from "../damaged.ts";
import type { ImageHeader, Rectangle } from "../image-header.ts";
import { asImagingError } from "../instance.ts";
import { partsOf } from "../parts.ts";
import { decodePng } from "../png/decode.ts";
import { readPngHeader } from "../png/header.ts";
import type { CodecTools } from "../tools.ts";
import { jxlHeader, readJxlHeader } from "./header.ts";
import { readJxlMetadata } from "./metadata.ts";
import { type DecodeRegion, openImage } from "./oxide.ts";
import { plainHeader } from "./plain-header.ts";

/** Largest file that is read into memory. */
const fileLimit = 512 * 2 ** 20;
/** Rows that are decoded together, and the pixels around a region that are decoded with it. */
const rowsTogether = 512;
const around = 256;
/** Bytes of the decoder: its own, for each sample that it decodes, and for each of the image. Measured. */
const ownBytes = 20 * 2 ** 20;
const sampleBytes = 13;
const imageBytes = 1;

type Tools = Pick<CodecTools, "host" | "pyramids" | "png">;

/** Creates the decoder; its module instances are internal. */
export function jxlDecoder(tools: Tools): Decoder {
  const parts = tools.pyramids({
    async decodeRows(bytes, { header }, region, take) {
      const image = await openCodestream(tools, bytes, header, region);
      if (!hasParts(header)) await passOn(tools, image, header, { decoded: wholeOf(header), region }, take);
      else
        for (const part of partsOf(region, rowsTogether))
          await passOn(tools, image, header, { decoded: part, region: part }, take);
      return false;
    },
    memory: (header, region, fileSize) =>
      2 * Math.min(fileSize, fileLimit) +
      moduleBytes(header, region, fileSize) +
      2 * pngBytes(header, region),
    lowestLevel: (header) => (hasParts(header) ? 1 : 0),
    pixelsFor: ({ header, region }) => pixelsOf(decodedFor(header, region)),
    nsPerPixel: () => 350,
  });
  return {
    ...parts,
    probe: jxlHeader,
    maxBytes: fileLimit,
    metadata: { read: (bytes, _header, kinds) => readJxlMetadata(bytes, kinds) },
  };
}

/**
 * True if a region is decoded by itself; other images as a whole, since the module fails for parts of some.
 */
const hasParts = ({ details }: ImageHeader) => details?.parts === true;
const wholeOf = ({ width, height }: ImageHeader): Rectangle => ({ x: 0, y: 0, width, height });
const pixelsOf = ({ width, height }: Pick<Rectangle, "width" | "height">) => width * height;

/** Returns the size of what is decoded for a region. */
function decodedFor(header: ImageHeader, region: Rectangle) {
  if (!hasParts(header)) return header;
  return {
    width: Math.min(header.width, region.width + 2 * around),
    height: Math.min(header.height, region.height + 2 * around),
  };
}

/** Returns the region without the rows that are decoded after others. */
const firstPart = (region: Rectangle): Rectangle => ({
  ...region,
  height: Math.min(region.height, rowsTogether),
});

const pngBytes = (header: ImageHeader, region: Rectangle) =>
  pixelsOf(hasParts(header) ? firstPart(region) : header) * header.bands * (header.depth / 8);

/** Returns the bytes that an instance may take. */
function moduleBytes(header: ImageHeader, region: Rectangle, fileSize: number): number {
  const channels = Number(header.details?.channels ?? header.bands);
  const decoded = pixelsOf(decodedFor(header, firstPart(region)));
  return ownBytes + 3 * fileSize + channels * (decoded * sampleBytes + pixelsOf(header) * imageBytes);
}

/** Opens the image in a file, whose headers are replaced by those that we want. */
async function openCodestream(
  { host }: Tools,
  bytes: ByteSource,
  header: ImageHeader,
  region: Rectangle,
): Promise<DecodeRegion> {
  const file = memoryBytes(await readAll(bytes, fileLimit));
  const found = await readJxlHeader(file);
  const { width, height } = found.stream.size;
  if (width !== header.width || height !== header.height) throw damagedJxl("the header that was read before");
  const pieces = found.file.codestream.map(({ offset, length }) =>
    file.read(offset, Math.min(length, fileLimit)),
  );
  const codestream = concatenate(await Promise.all(pieces));
  const plain = concatenate([plainHeader(codestream, found), codestream.subarray(found.length)]);
  const module = await host.loadWasm("jxl-decode");
  return orDamaged(() => openImage(module, plain, moduleBytes(header, region, codestream.length)));
}

/** Decodes a part of the image and passes on the rows of a region in it. */
async function passOn(
  { host, png: instances }: Tools,
  image: DecodeRegion,
  { bands }: ImageHeader,
  { decoded, region }: { readonly decoded: Rectangle; readonly region: Rectangle },
  take: TakeRows,
): Promise<void> {
  const png = memoryBytes(orDamaged(() => image(decoded)));
  const header = await readPngHeader(png);
  if (header.width !== decoded.width || header.height !== decoded.height || header.bands !== bands)
    throw damagedJxl("a frame of the size and channels that its header states");
  const inside = { ...region, x: region.x - decoded.x, y: region.y - decoded.y };
  await decodePng(png, { header, region: inside }, { zlib: host.zlib, instances }, take);
}

function orDamaged<T>(decode: () => T): T {
  try {
    return decode();
  } catch (error) {
    throw asImagingError(
      error,
      "decode",
      "Expected an intact JPEG XL file, but the decoder refused it; the file may be damaged, or take more memory than its size does.",
    );
  }
}
