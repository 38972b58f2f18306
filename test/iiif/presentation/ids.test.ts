// Every id in a document is an address that leads back to the thing it names.

import { describe, expect, test } from "vitest";
import { checkIdentifier, splitImagePath } from "../../../src/iiif/image/path.ts";
import { collectionOf, manifestOf, membersPerPart } from "../../../src/iiif/presentation/derive.ts";
import { readDescription } from "../../../src/iiif/presentation/description/description.ts";
import { describeManifest } from "../../../src/iiif/presentation/description/merge.ts";
import { type PresentationPath, presentationPaths } from "../../../src/iiif/presentation/mounts.ts";
import { pieceAt } from "../../../src/iiif/presentation/pieces.ts";
import { version2 } from "../../../src/iiif/presentation/v2/document.ts";
import fc from "../../properties.ts";
import type { Read } from "./checked.ts";
import { context, image } from "./facts.ts";

/** Names with all kinds of signs, and those that addresses use themselves. */
const name = fc.oneof(
  fc.string({ unit: "grapheme", minLength: 1, maxLength: 6 }),
  fc.constantFrom(
    "canvas",
    "1",
    "page",
    "annotation",
    "range",
    "_images",
    "_part",
    "a;2",
    "50%",
    "a b",
    "%2F",
    "ä?#",
  ),
);
const identifier = fc
  .array(name, { minLength: 1, maxLength: 4 })
  .map((names) => names.join("/"))
  .filter((id) => {
    try {
      return checkIdentifier(id) === id;
    } catch {
      return false;
    }
  });
const base = fc.constantFrom(
  "https://example.org",
  "http://localhost:8080",
  "https://example.org/some/prefix",
);

/** All objects of a document that have an id and are of a type. */
function all(value: unknown, types: readonly string[]): Read[] {
  if (Array.isArray(value)) return value.flatMap((item) => all(item, types));
  if (typeof value !== "object" || value === null) return [];
  const own = types.includes((value as Read).type ?? (value as Read)["@type"]) ? [value] : [];
  return [...own, ...Object.values(value).flatMap((inner) => all(inner, types))];
}

const pieceKinds: Readonly<Record<string, string>> = {
  Canvas: "canvas",
  AnnotationPage: "page",
  Annotation: "annotation",
  Range: "range",
};

describe("every id in a manifest", () => {
  test("is unique in it, begins with the public URL, and names an existing piece", () => {
    fc.assert(
      fc.property(
        identifier,
        base,
        fc.uniqueArray(name, { minLength: 1, maxLength: 4 }),
        (id, base, names) => {
          const canvases = names
            .map((each) => image(`${id}/${each}`, 300, 400))
            .filter(({ identifier }) => !/[\\/\0]|^\.\.?$/.test(identifier.slice(id.length + 1)));
          fc.pre(canvases.length > 0);
          const own = { ...context, base };
          const derived = manifestOf({ id, label: "x", canvases }, own);
          const { description } = readDescription(
            { order: [canvases.length], structures: { label: "x", items: [1, 1] } },
            "manifest",
          );
          const { document } = describeManifest(derived, description, canvases, base);
          const root = `${base}/iiif/presentation/3/`;
          const found = all((document as Read).items, Object.keys(pieceKinds)).concat(
            all((document as Read).structures, ["Range"]),
          );
          const ids = found.map((piece) => piece.id);
          expect(new Set([...ids, document.id]).size).toBe(canvases.length * 3 + 2);
          for (const piece of found) {
            expect(piece.id.startsWith(root)).toBe(true);
            expect(new URL(piece.id)).toMatchObject({ href: piece.id, search: "", hash: "" });
            const kind = pieceKinds[piece.type];
            const readings = presentationPaths(piece.id.slice(root.length));
            expect(
              readings.filter((reading) => reading.id === id && reading.piece?.kind === kind),
            ).not.toEqual([]);
            expect(pieceAt(document, piece.id)).toMatchObject({ id: piece.id, type: piece.type });
          }
          expect(presentationPaths((document.id as string).slice(root.length))[0]).toEqual({
            id,
            of: id,
            extent: "whole",
          } satisfies PresentationPath);
        },
      ),
    );
  });

  test("of an image service names the image, and so do the addresses of images", () => {
    fc.assert(
      fc.property(identifier, base, (id, base) => {
        const document = manifestOf(
          { id, label: "x", canvases: [image(id, 300, 400)] },
          { ...context, base },
        );
        const services = all(document, ["ImageService3", "ImageService2"]);
        expect(services).toHaveLength(6);
        for (const service of services) {
          const address: string = service.id ?? service["@id"];
          const version = service.type === "ImageService3" ? 3 : 2;
          expect(address.startsWith(`${base}/iiif/${version}/`)).toBe(true);
          expect(new URL(address)).toMatchObject({ href: address, search: "", hash: "" });
          const path = address.slice(`${base}/iiif/3/`.length);
          expect(splitImagePath(`${path}/info.json`)).toEqual({ kind: "info", identifier: id });
        }
        for (const picture of all(document, ["Image"]))
          expect(splitImagePath(picture.id.slice(`${base}/iiif/3/`.length))).toMatchObject({
            kind: "image",
            identifier: id,
            region: "full",
            file: "default.jpg",
          });
      }),
    );
  });

  test("is below the address of 2.1 in that version", () => {
    fc.assert(
      fc.property(identifier, base, (id, base) => {
        const own = { ...context, base };
        const document = manifestOf({ id, label: "x", canvases: [image(`${id}/1`)], parent: "" }, own);
        const text = JSON.stringify(version2(document, base));
        expect(text).not.toContain(`"${base}/iiif/presentation/3`);
        expect(text).toContain(
          `"@id":"${base}/iiif/presentation/2${(document.id as string).slice(`${base}/iiif/presentation/3`.length)}"`,
        );
      }),
    );
  });
});

test("every id that a collection lists, in parts or not, leads to the document of that id", () => {
  fc.assert(
    fc.property(identifier, base, fc.constantFrom(1, 3, membersPerPart + 1), (id, base, count) => {
      const members = Array.from({ length: count }, (_, at) => ({
        kind: at % 2 === 0 ? ("manifest" as const) : ("collection" as const),
        id: `${id}/${at}`,
        label: String(at),
      }));
      const { items }: Read = collectionOf({ id, label: "x", members }, { ...context, base });
      const ids = items.map((item: Read) => item.id);
      expect(new Set(ids).size).toBe(ids.length);
      const root = `${base}/iiif/presentation/3/`;
      const [first] = ids;
      expect(presentationPaths(first.slice(root.length))).toContainEqual(
        count > membersPerPart
          ? { id: `${id}/_part/1`, of: id, extent: 1 }
          : { id: `${id}/0`, of: `${id}/0`, extent: "whole" },
      );
    }),
  );
});
