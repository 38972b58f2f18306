// PAGE 2009 to 2024: coordinates, texts of each level, reading orders. Expected values are those of the
// schema (2019-07-15) and of the OCR-D specification.

import { expect, test } from "vitest";
import { linesOf, readPage, readPages } from "./read.ts";

const file = (content: string, { order = "", version = "2019-07-15", language = "" } = {}) =>
  `<PcGts xmlns="http://schema.primaresearch.org/PAGE/gts/pagecontent/${version}"><Metadata/>` +
  `<Page imageFilename="images/0001.tif" imageWidth="1000" imageHeight="2000" ${language}>` +
  `<AlternativeImage filename="small.png"/>${order}${content}</Page></PcGts>`;
const coords = (points: string) => `<Coords points="${points}"/>`;
const text = (value: string, index = "") => `<TextEquiv ${index}><Unicode>${value}</Unicode></TextEquiv>`;
const region = (id: string, content: string, attributes = "") =>
  `<TextRegion id="${id}" ${attributes}>${content}</TextRegion>`;
const line = (content: string, attributes = "") => `<TextLine ${attributes}>${content}</TextLine>`;
const word = (value: string, points = "") => `<Word>${coords(points)}${text(value)}</Word>`;
const wordsOf = (content: string) => readPage(file(region("r", content))).lines[0]?.words;

test.each(["2009-03-16", "2013-07-15", "2019-07-15", "2024-07-15"])(
  "words of version %s have the box of their polygon",
  (version) => {
    const words = word("Hello", "10,20 60,22 58,50 9,49") + word("you", "70,20 110,50");
    const [read] = readPages(file(region("r", line(coords("5,15 120,55") + words)), { version }));
    expect(read).toEqual({
      index: 0,
      imageName: "0001.tif",
      text: {
        width: 1000,
        height: 2000,
        lines: [
          {
            box: [5, 15, 115, 40],
            block: 0,
            words: [
              { text: "Hello", box: [9, 20, 51, 30] },
              { text: "you", box: [70, 20, 40, 30] },
            ],
          },
        ],
      },
    });
  },
);

test("coordinates before 2013 are points", () => {
  const points = '<Coords><Point x="10" y="20"/><Point x="30" y="50"/></Coords>';
  expect(wordsOf(line(`<Word>${points}${text("a")}</Word>`))).toEqual([{ text: "a", box: [10, 20, 20, 30] }]);
});

test("without coordinates a word has those of its glyphs, a line those of its words or of its region", () => {
  const glyphs = `<Glyph>${coords("10,20 20,40")}${text("x")}</Glyph><Glyph>${coords("20,22 33,44")}</Glyph>`;
  expect(
    readPage(file(region("r", line(`<Coords/><Word><Coords/>${glyphs}${text("ab")}</Word>`)))).lines,
  ).toEqual([{ box: [10, 20, 23, 24], block: 0, words: [{ text: "ab", box: [10, 20, 23, 24] }] }]);
  expect(readPage(file(region("r", coords("0,0 90,10") + line(text("four a b"))))).lines[0]?.box).toEqual([
    0, 0, 90, 10,
  ]);
});

test("the text with the lowest index counts, and plain text only without Unicode", () => {
  expect(wordsOf(line(text("second", 'index="1"') + text("first", 'index="0"')))).toEqual([
    { text: "first" },
  ]);
  expect(wordsOf(line("<TextEquiv><PlainText>plain</PlainText><Unicode/></TextEquiv>"))).toEqual([
    { text: "plain" },
  ]);
  expect(wordsOf(line(text("a &amp;&#x20;<![CDATA[<b>]]>")))).toEqual([
    { text: "a" },
    { text: "&" },
    { text: "<b>" },
  ]);
});

test("the text of a line is split and shares its box out", () => {
  expect(wordsOf(line(coords("0,0 90,10") + text("two words")))).toEqual([
    { text: "two", box: [0, 0, 30, 10] },
    { text: "words", box: [40, 0, 50, 10] },
  ]);
});

test("words that make up the text of their line keep their boxes, spaces aside", () => {
  const words = word("A", "0,0 10,10") + word("B.", "10,0 30,10");
  expect(wordsOf(line(coords("0,0 99,10") + words + text("AB.")))).toEqual([
    { text: "A", box: [0, 0, 10, 10] },
    { text: "B.", box: [10, 0, 20, 10] },
  ]);
});

