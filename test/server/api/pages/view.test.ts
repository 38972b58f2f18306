// Pages of /view: what they open, what they pass to the viewers, and what they say if they open nothing.

import { mkdtemp, rm } from "node:fs/promises";
import { tmpdir } from "node:os";
import { join } from "node:path";
import { afterAll, beforeAll, describe, expect, test } from "vitest";
import { encodeState } from "../../../../src/iiif/content-state/encode.ts";
import { type Served, served } from "../../../served.ts";
import { type Gated, gated, pictures } from "../access/gated.ts";
import { type Laid, layFolder } from "../presentation/folder.ts";

let laid: Laid;
let app: Served;

const base = "http://images.test";
const book = `${base}/iiif/presentation/3/book`;
const canvas = (number: number, version = 3) => `${base}/iiif/presentation/${version}/book/canvas/${number}`;
const partOf = [{ id: book, type: "Manifest" }];

beforeAll(async () => {
  laid = await layFolder();
  await laid.put("book/1.jpg", "jpg-gray.jpg");
  await laid.put("book/2.png", "png-gray16.png");
  await laid.put("book/3.jpg", "jpg-orient-6.jpg");
  await laid.put("shelf/<img src=x>&'\"/1.jpg", "jpg-gray.jpg");
  await laid.put("shelf/inner/1.jpg", "jpg-gray.jpg");
  app = await served(laid.yaml());
});
afterAll(() => laid.drop());

const page = async (target: string, from = app, headers: Record<string, string> = {}, peer?: string) => {
  const response = await from.get(target, {
    headers: { Accept: "text/html", ...headers },
    ...(peer && { peer }),
  });
  return { response, text: await response.text() };
};
const stateQuery = (state: unknown) => `iiif-content=${encodeState(state)}`;

/** Returns the settings that the page passes to its scripts. */
function settings(text: string): Record<string, unknown> {
  const [, json = ""] = /<script type="application\/json" id="view">(.*?)<\/script>/s.exec(text) ?? [];
  return JSON.parse(json);
}
const opened = async (target: string, from = app) => settings((await page(target, from)).text);

/** Directives of a policy by their names. */
const policyOf = (response: Response) =>
  Object.fromEntries(
    (response.headers.get("Content-Security-Policy") ?? "").split("; ").map((directive) => {
      const [name = "", ...sources] = directive.split(" ");
      return [name, sources];
    }),
  );

/** A whole manifest with a canvas for each body, as JSON, which YAML is too. */
const manifestWith = (members: object, bodies: readonly object[] = [{}]) =>
  JSON.stringify({
    "@context": "http://iiif.io/api/presentation/3/context.json",
    type: "Manifest",
    label: { en: ["Whole"] },
    ...members,
    items: bodies.map((body) => ({
      type: "Canvas",
      width: 10,
      height: 10,
      items: [{ type: "AnnotationPage", items: [{ type: "Annotation", motivation: "painting", body }] }],
    })),
  });

