import { describe, expect, test } from "vitest";
import { collectionOf, manifestOf } from "../../../src/iiif/presentation/derive.ts";
import { readDescription } from "../../../src/iiif/presentation/description/description.ts";
import {
  arrangeMembers,
  describeCollection,
  describeManifest,
} from "../../../src/iiif/presentation/description/merge.ts";
import type { CanvasFacts, MemberFacts } from "../../../src/iiif/presentation/model.ts";
import { expectValid, type Read } from "./checked.ts";
import { base, context, image } from "./facts.ts";

const root = `${base}/iiif/presentation/3`;
const canvases = ["1.jpg", "2.jpg", "3.png"].map((name) => image(`book/${name}`));

function merged(value: unknown, facts: readonly CanvasFacts[] = canvases) {
  const derived = manifestOf({ id: "book", label: "book", canvases: facts }, context);
  const { description, faults } = readDescription(value, "manifest");
  expect(faults).toEqual([]);
  const made = describeManifest(derived, description, facts, base);
  return { ...made, derived, read: made.document as Read };
}

/** The manifest that a description comes to, which is valid and has no faults. */
function manifest(value: unknown): Read {
  const { document, faults, read } = merged(value);
  expect(faults).toEqual([]);
  expectValid(document);
  return read;
}

/** Returns the faults of its names, next to a manifest that is valid anyway. */
function faultsOf(value: unknown): readonly string[] {
  const { document, faults } = merged(value);
  expectValid(document);
  return faults.map(({ path, message }) => `${path.join(".")}: ${message}`);
}

const names = (document: Read) => document.items.map(({ label }: Read) => label.none[0]);

describe("a described manifest", () => {
  test("equals the derived one if the description is empty", () => {
    const { document, derived } = merged({});
    expect(document).toEqual(derived);
  });

  test("has members of the description instead of derived ones", () => {
    expect(manifest({ label: { en: "Book" }, summary: "x", rights: "CC0" })).toMatchObject({
      id: `${root}/book`,
      label: { en: ["Book"] },
      summary: { none: ["x"] },
      rights: "http://creativecommons.org/publicdomain/zero/1.0/",
      items: [{}, {}, {}],
    });
  });

  test("has what is said of canvases by their index, unless an image has that name", () => {
    const document = manifest({ canvases: { 2: "Second", "3": { label: "Third" } } });
    expect(names(document)).toEqual(["1.jpg", "Second", "Third"]);
    const reversed = ["2.jpg", "1.jpg"].map((name) => image(`book/${name}`));
    expect(names(merged({ canvases: { 1: "Named 1" } }, reversed).read)).toEqual(["2.jpg", "Named 1"]);
    const letters = ["a.jpg", "b.jpg"].map((name) => image(`book/${name}`));
    expect(names(merged({ canvases: { 1: "First" } }, letters).read)).toEqual(["First", "b.jpg"]);
    expect(merged({ canvases: { 3: "None" } }, letters).faults).toHaveLength(1);
  });

  test("has the order of names, indexes and stems, and all others after them; canvases keep their ids", () => {
    const document = manifest({ order: ["3", 2] });
    expect(names(document)).toEqual(["3.png", "2.jpg", "1.jpg"]);
    expect(document.items.map(({ id }: Read) => id)).toEqual(
      [3, 2, 1].map((n) => `${root}/book/canvas/${n}`),
    );
  });

  test("has no hidden canvases, nor the thumbnail of one", () => {
    const document = manifest({ canvases: { "1.jpg": { hide: true } } });
    expect(names(document)).toEqual(["2.jpg", "3.png"]);
    expect(document.thumbnail).toEqual(document.items[0].thumbnail);
  });

  test("has the differing members on canvases; a text is their label", () => {
    const document = manifest({
      canvases: {
        "1.jpg": "Cover",
        "2.jpg": { label: { en: "f. 1r" }, behavior: "facing-pages", metadata: { Hand: "A" }, navDate: 1400 },
      },
    });
    expect(document.items).toMatchObject([
      { label: { none: ["Cover"] } },
      { label: { en: ["f. 1r"] }, behavior: ["facing-pages"], navDate: "1400-01-01T00:00:00Z" },
      { label: { none: ["3.png"] } },
    ]);
    expect(document.items[1].items).toHaveLength(1);
  });

  test("begins at its start, and has the thumbnail of the named image", () => {
    const document = manifest({ start: "2.jpg", thumbnail: "3.png" });
    expect(document.start).toEqual({ id: `${root}/book/canvas/2`, type: "Canvas" });
    expect(document.thumbnail).toEqual(document.items[2].thumbnail);
    expect(manifest({ thumbnail: "/static/t.jpg" }).thumbnail).toEqual([
      { id: `${base}/static/t.jpg`, type: "Image", format: "image/jpeg" },
    ]);
  });

  test("has ranges of names, runs and ranges, numbered in order", () => {
    const { structures } = manifest({
      order: ["3.png"],
      structures: [
        {
          label: "Contents",
          items: [
            { label: "All", from: "3.png", to: "2.jpg" },
            { label: "First", items: ["1"], start: "1.jpg", rendering: "/static/a.pdf" },
          ],
        },
      ],
    });
    const canvas = (n: number) => ({ id: `${root}/book/canvas/${n}`, type: "Canvas" });
    expect(structures).toEqual([
      {
        id: `${root}/book/range/1`,
        type: "Range",
        label: { none: ["Contents"] },
        items: [
          {
            id: `${root}/book/range/2`,
            type: "Range",
            label: { none: ["All"] },
            items: [canvas(3), canvas(1), canvas(2)],
          },
          {
            id: `${root}/book/range/3`,
            type: "Range",
            label: { none: ["First"] },
            start: canvas(1),
            rendering: [
              {
                id: `${base}/static/a.pdf`,
                type: "Text",
                format: "application/pdf",
                label: { none: ["a.pdf"] },
              },
            ],
            items: [canvas(1)],
          },
        ],
      },
    ]);
  });

  test("has annotation pages by their addresses on canvases", () => {
    const document = manifest({ canvases: { "1.jpg": { annotations: "https://example.org/notes.json" } } });
    expect(document.items[0].annotations).toEqual([
      { id: "https://example.org/notes.json", type: "AnnotationPage" },
    ]);
  });

  test("has additional members and contexts as written", () => {
    const { read } = merged({
      extra: { "@context": "http://iiif.io/api/extension/navplace/context.json", navPlace: { type: "x" } },
    });
    expect(read["@context"]).toEqual([
      "http://iiif.io/api/extension/navplace/context.json",
      "http://iiif.io/api/presentation/3/context.json",
    ]);
    expect(read.navPlace).toEqual({ type: "x" });
  });

  test("finds whole names before those without an extension, which may be the names of several", () => {
    const facts = ["a.jpg", "a.tif", "b"].map((name) => image(`x/${name}`));
    expect(names(merged({ order: ["a.tif", "b"] }, facts).read)).toEqual(["a.tif", "b", "a.jpg"]);
    expect(merged({ order: ["a"] }, facts).faults).toEqual([
      { path: ["order", 0], message: '"a" is the name of several; expected the whole name of one' },
    ]);
  });
});

