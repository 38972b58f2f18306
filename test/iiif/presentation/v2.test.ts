import { describe, expect, test } from "vitest";
import { authServices } from "../../../src/iiif/auth.ts";
import { collectionOf, manifestOf } from "../../../src/iiif/presentation/derive.ts";
import type { MemberFacts, Resource } from "../../../src/iiif/presentation/model.ts";
import { pieceAt } from "../../../src/iiif/presentation/pieces.ts";
import { version2 } from "../../../src/iiif/presentation/v2/document.ts";
import { expectValid, type Read } from "./checked.ts";
import { base, context, image, profile, unreadable } from "./facts.ts";
import { problemsOf2 } from "./rules-2.ts";

const root2 = `${base}/iiif/presentation/2`;
const root3 = `${base}/iiif/presentation/3`;

const derived = manifestOf(
  { id: "a/b c", label: "b c", canvases: [image("a/b c/1.jpg"), image("a/b c/2.jpg", 20, 10)], parent: "a" },
  context,
);

/** The derived manifest with more members, in 2.1. */
const written = (more: Resource): Read => expectValid({ ...derived, ...more });

describe("a derived manifest in 2.1", () => {
  const manifest = written({});

  test("has the addresses of 2.1, and one sequence of its canvases", () => {
    expect(manifest).toMatchObject({
      "@context": "http://iiif.io/api/presentation/2/context.json",
      "@id": `${root2}/a/b%20c`,
      "@type": "sc:Manifest",
      label: "b c",
      within: `${root2}/a`,
      sequences: [{ "@type": "sc:Sequence", canvases: [{}, {}] }],
    });
    expect(JSON.stringify(manifest)).not.toContain(root3);
  });

  test("shows each image by a painting annotation, over the image service of version 2", () => {
    const service = {
      "@context": "http://iiif.io/api/image/2/context.json",
      "@id": `${base}/iiif/2/a%2Fb%20c%2F2.jpg`,
      profile: "http://iiif.io/api/image/2/level2.json",
    };
    expect(manifest.sequences[0].canvases[1]).toEqual({
      "@id": `${root2}/a/b%20c/canvas/2`,
      "@type": "sc:Canvas",
      label: "2.jpg",
      height: 10,
      width: 20,
      thumbnail: {
        "@id": `${base}/iiif/3/a%2Fb%20c%2F2.jpg/full/max/0/default.jpg`,
        "@type": "dctypes:Image",
        format: "image/jpeg",
        width: 20,
        height: 10,
        service: { ...service, sizes: [{ width: 20, height: 10 }] },
      },
      images: [
        {
          "@id": `${root2}/a/b%20c/canvas/2/annotation`,
          "@type": "oa:Annotation",
          motivation: "sc:painting",
          on: `${root2}/a/b%20c/canvas/2`,
          resource: {
            "@id": `${base}/iiif/3/a%2Fb%20c%2F2.jpg/full/max/0/default.jpg`,
            "@type": "dctypes:Image",
            format: "image/jpeg",
            width: 20,
            height: 10,
            service,
          },
        },
      ],
    });
  });

  test("labels unlabelled resources with the ends of their ids, since 2.1 requires labels", () => {
    const [canvas] = derived.items as Read[];
    const { label: _, ...bare } = canvas;
    expect(written({ items: [bare] }).sequences[0].canvases[0].label).toBe("1");
  });

  test("keeps an empty canvas for an image that cannot be read", () => {
    const manifest = expectValid(
      manifestOf({ id: "x", label: "x", canvases: [unreadable("x/1.jpg")] }, context),
    );
    expect(manifest.sequences[0].canvases[0]).toMatchObject({
      description: {
        "@value": "Could not be read: This file is no image that we can read.",
        "@language": "en",
      },
      images: [],
    });
  });

  test("names the authorization services of 1.0 of a gated image, with their context", () => {
    const auth = authServices([profile], { base, identifier: "x", version: 3, strict: false });
    const facts = { id: "x", label: "x", canvases: [image("x", 30, 40, { auth, visible: false })] };
    const { service } = expectValid(manifestOf(facts, context)).sequences[0].canvases[0].images[0].resource;
    // The services are those of the older image information, except for the contexts inside.
    expect(service.service).toEqual(
      authServices([profile], { base, identifier: "x", version: 2, strict: false })[1],
    );
  });
});

