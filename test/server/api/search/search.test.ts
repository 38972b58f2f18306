// Content Search on manifests over HTTP: what is found, where it is marked, and what viewers are sent.

import { afterAll, afterEach, beforeAll, beforeEach, describe, expect, test } from "vitest";
import { problemsOfSearch1, problemsOfSearch2 } from "../../../iiif/search/rules.ts";
import { type Served, served } from "../../../served.ts";
import { type Laid, layFolder } from "../presentation/folder.ts";
import { type Json, json } from "../presentation/walk.ts";
import { alto, box } from "./pages.ts";

const base = "http://images.test";
const manifest3 = (id: string) => `/iiif/presentation/3/${id}`;

/** The path of a service with a query. */
const search = (id: string, q: string, version = "2/presentation/3") =>
  `/iiif/search/${version}/${id}?q=${encodeURIComponent(q)}`;
const terms = (id: string, q: string, version = "2/presentation/3") =>
  search(id, q, version).replace("search", "autocomplete");

/** Number of the canvas and box of each annotation of a response of version 2. */
async function found(app: Served, path: string): Promise<readonly string[]> {
  const document = await json(app, path);
  expect(problemsOfSearch2(document)).toEqual([]);
  return document.items.map(({ target }: Json) => /\/canvas\/(.*)$/.exec(target)?.[1]);
}

