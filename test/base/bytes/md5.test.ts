import { createHash } from "node:crypto";
import { expect, it } from "vitest";
import { toHex } from "../../../src/base/bytes/digest.ts";
import { md5 } from "../../../src/base/bytes/md5.ts";

it.each([
  ["", "d41d8cd98f00b204e9800998ecf8427e"],
  ["a", "0cc175b9c0f1b6a831c399e269772661"],
  ["abc", "900150983cd24fb0d6963f7d28e17f72"],
  ["message digest", "f96b697d7cb7938d525a2f31aaf161d0"],
  ["abcdefghijklmnopqrstuvwxyz", "c3fcd3d76192e4007dfb496cca67e13b"],
  ["ABCDEFGHIJKLMNOPQRSTUVWXYZabcdefghijklmnopqrstuvwxyz0123456789", "d174ab98d277d9f5a5611c2c9f419d9f"],
  ["1234567890".repeat(8), "57edf4a22be3c955ac49da2e2107b67a"],
])("the MD5 of %j is that of RFC 1321, appendix A.5", (text, digest) => {
  expect(toHex(md5(new TextEncoder().encode(text)))).toBe(digest);
});

it("the MD5 of bytes of each length up to four blocks is that of node:crypto", () => {
  for (let length = 0; length <= 256; length++) {
    const bytes = Uint8Array.from({ length }, (_, i) => i * 37 + length);
    expect([length, toHex(md5(bytes))]).toEqual([length, createHash("md5").update(bytes).digest("hex")]);
  }
});
