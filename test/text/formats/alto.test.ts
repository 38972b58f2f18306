// ALTO: boxes, blocks, hyphens, order, languages. Expected values are those of the schema (ALTO 4.4) and of
// files of the libraries that src/text was written for.

import { expect, test } from "vitest";
import { linesOf, readPage, readPages } from "./read.ts";

/** A file of one page with this content in its print space. */
const alto = (content: string, { page = 'WIDTH="1000" HEIGHT="2000"', head = "" } = {}) =>
  `<?xml version="1.0" encoding="UTF-8"?><alto xmlns="http://www.loc.gov/standards/alto/ns-v4#">${head}<Layout>` +
  `<Page ID="p1" ${page}><PrintSpace HPOS="0" VPOS="0" WIDTH="900" HEIGHT="1800">${content}</PrintSpace></Page>` +
  "</Layout></alto>";

const unit = (name: string) => `<Description><MeasurementUnit>${name}</MeasurementUnit></Description>`;
const box = (x: number, y: number, width: number, height: number) =>
  `HPOS="${x}" VPOS="${y}" WIDTH="${width}" HEIGHT="${height}"`;
const line = (content: string, attributes = "") => `<TextLine ${attributes}>${content}</TextLine>`;
const block = (content: string, attributes = "") => `<TextBlock ${attributes}>${content}</TextBlock>`;
const string = (text: string, attributes = "") => `<String CONTENT="${text}" ${attributes}/>`;

test("a page has its size, and each word its text and box", () => {
  const page = readPage(
    alto(block(line(`${string("Hello", box(10, 20, 50, 30))}<SP/>${string("you", box(70, 20, 40, 30))}`))),
  );
  expect(page).toEqual({
    width: 1000,
    height: 2000,
    lines: [
      {
        box: [10, 20, 100, 30],
        block: 0,
        words: [
          { text: "Hello", box: [10, 20, 50, 30] },
          { text: "you", box: [70, 20, 40, 30] },
        ],
      },
    ],
  });
});

test.each([
  "http://schema.ccs-gmbh.com/ALTO",
  "http://www.loc.gov/standards/alto/ns-v2#",
  "http://www.loc.gov/standards/alto/ns-v3#",
])("the namespace %s makes no difference", (namespace) => {
  const file = alto(block(line(string("a")))).replace(/xmlns="[^"]*"/, `xmlns="${namespace}"`);
  expect(linesOf(readPage(file))).toEqual(["a"]);
});

test("a prefix and a byte order mark make no difference", () => {
  const file = `\ufeff${alto(block(line(string("a"))))}`
    .replace("xmlns=", "xmlns:a=")
    .replace(/(<\/?)(\w)/g, "$1a:$2");
  expect(linesOf(readPage(file))).toEqual(["a"]);
});

test("numbers may be fractions, cut exponents and outside of the page", () => {
  const words =
    string("a", 'HPOS="1.6478e" VPOS="2.5" WIDTH="10.1" HEIGHT="9.9"') + string("b", box(-5, 1990, 20, 50));
  expect(readPage(alto(block(line(words)))).lines[0]?.words.map((word) => word.box)).toEqual([
    [2, 3, 10, 9],
    [0, 1990, 15, 10],
  ]);
});

test.each([
  ["mm10", "", [900, 1800], true],
  ["inch1200", 'WIDTH="0" HEIGHT="0"', [900, 1800], true],
  ["pixel", 'WIDTH="400" HEIGHT="500"', [400, 500], true],
])("in %s with %s, the page or else its print space has the size %s", (name, page, size) => {
  const read = readPage(alto(block(line(string("a", box(1, 2, 3, 4)))), { page, head: unit(name) }));
  expect([read.width, read.height]).toEqual(size);
  expect(read.lines[0]?.words[0]?.box).toEqual([1, 2, 3, 4]);
});

test.each([
  ["mm10", undefined],
  ["inch1200", undefined],
  ["pixel", [1, 2, 3, 4]],
  ["", [1, 2, 3, 4]],
])("without any size, boxes in the unit '%s' are %s, and the text is kept", (name, expected) => {
  const file = alto(block(line(string("a", box(1, 2, 3, 4)))), { page: "", head: unit(name) });
  const page = readPage(file.replace(/<PrintSpace[^>]*>/, "<PrintSpace>"));
  expect([page.width, page.height]).toEqual([0, 0]);
  expect(page.lines[0]?.words).toEqual([{ text: "a", ...(expected && { box: expected }) }]);
});

