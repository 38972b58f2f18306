// Pages of annotations next to images, or named by their manifest, on the canvases that they are about.

import { afterEach, beforeEach, describe, expect, test } from "vitest";
import { served } from "../../../served.ts";
import { type Laid, layFolder } from "./folder.ts";
import { type Json, json, walk } from "./walk.ts";

const base = "http://images.test";
const root = "/iiif/presentation/3";
const at = (id: string) => `${base}${root}${id && `/${id}`}`;

let laid: Laid;

beforeEach(async () => {
  laid = await layFolder();
  for (const page of [1, 2, 3]) await laid.put(`book/${page}.jpg`, "jpg-gray.jpg");
});
afterEach(() => laid.drop());

let number = 0;
const note = (target: unknown, members: object = {}) => ({
  id: `https://notes.example/${++number}`,
  type: "Annotation",
  motivation: "commenting",
  body: { type: "TextualBody", value: "Here", format: "text/plain" },
  target,
  ...members,
});
const page = (...items: object[]) =>
  JSON.stringify({
    "@context": "http://iiif.io/api/presentation/3/context.json",
    type: "AnnotationPage",
    items,
  });

/** The annotations that are attached to each canvas of a manifest, by the addresses of their pages. */
async function attachedTo(app: Awaited<ReturnType<typeof served>>, id = "book") {
  const manifest = await json(app, `${root}/${id}`);
  return Promise.all(
    manifest.items.map(async ({ annotations = [] }: Json) => {
      const pages = await Promise.all(annotations.map((each: Json) => json(app, each.id.slice(base.length))));
      for (const [nth, each] of pages.entries())
        expect([each.id, each.type]).toEqual([annotations[nth].id, "AnnotationPage"]);
      return pages.flatMap((each: Json) => each.items.map(({ target }: Json) => target));
    }),
  );
}

const canvas = (number: number, id = "book") => `${at(id)}/canvas/${number}`;

