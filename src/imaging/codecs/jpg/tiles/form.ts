// How JPEG tiles are coded: what their bytes say up to the entropy-coded data. Tiles of an image usually have
// the same form.

import type { ByteSource } from "../../../../base/index.ts";
import { type Frame, frameOfSize } from "../markers/frame.ts";
import { readHeader, type Scan } from "../region/header.ts";
import { createTables, type Tables } from "../region/tables.ts";

/** Frame and scan of a tile, or of an image that consists of such tiles. */
export interface Form {
  readonly frame: Frame;
  /** The only scan; `start` is the number of bytes of a tile before the entropy-coded data. */
  readonly scan: Scan;
}

export interface TileForm extends Form {
  /** Tables for decoding, which take much memory. */
  readonly tables: Tables;
}

/**
 * Returns the form of a tile, given as a complete JPEG file; `added` is the number of bytes that the file has
 * before its entropy-coded data in addition to the tile's own. Returns undefined for kinds that are not
 * decoded by regions, and for several scans. Throws ImagingError `decode`.
 */
export async function readTileForm(file: ByteSource, added: number): Promise<TileForm | undefined> {
  const header = await readHeader(file);
  if (!header) return undefined;
  const { frame, first } = header;
  if (first.components.length < frame.components.length) return undefined;
  const scan = { ...first, start: first.start - added };
  const tables = createTables();
  tables.add(scan);
  return { frame, scan, tables };
}

/** Returns the size of an MCU in pixels. A single component has MCUs of one block (ITU-T T.81, A.2.2). */
export function mcuSize({ frame: { components, hMax, vMax } }: Pick<Form, "frame">) {
  const single = components.length === 1;
  return { width: single ? 8 : 8 * hMax, height: single ? 8 : 8 * vMax };
}

/** Returns the form of an image of tiles with a form. */
export function formOfImage(form: Form, width: number, height: number): Form {
  const mcu = mcuSize(form);
  return {
    frame: frameOfSize(form.frame, width, height),
    scan: { ...form.scan, columns: Math.ceil(width / mcu.width), rows: Math.ceil(height / mcu.height) },
  };
}

/** True if two forms have the same components, so that their samples fit into the same planes. */
export function hasSameComponents(a: Form, b: Form): boolean {
  const [first, second] = [a.frame.components, b.frame.components];
  return (
    first.length === second.length &&
    a.frame.colour === b.frame.colour &&
    first.every(({ h, v }, i) => h === second[i]!.h && v === second[i]!.v)
  );
}
