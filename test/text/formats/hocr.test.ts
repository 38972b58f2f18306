// hOCR 1.2: classes, titles, languages, several pages, and the ways in which real files are broken.

import { expect, test } from "vitest";
import { linesOf, readFile, readPage, readPages } from "./read.ts";

const html = (body: string, head = "") =>
  `<!DOCTYPE html><html><head><title>OCR</title>${head}</head><body>${body}</body></html>`;
const page = (content: string, title = "bbox 0 0 1000 2000") =>
  `<div class='ocr_page' title='${title}'>${content}</div>`;
const line = (content: string, title = "bbox 10 20 500 60", name = "ocr_line") =>
  `<span class="${name}" title="${title}">${content}</span>`;
const word = (text: string, box = "10 20 60 50") =>
  `<span class='ocrx_word' title='x_wconf 93; bbox ${box}'>${text}</span>`;
const read = (content: string) => readPage(html(page(content)), { name: "page.hocr" });

test("a page has its size, and each word its text and box", () => {
  expect(
    read(`<p class="ocr_par" lang="deu">${line(`${word("Guten")} ${word("Tag", "70 20 120 50")}`)}</p>`),
  ).toEqual({
    width: 1000,
    height: 2000,
    language: "de",
    lines: [
      {
        box: [10, 20, 490, 40],
        block: 0,
        words: [
          { text: "Guten", box: [10, 20, 50, 30] },
          { text: "Tag", box: [70, 20, 50, 30] },
        ],
      },
    ],
  });
});

test.each(["ocr_line", "ocrx_line", "ocr_header", "ocr_caption", "ocr_textfloat", "ocr_line other"])(
  "an element of class %s is a line",
  (name) => {
    expect(linesOf(read(line(word("a"), "bbox 1 2 3 4", name) + line(word("b"))))).toEqual(["a", "b"]);
  },
);

test("a header that holds lines is no line itself", () => {
  expect(linesOf(read(`<div class="ocr_header">${line(word("a"))}${line(word("b"))}</div>`))).toEqual([
    "a",
    "b",
  ]);
});

test("a line without words is split, and words without a line are one for each paragraph", () => {
  expect(read(line("two words", "bbox 0 0 90 10")).lines[0]?.words).toEqual([
    { text: "two", box: [0, 0, 30, 10] },
    { text: "words", box: [40, 0, 50, 10] },
  ]);
  const paragraphs = `<p class="ocr_par">${word("a")}${word("b")}</p><p class="ocr_par">${word("c")}</p>`;
  expect(linesOf(read(paragraphs))).toEqual(["a b", "c"]);
});

test("elements and line breaks inside of a word and a line count for their text", () => {
  const content = word("<strong>b<em>ol</em></strong><span class='ocrx_cinfo' title='x_conf 9'>d</span>");
  expect(linesOf(read(line(content)))).toEqual(["bold"]);
  expect(linesOf(read(line("one<br>two<br/>three")))).toEqual(["one two three"]);
});

test("alternatives that were not chosen are no text", () => {
  const content = '<span class="alternatives"><ins class="alt">UTAH</ins><del class="alt">UTAR</del></span>';
  expect(linesOf(read(line(word(content))))).toEqual(["UTAH"]);
});

test("scripts and styles inside of a line are no text", () => {
  expect(linesOf(read(line("a <script>b</script><style>c</style>d")))).toEqual(["a d"]);
});

test("a soft hyphen at the end of a line joins two parts of a word", () => {
  const lines = read(line(word("musika&shy;")) + line(word("lischen"))).lines;
  expect(lines[0]?.words[0]).toMatchObject({ text: "musika-", joined: "musikalischen" });
});

test("the picture is named in quotes, in which a semicolon ends nothing", () => {
  const title = 'image "C:\\scans\\a;b.tif"; bbox 0 0 10 20; ppageno 0';
  expect(readPages(html(page("", title)))).toMatchObject([
    { index: 0, imageName: "a;b.tif", text: { width: 10 } },
  ]);
});

