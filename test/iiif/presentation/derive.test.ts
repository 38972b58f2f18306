import { describe, expect, test } from "vitest";
import { authServices } from "../../../src/iiif/auth.ts";
import type { Limits } from "../../../src/iiif/image/size.ts";
import {
  collectionOf,
  manifestOf,
  membersPerPart,
  partOfCollection,
  partRange,
} from "../../../src/iiif/presentation/derive.ts";
import type { MemberFacts } from "../../../src/iiif/presentation/model.ts";
import { pieceAt } from "../../../src/iiif/presentation/pieces.ts";
import { version2 } from "../../../src/iiif/presentation/v2/document.ts";
import { expectValid, type Read } from "./checked.ts";
import { base, context, image, profile, unreadable } from "./facts.ts";

const root = `${base}/iiif/presentation/3`;

const noLimits: Limits = { maxWidth: 0, maxHeight: 0, maxArea: 0 };

const gated = (identifier: string, visible: boolean) =>
  image(identifier, 3000, 4000, {
    visible,
    auth: authServices([profile], { base, identifier, version: 3, strict: false }),
  });

/** Returns a document checked by the rules of both versions. */
const read = (document: unknown): Read => {
  expectValid(document);
  return document;
};

describe("a derived manifest", () => {
  test("paints each canvas with the largest JPEG of its image, over both image services", () => {
    const manifest = manifestOf(
      { id: "a b", label: "a b", canvases: [image("a b/1.jpg")], parent: "" },
      context,
    );
    const services = [
      { id: `${base}/iiif/3/a%20b%2F1.jpg`, type: "ImageService3", profile: "level2" },
      {
        "@id": `${base}/iiif/2/a%20b%2F1.jpg`,
        "@type": "ImageService2",
        profile: "http://iiif.io/api/image/2/level2.json",
      },
    ];
    const thumbnail = [
      {
        id: `${base}/iiif/3/a%20b%2F1.jpg/full/!200,200/0/default.jpg`,
        type: "Image",
        format: "image/jpeg",
        width: 150,
        height: 200,
        // 3000 x 4000 within 200 x 200.
        service: services.map((service) => ({ ...service, sizes: [{ width: 150, height: 200 }] })),
      },
    ];
    expect(read(manifest)).toEqual({
      "@context": "http://iiif.io/api/presentation/3/context.json",
      id: `${root}/a%20b`,
      type: "Manifest",
      label: { none: ["a b"] },
      thumbnail,
      partOf: [{ id: root, type: "Collection" }],
      items: [
        {
          id: `${root}/a%20b/canvas/1`,
          type: "Canvas",
          label: { none: ["1.jpg"] },
          width: 3000,
          height: 4000,
          thumbnail,
          items: [
            {
              id: `${root}/a%20b/canvas/1/page`,
              type: "AnnotationPage",
              items: [
                {
                  id: `${root}/a%20b/canvas/1/annotation`,
                  type: "Annotation",
                  motivation: "painting",
                  target: `${root}/a%20b/canvas/1`,
                  body: {
                    id: `${base}/iiif/3/a%20b%2F1.jpg/full/max/0/default.jpg`,
                    type: "Image",
                    format: "image/jpeg",
                    width: 3000,
                    height: 4000,
                    service: services,
                  },
                },
              ],
            },
          ],
        },
      ],
    });
    expect(Object.keys(manifest)[0]).toBe("@context");
  });

  test("requests max if an image is smaller than the box of thumbnails in both directions, and only then", () => {
    const thumbnails = [image("a", 200, 200), image("b", 100, 201), image("c", 5000, 12)].map((facts) => {
      const [thumbnail] = read(manifestOf({ id: "x", label: "x", canvases: [facts] }, context)).thumbnail;
      return [thumbnail.id.split("/").at(-3), thumbnail.width, thumbnail.height];
    });
    expect(thumbnails).toEqual([
      ["max", 200, 200],
      ["!200,200", 100, 200],
      // 12 * 200 / 5000 is less than a pixel.
      ["!200,200", 200, 1],
    ]);
  });

  test.each<[Limits, number, number]>([
    [{ maxWidth: 1500, maxHeight: 0, maxArea: 0 }, 1000, 1500],
    [{ maxWidth: 1500, maxHeight: 300, maxArea: 0 }, 200, 300],
    [{ maxWidth: 0, maxHeight: 0, maxArea: 60_000 }, 200, 300],
  ])(
    "names the size that limits of %j leave of an image, and of its canvas that of the image",
    (limits, ...left) => {
      const facts = { id: "x", label: "x", canvases: [image("x", 2000, 3000)] };
      const [canvas] = read(manifestOf(facts, { ...context, limits })).items;
      expect([canvas.width, canvas.height]).toEqual([2000, 3000]);
      const { width, height } = canvas.items[0].items[0].body;
      expect([width, height]).toEqual(left);
    },
  );

  test("has thumbnails within the limits", () => {
    const limits = { maxWidth: 100, maxHeight: 0, maxArea: 0 };
    const facts = { id: "x", label: "x", canvases: [image("x", 2000, 4000)] };
    const [thumbnail] = read(manifestOf(facts, { ...context, limits })).thumbnail;
    expect([thumbnail.width, thumbnail.height]).toEqual([50, 100]);
  });

  test.each<[string, Limits, readonly [number, number], readonly [number, number]]>([
    ["a small image", noLimits, [90, 60], [90, 60]],
    ["one that is small one way", noLimits, [5000, 12], [200, 1]],
    ["limits below the box", { maxWidth: 100, maxHeight: 0, maxArea: 0 }, [2000, 4000], [50, 100]],
    ["a limit of the area", { maxWidth: 0, maxHeight: 0, maxArea: 2500 }, [400, 400], [50, 50]],
  ])(
    "names the size of the thumbnail of %s in its services, in both versions",
    (_, limits, size, [width, height]) => {
      const facts = { id: "x", label: "x", canvases: [image("x", ...size)] };
      const manifest = read(manifestOf(facts, { ...context, limits }));
      const sizes = [{ width, height }];
      expect(manifest.items[0].thumbnail[0].service).toMatchObject([
        { type: "ImageService3", sizes },
        { "@type": "ImageService2", sizes },
      ]);
      expect(manifest.items[0].items[0].items[0].body.service[0]).not.toHaveProperty("sizes");
      const [canvas] = (version2(manifest, base) as Read).sequences[0].canvases;
      expect(canvas.thumbnail.service).toMatchObject({ "@id": `${base}/iiif/2/x`, sizes });
    },
  );

  test("has an empty canvas of a neighbour's size for an unreadable image, and says why", () => {
    const canvases = [unreadable("x/1.jpg"), image("x/2.jpg", 30, 40)];
    const { items } = read(manifestOf({ id: "x", label: "x", canvases }, context));
    expect(items[0]).toEqual({
      id: `${root}/x/canvas/1`,
      type: "Canvas",
      label: { en: ["1.jpg (could not be read)"] },
      width: 30,
      height: 40,
      summary: { en: ["Could not be read: This file is no image that we can read."] },
      items: [],
    });
    expect(items[1].id).toBe(`${root}/x/canvas/2`);
  });

  test("links the page that shows it, if there is one", () => {
    const viewer = (id: string) => `${base}/view/${id}`;
    const { homepage } = read(
      manifestOf({ id: "x", label: "X", canvases: [image("x")] }, { ...context, viewer }),
    );
    expect(homepage).toEqual([
      { id: `${base}/view/x`, type: "Text", format: "text/html", label: { none: ["X"] } },
    ]);
  });
});

