// Ids of traces and spans: random digits in hexadecimal, never all zero (W3C Trace Context, section 3.2.2).

/** Random bytes are asked for in bulk, since each call costs as much as a hundred ids. */
const random = new Uint8Array(4096);

const hex = new TextEncoder().encode("0123456789abcdef");
const zero = hex[0] as number;
const ascii = new TextDecoder();

/**
 * Returns a generator of ids with that many digits, the last of which is 0 if `endsInZero`. Ids are slices of
 * one text.
 */
function idMaker(length: number, endsInZero: boolean): () => string {
  const none = "0".repeat(length);
  const codes = new Uint8Array(2 * random.length);
  let digits = "";
  let at = 0;
  const refill = () => {
    crypto.getRandomValues(random);
    for (let i = 0; i < random.length; i++) {
      const byte = random[i] as number;
      codes[2 * i] = hex[byte >> 4] as number;
      codes[2 * i + 1] = hex[byte & 15] as number;
    }
    if (endsInZero) for (let i = length - 1; i < codes.length; i += length) codes[i] = zero;
    digits = ascii.decode(codes);
    at = 0;
  };
  const next = (): string => {
    if (at === digits.length) refill();
    at += length;
    const id = digits.slice(at - length, at);
    return id === none ? next() : id;
  };
  return next;
}

/** 32 digits. */
export const newTraceId = idMaker(32, false);

/** 16 digits, the last of which is 0: the spans of its stages have others there. */
export const newSpanId = idMaker(16, true);