describe("a book with the text of its pages", () => {
  let laid: Laid;
  let app: Served;
  beforeAll(async () => {
    laid = await layFolder();
    for (const page of [1, 2, 10]) await laid.put(`book/${page}.jpg`, "jpg-gray.jpg");
    await laid.write("book/1.xml", alto("Der alte Mann", "und das Meer"));
    await laid.write("book/ocr/2.xml", alto("Die Straße führt", "Ans MEER zurück"));
    await laid.write("book/10.xml", alto("Mann und Frau", "der alte Weg"));
    await laid.put("other/1.jpg", "jpg-gray.jpg");
    await laid.write("other/1.xml", alto("Das tote Meer"));
    await laid.put("plain/1.jpg", "jpg-gray.jpg");
    app = await served(laid.yaml());
  });
  afterAll(() => laid.drop());

  test.each([
    ["a word, in any case, in the order of the pages", "meer", [`1#${box(1, 2)}`, `2#${box(1, 1)}`]],
    ["a word without its accents", "fuhrt zuruck", [`2#${box(0, 2)}`, `2#${box(1, 2)}`]],
    ["a word in another spelling of one letter", "STRASSE", [`2#${box(0, 1)}`]],
    [
      "a phrase, also over the end of a line",
      '"mann und"',
      [`1#${box(0, 2)}`, `1#${box(1, 0)}`, `3#${box(0, 0, 1)}`],
    ],
    ["the beginning of words", "fr*", [`3#${box(0, 2)}`]],
    ["words in any order on one page", "weg frau", [`3#${box(0, 2)}`, `3#${box(1, 2)}`]],
    ["nothing if one of the words is on another page", "weg straße", []],
    ["nothing of another book", "tote", []],
    ["nothing for no word", "*", []],
  ])("finds %s", async (_, query, expected) => {
    expect(await found(app, search("book", query))).toEqual(expected);
  });

  test("names its services in the manifest, which lead to responses; without a text it names none", async () => {
    const { service } = await json(app, manifest3("book"));
    expect(service).toMatchObject([
      { type: "SearchService2", service: [{ type: "AutoCompleteService2" }] },
      {
        "@type": "SearchService1",
        profile: "http://iiif.io/api/search/1/search",
        service: [{ profile: "http://iiif.io/api/search/1/autocomplete" }],
      },
    ]);
    expect(service[0].profile).toBeUndefined();
    const { service: older } = await json(app, "/iiif/presentation/2/book");
    const services = [...service, ...[older].flat()].flatMap((one: Json) => [one, ...[one.service].flat()]);
    expect(services).toHaveLength(6);
    for (const one of services) {
      const id: string = one.id ?? one["@id"];
      expect(id.startsWith(`${base}/iiif/`)).toBe(true);
      const document = await json(app, `${id.slice(base.length)}?q=mee`);
      expect(/\/2\//.test(id) && one.id ? problemsOfSearch2(document) : problemsOfSearch1(document)).toEqual(
        [],
      );
    }
    expect((await json(app, manifest3("plain"))).service).toBeUndefined();
    const none = await app.get(search("plain", "meer"));
    expect([none.status, await none.json()]).toMatchObject([404, { code: "no_text" }]);
  });

  test.each([3, 2])("names the canvases of the manifest of version %i in version 1", async (version) => {
    const manifest = await json(app, `/iiif/presentation/${version}/book`);
    const canvases = version === 3 ? manifest.items : manifest.sequences[0].canvases;
    const ids = canvases.map((canvas: Json) => canvas.id ?? canvas["@id"]);
    const document = await json(app, search("book", "meer", `1/presentation/${version}`));
    expect(problemsOfSearch1(document)).toEqual([]);
    expect(document.resources.map(({ on }: Json) => on)).toEqual([
      `${ids[0]}#${box(1, 2)}`,
      `${ids[1]}#${box(1, 1)}`,
    ]);
    expect(document.hits).toMatchObject([
      { match: "Meer", before: "Der alte Mann und das ", after: "" },
      { match: "MEER", before: "Die Straße führt Ans ", after: " zurück" },
    ]);
    expect(document.within.total).toBe(2);
  });

  test("shows the line of each match in version 2, and the matched words in it", async () => {
    const { items, annotations } = await json(app, search("book", "frau"));
    expect(items[0].body).toMatchObject({ value: "Mann und Frau", format: "text/plain" });
    expect(annotations[0].items[0].target.selector).toMatchObject([{ prefix: "Mann und ", exact: "Frau" }]);
  });

  test("completes words in the spelling of the pages, the most frequent first", async () => {
    expect((await json(app, terms("book", "ma"))).items).toEqual([{ value: "Mann", total: 2 }]);
    const { items } = await json(app, terms("book", "d"));
    expect(items).toMatchObject([{ total: 2 }, { value: "das", total: 1 }, { value: "Die", total: 1 }]);
    const { terms: older } = await json(app, terms("book", "der a", "1/presentation/2"));
    expect(older).toMatchObject([{ match: "der alte", count: 2 }, { match: "der Ans" }]);
    expect(await found(app, search("book", "der alte"))).toHaveLength(2);
    expect((await json(app, `${terms("book", "a")}&min=2`)).items).toMatchObject([{ value: "alte" }]);
  });

  test("names parameters that make no difference, and obeys the others", async () => {
    const document = await json(app, `${search("book", "meer")}&user=a&date=b&motivation=supplementing`);
    expect(document.ignored.toSorted()).toEqual(["date", "user"]);
    expect(document.items).toHaveLength(2);
    expect((await json(app, `${search("book", "meer")}&motivation=tagging`)).items).toEqual([]);
    const beyond = await app.get(`${search("book", "meer")}&page=2`);
    expect([beyond.status, await beyond.json()]).toMatchObject([404, { code: "no_such_page" }]);
  });

  test("has a validator, and may be read and cached by anyone", async () => {
    const path = search("book", "meer");
    const first = await app.get(path);
    expect(first.headers.get("Access-Control-Allow-Origin")).toBe("*");
    expect(first.headers.get("Cache-Control")).toContain("public");
    const again = await app.get(path, { headers: { "If-None-Match": first.headers.get("ETag") ?? "" } });
    expect(again.status).toBe(304);
    const ld = await app.get(path, { headers: { Accept: "application/ld+json" } });
    expect(ld.headers.get("Content-Type")).toContain("http://iiif.io/api/search/2/context.json");
    expect(ld.headers.get("ETag")).not.toBe(first.headers.get("ETag"));
  });

  test.each([
    [
      "a query of 100 KB",
      `${search("book", "a").slice(0, -1)}${"a".repeat(100_000)}`,
      414,
      "target_too_long",
    ],
    ["a query of 1,001 characters", search("book", "a".repeat(1001)), 400, "invalid_search"],
    ["a page that is no number", `${search("book", "a")}&page=-1`, 400, "invalid_search"],
    ["another service", search("book", "a", "2/presentation/2"), 404, "no_such_page"],
    ["a book that does not exist", search("nowhere", "a"), 404, "no_such_manifest"],
    ["a path above the folder", search("../book", "a"), 404, "identifier_refused"],
  ])("refuses %s as JSON, whatever the client prefers", async (_, path, status, code) => {
    const refused = await app.get(path, { headers: { Accept: "text/html" } });
    expect([refused.status, (await refused.json()).code]).toEqual([status, code]);
    expect(refused.headers.get("Access-Control-Allow-Origin")).toBe("*");
  });

  test.each([
    '"',
    '"""*"*',
    "\u0000\ufffd\u{1f4a9}",
    "\ud800",
    "a* b* c* d* ".repeat(80),
    "(mann OR 1=1) && $where",
    "../../etc/passwd",
    "<script>alert(1)</script>",
    "%",
  ])("responds to the query %j", async (query) => {
    const path = search("book", "").concat(new URLSearchParams({ q: query }).toString().slice(2));
    expect(problemsOfSearch2(await json(app, path))).toEqual([]);
    await json(app, path.replace("search", "autocomplete"));
  });

  test("keeps markup in the text of a page from becoming markup in viewers", async () => {
    await laid.write("other/1.xml", alto("<img/src=x/onerror=alert(1)> pixel"));
    const text = await (await app.get(search("other", "pixel"))).text();
    expect(text).not.toMatch(/<[a-z]/);
    expect(text).toContain("<\u2060img");
  });
});