describe("a page of annotations next to images", () => {
  test("in a folder of its own is on the canvases that it is about, and the folder stays one manifest", async () => {
    await laid.write(
      "book/notes/manifest.json",
      page(note(`${canvas(1)}#xywh=1,2,3,4`), note(canvas(3)), note(canvas(1))),
    );
    const app = await served(laid.yaml());
    expect(await attachedTo(app)).toEqual([[`${canvas(1)}#xywh=1,2,3,4`, canvas(1)], [], [canvas(3)]]);
    expect((await json(app, `${root}/book`)).annotations).toBeUndefined();
    // The page as a whole is still at its address.
    expect((await json(app, `${root}/book/notes`)).items).toHaveLength(3);
    const documents = await walk(app, root, { base });
    expect([...documents.keys()]).toEqual([at(""), at("book")]);
    const { sequences } = await json(app, "/iiif/presentation/2/book");
    const [{ "@id": older }] = sequences[0].canvases[0].otherContent;
    expect(await json(app, older.slice(base.length))).toMatchObject({
      "@id": older,
      "@type": "sc:AnnotationList",
      resources: [{ on: `${canvas(1).replace("/3/", "/2/")}#xywh=1,2,3,4` }, {}],
    });
  });

  test("in the folder of the images does not replace them", async () => {
    await laid.write("book/manifest.json", page(note(canvas(2))));
    await laid.write("manifest.json", page(note(canvas(1, "_images"))));
    await laid.put("loose.jpg", "jpg-gray.jpg");
    const app = await served(laid.yaml());
    const manifest = await json(app, `${root}/book`);
    expect(manifest).toMatchObject({ type: "Manifest", label: { none: ["book"] } });
    expect(await attachedTo(app)).toEqual([[], [canvas(2)], []]);
    expect(await attachedTo(app, "_images")).toEqual([[canvas(1, "_images")]]);
  });

  test("is found in folders below, and each page is one on its canvases", async () => {
    await laid.write("book/texts/ocr/manifest.json", page(note(canvas(1)), note(canvas(2))));
    await laid.write("book/texts/hands/manifest.json", page(note(canvas(1))));
    const app = await served(laid.yaml());
    const { items } = await json(app, `${root}/book`);
    expect(items.map(({ annotations = [] }: Json) => annotations.length)).toEqual([2, 1, 0]);
    expect((await json(app, root)).items).toHaveLength(1);
  });

  test("of the images next to folders is on the canvases of their manifest", async () => {
    await laid.put("book/plates/1.jpg", "jpg-gray.jpg");
    await laid.write("book/notes/manifest.json", page(note(canvas(2, "book/_images"))));
    const app = await served(laid.yaml());
    expect((await json(app, `${root}/book`)).items.map(({ id }: Json) => id)).toEqual([
      at("book/plates"),
      at("book/_images"),
    ]);
    expect(await attachedTo(app, "book/_images")).toEqual([[], [canvas(2, "book/_images")], []]);
  });

  test("is on the canvases of a stored manifest, whatever their ids are", async () => {
    const id = "https://old.example/canvas/a";
    const body = { id: "/iiif/3/book%2F1.jpg/full/max/0/default.jpg", type: "Image", format: "image/jpeg" };
    const stored = (id: string | undefined) => ({
      ...(id && { id }),
      type: "Canvas",
      width: 10,
      height: 10,
      items: [{ type: "AnnotationPage", items: [{ type: "Annotation", motivation: "painting", body }] }],
    });
    await laid.write(
      "book/manifest.json",
      JSON.stringify({ type: "Manifest", label: { none: ["Book"] }, items: [stored(id), stored(undefined)] }),
    );
    await laid.write(
      "book/notes/manifest.json",
      page(note(id), note(`https://former.example/iiif/presentation/2/book/canvas/2#xywh=1,1,1,1`)),
    );
    expect(await attachedTo(await served(laid.yaml()))).toEqual([[id], [`${canvas(2)}#xywh=1,1,1,1`]]);
  });

  test("follows changes of its file", async () => {
    const app = await served(laid.yaml());
    await laid.write("book/notes/manifest.json", page(note(canvas(1))));
    expect(await attachedTo(app)).toEqual([[canvas(1)], [], []]);
    await laid.write("book/notes/manifest.json", page(note(canvas(2)), note(canvas(2))));
    expect(await attachedTo(app)).toEqual([[], [canvas(2), canvas(2)], []]);
    await laid.remove("book/notes");
    expect(await attachedTo(app)).toEqual([[], [], []]);
  });
});

describe("a page of annotations that a manifest names", () => {
  test("moves from the manifest to the canvases", async () => {
    await laid.write("texts/ocr/manifest.json", page(note(canvas(1)), note(canvas(3))));
    const item = {
      type: "Annotation",
      motivation: "tagging",
      target: canvas(2),
      body: { type: "TextualBody", value: "x" },
    };
    const held = JSON.stringify({ id: "held", type: "AnnotationPage", items: [item] });
    await laid.write(
      "book/manifest.yaml",
      `annotations: [/iiif/presentation/3/texts/ocr, ${held}]\nlabel: Book\n`,
    );
    const app = await served(laid.yaml());
    expect(await attachedTo(app)).toEqual([[canvas(1)], [canvas(2)], [canvas(3)]]);
    expect((await json(app, `${root}/book`)).annotations).toBeUndefined();
    expect((await json(app, root)).items.map(({ id }: Json) => id)).toEqual([at("book")]);
  });

  test("stays if it is about something else, is elsewhere or does not exist", async () => {
    await laid.write("about/manifest.json", page(note(at("book")), note(canvas(1))));
    await laid.write(
      "book/manifest.yaml",
      "annotations: [/iiif/presentation/3/about, https://elsewhere.example/page, /iiif/presentation/3/none]\n",
    );
    const app = await served(laid.yaml());
    expect((await json(app, `${root}/book`)).annotations.map(({ id }: Json) => id)).toEqual([
      at("about"),
      "https://elsewhere.example/page",
      at("none"),
    ]);
    expect(await attachedTo(app)).toEqual([[canvas(1)], [], []]);
  });

  test("is on a canvas together with those that the manifest file names there", async () => {
    await laid.write("book/notes/manifest.json", page(note(canvas(1))));
    await laid.write(
      "book/manifest.yaml",
      "canvases: { 1: { annotations: https://elsewhere.example/page } }\n",
    );
    const { items } = await json(await served(laid.yaml()), `${root}/book`);
    expect(items[0].annotations.map(({ id }: Json) => id)).toEqual([
      "https://elsewhere.example/page",
      `${canvas(1)}/annotations/1`,
    ]);
  });
});

