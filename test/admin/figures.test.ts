// The format of figures is the same from the server and from the page's script.

import { describe, expect, test } from "vitest";
import * as server from "../../src/admin/dashboard/figures.ts";

const script = (await import(
  new URL("../../static/admin/figures.js", import.meta.url).href
)) as typeof server;

const at = Date.UTC(2026, 0, 2);
const second = 1000;
const vectors: readonly (readonly [server.ValueForm, unknown, string])[] = [
  ["text", "iiif/3 image", "iiif/3 image"],
  ["text", 404, "404"],
  ["count", 0, "0"],
  ["count", 1234567, "1,234,567"],
  ["rate", 0.1, "0.1"],
  ["rate", 1234.56, "1,234.6"],
  ["bytes", 0, "0 B"],
  ["bytes", 1023, "1023 B"],
  ["bytes", 500, "500 B"],
  ["bytes", 1536, "1.5 KiB"],
  ["bytes", 2 ** 20 - 1, "1 MiB"],
  ["bytes", 5 * 2 ** 40, "5 TiB"],
  ["percent", 0.5, "50 %"],
  ["percent", 2 / 3, "66.7 %"],
  ["percent", 1, "100 %"],
  ["ms", 0.04, "0 ms"],
  ["ms", 12.34, "12.3 ms"],
  ["ms", 123.4, "123 ms"],
  ["ms", 1234, "1.2 s"],
  ["seconds", 0, "0 s"],
  ["seconds", 61, "1 min 1 s"],
  ["seconds", 3600, "1 h 0 min"],
  ["seconds", 90061, "1 d 1 h"],
  ["ago", at, "0 s ago"],
  ["ago", at + second, "0 s ago"],
  ["ago", at - 59 * second, "59 s ago"],
  ["ago", at - 61 * second, "1 min ago"],
  ["ago", at - 7200 * second, "2 h ago"],
  ["ago", at - 200_000 * second, "2 d ago"],
  ["healthy", true, "Healthy"],
  ["healthy", false, "Unhealthy"],
  ["resting", true, "paused after failures"],
  ["resting", false, ""],
];

describe.each([
  ["the server", server],
  ["the script", script],
])("figures by %s", (_, { forms, textAt, valueAt }) => {
  test.each(vectors)("as %s: %j is %j", (form, value, text) => {
    expect(forms[form](value, at)).toBe(text);
    expect(textAt({ at, list: [{ value }] } as { at: number }, "list.0.value", form)).toBe(text);
  });

  test("a missing value is a dash", () => {
    const frame = { at, none: null, list: [] };
    for (const path of ["none", "none.deeper", "list.3.name", "nothing"]) {
      expect(valueAt(frame, path)).toBeUndefined();
      expect(textAt(frame, path, "count")).toBe("–");
    }
    expect(valueAt({ zero: 0 }, "zero")).toBe(0);
  });
});

test("both know the same forms, and each is in the table", () => {
  expect(Object.keys(script.forms)).toEqual(Object.keys(server.forms));
  expect([...new Set(vectors.map(([form]) => form))].sort()).toEqual(Object.keys(server.forms).sort());
});
