// Files of any content end in a result or in a clear error: damaged and cut ones, and those beyond the
// bounds.

import { describe, expect, test } from "vitest";
import { TextFileError, textBounds } from "../../../src/text/index.ts";
import fc from "../../properties.ts";
import { readFile } from "./read.ts";

/** What reading ends in: the format, or the code of the error. */
function outcome(file: string | Uint8Array, name = "page.xml", limits = {}): string {
  try {
    return readFile(file, { name, limits }).format;
  } catch (error) {
    if (!(error instanceof TextFileError)) throw error;
    expect(error.message).toContain(name);
    return error.code;
  }
}

const alto = (content: string, head = "") =>
  `${head}<alto><Layout><Page WIDTH="90" HEIGHT="90"><PrintSpace><TextBlock><TextLine>${content}</TextLine></TextBlock></PrintSpace></Page></Layout></alto>`;
const page = (content: string) =>
  `<PcGts><Page imageWidth="90" imageHeight="90"><TextRegion id="r"><TextLine>${content}</TextLine></TextRegion></Page></PcGts>`;
const hocr = (content: string) =>
  `<html><body><div class="ocr_page" title="bbox 0 0 90 90"><span class="ocr_line">${content}</span></div></body></html>`;

test.each([
  ["TEI", "<TEI xmlns='http://www.tei-c.org/ns/1.0'><text/></TEI>", "TEI"],
  ["METS", '<?xml version="1.0"?><!-- x --><mets:mets xmlns:mets="m"/>', "mets"],
  ["a document type", '<!DOCTYPE note [<!ENTITY a "b">]><note>&a;</note>', "note"],
])("%s is no text, and no error", (_, file, root) => {
  expect(readFile(file)).toEqual({ format: "other", root });
});

test("the rest of a file that is no text is not asked for", async () => {
  const { readTextFile } = await import("../../../src/text/index.ts");
  let pieces = 0;
  function* read() {
    for (; pieces < 100; pieces++) yield new TextEncoder().encode(`<TEI>${" ".repeat(2000)}`);
  }
  expect(await readTextFile(read(), { name: "a.xml" })).toEqual({ format: "other", root: "TEI" });
  expect(pieces).toBeLessThan(3);
});

test.each([
  ["", "page.xml"],
  ["  \n", "page.xml"],
  ["not markup", "page.hocr"],
  ["<?xml version='1.0'?>", "page.xml"],
  ["<!-- a comment", "page.xml"],
  ["\0\0\0\0", "page.txt"],
])("the file '%s' with the name %s is damaged", (file, name) => {
  expect(outcome(file, name)).toBe("text_damaged");
});

test("the message says what is wrong and what to do", () => {
  expect(() => readFile(alto("<String").slice(0, 60), { name: "0001.xml" })).toThrow(
    "The text file 0001.xml is damaged: it ends before its root element does. Copy it again, or run the text " +
      "recognition of its pages again.",
  );
  expect(() => readFile(alto(""), { name: "0001.xml", limits: { bytes: 50 } })).toThrow(
    "The text file 0001.xml has more than 50 bytes, the most that is read. Split it into one file for each page, " +
      "or remove it.",
  );
});

const string = '<String CONTENT="a"/>';
const word = "<Word><TextEquiv><Unicode>a</Unicode></TextEquiv></Word>";
const ocrWord = "<span class='ocrx_word'>a</span>";