describe("the target of an annotation", () => {
  const odd = "book, 2;3";
  const own = `${base}${root}/book%2C%202%3B3/canvas/1`;
  const selector = { type: "FragmentSelector", value: "xywh=1,2,3,4" };

  test.each<[string, unknown, unknown]>([
    ["an address with a fragment", `${own}#xywh=1,2,3,4`, `${own}#xywh=1,2,3,4`],
    ["the spelling before 0.4", `${base}${root}/book,%202;3/canvas/1`, own],
    ["an encoded spelling", `${base}${root}/book%2c%202%3b3/canvas/1/`, own],
    ["another host", `https://former.example${root}/book%2C%202%3B3/canvas/1`, own],
    [
      "another host with a path",
      `https://former.example/images${root}/book,%202;3/canvas/1#xywh=1,2,3,4`,
      `${own}#xywh=1,2,3,4`,
    ],
    ["version 2.1", `${base}/iiif/presentation/2/book,%202;3/canvas/1`, own],
    ["a path", `${root}/book, 2;3/canvas/1`, own],
    ["a canvas", { id: own, type: "Canvas" }, { id: own, type: "Canvas" }],
    [
      "a specific resource of an address",
      { type: "SpecificResource", source: `https://former.example${root}/book,%202;3/canvas/1`, selector },
      { type: "SpecificResource", source: own, selector },
    ],
    [
      "a specific resource of a canvas",
      {
        type: "SpecificResource",
        source: { id: own, type: "Canvas", partOf: [{ id: at(odd), type: "Manifest" }] },
        selector,
      },
      {
        type: "SpecificResource",
        source: {
          id: own,
          type: "Canvas",
          partOf: [{ id: `${base}${root}/book%2C%202%3B3`, type: "Manifest" }],
        },
        selector,
      },
    ],
    ["a list", [own, `${base}/elsewhere`], own],
  ])("may be %s", async (_, target, found) => {
    await laid.put(`${odd}/1.jpg`, "jpg-gray.jpg");
    await laid.write(`${odd}/notes/manifest.json`, page(note(target)));
    expect(await attachedTo(await served(laid.yaml()), "book%2C%202%3B3")).toEqual([[found]]);
  });

  test("may be several canvases: the annotation is on each, about that one alone", async () => {
    await laid.write("book/notes/manifest.json", page(note([canvas(1), `${canvas(2)}#xywh=1,1,1,1`])));
    expect(await attachedTo(await served(laid.yaml()))).toEqual([
      [canvas(1)],
      [`${canvas(2)}#xywh=1,1,1,1`],
      [],
    ]);
  });

  test("may be written in 2.1", async () => {
    const resources = [
      {
        "@type": "oa:Annotation",
        resource: { "@type": "cnt:ContentAsText", chars: "a" },
        on: `${canvas(1).replace("/3/", "/2/")}#xywh=1,2,3,4`,
      },
      {
        "@type": "oa:Annotation",
        resource: { "@type": "cnt:ContentAsText", chars: "b" },
        on: { "@type": "oa:SpecificResource", full: canvas(2) },
      },
      { "@type": "oa:Annotation", resource: { "@type": "cnt:ContentAsText", chars: "c" }, on: [canvas(3)] },
    ];
    await laid.write(
      "book/notes/manifest.json",
      JSON.stringify({
        "@context": "http://iiif.io/api/presentation/2/context.json",
        "@type": "sc:AnnotationList",
        resources,
      }),
    );
    const [first, second, third] = await attachedTo(await served(laid.yaml()));
    expect(first).toEqual([`${canvas(1)}#xywh=1,2,3,4`]);
    expect(second).toEqual([expect.objectContaining({ source: canvas(2) })]);
    expect(third).toEqual([canvas(3)]);
  });

  test.each([
    ["nothing", undefined],
    ["a number", 5],
    ["an empty list", []],
    ["null", null],
    ["broken encoding", `${base}${root}/book/canvas/%zz`],
    ["another folder", canvas(1, "other")],
    ["an empty object", {}],
  ])("that is %s attaches it nowhere", async (_, target) => {
    await laid.write("book/notes/manifest.json", page({ ...note(canvas(1)), target: target as never }));
    expect(await attachedTo(await served(laid.yaml()))).toEqual([[], [], []]);
  });
});

