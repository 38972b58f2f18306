// The blocks of a GIF: screen, colour tables, frames with their controls (GIF89a specification, 17 to 27).

import type { ByteSource } from "../../../base/index.ts";
import { damagedGif } from "../damaged.ts";
import type { Rectangle } from "../image-header.ts";

/** Treatment of a frame's area before the next one is drawn (23.c.iv). */
export type Disposal = "keep" | "clear" | "restore";

export interface GifFrame {
  /** Area on the screen; may extend beyond it. */
  readonly area: Rectangle;
  readonly interlaced: boolean;
  /** Position of its colour table in the file, and its number of entries; 0 if the file has none for it. */
  readonly tableStart: number;
  readonly tableEntries: number;
  /** Start of the image data: the code size, then sub-blocks. */
  readonly dataStart: number;
  /** Palette index of transparent pixels; -1 for none. */
  readonly transparentIndex: number;
  readonly disposal: Disposal;
}

export interface GifHeader {
  /** Width of the screen, or more if the first frame exceeds it. */
  readonly width: number;
  readonly height: number;
  readonly frames: readonly GifFrame[];
}

const disposals: readonly Disposal[] = ["keep", "keep", "clear", "restore"];
const noControl = { transparentIndex: -1, disposal: "keep" as Disposal };

/** Maximum length of files that are read and held completely. */
export const maxFileBytes = 64 << 20;
const maxBlocks = 1_000_000;
/** Bytes of an image descriptor with its separator (20). */
const descriptorBytes = 10;

/**
 * Reads screen and frames. The format has no count or index, so the file is walked to its trailer, within 64
 * MiB and a million blocks; later frames are not counted. A file that breaks off after its first frame began
 * has the frames that began. Throws ImagingError `decode` if it is damaged before.
 */
export async function readGifHeader(bytes: ByteSource): Promise<GifHeader> {
  const input = forwardReader(bytes);
  await input.fill();
  const screen = input.next(13);
  if (screen.length < 13 || !recognisesGif(screen)) throw damagedGif("its header");
  const globalEntries = tableEntries(screen[10]!);
  input.skip(3 * globalEntries);

  const frames: GifFrame[] = [];
  let control = noControl;
  for (let blocks = 0; blocks < maxBlocks && input.position() < maxFileBytes; blocks++) {
    if (!input.has(descriptorBytes)) await input.fill();
    const [kind] = input.next(1);
    if (kind === 0x21) control = (await readExtension(input)) ?? control;
    else if (kind === 0x2c) {
      const part = input.next(descriptorBytes - 1);
      if (part.length < descriptorBytes - 1) break;
      const localEntries = tableEntries(part[8]!);
      const tableStart = localEntries > 0 ? input.position() : 13;
      input.skip(3 * localEntries);
      frames.push({
        area: readArea(part),
        interlaced: (part[8]! & 64) !== 0,
        tableStart,
        tableEntries: localEntries || globalEntries,
        dataStart: input.position(),
        ...control,
      });
      control = noControl;
      input.skip(1);
      await skipSubBlocks(input);
    } else if (kind !== 0) break; // zeros between blocks are tolerated; the trailer and anything else end the walk
  }
  const [first] = frames;
  if (!first) throw damagedGif("its first frame");
  // browsers and libvips enlarge the screen by the first frame, never by later ones
  const width = Math.max(screen[6]! | (screen[7]! << 8), first.area.x + first.area.width);
  const height = Math.max(screen[8]! | (screen[9]! << 8), first.area.y + first.area.height);
  if (width === 0 || height === 0) throw damagedGif("the size of its screen");
  return { width, height, frames };
}

/** True if a file begins like GIF87a or GIF89a. */
export function recognisesGif(head: Uint8Array): boolean {
  return /^GIF8[79]a$/.test(String.fromCharCode(...head.subarray(0, 6)));
}

function readControl(fields: Uint8Array): typeof noControl {
  const [flags = 0, , , index = 0] = fields;
  return {
    transparentIndex: flags & 1 ? index : -1,
    disposal: disposals[(flags >> 2) & 7] ?? "keep",
  };
}

/** Returns the number of colour table entries in a packed field. */
export function tableEntries(packed: number): number {
  return packed & 128 ? 2 << (packed & 7) : 0;
}

/**
 * Reads a file from its front to its end. It waits in `fill` alone: a small file has hundreds of thousands of
 * blocks, and a promise for each would cost more than the blocks.
 */
export interface Forward {
  /** True if the next `length` bytes are in memory. */
  has(length: number): boolean;
  /** Reads from the position on: at least 16 KiB, fewer only at the end of the file. */
  fill(): Promise<void>;
  /** Returns the next bytes that are in memory, and moves past them. */
  next(length: number): Uint8Array;
  skip(length: number): void;
  /**
   * Moves to after the sub-block of length 0. Returns false if it has come to the end of the bytes in memory
   * before.
   */
  skipSubBlocks(): boolean;
  position(): number;
}

/** Bytes of the first block that is read. */
const leastBlock = 16 * 1024;
/** Bytes of the largest block that is read. */
const maxBlock = 256 * 1024;

/** Creates a reader from the beginning of a file. */
export function forwardReader(bytes: ByteSource): Forward {
  let block = new Uint8Array();
  let blockStart = 0;
  let at = 0;
  let size = leastBlock;
  let isAtEnd = false;
  return {
    has: (length) => isAtEnd || at + length <= blockStart + block.length,
    async fill() {
      block = new Uint8Array(await bytes.read(at, size));
      blockStart = at;
      isAtEnd = block.length < size;
      size = Math.min(size * 2, maxBlock);
    },
    next(length) {
      const from = at - blockStart;
      const taken = from < 0 ? block.subarray(0, 0) : block.subarray(from, from + length);
      at += taken.length;
      return taken;
    },
    skip(length) {
      at += length;
    },
    skipSubBlocks() {
      for (;;) {
        const length = block[at - blockStart];
        if (length === undefined) return isAtEnd;
        at += length + 1;
        if (length === 0) return true;
      }
    },
    position: () => at,
  };
}

/** Reads an extension to its end; returns the graphic control of the next frame, if it is one. */
async function readExtension(input: Forward) {
  if (!input.has(6)) await input.fill();
  const [label, size] = input.next(2);
  if (!size) return undefined;
  const control = label === 0xf9 && size === 4 ? readControl(input.next(4)) : undefined;
  if (!control) input.skip(size);
  await skipSubBlocks(input);
  return control;
}

/** Moves to after the sub-block of length 0, within the bytes of files that are read. */
export async function skipSubBlocks(input: Forward): Promise<void> {
  while (!input.skipSubBlocks() && input.position() < maxFileBytes) await input.fill();
}

/** Reads the rectangle of an image descriptor. */
const readArea = (part: Uint8Array): Rectangle => ({
  x: part[0]! | (part[1]! << 8),
  y: part[2]! | (part[3]! << 8),
  width: part[4]! | (part[5]! << 8),
  height: part[6]! | (part[7]! << 8),
});