describe("/view/{id}", () => {
  test("opens the whole manifest in Mirador", async () => {
    const { response, text } = await page("/view/book");
    expect(response.status).toBe(200);
    expect(settings(text)).toMatchObject({ manifestId: book, count: 3 });
    expect(settings(text)).not.toHaveProperty("canvasId");
    expect(text).toMatch(/<script src="\/static\/viewer\/mirador-\d+\.\d+\.\d+\/mirador\.min\.js" defer>/);
    expect(text).not.toContain("UV.js");
    expect(text).toContain("<title>book</title>");
  });

  test("opens a single image, a canvas by its own address, and a folder below others", async () => {
    expect((await opened("/view/book/1.jpg")).manifestId).toBe(`${book}/1.jpg`);
    expect(await opened("/view/book/canvas/3")).toMatchObject({ manifestId: book, canvasId: canvas(3) });
    expect((await opened("/view/shelf/inner/")).manifestId).toBe(`${base}/iiif/presentation/3/shelf/inner`);
  });

  test("lists the contents of a collection, with links that keep the viewer", async () => {
    for (const root of ["/view", "/view/"]) {
      const { response, text } = await page(`${root}?viewer=uv`);
      expect(response.status).toBe(200);
      expect(text).toContain('<a href="/?in=book&amp;viewer=uv"');
      expect(text).toContain('<a href="/?in=shelf&amp;viewer=uv"');
    }
  });

  test("opens Universal Viewer if it is requested, or configured", async () => {
    const configured = await served(`${laid.yaml()}presentation: { default_viewer: uv }\n`);
    for (const { text } of [await page("/view/book?viewer=uv"), await page("/view/book", configured)]) {
      expect(text).toMatch(/<script src="\/static\/viewer\/universalviewer-[\d.]+\/umd\/UV\.js" defer>/);
      expect(text).not.toContain("mirador.min.js");
    }
    expect((await page("/view/book?viewer=mirador", configured)).text).toContain("mirador.min.js");
  });

  test("opens the default viewer for an unknown one, and says so", async () => {
    const { response, text } = await page("/view/book?viewer=%3Cb%3Etify");
    expect(response.status).toBe(200);
    expect(text).toContain("mirador.min.js");
    expect(text).toContain("There is no viewer “&lt;b&gt;tify” here. This is Mirador.");
    expect((await page("/view/book?viewer=mirador")).text).not.toContain("There is no viewer");
  });

  test("links to the other viewer with the same view, to the manifest, and to its addresses for machines", async () => {
    const encoded = encodeState({ id: canvas(2), type: "Canvas", partOf });
    const { text } = await page(`/view/?iiif-content=${encoded}`);
    expect(text).toContain(`href="${base}/view/book?viewer=uv&amp;iiif-content=${encoded}"`);
    expect(text).toContain(`<link rel="alternate" type="application/ld+json" href="${book}">`);
    expect(text).toContain(`<link rel="canonical" href="${base}/view/book">`);
    expect(text).toContain('<meta property="og:title" content="book">');
    const [, picture = ""] = /<meta property="og:image" content="([^"]+)"/.exec(text) ?? [];
    const answer = await app.get(picture.slice(base.length));
    expect(answer.headers.get("Content-Type")).toBe("image/jpeg");
  });

  test("shows the image and its neighbours without scripts", async () => {
    const { text } = await page("/view/book/canvas/2");
    const [, plain = ""] = /<noscript><main(.*?)<\/main><\/noscript>/s.exec(text) ?? [];
    expect(plain).toContain(`href="${base}/view/book/canvas/1"`);
    expect(plain).toContain(`href="${base}/view/book/canvas/3"`);
    const [, picture = ""] = /<img src="([^"]+)"/.exec(plain) ?? [];
    expect((await app.get(picture.slice(base.length))).status).toBe(200);
  });

  test("leads from one image, from a canvas of it and from a whole document of an operator's up to the folder", async () => {
    const up = async (target: string) => {
      const [, address] =
        /<header class="bar">\s*<a class="act" href="([^"]*)"/.exec((await page(target)).text) ?? [];
      return address;
    };
    expect(await up("/view/book/1.jpg?viewer=uv")).toBe(`${base}/view/book?viewer=uv`);
    expect(await up("/view/book/1.jpg/canvas/1")).toBe(`${base}/view/book`);
    await laid.put("whole/one/1.jpg", "jpg-gray.jpg");
    await laid.write("whole/one/manifest.yaml", manifestWith({}));
    expect(await up("/view/whole/one")).toBe(`${base}/view/whole`);
    expect(await up("/view/")).toBeUndefined();
  });

  test("says why a canvas has no image, in the page, in its manifest and without scripts", async () => {
    await laid.put("torn/1.jpg", "jpg-gray.jpg");
    await laid.write("torn/2.jpg", "\xff\xd8\xff\xe0 and no more");
    const manifest = (await (await app.get("/iiif/presentation/3/torn")).json()) as {
      items: { label: object; summary: { en: string[] } }[];
    };
    const [reason = ""] = manifest.items[1]?.summary.en ?? [];
    expect(manifest.items[1]?.label).toEqual({ en: ["2.jpg (could not be read)"] });
    expect(reason).toMatch(/^Could not be read: \S/);
    expect(reason).not.toContain(laid.root);
    const notice = async (target: string) =>
      /<p[^>]* id="problem"[^>]*>.*<\/p>/.exec((await page(target)).text)?.[0];
    expect(await notice("/view/torn/canvas/2")).toContain(
      reason.replaceAll("'", "&#39;").replaceAll('"', "&quot;"),
    );
    expect(await notice("/view/torn/canvas/2")).not.toContain("hidden");
    expect(await notice("/view/torn")).toContain("hidden");
  });

  test("says why a file that is not an image cannot be read", async () => {
    await laid.put("unread/bad-text.jpg", "bad-text.jpg");
    const { response, text } = await page("/view/unread/bad-text.jpg");
    expect(response.status).toBe(501);
    expect(text).toContain("not a JPEG, PNG");
    expect(text).not.toContain("no image with this identifier");
    expect(text).not.toContain(laid.root);
  });

  test("lists sound, films and models that are not played, with links to them", async () => {
    const files = [
      "https://media.example.org/a.mp3",
      "https://elsewhere.example.org/b.mp4",
      "https://media.example.org/c.glb",
    ];
    const [sound, film, model] = files;
    await laid.put("heard/1.jpg", "jpg-gray.jpg");
    const bodies = [
      { id: sound, type: "Sound", format: "audio/mpeg", duration: 1 },
      { id: film, type: "Video", format: "video/mp4", duration: 1, width: 10, height: 10 },
      { type: "Choice", items: [{ id: model, type: "Model", format: "model/gltf-binary" }] },
      { id: "javascript:alert(1)", type: "Sound", format: "audio/mpeg", duration: 1 },
    ];
    await laid.write("heard/manifest.yaml", manifestWith({}, bodies));
    const from = await served(
      `${laid.yaml()}presentation: { allowed_origins: ["https://media.example.org"] }\n`,
    );
    const linked = async (target: string) => {
      const { response, text } = await page(target, from);
      expect(policyOf(response)["media-src"]).toEqual(["'self'", base, "https://media.example.org", "blob:"]);
      return files.filter((file) => text.includes(`<a href="${file}" rel="noreferrer nofollow">`));
    };
    expect(await linked("/view/heard")).toEqual([film, model]);
    expect(await linked("/view/heard?viewer=uv")).toEqual(files);
    expect((await page("/view/heard?viewer=uv", from)).text).not.toContain("javascript:");
    expect(await linked("/view/book?viewer=uv")).toEqual([]);
  });

  test("opens a manifest at its start, unless a canvas is named", async () => {
    await laid.put("begun/1.jpg", "jpg-gray.jpg");
    const at = (number: number) => `${base}/iiif/presentation/3/begun/canvas/${number}`;
    const canvases = [{}, {}, {}];
    const starts: readonly object[] = [
      { id: "/iiif/presentation/3/begun/canvas/2", type: "Canvas" },
      {
        type: "SpecificResource",
        id: "x",
        source: "/iiif/presentation/3/begun/canvas/2",
        selector: { type: "PointSelector", t: 1 },
      },
    ];
    for (const start of starts) {
      await laid.write("begun/manifest.yaml", manifestWith({ start }, canvases));
      expect(await opened("/view/begun?viewer=uv")).toMatchObject({ canvasId: at(2), canvasIndex: 1 });
      expect(await opened("/view/begun/canvas/1?viewer=uv")).toMatchObject({
        canvasId: at(1),
        canvasIndex: 0,
      });
      expect((await page("/view/begun")).text).not.toContain("<title>2 ·");
    }
  });

  test("has no bar when framed", async () => {
    const { text } = await page("/view/book?embed=1");
    expect(text).not.toContain("<header");
    expect(settings(text)).toMatchObject({ embedded: true });
    expect((await page("/view/book?embed=0")).text).toContain("<header");
  });

  test("speaks the language of the reader, and hands the viewer one that it knows", async () => {
    const spoken = async (language: string, viewer: string) => {
      const { response, text } = await page(`/view/book?viewer=${viewer}`, app, {
        "Accept-Language": language,
      });
      expect(response.headers.get("Vary")).toContain("Accept-Language");
      return [/<html lang="(\w+)">/.exec(text)?.[1], settings(text).language];
    };
    expect(await spoken("de-AT,en;q=0.5", "mirador")).toEqual(["de", "de"]);
    expect(await spoken("sv", "mirador")).toEqual(["en", "sv"]);
    expect(await spoken("pt", "mirador")).toEqual(["en", "pt-BR"]);
    expect(await spoken("fr", "uv")).toEqual(["fr", "fr-FR"]);
    expect(await spoken("nl", "uv")).toEqual(["nl", "en-GB"]);
  });

  test("escapes file names, in text, attributes and JSON", async () => {
    const { text } = await page("/view/shelf/%3Cimg%20src%3Dx%3E%26'%22");
    expect(text).not.toContain("<img src=x>");
    expect(settings(text).title).toBe("<img src=x>&'\"");
    expect((await page("/view/shelf")).text).not.toContain("<img src=x>");
  });

  test("shows texts of manifest files as text: labels unchanged, summaries in HTML without their elements", async () => {
    await laid.put("told/tale/1.jpg", "jpg-gray.jpg");
    const summary =
      '<p>Four &amp; <b onclick="x()">a</b> <i>half</i><script>alert(1)</script> &lt;folios&gt;</p><p>&#233;&#x110000;&what;</p>';
    const told = JSON.stringify({
      label: { en: ["<b>Bold</b> </script>"], de: ["<i>Kursiv</i>"] },
      summary: { en: [summary] },
    });
    await laid.write("told/tale/manifest.yaml", told);
    await laid.write("told/manifest.yaml", told);
    for (const target of ["/view/told", "/view/told/tale"]) {
      const { response, text } = await page(target);
      expect([target, response.status]).toEqual([target, 200]);
      expect(text).not.toMatch(/<(b|i|script)>|onclick/);
      expect(text).toContain(
        '<meta name="description" content="Four &amp; a half &lt;folios&gt; é&amp;#x110000;&amp;what;">',
      );
    }
    const { text } = await page("/view/told", app, { "Accept-Language": "de" });
    expect(text).toContain("<title>&lt;i&gt;Kursiv&lt;/i&gt; – smalti</title>");
  });

  test("responds to a missing item with a page in the reader's language, and to programs with a problem", async () => {
    const { response, text } = await page("/view/nothing", app, { "Accept-Language": "fr" });
    expect(response.status).toBe(404);
    expect(text).toContain("Il n’y a rien ici");
    expect(text).toContain("no_such_manifest");
    const problem = await app.get("/view/nothing");
    expect(problem.headers.get("Content-Type")).toBe("application/problem+json");
  });

  test("does not exist if presentation is off", async () => {
    const without = await served(`${laid.yaml()}presentation: { enabled: false }\n`);
    expect((await without.get("/view/book")).status).toBe(404);
  });
});