describe("folders of annotations alone", () => {
  test("are no folders for readers", async () => {
    await laid.write("book-notes/manifest.json", page(note(canvas(1))));
    await laid.write("texts/ocr/1/manifest.json", page(note(canvas(1))));
    await laid.write("book/manifest.yaml", "annotations: /iiif/presentation/3/book-notes\n");
    const app = await served(laid.yaml());
    expect((await json(app, root)).items.map(({ id }: Json) => id)).toEqual([at("book")]);
    for (const address of ["/", "/?q=ocr", "/?q=notes", "/view/"]) {
      const html = await (await app.get(address)).text();
      expect(html, address).not.toMatch(/in=(texts|book-notes)|view\/(texts|book-notes)/);
    }
  });

  test("are folders for readers once they hold an image", async () => {
    await laid.write("texts/ocr/manifest.json", page(note(canvas(1))));
    await laid.put("texts/map/1.jpg", "jpg-gray.jpg");
    const app = await served(laid.yaml());
    expect((await json(app, root)).items.map(({ id }: Json) => id)).toEqual([at("book"), at("texts")]);
    expect((await json(app, `${root}/texts`)).items.map(({ id }: Json) => id)).toEqual([at("texts/map")]);
  });
});

test("annotations of gated images are for readers with access, and their manifest does not refer to them", async () => {
  await laid.write("book/notes/manifest.json", page(note(canvas(1)), note(canvas(2))));
  const app = await served(`
auth:
  profiles: { shut: { pattern: clickthrough, access_service: { backend: builtin } } }
  rules: [{ match: book/1.jpg, profile: shut }]
${laid.yaml()}`);
  const { items } = await json(app, `${root}/book`);
  expect(items.map(({ annotations }: Json) => annotations?.length)).toEqual([undefined, 1, undefined]);
  expect((await json(app, `${root}/book/canvas/2/annotations/1`)).items).toHaveLength(1);
  const denied = await app.get(`${root}/book/canvas/1/annotations/1`);
  expect(denied.status).toBe(401);
  expect(await denied.text()).not.toContain("Here");
});

test("an annotation about a gated and a public image is on neither for readers without access", async () => {
  const both = [
    [canvas(1), canvas(2)],
    { type: "List", items: [canvas(1), canvas(2)] },
    [canvas(2), { type: "SpecificResource", source: canvas(1) }],
    [canvas(2), `${base}/iiif/3/book%2F1.jpg/full/max/0/default.jpg`],
    [canvas(2), canvas(1).replace(base, "https://old.example")],
    [canvas(2), canvas(1).replace("/canvas", "%2F%63anvas")],
    [canvas(2), `${canvas(1).replace("/3/", "/2/")}/?a=1#xywh=1,2,3,4`],
  ];
  await laid.write("book/notes/manifest.json", page(...both.map((each) => note(each)), note(canvas(2))));
  const app = await served(`
auth:
  profiles: { shut: { pattern: clickthrough, access_service: { backend: builtin } } }
  rules: [{ match: book/1.jpg, profile: shut }]
${laid.yaml()}`);
  const { items } = await json(app, `${root}/book/canvas/2/annotations/1`);
  expect(items.map(({ target }: Json) => target)).toEqual([canvas(2)]);
});
