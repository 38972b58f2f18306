import { describe, expect, test } from "vitest";
import { ServiceError } from "../../../src/base/errors.ts";
import {
  checkIdentifier,
  encodeIdentifier,
  kindOfPath,
  splitImagePath,
  splitPage,
} from "../../../src/iiif/image/path.ts";
import fc from "../../properties.ts";
import { identifierSpellings, imagePaths } from "../../vectors/image-paths.ts";
import { outcome } from "./outcome.ts";

describe("a raw path", () => {
  test.each(imagePaths)("%j names %j", (path, expected) => {
    expect(outcome(() => splitImagePath(path))).toEqual(expected);
  });

  test("is classified by splitting, with or without a table entry", () => {
    const agree = (path: string) => {
      const split = outcome(() => splitImagePath(path));
      if (typeof split === "object") expect(kindOfPath(path), path).toBe(split.kind);
      else expect(["info", "base", "image"]).toContain(kindOfPath(path));
    };
    for (const [path] of imagePaths) agree(path);
    const part = fc.constantFrom("/", "a", "info.json", "info%2Ejson", "%zz", "%2F", "default.jpg");
    fc.assert(fc.property(fc.array(part, { maxLength: 14 }), (parts) => agree(parts.join(""))));
  });

  test("with a refused identifier is not found, with broken encoding a bad request", () => {
    const kind = (path: string) => {
      try {
        splitImagePath(path);
      } catch (error) {
        return (error as ServiceError).kind;
      }
    };
    expect(kind("a\\b/full/max/0/default.jpg")).toBe("not-found");
    expect(kind("%zz/full/max/0/default.jpg")).toBe("bad-request");
  });

  test("of any characters is read or refused, never a crash", () => {
    const text = fc.oneof(
      fc.string({ unit: "binary" }),
      fc.stringMatching(/^[/.%a-f0-9\\:;]*$/),
      fc.array(fc.integer({ min: 0, max: 0xffff })).map((units) => String.fromCharCode(...units)),
    );
    fc.assert(fc.property(text, (path) => void outcome(() => splitImagePath(path))));
  });
});

describe("an identifier", () => {
  test.each(identifierSpellings)("%j is spelled %j", (identifier, spelling) => {
    expect(encodeIdentifier(identifier)).toBe(spelling);
  });

  test("comes back from its canonical spelling, as information, base URI and image", () => {
    const identifier = fc
      .string({ unit: "grapheme", minLength: 1 })
      .filter((text) => accepted(text) === text);
    fc.assert(
      fc.property(identifier, (text) => {
        const spelling = encodeIdentifier(text);
        expect(spelling).toMatch(/^[A-Za-z0-9\-._~!$&'()*+,;=:%]+$/);
        for (const rest of ["", "/", "/info.json", "/full/max/0/default.jpg"]) {
          expect(splitImagePath(spelling + rest).identifier).toBe(text);
        }
      }),
    );
  });

  test("that is accepted never has parts that leave a directory", () => {
    const text = fc.stringMatching(/^[a/.\\:\0hC]*$/);
    fc.assert(
      fc.property(text, (raw) => {
        const identifier = accepted(raw);
        if (identifier === undefined) return;
        for (const part of identifier.split("/")) expect(["", ".", ".."]).not.toContain(part);
        expect(identifier).not.toMatch(/[\0\\]|^[A-Za-z]:|^\//);
      }),
    );
  });

  test("survives a round trip", () => {
    for (const [path, expected] of imagePaths) {
      if (typeof expected === "string") continue;
      expect(checkIdentifier(expected.identifier), path).toBe(expected.identifier);
    }
  });

  function accepted(text: string): string | undefined {
    try {
      return checkIdentifier(text);
    } catch (error) {
      if (error instanceof ServiceError) return undefined;
      throw error;
    }
  }
});

describe("a page suffix", () => {
  test.each([
    ["name;3", { identifier: "name", page: 3 }],
    ["a/b.tif;12", { identifier: "a/b.tif", page: 12 }],
    ["a;1;2", { identifier: "a;1", page: 2 }],
    ["name", undefined],
    ["name;", undefined],
    ["name;0", undefined],
    ["name;03", undefined],
    ["name;-1", undefined],
    ["name;1.5", undefined],
    ["name;1x", undefined],
    [";1", undefined],
    ["name;9999999999", undefined],
  ])("of %j is %j", (identifier, expected) => {
    expect(splitPage(identifier)).toEqual(expected);
  });
});