describe("descriptive members in 2.1", () => {
  test("have texts with their languages, as a list if there are several", () => {
    const manifest = written({
      label: { en: ["Letters"], de: ["Briefe"] },
      summary: { none: ["One", "Two"] },
      metadata: [{ label: { en: ["Author"] }, value: { none: ["<b>Anna</b>"] } }],
      requiredStatement: { label: { en: ["Attribution"] }, value: { en: ["By us"] } },
    });
    expect(manifest).toMatchObject({
      label: [
        { "@value": "Letters", "@language": "en" },
        { "@value": "Briefe", "@language": "de" },
      ],
      description: ["One", "Two"],
      metadata: [{ label: { "@value": "Author", "@language": "en" }, value: "<b>Anna</b>" }],
      attribution: { "@value": "By us", "@language": "en" },
    });
  });

  test("have licence, logo, links and dates under the names of 2.1", () => {
    const manifest = written({
      rights: "http://creativecommons.org/licenses/by/4.0/",
      provider: [
        {
          id: "https://example.org/about",
          type: "Agent",
          label: { en: ["Us"] },
          logo: [{ id: "https://example.org/logo.png", type: "Image", format: "image/png" }],
        },
      ],
      homepage: [{ id: "https://example.org/a", type: "Text", label: { en: ["A"] }, format: "text/html" }],
      rendering: [
        { id: "https://example.org/a.pdf", type: "Text", label: { en: ["PDF"] }, format: "application/pdf" },
      ],
      seeAlso: [
        {
          id: "https://example.org/a.xml",
          type: "Dataset",
          format: "text/xml",
          profile: "https://example.org/p",
        },
        { id: "https://example.org/b.xml", type: "Dataset" },
      ],
      navDate: "1998-01-01T00:00:00Z",
    });
    expect(manifest).toMatchObject({
      license: "http://creativecommons.org/licenses/by/4.0/",
      logo: { "@id": "https://example.org/logo.png", format: "image/png" },
      related: { "@id": "https://example.org/a", format: "text/html", label: { "@value": "A" } },
      rendering: { "@id": "https://example.org/a.pdf", format: "application/pdf" },
      seeAlso: [
        { "@id": "https://example.org/a.xml", format: "text/xml", profile: "https://example.org/p" },
        { "@id": "https://example.org/b.xml" },
      ],
      navDate: "1998-01-01T00:00:00Z",
    });
    expect(manifest).not.toHaveProperty("provider");
  });

  test("have the behaviours that 2.1 knows as viewing hints, on the sequence too", () => {
    const manifest = written({ behavior: ["no-auto-advance", "paged"], viewingDirection: "right-to-left" });
    const hints = { viewingHint: "paged", viewingDirection: "right-to-left" };
    expect(manifest).toMatchObject(hints);
    expect(manifest.sequences[0]).toMatchObject(hints);
    expect(written({ behavior: ["unordered"] })).not.toHaveProperty("viewingHint");
  });

  test("names the canvas to begin with in the sequence", () => {
    const manifest = written({ start: { id: `${root3}/a/b%20c/canvas/2`, type: "Canvas" } });
    expect(manifest.sequences[0].startCanvas).toBe(`${root2}/a/b%20c/canvas/2`);
  });
});

