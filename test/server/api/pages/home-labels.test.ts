// The viewer, the start page and searches agree: labels, metadata, order, and nothing hidden.

import { copyFileSync, mkdirSync, mkdtempSync, rmSync, writeFileSync } from "node:fs";
import { tmpdir } from "node:os";
import { basename, dirname, join } from "node:path";
import { afterAll, beforeAll, describe, expect, onTestFinished, test, vi } from "vitest";
import { nodeFiles } from "../../../../src/server/platform/files/node-files.ts";
import { startFacts } from "../../../../src/server/start/facts.ts";
import { fixturesFolder } from "../../../host.ts";
import { hang } from "../../../limits.ts";
import { type Served, served } from "../../../served.ts";

let root: string;
let app: Served;
const picture = (...path: string[]) => copyFileSync(join(fixturesFolder, "base.png"), join(root, ...path));
const describes = (folder: string, ...lines: string[]) =>
  writeFileSync(join(root, folder, "manifest.yaml"), lines.join("\n"));
const config = (more = "") =>
  `${more}\nsources: [{ name: scans, type: filesystem, root: ${JSON.stringify(root)} }]`;

beforeAll(async () => {
  root = mkdtempSync(join(tmpdir(), "smalti-labels-"));
  for (const name of ["hours", "letters/b", "drafts", "stored"])
    mkdirSync(join(root, name), { recursive: true });
  for (const name of ["cover.png", "page-1.png", "page-2.png", "chart.png"]) picture("hours", name);
  for (const path of ["top.png", "letters/b/1.png", "drafts/secret.png", "stored/x.png"]) picture(path);
  describes(
    "",
    "label: { en: The library of Utopia, de: Die Bibliothek }",
    "provider: { label: University of Utopia, homepage: https://www.example.org/, logo: https://cdn.example.org/l.svg }",
    "items: { drafts: { hide: true }, letters: { label: { en: Correspondence, de: Briefwechsel } } }",
    "images: { canvases: { top.png: A view from the top } }",
  );
  describes(
    "hours",
    "label: { en: A book of hours, de: Ein Stundenbuch }",
    "metadata: { Date: about 1470, Shelf mark: Ms 10 }",
    "order: [page-2.png]",
    "canvases:",
    "  page-1.png: { label: { en: f. 1r }, metadata: { Illuminator: Jeanne de Montbaston } }",
    "  page-2.png: { label: { en: Saint <George> } }",
    "  chart.png: { hide: true }",
  );
  writeFileSync(
    join(root, "stored/manifest.json"),
    JSON.stringify({
      type: "Manifest",
      label: { fr: ["Une carte rare"] },
      items: [{ type: "Canvas", height: 1, width: 1, items: [] }],
    }),
  );
  app = await served(config());
  // On a busy machine some labels are read too late for the first pages.
  for (const [target, label] of [
    ["/", "Une carte rare"],
    ["/?in=hours", "f. 1r"],
  ] as const)
    await vi.waitFor(async () => expect(await html(target)).toContain(label), hang);
});
afterAll(() => rmSync(root, { recursive: true }));

const html = async (target: string, language = "en", of = app) => {
  const response = await of.get(target, { headers: { "Accept-Language": language } });
  expect([target, response.status]).toEqual([target, 200]);
  return response.text();
};
const all = (pattern: RegExp, text: string) => [...text.matchAll(pattern)].map(([, value = ""]) => value);
const folders = (text: string) => all(/<span class="name">(.*?)<\/span>/g, text);
const images = (text: string) => all(/class="picture"[^>]*><img[^>]*><span>(.*?)<\/span>/g, text);
const identifiers = (text: string) => all(/class="picture" [^>]*title="([^"]*)"/g, text);

