// Search in the text of whole sources: what is found, in which order, and what is built again after changes
// and losses.

import { join } from "node:path";
import { afterAll, beforeAll, beforeEach, describe, expect, test } from "vitest";
import { ServiceError } from "../../../../src/base/errors.ts";
import type { DocumentContext } from "../../../../src/iiif/index.ts";
import type { Caller } from "../../../../src/server/access/access.ts";
import { locationOf } from "../../../../src/server/manifests/locations.ts";
import {
  SourceTextIndex,
  type SourceTextIndexParts,
} from "../../../../src/server/manifests/source-texts/source-text-index.ts";
import { createSourceTexts } from "../../../../src/server/manifests/source-texts/source-text-search.ts";
import { type SlotWordsParts, slotWords } from "../../../../src/server/manifests/source-texts/word-index.ts";
import type { PageTexts } from "../../../../src/server/manifests/texts/page-texts.ts";
import { TextIndex } from "../../../../src/server/manifests/texts/text-index.ts";
import type { Service } from "../../../../src/server/service.ts";
import { OpenSegments } from "../../../../src/text/index.ts";
import { type Served, served } from "../../../served.ts";
import { type Gated, gated } from "../../api/access/gated.ts";
import { type Laid, layFolder } from "../../api/presentation/folder.ts";
import { alto } from "../../api/search/pages.ts";
import { slotInMemory } from "../texts/slot.ts";

const base = "https://images.example.org";
const context: DocumentContext = {
  base,
  imagePrefixes: { 2: "/iiif/2/", 3: "/iiif/3/" },
  limits: { maxWidth: 0, maxHeight: 0, maxArea: 0 },
} as unknown as DocumentContext;

const callerWith = (headers: Readonly<Record<string, string>>): Caller => ({
  identifier: "",
  path: "",
  header: (name) => headers[name.toLowerCase()],
});

interface Asked {
  readonly within?: string;
  readonly headers?: Readonly<Record<string, string>>;
  readonly from?: number;
  readonly count?: number;
}

/** Searches without waiting for the index. */
async function search(
  service: Service,
  query: string,
  { within = "", headers = {}, from = 0, count = 20 }: Asked = {},
) {
  const location = locationOf(service.sources, within);
  const caller = callerWith(headers);
  const request = { location, isRoot: within === "", query, caller, context, from, count };
  const { pages, sharing: _, ...found } = await service.sourceTexts!.find(request);
  return { images: pages.map(({ image }) => image), pages, ...found };
}

async function prepare(service: Service) {
  for (const source of service.sources.all) await service.sourceTexts!.prepare(source);
}

describe("a library of books", () => {
  let laid: Laid;
  let app: Served;
  beforeAll(async () => {
    laid = await layFolder();
    for (const page of [1, 2, 10]) {
      await laid.put(`books/one/${page}.jpg`, "jpg-gray.jpg");
      await laid.write(`books/one/${page}.xml`, alto(`Erste Seite${page}`, "gemeinsam Wort"));
    }
    await laid.put("books/two/1.jpg", "jpg-gray.jpg");
    await laid.write("books/two/ocr/1.xml", alto("Zweites Buch gemeinsam"));
    await laid.put("single.jpg", "jpg-gray.jpg");
    await laid.write("single.txt", "ganz gemeinsam");
    await laid.put("hidden/1.jpg", "jpg-gray.jpg");
    await laid.write("hidden/1.xml", alto("verborgen gemeinsam"));
    await laid.put("some/1.jpg", "jpg-gray.jpg");
    await laid.put("some/2.jpg", "jpg-gray.jpg");
    for (const page of [1, 2]) await laid.write(`some/${page}.xml`, alto(`Teil${page} gemeinsam`));
    await laid.write("some/manifest.yaml", "canvases: { 1.jpg: { hide: true } }\n");
    await laid.write("manifest.yaml", "items: { hidden: { hide: true } }\n");
    app = await served(laid.yaml());
    await prepare(app.service);
  });
  afterAll(async () => {
    await app.service.close();
    await laid.drop();
  });

  test("is searched as a whole, in the order of folders and numbers", async () => {
    const { images, total, next, lack } = await search(app.service, "gemeinsam");
    expect(images).toEqual([
      "single.jpg",
      "books/one/1.jpg",
      "books/one/2.jpg",
      "books/one/10.jpg",
      "books/two/1.jpg",
      "some/2.jpg",
    ]);
    expect([total, next, lack]).toEqual([6, undefined, undefined]);
  });

  test("is searched page by page of a list", async () => {
    const first = await search(app.service, "gemeinsam", { count: 4 });
    const second = await search(app.service, "gemeinsam", { from: first.next!, count: 4 });
    expect([first.next, second.next, first.total, second.total]).toEqual([4, undefined, 6, 6]);
    expect([...first.images, ...second.images]).toHaveLength(6);
    expect(second.images).toEqual(["books/two/1.jpg", "some/2.jpg"]);
  });

  test("is searched in one of its folders", async () => {
    expect((await search(app.service, "gemeinsam", { within: "books" })).images).toHaveLength(4);
    const one = await search(app.service, "gemeinsam", { within: "books/one" });
    expect([one.images, one.total]).toEqual([["books/one/1.jpg", "books/one/2.jpg", "books/one/10.jpg"], 3]);
    expect((await search(app.service, "zweites", { within: "books/one" })).total).toBe(0);
  });

  test("shows neither folders nor images that manifest files hide", async () => {
    for (const query of ["verborgen", "Teil1", "Teil1 gemeinsam", "verb*"])
      expect([query, (await search(app.service, query)).total]).toEqual([query, 0]);
  });

  test("shows the line, the box and the canvas of each word", async () => {
    const { pages } = await search(app.service, "wort", { within: "books/one" });
    const [page] = pages;
    expect(page).toMatchObject({
      image: "books/one/1.jpg",
      document: { id: `${base}/iiif/presentation/3/books/one`, label: { none: ["one"] } },
      canvas: { id: `${base}/iiif/presentation/3/books/one/canvas/1`, width: 600, height: 400 },
      matches: [{ parts: [{ before: "gemeinsam ", exact: "Wort", after: "", box: [130, 100, 70, 20] }] }],
    });
  });
});