test.each([
  ["bytes", alto(string.repeat(9)), { bytes: 100 }],
  ["words on a page of ALTO", alto(string.repeat(9)), { wordsPerPage: 8 }],
  ["words on a page of PAGE", page(word.repeat(9)), { wordsPerPage: 8 }],
  ["words on a page of hOCR", hocr(ocrWord.repeat(9)), { wordsPerPage: 8 }],
  [
    "words in the text of a line",
    page("<TextEquiv><Unicode>a b c d</Unicode></TextEquiv>"),
    { wordsPerPage: 3 },
  ],
  ["words in a string", alto('<String CONTENT="a b c d"/>'), { wordsPerPage: 3 }],
  ["words in a line of hOCR", hocr("a b c d"), { wordsPerPage: 3 }],
  [
    "words in all",
    `<alto>${"<Page><TextLine><String CONTENT='a'/></TextLine></Page>".repeat(4)}</alto>`,
    { words: 3 },
  ],
  ["pages", `<alto>${"<Page/>".repeat(4)}</alto>`, { pages: 3 }],
  [
    "blocks",
    alto("</TextLine></TextBlock><TextBlock/><TextBlock/><TextBlock><TextLine>"),
    { blocksPerPage: 3 },
  ],
  ["regions", page("</TextLine><ImageRegion/><ImageRegion/><TextLine>"), { blocksPerPage: 2 }],
  ["levels", alto("<a>".repeat(60) + "</a>".repeat(60)), {}],
  ["levels of HTML", hocr("<b>".repeat(600)), {}],
  ["characters of an attribute", alto(`<String CONTENT="${"a".repeat(2 ** 16 + 1)}"/>`), {}],
  ["attributes", alto(`<String ${Array.from({ length: 257 }, (_, at) => `a${at}="1"`).join(" ")}/>`), {}],
  ["characters of a comment", alto(`<!--${"a".repeat(2 ** 20 + 2 ** 17)}-->`), {}],
  ["characters of a tag", alto(`<${"a".repeat(2 ** 20 + 2 ** 17)}/>`), {}],
  ["characters of a line", hocr("a".repeat(2 ** 20 + 1)), {}],
  [
    "characters of a region",
    page(`<TextEquiv><Unicode>${"a".repeat(2 ** 20 + 1)}</Unicode></TextEquiv>`),
    {},
  ],
  [
    "references of an order",
    alto("", "").replace(
      "<Layout>",
      `<OrderedGroup>${'<ElementRef REF="a b c"/>'.repeat(2)}</OrderedGroup><Layout>`,
    ),
    { references: 5 },
  ],
  ["characters before the root", `${" ".repeat(2 ** 18)}${alto(string)}`, {}],
])("too many %s are refused", (_, file, limits) => {
  expect(outcome(file, "page.xml", limits)).toBe("text_too_large");
});

test.each([
  ["words", "a b c d", { wordsPerPage: 3 }],
  ["pages", "\f\f\f\f", { pages: 3 }],
])("too many %s of plain text are refused", (_, file, limits) => {
  expect(outcome(file, "page.txt", limits)).toBe("text_too_large");
});

test("entities do not grow, from inside and from outside", () => {
  const type =
    '<!DOCTYPE alto [<!ENTITY a "aaaaaaaaaa"><!ENTITY b "&a;&a;&a;"><!ENTITY c SYSTEM "file:///etc/passwd">]>';
  const file = readFile(alto('<String CONTENT="&b;&c;&#x10ffff;&#x110000;&#xd800;"/>', type));
  expect(file.format === "other" ? "" : file.pages[0]?.text.lines[0]?.words[0]?.text).toBe(
    "&b;&c;\u{10ffff}\ufffd\ufffd",
  );
});

test("names of the prototypes of objects are elements, attributes and references like others", () => {
  const names = ["constructor", "__proto__", "toString", "hasOwnProperty"];
  const elements = names.map((name) => `<${name} ${name}="1" ID="${name}"><${name}/></${name}>`).join("");
  for (const file of [alto(elements + string), page(elements + word), hocr(elements + ocrWord)])
    expect(["alto", "page", "hocr"]).toContain(outcome(file));
});