describe("the start page", () => {
  test("shows the labels of manifest files, and nothing that they hide", async () => {
    const page = await html("/");
    expect(folders(page)).toEqual([
      "A book of hours",
      "Correspondence",
      '<bdi lang="fr">Une carte rare</bdi>',
    ]);
    expect(images(page)).toEqual(["A view from the top"]);
    expect(page).not.toMatch(/drafts|secret/);
    const hours = await html("/?in=hours");
    expect(images(hours)).toEqual(["Saint &lt;George&gt;", "cover.png", "f. 1r"]);
    expect(hours).not.toContain("chart.png");
    expect(hours).toContain("<h1>A book of hours</h1>");
    expect(page).toMatch(/A book of hours<\/span> <small class="quiet">3 pictures/);
  });

  test("shows them in the reader's language", async () => {
    const response = await app.get("/", { headers: { "Accept-Language": "de-AT, en;q=0.5" } });
    expect(response.headers.get("Vary")).toContain("Accept-Language");
    const page = await response.text();
    expect(folders(page)).toEqual(["Ein Stundenbuch", "Briefwechsel", '<bdi lang="fr">Une carte rare</bdi>']);
    expect(page).toContain("<h1>Die Bibliothek</h1>");
    expect(await html("/?in=hours", "de")).toContain("<title>Ein Stundenbuch – Die Bibliothek</title>");
  });

  test("has the title and the provider of the manifest file at the top", async () => {
    const page = await html("/");
    expect(page).toContain("<title>The library of Utopia</title>");
    expect(page).toContain("<h1>The library of Utopia</h1>");
    expect(page).toMatch(
      /<a class="provider" href="https:\/\/www\.example\.org\/"><img class="logo" src="https:\/\/cdn\.example\.org\/l\.svg" alt=""> University of Utopia<\/a>/,
    );
    const policy = (await app.get("/")).headers.get("Content-Security-Policy") ?? "";
    expect(policy).toMatch(/img-src [^;]*https:\/\/cdn\.example\.org/);
  });

  test("prefers the title and the provider of the configuration", async () => {
    const own = await served(
      config(
        "presentation: { title: { en: [Maps], nl: [Kaarten] }, provider: { label: The archive, homepage: /about, logo: /static/page/icon.svg } }",
      ),
    );
    expect(await html("/", "nl", own)).toContain("<h1>Kaarten</h1>");
    expect(await html("/", "en", own)).toContain(
      '<a class="provider" href="http://images.test/about"><img class="logo" src="http://images.test/static/page/icon.svg" alt=""> The archive</a>',
    );
  });

  test("takes no address of a script from a stored document", async () => {
    const other = mkdtempSync(join(tmpdir(), "smalti-labels-"));
    mkdirSync(join(other, "a"));
    const link = (id: string) => [{ id, type: "Text", label: { none: ["x"] } }];
    writeFileSync(
      join(other, "manifest.json"),
      JSON.stringify({
        type: "Collection",
        label: { none: ["Stored"] },
        provider: [{ label: { none: ["P"] }, homepage: link("javascript:alert(1)"), logo: link("data:,") }],
        items: [],
      }),
    );
    const own = await served(`sources: [{ name: a, type: filesystem, root: ${JSON.stringify(other)} }]`);
    const page = await html("/", "en", own);
    expect(page).toContain("<h1>Stored</h1>");
    expect(page).not.toMatch(/javascript:|data:,/);
    rmSync(other, { recursive: true });
  });
});

