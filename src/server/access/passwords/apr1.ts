// APR1-MD5, the password hashes of Apache's htpasswd: a thousand rounds of MD5 over password and salt.

import { concatenate, md5 } from "../../../base/index.ts";

const digits = "./0123456789ABCDEFGHIJKLMNOPQRSTUVWXYZabcdefghijklmnopqrstuvwxyz";

/** Byte order of the digest in the output, three bytes to four digits. */
const order = [
  [0, 6, 12],
  [1, 7, 13],
  [2, 8, 14],
  [3, 9, 15],
  [4, 10, 5],
] as const;

const bytesOf = (text: string) => new TextEncoder().encode(text);

/**
 * The hash of a password with a salt of up to eight characters, as htpasswd writes it: `$apr1$salt$digest`.
 */
export function apr1(password: string, salt: string): string {
  const key = bytesOf(password);
  const salted = bytesOf(salt);
  const inner = md5(concatenate([key, salted, key]));
  const stretched = Uint8Array.from(key, (_, i) => inner[i % 16] as number);
  // One byte for each binary digit of the length: NUL for 1, the first character of the password for 0.
  const lengthBytes: number[] = [];
  for (let rest = key.length; rest > 0; rest >>= 1) lengthBytes.push(rest & 1 ? 0 : (key[0] as number));
  let digest = md5(concatenate([key, bytesOf("$apr1$"), salted, stretched, lengthBytes]));
  const none = new Uint8Array();
  for (let round = 0; round < 1000; round++) {
    const odd = round % 2 === 1;
    digest = md5(
      concatenate([
        odd ? key : digest,
        round % 3 ? salted : none,
        round % 7 ? key : none,
        odd ? digest : key,
      ]),
    );
  }
  const text = order
    .map((at) =>
      encodeBytes(
        at.map((i) => digest[i] as number),
        4,
      ),
    )
    .join("");
  return `$apr1$${salt}$${text}${encodeBytes([0, 0, digest[11] as number], 2)}`;
}

/** Encodes three bytes as digits of six bits, the lowest first. */
function encodeBytes([high = 0, middle = 0, low = 0]: readonly number[], count: number): string {
  const value = (high << 16) | (middle << 8) | low;
  return Array.from({ length: count }, (_, i) => digits[(value >> (6 * i)) & 63]).join("");
}
