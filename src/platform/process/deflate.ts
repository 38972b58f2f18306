// Deflate by the runtime, which Node, Deno and Bun all have as node:zlib.

import { promisify } from "node:util";
import { deflate as deflateCallback } from "node:zlib";

const deflateAsync = promisify(deflateCallback) as (
  data: Uint8Array,
  options: { level: number },
) => Promise<Uint8Array>;

/** zlib format (RFC 1950), on the runtime's own threads. */
export async function deflate(data: Uint8Array, level: number): Promise<Uint8Array> {
  const out = await deflateAsync(data, { level });
  return new Uint8Array(out.buffer as ArrayBuffer, out.byteOffset, out.byteLength);
}