test("words that disagree give way to the text of the line, and as many keep their boxes", () => {
  const words = word("olt", "0,0 30,10") + word("text", "40,0 80,10");
  expect(wordsOf(line(coords("0,0 90,10") + words + text("new text")))).toEqual([
    { text: "new", box: [0, 0, 30, 10] },
    { text: "text", box: [40, 0, 40, 10] },
  ]);
  expect(wordsOf(line(coords("0,0 50,10") + words + text("a new")))).toHaveLength(2);
  expect(wordsOf(line(coords("0,0 110,10") + words + text("a newer text")))).toEqual([
    { text: "a", box: [0, 0, 9, 10] },
    { text: "newer", box: [18, 0, 46, 10] },
    { text: "text", box: [73, 0, 37, 10] },
  ]);
});

test("the text of a region counts if no line in it has any, a share of its box for each line", () => {
  const page = readPage(file(region("r", coords("0,0 100,40") + line(coords("0,0 9,9")) + text("one\ntwo"))));
  expect(page.lines.map(({ box }) => box)).toEqual([
    [0, 0, 100, 20],
    [0, 20, 100, 20],
  ]);
  expect(linesOf(page)).toEqual(["one", "two"]);
  expect(linesOf(readPage(file(region("r", line(text("line")) + text("region")))))).toEqual(["line"]);
});

test("regions nest, tables have cells, and a region around others does not repeat their text", () => {
  const nested = region("a", region("b", line(text("inner"))) + line(text("outer")) + text("inner outer"));
  const table = `<TableRegion id="t"><TableCell row="0">${line(text("cell"))}</TableCell></TableRegion>`;
  expect(linesOf(readPage(file(nested + table)))).toEqual(["outer", "inner", "cell"]);
});

const three = ["a", "b", "c"].map((id) => region(id, line(text(id)))).join("");

test("groups of a reading order nest and are sorted by index, not as they are written", () => {
  const order =
    '<ReadingOrder><OrderedGroup id="g"><RegionRefIndexed index="1" regionRef="a"/>' +
    '<OrderedGroupIndexed id="h" index="0"><RegionRefIndexed index="1" regionRef="b"/><RegionRefIndexed index="0" regionRef="c"/>' +
    "</OrderedGroupIndexed></OrderedGroup></ReadingOrder>";
  expect(linesOf(readPage(file(three, { order })))).toEqual(["c", "b", "a"]);
});

test("an unordered group keeps the order of its groups, and regions without a reference come after", () => {
  const group = (id: string) =>
    `<OrderedGroup id="g${id}"><RegionRefIndexed index="0" regionRef="${id}"/></OrderedGroup>`;
  const order = `<ReadingOrder><UnorderedGroup id="u">${group("c")}${group("b")}</UnorderedGroup></ReadingOrder>`;
  expect(linesOf(readPage(file(three, { order })))).toEqual(["c", "b", "a"]);
});

const custom = (index: number) =>
  `custom="structure {type:heading;} readingOrder {index:${index};} other {note:a b}"`;

test("the order of Transkribus sorts regions and lines", () => {
  const lines = line(text("b"), custom(1)) + line(text("a"), custom(0));
  const page = readPage(file(region("r", line(text("c")), custom(1)) + region("s", lines, custom(0))));
  expect(linesOf(page)).toEqual(["a", "b", "c"]);
  expect(page.lines.map(({ block }) => block)).toEqual([0, 0, 1]);
});

test("the order of Transkribus gives way to a reading order of the page", () => {
  const order =
    '<ReadingOrder><OrderedGroup id="g"><RegionRefIndexed index="0" regionRef="r"/></OrderedGroup></ReadingOrder>';
  const regions = region("s", line(text("s")), custom(0)) + region("r", line(text("r")), custom(1));
  expect(linesOf(readPage(file(regions, { order })))).toEqual(["r", "s"]);
});

test("languages are BCP 47 from the names of the schema", () => {
  const content =
    region("r", line(text("a")), 'primaryLanguage="Latin"') +
    region("s", line(text("b"), 'primaryLanguage="German"'));
  const page = readPage(file(content, { language: 'primaryLanguage="German"' }));
  expect([page.language, ...page.lines.map(({ language }) => language)]).toEqual(["de", "la", undefined]);
});
