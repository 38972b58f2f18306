// Against the vectors of RFC 4648, section 10, and Node's own encoder.

import { describe, expect, test } from "vitest";
import { fromBase64Url, toBase64Url } from "../../../src/base/bytes/base64url.ts";
import fc from "../../properties.ts";

describe("base64url", () => {
  test.each([
    ["", ""],
    ["f", "Zg"],
    ["fo", "Zm8"],
    ["foo", "Zm9v"],
    ["foob", "Zm9vYg"],
    ["fooba", "Zm9vYmE"],
    ["foobar", "Zm9vYmFy"],
  ])("of %j is %j", (text, encoded) => {
    expect(toBase64Url(new TextEncoder().encode(text))).toBe(encoded);
    expect(new TextDecoder().decode(fromBase64Url(encoded))).toBe(text);
  });

  test("equals Node's for any bytes, and survives a round trip, padded and in the plain alphabet too", () => {
    fc.assert(
      fc.property(fc.uint8Array({ maxLength: 100 }), (bytes) => {
        expect(toBase64Url(bytes)).toBe(Buffer.from(bytes).toString("base64url"));
        for (const form of ["base64", "base64url"] as const)
          expect(fromBase64Url(Buffer.from(bytes).toString(form))).toEqual(bytes);
      }),
    );
  });

  test.each(["A", "AAAAA", "a b", "a.b", "é", "Zg==" + "Zg"])("is not %j", (text) => {
    expect(fromBase64Url(text)).toBeUndefined();
  });
});
