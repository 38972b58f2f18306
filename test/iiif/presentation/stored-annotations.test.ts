// Annotations that an operator stored as files, in the forms that annotation tools write.

import { normalize } from "@iiif/parser";
import { describe, expect, test } from "vitest";
import { withContext } from "../../../src/iiif/presentation/context.ts";
import { canvasNumber, pieceAddress } from "../../../src/iiif/presentation/mounts.ts";
import { ownNames } from "../../../src/iiif/presentation/own-addresses.ts";
import {
  type AnnotationScope,
  createSorter,
  readStoredAnnotations,
  servedAnnotation,
} from "../../../src/iiif/presentation/stored-annotations.ts";
import { version2 } from "../../../src/iiif/presentation/v2/document.ts";
import fc from "../../properties.ts";
import type { Read } from "./checked.ts";
import { base } from "./facts.ts";
import { problemsOf2 } from "./rules-2.ts";
import { problemsOf3 } from "./rules-3.ts";

const manifest = `${base}/iiif/presentation/3/book`;
/** Address of the page that annotations are served in. */
const address = `${manifest}/notes`;
const canvas = (number: number) => pieceAddress(manifest, { kind: "canvas", number });
const names = ["0001.tif", "0002.tif", "über uns.jpg", "many.tif;1", "many.tif;2"];

const scope: AnnotationScope = {
  base,
  imagePrefixes: ["/iiif/2/", "/iiif/3/"],
  canvases: names.map((name, at) => ({
    id: canvas(at + 1),
    identifier: `book/${name}`,
    label: name,
    ...(name.includes(";") && { page: Number(name.split(";")[1]) }),
  })),
  find(address) {
    const own = ownNames(address, []).documents.find(({ of, extent }) => of === "book" && extent === "whole");
    if (!own) return undefined;
    const number = own.piece?.number ?? 0;
    return { number, id: number === 0 ? manifest : canvas(number) };
  },
};

const comment = (target: unknown, more: object = {}) => ({
  type: "Annotation",
  motivation: "commenting",
  body: { type: "TextualBody", value: "Look" },
  target,
  ...more,
});

const page = (...items: readonly unknown[]) => ({
  "@context": "http://www.w3.org/ns/anno.jsonld",
  type: "AnnotationPage",
  items,
});

const read = (file: unknown, more: Partial<AnnotationScope> = {}) => {
  const stored = readStoredAnnotations(file);
  const { add, sorted } = createSorter({ ...scope, ...more });
  for (const each of stored.annotations) add([each]);
  const byNumber = new Map(
    [...sorted.byNumber].map(([number, list]) => {
      const size = { width: 3000, height: 4000 };
      const origin = { base, address, ...(number > 0 && { canvas: { id: canvas(number), ...size } }) };
      return [number, list.map((each, at) => servedAnnotation(each, at + 1, origin).narrowed)] as const;
    }),
  );
  const faults = [...stored.faults, ...sorted.faults];
  const targets = [...byNumber].flatMap(([number, list]) =>
    list.map(({ target }): readonly [number, unknown] => [number, target]),
  );
  const messages = faults.map(({ path, message }) => `${path.join(".")}: ${message}`);
  return { byNumber, sorted, targets, label: stored.label, faults: messages };
};