describe("names in a description that nothing has", () => {
  test.each<[unknown, string]>([
    [{ order: ["1.jpg", "2.jgp"] }, 'order.1: there is no image "2.jgp" here; did you mean "2.jpg"?'],
    [{ order: [4] }, "order.0: there is no image 4 here; known ones: 1.jpg, 2.jpg, 3.png"],
    [{ order: ["1.jpg", "1"] }, 'order.1: "1" is named twice'],
    [{ start: "x" }, 'start: there is no image "x" here; known ones: 1.jpg, 2.jpg, 3.png'],
    [{ canvases: { "4.jpg": "x" } }, 'canvases.4.jpg: there is no image "4.jpg" here; did you mean "1.jpg"?'],
    [
      { canvases: { "1.jpg": { hide: true } }, structures: [{ label: "x", items: ["1.jpg", "2.jpg"] }] },
      'structures.0.items.0: "1.jpg" is hidden',
    ],
    [
      { structures: [{ label: "x", from: "2.jpg", to: "1.jpg" }] },
      'structures.0: "2.jpg" comes after "1.jpg"',
    ],
  ])("in %j are faults with their positions, and everything else is valid", (value, fault) => {
    const [first, ...others] = faultsOf(value);
    expect(others).toEqual([]);
    expect(first).toBe(fault);
  });

  test("hide nothing if they would hide everything", () => {
    const hide = { hide: true };
    const { document, faults } = merged({ canvases: { "1.jpg": hide, "2.jpg": hide, "3.png": hide } });
    expect(names(document)).toHaveLength(3);
    expect(faults.map(({ path }) => path.join("."))).toContain("canvases.1.jpg.hide");
  });
});

test("a description of very many names has faults for those that nothing has, up to 200", () => {
  const many = Array.from({ length: 20_000 }, (_, at) => image(`x/page-${at}.jpg`));
  const names = many.map(({ label }) => label).reverse();
  const stale = names.map((name) => `old-${name}`);
  const { description } = readDescription(
    { order: [...names, ...stale, "x".repeat(1_000_000)], structures: [{ label: "x", items: names }] },
    "manifest",
  );
  const { document, faults } = describeManifest(
    { id: `${root}/x`, items: many.map((_, at) => ({ id: String(at), items: [] })) },
    description,
    many,
    base,
  );
  expect((document as Read).items[0].id).toBe("19999");
  expect(faults).toHaveLength(200);
});

describe("a described collection", () => {
  const members: MemberFacts[] = ["a", "b", "c"].map((id) => ({
    kind: "manifest",
    id: `x/${id}`,
    label: id,
  }));
  const read = (value: unknown) => {
    const { description, faults } = readDescription(value, "collection");
    expect(faults).toEqual([]);
    return description;
  };

  test("has its members ordered, hidden and labelled, and the members of its description", () => {
    const description = read({
      label: "Volumes",
      behavior: "multi-part",
      order: ["c"],
      items: { a: { label: { de: "Band 1" } }, b: { hide: true } },
    });
    const arranged = arrangeMembers(members, description);
    expect(arranged.faults).toEqual([]);
    const derived = collectionOf({ id: "x", label: "x", members: arranged.document }, context);
    const { document, faults } = describeCollection(derived, description, base);
    expect(faults).toEqual([]);
    expectValid(document);
    expect(document).toMatchObject({
      label: { none: ["Volumes"] },
      behavior: ["multi-part"],
      items: [
        { id: `${root}/x/c`, label: { none: ["c"] } },
        { id: `${root}/x/a`, label: { de: ["Band 1"] } },
      ],
    });
  });

  test("notes names that no member has", () => {
    expect(arrangeMembers(members, read({ order: ["aa"] })).faults).toEqual([
      { path: ["order", 0], message: 'there is no folder "aa" here; did you mean "a"?' },
    ]);
  });
});
