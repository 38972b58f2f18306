// Presents old-style JPEG (TIFF 6.0 section 22) as one JPEG stream that can be read by regions. Technical
// Note 2 explains its many forms.

import { type ByteRange, type ByteSource, ImagingError } from "../../../../base/index.ts";
import { damagedTif } from "../../damaged.ts";
import { endOfImage } from "../../jpg/markers/write.ts";
import { type Directory, readNumber, readValues, type TiffFile } from "../directory/ifd.ts";
import type { Picture } from "../directory/picture.ts";
import { refusalText } from "../directory/refusals.ts";
import { tags } from "../directory/tags.ts";
import {
  checkSize,
  completedHead,
  emptyHead,
  headBytes,
  mcusOf,
  takeSegments,
  type WholeHead,
} from "./head.ts";
import { type JpegPiece, joinedPieces } from "./pieces.ts";

/** More strips than any writer makes. */
const MAX_STRIPS = 1 << 16;
/** Largest value of a DRI segment. */
const MAX_RESTART = 65535;
const LOSSLESS = 14;

/**
 * Returns the image as a JPEG stream: the segments and tables of the file, then the coded data of all strips,
 * with restart markers between them. `converts`: decoders convert luma and chroma as in JPEG files. Throws
 * ImagingError `decode`, and `unsupported` for unsupported kinds.
 */
export async function oldJpegStream(
  bytes: ByteSource,
  file: TiffFile,
  directory: Directory,
  picture: Picture,
  converts: boolean,
): Promise<ByteSource> {
  if ((await readNumber(file, directory, tags.JPEGProc)) === LOSSLESS)
    throw unsupportedError("baseline or progressive old-style JPEG", "lossless JPEG");
  const strips = await stripsOf(file, directory, picture);
  const stream = await streamRange(file, directory);
  const head = emptyHead();
  head.restart = (await readNumber(file, directory, tags.JPEGRestartInterval)) ?? 0;
  if (stream) await takeSegments(bytes, stream, head);
  const inStream = head.dataAt !== undefined;
  if (!inStream && strips[0]) await takeSegments(bytes, strips[0], head);
  const whole = await completedHead(file, directory, picture, head);
  const { columns } = mcusOf(whole.frame, picture);
  if (mcusOf(whole.frame, { width: picture.blockWidth, height: 1 }).columns !== columns)
    throw unsupportedError(
      "tiles as wide as the picture in old-style JPEG",
      `tiles of ${picture.blockWidth} pixels`,
    );

  const transform = converts ? 1 : 0;
  const start = head.dataAt ?? strips[0]?.offset ?? 0;
  const run =
    strips.length === 1 || isInside(strips, stream, start) ? oneRun(start, strips, stream) : undefined;
  checkSize(head, whole, picture, run ? 1 : strips.length);
  if (run) return joinedPieces(bytes, [headBytes(whole, picture, head.restart, transform), ...run, end]);
  await refuseStreams(bytes, strips);
  const restart = restartOf(whole, picture);
  return joinedPieces(bytes, [
    headBytes(whole, picture, restart, transform),
    ...withRestarts(strips, start),
    end,
  ]);
}

const end = Uint8Array.from(endOfImage);

const unsupportedError = (expected: string, received: string) =>
  new ImagingError("unsupported", refusalText([expected, received]));

/**
 * Returns the range of JPEGInterchangeFormat, up to the end of the file if its length is missing or too
 * large.
 */
async function streamRange(file: TiffFile, directory: Directory): Promise<ByteRange | undefined> {
  const { size = Number.MAX_SAFE_INTEGER } = file.bytes;
  const offset = (await readNumber(file, directory, tags.JPEGInterchangeFormat)) ?? 0;
  const stated = (await readNumber(file, directory, tags.JPEGInterchangeFormatLength)) ?? 0;
  if (offset === 0 || offset >= size) return undefined;
  return { offset, length: stated > 0 ? Math.min(stated, size - offset) : size - offset };
}

/** Returns strips, or tiles in one column. One entry may stand for all. */
async function stripsOf(file: TiffFile, directory: Directory, picture: Picture): Promise<ByteRange[]> {
  const { entries } = directory;
  const { size = Number.MAX_SAFE_INTEGER } = file.bytes;
  const offsets = entries.get(tags.TileOffsets) ?? entries.get(tags.StripOffsets);
  const counts = entries.get(tags.TileByteCounts) ?? entries.get(tags.StripByteCounts);
  if (!offsets) return [];
  const count = offsets.count === 1 ? 1 : Math.ceil(picture.height / picture.blockHeight);
  if (count > MAX_STRIPS) throw damagedTif(`at most ${MAX_STRIPS} strips or tiles`, `${count}`);
  const at = await readValues(file, offsets, 0, count);
  const lengths = counts && counts.count >= count ? await readValues(file, counts, 0, count) : [];
  return at.map((offset, i) => ({
    offset,
    length: Math.max(0, Math.min(lengths[i] || (at[i + 1] ?? size) - offset, size - offset)),
  }));
}

const endOf = ({ offset, length }: ByteRange) => offset + length;

/** True if all strips are parts of the stream, which then continues from its scan header to its end. */
function isInside(strips: readonly ByteRange[], stream: ByteRange | undefined, start: number): boolean {
  if (!stream || start >= endOf(stream)) return false;
  return strips.every((strip) => strip.offset >= stream.offset && endOf(strip) <= endOf(stream));
}

/** Contiguous coded data: those after the scan header, and the strip if it is elsewhere. */
function oneRun(start: number, strips: readonly ByteRange[], stream: ByteRange | undefined): ByteRange[] {
  const [strip] = strips;
  const streamEnd = stream && start >= stream.offset ? endOf(stream) : start;
  if (strips.length !== 1 || !strip) return [rangeTo(start, streamEnd)];
  if (strip.offset <= Math.max(start, streamEnd) && endOf(strip) >= start)
    return [rangeTo(start, Math.max(streamEnd, endOf(strip)))];
  return [rangeTo(start, streamEnd), strip].filter(({ length }) => length > 0);
}

const rangeTo = (start: number, to: number): ByteRange => ({
  offset: start,
  length: Math.max(0, to - start),
});

/** Returns the MCUs of a strip, which is the restart interval. */
function restartOf(whole: WholeHead, { width, blockHeight }: Picture): number {
  const mcus = mcusOf(whole.frame, { width, height: blockHeight });
  if (!mcus.whole(blockHeight))
    throw unsupportedError("strips of whole rows of JPEG blocks", `strips of ${blockHeight} rows`);
  const restart = mcus.columns * mcus.rows;
  if (restart > MAX_RESTART)
    throw unsupportedError(`at most ${MAX_RESTART} groups of JPEG blocks in a strip`, `${restart}`);
  return restart;
}

/** Joins the strips with a restart marker between them. Each begins with fresh state. */
function withRestarts(strips: readonly ByteRange[], start: number): JpegPiece[] {
  return strips.flatMap((strip, i): JpegPiece[] => {
    if (i === 0) return [start > strip.offset ? rangeTo(start, endOf(strip)) : strip];
    return [Uint8Array.of(0xff, 0xd0 + ((i - 1) & 7)), strip];
  });
}

/** Throws ImagingError `unsupported` if a strip after the first begins with a start of image. */
async function refuseStreams(bytes: ByteSource, strips: readonly ByteRange[]): Promise<void> {
  const second = strips[1] && (await bytes.read(strips[1].offset, 2));
  if (second?.[0] === 0xff && second[1] === 0xd8)
    throw unsupportedError("old-style JPEG in one stream", "a stream in each strip");
}