describe("the target of an annotation", () => {
  test.each([
    ["0002.tif", 2],
    ["0002", 2],
    ["./0002.tif", 2],
    ["%C3%BCber%20uns.jpg", 3],
    ["über uns.jpg", 3],
    ["many.tif;2", 5],
    ["book/0002.tif", 2],
    ["2", 2],
    [2, 2],
    ["canvas/2", 2],
    [canvas(2), 2],
    ["http://localhost:8080/iiif/presentation/2/book/canvas/2", 2],
    ["/iiif/presentation/3/book/canvas/2", 2],
    ["https://old.example.org/iiif/3/book%2F0002.tif", 2],
    ["https://old.example.org/iiif/2/book%2F0002.tif/full/max/0/default.jpg", 2],
    ["https://files.example.org/cantaloupe/iiif/2/x%2F0002.tif/info.json", 2],
    ["https://files.example.org/scans/0002.tif", 2],
    [manifest, 0],
  ])("%s is found", (target, number) => {
    const { targets, faults } = read(page(comment(target)));
    expect(faults).toEqual([]);
    expect(targets).toEqual([[number, number === 0 ? manifest : canvas(number)]]);
  });

  const selector = (value: string) => ({ type: "FragmentSelector", value });
  const source = "0001.tif";
  test.each([
    ["a fragment", "0001.tif#xywh=1,2,3,4", "xywh=1,2,3,4"],
    ["pixels with decimals", "0001.tif#xywh=pixel:1.5,2.5,3,4", "xywh=1,2,4,5"],
    ["percents", "0001.tif#xywh=percent:10,10,50,50", "xywh=300,400,1500,2000"],
    ["a box that is partly outside", "0001.tif#xywh=2990,3990,100,100", "xywh=2990,3990,10,10"],
    ["a selector", { source, selector: selector("xywh=pixel:1,2,3,4") }, "xywh=1,2,3,4"],
    [
      "a list of one",
      { type: "SpecificResource", source, selector: [selector("#xywh=1,2,3,4")] },
      "xywh=1,2,3,4",
    ],
    [
      "a source that is an object",
      { source: { id: source, type: "Canvas" }, selector: selector("xywh=1,2,3,4") },
      "xywh=1,2,3,4",
    ],
    ["a canvas as an object", { id: "0001.tif#xywh=1,2,3,4", type: "Canvas" }, "xywh=1,2,3,4"],
    ["a time", "0001.tif#t=1,2", "t=1,2"],
    ["a box outside", "0001.tif#xywh=9000,9000,1,1", undefined],
    ["a broken box", "0001.tif#xywh=a,b", undefined],
  ])("with %s has a box in whole numbers, as a text", (_, target, fragment) => {
    const { targets, faults } = read(page(comment(target)));
    expect(faults).toEqual([]);
    expect(targets).toEqual([[1, fragment === undefined ? canvas(1) : `${canvas(1)}#${fragment}`]]);
  });

  test("with an outline keeps it", () => {
    const outline = { type: "SvgSelector", value: "<svg><polygon points='0,0 1,0 1,1'/></svg>" };
    const { targets } = read(page(comment({ type: "SpecificResource", source, selector: outline })));
    expect(targets).toEqual([[1, { type: "SpecificResource", source: canvas(1), selector: outline }]]);
  });

  test("is the image that the file is next to, if there is none", () => {
    const { targets, faults } = read(page(comment(undefined), comment("")), { own: 2 });
    expect(faults).toEqual([]);
    expect(targets).toEqual([
      [2, canvas(2)],
      [2, canvas(2)],
    ]);
  });

  test("is as written besides, if the others are not here", () => {
    const other = "https://example.org/other";
    const { sorted } = read(page(comment(["0001.tif#xywh=1,2,3,4", other, "0002.tif"])));
    for (const number of [1, 2])
      expect(sorted.byNumber.get(number)?.[0]?.annotation.target).toEqual([
        `${canvas(1)}#xywh=1,2,3,4`,
        other,
        canvas(2),
      ]);
  });

  test("leaves the annotation out if one of the images that it names is not here: its readers are unknown", () => {
    const { targets, faults } = read(page(comment(["0001.tif", "hidden.tif"]), comment("0002.tif")));
    expect(targets).toEqual([[2, canvas(2)]]);
    expect(faults).toHaveLength(1);
  });

  test("may be several: the annotation is with each", () => {
    const { targets } = read(page(comment(["0001.tif#xywh=1,2,3,4", "0002.tif"])));
    expect(targets).toEqual([
      [1, `${canvas(1)}#xywh=1,2,3,4`],
      [2, canvas(2)],
    ]);
  });

  test.each([
    ["0003.tif", 'items.0.target: there is no image "0003.tif" here; did you mean "0001.tif"?'],
    [
      "many.tif",
      'items.0.target: "many.tif" is a file with several pages; expected one, such as "many.tif;2"',
    ],
    [
      "https://example.org/other",
      'items.0.target: expected the name of an image, or the address of a canvas, received "https://example.org/other"',
    ],
    [
      undefined,
      "items.0.target: expected the name of an image, or the address of a canvas, received nothing",
    ],
    [Array(101).fill("0001.tif"), "items.0.target: expected at most 100 targets of an annotation"],
  ])("that is not here is reported: %s", (target, fault) => {
    const { targets, faults } = read(page(comment(target)));
    expect(targets).toEqual([]);
    expect(faults).toHaveLength(1);
    expect(faults[0]).toContain(fault.replace(/; did you mean.*/, ""));
  });
});