describe("a library that changes", () => {
  let laid: Laid;
  let app: Served;
  beforeEach(async () => {
    laid = await layFolder();
    for (const folder of ["a", "b"]) {
      await laid.put(`${folder}/1.jpg`, "jpg-gray.jpg");
      await laid.write(`${folder}/1.xml`, alto(`eins ${folder}`));
    }
    app = await served(laid.yaml());
    await prepare(app.service);
    return async () => {
      await app.service.close();
      await laid.drop();
    };
  });
  const found = async (query: string) => (await search(app.service, query)).images;

  test("is found as it is after the next reading", async () => {
    await laid.write("a/1.xml", alto("zwei"));
    await laid.remove("b");
    await laid.put("c/1.jpg", "jpg-gray.jpg");
    await laid.write("c/1.xml", alto("drei"));
    await prepare(app.service);
    expect(await found("eins")).toEqual([]);
    expect(await found("zwei")).toEqual(["a/1.jpg"]);
    expect(await found("drei")).toEqual(["c/1.jpg"]);
  });

  test("says that it is read as long as that has not been done", async () => {
    const fresh = await served(laid.yaml());
    expect((await search(fresh.service, "eins")).lack ?? "reading").toBe("reading");
    await expect.poll(async () => (await search(fresh.service, "eins")).lack).toBeUndefined();
    expect((await search(fresh.service, "eins")).images).toEqual(["a/1.jpg", "b/1.jpg"]);
    await fresh.service.close();
  });
});

/** An index of the parts of a service over a slot of its own, as another server has it. */
function another(
  service: Service,
  slot: ReturnType<typeof slotInMemory>,
  { index: own, ...over }: Partial<SourceTextIndexParts> & { index?: SlotWordsParts["index"] } = {},
) {
  const { images, sources, folders, texts, auth, manifests } = service;
  const warnings: string[] = [];
  const read: string[] = [];
  const readRecord: PageTexts["readRecord"] = (files) => {
    read.push(...files.map(({ name }) => name));
    return texts.readRecord(files);
  };
  const counted = { ...texts, readRecord };
  const words = slotWords({ slot, index: own ?? new TextIndex({ texts: counted, slot }) });
  const index = new SourceTextIndex({
    ...{ images, sources, folders, ...(auth && { auth }), options: { pages: "all" } },
    texts: counted,
    words,
    revalidateMs: () => 60_000,
    log: { warn: (message) => void warnings.push(message) },
    ...over,
  });
  const sourceTexts = createSourceTexts({
    images,
    sources,
    manifests: manifests!,
    texts: counted,
    index,
    words,
  });
  return { service: { ...service, sourceTexts }, warnings, read };
}

