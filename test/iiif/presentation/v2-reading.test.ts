// Documents of 2.1 that others wrote, in 3.0: by the rules of 3.0, and compared with what another reader
// makes of them.

import { convertPresentation2 } from "@iiif/parser/presentation-2";
import { describe, expect, test } from "vitest";
import { manifestOf } from "../../../src/iiif/presentation/derive.ts";
import { readStored, storedDocuments } from "../../../src/iiif/presentation/stored.ts";
import { version2 } from "../../../src/iiif/presentation/v2/document.ts";
import type { Read } from "./checked.ts";
import { base, context, image } from "./facts.ts";
import { problemsOf3 } from "./rules-3.ts";

const at = (path: string) => `https://old.example.org/${path}`;
const served = (document: Read, id = "x"): Read => {
  const made = storedDocuments(readStored(document), id, base);
  const document3 = JSON.parse(JSON.stringify(made.document));
  expect(problemsOf3(document3)).toEqual([]);
  return { ...made, document: document3 };
};

const canvas = (number: number, more: object = {}, on = at(`c${number}`)) => ({
  "@id": at(`c${number}`),
  "@type": "sc:Canvas",
  label: `f. ${number}`,
  width: 200,
  height: 100,
  images: [
    {
      "@type": "oa:Annotation",
      motivation: "sc:painting",
      on,
      resource: {
        "@id": at(`${number}.jpg`),
        "@type": "dctypes:Image",
        format: "image/jpeg",
        width: 200,
        height: 100,
        service: {
          "@context": "http://iiif.io/api/image/2/context.json",
          "@id": at(`iiif/${number}`),
          profile: ["http://iiif.io/api/image/2/level2.json", { formats: ["png"] }],
        },
      },
    },
  ],
  ...more,
});

const manifest = (more: object = {}, ...canvases: object[]) => ({
  "@context": "http://iiif.io/api/presentation/2/context.json",
  "@id": at("manifest"),
  "@type": "sc:Manifest",
  label: "A book",
  sequences: [
    { "@type": "sc:Sequence", canvases: canvases.length > 0 ? canvases : [canvas(1), canvas(2), canvas(3)] },
  ],
  ...more,
});

