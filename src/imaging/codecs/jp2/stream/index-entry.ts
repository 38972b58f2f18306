// The packet index of a codestream as bytes: its tile-parts, and the lengths of their packets. It is part of
// the sidecar.

import type { TilePart } from "./tile-parts.ts";

// Numbers in 7 bits a byte, the low ones first, the last byte below 128. The number of tile-parts; for each:
// tile, bytes since the end of the previous one, bytes of its header, of its data, 1 if it has parameters,
// number of packets and 1, or 0 if their lengths are unknown, and the lengths.

/** Returns the bytes of an index. */
export function saveIndex(parts: readonly TilePart[]): Uint8Array {
  let bytes = new Uint8Array(4096);
  let at = 0;
  const put = (value: number) => {
    if (at + 10 > bytes.length) {
      const larger = new Uint8Array(2 * bytes.length);
      larger.set(bytes);
      bytes = larger;
    }
    let rest = value;
    for (; rest > 127; rest = Math.floor(rest / 128)) bytes[at++] = (rest % 128) | 128;
    bytes[at++] = rest;
  };
  put(parts.length);
  let last = 0;
  for (const { tile, start, data, end, hasParameters, packets } of parts) {
    for (const value of [tile, start - last, data - start, end - data, hasParameters ? 1 : 0]) put(value);
    put(packets ? packets.length + 1 : 0);
    packets?.forEach(put);
    last = end;
  }
  return bytes.slice(0, at);
}

/** Returns the tile-parts of an index; undefined for bytes that {@link saveIndex} did not write. */
export function loadIndex(bytes: Uint8Array): TilePart[] | undefined {
  let at = 0;
  const take = () => {
    let value = 0;
    for (let scale = 1; at < bytes.length; scale *= 128) {
      const byte = bytes[at++]!;
      value += (byte & 127) * scale;
      if (byte < 128) return value;
    }
    return Number.NaN;
  };
  const parts: TilePart[] = [];
  const count = take();
  let last = 0;
  for (let n = 0; n < count; n++) {
    const tile = take();
    const start = last + take();
    const data = start + take();
    const end = data + take();
    const hasParameters = take() === 1;
    const packets = take();
    if (!(packets <= bytes.length)) return undefined;
    parts.push({
      tile,
      start,
      data,
      end,
      hasParameters,
      ...(packets > 0 && { packets: Uint32Array.from({ length: packets - 1 }, take) }),
    });
    last = end;
  }
  return parts.length === count && at === bytes.length ? parts : undefined;
}
