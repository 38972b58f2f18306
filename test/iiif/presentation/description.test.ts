import { readFileSync } from "node:fs";
import { describe, expect, test } from "vitest";
import { parse } from "yaml";
import { readDescription } from "../../../src/iiif/presentation/description/description.ts";

/** Returns the members that a description of a manifest results in; it must be valid. */
function members(value: unknown, kind: "manifest" | "collection" = "manifest") {
  const { description, faults } = readDescription(value, kind);
  expect(faults).toEqual([]);
  return description.members;
}

/** Returns the faults, each as its path and message. */
const faults = (value: unknown, kind: "manifest" | "collection" = "manifest") =>
  readDescription(value, kind).faults.map(({ path, message }) => `${path.join(".")}: ${message}`);

describe("texts of a description", () => {
  test.each<[unknown, unknown]>([
    ["Letters", { none: ["Letters"] }],
    [1998, { none: ["1998"] }],
    [["A", "B"], { none: ["A", "B"] }],
    [
      { en: "Letters", "de-CH": ["Briefe", "Post"] },
      { en: ["Letters"], "de-CH": ["Briefe", "Post"] },
    ],
    [{ none: "x" }, { none: ["x"] }],
  ])("may be %j", (label, map) => expect(members({ label })).toEqual({ label: map }));

  test.each<[unknown, string]>([
    [[], "label: expected text or a list of texts, received an empty list"],
    [{}, "label: expected text, or texts by language such as en: …, received keys and values"],
    [null, "label: expected text, or texts by language such as en: …, received nothing"],
    [{ english: "x" }, "label.english: expected a language such as en or de-CH, or none"],
    [{ en: { a: 1 } }, "label.en: expected text or a list of texts, received keys and values"],
  ])("may not be %j", (label, fault) => expect(faults({ label })).toEqual([fault]));
});

describe("metadata of a description", () => {
  const pair = (label: unknown, value: unknown) => ({ label, value });

  test.each<[string, unknown]>([
    ["keys and values", { Author: "Anna", Year: 1998 }],
    ["a list of them", [{ Author: "Anna" }, { Year: 1998 }]],
    ["a list of label and value", [pair("Author", "Anna"), pair("Year", 1998)]],
    [
      "that of 3.0",
      [pair({ none: ["Author"] }, { none: ["Anna"] }), pair({ none: ["Year"] }, { none: ["1998"] })],
    ],
  ])("may be %s", (_, metadata) =>
    expect(members({ metadata })).toEqual({
      metadata: [
        pair({ none: ["Author"] }, { none: ["Anna"] }),
        pair({ none: ["Year"] }, { none: ["1998"] }),
      ],
    }),
  );

  test("has languages on either side", () => {
    const metadata = [{ label: { en: "Author", de: "Autorin" }, value: { en: ["Anna", "Berta"] } }];
    expect(members({ metadata })).toEqual({
      metadata: [pair({ en: ["Author"], de: ["Autorin"] }, { en: ["Anna", "Berta"] })],
    });
  });

  test("names the place of a fault in it", () => {
    expect(faults({ metadata: [{ Author: "Anna" }, "x", { Year: null }] })).toEqual([
      'metadata.1: expected Label: value, or label: and value:, received "x"',
      "metadata.2.Year: expected text, or texts by language such as en: …, received nothing",
    ]);
  });
});

test("a required statement is a text, or has a label", () => {
  const value = { none: ["By us"] };
  expect(members({ requiredStatement: "By us" })).toEqual({
    requiredStatement: { label: { en: ["Attribution"] }, value },
  });
  expect(members({ requiredStatement: { Source: "By us" } })).toEqual({
    requiredStatement: { label: { none: ["Source"] }, value },
  });
  expect(faults({ requiredStatement: { A: "x", B: "y" } })).toHaveLength(1);
});

