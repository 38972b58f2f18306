// The encoded form, against the examples that the specification prints and what other tools write.

import { describe, expect, test } from "vitest";
import { decodeState, encodeState, maxStateLength } from "../../../src/iiif/content-state/encode.ts";
import fc from "../../properties.ts";

/** Content State API 1.0, section 6.3.2. */
const canvas7 = {
  id: "https://example.org/object1/canvas7#xywh=1000,2000,1000,2000",
  type: "Canvas",
  partOf: [{ id: "https://example.org/object1/manifest", type: "Manifest" }],
};
const canvas7Encoded =
  "JTdCJTIyaWQlMjIlM0ElMjJodHRwcyUzQSUyRiUyRmV4YW1wbGUub3JnJTJGb2JqZWN0MSUyRmNhbnZhczclMjN4eXdoJTNEMTAwMCUyQzIwMDAlMkMxMDAwJTJDMjAwMCUyMiUyQyUyMnR5cGUlMjIlM0ElMjJDYW52YXMlMjIlMkMlMjJwYXJ0T2YlMjIlM0ElNUIlN0IlMjJpZCUyMiUzQSUyMmh0dHBzJTNBJTJGJTJGZXhhbXBsZS5vcmclMkZvYmplY3QxJTJGbWFuaWZlc3QlMjIlMkMlMjJ0eXBlJTIyJTNBJTIyTWFuaWZlc3QlMjIlN0QlNUQlN0Q";

/** Section 5.4. */
const alice = {
  id: "https://example.org/alice/canvas77#xywh=1000,2000,1000,2000",
  type: "Canvas",
  partOf: [{ id: "https://example.org/alice/manifest", type: "Manifest" }],
};
const aliceEncoded =
  "JTdCJTIyaWQlMjIlM0ElMjJodHRwcyUzQSUyRiUyRmV4YW1wbGUub3JnJTJGYWxpY2UlMkZjYW52YXM3NyUyM3h5d2glM0QxMDAwJTJDMjAwMCUyQzEwMDAlMkMyMDAwJTIyJTJDJTIydHlwZSUyMiUzQSUyMkNhbnZhcyUyMiUyQyUyMnBhcnRPZiUyMiUzQSU1QiU3QiUyMmlkJTIyJTNBJTIyaHR0cHMlM0ElMkYlMkZleGFtcGxlLm9yZyUyRmFsaWNlJTJGbWFuaWZlc3QlMjIlMkMlMjJ0eXBlJTIyJTNBJTIyTWFuaWZlc3QlMjIlN0QlNUQlN0Q";

const base64 = (text: string) => Buffer.from(text, "utf8").toString("base64");

describe("the encoded form of a content state", () => {
  test("equals the specification's examples, character by character", () => {
    expect(encodeState(canvas7)).toBe(canvas7Encoded);
    expect(encodeState(alice)).toBe(aliceEncoded);
  });

  test("survives a round trip", () => {
    expect(decodeState(canvas7Encoded)).toEqual(canvas7);
    expect(decodeState(aliceEncoded)).toEqual(alice);
  });

  test("brings any JSON back", () => {
    fc.assert(
      fc.property(fc.object({ maxDepth: 2 }), (members) => {
        const json = JSON.parse(JSON.stringify({ ...members, id: "x" }));
        expect(decodeState(encodeState(json))).toEqual(json);
      }),
    );
  });

  test("keeps text of any script, lone surrogates and the empty text", () => {
    for (const text of ["żółw 🐢 漢字", "\ud800", "", "%41", "+/=_-"])
      expect(decodeState(encodeState({ text }))).toEqual({ text });
  });

  const lenient: readonly (readonly [string, string, unknown])[] = [
    ["padding", `${canvas7Encoded}=`, canvas7],
    ["the alphabet of plain base64", base64(JSON.stringify({ id: "ÿþ>?ÿþ" })), { id: "ÿþ>?ÿþ" }],
    [
      "a plus sign that a form has turned into a space",
      base64(JSON.stringify({ id: ">>>>~~~~" })).replaceAll("+", " "),
      { id: ">>>>~~~~" },
    ],
    ["JSON that was not URI-encoded first", base64(JSON.stringify(alice)), alice],
    ["indented JSON that was not URI-encoded first", base64(JSON.stringify(alice, null, 4)), alice],
    ["JSON as it stands", JSON.stringify(canvas7), canvas7],
    ["white space around it", ` ${canvas7Encoded}\n`, canvas7],
    ["an address as it stands", "https://a.example/manifest?x=1&y=2", "https://a.example/manifest?x=1&y=2"],
    [
      "an encoded address",
      base64(encodeURIComponent("https://a.example/manifest")),
      "https://a.example/manifest",
    ],
    [
      "an encoded link to a viewer, as in section 3.1",
      base64(encodeURIComponent(`https://example.org/viewer?iiif-content=${JSON.stringify(alice)}`)),
      alice,
    ],
  ];
  for (const [what, text, state] of lenient)
    test(`may have ${what}`, () => {
      expect(decodeState(text)).toEqual(state);
    });

  const malformed: readonly (readonly [string, string])[] = [
    ["nothing", ""],
    ["characters of no base64", "a*b$"],
    ["an incomplete group", `${canvas7Encoded}AA`],
    ["bytes that are no UTF-8", Buffer.from([0xff, 0xfe, 0xfd]).toString("base64url")],
    ["a broken escape", base64("%7B%zz")],
    ["text that is no JSON", base64(encodeURIComponent("{id: 1}"))],
    ["half of a state", canvas7Encoded.slice(0, 100)],
  ];
  for (const [what, text] of malformed)
    test(`is refused if it has ${what}`, () => {
      expect(() => decodeState(text)).toThrow(
        expect.objectContaining({ kind: "bad-request", code: "invalid_content_state" }),
      );
    });

  test("holds as many characters as it may, and not one more", () => {
    const state = (length: number) => JSON.stringify({ id: "x".repeat(length - '{"id":""}'.length) });
    expect(decodeState(encodeState(JSON.parse(state(maxStateLength))))).toBeDefined();
    for (const text of [
      state(maxStateLength + 1),
      encodeState(JSON.parse(state(maxStateLength + 1))),
      "A".repeat(20 * maxStateLength),
    ])
      expect(() => decodeState(text)).toThrow(
        expect.objectContaining({ kind: "too-large", code: "content_state_too_large" }),
      );
  });
});
