import { crc32 as nodes } from "node:zlib";
import { expect, it } from "vitest";
import { crc32 } from "../../../src/base/bytes/crc32.ts";
import fc from "../../properties.ts";

it("has the check value of CRC-32", () => {
  expect(crc32(new TextEncoder().encode("123456789"))).toBe(0xcbf43926);
});

it("agrees with zlib, also when the bytes come in two parts", () => {
  fc.assert(
    fc.property(fc.uint8Array({ maxLength: 40 }), fc.uint8Array({ maxLength: 40 }), (a, b) => {
      expect(crc32(b, crc32(a))).toBe(nodes(Buffer.concat([a, b])));
    }),
  );
});
