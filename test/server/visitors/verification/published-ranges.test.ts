import { describe, expect, test } from "vitest";
import { readPublishedRanges } from "../../../../src/server/visitors/verification/published-ranges.ts";
import fc from "../../../properties.ts";

const read = (text: string) => readPublishedRanges(new TextEncoder().encode(text));
const ofPrefixes = (prefixes: unknown) => read(JSON.stringify({ prefixes }));

describe("published addresses", () => {
  test("are read in the form of Google, with members that say more", () => {
    const set = read(`{
      "creationTime": "2026-11-30T14:46:22.000000",
      "prefixes": [
        { "ipv6Prefix": "2001:db8:10::/64" },
        { "ipv4Prefix": "192.0.2.0/27", "service": "x", "scope": "y" },
        { "ipv4Prefix": "198.51.100.7" }
      ]
    }`);
    expect(["2001:db8:10::5", "192.0.2.31", "198.51.100.7"].map(set.has)).toEqual([true, true, true]);
    expect(["2001:db8:11::5", "192.0.2.32", "198.51.100.8"].map(set.has)).toEqual([false, false, false]);
  });

  test.each([
    ["a page of HTML", "<!doctype html>", "no JSON"],
    ["null", "null", "list of prefixes"],
    ["a list", "[]", "list of prefixes"],
    ["no prefixes", "{}", "list of prefixes"],
    ["an empty list, by which all would be claimed", '{ "prefixes": [] }', "at least one"],
    ["a text", '{ "prefixes": ["192.0.2.0/24"] }', "prefixes[0]"],
    ["null for a prefix", '{ "prefixes": [null] }', "prefixes[0]"],
    ["no address", '{ "prefixes": [{ "ipv4Prefix": "x" }] }', "prefixes[0]"],
    ["a number", '{ "prefixes": [{ "ipv4Prefix": 1 }] }', "prefixes[0]"],
    ["the whole internet", '{ "prefixes": [{ "ipv4Prefix": "0.0.0.0/0" }] }', "at least 8 bits"],
    ["the whole new internet", '{ "prefixes": [{ "ipv6Prefix": "2000::/3" }] }', "at least 8 bits"],
  ])("are not %s", (_, text, message) => {
    expect(() => read(text)).toThrow(message);
  });

  test("have bounds", () => {
    const many = Array.from({ length: 20_001 }, () => ({ ipv4Prefix: "192.0.2.0/24" }));
    expect(() => ofPrefixes(many)).toThrow("20001 prefixes");
    expect(() => readPublishedRanges(new Uint8Array(4 * 2 ** 20 + 1))).toThrow("4194305 bytes");
  });

  test("of any JSON are read, or refused with a reason", () => {
    fc.assert(
      fc.property(fc.jsonValue(), (value) => {
        try {
          ofPrefixes(value);
        } catch (error) {
          expect((error as Error).message).toMatch(/^(expected|prefixes\[|the file)/);
        }
      }),
    );
  });
});
