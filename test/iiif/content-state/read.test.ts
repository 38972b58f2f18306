// What states point at: the examples of the Content State API 1.0, and what is wrong with others.

import { describe, expect, test } from "vitest";
import { stateOf } from "../../../src/iiif/content-state/mint.ts";
import { readState } from "../../../src/iiif/content-state/read.ts";
import { parseRegion, pixelRegion, regionText } from "../../../src/iiif/content-state/region.ts";
import { seeded } from "../../seeded.ts";

const manifest = { id: "https://example.org/object1/manifest", type: "Manifest" };
const canvas = {
  id: "https://example.org/object1/canvas7#xywh=1000,2000,1000,2000",
  type: "Canvas",
  partOf: [manifest],
};
const shown = {
  id: "https://example.org/object1/canvas7",
  type: "Canvas",
  region: { unit: "pixel", x: 1000, y: 2000, w: 1000, h: 2000 },
  manifestId: manifest.id,
};
const annotation = {
  "@context": "http://iiif.io/api/presentation/3/context.json",
  id: "https://example.org/import/1",
  type: "Annotation",
  motivation: ["contentState"],
  target: canvas,
};

describe("a content state", () => {
  const sound: readonly (readonly [string, unknown, string, readonly unknown[]])[] = [
    ["an annotation with a region of a canvas (5.1)", annotation, "annotation", [shown]],
    ["the body of its target (2.2.3)", canvas, "target-body", [shown]],
    ["an address (2.2.4)", manifest.id, "uri", [{ id: manifest.id }]],
    ["a manifest by its body", manifest, "target-body", [{ ...manifest, manifestId: manifest.id }]],
    [
      "a whole manifest",
      { ...manifest, label: { en: ["A"] }, items: [] },
      "manifest",
      [{ ...manifest, manifestId: manifest.id }],
    ],
    ["a whole canvas", { ...canvas, items: [] }, "canvas", [shown]],
    ["one whose motivation is a text", { ...annotation, motivation: "contentState" }, "annotation", [shown]],
    [
      "a specific resource with a fragment selector",
      {
        ...annotation,
        target: {
          type: "SpecificResource",
          source: { ...canvas, id: shown.id },
          selector: { type: "FragmentSelector", value: "xywh=1000,2000,1000,2000" },
        },
      },
      "annotation",
      [shown],
    ],
    [
      "a canvas as version 2 names it",
      { "@id": canvas.id, "@type": "sc:Canvas", within: { "@id": manifest.id, "@type": "sc:Manifest" } },
      "target-body",
      [shown],
    ],
    [
      "a region in percent",
      { ...canvas, id: `${shown.id}#xywh=percent:25,0,50,12.5` },
      "target-body",
      [{ ...shown, region: { unit: "percent", x: 25, y: 0, w: 50, h: 12.5 } }],
    ],
    [
      "a region with its unit",
      { ...canvas, id: `${shown.id}#xywh=pixel:1000,2000,1000,2000` },
      "target-body",
      [shown],
    ],
  ];
  for (const [what, state, form, targets] of sound)
    test(`may be ${what}`, () => {
      expect(readState(state)).toEqual({ form, targets, problems: [] });
    });

  test("may have several targets, of which the first is opened (5.3)", () => {
    const other = { id: "https://example.org/iiif/item2/canvas99", type: "Canvas", partOf: [manifest] };
    for (const [state, form] of [
      [{ ...annotation, target: [canvas, other] }, "annotation"],
      [[canvas, other], "list"],
    ] as const) {
      const read = readState(state);
      expect(read.form).toBe(form);
      expect(read.targets.map(({ id }) => id)).toEqual([shown.id, other.id]);
      expect(read.problems).toEqual([expect.stringContaining("several targets")]);
    }
  });

  test("with a time in place of a region opens the whole (5.2)", () => {
    const source = { ...canvas, id: shown.id };
    const { targets, problems } = readState({
      ...annotation,
      target: { type: "SpecificResource", source, selector: { type: "PointSelector", t: 14.5 } },
    });
    expect(targets[0].region).toBeUndefined();
    expect(targets[0].id).toBe(shown.id);
    expect(problems).toEqual([expect.stringContaining("selector")]);
  });

  const flawed: readonly (readonly [string, unknown, string])[] = [
    ["no partOf", { id: shown.id, type: "Canvas" }, "partOf"],
    [
      "a partOf that is no manifest",
      { ...canvas, partOf: [{ id: manifest.id, type: "Collection" }] },
      "partOf",
    ],
    ["another motivation", { ...annotation, motivation: "painting" }, "motivation"],
    ["no motivation", { ...annotation, motivation: undefined }, "motivation"],
    ["no id", { ...annotation, id: undefined }, "no id"],
    ["no type", { id: manifest.id }, "no type"],
    ["a region of three numbers", { ...canvas, id: `${shown.id}#xywh=1,2,3` }, "region"],
    ["a region without extent", { ...canvas, id: `${shown.id}#xywh=1,2,0,4` }, "region"],
    ["a region beyond 100 percent", { ...canvas, id: `${shown.id}#xywh=percent:60,0,50,10` }, "region"],
  ];
  for (const [what, state, word] of flawed)
    test(`with ${what} is read, and the problem named`, () => {
      const { targets, problems } = readState(state);
      expect(targets).toHaveLength(1);
      expect(problems).toEqual([expect.stringContaining(word)]);
    });

  const refused: readonly unknown[] = [
    null,
    1,
    true,
    "",
    "relative/manifest",
    "javascript:alert(1)",
    "file:///etc/passwd",
    "//other.example/manifest",
    {},
    [],
    [[]],
    { type: "Canvas" },
    { id: 5, type: "Canvas" },
    { id: "not absolute", type: "Canvas" },
    { id: "https://", type: "Manifest" },
    { ...annotation, target: undefined },
    { ...annotation, target: null },
    { ...annotation, target: [] },
    { ...annotation, target: 7 },
    { type: "SpecificResource", source: { source: { source: manifest.id } } },
    { type: "SpecificResource" },
  ];
  test.each(refused.map((state) => [JSON.stringify(state), state]))(
    "is refused where it is %s",
    (_, state) => {
      expect(() => readState(JSON.parse(JSON.stringify(state ?? null)))).toThrow(
        expect.objectContaining({ kind: "bad-request", code: "invalid_content_state" }),
      );
    },
  );

  test("whose members are of any kind is read or refused, and nothing else", () => {
    const number = seeded(17);
    const values: readonly unknown[] = [
      null,
      0,
      "",
      "x",
      manifest.id,
      [],
      {},
      [null],
      manifest,
      canvas,
      "#xywh=%zz",
    ];
    const any = () => values[number(values.length)];
    const outcomes = { read: 0, refused: 0 };
    for (let n = 0; n < 2000; n++) {
      const state = {
        ...annotation,
        ...(number(2) === 0 && { type: any() }),
        ...(number(3) === 0 && { motivation: any() }),
        target:
          number(2) === 0
            ? any()
            : { ...canvas, id: any(), type: any(), partOf: any(), source: any(), selector: any() },
      };
      try {
        const { targets } = readState(JSON.parse(JSON.stringify(state)));
        for (const { id } of targets) expect(id).toMatch(/^https?:\/\/[^#]+$/);
        outcomes.read++;
      } catch (error) {
        expect(error).toMatchObject({ code: "invalid_content_state" });
        outcomes.refused++;
      }
    }
    expect(outcomes.read).toBeGreaterThan(100);
    expect(outcomes.refused).toBeGreaterThan(100);
  });

  test("that this service writes is read back, in the terms of either version", () => {
    const region = { unit: "pixel", x: 1000, y: 2000, w: 1000, h: 2000 } as const;
    const view = { manifest: manifest.id, canvas: shown.id, region };
    for (const version of [2, 3] as const)
      expect(readState(stateOf(view, version))).toEqual({
        form: "target-body",
        targets: [shown],
        problems: [],
      });
    expect(stateOf(view, 3)).toEqual({ "@context": annotation["@context"], ...canvas });
    expect(stateOf({ manifest: manifest.id }, 3)).toEqual({
      "@context": annotation["@context"],
      ...manifest,
    });
    expect(stateOf({ manifest: manifest.id }, 2)).toEqual({
      "@context": "http://iiif.io/api/presentation/2/context.json",
      "@id": manifest.id,
      "@type": "sc:Manifest",
    });
  });
});

describe("a region", () => {
  const page = { width: 1200, height: 1800 };
  const rows: readonly (readonly [string, string | undefined])[] = [
    ["0,0,1200,1800", "0,0,1200,1800"],
    ["1000,1700,400,400", "1000,1700,200,100"],
    ["percent:50,50,25,25", "600,900,300,450"],
    ["percent:0,0,100,100", "0,0,1200,1800"],
    ["0.5,0.5,1,1", "0,0,2,2"],
    ["1200,0,10,10", undefined],
    ["0,1800,1,1", undefined],
  ];
  test.each(rows)("%s of a page of 1200 by 1800 pixels is %s", (text, pixels) => {
    const region = parseRegion(text);
    expect(region).toBeDefined();
    const cut = region && pixelRegion(region, page);
    expect(cut && regionText(cut)).toBe(pixels);
  });

  test.each([
    "",
    "1,2,3",
    "1,2,3,4,5",
    "-1,0,2,2",
    "1e3,0,1,1",
    "a,b,c,d",
    "0,0,1,0",
    "em:0,0,1,1",
    "0,0,9999999999999,1",
  ])("is not %j", (text) => {
    expect(parseRegion(text)).toBeUndefined();
  });
});