describe("rights of a description", () => {
  test.each([
    ["CC BY 4.0", "http://creativecommons.org/licenses/by/4.0/"],
    ["cc-by-nc-sa-3.0", "http://creativecommons.org/licenses/by-nc-sa/3.0/"],
    ["CC0", "http://creativecommons.org/publicdomain/zero/1.0/"],
    ["InC", "http://rightsstatements.org/vocab/InC/1.0/"],
    ["noc-us", "http://rightsstatements.org/vocab/NoC-US/1.0/"],
    ["https://creativecommons.org/licenses/by/4.0/", "http://creativecommons.org/licenses/by/4.0/"],
    ["https://rightsstatements.org/page/InC/1.0/", "http://rightsstatements.org/vocab/InC/1.0/"],
  ])("%s is %s", (rights, address) => expect(members({ rights })).toEqual({ rights: address }));

  test("cannot be other words, which belong in other fields", () => {
    expect(faults({ rights: "All rights reserved" })[0]).toMatch(
      /^rights: .*requiredStatement.*received "All rights reserved"$/,
    );
  });
});

describe("navDate of a description", () => {
  test.each([
    [1998, "1998-01-01T00:00:00Z"],
    ["0800", "0800-01-01T00:00:00Z"],
    ["1998-05", "1998-05-01T00:00:00Z"],
    ["1998-05-17", "1998-05-17T00:00:00Z"],
    ["1998-05-17T12:30", "1998-05-17T12:30:00Z"],
    ["1998-05-17T12:30:00+01:00", "1998-05-17T12:30:00+01:00"],
  ])("%s is %s", (navDate, moment) => expect(members({ navDate })).toEqual({ navDate: moment }));

  test.each(["yesterday", "1998-13", "1999-02-29", "98", true])("is not %s", (navDate) =>
    expect(faults({ navDate })).toHaveLength(1),
  );
});

describe("links of a description", () => {
  test("are addresses, whose endings indicate their types", () => {
    expect(
      members({
        homepage: "https://example.org/item/1",
        rendering: "https://example.org/files/book.pdf?x=1",
        seeAlso: ["https://example.org/mods.xml", { id: "https://example.org/b", format: "text/turtle" }],
      }),
    ).toEqual({
      homepage: [
        {
          id: "https://example.org/item/1",
          type: "Text",
          format: "text/html",
          label: { none: ["example.org"] },
        },
      ],
      rendering: [
        {
          id: "https://example.org/files/book.pdf?x=1",
          type: "Text",
          format: "application/pdf",
          label: { none: ["book.pdf"] },
        },
      ],
      seeAlso: [
        { id: "https://example.org/mods.xml", type: "Dataset", format: "application/xml" },
        { id: "https://example.org/b", type: "Dataset", format: "text/turtle" },
      ],
    });
  });

  test.each<[unknown, string]>([
    [
      "item/1",
      'homepage: expected an address with https://, or a path of this service with /, received "item/1"',
    ],
    [
      "javascript:alert(1)",
      'homepage: expected an address with https://, or a path of this service with /, received "javascript:alert(1)"',
    ],
    [
      "//example.org",
      'homepage: expected an address with https://, or a path of this service with /, received "//example.org"',
    ],
    [{ label: "x" }, "homepage: expected an id: its address"],
    [{ id: "https://example.org", lable: "x" }, 'homepage.lable: unknown key; did you mean "label"?'],
  ])("may not be %j", (homepage, fault) => expect(faults({ homepage })).toEqual([fault]));

  test("of a provider are its homepage and logo, and its id is the homepage unless it has one", () => {
    const homepage = [
      { id: "https://example.org/", type: "Text", format: "text/html", label: { none: ["example.org"] } },
    ];
    expect(
      members({
        provider: { label: "Us", homepage: "https://example.org/", logo: "https://example.org/l.png" },
      }),
    ).toEqual({
      provider: [
        {
          id: "https://example.org/",
          type: "Agent",
          label: { none: ["Us"] },
          homepage,
          logo: [{ id: "https://example.org/l.png", type: "Image", format: "image/png" }],
        },
      ],
    });
    expect(faults({ provider: { label: "Us" } })).toEqual([
      "provider: expected an id or a homepage: an address that identifies the provider",
    ]);
  });
});