test("blocks nest to some depth, and margins before the print space hold text too", () => {
  const nested = `<ComposedBlock><ComposedBlock>${block(line(string("inner")))}</ComposedBlock>${block(line(string("outer")))}</ComposedBlock>`;
  const file = alto(nested).replace(
    "<PrintSpace",
    `<TopMargin>${block(line(string("head")))}</TopMargin><PrintSpace`,
  );
  const page = readPage(file);
  expect(linesOf(page)).toEqual(["head", "inner", "outer"]);
  expect(page.lines.map((one) => one.block)).toEqual([0, 1, 2]);
});

/** The first part of a word and what joins it to the second, for two lines. */
function joined(first: string, second: string): string | undefined {
  return readPage(alto(block(line(first) + line(second)))).lines[0]?.words.at(-1)?.joined;
}

test.each([
  [
    "the whole word on both parts",
    `${string("quin", 'SUBS_TYPE="HypPart1" SUBS_CONTENT="quintal"')}<HYP CONTENT="-"/>`,
    string("tal", 'SUBS_TYPE="HypPart2" SUBS_CONTENT="quintal"'),
    "quintal",
  ],
  [
    "an empty whole word on the second part",
    `${string("quin", 'SUBS_TYPE="HypPart1" SUBS_CONTENT="quintal"')}<HYP CONTENT="-"/>`,
    string("tal", 'SUBS_TYPE="HypPart2" SUBS_CONTENT=""'),
    "quintal",
  ],
  ["a mark of the first part alone", string("quin", 'SUBS_TYPE="HypPart1"'), string("tal"), "quintal"],
  ["a sign of negation", string("vien¬"), string("nent,"), "viennent,"],
  ["a plain hyphen", string("quin-"), string("tal"), "quintal"],
  ["an empty hyphen element", `${string("quin")}<HYP CONTENT=""/>`, string("tal"), "quintal"],
  ["a soft hyphen element", `${string("quin")}<HYP CONTENT="\u00ad"/>`, string("tal"), "quintal"],
  ["a double hyphen", string("Quin⸗"), string("tal"), "Quintal"],
])("two parts of a word are joined by %s", (_, first, second, whole) => {
  expect(joined(first, second)).toBe(whole);
});

test.each([
  ["a dash alone", string("–") + string("-"), string("tal")],
  ["a name after the hyphen", string("Jean-"), string("Paul")],
  ["no hyphen", string("quin"), string("tal")],
  [
    "the line of another word after a marked part",
    string("quin", 'SUBS_TYPE="HypPart1" SUBS_CONTENT="quintal"'),
    string("caption"),
  ],
])("two words are not joined by %s", (_, first, second) => {
  expect(joined(first, second)).toBeUndefined();
});

test("a hyphen element belongs to its word, and widens its box", () => {
  const words = `${string("quin", box(10, 20, 40, 30))}<HYP CONTENT="\u00ad" HPOS="50" VPOS="30" WIDTH="8"/>`;
  const [word] = readPage(alto(block(line(words) + line(string("tal"))))).lines[0]!.words;
  expect(word).toEqual({ text: "quin-", box: [10, 20, 48, 30], joined: "quintal" });
});

test("a hyphen element after an empty string belongs to the word before", () => {
  const words = `${string("quin")}${string("")}<HYP CONTENT="-"/>`;
  expect(linesOf(readPage(alto(block(line(words)))))).toEqual(["quin-"]);
});

test("a line of one string without a box shares its own out by length", () => {
  const page = readPage(alto(block(line(string("four by four"), box(0, 10, 120, 20)))));
  expect(page.lines[0]?.words).toEqual([
    { text: "four", box: [0, 10, 40, 20] },
    { text: "by", box: [50, 10, 20, 20] },
    { text: "four", box: [80, 10, 40, 20] },
  ]);
});

test("the box of a line is shared out from the right in Hebrew, and from the top if it stands upright", () => {
  const shared = (text: string, edges: string) =>
    readPage(alto(block(line(string(text), edges)))).lines[0]?.words.map((word) => word.box);
  expect(shared("שלום עם", box(100, 0, 70, 20))).toEqual([
    [130, 0, 40, 20],
    [100, 0, 20, 20],
  ]);
  expect(shared("ab cd", box(10, 100, 10, 50))).toEqual([
    [10, 100, 10, 20],
    [10, 130, 10, 20],
  ]);
});

test("a polygon is the box of a line or a word without numbers", () => {
  const shape = '<Shape><Polygon POINTS="10,20 110,25 108,50 9,48"/></Shape>';
  const page = readPage(alto(block(line(shape + string("word")))));
  expect(page.lines[0]).toEqual({
    box: [9, 20, 101, 30],
    block: 0,
    words: [{ text: "word", box: [9, 20, 101, 30] }],
  });
});

