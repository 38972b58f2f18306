// Properties and items of AVIF files that the encoder leaves out: profile, orientation, EXIF and XMP
// (ISO/IEC 23008-12, sections 6.5 and 6.6, annex A; ISO/IEC 14496-12, section 8.11).

import { concatenate, ImagingError } from "../../../base/index.ts";
import type { Metadata } from "../../metadata/metadata.ts";
import { latin1 } from "../../metadata/metadata-bytes.ts";
import { isoBox, isoBoxes, isoBoxList, u16, u32 } from "../iso-boxes.ts";

type Bytes = ArrayLike<number>;

/** Data about the picture: an entry of its kind for `iinf`, and its bytes. */
interface Item {
  readonly type: "Exif" | "mime";
  /** Empty unless the type is "mime". */
  readonly contentType: string;
  readonly data: Uint8Array;
}

interface Additions {
  /** Property of the picture itself, such as its profile. */
  readonly colour?: Uint8Array | undefined;
  /** Properties that decoders have to apply, in order, to the picture and to its alpha. */
  readonly transforms?: readonly Uint8Array[];
  readonly items?: readonly Item[];
}

/** Primaries 1 and transfer characteristics 13 of ITU-T H.273, as `colr` of the type "nclx" begins. */
const srgb = [...u16(1), ...u16(13)];

const irot = (quarters: number) => isoBox("irot", [quarters]);
const imir = (axis: 0 | 1) => isoBox("imir", [axis]);

/** By EXIF orientation: quarter turns against the clock, then a mirror, top to bottom or side to side. */
const transformsOf: Readonly<Record<number, readonly Uint8Array[]>> = {
  2: [imir(1)],
  3: [irot(2)],
  4: [imir(0)],
  5: [irot(1), imir(0)],
  6: [irot(3)],
  7: [irot(3), imir(0)],
  8: [irot(1)],
};

/**
 * Returns a file of the encoder that states how to turn it (an EXIF orientation) and that its colours
 * are sRGB, if they are.
 */
export function describePixels(file: Uint8Array, orientation: number, isSrgb: boolean): Uint8Array {
  const transforms = transformsOf[orientation];
  const described = transforms ? withAdditions(file, { transforms }) : file;
  if (isSrgb) propertiesOf(described).colr.set(srgb, 12);
  return described;
}

/**
 * Returns a file of the encoder with this metadata. IPTC has no item, so it is left out, and so is the
 * profile of a file that states sRGB in eleven bytes.
 */
export async function embedInAvif(file: Uint8Array, { icc, exif, xmp }: Metadata): Promise<Uint8Array> {
  const items: Item[] = [];
  // Its first field is the offset of the TIFF header.
  if (exif) items.push({ type: "Exif", contentType: "", data: concatenate([u32(0), exif]) });
  if (xmp) items.push({ type: "mime", contentType: "application/rdf+xml", data: xmp });
  const isSrgb = String(propertiesOf(file).colr.subarray(12, 16)) === String(srgb);
  const colour = icc && !isSrgb ? isoBox("colr", latin1("prof"), icc) : undefined;
  return colour || items.length > 0 ? withAdditions(file, { colour, items }) : file;
}