test("pages of a book have the numbers that they say, if these grow, else those of their order", () => {
  const book = (...numbers: string[]) =>
    readPages(html(numbers.map((number) => page("", `bbox 0 0 9 9; ${number}`)).join(""))).map(
      ({ index }) => index,
    );
  expect(book("ppageno 0", "ppageno 3", "ppageno 4")).toEqual([0, 3, 4]);
  expect(book("ppageno 0", "ppageno 0")).toEqual([0, 1]);
  expect(book("", "ppageno 7")).toEqual([0, 1]);
  expect(book("ppageno 161")).toEqual([0]);
});

test.each([
  ["a tag of tesseract", `<p class="ocr_par" lang="frk">${line(word("a"))}</p>`, "de-Latf"],
  ["a script", `<p class="ocr_par" lang="script/Latin">${line(word("a"))}</p>`, undefined],
  ["a language of XML", `<p class="ocr_par" xml:lang="en-GB">${line(word("a"))}</p>`, "en-GB"],
])("the language is that of %s", (_, content, expected) => {
  expect(read(content).language).toBe(expected);
});

test("the language of the file counts if no element has one, and that of the page first", () => {
  const head = "<meta name='ocr-langs' content='fra'/>";
  expect(readPage(html(page(line(word("a"))), head)).language).toBe("fr");
  expect(readPage(html(page(line(word("a")), "bbox 0 0 1 1; ocrp_lang de"), head)).language).toBe("de");
});

test.each([
  [
    "missing end tags of words",
    `<span class="ocr_line" title="bbox 0 0 9 9"><span class="ocrx_word">a <span class="ocrx_word">b</p>`,
    ["a b"],
  ],
  [
    "missing end tags of lines",
    `<span class="ocr_line">${word("a")}<span class="ocr_line">${word("b")}`,
    ["a", "b"],
  ],
  ["an end tag too many", line(`${word("a")}</b></i> ${word("b")}`), ["a b"]],
  ["a comment that never ends", line(`${word("!'<!--,,,>")} ${word("next")}`), ["!'<!--,,,> next"]],
  [
    "an instruction in a word",
    line(`${word("<?«»«?>i<5t»<?».")} ${word("next")}`),
    ["<?«»«?>i<5t»<?». next"],
  ],
  ["bare signs", line(word("AT&T 3&72 &c < 5 &nosuch;")), ["AT&T 3&72 &c < 5 &nosuch;"]],
  [
    "comments between lines",
    `${line(word("a"))}<!-- ${line(word("hidden"))} -->${line(word("b"))}`,
    ["a", "b"],
  ],
  ["attributes without quotes", "<span class=ocr_line><span class=ocrx_word>a</span></span>", ["a"]],
  ["empty words", line(`${word("")}${word(" ")}${word("a")}`), ["a"]],
  ["a script", `<script>"<span class='ocr_line'>"</script>${line(word("a"))}`, ["a"]],
])("a page with %s is read", (_, content, expected) => {
  expect(linesOf(read(content))).toEqual(expected);
});

test("XHTML with an empty title and a prefix of the encoding is read", () => {
  const file = `<?xml version="1.0" encoding="UTF-8"?>\n<!-- made by a program -->\n<html xmlns="http://www.w3.org/1999/xhtml" lang="en"><head><title/></head><body>${page(line(word("a")))}</body></html>`;
  expect(readPage(file)).toMatchObject({ language: "en", lines: [{ words: [{ text: "a" }] }] });
});

test("pages without a document around them are read", () => {
  expect(readPages(page(line(word("a"))) + page(line(word("b")))).map(({ text }) => linesOf(text))).toEqual([
    ["a"],
    ["b"],
  ]);
});

test("HTML of another kind is no text", () => {
  expect(readFile(html("<p>Hello</p>"), { name: "index.html" })).toEqual({ format: "other", root: "html" });
});
