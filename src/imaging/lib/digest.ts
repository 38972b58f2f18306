// SHA-256 (FIPS 180-4) of bytes and text, and bytes as hexadecimal digits.

const encoder = new TextEncoder();

/**
 * Bytes up to which hashing on this thread costs less than a round trip to a thread of the platform, as its
 * own function makes.
 */
const mostHere = 4096;

/** Returns the 32 bytes of the SHA-256 of bytes, or of text as UTF-8. */
export async function sha256(input: Uint8Array | string): Promise<Uint8Array> {
  const bytes = typeof input === "string" ? encoder.encode(input) : input;
  if (bytes.length <= mostHere) return shortSha256(bytes);
  // The cast is safe: BufferSource only excludes arrays over a SharedArrayBuffer, and ours never are.
  return new Uint8Array(await crypto.subtle.digest("SHA-256", bytes as Uint8Array<ArrayBuffer>));
}

/** Digests of bytes that do not change any more. */
const known = new WeakMap<Uint8Array, Uint8Array>();

/**
 * Notes the SHA-256 of bytes that nobody changes any more, for those who need it after the one who computed
 * it: of a large array it takes as long as storing the array.
 */
export const noteDigest = (bytes: Uint8Array, digest: Uint8Array): void => void known.set(bytes, digest);

/** Returns the SHA-256 that was noted for this very array. */
export const notedDigest = (bytes: Uint8Array): Uint8Array | undefined => known.get(bytes);

/** Returns two lower-case hexadecimal digits for each byte. */
export function toHex(bytes: Uint8Array): string {
  let text = "";
  for (const byte of bytes) text += byte.toString(16).padStart(2, "0");
  return text;
}

const blockBytes = 64;
const rounds = 64;
const primes = firstPrimes(rounds);
/** Fractions of cube roots of the first primes (4.2.2), and of square roots of the first eight (5.3.3). */
const constants = Int32Array.from(primes, (prime) => fraction(Math.cbrt(prime)));
const initial = Int32Array.from(primes.slice(0, 8), (prime) => fraction(Math.sqrt(prime)));

/** Message schedule of one block; no call waits in between. */
const schedule = new Int32Array(rounds);

function shortSha256(bytes: Uint8Array): Uint8Array {
  // A one bit, zeros, and the length in bits, up to a whole block (5.1.1).
  const padded = new Uint8Array(Math.ceil((bytes.length + 9) / blockBytes) * blockBytes);
  padded.set(bytes);
  padded[bytes.length] = 0x80;
  const view = new DataView(padded.buffer);
  view.setUint32(padded.length - 4, bytes.length * 8);
  const state = initial.slice();
  for (let at = 0; at < padded.length; at += blockBytes) takeBlock(state, view, at);
  const digest = new Uint8Array(32);
  const words = new DataView(digest.buffer);
  for (let i = 0; i < 8; i++) words.setInt32(4 * i, state[i]!);
  return digest;
}

/** Updates a state by one block (6.2.2). */
function takeBlock(state: Int32Array, view: DataView, at: number): void {
  const w = schedule;
  for (let t = 0; t < 16; t++) w[t] = view.getInt32(at + 4 * t);
  for (let t = 16; t < rounds; t++) {
    const x = w[t - 15]!;
    const y = w[t - 2]!;
    const small0 = turned(x, 7) ^ turned(x, 18) ^ (x >>> 3);
    const small1 = turned(y, 17) ^ turned(y, 19) ^ (y >>> 10);
    w[t] = (small1 + w[t - 7]! + small0 + w[t - 16]!) | 0;
  }
  let a = state[0]!;
  let b = state[1]!;
  let c = state[2]!;
  let d = state[3]!;
  let e = state[4]!;
  let f = state[5]!;
  let g = state[6]!;
  let h = state[7]!;
  for (let t = 0; t < rounds; t++) {
    const large1 = turned(e, 6) ^ turned(e, 11) ^ turned(e, 25);
    const first = (h + large1 + ((e & f) ^ (~e & g)) + constants[t]! + w[t]!) | 0;
    const large0 = turned(a, 2) ^ turned(a, 13) ^ turned(a, 22);
    const second = (large0 + ((a & b) ^ (a & c) ^ (b & c))) | 0;
    h = g;
    g = f;
    f = e;
    e = (d + first) | 0;
    d = c;
    c = b;
    b = a;
    a = (first + second) | 0;
  }
  state[0]! += a;
  state[1]! += b;
  state[2]! += c;
  state[3]! += d;
  state[4]! += e;
  state[5]! += f;
  state[6]! += g;
  state[7]! += h;
}

/** Rotates 32 bits to the right. */
const turned = (word: number, bits: number) => (word >>> bits) | (word << (32 - bits));

/** First 32 bits of the fractional part of a number. */
function fraction(value: number): number {
  return ((value - Math.floor(value)) * 2 ** 32) | 0;
}

function firstPrimes(count: number): number[] {
  const found: number[] = [];
  for (let n = 2; found.length < count; n++) if (found.every((prime) => n % prime !== 0)) found.push(n);
  return found;
}
