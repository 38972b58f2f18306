import { describe, expect, test } from "vitest";
import { ServiceError } from "../../../src/base/errors.ts";
import { parseImageRequest } from "../../../src/iiif/image/grammar.ts";
import fc from "../../properties.ts";
import { requestVectors } from "../../vectors/image-requests.ts";
import { formats } from "./formats.ts";
import { outcome, segmentsOf } from "./outcome.ts";

describe.each([2, 3] as const)("version %i", (version) => {
  test.each(requestVectors[version])(
    "parses %j as the expected request or the code of its fault",
    (parameters, expected) => {
      const found = outcome(() => parseImageRequest(version, segmentsOf(parameters), formats));
      if (typeof expected === "string") expect(found).toBe(expected);
      else expect(found).toMatchObject({ version, ...expected });
    },
  );

  test("reads or refuses any text", () => {
    const text = fc.oneof(
      fc.string({ unit: "binary" }),
      fc.stringMatching(/^[!^]?(?:pct:|max|full|square)?[0-9.,]*$/),
      fc.stringMatching(/^[0-z]{4,6}$/),
    );
    fc.assert(
      fc.property(text, text, text, text, (region, size, rotation, file) => {
        outcome(() => parseImageRequest(version, { region, size, rotation, file }, formats));
      }),
    );
  });

  test("refuses with a bad request whose message is short and has no control characters", () => {
    const good = { region: "full", size: "max", rotation: "0", file: "default.jpg" };
    const junk = fc
      .string({ unit: "binary", minLength: 1, maxLength: 500 })
      .map((text) => `\u0007\u202e${text}`);
    fc.assert(
      fc.property(fc.constantFrom("region", "size", "rotation", "file"), junk, (part, text) => {
        try {
          parseImageRequest(version, { ...good, [part]: text }, formats);
        } catch (error) {
          expect(error).toBeInstanceOf(ServiceError);
          const { kind, message } = error as ServiceError;
          expect(kind).toBe("bad-request");
          expect(message.length).toBeLessThan(300);
          expect(message).not.toMatch(/[\p{Cc}\p{Cf}\p{Cs}]/u);
          return;
        }
        throw new Error("the junk was read");
      }),
    );
  });
});

test("the message mentions the caret if version 2 has none and max if version 3 has no full", () => {
  const message = (version: 2 | 3, size: string) => {
    try {
      parseImageRequest(version, { region: "full", size, rotation: "0", file: "default.jpg" }, formats);
    } catch (error) {
      return (error as Error).message;
    }
  };
  expect(message(2, "^10,")).toMatch(/version 3/);
  expect(message(3, "full")).toMatch(/Ask for max/);
});