describe("a stored manifest of 2.1", () => {
  test("has its canvases and images in 3.0, at the address where it is served", () => {
    const { document } = served(manifest());
    expect(document).toMatchObject({
      "@context": "http://iiif.io/api/presentation/3/context.json",
      id: `${base}/iiif/presentation/3/x`,
      type: "Manifest",
      label: { none: ["A book"] },
    });
    expect(document.items[0]).toEqual({
      id: at("c1"),
      type: "Canvas",
      label: { none: ["f. 1"] },
      width: 200,
      height: 100,
      items: [
        {
          id: `${base}/iiif/presentation/3/x/canvas/1/page`,
          type: "AnnotationPage",
          items: [
            {
              id: `${base}/iiif/presentation/3/x/canvas/1/annotation`,
              type: "Annotation",
              motivation: "painting",
              target: at("c1"),
              body: {
                id: at("1.jpg"),
                type: "Image",
                format: "image/jpeg",
                width: 200,
                height: 100,
                service: [
                  {
                    "@id": at("iiif/1"),
                    "@type": "ImageService2",
                    profile: "http://iiif.io/api/image/2/level2.json",
                  },
                ],
              },
            },
          ],
        },
      ],
    });
  });

  test("is served in 2.1 as written, with its own address and absolute ids", () => {
    const own = manifest(
      { within: "/iiif/presentation/2/top", related: at("manifest") },
      canvas(
        1,
        { "@id": "canvas/1", otherContent: [{ "@id": "notes", "@type": "sc:AnnotationList" }] },
        "canvas/1",
      ),
    );
    const { document, document2 } = served(own, "a/b");
    expect(document2).toEqual({
      ...own,
      "@id": `${base}/iiif/presentation/2/a/b`,
      within: `${base}/iiif/presentation/2/top`,
      related: `${base}/iiif/presentation/2/a/b`,
      sequences: [
        {
          "@type": "sc:Sequence",
          canvases: [
            canvas(
              1,
              {
                "@id": `${base}/iiif/presentation/2/a/b/canvas/1`,
                otherContent: [
                  { "@id": `${base}/iiif/presentation/2/a/b/notes`, "@type": "sc:AnnotationList" },
                ],
              },
              `${base}/iiif/presentation/2/a/b/canvas/1`,
            ),
          ],
        },
      ],
    });
    expect(Object.keys(document2)[0]).toBe("@context");
    expect(document.items[0].id).toBe(`${base}/iiif/presentation/3/a/b/canvas/1`);
    expect(document.items[0].annotations).toEqual([
      { id: `${base}/iiif/presentation/3/a/b/notes`, type: "AnnotationPage" },
    ]);
  });

  test("has texts, licence, links and dates under the names of 3.0", () => {
    const { document } = served(
      manifest({
        label: [
          { "@value": "A book", "@language": "en" },
          { "@value": "Ein Buch", "@language": "de" },
        ],
        description: ["One", "Two"],
        metadata: [
          { label: "Author", value: ["Anna", { "@value": "Anne", "@language": "fr" }] },
          { label: "Empty", value: "" },
          { label: "Nothing" },
        ],
        license: ["https://example.org/terms", "https://creativecommons.org/licenses/by/4.0/"],
        attribution: "A library",
        logo: at("logo.png"),
        thumbnail: { "@id": at("t.jpg"), width: "90", height: 60 },
        viewingHint: "paged",
        viewingDirection: "right-to-left",
        navDate: "1998-01-01T00:00:00Z",
        within: { "@id": at("top"), "@type": "sc:Collection", label: "Top" },
        related: [
          { "@id": at("page.html"), format: "text/html", label: "About it" },
          { "@id": at("film.mp4"), format: "video/mp4", label: "A film" },
        ],
        rendering: { "@id": at("x.pdf"), format: "application/pdf", label: "PDF" },
        seeAlso: at("mods.xml"),
        service: {
          "@context": "http://iiif.io/api/search/1/context.json",
          "@id": at("search"),
          profile: "http://iiif.io/api/search/1/search",
        },
      }),
    );
    expect(document).toMatchObject({
      label: { en: ["A book"], de: ["Ein Buch"] },
      summary: { none: ["One", "Two"] },
      metadata: [
        { label: { none: ["Author"] }, value: { none: ["Anna"], fr: ["Anne"] } },
        { label: { none: ["Empty"] }, value: { none: [""] } },
        { label: { en: ["License"] }, value: { none: ["https://example.org/terms"] } },
      ],
      rights: "http://creativecommons.org/licenses/by/4.0/",
      requiredStatement: { label: { en: ["Attribution"] }, value: { none: ["A library"] } },
      provider: [
        { type: "Agent", label: { none: ["A library"] }, logo: [{ id: at("logo.png"), type: "Image" }] },
      ],
      thumbnail: [{ id: at("t.jpg"), type: "Image", width: 90, height: 60 }],
      behavior: ["paged"],
      viewingDirection: "right-to-left",
      navDate: "1998-01-01T00:00:00Z",
      partOf: [{ id: at("top"), type: "Collection", label: { none: ["Top"] } }],
      homepage: [{ id: at("page.html"), type: "Text", format: "text/html", label: { none: ["About it"] } }],
      rendering: [
        { id: at("x.pdf"), type: "Text", format: "application/pdf" },
        { id: at("film.mp4"), type: "Video", format: "video/mp4" },
      ],
      seeAlso: [{ id: at("mods.xml"), type: "Dataset" }],
      service: [{ "@id": at("search"), "@type": "SearchService1" }],
    });
  });

  test("has the members of its sequence, and additional sequences as other orders", () => {
    const [canvases] = manifest().sequences.map((each) => each.canvases);
    const { document } = served(
      manifest({
        sequences: [
          {
            "@type": "sc:Sequence",
            viewingHint: "paged",
            viewingDirection: "right-to-left",
            startCanvas: at("c2"),
            rendering: { "@id": at("x.pdf"), label: "PDF" },
            canvases,
          },
          { "@id": at("s2"), "@type": "sc:Sequence", label: "As meant", canvases: [at("c3"), at("c1")] },
        ],
      }),
    );
    expect(document).toMatchObject({
      behavior: ["paged"],
      viewingDirection: "right-to-left",
      start: { id: at("c2"), type: "Canvas" },
      rendering: [{ id: at("x.pdf") }],
      structures: [
        {
          id: at("s2"),
          behavior: ["sequence"],
          label: { none: ["As meant"] },
          items: [
            { id: at("c3"), type: "Canvas" },
            { id: at("c1"), type: "Canvas" },
          ],
        },
      ],
    });
  });

  describe("has the tree of its ranges", () => {
    const range = (name: string, more: object = {}) => ({
      "@id": at(name),
      "@type": "sc:Range",
      label: name,
      ...more,
    });
    /** Returns ranges by their names, with their contents. */
    const tree = (structures: object[]) => {
      const { document } = served(manifest({ structures }));
      const nameOf = ({ id, source, selector }: Read) =>
        id === undefined ? `${source.id}#${selector.value}` : id;
      const read = (item: Read): Read =>
        item.type === "Range" && item.items
          ? { [nameOf(item).slice(24)]: item.items.map(read) }
          : nameOf(item).slice(24);
      return document.structures.map(read);
    };
    const expected = [{ r0: [{ r1: ["c1", { r2: ["c2#xywh=0,0,5,5"] }] }, { r3: ["c3"] }] }];

    test("if the ranges name those inside", () =>
      expect(
        tree([
          range("r0", { viewingHint: "top", ranges: [at("r1"), at("r3")] }),
          range("r1", { canvases: [at("c1")], ranges: [at("r2")] }),
          range("r2", { canvases: [at("c2#xywh=0,0,5,5")] }),
          range("r3", { canvases: [at("c3")] }),
        ]),
      ).toEqual(expected));

    test("if they name the range around", () =>
      expect(
        tree([
          range("r0"),
          range("r1", { within: at("r0"), canvases: [at("c1")] }),
          range("r2", { within: at("r1"), canvases: [at("c2#xywh=0,0,5,5")] }),
          range("r3", { within: at("r0"), canvases: [at("c3")] }),
        ]),
      ).toEqual(expected));

    test("if they have members", () =>
      expect(
        tree([
          range("r0", { members: [range("r1"), range("r3")] }),
          range("r1", { members: [{ "@id": at("c1"), "@type": "sc:Canvas", label: "x" }, range("r2")] }),
          range("r2", { members: [{ "@id": at("c2#xywh=0,0,5,5"), "@type": "sc:Canvas", label: "x" }] }),
          range("r3", { canvases: [at("c3")] }),
        ]),
      ).toEqual(expected));

    test("if they name each other in a circle, each once", () =>
      expect(
        tree([
          range("r1", { ranges: [at("r2")], canvases: [at("c1")] }),
          range("r2", { ranges: [at("r1")], canvases: [at("c2")] }),
        ]),
      ).toEqual([{ r1: ["c1", { r2: ["c2"] }] }]));

    test("however many there are, one inside of the other", () => {
      const many = Array.from({ length: 20_000 }, (_, n) =>
        range(`r${n}`, { ranges: [at(`r${n + 1}`)], canvases: [at("c1")] }),
      );
      const { document } = storedDocuments(readStored(manifest({ structures: many }) as Read), "x", base);
      expect(JSON.stringify(document).match(/"type":"Range","label"/g)).toHaveLength(20_000);
    });
  });

  test("has its choices, parts of images and text on canvases, and its annotations", () => {
    const resource = (name: string) => ({ "@id": at(name), "@type": "dctypes:Image", format: "image/jpeg" });
    const { document } = served(
      manifest(
        {},
        canvas(1, {
          images: [
            {
              "@id": at("a1"),
              motivation: "sc:painting",
              on: at("c1#xywh=0,0,5,5"),
              resource: {
                "@type": "oa:Choice",
                default: resource("1.jpg"),
                item: [resource("2.jpg"), "rdf:nil"],
              },
            },
            {
              motivation: "sc:painting",
              on: at("c1"),
              resource: {
                "@type": "oa:SpecificResource",
                full: resource("3.jpg"),
                selector: { "@type": "iiif:ImageApiSelector", region: "0,0,1,1" },
              },
            },
          ],
          otherContent: [
            {
              "@id": at("notes"),
              "@type": "sc:AnnotationList",
              resources: [
                {
                  "@type": "oa:Annotation",
                  motivation: ["oa:commenting", "oa:tagging"],
                  resource: [
                    { "@type": "dctypes:Text", chars: "<p>Here</p>", format: "text/html", language: "en" },
                    { "@type": "oa:Tag", chars: "map" },
                  ],
                  on: {
                    "@type": "oa:SpecificResource",
                    full: at("c1"),
                    within: { "@id": at("manifest"), "@type": "sc:Manifest" },
                    selector: {
                      "@type": "oa:Choice",
                      default: { "@type": "oa:FragmentSelector", value: "xywh=1,2,3,4" },
                      item: { "@type": ["oa:SvgSelector", "cnt:ContentAsText"], chars: "<svg/>" },
                    },
                  },
                },
                {
                  motivation: "sc:painting",
                  resource: { "@type": "cnt:ContentAsText", chars: "A line" },
                  on: at("c1"),
                },
              ],
            },
          ],
        }),
      ),
    );
    const [page] = document.items[0].items;
    expect(page.items).toMatchObject([
      {
        id: at("a1"),
        target: at("c1#xywh=0,0,5,5"),
        body: { type: "Choice", items: [{ id: at("1.jpg") }, { id: at("2.jpg") }] },
      },
      {
        body: {
          type: "SpecificResource",
          source: { id: at("3.jpg"), type: "Image" },
          selector: { type: "ImageApiSelector", region: "0,0,1,1" },
        },
      },
    ]);
    const [notes] = document.items[0].annotations;
    expect(notes).toMatchObject({
      id: at("notes"),
      type: "AnnotationPage",
      items: [
        {
          motivation: ["commenting", "tagging"],
          body: [
            { type: "TextualBody", value: "<p>Here</p>", format: "text/html", language: "en" },
            { type: "TextualBody", value: "map", purpose: "tagging" },
          ],
          target: {
            type: "SpecificResource",
            source: { id: at("c1"), type: "Canvas", partOf: [{ id: `${base}/iiif/presentation/3/x` }] },
            selector: [
              { type: "FragmentSelector", value: "xywh=1,2,3,4" },
              { type: "SvgSelector", value: "<svg/>" },
            ],
          },
        },
        { motivation: "supplementing", body: { type: "TextualBody", value: "A line" }, target: at("c1") },
      ],
    });
    const ids = [...page.items, ...notes.items].map(({ id }: Read) => id);
    expect(new Set(ids).size).toBe(4);
  });

  test("that this service wrote has the same structure after a round trip, as another reader sees it", () => {
    const derived: Read = manifestOf(
      { id: "x", label: "x", canvases: [image("1.jpg"), image("2.jpg", 20, 10)], parent: "" },
      context,
    );
    const written: Read = JSON.parse(JSON.stringify(version2(derived, base)));
    const { document } = served(written);
    const others: Read = convertPresentation2(structuredClone(written));
    const outline = ({ label, items }: Read) => [
      label,
      items.map(({ id, width, height, label, items: [{ items }] }: Read) => [
        id,
        width,
        height,
        label,
        items.map(({ id, body, target }: Read) => [id, [body].flat()[0].id, target?.id ?? target]),
      ]),
    ];
    expect(JSON.stringify(document)).not.toContain("/iiif/presentation/2");
    expect(outline(document)).toEqual(
      JSON.parse(
        JSON.stringify(outline(others)).replaceAll("/iiif/presentation/2/", "/iiif/presentation/3/"),
      ),
    );
    expect(document.items).toHaveLength(2);
  });
});

