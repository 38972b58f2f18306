// Small TIFF files for tests, built field by field as TIFF 6.0 section 2 lays them out.

/**
 * Field types: BYTE, ASCII, SHORT, LONG, RATIONAL, which is given as its quotient and stored in millionths,
 * and UNDEFINED.
 */
export type Field = readonly [tag: number, type: keyof typeof sizes, ...values: number[]];

/** A field of text. */
export const textField = (tag: number, text: string): Field => [tag, 2, ...Buffer.from(`${text}\0`)];

export interface TestPicture {
  readonly fields: readonly Field[];
  /**
   * Strips or tiles as stored. Their offsets and counts are added to the fields, unless those hold others.
   */
  readonly blocks: readonly Uint8Array[];
  /** True if the blocks are listed in the fields of tiles. */
  readonly tiled?: boolean;
  /** Leaves the counts out. */
  readonly uncounted?: boolean;
  /** Pictures of the field SubIFDs, which are not in the chain. */
  readonly reduced?: readonly TestPicture[];
}

const sizes = { 1: 1, 2: 1, 3: 2, 4: 4, 5: 8, 7: 1 } as const;

/** Returns a classic TIFF whose directories are chained in the order of `pictures`. */
export function tiffFile(
  pictures: readonly TestPicture[],
  options: { readonly bigEndian?: boolean } = {},
): Uint8Array {
  const little = !options.bigEndian;
  const written = pictures.flatMap((picture) => [picture, ...(picture.reduced ?? [])]);
  const out = new Uint8Array(
    64 +
      written.reduce(
        (sum, p) =>
          sum +
          p.blocks.reduce((n, b) => n + b.length + 10, 0) +
          p.fields.reduce((n, f) => n + 16 + 8 * f.length, 64),
        0,
      ),
  );
  const view = new DataView(out.buffer);
  out.set(little ? [0x49, 0x49] : [0x4d, 0x4d]);
  view.setUint16(2, 42, little);
  let link = 4;
  let end = 8;
  const append = (bytes: number) => {
    const at = end;
    end += bytes + (bytes & 1);
    return at;
  };
  /** Returns the offset of a directory, and of its link to the next. */
  const write = ({
    fields,
    blocks,
    tiled,
    uncounted,
    reduced = [],
  }: TestPicture): { directory: number; next: number } => {
    const below = reduced.map((picture) => write(picture).directory);
    const offsets = blocks.map((block) => {
      const at = append(block.length);
      out.set(block, at);
      return at;
    });
    const [offsetsTag, countsTag] = tiled ? [324, 325] : [273, 279];
    const counted = uncounted || fields.some(([tag]) => tag === countsTag);
    const all = [
      ...fields,
      ...(below.length > 0 ? [[330, 4, ...below] as Field] : []),
      ...(fields.some(([tag]) => tag === offsetsTag) ? [] : [[offsetsTag, 4, ...offsets] as Field]),
      ...(counted ? [] : [[countsTag, 4, ...blocks.map((b) => b.length)] as Field]),
    ].sort((a, b) => a[0] - b[0]);
    const directory = append(2 + all.length * 12 + 4);
    view.setUint16(directory, all.length, little);
    all.forEach(([tag, type, ...values], i) => {
      const entry = directory + 2 + i * 12;
      const bytes = sizes[type] * values.length;
      const at = bytes <= 4 ? entry + 8 : append(bytes);
      view.setUint16(entry, tag, little);
      view.setUint16(entry + 2, type, little);
      view.setUint32(entry + 4, values.length, little);
      if (bytes > 4) view.setUint32(entry + 8, at, little);
      values.forEach((value, n) => {
        if (sizes[type] === 1) view.setUint8(at + n, value);
        else if (type === 3) view.setUint16(at + 2 * n, value, little);
        else if (type === 4) view.setUint32(at + 4 * n, value, little);
        else {
          view.setUint32(at + 8 * n, Math.round(value * 1e6), little);
          view.setUint32(at + 8 * n + 4, 1e6, little);
        }
      });
    });
    return { directory, next: directory + 2 + all.length * 12 };
  };
  for (const picture of pictures) {
    const { directory, next } = write(picture);
    view.setUint32(link, directory, little);
    link = next;
  }
  return out.slice(0, end);
}

/** The fields of an uncompressed picture in one strip; more are added, or replace these. */
export function plainFields(
  width: number,
  height: number,
  samples: number,
  bits: number,
  photometric: number,
  ...more: readonly Field[]
): Field[] {
  const base: Field[] = [
    [256, 4, width],
    [257, 4, height],
    [258, 3, ...Array.from({ length: samples }, () => bits)],
    [259, 3, 1],
    [262, 3, photometric],
    [277, 3, samples],
    [278, 4, height],
  ];
  return [...base.filter(([tag]) => !more.some(([other]) => other === tag)), ...more];
}

/** A picture of a compression that is not served. */
export const jbigTiff = (): Uint8Array =>
  tiffFile([{ fields: plainFields(16, 16, 3, 8, 2, [259, 3, 34661]), blocks: [new Uint8Array(99)] }]);
