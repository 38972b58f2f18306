// The boxes of an AVIF file that a decoder must know: items, their references, properties and locations
// (ISO/IEC 14496-12, 8.11; ISO/IEC 23008-12, 6.5 and 9.3; AV1 Image File Format).

import type { ByteRange } from "../../../base/index.ts";
import { type Box, boxWalk } from "../boxes.ts";
import { damagedAvif } from "../damaged.ts";
import { fourCC, type HeaderBytes } from "../header-bytes.ts";

export interface Item {
  readonly type: number;
  /** Of items of the type "mime". */
  readonly contentType: string;
}

/** Numbers of items that one refers to. */
export interface Reference {
  readonly type: number;
  readonly from: number;
  readonly to: readonly number[];
}

/** Where the bytes of an item are. */
export interface Location {
  /** True if offsets count from the box idat. */
  readonly isInside: boolean;
  readonly ranges: readonly ByteRange[];
}

export interface AvifFile {
  readonly brands: readonly number[];
  readonly primary: number;
  readonly items: ReadonlyMap<number, Item>;
  readonly references: readonly Reference[];
  /** Boxes of properties by the number of their item, in order. */
  readonly properties: ReadonlyMap<number, readonly Box[]>;
  readonly locations: ReadonlyMap<number, Location>;
  /** Offset of the content of idat. */
  readonly inside: number;
}

const maxBrands = 32;
/** Boxes of properties, and properties of one item. */
const maxProperties = 4096;
/** Parts of all items. */
const maxRanges = 16_384;

const walk = boxWalk(damagedAvif, maxProperties);

/** Brands of AVIF, and of other files of its kind, whose refusal names them. */
const brands = ["avif", "avis", "heic", "heix", "hevc", "hevx", "heim", "heis", "mif1", "msf1"].map(fourCC);

/** True if these are the first bytes of AVIF, or of another high-efficiency image file. */
export function isAvif(head: Uint8Array): boolean {
  if (head.length < 16) return false;
  const view = new DataView(head.buffer, head.byteOffset, head.length);
  return (
    view.getUint32(4) === fourCC("ftyp") &&
    brandsIn(view, 8, view.getUint32(0)).some((brand) => brands.includes(brand))
  );
}

/** Returns the major brand and the compatible ones, which follow its version. */
function brandsIn(view: DataView, start: number, end: number): number[] {
  const found = [view.getUint32(start)];
  for (let at = start + 8; at + 4 <= Math.min(end, view.byteLength) && found.length < maxBrands; at += 4)
    found.push(view.getUint32(at));
  return found;
}

interface Found {
  brands: readonly number[];
  primary: number | undefined;
  readonly items: Map<number, Item>;
  readonly references: Reference[];
  readonly properties: Map<number, readonly Box[]>;
  readonly locations: Map<number, Location>;
  inside: number;
}

type ReadBox = (file: HeaderBytes, box: Box, found: Found) => Promise<void>;

/** Readers of the boxes in meta; others are skipped. */
const metaReaders = new Map<number, ReadBox>([
  [
    fourCC("pitm"),
    async (file, box, found) => {
      found.primary = numberIn(await contentOf(file, box, 8));
    },
  ],
  [fourCC("iinf"), (file, box, { items }) => readItems(file, box, items)],
  [
    fourCC("iref"),
    async (file, box, { references }) => readReferences(await contentOf(file, box), references),
  ],
  [fourCC("iloc"), async (file, box, { locations }) => readLocations(await contentOf(file, box), locations)],
  [fourCC("iprp"), (file, box, { properties }) => readProperties(file, box, properties)],
  [
    fourCC("idat"),
    async (_file, box, found) => {
      found.inside = box.body;
    },
  ],
]);

/** Reads the boxes of a file. Throws ImagingError `decode` for one without a primary item. */
export async function readBoxes(file: HeaderBytes): Promise<AvifFile> {
  const found: Found = {
    brands: [],
    primary: undefined,
    items: new Map(),
    references: [],
    properties: new Map(),
    locations: new Map(),
    inside: 0,
  };
  for await (const box of walk(file, 0, file.size)) {
    if (box.type === fourCC("ftyp")) {
      const view = await contentOf(file, box, 8 + 4 * maxBrands);
      if (view.byteLength >= 8) found.brands = brandsIn(view, 0, view.byteLength);
    }
    if (box.type !== fourCC("meta")) continue;
    const end = box.length === undefined ? file.size : box.body + box.length;
    for await (const child of walk(file, box.body + 4, end))
      await metaReaders.get(child.type)?.(file, child, found);
    break;
  }
  const { primary } = found;
  if (primary === undefined || !found.items.has(primary)) throw damagedAvif("a primary image");
  return { ...found, primary };
}