describe("ranges in 2.1", () => {
  const canvas = (number: number) => ({ id: `${root3}/a/b%20c/canvas/${number}`, type: "Canvas" });
  const range = (number: number, items: readonly object[]) => ({
    id: `${root3}/a/b%20c/range/${number}`,
    type: "Range",
    label: { none: [String(number)] },
    items,
  });

  test("are a flat list, in which a single table of contents is the top one", () => {
    const part = {
      id: `${root3}/a/b%20c/range/9`,
      type: "SpecificResource",
      source: canvas(2).id,
      selector: { type: "FragmentSelector", value: "xywh=0,0,5,5" },
    };
    const tree = range(1, [range(2, [canvas(1)]), range(3, [range(4, [canvas(2)]), part])]);
    const { structures } = written({ structures: [tree] });
    const at = (number: number) => `${root2}/a/b%20c/range/${number}`;
    expect(structures).toEqual([
      { "@id": at(1), "@type": "sc:Range", label: "1", viewingHint: "top", ranges: [at(2), at(3)] },
      { "@id": at(2), "@type": "sc:Range", label: "2", canvases: [`${root2}/a/b%20c/canvas/1`] },
      {
        "@id": at(3),
        "@type": "sc:Range",
        label: "3",
        ranges: [at(4)],
        canvases: [`${root2}/a/b%20c/canvas/2#xywh=0,0,5,5`],
      },
      { "@id": at(4), "@type": "sc:Range", label: "4", canvases: [`${root2}/a/b%20c/canvas/2`] },
    ]);
  });

  test("have no top one if there are several, and other orders of the canvases are omitted", () => {
    const { structures } = written({
      structures: [
        range(1, [canvas(1)]),
        range(2, [canvas(2)]),
        { ...range(3, [canvas(2), canvas(1)]), behavior: ["sequence"] },
      ],
    });
    expect(structures.map((each: Read) => [each.label, each.viewingHint])).toEqual([
      ["1", undefined],
      ["2", undefined],
    ]);
  });
});

describe("a collection in 2.1", () => {
  const member = (kind: MemberFacts["kind"], id: string): MemberFacts => ({ kind, id, label: id });
  const of = (...members: MemberFacts[]) =>
    expectValid(collectionOf({ id: "", label: "All", members }, context));

  test("lists collections and manifests separately if all collections come first", () => {
    const collection = of(member("collection", "a"), member("collection", "b"), member("manifest", "c"));
    expect(collection).toMatchObject({
      "@id": root2,
      "@type": "sc:Collection",
      collections: [{ "@id": `${root2}/a`, "@type": "sc:Collection", label: "a" }, { "@id": `${root2}/b` }],
      manifests: [{ "@id": `${root2}/c`, "@type": "sc:Manifest", label: "c" }],
    });
    expect(collection).not.toHaveProperty("members");
  });

  test("keeps any other order in one list of members", () => {
    const { members } = of(member("manifest", "c"), member("collection", "a"), member("manifest", "d"));
    expect(members.map((each: Read) => each["@type"])).toEqual([
      "sc:Manifest",
      "sc:Collection",
      "sc:Manifest",
    ]);
  });
});