describe("a manifest of gated images", () => {
  const manifest = read(
    manifestOf({ id: "x", label: "x", canvases: [gated("x/1.jpg", false), gated("x/2.jpg", true)] }, context),
  );
  const [service3, service2] = manifest.items[0].items[0].items[0].body.service;

  test("has the context of the authorization services before its own", () => {
    expect(manifest["@context"]).toEqual([
      "http://iiif.io/api/auth/2/context.json",
      "http://iiif.io/api/presentation/3/context.json",
    ]);
  });

  test("names those of both protocols in the newer image service and those of 1.0 in the older, each with a type", () => {
    expect(
      service3.service.map((service: Record<string, string>) => service.type ?? service["@type"]),
    ).toEqual(["AuthProbeService2", "AuthCookieService1"]);
    expect(service2.service).toEqual([service3.service[1]]);
    expect(service2.service[0].service).toBeUndefined();
    const [login2, login1] = manifest.services;
    expect([login2.type, login1["@type"]]).toEqual(["AuthAccessService2", "AuthCookieService1"]);
    expect(service3.service[0].service).toEqual([
      { id: login2.id, type: login2.type, profile: login2.profile },
    ]);
    expect(service2.service[0]).toEqual({
      "@id": login1["@id"],
      "@type": login1["@type"],
      profile: login1.profile,
    });
    expect(login1.service.map((inner: Record<string, string>) => inner["@type"])).toEqual([
      "AuthTokenService1",
      "AuthLogoutService1",
    ]);
    expect(JSON.stringify(manifest.items)).not.toContain("@context");
  });

  test("has the services whole at each image, and none of its own, if its context asks for that", () => {
    const whole = read(
      manifestOf(
        { id: "x", label: "x", canvases: [gated("x/1.jpg", false), gated("x/2.jpg", true)] },
        { ...context, loginsAtImages: true },
      ),
    );
    expect(whole.services).toBeUndefined();
    for (const canvas of whole.items) {
      const [probe, cookie] = canvas.items[0].items[0].body.service[0].service;
      expect(probe.service).toEqual([manifest.services[0]]);
      expect(cookie).toEqual(manifest.services[1]);
    }
  });

  test("has thumbnails only of those that the caller may see", () => {
    expect(manifest.items.map((canvas: object) => "thumbnail" in canvas)).toEqual([false, true]);
    expect(manifest.thumbnail[0].id).toContain("2.jpg");
    const hidden = manifestOf({ id: "x", label: "x", canvases: [gated("x/1.jpg", false)] }, context);
    expect(JSON.stringify(hidden)).not.toContain("thumbnail");
  });
});