describe("the index of a book", () => {
  let laid: Laid;
  let app: Served;
  beforeEach(async () => {
    laid = await layFolder();
    for (const page of [1, 2]) await laid.put(`book/${page}.jpg`, "jpg-gray.jpg");
    await laid.write("book/1.xml", alto("eins zwei"));
    await laid.write("book/2.xml", alto("drei vier"));
  });
  afterEach(() => laid.drop());

  test("follows a changed, a damaged and a removed file, and a new page before the others", async () => {
    app = await served(laid.yaml());
    expect(await found(app, search("book", "drei"))).toEqual([`2#${box(0, 0)}`]);
    await laid.write("book/2.xml", alto("fünf sechs sieben"));
    expect(await found(app, search("book", "drei"))).toEqual([]);
    expect(await found(app, search("book", "sieben"))).toEqual([`2#${box(0, 2)}`]);
    await laid.put("book/0.jpg", "jpg-gray.jpg");
    expect(await found(app, search("book", "sieben"))).toEqual([`3#${box(0, 2)}`]);
    await laid.write("book/1.xml", alto("eins").slice(0, 200));
    expect(await found(app, search("book", "eins"))).toEqual([]);
    expect(await found(app, search("book", "sieben"))).toEqual([`3#${box(0, 2)}`]);
    await laid.remove("book/2.xml");
    expect(await found(app, search("book", "sieben"))).toEqual([]);
    for (const word of ["acht", "neun"]) {
      await laid.write("book/ocr/2.xml", alto(word));
      expect(await found(app, search("book", word))).toEqual([`3#${box(0, 0)}`]);
    }
  });

  test("works without a cache", async () => {
    app = await served(`${laid.yaml()}cache: { text: { backend: none } }\n`);
    expect(await found(app, search("book", "drei"))).toEqual([`2#${box(0, 0)}`]);
    expect(await found(app, search("book", "vier"))).toEqual([`2#${box(0, 1)}`]);
  });

  test("finds what its manifest shows, in its order", async () => {
    await laid.put("book/3.jpg", "jpg-gray.jpg");
    await laid.write("book/3.xml", alto("eins hier"));
    await laid.write("book/manifest.yaml", "order: [3.jpg]\ncanvases: { 2.jpg: { hide: true } }\n");
    app = await served(laid.yaml());
    expect(await found(app, search("book", "eins"))).toEqual([`3#${box(0, 0)}`, `1#${box(0, 0)}`]);
    expect(await found(app, search("book", "drei"))).toEqual([]);
    expect((await json(app, terms("book", "d"))).items).toEqual([]);
  });

  test("has the pages of a file of several, and of a single image", async () => {
    await laid.put("sheets/a.tif", "tif-multipage-3sizes.tif");
    for (const page of [1, 2, 3]) await laid.write(`sheets/a/${page}.xml`, alto(`Blatt${page} Rand`));
    app = await served(laid.yaml());
    const pages = (paths: readonly string[]) => paths.map((path) => path.split("#")[0]);
    expect(pages(await found(app, search("sheets", "rand")))).toEqual(["1", "2", "3"]);
    expect(pages(await found(app, search("sheets/a.tif", "blatt3")))).toEqual(["3"]);
    expect((await json(app, manifest3("sheets/a.tif"))).service).toHaveLength(2);
    await laid.write("sheets/a/3.xml", alto("Anders"));
    expect(pages(await found(app, search("sheets/a.tif", "blatt3")))).toEqual([]);
  });

  test("sends at most a thousand matches at a time", async () => {
    const line = "wort ".repeat(40).trim();
    await laid.write("book/1.xml", alto(...new Array<string>(30).fill(line)));
    app = await served(laid.yaml());
    const first = await json(app, search("book", "wort"));
    expect(problemsOfSearch2(first)).toEqual([]);
    expect(first.items).toHaveLength(1000);
    const second = await json(app, first.next.id.slice(base.length));
    expect(problemsOfSearch2(second)).toEqual([]);
    expect(second.items).toHaveLength(200);
    expect(new Set([...first.items, ...second.items].map(({ id }: Json) => id)).size).toBe(1200);
  });
});
