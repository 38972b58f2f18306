// The search in an exported site, compared with a search through all lines.

import { describe, expect, test } from "vitest";
import { type SiteFile, SiteIndex } from "../../../src/text/site/site-index.ts";
import { clausesOf, linesWith, OpenSite } from "../../../src/text/site/site-search.ts";
import { seeded } from "../../seeded.ts";

/** An index of pages, and a way to search it that counts the files it reads. */
function siteOf(pages: readonly (readonly string[])[]) {
  const index = new SiteIndex();
  index.addDocument("Book", "manifests/book.json");
  for (const [at, lines] of pages.entries())
    index.addPage(lines, {
      label: `${at + 1}`,
      file: `lines/${at}.json`,
      image: `images/${at}.jpg`,
      thumbnail: "",
    });
  const files = new Map([...index.files()].map(({ name, text }: SiteFile) => [name, text]));
  const read: string[] = [];
  const site = new OpenSite(async (name) => {
    read.push(name);
    return JSON.parse(files.get(name) ?? "null");
  });
  /** Returns the numbers of the pages with a query, and the words that are marked on each. */
  const search = async (query: string) => {
    const clauses = clausesOf(query);
    const found: [number, string[]][] = [];
    for (const page of await site.find(clauses)) {
      const words = linesWith(pages[page] ?? [], clauses).flatMap(({ words }) =>
        words.flatMap(({ text, isFound }) => (isFound ? [text] : [])),
      );
      if (words.length > 0) found.push([page, words]);
    }
    return found;
  };
  return { files, read, site, search };
}

describe("a search in an exported site", () => {
  const { search } = siteOf([
    ["Ein Älteres Buch, gedruckt", "in der Œuvre-Straße zu Quin-", "tal im Jahre 1912."],
    ["Das Buch der Bücher", "und der Biblio-", "Thek von l'eau"],
    ["東京都の図書館", "京都 文書"],
    ["المكتبة القديمة"],
  ]);

  test.each<[string, [number, string[]][]]>([
    [
      "buch",
      [
        [0, ["Buch,"]],
        [1, ["Buch"]],
      ],
    ],
    [
      "BUCH der",
      [
        [0, ["Buch,", "der"]],
        [1, ["Buch", "der", "der"]],
      ],
    ],
    ["alteres", [[0, ["Älteres"]]]],
    ["oeuvre strasse", [[0, ["Œuvre-Straße"]]]],
    [
      "buch*",
      [
        [0, ["Buch,"]],
        [1, ["Buch", "Bücher"]],
      ],
    ],
    ["buche*", [[1, ["Bücher"]]]],
    ['"buch der"', [[1, ["Buch", "der"]]]],
    ['"der Bücher und"', [[1, ["der", "Bücher", "und"]]]],
    ["quintal", [[0, ["Quin-", "tal"]]]],
    ['"zu quintal im"', [[0, ["zu", "Quin-", "tal", "im"]]]],
    ["tal", [[0, ["tal"]]]],
    // The next line begins with a capital letter: two words.
    ["bibliothek", []],
    ["eau", [[1, ["l'eau"]]]],
    ["東京", [[2, ["東京都の図書館"]]]],
    ["京都", [[2, ["東京都の図書館", "京都"]]]],
    ["京東", []],
    ["القديمه", [[3, ["القديمة"]]]],
    ["nowhere", []],
    ["buch nowhere", []],
    ["", []],
    ["« der Bücher »", [[1, ["der", "Bücher"]]]],
  ])("for %s finds what is printed", async (query, expected) => {
    expect(await search(query)).toEqual(expected);
  });

  test("agrees with a look at every page, for words, beginnings and phrases of random texts", async () => {
    const random = seeded(7);
    const vocabulary = Array.from({ length: 3000 }, (_, n) => `w${(n * 7919) % 100_003}${"abc"[n % 3]}`);
    const word = () => vocabulary[random(random(5) === 0 ? 20 : 3000)] as string;
    const pages = Array.from({ length: 900 }, () =>
      Array.from({ length: 6 }, () => Array.from({ length: 8 }, word).join(" ")),
    );
    const { files, read, site } = siteOf(pages);
    expect([...files.keys()].filter((name) => name.startsWith("terms-")).length).toBeGreaterThan(3);
    const texts = pages.map((lines) => ` ${lines.join(" ")} `);
    for (let n = 0; n < 50; n++) {
      const [one, two] = [word(), word()];
      const start = one.slice(0, 4);
      const some = pages[random(900)]?.[random(6)]?.split(" ").slice(2, 4).join(" ") ?? "";
      const cases: [string, (text: string) => boolean][] = [
        [one, (text) => text.includes(` ${one} `)],
        [`${one} ${two}`, (text) => text.includes(` ${one} `) && text.includes(` ${two} `)],
        [`"${some}"`, (text) => text.includes(` ${some} `)],
        [`${start}*`, (text) => text.includes(` ${start}`)],
      ];
      for (const [query, isOn] of cases) {
        const clauses = clausesOf(query);
        const isFound = (page: number) => linesWith(pages[page] ?? [], clauses).length > 0;
        const expected = texts.flatMap((text, page) => (isOn(text) ? [page] : []));
        // A beginning stands for 64 terms at most.
        const terms = query.endsWith("*") ? vocabulary.filter((each) => each.startsWith(start)).length : 0;
        if (terms > 60) continue;
        expect((await site.find(clauses)).filter(isFound), query).toEqual(expected);
      }
    }
    // Each file is read once.
    expect(new Set(read).size).toBe(read.length);
  });

  test("reads the head and one file for a word, whatever the size of the index", async () => {
    const pages = Array.from({ length: 500 }, (_, n) => [`page${n} common words here${n % 97} and x${n}y`]);
    const { files, read, search } = siteOf(pages);
    expect(files.size).toBeGreaterThan(3);
    expect(await search("x321y")).toEqual([[321, ["x321y"]]]);
    expect(read).toHaveLength(2);
  });

  test("has a head that names documents, and pages by their numbers", async () => {
    const { site } = siteOf([["one"], ["two"]]);
    expect(await site.head()).toMatchObject({ pages: 2, documents: [["Book", "manifests/book.json"]] });
    expect(await site.page(1)).toEqual([0, "2", "lines/1.json", "images/1.jpg", ""]);
  });
});