describe("an index in a slot", () => {
  let laid: Laid;
  let app: Served;
  beforeEach(async () => {
    laid = await layFolder();
    for (const folder of ["a", "b"]) {
      await laid.put(`${folder}/1.jpg`, "jpg-gray.jpg");
      await laid.write(`${folder}/1.xml`, alto(`eins ${folder}`));
    }
    app = await served(laid.yaml("revalidate: 1h"));
    return async () => {
      await app.service.close();
      await laid.drop();
    };
  });
  const found = async (service: Service, query: string) => {
    const { images, lack } = await search(service, query);
    return [images, lack];
  };

  test("is what another server uses, and has the same bytes if that builds it itself", async () => {
    const slot = slotInMemory();
    const first = another(app.service, slot);
    await prepare(first.service);
    const second = another(app.service, slot);
    await prepare(second.service);
    expect(await found(second.service, "eins")).toEqual([["a/1.jpg", "b/1.jpg"], undefined]);
    expect([first.read, second.read]).toEqual([["1.xml", "1.xml"], []]);
    const own = slotInMemory();
    await prepare(another(app.service, own).service);
    expect(own.values).toEqual(slot.values);
  });

  test("is built again if its blocks are lost, and the search says that it is read", async () => {
    const slot = slotInMemory();
    await prepare(another(app.service, slot).service);
    for (const key of slot.values.keys()) if (!key.startsWith("words-groups/")) slot.values.delete(key);
    const server = another(app.service, slot);
    await prepare(server.service);
    expect(await found(server.service, "eins")).toEqual([[], "reading"]);
    await expect.poll(() => found(server.service, "eins")).toEqual([["a/1.jpg", "b/1.jpg"], undefined]);
    expect(server.warnings).toEqual([]);
  });

  test("that does not stay in its slot is not built again and again, and the operator learns it", async () => {
    const nothing = { ...slotInMemory(), get: async () => undefined };
    let time = 0;
    const index = {
      write: async () => {},
      segments: new OpenSegments({ read: async () => undefined, write: async () => {} }, 1000),
    };
    const server = another(app.service, nothing, { index, now: () => time });
    await prepare(server.service);
    expect(server.read).toHaveLength(2);
    for (let attempt = 0; attempt < 3; attempt++) {
      time += 120_000;
      expect(await found(server.service, "eins")).toEqual([[], attempt === 0 ? "reading" : "unreadable"]);
      await prepare(server.service);
    }
    expect(server.read).toHaveLength(2);
    expect(server.warnings).toEqual([expect.stringContaining("cache.text")]);
    time += 600_000;
    await prepare(server.service);
    expect(server.read).toHaveLength(4);
  });

  test("lacks a page whose file cannot be read, says so, and has it later", async () => {
    const slot = slotInMemory();
    let time = 0;
    let isBroken = true;
    const { texts } = app.service;
    const readRecord: PageTexts["readRecord"] = async (files) => {
      if (isBroken && files[0]?.location.key === "a/1.xml")
        throw new ServiceError("source", "It does not respond.");
      return texts.readRecord(files);
    };
    const server = another(app.service, slot, { texts: { ...texts, readRecord }, now: () => time });
    await prepare(server.service);
    expect(await found(server.service, "eins")).toEqual([["b/1.jpg"], "unreadable"]);
    expect([...slot.values.keys()].filter((key) => key.startsWith("words-groups/"))).toEqual([]);
    isBroken = false;
    time += 600_000;
    await prepare(server.service);
    expect(await found(server.service, "eins")).toEqual([["a/1.jpg", "b/1.jpg"], undefined]);
  });
});

describe("pages under rules", () => {
  let laid: Laid;
  let site: Gated;
  beforeAll(async () => {
    laid = await layFolder();
    const put = async (path: string, words: string) => {
      await laid.put(`${path}.jpg`, "jpg-gray.jpg");
      await laid.write(`${path}.xml`, alto(words));
    };
    await put("open/1", "Offen gemeinsam");
    await put("open/staff", "Geheimnis gemeinsam");
    await put("open/terms", "Vertraulich gemeinsam");
    await put("closed/1", "Verschlossen gemeinsam");
    await put("kept/free", "Frei gemeinsam");
    const access_service = "access_service: { backend: builtin }";
    site = await gated({
      folder: laid.root,
      auth: `
  profiles:
    staff: { pattern: clickthrough, ${access_service} }
    terms: { pattern: clickthrough, ${access_service}, substitute: { max_size: "!100,100" } }
    docs: { pattern: clickthrough, documents: gated, ${access_service} }
  rules:
    - { match: open/staff.jpg, profile: staff }
    - { match: open/terms.jpg, profile: terms }
    - { match: closed/*, profile: docs }
    - { match: kept, profile: docs }
`,
    });
    await prepare(site.app.service);
  });
  afterAll(() => site.close());

  const words = {
    "open/staff.jpg": "Geheimnis",
    "open/terms.jpg": "Vertraulich",
    "closed/1.jpg": "Verschlossen",
  };

  test("are neither found nor counted for others, by words, beginnings and phrases", async () => {
    const open = await search(site.app.service, "gemeinsam");
    const none = await search(site.app.service, "gibtesnicht");
    expect([open.images, open.total]).toEqual([["open/1.jpg"], 1]);
    for (const word of [...Object.values(words), "Frei"])
      for (const query of [word, `${word.slice(0, 4)}*`, `"${word} gemeinsam"`, `${word} gemeinsam`])
        expect([query, await search(site.app.service, query)]).toEqual([query, none]);
  });

  test.each(["staff", "terms", "docs"])(
    "of the profile %s are found by its readers alone",
    async (profile) => {
      const headers = { cookie: await site.cookie(profile) };
      const expected = {
        staff: ["open/1.jpg", "open/staff.jpg"],
        terms: ["open/1.jpg", "open/terms.jpg"],
        docs: ["closed/1.jpg", "kept/free.jpg", "open/1.jpg"],
      }[profile];
      const found = await search(site.app.service, "gemeinsam", { headers });
      expect([found.images, found.total]).toEqual([expected, expected?.length]);
      for (const [image, word] of Object.entries(words))
        expect([word, (await search(site.app.service, word, { headers })).images]).toEqual([
          word,
          expected?.includes(image) ? [image] : [],
        ]);
    },
  );
});