/** Returns the content of a box, or its first `limit` bytes. Throws ImagingError `decode` if it is cut. */
export async function contentOf(
  file: HeaderBytes,
  { body, length = 0 }: Box,
  limit = length,
): Promise<DataView> {
  const view = await file.view(body, Math.min(length, limit));
  if (!view) throw damagedAvif("complete boxes");
  return view;
}

/** Reads numbers of a box from the front. Throws ImagingError `decode` at its end. */
class Fields {
  readonly #view: DataView;
  #at = 0;

  constructor(view: DataView) {
    this.#view = view;
  }

  get left(): number {
    return this.#view.byteLength - this.#at;
  }

  /** Returns a number of 0 to 8 bytes. */
  take(bytes: number): number {
    if (bytes > this.left) throw damagedAvif("complete boxes");
    let value = 0;
    for (let i = 0; i < bytes; i++) value = value * 256 + this.#view.getUint8(this.#at++);
    return value;
  }

  /** Returns characters up to the next zero. */
  text(): string {
    let text = "";
    while (this.left > 0) {
      const code = this.take(1);
      if (code === 0) break;
      text += String.fromCharCode(code);
    }
    return text;
  }
}

/** Returns a number of 16 bits, or of 32 if the version of the box is not 0. */
function numberIn(view: DataView): number {
  const fields = new Fields(view);
  const version = fields.take(1);
  fields.take(3);
  return fields.take(version === 0 ? 2 : 4);
}

async function readItems(file: HeaderBytes, box: Box, items: Map<number, Item>): Promise<void> {
  const version = new Fields(await contentOf(file, box, 1)).take(1);
  const start = box.body + (version === 0 ? 6 : 8);
  for await (const entry of walk(file, start, box.body + (box.length ?? 0))) {
    const fields = new Fields(await contentOf(file, entry, 256));
    const version = fields.take(1);
    if (version < 2) continue;
    fields.take(3);
    const item = fields.take(version === 2 ? 2 : 4);
    fields.take(2); // protection
    const type = fields.take(4);
    fields.text(); // its name
    items.set(item, { type, contentType: type === fourCC("mime") ? fields.text() : "" });
  }
}

function readReferences(view: DataView, references: Reference[]): void {
  const fields = new Fields(view);
  const bytes = fields.take(1) === 0 ? 2 : 4;
  fields.take(3);
  while (fields.left >= 8) {
    fields.take(4);
    const type = fields.take(4);
    const from = fields.take(bytes);
    const to = Array.from({ length: fields.take(2) }, () => fields.take(bytes));
    references.push({ type, from, to });
  }
}

function readLocations(view: DataView, locations: Map<number, Location>): void {
  const fields = new Fields(view);
  const version = fields.take(1);
  fields.take(3);
  const sizes = fields.take(2);
  const [offsetBytes, lengthBytes, baseBytes] = [sizes >> 12, (sizes >> 8) & 15, (sizes >> 4) & 15];
  const indexBytes = version === 0 ? 0 : sizes & 15;
  let count = 0;
  for (let left = fields.take(version < 2 ? 2 : 4); left > 0; left--) {
    const item = fields.take(version < 2 ? 2 : 4);
    const isInside = version > 0 && (fields.take(2) & 15) === 1;
    fields.take(2); // in this file
    const base = fields.take(baseBytes);
    const length = fields.take(2);
    // Ranges without a field of their own take no bytes of the box.
    count += length;
    if (count > maxRanges) throw damagedAvif(`at most ${maxRanges} parts of items`);
    const ranges = Array.from({ length }, () => {
      fields.take(indexBytes);
      return { offset: base + fields.take(offsetBytes), length: fields.take(lengthBytes) };
    });
    locations.set(item, { isInside, ranges });
  }
}

async function readProperties(
  file: HeaderBytes,
  box: Box,
  properties: Map<number, readonly Box[]>,
): Promise<void> {
  const all: Box[] = [];
  const end = box.body + (box.length ?? 0);
  for await (const child of walk(file, box.body, end)) {
    if (child.type === fourCC("ipco"))
      for await (const property of walk(file, child.body, child.body + (child.length ?? 0)))
        all.push(property);
    else if (child.type === fourCC("ipma")) readAssociations(await contentOf(file, child), all, properties);
  }
}

function readAssociations(
  view: DataView,
  all: readonly Box[],
  properties: Map<number, readonly Box[]>,
): void {
  const fields = new Fields(view);
  const version = fields.take(1);
  const bytes = fields.take(3) & 1 ? 2 : 1;
  for (let left = fields.take(4); left > 0; left--) {
    const item = fields.take(version === 0 ? 2 : 4);
    const own = Array.from(
      { length: fields.take(1) },
      () => all[(fields.take(bytes) & (bytes === 2 ? 0x7fff : 0x7f)) - 1],
    );
    properties.set(
      item,
      own.filter((property) => property !== undefined),
    );
  }
}
