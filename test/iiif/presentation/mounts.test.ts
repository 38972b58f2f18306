import { describe, expect, test } from "vitest";
import {
  documentAddress,
  imagesId,
  inVersion,
  partId,
  pieceAddress,
  presentationPaths,
  spellAddress,
} from "../../../src/iiif/presentation/mounts.ts";
import fc from "../../properties.ts";

const base = "https://example.org/iiif-server";

describe("addresses of documents", () => {
  test.each([
    ["", `${base}/iiif/presentation/3`],
    ["book", `${base}/iiif/presentation/3/book`],
    ["a/b c/ü", `${base}/iiif/presentation/3/a/b%20c/%C3%BC`],
    ["50%/a@b", `${base}/iiif/presentation/3/50%25/a%40b`],
    // Unreserved characters and !'()* are those that encodeURIComponent keeps (ECMA-262, section 19.2.6.4).
    ["-._~!*'()/;,:&=+$%2F", `${base}/iiif/presentation/3/-._~!*'()/%3B%2C%3A%26%3D%2B%24%252F`],
    ["https://example.org/a.jpg", `${base}/iiif/presentation/3/https%3A//example.org/a.jpg`],
    ["book.tif;2", `${base}/iiif/presentation/3/book.tif%3B2`],
  ])("keep the slashes of %j and encode the rest", (id, address) =>
    expect(documentAddress(base, id)).toBe(address),
  );

  test("encode each segment as encodeURIComponent does", () => {
    fc.assert(
      fc.property(fc.array(fc.string({ unit: "grapheme" }), { minLength: 1 }), (names) => {
        fc.pre(names.join("/") !== "");
        const built = names.map((name) => name.split("/").map(encodeURIComponent).join("/")).join("/");
        expect(documentAddress(base, names.join("/"))).toBe(`${base}/iiif/presentation/3/${built}`);
      }),
    );
  });

  test.each([
    ["a%2Fb/", "a/b"],
    ["a,b;2", "a%2Cb%3B2"],
    ["a%2cb%2db", "a%2Cb-b"],
    ["it%27s%20%28a%29%21%2A", "it's%20(a)!*"],
    ["a%252Fb", "a%252Fb"],
    ["a,b/canvas/1#xywh=0,0,1,1", "a%2Cb/canvas/1#xywh=0,0,1,1"],
    ["https:/example.org/a.jpg", "https%3A//example.org/a.jpg"],
  ])("have one spelling: that of %s is %s", (other, own) => {
    for (const version of [3, 2]) {
      const root = `${base}/iiif/presentation/${version}/`;
      expect(spellAddress(root + other, base)).toBe(root + own);
      expect(spellAddress(root + own, base)).toBe(root + own);
    }
  });

  test.each([
    "https://elsewhere.org/iiif/presentation/3/a,b",
    `${base}/iiif/presentation/30/a,b`,
    `${base}/iiif/3/a,b`,
    `${base}/iiif/presentation/3/a%zz`,
    `${base}/iiif/presentation/3/a/../b`,
  ])("keep their spelling if they are not of a document of the service: %s", (address) =>
    expect(spellAddress(address, base)).toBe(address),
  );

  test("of version 2.1 differ only in the version", () => {
    expect(documentAddress(base, "a/b", 2)).toBe(`${base}/iiif/presentation/2/a/b`);
  });

  test("are converted to the other version below the service, and unchanged elsewhere", () => {
    const canvas = `${base}/iiif/presentation/3/a/canvas/1`;
    expect(inVersion(canvas, base, 2)).toBe(`${base}/iiif/presentation/2/a/canvas/1`);
    expect(inVersion(`${canvas}#xywh=0,0,1,1`, base, 2)).toBe(
      `${base}/iiif/presentation/2/a/canvas/1#xywh=0,0,1,1`,
    );
    expect(inVersion(`${base}/iiif/presentation/3`, base, 2)).toBe(`${base}/iiif/presentation/2`);
    for (const other of [
      "https://elsewhere.org/iiif/presentation/3/a",
      `${base}/iiif/presentation/30/a`,
      `${base}/iiif/3/a`,
    ])
      expect(inVersion(other, base, 2)).toBe(other);
  });
});

