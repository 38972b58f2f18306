// Ids of traces and spans: random digits in hexadecimal, never all zero (W3C Trace Context, section 3.2.2).

/** Random bytes are asked for in bulk, since each call costs as much as a hundred ids. */
const random = new Uint8Array(4096);
/** Their digits. Ids are slices of it. */
let digits = "";
let at = 0;

const hex = new TextEncoder().encode("0123456789abcdef");
const ascii = new TextDecoder();

function newDigits(): string {
  crypto.getRandomValues(random);
  const codes = new Uint8Array(2 * random.length);
  for (let i = 0; i < random.length; i++) {
    const byte = random[i] as number;
    codes[2 * i] = hex[byte >> 4] as number;
    codes[2 * i + 1] = hex[byte & 15] as number;
  }
  return ascii.decode(codes);
}

function next(count: number): string {
  if (at + count > digits.length) {
    digits = newDigits();
    at = 0;
  }
  at += count;
  return digits.slice(at - count, at);
}

/** 32 digits. */
export function newTraceId(): string {
  const id = next(32);
  return /[^0]/.test(id) ? id : newTraceId();
}

/** 16 digits, the last of which is 0: the spans of its stages have others there. */
export function newSpanId(): string {
  const id = `${next(15)}0`;
  return /[^0]/.test(id) ? id : newSpanId();
}
