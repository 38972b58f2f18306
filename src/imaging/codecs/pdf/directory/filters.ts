// Decodes the streams of a PDF's own directory and of its pages: FlateDecode with predictors (ISO 32000-2,
// section 7.4).

import { concatenate, type NativeZlib } from "../../../../base/index.ts";
import { damagedPdf } from "../../damaged.ts";
import { inflating } from "../../inflate.ts";
import { pause } from "../pause.ts";
import { arrayOf, dictionaryOf, nameOf, numberOf, type PdfDictionary } from "../syntax/values.ts";

/**
 * Returns the names of a stream's filters in the order in which they are undone. `dictionary`: the stream's,
 * with its references resolved.
 */
export function filtersOf(dictionary: PdfDictionary): string[] {
  const filter = dictionary.get("Filter");
  return (arrayOf(filter) ?? [filter ?? null]).flatMap((each) => nameOf(each) ?? []);
}

/** Returns the parameters of a stream's last filter. */
export function parametersOf(dictionary: PdfDictionary): PdfDictionary | undefined {
  const parameters = dictionary.get("DecodeParms");
  return dictionaryOf(arrayOf(parameters)?.at(-1) ?? parameters);
}

/**
 * Returns the contents of a stream that has no filter or FlateDecode alone; undefined if it has another one,
 * or more contents than `limit` bytes. A stream that breaks off is returned as far as it goes, as other
 * readers do. Throws ImagingError `decode`.
 */
export async function decodeStream(
  dictionary: PdfDictionary,
  data: Uint8Array,
  limit: number,
  zlib: NativeZlib | undefined,
): Promise<Uint8Array | undefined> {
  const filters = filtersOf(dictionary);
  if (filters.length === 0) return data.length > limit ? undefined : data;
  if (filters.length > 1 || filters[0] !== "FlateDecode") return undefined;
  const inflated = await inflateFront(data, limit, zlib);
  return inflated && undoPredictor(inflated, parametersOf(dictionary));
}

async function inflateFront(
  data: Uint8Array,
  limit: number,
  zlib: NativeZlib | undefined,
): Promise<Uint8Array | undefined> {
  const stream = inflating(data, data.length, zlib);
  const pieces: Uint8Array[] = [];
  let total = 0;
  try {
    for (let piece = await stream.next(); piece; piece = await stream.next()) {
      total += piece.length;
      if (total > limit) return undefined;
      pieces.push(piece);
    }
  } catch {
    // Bytes after the end of the stream, and an end that is missing, do not change what came before.
  } finally {
    stream.close();
  }
  return concatenate(pieces);
}

/** Bytes of which predictors are undone without a pause. */
const unpaused = 256 * 1024;

/** Undoes the predictors of PNG, the only ones that directories use (section 7.4.4.4). */
async function undoPredictor(data: Uint8Array, parameters: PdfDictionary | undefined): Promise<Uint8Array> {
  const number = (key: string, usual: number) => numberOf(parameters?.get(key)) ?? usual;
  if (number("Predictor", 1) < 10) return data;
  const columns = number("Columns", 1);
  const bits = number("Colors", 1) * number("BitsPerComponent", 8);
  const row = Math.ceil((columns * bits) / 8);
  const step = Math.max(1, bits >> 3);
  if (!(row >= 1 && row <= 2 ** 20 && step <= 64)) throw damagedPdf("a row of a predictor", `${row} bytes`);
  const rows = Math.floor(data.length / (row + 1));
  const result = new Uint8Array(rows * row);
  for (let y = 0, next = unpaused; y < rows; y++) {
    undoRow(data.subarray(y * (row + 1), (y + 1) * (row + 1)), result, y * row, step);
    if (y * row < next) continue;
    next += unpaused;
    await pause();
  }
  return result;
}

/** Undoes the filter of a row, which is its first byte, to `result` from `at` on (PNG, section 9). */
function undoRow(filtered: Uint8Array, result: Uint8Array, at: number, step: number): void {
  const length = filtered.length - 1;
  const [filter = 0] = filtered;
  for (let i = 0; i < length; i++) {
    const left = i < step ? 0 : result[at + i - step]!;
    const up = at === 0 ? 0 : result[at + i - length]!;
    const corner = at === 0 || i < step ? 0 : result[at + i - length - step]!;
    result[at + i] = filtered[i + 1]! + predict(filter, left, up, corner);
  }
}

function predict(filter: number, left: number, up: number, corner: number): number {
  if (filter === 1) return left;
  if (filter === 2) return up;
  if (filter === 3) return (left + up) >> 1;
  if (filter !== 4) return 0;
  const [a, b, c] = [Math.abs(up - corner), Math.abs(left - corner), Math.abs(left + up - 2 * corner)];
  return a <= b && a <= c ? left : b <= c ? up : corner;
}
