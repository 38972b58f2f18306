// Old-style JPEG in TIFF for tests, made from the JPEG files of libvips: whole streams, and their parts laid
// out as TIFF 6.0 section 22 has them.

import type { Sharp } from "sharp";
import { type Field, plainFields, type TestPicture, tiffFile } from "./tiff-file.ts";

/** A baseline JPEG file taken apart. */
export interface Parts {
  readonly file: Uint8Array;
  /** Tables without their identifiers, in the order of these. */
  readonly quantisers: readonly Uint8Array[];
  readonly dc: readonly Uint8Array[];
  readonly ac: readonly Uint8Array[];
  /** The SOS segment, and the coded data behind it without EOI. */
  readonly scan: Uint8Array;
  readonly data: Uint8Array;
  /** Everything in front of the SOS segment. */
  readonly head: Uint8Array;
}

/** A JPEG of a picture with the tables that all encoders have, so that strips share them. */
export async function partsOf(
  picture: Sharp,
  chromaSubsampling: "4:4:4" | "4:2:0" = "4:2:0",
): Promise<Parts> {
  const file = new Uint8Array(
    await picture.jpeg({ quality: 85, chromaSubsampling, optimiseCoding: false }).toBuffer(),
  );
  const lists = { quantisers: [] as Uint8Array[], dc: [] as Uint8Array[], ac: [] as Uint8Array[] };
  for (let at = 2; ; ) {
    const code = file[at + 1];
    const end = at + 2 + file[at + 2]! * 256 + file[at + 3]!;
    if (code === 0xda)
      return {
        file,
        ...lists,
        head: file.slice(0, at),
        scan: file.slice(at, end),
        data: file.slice(end, -2),
      };
    for (let from = at + 4; from < end; ) {
      const length = code === 0xdb ? 64 : 16 + file.slice(from + 1, from + 17).reduce((a, b) => a + b, 0);
      const list = code === 0xdb ? lists.quantisers : file[from]! >> 4 ? lists.ac : lists.dc;
      if (code === 0xdb || code === 0xc4) list[file[from]! & 15] = file.slice(from + 1, from + 1 + length);
      else break;
      from += 1 + length;
    }
    at = end;
  }
}

interface Layout {
  readonly width: number;
  readonly height: number;
  readonly rows?: number;
  readonly gray?: boolean;
  readonly tile?: readonly [width: number, height: number];
}

/**
 * Returns a picture whose strips and other data precede its directory in one block. `fields` receives the
 * offset of each part in the file; those of strips come from `strips`.
 */
export function oldJpegFile(
  { width, height, rows = height, gray = false, tile }: Layout,
  parts: readonly Uint8Array[],
  fields: (at: readonly number[]) => {
    readonly strips: readonly (readonly [offset: number, length: number])[];
    readonly more: readonly Field[];
  },
): Uint8Array {
  const first = 8; // behind the file header
  const at: number[] = [];
  let length = 0;
  for (const part of parts) {
    at.push(first + length);
    length += part.length;
  }
  const block = new Uint8Array(length);
  for (const [i, part] of parts.entries()) block.set(part, at[i]! - first);
  const { strips, more } = fields(at);
  const [offsets, counts] = tile ? [324, 325] : [273, 279];
  const picture: TestPicture = {
    fields: plainFields(
      width,
      height,
      gray ? 1 : 3,
      8,
      gray ? 1 : 6,
      [259, 3, 6],
      [278, 4, rows],
      ...(tile ? [[322, 3, tile[0]] as Field, [323, 3, tile[1]] as Field] : []),
      [offsets, 4, ...strips.map(([offset]) => offset)],
      [counts, 4, ...strips.map(([, bytes]) => bytes)],
      ...more,
    ),
    blocks: [block],
    ...(tile && { tiled: true }),
  };
  return tiffFile([picture]);
}
