// Ids of traces and spans: random bytes in hexadecimal, never all zero (W3C Trace Context, section 3.2.2).

/** Random bytes are asked for in bulk, since each call costs as much as a hundred ids. */
const pool = new Uint8Array(4096);
let at = pool.length;
const hex = Array.from({ length: 256 }, (_, byte) => byte.toString(16).padStart(2, "0"));

function randomHex(length: number): string {
  if (at + length > pool.length) {
    crypto.getRandomValues(pool);
    at = 0;
  }
  let text = "";
  let any = 0;
  for (const end = at + length; at < end; at++) {
    const byte = pool[at] as number;
    any |= byte;
    text += hex[byte];
  }
  return any === 0 ? randomHex(length) : text;
}

/** 32 digits. */
export const newTraceId = () => randomHex(16);

/** 16 digits. */
export const newSpanId = () => randomHex(8);