const members = (count: number): MemberFacts[] =>
  Array.from({ length: count }, (_, at) => ({ kind: "manifest", id: `m${at + 1}`, label: `M${at + 1}` }));

describe("a derived collection", () => {
  test("refers to its members with their thumbnails", () => {
    const collection = read(
      collectionOf(
        {
          id: "",
          label: "Scans",
          members: [
            { kind: "collection", id: "a", label: "a" },
            { kind: "manifest", id: "_images", label: "Scans", thumbnail: image("1.jpg", 20, 10) },
            { kind: "manifest", id: "b", label: "b", thumbnail: gated("b/1.jpg", false) },
          ],
        },
        context,
      ),
    );
    expect(collection).toMatchObject({
      id: root,
      type: "Collection",
      label: { none: ["Scans"] },
      items: [
        { id: `${root}/a`, type: "Collection", label: { none: ["a"] } },
        { id: `${root}/_images`, type: "Manifest", thumbnail: [{ width: 20, height: 10 }] },
        { id: `${root}/b`, type: "Manifest" },
      ],
    });
    expect(collection.thumbnail).toEqual(collection.items[1].thumbnail);
    expect(collection.items[2]).not.toHaveProperty("thumbnail");
    expect(collection).not.toHaveProperty("partOf");
  });

  test("of as many members as fit a document lists them itself", () => {
    const facts = { id: "a", label: "a", members: members(membersPerPart) };
    expect(read(collectionOf(facts, context)).items).toHaveLength(membersPerPart);
    expect(partOfCollection(facts, 1, context)).toBeUndefined();
  });

  test("of more lists collections of a thousand each, with all members in order", () => {
    const facts = { id: "a", label: "a", members: members(2001) };
    const { items } = read(collectionOf(facts, context));
    expect(items).toEqual([
      { id: `${root}/a/_part/1`, type: "Collection", label: { none: ["1–1000: M1 – M1000"] } },
      { id: `${root}/a/_part/2`, type: "Collection", label: { none: ["1001–2000: M1001 – M2000"] } },
      { id: `${root}/a/_part/3`, type: "Collection", label: { none: ["2001: M2001"] } },
    ]);
    const parts = [1, 2, 3].map((part) => read(partOfCollection(facts, part, context)));
    expect(parts.map(({ id }) => id)).toEqual(items.map(({ id }: { id: string }) => id));
    expect(parts[1].partOf).toEqual([{ id: `${root}/a`, type: "Collection" }]);
    expect(parts.flatMap(({ items }) => items.map(({ id }: { id: string }) => id))).toEqual(
      facts.members.map(({ id }) => `${root}/${id}`),
    );
    for (const part of [0, 4, -1]) {
      expect(partOfCollection(facts, part, context)).toBeUndefined();
      expect(partRange(2001, part)).toBeUndefined();
    }
  });
});

describe("a piece of a manifest", () => {
  const manifest = manifestOf(
    { id: "x", label: "x", canvases: [image("x/1.jpg"), image("x/2.jpg")] },
    context,
  );

  test("is served at its id with the context, a canvas with its manifest", () => {
    expect(pieceAt(manifest, `${root}/x/canvas/2`)).toMatchObject({
      "@context": "http://iiif.io/api/presentation/3/context.json",
      type: "Canvas",
      label: { none: ["2.jpg"] },
      partOf: [{ id: `${root}/x`, type: "Manifest" }],
    });
    const annotation = pieceAt(manifest, `${root}/x/canvas/2/annotation`);
    expect(annotation).toMatchObject({ type: "Annotation", target: `${root}/x/canvas/2` });
    expect(annotation).not.toHaveProperty("partOf");
    expect(pieceAt(manifest, `${root}/x/canvas/1/page`)).toMatchObject({ type: "AnnotationPage" });
  });

  test("does not exist if nothing has that id, and is never the manifest itself", () => {
    expect(pieceAt(manifest, `${root}/x/canvas/3`)).toBeUndefined();
    expect(pieceAt(manifest, `${root}/x`)).toBeUndefined();
  });
});