describe("the image to zoom in", () => {
  /**
   * Creates a site whose top contains only folders; files by their paths, those without a text are pictures.
   */
  const site = async (files: Readonly<Record<string, string | undefined>>, more = "") => {
    const folder = mkdtempSync(join(tmpdir(), "smalti-first-"));
    for (const [path, text] of Object.entries(files)) {
      mkdirSync(dirname(join(folder, path)), { recursive: true });
      if (text === undefined) copyFileSync(join(fixturesFolder, "base.png"), join(folder, path));
      else writeFileSync(join(folder, path), text);
    }
    const listed: string[] = [];
    const usual = nodeFiles();
    const list = (path: string) => {
      listed.push(path);
      return usual.list(path);
    };
    const own = await served(
      `sources: [{ name: a, type: filesystem, root: ${JSON.stringify(folder)} }${more}]`,
      {},
      { files: { ...usual, list } },
    );
    onTestFinished(() => rmSync(folder, { recursive: true }));
    return { ...own, folder, listed };
  };
  const pictures = { "aaa/secretpic.png": undefined, "aaa/z.png": undefined, "bbb/x.png": undefined };
  const zoomed = (page: string) => /id="viewer"[^>]* data-id="([^"]*)"/.exec(page)?.[1];
  const named = (page: string) => /<strong id="name"[^>]*>(.*?)<\/strong>/.exec(page)?.[1];

  test.each([
    [
      "an image",
      { "aaa/manifest.yaml": "canvases: { secretpic.png: { hide: true } }" },
      "aaa%2Fz.png",
      /secretpic/,
    ],
    ["a folder", { "manifest.yaml": "items: { aaa: { hide: true } }" }, "bbb%2Fx.png", /aaa/],
  ])(
    "is none that a manifest file hides, on the page and in the log: %s",
    async (_, files, expected, hidden) => {
      const own = await site({ ...pictures, ...files });
      const page = await html("/", "en", own);
      expect(zoomed(page)).toBe(expected);
      expect(page).not.toMatch(hidden);
      const { example } = await startFacts(own.service, { urls: [], file: undefined, results: [] });
      expect(example?.identifier).toBe(decodeURIComponent(expected));
    },
  );

  test("is the first in the order of its manifest file, under its label", async () => {
    const own = await site({
      ...pictures,
      "aaa/manifest.yaml":
        "order: [z.png]\ncanvases: { z.png: { label: { en: The last page, de: Die letzte Seite } } }",
    });
    const page = await html("/", "de", own);
    expect(zoomed(page)).toBe("aaa%2Fz.png");
    expect(named(page)).toBe("Die letzte Seite");
  });

  test("is further down if no folder at the top has a working one", async () => {
    const own = await site({ "aaa/broken.png": "no picture", "bbb/below/x.png": undefined });
    expect(zoomed(await html("/", "en", own))).toBe("bbb%2Fbelow%2Fx.png");
  });

  test("is in another source if the default one is empty", async () => {
    expect(zoomed(await html("/", "en", await site({})))).toBe(undefined);
    const scans = `, { name: scans, prefix: scans/, type: filesystem, root: ${JSON.stringify(root)} }`;
    expect(zoomed(await html("/", "en", await site({}, scans)))).toBe("scans%2Ftop.png");
  });

  test("is on the first page if it was added after the start", async () => {
    const own = await site({});
    expect(await startFacts(own.service, { urls: [], file: undefined, results: [] })).not.toHaveProperty(
      "example",
    );
    copyFileSync(join(fixturesFolder, "base.png"), join(own.folder, "new.png"));
    expect(zoomed(await html("/", "en", own))).toBe("new.png");
  });

  test("is known without another listing while those of the folders are valid", async () => {
    const own = await site(pictures);
    const page = await html("/", "en", own);
    // By now the index of the search has been read too.
    await vi.waitFor(async () => expect(await html("/?q=x", "en", own)).not.toContain("not complete"), hang);
    expect(new Set(own.listed.map((path) => basename(path)))).toContain("aaa");
    own.listed.length = 0;
    expect(await html("/", "en", own)).toBe(page);
    expect(own.listed).toEqual([]);
  });
});

describe("a search", () => {
  test.each([
    ["stundenbuch", ["A book of hours"], []],
    ["BOOK", ["A book of hours"], []],
    ["hours", ["A book of hours"], []],
    ["1470", ["A book of hours"], []],
    ["briefwechsel", ["Correspondence"], []],
    ["rare carte", ['<bdi lang="fr">Une carte rare</bdi>'], []],
    ["montbaston", [], ["hours/page-1.png"]],
    ["stundenbuch saint", [], ["hours/page-2.png"]],
    ["ms 10 cover", [], ["hours/cover.png"]],
    ["view top", [], ["top.png"]],
    ["chart", [], []],
    ["drafts", [], []],
    ["secret", [], []],
  ])(
    "covers labels and metadata in all languages, and never hidden entries: %s",
    async (words, inFolders, inImages) => {
      const page = await html(`/?q=${encodeURIComponent(words)}`);
      expect(folders(page)).toEqual(inFolders);
      expect(identifiers(page)).toEqual(inImages);
    },
  );

  test("shows labels, and the location of each entry", async () => {
    const page = await html("/?q=f.+1r");
    expect(images(page)).toEqual(["f. 1r"]);
    expect(page).toContain('<a class="where quiet" href="/?in=hours">A book of hours</a>');
  });
});