describe("keys of a description", () => {
  test("that are unknown are reported with the nearest known one", () => {
    expect(faults({ lable: "x" })).toEqual(['lable: unknown key; did you mean "label"?']);
    expect(faults({ requiredstatement: "x" })).toEqual([
      'requiredstatement: unknown key; did you mean "requiredStatement"?',
    ]);
    expect(faults({ zzz: 1 })[0]).toMatch(/^zzz: unknown key; known ones: label, summary, /);
    expect(faults({ canvases: { "1.jpg": { hid: true } } })).toEqual([
      'canvases.1.jpg.hid: unknown key; did you mean "hide"?',
    ]);
  });

  test("of manifests and of collections differ", () => {
    expect(faults({ canvases: {} })).toEqual([]);
    expect(faults({ canvases: {} }, "collection")).toHaveLength(1);
    expect(faults({ images: { label: "x" } }, "collection")).toEqual([]);
    expect(faults({ images: { lable: "x" } }, "collection")).toEqual([
      'images.lable: unknown key; did you mean "label"?',
    ]);
  });

  test("that are wrong affect nothing else", () => {
    const { description } = readDescription({ label: "A", navDate: "x", zzz: 1, summary: "B" }, "manifest");
    expect(description.members).toEqual({ label: { none: ["A"] }, summary: { none: ["B"] } });
  });

  test.each([["text"], [7], [[]], [true]])("do not exist in %j", (value) =>
    expect(faults(value)[0]).toMatch(/^: expected keys and values, received/),
  );

  test.each([[null], [undefined], [{}]])("there need not be any: %j", (value) =>
    expect(members(value)).toEqual({}),
  );
});

describe("behaviours of a description", () => {
  test("are those of the type", () => {
    expect(members({ behavior: "paged" })).toEqual({ behavior: ["paged"] });
    expect(members({ behavior: ["multi-part"] }, "collection")).toEqual({ behavior: ["multi-part"] });
    expect(faults({ behavior: "multi-part" })).toEqual([
      "behavior: multi-part is for Collection, not for a Manifest",
    ]);
    expect(faults({ behavior: ["page"] })).toEqual(['behavior.0: unknown behavior; did you mean "paged"?']);
    expect(faults({ behavior: ["paged", "individuals"] })).toEqual([
      "behavior: individuals and paged exclude each other; expected one of them",
    ]);
  });

  test("can be combined with one of four directions", () => {
    expect(members({ viewingDirection: "right-to-left" })).toEqual({ viewingDirection: "right-to-left" });
    expect(faults({ viewingDirection: "rtl" })).toEqual([
      'viewingDirection: expected left-to-right, right-to-left, top-to-bottom or bottom-to-top, received "rtl"',
    ]);
  });
});

describe("ranges of a description", () => {
  test.each<[unknown, string]>([
    [{ items: ["a"] }, "structures: expected a label"],
    [{ label: "x" }, "structures: expected items: names of images, or from: and to:"],
    [{ label: "x", from: "a" }, "structures: expected both from: and to:, received one of them"],
    [
      [{ label: "x", items: [null] }],
      "structures.0.items.0: expected the name of an image, or a range with label and items, received nothing",
    ],
  ])("may not be %j", (structures, fault) => expect(faults({ structures })).toContain(fault));
});

test("nothing that can be written makes the reading fail", () => {
  const keys =
    "label summary metadata requiredStatement rights provider behavior navDate homepage rendering seeAlso thumbnail service partOf annotations placeholderCanvas services viewingDirection order extra start structures canvases items images".split(
      " ",
    );
  const values = [
    null,
    0,
    1.5,
    "",
    "x",
    true,
    [],
    [[]],
    {},
    [null],
    [{}],
    { a: null },
    { a: { b: [1] } },
    { id: 1 },
    [{ id: "x" }],
    { label: { label: 1 }, value: [] },
    { __proto__: null, x: 1 },
  ];
  for (const kind of ["manifest", "collection"] as const)
    for (const key of keys)
      for (const value of values) expect(() => readDescription({ [key]: value }, kind)).not.toThrow();
});

test("the examples of the documentation have no faults", () => {
  const page = readFileSync(new URL("../../../docs/concepts/presentation.md", import.meta.url), "utf8");
  const examples = [...page.matchAll(/^```yaml\n([\s\S]*?)^```$/gm)].map(([, yaml = ""]) => parse(yaml));
  const described = examples.filter((value) => "canvases" in value || "items" in value);
  expect(described).toHaveLength(3);
  for (const value of described)
    expect(faults(value, "canvases" in value ? "manifest" : "collection")).toEqual([]);
});
