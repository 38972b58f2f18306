import { expect, it } from "vitest";
import { sha256, toHex } from "../../../src/base/bytes/digest.ts";

// FIPS 180-4 examples of the secure hash standard.
it.each([
  ["", "e3b0c44298fc1c149afbf4c8996fb92427ae41e4649b934ca495991b7852b855"],
  ["abc", "ba7816bf8f01cfea414140de5dae2223b00361a396177a9cb410ff61f20015ad"],
  [
    "abcdbcdecdefdefgefghfghighijhijkijkljklmklmnlmnomnopnopq",
    "248d6a61d20638b8e5c026930c3e6039a33ce45964ff2167f6ecedd419db06c1",
  ],
])("the SHA-256 of %j is that of the standard, as text and as bytes", async (text, hex) => {
  expect(toHex(await sha256(text))).toBe(hex);
  expect(toHex(await sha256(new TextEncoder().encode(text)))).toBe(hex);
});
