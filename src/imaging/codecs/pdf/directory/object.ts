// One object of a file at its offset (ISO 32000-2, sections 7.3.8 and 7.3.10).

import type { ByteSource } from "../../../../base/index.ts";
import { damagedPdf } from "../../damaged.ts";
import { pause } from "../pause.ts";
import { isWord, joinReference, Scanner } from "../syntax/scanner.ts";
import type { PdfValue } from "../syntax/values.ts";

/** Bytes that are read of an object: enough for nearly all, else for lists of 100,000 pages. */
const windows = [1024, 16 * 1024, 2 ** 20] as const;

export interface PdfObject {
  readonly value: PdfValue;
  /** Number before `obj`. */
  readonly object?: number;
  /** Offset of the data of a stream; its length is in the dictionary. */
  readonly data?: number;
  /** Bytes of the object in the file, without the data of a stream. */
  readonly length: number;
}

/** Reads the object at an offset. Throws ImagingError `decode` if there is none, or it is damaged. */
export async function readObject(
  bytes: Pick<ByteSource, "read"> & { readonly size: number },
  offset: number,
): Promise<PdfObject> {
  for (const window of windows) {
    if (offset >= bytes.size) throw damagedPdf("an object inside of the file", `one at offset ${offset}`);
    const data = await bytes.read(offset, Math.min(window, bytes.size - offset));
    // A long object takes a tenth of a second: other work of the thread goes first.
    if (data.length > windows[1]) await pause();
    const found = parseObject(data, offset);
    if (found) return found;
    if (offset + data.length >= bytes.size) break;
  }
  throw damagedPdf(`the end of the object at offset ${offset}`, "none");
}

/** Returns undefined if the bytes end before the object does. */
function parseObject(data: Uint8Array, offset: number): PdfObject | undefined {
  const scanner = new Scanner(data);
  const [object, generation, word] = [scanner.next(), scanner.next(), scanner.next()];
  if (word === undefined) return undefined;
  if (!isWord(word) || word.word !== "obj" || typeof object !== "number" || typeof generation !== "number")
    throw damagedPdf("an object where the table says", `other bytes at offset ${offset}`);
  const items: PdfValue[] = [];
  for (let item = scanner.next(); item !== undefined; item = scanner.next()) {
    if (!isWord(item)) items.push(item);
    else if (item.word === "R") joinReference(items);
    else if (item.word === "stream") {
      // The word is followed by a line feed, or by a carriage return and one.
      const start = data[scanner.at] === 13 ? scanner.at + 1 : scanner.at;
      if (start >= data.length) return undefined;
      const from = data[start] === 10 ? start + 1 : start;
      return { value: items[0] ?? null, object, data: offset + from, length: from };
    } else return { value: items[0] ?? null, object, length: scanner.at };
  }
  return undefined;
}

/** Reads the value at an offset of an object stream; null for one of more than 1 MiB. */
export function parseStored(data: Uint8Array, offset: number): PdfObject {
  const scanner = new Scanner(data.subarray(offset, offset + windows[2]));
  const item = scanner.next();
  return { value: item === undefined || isWord(item) ? null : item, length: scanner.at };
}
