// Deflate and inflate by the runtime, which Node, Deno and Bun all have as node:zlib.

import { pipeline } from "node:stream";
import { promisify } from "node:util";
import * as zlib from "node:zlib";
import type { NativeZlib } from "../../../base/index.ts";

const deflateAsync = promisify(zlib.deflate) as (
  data: Uint8Array,
  options: zlib.ZlibOptions,
) => Promise<Uint8Array>;

/** zlib format (RFC 1950), on the runtime's own threads. */
export async function deflate(data: Uint8Array, level: number): Promise<Uint8Array> {
  return toUint8Array(await deflateAsync(data, { level, chunkSize: 64 * 1024 }));
}

/** Bytes of an inflated piece. */
const chunkSize = 1024 * 1024;

export const nativeZlib: NativeZlib = {
  inflate(pieces, form) {
    const stream =
      form === "deflate-raw" ? zlib.createInflateRaw({ chunkSize }) : zlib.createInflate({ chunkSize });
    // Reading reports the errors of both.
    pipeline(pieces, stream, () => {});
    return stream;
  },
  inflateWithin(data, limit) {
    try {
      const options = { maxOutputLength: Math.max(1, limit), chunkSize: Math.max(64, limit + 1) };
      const out = zlib.inflateSync(data, options);
      return out.length <= limit ? toUint8Array(out) : undefined;
    } catch {
      return undefined;
    }
  },
  // Node 20.9 to 20.14 have none.
  crc32: (zlib as Partial<typeof zlib>).crc32,
};

const toUint8Array = ({ buffer, byteOffset, byteLength }: Uint8Array) =>
  new Uint8Array(buffer as ArrayBuffer, byteOffset, byteLength);