describe("the policy of the page", () => {
  test("allows scripts and their requests only from this service, for each viewer", async () => {
    const expected = {
      mirador: ["'self'", "'sha256-47DEQpj8HBSa+/TImW+5JCeuQeRkm5NMpJWZG3hSuFU='"],
      uv: ["'self'", ...Array.from({ length: 5 }, () => expect.stringMatching(/^'sha256-[\w+/]{43}='$/))],
    };
    for (const [viewer, styles] of Object.entries(expected)) {
      const { response, text } = await page(`/view/book?viewer=${viewer}`);
      expect(policyOf(response)).toEqual({
        "default-src": ["'none'"],
        "script-src": ["'self'"],
        "style-src": styles,
        ...(viewer === "uv" && { "style-src-attr": ["'unsafe-inline'"] }),
        "img-src": ["'self'", base, "data:", "blob:"],
        "connect-src": ["'self'", base],
        "frame-src": ["'self'", base],
        "media-src": ["'self'", base, "blob:"],
        "base-uri": ["'none'"],
        "form-action": ["'none'"],
        "frame-ancestors": ["*"],
      });
      expect(response.headers.get("X-Content-Type-Options")).toBe("nosniff");
      expect(response.headers.get("Cross-Origin-Opener-Policy")).toBeNull();
      const hosts = text.matchAll(/(?:src|href|content)="(https?:\/\/[^/"]+)/g);
      expect(new Set([...hosts].map(([, host]) => host))).toEqual(new Set([base]));
      expect(text).not.toMatch(/<style|\son\w+=|\sstyle=/);
    }
  });

  test("names the further origins of manifests, and the sites that may hold it in a frame", async () => {
    const open = await served(
      `${laid.yaml()}presentation: { allowed_origins: ["https://other.example"] }\nhttp: { frame_ancestors: [self, "https://*.example.org"] }\n`,
    );
    const policy = policyOf((await page("/view/book", open)).response);
    expect(policy["img-src"]).toContain("https://other.example");
    expect(policy["connect-src"]).toContain("https://other.example");
    expect(policy["script-src"]).toEqual(["'self'"]);
    expect(policy["frame-ancestors"]).toEqual(["'self'", "https://*.example.org"]);
    const none = await served(`${laid.yaml()}http: { frame_ancestors: [] }\n`);
    expect(policyOf((await page("/view/book", none)).response)["frame-ancestors"]).toEqual(["'none'"]);
  });
});

