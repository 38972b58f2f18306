// The targets of content states: the examples of the Content State API 1.0, and the faults of others.

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

  test("with a time instead of a region opens the whole (5.2)", () => {
    const source = { ...canvas, id: shown.id };
    const { targets, problems } = readState({
      ...annotation,
      target: { type: "SpecificResource", source, selector: { type: "PointSelector", t: 14.5 } },
    });
    expect(targets[0].region).toBeUndefined();
    expect(targets[0].id).toBe(shown.id);
    expect(targets[0].unread).toEqual(["PointSelector"]);
    expect(problems).toEqual([expect.stringContaining("selector")]);
  });

  describe("with a selector", () => {
    const selected = (selector: unknown) => {
      const source = { ...canvas, id: shown.id };
      const { targets, problems } = readState({
        ...annotation,
        target: { type: "SpecificResource", source, selector },
      });
      const [{ region, unread }] = targets;
      expect(problems).toHaveLength(unread ? 1 : 0);
      return unread ?? (region && regionText(region));
    };
    const svg = (shape: string) => ({
      type: "SvgSelector",
      value: `<svg xmlns="http://www.w3.org/2000/svg">${shape}</svg>`,
    });

    test.each<[string, unknown, unknown]>([
      [
        "a fragment with a time before the region",
        { type: "FragmentSelector", value: "t=1,5&xywh=1,2,3,4" },
        "1,2,3,4",
      ],
      [
        "a fragment with a time behind the region",
        { type: "FragmentSelector", value: "xywh=percent:1,2,3,4&t=1" },
        "percent:1,2,3,4",
      ],
      [
        "a list whose second names a region",
        [
          { type: "FragmentSelector", value: "t=1" },
          { type: "FragmentSelector", value: "xywh=1,2,3,4" },
        ],
        "1,2,3,4",
      ],
      ["a point: the square around it", { type: "PointSelector", x: 1000, y: 600 }, "744,344,512,512"],
      ["a point near the corner", { type: "PointSelector", x: 10, y: 0, t: 5 }, "0,0,266,256"],
      ["a region of the Image API", { type: "ImageApiSelector", region: "10,20,30,40" }, "10,20,30,40"],
      ["a region in percent", { type: "ImageApiSelector", region: "pct:10,20,30,40" }, "percent:10,20,30,40"],
      ["the whole image", { type: "ImageApiSelector", rotation: "90" }, undefined],
      [
        "an outline of version 2",
        { "@type": "oa:SvgSelector", chars: "<svg><rect x='1' y='2' width='3' height='4'/></svg>" },
        "1,2,3,4",
      ],
      [
        "a choice of version 2",
        { "@type": "oa:Choice", default: { "@type": "oa:FragmentSelector", value: "xywh=1,2,3,4" } },
        "1,2,3,4",
      ],
      ["a square of an image", { type: "ImageApiSelector", region: "square" }, ["ImageApiSelector"]],
      ["an unknown type", { type: "TextQuoteSelector", exact: "x" }, ["TextQuoteSelector"]],
      [
        "several that are not read",
        [{ type: "PointSelector" }, {}, { type: "__proto__" }],
        ["PointSelector", "selector without type", "__proto__"],
      ],
      ["a point of texts", { type: "PointSelector", x: "1", y: "2" }, ["PointSelector"]],
      ["a point outside", { type: "PointSelector", x: -1, y: 2 }, ["PointSelector"]],
      ["an outline in percent", svg('<rect width="50%" height="50%"/>'), ["SvgSelector"]],
      ["an outline in centimetres", svg('<circle cx="5cm" cy="5cm" r="1cm"/>'), ["SvgSelector"]],
      ["an outline without shapes", svg("<text>x</text>"), ["SvgSelector"]],
    ])("that is %s", (_, selector, expected) => {
      expect(selected(selector)).toEqual(expected);
    });

    test.each<[string, string]>([
      ['<rect x="10" y="20" width="30" height="40"/>', "10,20,30,40"],
      ["<polygon points='10,20 40,20 40,60'/>", "10,20,30,40"],
      ['<polyline points="10 20 40 60"/>', "10,20,30,40"],
      ['<line x1="40" y1="20" x2="10" y2="60"/>', "10,20,30,40"],
      ['<circle cx="50" cy="50" r="10"/>', "40,40,20,20"],
      ['<ellipse cx="50" cy="50" rx="20" ry="10"/>', "30,40,40,20"],
      ['<path d="M10,20L40,20L40,60L10,60z"/>', "10,20,30,40"],
      ['<path d="m10 20 30 0 0 40h-30z"/>', "10,20,30,40"],
      ['<path d="M10,20h30v40H10Z m5,5 l1,1"/>', "10,20,30,40"],
      // A circle of two arcs, and one with its flags run together.
      ['<path d="M40,50a10,10 0 1,0 20,0a10,10 0 1,0 -20,0"/>', "40,40,20,20"],
      ['<path d="M40,50a10,10 0 1020,0a10,10 0 10-20,0"/>', "40,40,20,20"],
      // B(1/2) of a cubic curve is three quarters of the way to its control points.
      ['<path d="M0,0C0,40 40,40 40,0"/>', "0,0,40,30"],
      ['<path d="M0,40 Q20,0 40,40 T80,40"/>', "0,20,80,40"],
      ['<path d="M0,40 C0,0 40,0 40,40 S80,80 80,40"/>', "0,10,80,60"],
      ['<path d="M0,0 A10,10 0 0 1 20,0"/>', "0,0,20,1"],
      ['<g><rect x="10" y="20" width="5" height="5"/><circle cx="38" cy="58" r="2"/></g>', "10,20,30,40"],
      [
        '<!-- <rect x="0" y="0" width="900" height="900"/> --><rect x="1" y="2" width="3" height="4"/>',
        "1,2,3,4",
      ],
      ['<rect x="-10" y="-20" width="30" height="40"/>', "0,0,20,20"],
      ['<path d="M10,20L40,60 garbage 900,900"/>', "10,20,30,40"],
      ['<path d="M10.5,20.25L39.5,59.5"/>', "10,20,30,40"],
      ['<path d="M10,20V60"/>', "10,20,1,40"],
    ])("that is an outline of %s has the box %s", (shape, box) => {
      expect(selected(svg(shape))).toBe(box);
    });

    test("that is a transformed outline is reported as unread", () => {
      expect(selected(svg('<rect transform="rotate(45)" width="9" height="9"/>'))).toEqual(["SvgSelector"]);
    });

    test("of 64 KiB of anything is read or reported as unread, quickly", () => {
      const parts = [
        "<path",
        "<path d='",
        'd="',
        "M0,0",
        "a1,1 0 0 1 ",
        "9".repeat(50),
        "<!--",
        " ",
        "=",
        "<rect ",
        "x=",
        "-->",
        "z",
        "e",
        ".",
        "<svg:",
      ];
      const number = seeded(8);
      const texts = parts.map((part) => part.repeat(Math.floor(60_000 / part.length)));
      for (let n = 0; n < 100; n++)
        texts.push(Array.from({ length: 500 }, () => parts[number(parts.length)]).join(""));
      for (const value of texts) {
        const { targets } = readState({
          type: "SpecificResource",
          source: shown.id,
          selector: { type: "SvgSelector", value },
        });
        expect(targets[0].region ?? targets[0].unread).toBeDefined();
      }
    });
  });

  test("with a time after the address says that it is not read", () => {
    const { targets, problems } = readState({ ...canvas, id: `${shown.id}#t=5` });
    expect(targets[0]).toEqual({
      id: shown.id,
      type: "Canvas",
      manifestId: manifest.id,
      unread: ["fragment"],
    });
    expect(problems).toEqual([expect.stringContaining("fragment")]);
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
    test(`with ${what} is read, and the problem reported`, () => {
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
  test.each(refused.map((state) => [JSON.stringify(state), state]))("is refused if it is %s", (_, state) => {
    expect(() => readState(JSON.parse(JSON.stringify(state ?? null)))).toThrow(
      expect.objectContaining({ kind: "bad-request", code: "invalid_content_state" }),
    );
  });

  test("with members of any kind is read or refused, and never crashes", () => {
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

  test("that this service writes survives a round trip, with the ids of either version", () => {
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
  ])("cannot be %j", (text) => {
    expect(parseRegion(text)).toBeUndefined();
  });
});