describe("a file of annotations", () => {
  test("may be a page, a collection, a single annotation or a list", () => {
    const one = comment("0001.tif");
    const files = [page(one), one, [one], { type: "AnnotationCollection", first: page(one) }];
    const old = { "@type": "oa:Annotation", resource: { chars: "Look" }, on: "0001.tif" };
    const loose = { type: ["AnnotationPage", "Thing"], items: { ...one, type: ["Annotation"] } };
    for (const file of [...files, old, [old], loose])
      expect([read(file).targets, read(file).faults]).toEqual([[[1, canvas(1)]], []]);
  });

  test("of the Web Annotation Data Model is written as viewers read it", () => {
    const annotation = {
      "@context": "http://www.w3.org/ns/anno.jsonld",
      id: "#a1",
      type: "Annotation",
      bodyValue: "A note",
      motivation: "oa:describing",
      target: "0001.tif",
    };
    expect(read(annotation).byNumber.get(1)).toEqual([
      {
        id: `${address}#a1`,
        type: "Annotation",
        motivation: "describing",
        body: { type: "TextualBody", value: "A note", format: "text/plain" },
        target: canvas(1),
      },
    ]);
    const purpose = comment("0001.tif", {
      motivation: undefined,
      body: [{ purpose: "tagging", value: "x" }],
    });
    expect(read(page(purpose)).byNumber.get(1)?.[0]?.motivation).toBe("tagging");
  });

  test("of 2.1 is read too", () => {
    const list = {
      "@context": "http://iiif.io/api/presentation/2/context.json",
      "@type": "sc:AnnotationList",
      resources: [
        {
          "@id": "a1",
          "@type": "oa:Annotation",
          motivation: "sc:painting",
          resource: { "@type": "cnt:ContentAsText", chars: "arma virumque" },
          on: "0001.tif#xywh=1,2,3,4",
        },
        {
          "@type": "oa:Annotation",
          motivation: ["oa:commenting"],
          resource: { "@type": "dctypes:Text", chars: "Look" },
          on: {
            "@type": "oa:SpecificResource",
            full: "0002.tif",
            selector: { "@type": "oa:FragmentSelector", value: "xywh=5,6,7,8" },
          },
        },
      ],
    };
    const { byNumber, faults } = read(list);
    expect(faults).toEqual([]);
    expect(byNumber.get(1)).toMatchObject([
      {
        id: `${address}/a1`,
        motivation: "supplementing",
        body: { type: "TextualBody", value: "arma virumque" },
        target: `${canvas(1)}#xywh=1,2,3,4`,
      },
    ]);
    expect(byNumber.get(2)).toMatchObject([
      { motivation: "commenting", target: `${canvas(2)}#xywh=5,6,7,8` },
    ]);
  });

  test("is a page for each canvas, valid in 3.0 and 2.1", () => {
    const file = {
      ...page(comment("0001.tif#xywh=1,2,3,4"), comment("0002"), comment("0001", { motivation: "tagging" })),
      label: { en: ["Notes"] },
    };
    const { byNumber, label } = read(file);
    const whole = { id: address, type: "AnnotationPage", label, items: byNumber.get(1) };
    const document: Read = JSON.parse(JSON.stringify(withContext(whole, false)));
    expect(document).toMatchObject({
      "@context": "http://iiif.io/api/presentation/3/context.json",
      id: address,
      label: { en: ["Notes"] },
      items: [{ id: `${address}#1` }, { id: `${address}#2`, motivation: "tagging" }],
    });
    expect(problemsOf3(document)).toEqual([]);
    const { entities }: Read = normalize(structuredClone(document));
    expect(entities.AnnotationPage[address].items).toHaveLength(2);
    const written: Read = JSON.parse(JSON.stringify(version2(document, base)));
    expect(problemsOf2(written)).toEqual([]);
    expect(written.resources).toMatchObject([
      {
        motivation: "oa:commenting",
        resource: { chars: "Look" },
        on: `${base}/iiif/presentation/2/book/canvas/1#xywh=1,2,3,4`,
      },
      { motivation: "oa:tagging" },
    ]);
    expect(canvasNumber(`${base}/iiif/presentation/2/book`, written.resources[1].on)).toBe(1);
  });

  const [sound, listed] = [comment("0001.tif"), [null, "text", 7, []]];
  const old = { "@type": "oa:Annotation", resource: { chars: "Look" }, on: "0001.tif" };
  test.each<[string, unknown]>([
    ["a list", [...listed, sound]],
    ["a page", { type: "AnnotationPage", items: [...listed, sound] }],
    ["a collection", { type: "AnnotationCollection", items: [...listed, page(...listed, sound)] }],
    ["a list of 2.1", { "@type": "sc:AnnotationList", resources: [...listed, old] }],
    ["a list without a page, of 2.1", [...listed, old]],
    ["its members", page({ ...sound, id: null, body: [null, "text", 7], motivation: [null, "tagging"] })],
  ])("keeps what is sound next to strings and nulls: in %s", (_, file) => {
    expect(read(file).targets).toEqual([[1, canvas(1)]]);
  });

  test.each([
    ["a text that viewers may take for HTML", "A <img src=x onerror=alert(1)> b", {}],
    ["plain text", "A <script>alert(1)</script> b", { format: "text/plain" }],
    ["HTML", "A <script>alert(1)</script> b", { format: "text/html" }],
    ["HTML of one element", "<p onclick=alert(1)>A b</p>", { format: "text/html" }],
    ["HTML that nothing calls so", "<svg onload=alert(1)>A b</svg>", {}],
  ])("has bodies that run nothing: %s", (_, value, members) => {
    const bodies = [
      { type: "TextualBody", value, ...members },
      { type: "Choice", items: [{ type: "TextualBody", value, ...members }] },
    ];
    for (const body of [...bodies, bodies]) {
      const text = JSON.stringify(read(page(comment("0001.tif", { body }))).byNumber.get(1));
      expect(text).not.toMatch(/<(?:script|img|svg|p [^>]*onclick)/);
    }
    const chars = { "@type": "oa:Annotation", resource: { chars: value, ...members }, on: "0001.tif" };
    expect(JSON.stringify(read([chars]).byNumber.get(1))).not.toMatch(/<(?:script|img|svg|p [^>]*onclick)/);
  });

  test("keeps what is sound next to what is not", () => {
    const { targets, faults } = read(page(comment("0001"), { type: "Note" }, 7, comment("0002")));
    expect(targets).toEqual([
      [1, canvas(1)],
      [2, canvas(2)],
    ]);
    expect(faults).toEqual([
      'items.1.type: expected Annotation, received "Note"',
      "items.2.type: expected Annotation, received nothing",
    ]);
  });

  test.each([null, 7, "text", {}, { type: "Manifest" }, { type: "AnnotationPage", items: 7 }, []])(
    "that is %j has no annotations",
    (file) => {
      expect(read(file).targets).toEqual([]);
    },
  );

  test("loses its scripts and unsafe addresses", () => {
    const body = [
      { type: "TextualBody", format: "text/html", value: "<p>Hello<script>alert(1)</script></p>" },
      { id: "javascript:alert(1)", type: "Text" },
    ];
    const { byNumber, faults } = read(page(comment("0001", { body })));
    const text = JSON.stringify(byNumber.get(1));
    expect(text).toContain("Hello");
    expect(text).not.toMatch(/script/);
    expect(faults).toHaveLength(2);
  });

  test("of any value has annotations of its canvases, or none", () => {
    const target = fc.oneof(
      fc.anything({ maxDepth: 3 }),
      fc.constantFrom("0001.tif", canvas(2), "#", "x#xywh="),
    );
    const any = fc.oneof(
      fc.anything({ maxDepth: 4 }),
      target.map((each) => page(comment(each))),
    );
    fc.assert(
      fc.property(any, (file) => {
        for (const [number, items] of read(file).byNumber) {
          expect(number).toBeLessThanOrEqual(names.length);
          JSON.parse(JSON.stringify(version2({ id: address, type: "AnnotationPage", items }, base)));
        }
      }),
    );
  });
});