test("empty strings and boxes without a size count for nothing", () => {
  const page = readPage(
    alto(block(line(string("", box(1, 1, 5, 5)) + string("a", box(1, 1, 0, 0))) + line(""))),
  );
  expect(page.lines).toEqual([{ block: 0, words: [{ text: "a" }] }]);
});

test("control characters and white space separate words, and references are decoded", () => {
  expect(linesOf(readPage(alto(block(line(string("a&#10;b&#x7;&amp;c&lt;&undefined;"))))))).toEqual([
    "a b &c<&undefined;",
  ]);
});

test("soft hyphens and byte order marks inside of words are removed", () => {
  expect(
    linesOf(readPage(alto(block(line(string("mu\u00adsic") + string("em\ufeffper") + string("\ufeff")))))),
  ).toEqual(["music emper"]);
});

test("alternatives and glyphs are no words", () => {
  const content =
    '<String CONTENT="house"><ALTERNATIVE>horse</ALTERNATIVE><Glyph CONTENT="h"><Variant CONTENT="n"/></Glyph></String>';
  expect(linesOf(readPage(alto(block(line(content)))))).toEqual(["house"]);
});

const reference = (id: string) => `<ElementRef ID="r-${id}" REF="${id}"/>`;
const orders = (content: string) => ({ head: `<ReadingOrder>${content}</ReadingOrder>` });

test("a reading order sorts blocks, lines and words; what it does not name comes after", () => {
  const content =
    block(line(string("rest"), 'ID="l0"'), 'ID="b0"') +
    block(line(string("second"), 'ID="l1"') + line(string("first"), 'ID="l2"'), 'ID="b1"') +
    block(line(string("y", 'ID="s1"') + string("x", 'ID="s0"'), 'ID="l3"'), 'ID="b2"') +
    block(line(string("begin"), 'ID="l4"') + line(string("go"), 'ID="l5"'), 'ID="b3"');
  const order = `<OrderedGroup ID="g">${["b3", "l2", "l1", "s0", "s1"].map(reference).join("")}</OrderedGroup>`;
  expect(linesOf(readPage(alto(content, orders(order))))).toEqual([
    "begin",
    "go",
    "first",
    "second",
    "x y",
    "rest",
  ]);
});

test("of several orders in an unordered group the first counts", () => {
  const content = block(line(string("a")), 'ID="b0"') + block(line(string("b")), 'ID="b1"');
  const group = (...ids: string[]) =>
    `<OrderedGroup ID="g${ids[0]}">${ids.map(reference).join("")}</OrderedGroup>`;
  const order = `<UnorderedGroup ID="u">${group("b1", "b0")}${group("b0", "b1")}</UnorderedGroup>`;
  expect(linesOf(readPage(alto(content, orders(order))))).toEqual(["b", "a"]);
});

test("blocks follow each other by IDNEXT, and circles end", () => {
  const content =
    block(line(string("a")), 'ID="b0" IDNEXT="b2"') +
    block(line(string("c")), 'ID="b1"') +
    block(line(string("b")), 'ID="b2" IDNEXT="b1"') +
    block(line(string("d")), 'ID="b3" IDNEXT="b4"') +
    block(line(string("e")), 'ID="b4" IDNEXT="b3"');
  expect(linesOf(readPage(alto(content)))).toEqual(["a", "b", "c", "d", "e"]);
});

test("languages of page, block and line are BCP 47; a line says its own only if it differs", () => {
  const content =
    block(line(string("eins")), 'language="ger"') +
    block(line(string("two"), 'LANG="eng"') + line(string("un")), 'LANG="fr"');
  const page = readPage(alto(content, { page: 'WIDTH="9" HEIGHT="9" LANG="German"' }));
  expect([page.language, ...page.lines.map((one) => one.language)]).toEqual(["de", undefined, "en", "fr"]);
  expect(readPage(alto(block(line(string("eins")), 'LANG="deu"'))).language).toBe("de");
});

test("several pages are pictures of one file, with the name of the file without folders", () => {
  const head =
    "<Description><sourceImageInformation><fileName>D:\\scans\\book.tif</fileName></sourceImageInformation></Description>";
  const file = alto(block(line(string("one"))), { head }).replace(
    "</Page>",
    '</Page><Page WIDTH="5" HEIGHT="6"/>',
  );
  expect(readPages(file).map(({ index, imageName, text }) => [index, imageName, text.width])).toEqual([
    [0, "book.tif", 1000],
    [1, "book.tif", 5],
  ]);
  expect(readPages(alto("", { head: head.replace("D:\\scans\\book.tif", "\t\t\t") }))[0]).not.toHaveProperty(
    "imageName",
  );
});