describe("content of stored documents in 2.1", () => {
  const canvas = (body: unknown, more: Resource = {}): Resource => ({
    "@context": "http://iiif.io/api/presentation/3/context.json",
    id: "https://example.org/c",
    type: "Canvas",
    label: { none: ["c"] },
    width: 10,
    height: 10,
    items: [
      {
        id: "https://example.org/p",
        type: "AnnotationPage",
        items: [
          {
            id: "https://example.org/a",
            type: "Annotation",
            motivation: "painting",
            body,
            target: "https://example.org/c#xywh=0,0,5,5",
          },
        ],
      },
    ],
    ...more,
  });
  const picture = (name: string) => ({
    id: `https://example.org/${name}.png`,
    type: "Image",
    format: "image/png",
  });
  const resourceOf = (body: unknown): Read => {
    const written: Read = version2(canvas(body), base);
    expect(problemsOf2(JSON.parse(JSON.stringify(written)))).toEqual([]);
    return written.images[0]?.resource;
  };

  test("is placed on its part of the canvas", () => {
    const written: Read = version2(canvas(picture("x")), base);
    expect(written.images[0].on).toBe("https://example.org/c#xywh=0,0,5,5");
  });

  test("may be a choice, or a part of an image", () => {
    expect(resourceOf({ type: "Choice", items: [picture("x"), picture("y")] })).toMatchObject({
      "@type": "oa:Choice",
      default: { "@id": "https://example.org/x.png" },
      item: [{ "@id": "https://example.org/y.png" }],
    });
    const selector = { type: "ImageApiSelector", region: "0,0,1,1" };
    expect(resourceOf({ type: "SpecificResource", source: picture("x"), selector })).toMatchObject({
      "@type": "oa:SpecificResource",
      full: { "@id": "https://example.org/x.png" },
      selector: { "@type": "iiif:ImageApiSelector", region: "0,0,1,1" },
    });
  });

  test("over a newer image service names that", () => {
    const service = [{ id: "https://example.org/x", type: "ImageService3", profile: "level1" }];
    expect(resourceOf({ ...picture("x"), service }).service).toEqual({
      "@context": "http://iiif.io/api/image/3/context.json",
      "@id": "https://example.org/x",
      profile: "http://iiif.io/api/image/3/level1.json",
    });
  });

  test("that is sound, film or text is not an image of the canvas; sound and film are links to their files", () => {
    const film = {
      id: "https://example.org/x.mp4",
      type: "Video",
      format: "video/mp4",
      label: { en: ["A film"] },
    };
    const sound = { id: "https://example.org/x.mp3", type: "Sound", format: "audio/mpeg" };
    expect(resourceOf(film)).toBeUndefined();
    expect(resourceOf({ type: "TextualBody", value: "x" })).toBeUndefined();
    const rendering = { id: "https://example.org/x.pdf", type: "Text", label: { none: ["PDF"] } };
    const written: Read = version2(
      canvas({ type: "Choice", items: [film, sound] }, { rendering: [rendering] }),
      base,
    );
    expect(written).toMatchObject({
      images: [],
      rendering: [
        { "@id": rendering.id, label: "PDF" },
        { "@id": film.id, format: "video/mp4", label: { "@value": "A film", "@language": "en" } },
        { "@id": sound.id, format: "audio/mpeg", label: "x.mp3" },
      ],
    });
  });

  test("of sound becomes its accompanying image, else its placeholder", () => {
    const id = "https://example.org/c";
    const silent = { id, type: "Canvas", duration: 5, items: [] };
    const beside = (name: string): Read => ({
      ...canvas(picture(name)),
      id: `https://example.org/${name}`,
      width: 30,
      height: 40,
    });
    const shown = (more: Resource): Read => version2({ ...silent, ...more }, base);
    const [cover, score] = [beside("cover"), beside("score")];
    for (const [more, name] of [
      [{ placeholderCanvas: cover }, "cover"],
      [{ placeholderCanvas: cover, accompanyingCanvas: score }, "score"],
    ] as const)
      expect(shown(more)).toMatchObject({
        "@id": id,
        width: 30,
        height: 40,
        images: [{ on: id, resource: { "@id": `https://example.org/${name}.png` } }],
      });
    // 2.1 requires a size of each canvas.
    expect(shown({})).toMatchObject({ width: 1000, height: 1000, images: [] });
    expect(problemsOf2(shown({}))).toEqual([]);
  });

  test("keeps a manifest of sound alone valid, with as many canvases as in 3.0", () => {
    const silent = { id: "https://example.org/c", type: "Canvas", duration: 5, items: [] };
    const { sequences } = written({ items: [silent] });
    expect(sequences[0].canvases).toHaveLength(1);
  });

  test("that annotates a canvas becomes a separate list, which the canvas names", () => {
    const note = {
      id: `${root3}/x/notes`,
      type: "AnnotationPage",
      items: [
        {
          id: `${root3}/x/notes/1`,
          type: "Annotation",
          motivation: "commenting",
          body: { type: "TextualBody", value: "Here", language: "en", format: "text/plain" },
          target: "https://example.org/c",
        },
      ],
    };
    const whole = canvas(picture("x"), { annotations: [note] });
    expect(version2(whole, base)).toMatchObject({
      otherContent: [{ "@id": `${root2}/x/notes`, "@type": "sc:AnnotationList" }],
    });
    const list: Read = version2(pieceAt(whole, note.id) as Resource, base);
    expect(problemsOf2(list)).toEqual([]);
    expect(list.resources[0]).toEqual({
      "@id": `${root2}/x/notes/1`,
      "@type": "oa:Annotation",
      motivation: "oa:commenting",
      resource: { "@type": "cnt:ContentAsText", chars: "Here", format: "text/plain", language: "en" },
      on: "https://example.org/c",
    });
  });

  test("with an outline is placed as 2.1 writes those, and for a point on its pixel", () => {
    const on = (selector: unknown): Read => {
      const target = { type: "SpecificResource", source: "https://example.org/c", selector };
      const body = { type: "TextualBody", value: "Here" };
      const annotation: Read = version2(
        { id: "https://example.org/a", type: "Annotation", motivation: "commenting", body, target },
        base,
      );
      if (annotation) expect(problemsOf2(JSON.parse(JSON.stringify(annotation)))).toEqual([]);
      return annotation?.on;
    };
    const svg = { type: "SvgSelector", value: "<svg><path d='M0,0h5v5z'/></svg>" };
    expect(on([svg])).toEqual({
      "@type": "oa:SpecificResource",
      full: "https://example.org/c",
      selector: { "@type": ["oa:SvgSelector", "cnt:ContentAsText"], chars: svg.value },
    });
    expect(on({ type: "PointSelector", x: 12.4, y: 7 })).toBe("https://example.org/c#xywh=12,7,1,1");
    expect(on({ type: "PointSelector", t: 3 })).toBeUndefined();
    expect(on({ type: "SvgSelector", value: 7 })).toMatchObject({ selector: { chars: "" } });
  });

  test("of a collection of pages is a layer, whose lists follow each other", () => {
    const at = (name: string) => `${root3}/x/${name}`;
    const layer = version2(
      {
        id: at("all"),
        type: "AnnotationCollection",
        label: { en: ["All notes"] },
        total: 8,
        first: at("1"),
        last: { id: at("2"), type: "AnnotationPage" },
      },
      base,
    );
    expect(layer).toEqual({
      "@context": "http://iiif.io/api/presentation/2/context.json",
      "@id": `${root2}/x/all`,
      "@type": "sc:Layer",
      label: { "@value": "All notes", "@language": "en" },
      total: 8,
      first: `${root2}/x/1`,
      last: `${root2}/x/2`,
    });
    expect(problemsOf2(layer)).toEqual([]);
    const partOf = [{ id: at("all"), type: "AnnotationCollection" }];
    const list = version2(
      { id: at("1"), type: "AnnotationPage", partOf, next: at("2"), startIndex: 0, items: [] },
      base,
    );
    expect(list).toMatchObject({ within: `${root2}/x/all`, next: `${root2}/x/2`, startIndex: 0 });
    expect(problemsOf2(list)).toEqual([]);
  });

  test.each<[string, Resource]>([
    ["an unknown type", { type: "Sausage" }],
    ["no type", {}],
  ])("of %s is not a document", (_, document) => expect(version2(document, base)).toBeUndefined());

  test("of wrong shapes is omitted without a failure", () => {
    for (const wrong of [
      null,
      7,
      "x",
      [null, [], 7],
      { items: null },
      [{ type: "Canvas", width: 1, height: 1 }],
    ])
      for (const type of [
        "Manifest",
        "Collection",
        "Canvas",
        "Range",
        "AnnotationPage",
        "AnnotationCollection",
        "Annotation",
      ])
        for (const member of [
          "items",
          "label",
          "metadata",
          "service",
          "thumbnail",
          "structures",
          "start",
          "body",
          "target",
          "provider",
          "accompanyingCanvas",
          "first",
          "partOf",
        ])
          expect(() => version2({ type, id: "https://example.org/x", [member]: wrong }, base)).not.toThrow();
  });
});