describe("readings of a presentation path", () => {
  test("of a plain path are only the document of that name", () => {
    expect(presentationPaths("/a/b")).toEqual([{ id: "a/b", of: "a/b", extent: "whole" }]);
    expect(presentationPaths("a%2Fb")).toEqual([{ id: "a/b", of: "a/b", extent: "whole" }]);
    expect(presentationPaths("//a//b/")).toEqual([{ id: "a/b", of: "a/b", extent: "whole" }]);
  });

  test.each(["", "/"])("of %j are the root", (path) =>
    expect(presentationPaths(path)).toEqual([{ id: "", of: "", extent: "whole" }]),
  );

  test.each([
    ["a/canvas/3", "canvas"],
    ["a/canvas/3/page", "page"],
    ["a/canvas/3/annotation", "annotation"],
    ["a/range/3", "range"],
  ] as const)("of %s begin with a directory of exactly that name", (path, kind) => {
    expect(presentationPaths(path)).toEqual([
      { id: path, of: path, extent: "whole" },
      { id: "a", of: "a", extent: "whole", piece: { kind, number: 3 } },
    ]);
  });

  test("of the images next to directories, and of the contents of their manifest", () => {
    expect(presentationPaths("a/_images")).toEqual([
      { id: "a/_images", of: "a/_images", extent: "whole" },
      { id: "a/_images", of: "a", extent: "images" },
    ]);
    expect(presentationPaths("_images/canvas/1")).toEqual([
      { id: "_images/canvas/1", of: "_images/canvas/1", extent: "whole" },
      { id: "_images", of: "_images", extent: "whole", piece: { kind: "canvas", number: 1 } },
      { id: "_images", of: "", extent: "images", piece: { kind: "canvas", number: 1 } },
    ]);
  });

  test("of parts of collections, including the root's", () => {
    expect(presentationPaths("_part/12")).toContainEqual({ id: "_part/12", of: "", extent: 12 });
    expect(presentationPaths("a/_part/1")).toContainEqual({ id: "a/_part/1", of: "a", extent: 1 });
  });

  test.each(["a/canvas/0", "a/canvas/01", "a/canvas/x", "a/canvas/1234567890", "canvas/1", "a/_part/0"])(
    "of %s are only a directory of that name",
    (path) => expect(presentationPaths(path)).toEqual([{ id: path, of: path, extent: "whole" }]),
  );

  test("of an identifier that is a URL have its two slashes again", () => {
    expect(presentationPaths("https://example.org/a.jpg/canvas/1").at(-1)).toEqual({
      id: "https://example.org/a.jpg",
      of: "https://example.org/a.jpg",
      extent: "whole",
      piece: { kind: "canvas", number: 1 },
    });
  });

  test.each(["a/../b", "a/%2e%2e/canvas/1", "a%5Cb", "a%00"])("are refused for %s", (path) =>
    expect(() => presentationPaths(path)).toThrow(expect.objectContaining({ code: "identifier_refused" })),
  );

  test("are refused for broken percent-encoding", () => {
    expect(() => presentationPaths("a%zz")).toThrow(expect.objectContaining({ code: "bad_encoding" }));
  });

  test("lead from every address back to its resource", () => {
    for (const directory of ["", "a", "ü/b c", "50%/x;2", "a?b#c"])
      for (const [id, extent] of [
        [imagesId(directory), "images"],
        [partId(directory, 7), 7],
      ] as const) {
        const path = documentAddress("", id).slice(documentAddress("", "").length);
        expect(presentationPaths(path)).toContainEqual({ id, of: directory, extent });
      }
    const page = pieceAddress(documentAddress("", "a b"), { kind: "page", number: 2 });
    expect(presentationPaths(page.slice(documentAddress("", "").length))).toContainEqual({
      id: "a b",
      of: "a b",
      extent: "whole",
      piece: { kind: "page", number: 2 },
    });
  });
});
