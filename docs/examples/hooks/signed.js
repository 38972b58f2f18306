// Images for those who got a link, until its time is over. Hooks see no query, and a viewer's tiles would not repeat one, so the
// identifier itself is signed:
//
//   EXPIRES.SIGNATURE.IDENTIFIER, such as 1767225600.6f1d….maps/sheet-1.tif
//
// EXPIRES is in seconds since 1970; SIGNATURE is HMAC-SHA-256 of "EXPIRES.IDENTIFIER" in hexadecimal, in Python:
//
//   hmac.new(b"change this secret", f"{expires}.{identifier}".encode(), "sha256").hexdigest()

const secret = "change this secret";

/** The parts of a signed identifier. */
function partsOf(text) {
  const [, expires, signature, identifier] = /^(\d{1,12})\.([0-9a-f]{64})\.(.+)$/s.exec(text) ?? [];
  return identifier === undefined ? undefined : { expires, signature, identifier };
}

export function resolve({ identifier }) {
  const parts = partsOf(identifier);
  return parts && { key: parts.identifier };
}

export function authorize({ identifier }) {
  const parts = partsOf(identifier);
  if (!parts) return { allow: false, status: 403, reason: "This image needs a signed link." };
  const right = hex(hmac(bytesOf(secret), bytesOf(`${parts.expires}.${parts.identifier}`)));
  if (!isSame(right, parts.signature)) return { allow: false, status: 403, reason: "The link is not valid." };
  if (Date.now() >= 1000 * Number(parts.expires))
    return { allow: false, status: 410, reason: "The link is no longer valid." };
  return undefined;
}

/** Whether two texts of one length are the same, in a time that does not depend on where they differ. */
function isSame(a, b) {
  let difference = 0;
  for (let i = 0; i < a.length; i++) difference |= a.charCodeAt(i) ^ b.charCodeAt(i);
  return difference === 0;
}

/** UTF-8. */
const bytesOf = (text) =>
  Uint8Array.from(encodeURIComponent(text).match(/%..|./g) ?? [], (unit) =>
    unit.length === 3 ? Number.parseInt(unit.slice(1), 16) : unit.charCodeAt(0),
  );

const hex = (bytes) => Array.from(bytes, (byte) => byte.toString(16).padStart(2, "0")).join("");

/** HMAC (RFC 2104) with SHA-256; the key has at most 64 bytes. */
function hmac(key, message) {
  const padded = (value) => Uint8Array.from({ length: 64 }, (_, i) => (key[i] ?? 0) ^ value);
  return sha256([...padded(0x5c), ...sha256([...padded(0x36), ...message])]);
}

/** The first 32 bits of the fractional parts of roots of the first primes (FIPS 180-4, sections 4.2.2 and 5.3.3). */
const primes = [];
for (let n = 2; primes.length < 64; n++) if (primes.every((prime) => n % prime > 0)) primes.push(n);
const fraction = (value) => Math.floor((value % 1) * 2 ** 32);
const constants = primes.map((prime) => fraction(Math.cbrt(prime)));
const start = primes.slice(0, 8).map((prime) => fraction(Math.sqrt(prime)));

/** SHA-256 (FIPS 180-4, section 6.2). */
function sha256(message) {
  const length = Math.ceil((message.length + 9) / 64) * 64;
  const view = new DataView(new ArrayBuffer(length));
  for (const [i, byte] of message.entries()) view.setUint8(i, byte);
  view.setUint8(message.length, 0x80);
  view.setUint32(length - 4, message.length * 8);
  const turn = (word, by) => (word >>> by) | (word << (32 - by));
  const state = [...start];
  const words = new Uint32Array(64);
  for (let block = 0; block < length; block += 64) {
    for (let i = 0; i < 16; i++) words[i] = view.getUint32(block + 4 * i);
    for (let i = 16; i < 64; i++) {
      const early = words[i - 15];
      const late = words[i - 2];
      const first = turn(early, 7) ^ turn(early, 18) ^ (early >>> 3);
      const second = turn(late, 17) ^ turn(late, 19) ^ (late >>> 10);
      words[i] = words[i - 16] + first + words[i - 7] + second;
    }
    let [a, b, c, d, e, f, g, h] = state;
    for (let i = 0; i < 64; i++) {
      const sum = turn(e, 6) ^ turn(e, 11) ^ turn(e, 25);
      const first = h + sum + ((e & f) ^ (~e & g)) + constants[i] + words[i];
      const second = (turn(a, 2) ^ turn(a, 13) ^ turn(a, 22)) + ((a & b) ^ (a & c) ^ (b & c));
      [h, g, f, e, d, c, b, a] = [g, f, e, (d + first) | 0, c, b, a, (first + second) | 0];
    }
    for (const [i, word] of [a, b, c, d, e, f, g, h].entries()) state[i] = (state[i] + word) | 0;
  }
  const digest = new DataView(new ArrayBuffer(32));
  for (const [i, word] of state.entries()) digest.setInt32(4 * i, word);
  return new Uint8Array(digest.buffer);
}