/** Returns the file with more properties and items. Its own items move by the growth of `meta`. */
function withAdditions(file: Uint8Array, { colour, transforms = [], items = [] }: Additions): Uint8Array {
  const { ftyp, meta, mdat } = partsOf(file);
  const { hdlr, pitm, iloc, iinf, iref, iprp } = childrenOf(meta, 12, "hdlr", "pitm", "iloc", "iinf", "iprp");
  const primary = (pitm[12]! << 8) | pitm[13]!;
  const first = 1 + Math.max(...isoBoxList(iinf, 14).map((entry) => (entry[12]! << 8) | entry[13]!));
  const kinds = items.map(({ type, contentType }, i) =>
    isoBox(
      "infe",
      [2, 0, 0, 0],
      u16(first + i),
      u16(0),
      latin1(`${type}\0`),
      latin1(contentType && `${contentType}\0`),
    ),
  );
  const references = items.map((_, i) => isoBox("cdsc", u16(first + i), u16(1), u16(primary)));
  const others = [
    isoBox("iinf", u32(0), u16(isoBoxList(iinf, 14).length + items.length), iinf.subarray(14), ...kinds),
    ...(iref || items.length > 0 ? [isoBox("iref", iref ? iref.subarray(8) : u32(0), ...references)] : []),
    withProperties(iprp, primary, colour, transforms),
  ];
  const head = [hdlr, pitm];
  const length = [...head, ...others].reduce(
    (sum, box) => sum + box.length,
    12 + iloc.length + 14 * items.length,
  );
  const moved = length - meta.length;
  let end = ftyp.length + length + mdat.length;
  const locations = items.map(({ data }, i) => {
    const at = end;
    end += data.length;
    return concatenate([u16(first + i), u16(0), u16(1), u32(at), u32(data.length)]);
  });
  return concatenate([
    ftyp,
    isoBox("meta", u32(0), ...head, withLocations(iloc, moved, locations), ...others),
    isoBox("mdat", mdat.subarray(8), ...items.map(({ data }) => data)),
  ]);
}

/** `ipma` names properties by their number in `ipco`, from 1; its highest bit marks those to apply. */
function withProperties(
  iprp: Uint8Array,
  primary: number,
  colour: Uint8Array | undefined,
  transforms: readonly Uint8Array[],
): Uint8Array {
  const { ipco, ipma } = childrenOf(iprp, 8, "ipco", "ipma");
  const count = isoBoxList(ipco, 8).length;
  const added = [...(colour ? [colour] : []), ...transforms];
  const entries: Bytes[] = [];
  for (let at = 16; at < ipma.length; at += 3 + ipma[at + 2]!) {
    const item = (ipma[at]! << 8) | ipma[at + 1]!;
    const numbers = added.flatMap((property, i) => {
      if (property !== colour) return [0x80 | (count + 1 + i)];
      return item === primary ? [count + 1 + i] : [];
    });
    const own = ipma.subarray(at + 3, at + 3 + ipma[at + 2]!);
    entries.push(ipma.subarray(at, at + 2), [own.length + numbers.length], own, numbers);
  }
  return isoBox(
    "iprp",
    isoBox("ipco", ipco.subarray(8), ...added),
    isoBox("ipma", ipma.subarray(8, 16), ...entries),
  );
}

/** Locations of the encoder have one extent each: number, 0, 1, offset and length in 14 bytes. */
function withLocations(iloc: Uint8Array, moved: number, added: readonly Uint8Array[]): Uint8Array {
  const body = iloc.slice(8);
  const view = new DataView(body.buffer);
  const count = view.getUint16(6);
  if (view.getUint16(4) !== 0x4400 || body.length !== 8 + 14 * count) throw structureError();
  for (let at = 8; at < body.length; at += 14) view.setUint32(at + 6, view.getUint32(at + 6) + moved);
  view.setUint16(6, count + added.length);
  return isoBox("iloc", body, ...added);
}

const partsOf = (file: Uint8Array) => childrenOf(file, 0, "ftyp", "meta", "mdat");

function propertiesOf(file: Uint8Array) {
  const { iprp } = childrenOf(partsOf(file).meta, 12, "iprp");
  return childrenOf(childrenOf(iprp, 8, "ipco").ipco, 8, "colr");
}

/** Returns the boxes inside of one by type. Throws ImagingError `encode` if one of `needed` is missing. */
function childrenOf<Name extends string>(
  box: Uint8Array,
  start: number,
  ...needed: readonly Name[]
): Readonly<Record<Name, Uint8Array> & Partial<Record<string, Uint8Array>>> {
  const found = isoBoxes(box, start);
  if (needed.some((name) => !found.has(name))) throw structureError();
  return Object.fromEntries(found) as ReturnType<typeof childrenOf<Name>>;
}

const structureError = () =>
  new ImagingError("encode", "The AVIF encoder wrote a file of another structure than expected.");
