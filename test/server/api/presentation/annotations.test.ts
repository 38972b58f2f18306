// Pages of annotations next to images, or named by their manifest, on the canvases that they are about.

import { mkdirSync, writeFileSync } from "node:fs";
import { join } from "node:path";
import { afterEach, beforeEach, describe, expect, test, vi } from "vitest";
import { served } from "../../../served.ts";
import { gated, pictures } from "../access/gated.ts";
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

/** Targets of the annotations on each canvas, without the address of the service. */
async function targetsOn(app: Awaited<ReturnType<typeof served>>, id = "book") {
  const all = await attachedTo(app, id);
  return all.map((targets: Json) =>
    targets.map((target: Json) => String(target).replace(/^.*\/canvas\//, "")),
  );
}

describe("a file of annotations next to images", () => {
  test("of one image is on its canvas, and not read before its page is requested", async () => {
    await laid.write("book/2.jpg.annotations.json", "broken");
    const app = await served(laid.yaml());
    const { items } = await json(app, `${root}/book`);
    expect(items.map(({ annotations = [] }: Json) => annotations.map(({ id }: Json) => id))).toEqual([
      [],
      [`${canvas(2)}/annotations/1`],
      [],
    ]);
    const response = await app.get(`${root}/book/canvas/2/annotations/1`);
    expect([response.status, await response.json()]).toMatchObject([
      500,
      { code: "unusable_annotations", detail: expect.stringContaining("2.jpg.annotations.json") },
    ]);
    await laid.write(
      "book/2.jpg.annotations.json",
      page(note("#xywh=1,2,3,4"), note(undefined), note("2.jpg#xywh=5,6,7,8"), note("1.jpg")),
    );
    expect(await targetsOn(app)).toEqual([[], ["2#xywh=1,2,3,4", "2", "2#xywh=5,6,7,8"], []]);
    await laid.remove("book/2.jpg.annotations.json");
    expect(await targetsOn(app)).toEqual([[], [], []]);
    expect((await app.get(`${root}/book/canvas/2/annotations/1`)).status).toBe(404);
  });

  test.each([
    ["1.annotations.json", "book"],
    ["1.jpg.annotations.json", "book/1.jpg"],
    ["1.JPG.Annotations.json", "book"],
    ["1.annotations.json", "book/1.jpg"],
  ])("named %s is on the canvas in the manifest %s", async (name, id) => {
    await laid.write(`book/${name}`, page(note(undefined)));
    const app = await served(laid.yaml());
    expect((await targetsOn(app, id))[0]).toEqual(["1"]);
    const older = await json(app, `/iiif/presentation/2/${id}/canvas/1/annotations/1`);
    expect(older).toMatchObject({
      "@type": "sc:AnnotationList",
      resources: [{ on: `${base}/iiif/presentation/2/${id}/canvas/1` }],
    });
  });

  test("of a folder is distributed to the canvases, by addresses, names and numbers", async () => {
    await laid.write(
      "book/annotations.json",
      JSON.stringify([
        note(`${canvas(1)}#xywh=1,2,3,4`),
        note("2.jpg#xywh=percent:50,50,50,50"),
        note(`https://former.example/iiif/3/book%2F3.jpg/full/max/0/default.jpg`),
        note("canvas/3"),
        "no annotation",
        null,
      ]),
    );
    const app = await served(laid.yaml());
    // jpg-gray.jpg has 600 x 400 pixels.
    expect(await targetsOn(app)).toEqual([["1#xywh=1,2,3,4"], ["2#xywh=300,200,300,200"], ["3", "3"]]);
    const manifest = await app.get(`${root}/book`);
    expect(manifest.headers.get("X-Ignored-Manifest-File")).toMatch(/^annotations\.json, line \d+$/);
  });

  test("of a folder that is damaged leaves the manifest as it is, which says so", async () => {
    await laid.write("book/annotations.json", "[1, 2");
    const app = await served(laid.yaml());
    const response = await app.get(`${root}/book`);
    expect(response.status).toBe(200);
    expect(response.headers.get("X-Ignored-Manifest-File")).toMatch(/^annotations\.json/);
    expect((await response.json()).items.map(({ annotations }: Json) => annotations)).toEqual([
      undefined,
      undefined,
      undefined,
    ]);
    const own = await app.get(`${root}/book/canvas/1/annotations/1`);
    expect([own.status, (await own.json()).code]).toEqual([500, "unusable_annotations"]);
  });

  test.each([
    ["levels", `${"[".repeat(70)}${"]".repeat(70)}`],
    ["bytes", `["${"x".repeat(8 * 2 ** 20)}"]`],
    ["a text in another encoding", "\ud800"],
    ["a null", "null"],
    ["a manifest", JSON.stringify({ type: "Manifest", label: { none: ["x"] }, items: [{ type: "Canvas" }] })],
    ["nothing", ""],
  ])("with too many %s is refused at its own address alone", async (what, text) => {
    await laid.write("book/1.annotations.json", text);
    if (what === "a text in another encoding")
      writeFileSync(join(laid.root, "book/1.annotations.json"), Buffer.from([0x22, 0xff, 0xfe, 0x22]));
    const app = await served(laid.yaml());
    expect((await json(app, `${root}/book`)).items).toHaveLength(3);
    const own = await app.get(`${root}/book/canvas/1/annotations/1`);
    expect([own.status, (await own.json()).code]).toEqual([500, "unusable_annotations"]);
  });

  test.each(["1.annotations.json", "annotations.json"])(
    "named %s with more annotations of one canvas than are served is refused at its page alone",
    async (name) => {
      const app = await served(laid.yaml());
      const write = (count: number) =>
        laid.write(
          `book/${name}`,
          JSON.stringify([...Array(count).fill({ type: "Annotation", target: "1.jpg" }), note("2.jpg")]),
        );
      await write(10_001);
      const own = await app.get(`${root}/book/canvas/1/annotations/1`);
      expect([own.status, await own.json()]).toMatchObject([
        500,
        { code: "unusable_annotations", detail: expect.stringMatching(/at most 10000 .* 10001; divide/) },
      ]);
      const manifest = await app.get(`${root}/book`);
      expect((await manifest.json()).items).toHaveLength(3);
      await write(10_000);
      expect((await json(app, `${root}/book/canvas/1/annotations/1`)).items).toHaveLength(10_000);
    },
  );

  test("is brought to its form with a pause every 500 annotations", async () => {
    await laid.write(
      "book/annotations.json",
      JSON.stringify([note("2.jpg"), ...Array(2000).fill(note("1.jpg"))]),
    );
    const app = await served(laid.yaml());
    const address = `${root}/book/canvas/1/annotations/1`;
    // They are sorted by canvas once.
    await json(app, address);
    // Each look at the clock is a second after the last, so that all pauses are due.
    let seconds = 0;
    vi.spyOn(performance, "now").mockImplementation(() => ++seconds * 1000);
    const timeouts = vi.spyOn(globalThis, "setTimeout");
    const pausesOf = async (number: number) => {
      const before = timeouts.mock.calls.filter(([, delay]) => delay === undefined).length;
      await app.get(`${root}/book/canvas/${number}/annotations/1`);
      return timeouts.mock.calls.filter(([, delay]) => delay === undefined).length - before;
    };
    const ofOne = await pausesOf(2);
    expect((await pausesOf(1)) - ofOne).toBe(4);
  });

  test("is on the pages of a file with several", async () => {
    await laid.put("sheets/a.tif", "tif-multipage-3sizes.tif");
    await laid.write("sheets/a.tif.annotations.json", page(note(undefined), note("a.tif;3")));
    await laid.write("sheets/annotations.json", page(note("a.tif;2#xywh=0,0,1,1")));
    const app = await served(laid.yaml());
    expect(await targetsOn(app, "sheets")).toEqual([["1"], ["2#xywh=0,0,1,1"], ["3"]]);
    expect((await targetsOn(app, "sheets/a.tif"))[2]).toEqual(["3"]);
  });

  test("is on the canvases of a stored manifest that show the image", async () => {
    const body = (page: number) => ({
      id: `https://old.example/iiif/3/book%2F${page}.jpg/full/max/0/default.jpg`,
      type: "Image",
    });
    const stored = (page: number) => ({
      id: `https://old.example/canvas/${page}`,
      type: "Canvas",
      width: 100,
      height: 100,
      items: [
        {
          type: "AnnotationPage",
          items: [{ type: "Annotation", motivation: "painting", body: body(page) }],
        },
      ],
    });
    await laid.write(
      "book/manifest.json",
      JSON.stringify({ type: "Manifest", label: { none: ["Book"] }, items: [stored(3), stored(1)] }),
    );
    await laid.write("book/3.annotations.json", page(note("#xywh=percent:0,0,50,50")));
    await laid.write(
      "book/annotations.json",
      page(note("1.jpg"), note("https://old.example/canvas/3#xywh=1,1,1,1")),
    );
    const app = await served(laid.yaml());
    expect(await targetsOn(app)).toEqual([["3#xywh=1,1,1,1", "3#xywh=0,0,50,50"], ["1"]]);
    const older = await json(app, "/iiif/presentation/2/book");
    expect(older.sequences[0].canvases[0].otherContent).toHaveLength(2);
  });

  test("is not there if a hook may show another image under the name", async () => {
    await laid.put("other/1.jpg", "jpg-gray.jpg");
    await laid.write("book/1.annotations.json", page(note(undefined)));
    await laid.write("book/annotations.json", page(note("1.jpg")));
    await laid.write(
      "hook.mjs",
      "export const resolve = ({ identifier }) => ({ key: identifier.replace('book/', 'other/') });",
    );
    const engine = `hook: { engine: js, js: { file: ${JSON.stringify(join(laid.root, "hook.mjs"))} } }`;
    const app = await served(`${laid.yaml()}${engine}\npresentation: { derive: always }\n`);
    for (const id of ["book", "book/1.jpg"])
      for (const nth of [1, 2])
        expect((await app.get(`${root}/${id}/canvas/1/annotations/${nth}`)).status).toBe(404);
  });

  test("has ids below its page, and numbers those without", async () => {
    await laid.write(
      "book/1.annotations.json",
      page(note(undefined, { id: "a" }), note(undefined, { id: undefined }), note(undefined, { id: "/x" })),
    );
    const app = await served(laid.yaml());
    const address = `${canvas(1)}/annotations/1`;
    const { items } = await json(app, address.slice(base.length));
    expect(items.map(({ id }: Json) => id)).toEqual([`${address}/a`, `${address}#2`, `${base}/x`]);
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

describe("files of annotations of gated images", () => {
  const secret = "Geheimnis";
  const about = (target?: unknown) => note(target, { body: { type: "TextualBody", value: secret } });
  const profiles = [
    ["private", "private/a.png", "staff"],
    ["_images", "terms.png", "terms"],
  ] as const;

  /** A service with annotations next to gated and public images. */
  async function open() {
    const folder = await pictures();
    for (const name of ["private/a", "terms"])
      writeFileSync(join(folder, `${name}.annotations.json`), page(about()));
    for (const [name, targets] of [
      ["", ["terms.png", ["public.png", "terms.png"]]],
      ["private/", ["a.png", "https://images.example.org/iiif/presentation/3/_images/canvas/1"]],
    ] as const)
      writeFileSync(join(folder, `${name}annotations.json`), page(...targets.map((each) => about(each))));
    writeFileSync(
      join(folder, "public.annotations.json"),
      page(about(["public.png", "terms.png"]), about("terms"), note(undefined)),
    );
    return gated({ folder });
  }

  test("are neither referred to nor sent to others than readers of all that they are about", async () => {
    const site = await open();
    for (const [folder, image, profile] of profiles) {
      const headers = { Cookie: await site.cookie(profile) };
      const { items } = await json(site.app, `${root}/${folder}`, { headers });
      const number = items.findIndex(({ label }: Json) => label.none[0] === image.split("/").at(-1)) + 1;
      const paths = [2, 3].flatMap((version) => [
        ...[1, 2].map((nth) => `/iiif/presentation/${version}/${folder}/canvas/${number}/annotations/${nth}`),
        `/iiif/presentation/${version}/${image}/canvas/1/annotations/1`,
      ]);
      for (const path of paths) {
        const granted = await site.app.get(path, { headers });
        expect([path, granted.status, await granted.text()]).toEqual([
          path,
          200,
          expect.stringContaining(secret),
        ]);
        const denied = await site.app.get(path);
        expect([path, denied.status, await denied.text()]).toEqual([
          path,
          401,
          expect.not.stringContaining(secret),
        ]);
        expect(denied.headers.get("Cache-Control")).toContain("private");
      }
      const whole = JSON.stringify(items[number - 1]);
      expect(whole).toContain(`/canvas/${number}/annotations/`);
      for (const version of [2, 3])
        for (const id of [folder, image]) {
          const manifest = await (await site.app.get(`/iiif/presentation/${version}/${id}`)).text();
          expect(manifest).not.toContain(secret);
          if (id === image) expect(manifest).not.toContain("/annotations/");
          else expect(manifest).not.toContain(`/canvas/${number}/annotations/`);
        }
    }
    await site.close();
  });

  test("about a public image too leave out, for others, what is also about a gated one", async () => {
    const site = await open();
    const { items } = await json(site.app, `${root}/_images`);
    const number = items.findIndex(({ label }: Json) => label.none[0] === "public.png") + 1;
    // The second page is that of the file next to the image.
    const path = `${root}/_images/canvas/${number}/annotations/2`;
    const document = await json(site.app, path);
    expect([document.items.length, JSON.stringify(document)]).toEqual([
      1,
      expect.not.stringContaining(secret),
    ]);
    const headers = { Cookie: await site.cookie("terms") };
    const granted = await json(site.app, path, { headers });
    expect(granted.items).toHaveLength(2);
    expect(JSON.stringify(granted)).toContain(secret);
    await site.close();
  });

  test("on canvases of a stored manifest, whatever their ids are, are for readers of what they show", async () => {
    const folder = await pictures();
    const stored = (id: string, image: string) => ({
      id: `https://old.example/${id}`,
      type: "Canvas",
      width: 800,
      height: 600,
      items: [
        {
          type: "AnnotationPage",
          items: [
            {
              type: "Annotation",
              motivation: "painting",
              body: { id: `/iiif/3/${image}/full/max/0/default.png`, type: "Image" },
            },
          ],
        },
      ],
    });
    mkdirSync(join(folder, "book/notes"), { recursive: true });
    writeFileSync(
      join(folder, "book/manifest.json"),
      JSON.stringify({
        type: "Manifest",
        label: { none: ["Book"] },
        items: [stored("a", "private%2Fa.png"), stored("b", "public.png")],
      }),
    );
    const both = ["https://old.example/a", "https://old.example/b"];
    writeFileSync(join(folder, "book/annotations.json"), page(about("https://old.example/a"), about(both)));
    writeFileSync(
      join(folder, "book/notes/manifest.json"),
      page(about("https://old.example/a"), about(both)),
    );
    const site = await gated({ folder });
    const headers = { Cookie: await site.cookie("staff") };
    for (const number of [1, 2])
      for (const nth of [1, 2]) {
        const path = `${root}/book/canvas/${number}/annotations/${nth}`;
        const denied = await site.app.get(path);
        expect([path, denied.status, await denied.text()]).toEqual([
          path,
          401,
          expect.not.stringContaining(secret),
        ]);
        expect((await json(site.app, path, { headers })).items).toHaveLength(3 - number);
      }
    await site.close();
  });

  test("that are damaged say why to readers of the image alone", async () => {
    const folder = await pictures();
    writeFileSync(join(folder, "private/a.annotations.json"), `[ ${secret}`);
    writeFileSync(join(folder, "private/annotations.json"), `[ ${secret}`);
    const site = await gated({ folder });
    const headers = { Cookie: await site.cookie("staff") };
    for (const nth of [1, 2]) {
      const path = `${root}/private/canvas/1/annotations/${nth}`;
      const denied = await site.app.get(path);
      expect([denied.status, await denied.text()]).toEqual([401, expect.not.stringMatching(/Geheim|line/)]);
      expect((await site.app.get(path, { headers })).status).toBe(500);
    }
    await site.close();
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