/** A file of each format that uses all of its elements. */
const files: Readonly<Record<string, string>> = {
  alto:
    '<?xml version="1.0" encoding="UTF-8"?><alto xmlns="http://www.loc.gov/standards/alto/ns-v4#"><Description><MeasurementUnit>mm10</MeasurementUnit>' +
    "<sourceImageInformation><fileName>a.tif</fileName></sourceImageInformation></Description>" +
    '<ReadingOrder><OrderedGroup ID="g"><ElementRef ID="e" REF="b1"/><ElementRef ID="f" REF="l0 s1"/></OrderedGroup></ReadingOrder>' +
    '<Layout><Page WIDTH="900" HEIGHT="1200" LANG="deu"><TopMargin/><PrintSpace HPOS="0" VPOS="0" WIDTH="900" HEIGHT="1200">' +
    '<ComposedBlock ID="c"><TextBlock ID="b0" IDNEXT="b1"><TextLine ID="l0" HPOS="10" VPOS="20" WIDTH="300" HEIGHT="30">' +
    '<String ID="s0" CONTENT="G&#xfc;te &amp;" HPOS="10" VPOS="20" WIDTH="80" HEIGHT="30"/><SP/><String ID="s1" CONTENT="quin" SUBS_TYPE="HypPart1" SUBS_CONTENT="quintal" HPOS="100" VPOS="20" WIDTH="60" HEIGHT="30"/>' +
    '<HYP CONTENT="-" HPOS="160" VPOS="30" WIDTH="9"/></TextLine></TextBlock></ComposedBlock><TextBlock ID="b1"><TextLine><Shape><Polygon POINTS="1,2 30,4 5,60"/></Shape>' +
    '<String CONTENT="tal"/></TextLine></TextBlock></PrintSpace></Page></Layout></alto>',
  page:
    '<PcGts xmlns="http://schema.primaresearch.org/PAGE/gts/pagecontent/2019-07-15"><Page imageFilename="a.tif" imageWidth="900" imageHeight="1200">' +
    '<ReadingOrder><OrderedGroup id="g"><RegionRefIndexed index="1" regionRef="r0"/><OrderedGroupIndexed index="0"><RegionRefIndexed index="0" regionRef="r1"/></OrderedGroupIndexed></OrderedGroup></ReadingOrder>' +
    '<TextRegion id="r0" custom="readingOrder {index:0;}"><Coords points="1,2 300,4 50,600"/><TextLine custom="readingOrder {index:1;}"><Coords points="1,2 300,4 50,60"/>' +
    '<Word><Coords><Point x="3" y="4"/><Point x="50" y="60"/></Coords><Glyph><Coords points="1,2 3,4"/></Glyph><TextEquiv index="1"><PlainText>a</PlainText><Unicode>word</Unicode></TextEquiv></Word>' +
    "<TextEquiv><Unicode>word and more</Unicode></TextEquiv></TextLine></TextRegion>" +
    '<TableRegion id="r1"><TableCell><TextEquiv><Unicode>cell\nof two lines</Unicode></TextEquiv></TableCell></TableRegion></Page></PcGts>',
  hocr:
    '<?xml version="1.0"?><!DOCTYPE html><html xml:lang="en"><head><title/><meta name="ocr-langs" content="deu"/></head><body>' +
    "<div class='ocr_page' title='image \"a;b.tif\"; bbox 0 0 900 1200; ppageno 0'><div class='ocr_carea'><p class='ocr_par' lang='frk'>" +
    "<span class='ocr_line' title='bbox 1 2 300 40'><span class='ocrx_word' title='bbox 1 2 50 40; x_wconf 9'><strong>Gut&shy;</strong></span> <span class='ocrx_word'><!a?></span></span>" +
    "<span class='ocr_header'>two words<br/>more</span></p></div></div><!-- end --></body></html>",
  plain: "first line\r\nquin-\ntal\f\nf\u00fcr",
};

const { plain: _, ...markup } = files;

test.each(Object.entries(markup))("a file in %s is damaged if it is cut anywhere", (format, file) => {
  const bytes = new TextEncoder().encode(file);
  // The last bytes close what has ended already.
  const end = file.lastIndexOf("</body>") < 0 ? file.lastIndexOf("</") : file.lastIndexOf("</body>");
  for (let length = 0; length < end; length += 7)
    expect(outcome(bytes.subarray(0, length), `page.${format}`)).toBe("text_damaged");
});

describe.each(Object.entries(files))("a file in %s", (format, file) => {
  const name = format === "plain" ? "page.txt" : `page.${format}`;
  const bytes = new TextEncoder().encode(file);
  const known = [format, "other", "plain", "text_damaged", "text_too_large", "text_encoding"];

  test("is read", () => {
    expect(outcome(file, name)).toBe(format);
  });

  test("is read the same in pieces of any size", () => {
    fc.assert(
      fc.property(fc.integer({ min: 1, max: 200 }), (size) => {
        expect(readFile(bytes, { name }, size)).toEqual(readFile(bytes, { name }));
      }),
      { numRuns: 30 },
    );
  });

  test("ends in a result or a clear error if bytes of it are changed, removed or repeated", () => {
    const edit = fc.tuple(fc.nat(bytes.length - 1), fc.nat(40), fc.uint8Array({ maxLength: 6 }));
    fc.assert(
      fc.property(fc.array(edit, { minLength: 1, maxLength: 6 }), (edits) => {
        let mutated = Array.from(bytes);
        for (const [at, removed, added] of edits)
          mutated = [...mutated.slice(0, at), ...added, ...mutated.slice(at + removed)];
        expect(known).toContain(outcome(Uint8Array.from(mutated), name));
      }),
      { numRuns: 150 },
    );
  });

  test("ends in a result or a clear error if parts of it change places", () => {
    const parts = file.split(/(?=<)|(?<=>)|(?== ?["'])/);
    const pick = fc.array(fc.nat(parts.length - 1), { maxLength: 60 });
    fc.assert(
      fc.property(pick, fc.nat(parts.length), (picked, kept) => {
        const mixed = parts.slice(0, kept).join("") + picked.map((at) => parts[at]).join("");
        expect(known).toContain(outcome(mixed, name));
      }),
      { numRuns: 150 },
    );
  });
});

test("the bounds are those of the issue", () => {
  expect(textBounds).toMatchObject({
    bytes: 100 * 2 ** 20,
    depth: 64,
    attribute: 2 ** 16,
    wordsPerPage: 200_000,
  });
});