test("pages that a hook decides on are found by those whom it lets in, and not counted", async () => {
  const laid = await layFolder();
  for (const page of [1, 2, 3]) {
    await laid.put(`book/${page}.jpg`, "jpg-gray.jpg");
    await laid.write(`book/${page}.xml`, alto(`Seite${page} gemeinsam`));
  }
  await laid.write(
    "hook.mjs",
    `export const authorize = ({ identifier, headers }) => {
  const page = /(\\d)\\.jpg$/.exec(identifier)?.[1] ?? "-";
  return (headers["x-pages"] ?? "").includes(page) || page === "-" ? { allow: true } : { allow: false, status: 401 };
};`,
  );
  const hook = JSON.stringify(join(laid.root, "hook.mjs"));
  const app = await served(`${laid.yaml()}hook: { engine: js, headers: [x-pages], js: { file: ${hook} } }\n`);
  await prepare(app.service);
  const none = await search(app.service, "gibtesnicht");
  for (const pages of ["123", "2", "13", ""]) {
    const headers = { "x-pages": pages };
    const own = [...pages].map((page) => `book/${page}.jpg`);
    const found = await search(app.service, "gemeinsam", { headers });
    expect([found.images, found.total]).toEqual([own, undefined]);
    for (const page of ["1", "2", "3"])
      if (!pages.includes(page))
        expect(await search(app.service, `seite${page}*`, { headers })).toEqual(none);
  }
  await app.service.close();
  await laid.drop();
});

test("a search that decides on 500 pages says so to those who may read them all, and to nobody else", async () => {
  const laid = await layFolder();
  for (let page = 1; page <= 501; page++) {
    await laid.put(`book/${page}.jpg`, "jpg-1x1.jpg");
    await laid.write(`book/${page}.txt`, "gemeinsam");
  }
  await laid.write(
    "hook.mjs",
    `export const authorize = ({ identifier, headers }) =>
  identifier.endsWith("/7.jpg") && !headers["x-all"] ? { allow: false, status: 401 } : { allow: true };`,
  );
  const hook = JSON.stringify(join(laid.root, "hook.mjs"));
  const app = await served(`${laid.yaml()}hook: { engine: js, headers: [x-all], js: { file: ${hook} } }\n`);
  await prepare(app.service);
  const all = await search(app.service, "gemeinsam", { headers: { "x-all": "yes" }, from: 490 });
  expect([all.images.length, all.isCapped, all.total]).toEqual([10, true, undefined]);
  const some = await search(app.service, "gemeinsam", { from: 490 });
  expect([some.images.length, some.isCapped, some.total]).toEqual([9, false, undefined]);
  await app.service.close();
  await laid.drop();
});

test("an access of another program is asked about each page", async () => {
  const laid = await layFolder();
  for (const page of [1, 2]) {
    await laid.put(`book/${page}.jpg`, "jpg-gray.jpg");
    await laid.write(`book/${page}.xml`, alto(`Seite${page} gemeinsam`));
  }
  const refused = { allowed: false, status: 401, reason: "No.", cachedBy: "caller", vary: [] } as const;
  const granted = { allowed: true, tier: "public", cachedBy: "anyone", vary: [] } as const;
  const app = await served(
    laid.yaml(),
    {},
    {
      access: { decide: ({ identifier }) => (identifier === "book/1.jpg" ? refused : granted) },
    },
  );
  await prepare(app.service);
  const found = await search(app.service, "gemeinsam");
  expect([found.images, found.total]).toEqual([["book/2.jpg"], undefined]);
  await app.service.close();
  await laid.drop();
});

test.each([
  "presentation: { texts: false }",
  "presentation: { enabled: false }",
  "cache: { text: { backend: none } }",
])("nothing is indexed with %s", async (yaml) => {
  const app = await served(`${yaml}\n`);
  expect(app.service.sourceTexts).toBeUndefined();
  await app.service.close();
});