describe("a gated item", () => {
  let site: Gated;
  beforeAll(async () => {
    site = await gated({ folder: await pictures() });
  });
  afterAll(() => site.close());
  const seen = async (target: string, profile?: string) => {
    const headers: Record<string, string> = profile ? { Cookie: await site.cookie(profile) } : {};
    // A login to a kiosk counts only at its addresses.
    const peer = profile === "room" ? "192.0.2.5" : undefined;
    const { response, text } = await page(target, site.app, headers, peer);
    const [, plain = ""] = /<noscript><main(.*?)<\/main><\/noscript>/s.exec(text) ?? [];
    return { response, preview: text.includes("og:image"), plain };
  };

  test.each([
    ["/view/private/a.png", "staff"],
    ["/view/terms.png", "terms"],
    ["/view/room.png", "room"],
  ])(
    "has no image for previews and readers without scripts until the caller has access: %s",
    async (target, profile) => {
      const stranger = await seen(target);
      expect(stranger.preview).toBe(false);
      expect(stranger.plain).not.toMatch(/<img|\/full\//);
      const reader = await seen(target, profile);
      expect(reader.preview).toBe(true);
      expect(reader.plain).toContain("<img");
    },
  );

  test("is on a page that no shared cache stores, by address and by state; others are on pages that any may store", async () => {
    const gatedState = encodeState({
      id: "https://images.example.org/iiif/presentation/3/private/a.png",
      type: "Manifest",
    });
    for (const target of ["/view/private/a.png", "/view/private", `/view/?iiif-content=${gatedState}`])
      for (const profile of [undefined, "staff"]) {
        const { response } = await seen(target, profile);
        expect(response.headers.get("Cache-Control")).toBe("private, no-cache");
        expect(response.headers.get("Vary")).toMatch(/Cookie/);
      }
    expect((await seen("/view/public.png")).response.headers.get("Cache-Control")).toBe("no-cache");
  });
});

describe("configuration", () => {
  test.each([
    ["presentation: { default_viewer: tify }", "presentation.default_viewer"],
    ['http: { frame_ancestors: ["https://a.example; script-src *"] }', "http.frame_ancestors"],
    ['http: { frame_ancestors: ["none"] }', "http.frame_ancestors"],
  ])("refuses %s at start", async (yaml, key) => {
    await expect(served(`${laid.yaml()}${yaml}\n`)).rejects.toThrow(key);
  });
});

describe("a content state", () => {
  const state = { id: `${canvas(2)}#xywh=1,2,3,4`, type: "Canvas", partOf };
  const expected = { manifestId: book, canvasId: canvas(2), xywh: [1, 2, 3, 4] };

  test("opens at its canvas, and the region of that", async () => {
    expect(await opened(`/view/?${stateQuery(state)}`)).toMatchObject(expected);
    expect(await opened(`/view?${stateQuery(state)}`)).toMatchObject(expected);
  });

  test("overrides the identifier, even if that names nothing", async () => {
    for (const id of ["shelf/inner", "nothing/of/that"])
      expect(await opened(`/view/${id}?${stateQuery(state)}`)).toMatchObject(expected);
  });

  test("is read in all its forms", async () => {
    const annotation = {
      "@context": "http://iiif.io/api/presentation/3/context.json",
      id: "https://other.example/state",
      type: "Annotation",
      motivation: ["contentState"],
      target: {
        type: "SpecificResource",
        source: { id: canvas(2), type: "Canvas", partOf },
        selector: { type: "FragmentSelector", value: "xywh=1,2,3,4" },
      },
    };
    for (const form of [annotation, [state], { ...state, partOf: undefined }, `${canvas(2)}#xywh=1,2,3,4`])
      expect(await opened(`/view/?${stateQuery(form)}`)).toMatchObject(expected);
    expect(
      await opened(`/view/?iiif-content=${encodeURIComponent(`${canvas(2)}#xywh=1,2,3,4`)}`),
    ).toMatchObject(expected);
  });

  test("may name a manifest or a canvas by the address of either version, and with http or https", async () => {
    const older = {
      "@id": `${canvas(2, 2)}#xywh=1,2,3,4`,
      "@type": "sc:Canvas",
      within: { "@id": book.replace("/3/", "/2/"), "@type": "sc:Manifest" },
    };
    expect(await opened(`/view/?${stateQuery(older)}`)).toMatchObject(expected);
    const secure = { id: `https${state.id.slice(4)}`, type: "Canvas", partOf };
    expect(await opened(`/view/?${stateQuery(secure)}`)).toMatchObject(expected);
    const whole = await opened(`/view/?${stateQuery({ id: book.replace("/3/", "/2/"), type: "Manifest" })}`);
    expect(whole.manifestId).toBe(book);
    expect(whole).not.toHaveProperty("canvasId");
  });

  test("has a region in percent converted to pixels of the canvas", async () => {
    const document = (await (await app.get("/iiif/presentation/3/book")).json()) as {
      items: { width: number; height: number }[];
    };
    const { width, height } = document.items[0] as { width: number; height: number };
    const half = { id: `${canvas(1)}#xywh=percent:0,50,50,50`, type: "Canvas", partOf };
    const top = Math.floor(height / 2);
    expect((await opened(`/view/?${stateQuery(half)}`)).xywh).toEqual([
      0,
      top,
      Math.ceil(width / 2),
      height - top,
    ]);
  });

  test("whose region is outside of the canvas shows the canvas, and one with a missing canvas the item, and says so", async () => {
    const outside = await page(`/view/?${stateQuery({ ...state, id: `${canvas(2)}#xywh=90000,0,5,5` })}`);
    expect(settings(outside.text)).toMatchObject({ canvasId: canvas(2) });
    expect(settings(outside.text)).not.toHaveProperty("xywh");
    expect(outside.text).toContain("a detail outside of this page");
    const gone = await page(`/view/?${stateQuery({ ...state, id: "https://other.example/canvas/9" })}`);
    expect(settings(gone.text)).toMatchObject({ manifestId: book });
    expect(settings(gone.text)).not.toHaveProperty("canvasId");
    expect(gone.text).toContain("a page that this item does not have");
    expect((await page(`/view/?${stateQuery({ ...state, id: canvas(9) })}`)).response.status).toBe(404);
  });

  test("with a selector shows its region, and says so if it names none that can be read", async () => {
    const selected = (selector: object) =>
      page(
        `/view/?${stateQuery({ type: "SpecificResource", source: { id: canvas(2), type: "Canvas", partOf }, selector })}`,
      );
    const svg = '<svg><rect x="1" y="2" width="3" height="4"/></svg>';
    const outlined = await selected({ type: "SvgSelector", value: svg });
    expect(settings(outlined.text)).toMatchObject({ canvasId: canvas(2), xywh: [1, 2, 3, 4] });
    expect(outlined.text).not.toContain("cannot be shown here");
    const quoted = await selected({ type: "TextQuoteSelector", exact: "x" });
    expect(settings(quoted.text)).toMatchObject({ canvasId: canvas(2) });
    expect(settings(quoted.text)).not.toHaveProperty("xywh");
    expect(quoted.text).toContain("a part of this page in a way that cannot be shown here");
  });

  test("of another site is not opened: the page shows its target, with a link", async () => {
    const foreign = {
      id: "https://other.example/<b>/canvas/1#xywh=1,2,3,4",
      type: "Canvas",
      partOf: [{ id: "https://other.example/manifest", type: "Manifest" }],
    };
    const { response, text } = await page(`/view/book?${stateQuery(foreign)}`);
    expect(response.status).toBe(200);
    expect(text).toContain("This link leads to another site");
    expect(text).toContain('<a href="https://other.example/manifest" rel="noreferrer nofollow">');
    expect(text).toContain(`<a href="${base}/">To the start page</a>`);
    expect(text).not.toContain("<b>/canvas");
    expect(text).not.toContain("<script");
    expect(policyOf(response)).not.toHaveProperty("script-src");
    // The name of this host in front of another one's.
    const near = await page(`/view/?${stateQuery(`${base}.other.example/iiif/presentation/3/book`)}`);
    expect(near.text).toContain("This link leads to another site");
  });

  test("that cannot be read is 400, in words", async () => {
    for (const bad of ["%%%", "e30", encodeState({ id: "javascript:alert(1)" }), encodeState([])]) {
      const { response, text } = await page(`/view/book?iiif-content=${encodeURIComponent(bad)}`);
      expect(response.status).toBe(400);
      expect(text).toContain("This link cannot be read");
    }
    expect((await page(`/view/?${stateQuery(`${base}/iiif/auth/token`)}`)).response.status).toBe(404);
  });

  test("may be 64 KiB long, with the address", async () => {
    const long = (length: number) => ({ ...state, label: "x".repeat(length) });
    const fitting = `/view/?${stateQuery(long(40_000))}`;
    expect(fitting.length).toBeGreaterThan(50_000);
    expect(await opened(fitting)).toMatchObject(expected);
    expect((await page(`/view/?${stateQuery(long(60_000))}`)).response.status).toBe(414);
  });

  test("is ignored if content states are off", async () => {
    const off = await served(`${laid.yaml()}content_state: { enabled: false }\n`);
    const inner = await opened(`/view/shelf/inner?${stateQuery(state)}`, off);
    expect(inner).toMatchObject({ manifestId: `${base}/iiif/presentation/3/shelf/inner`, hasStates: false });
    expect(inner).not.toHaveProperty("canvasId");
    expect((await page(`/view/book?iiif-content=%%%`, off)).response.status).toBe(200);
  });

  test("that the service stores opens by its address", async () => {
    const dir = await mkdtemp(join(tmpdir(), "smalti-states-"));
    const keeping = await served(
      `${laid.yaml()}content_state: { store: { enabled: true, dir: ${JSON.stringify(dir)}, write_token: secret } }\n`,
    );
    const kept = await keeping.get("/content-state", {
      method: "POST",
      headers: { "Content-Type": "application/json", Authorization: "Bearer secret" },
      body: JSON.stringify(state),
    });
    const { uri } = (await kept.json()) as { uri: string };
    expect(await opened(`/view/?iiif-content=${encodeURIComponent(uri)}`, keeping)).toMatchObject(expected);
    const { response } = await page(`/view/?iiif-content=${encodeURIComponent(`${uri}x`)}`, keeping);
    expect(response.status).toBe(404);
    await rm(dir, { recursive: true });
  });
});

test("the blank image that Universal Viewer requests at a wrong address is no error, and not counted", async () => {
  const counted = () => app.service.requests.total();
  const before = counted();
  const response = await app.get(
    "/images/data:image/gif;base64,R0lGODlhAQABAIAAAAAAAP///yH5BAEAAAAALAAAAAABAAEAAAIBRAA7",
  );
  expect(response.status).toBe(204);
  expect(counted()).toBe(before);
  expect((await app.get("/images/other.gif")).status).toBe(404);
});