describe("a stored collection of 2.1", () => {
  test("lists the same members, in any of its forms", () => {
    const { document } = served({
      "@type": "sc:Collection",
      label: "Top",
      collections: [
        {
          "@id": at("c"),
          "@type": "sc:Collection",
          label: "Inner",
          manifests: [{ "@id": at("m0"), "@type": "sc:Manifest", label: "0" }],
        },
      ],
      manifests: [
        {
          "@id": at("m1"),
          "@type": "sc:Manifest",
          label: "One",
          navDate: "1998-01-01T00:00:00Z",
          thumbnail: at("t.jpg"),
        },
      ],
      members: [{ "@id": at("m2"), "@type": "sc:Manifest", label: "Two" }, at("m3"), {}],
    });
    expect(document.items).toEqual([
      {
        id: at("c"),
        type: "Collection",
        label: { none: ["Inner"] },
        items: [{ id: at("m0"), type: "Manifest", label: { none: ["0"] } }],
      },
      {
        id: at("m1"),
        type: "Manifest",
        label: { none: ["One"] },
        navDate: "1998-01-01T00:00:00Z",
        thumbnail: [{ id: at("t.jpg"), type: "Image" }],
      },
      { id: at("m2"), type: "Manifest", label: { none: ["Two"] } },
      { id: at("m3"), type: "Manifest", label: { none: [at("m3")] } },
    ]);
  });
});

describe("a stored list of annotations of 2.1", () => {
  test("is a page of 3.0", () => {
    const { document, document2 } = served({
      "@context": "http://iiif.io/api/presentation/2/context.json",
      "@id": at("list"),
      "@type": "sc:AnnotationList",
      within: { "@id": at("layer"), "@type": "sc:Layer", label: "All" },
      next: at("list2"),
      resources: [
        {
          "@type": "oa:Annotation",
          motivation: "oa:commenting",
          resource: { "@type": "cnt:ContentAsText", chars: "x" },
          on: at("c1"),
        },
      ],
    });
    expect(document).toMatchObject({
      id: `${base}/iiif/presentation/3/x`,
      type: "AnnotationPage",
      partOf: [{ id: at("layer"), type: "AnnotationCollection" }],
      next: at("list2"),
      items: [{ id: `${base}/iiif/presentation/3/x#1`, motivation: "commenting", target: at("c1") }],
    });
    expect(document2["@id"]).toBe(`${base}/iiif/presentation/2/x`);
  });
});
