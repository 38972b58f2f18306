// Addresses and HTML in operators' documents that could run a script (URL Standard, section 4.4, for what
// parsers skip; Presentation API 3.0, section 4.5, for HTML).

import { describe, expect, test } from "vitest";
import { safeDocument } from "../../../src/iiif/presentation/safe-document.ts";
import { safeHtml } from "../../../src/iiif/presentation/safe-html.ts";
import { costOf } from "../../hostile/cost.ts";

const hostile = [
  "javascript:alert(1)",
  "JaVaScRiPt:alert(1)",
  " javascript:alert(1)",
  "\u0001javascript:alert(1)",
  "java\nscript:alert(1)",
  "java\tscript:alert(1)",
  "\r\njava\rscript:alert(1)",
  "vbscript:msgbox(1)",
  "data:text/html,<script>alert(1)</script>",
  "file:///etc/passwd",
  "blob:https://images.example.org/1",
];

describe.each(hostile)("%j", (address) => {
  test.each(["homepage", "rendering", "seeAlso", "logo", "thumbnail", "related"])(
    "is dropped as %s",
    (name) => {
      const forms = [{ id: address, type: "Text" }, { "@id": address }];
      for (const form of forms)
        for (const held of [form, [form]]) {
          const { value, faults } = safeDocument({ label: "x", [name]: held });
          expect(JSON.stringify(value)).not.toMatch(/alert|msgbox|passwd|blob/);
          expect(faults).toHaveLength(1);
        }
      expect(JSON.stringify(safeDocument({ [name]: address }).value)).toBe("{}");
    },
  );

  test.each([
    { provider: [{ id: "https://a.example", homepage: [{ id: address }], logo: [{ id: address }] }] },
    { items: [{ type: "Canvas", id: address, width: 1 }] },
    { items: [{ type: "Manifest", id: address }] },
    { items: [{ type: "Canvas", items: [{ items: [{ body: { id: address, type: "Image" } }] }] }] },
    { canvases: { "1.png": { homepage: address } } },
    { extra: { rendering: [{ id: address }] } },
    { images: { seeAlso: address } },
    { start: { id: address, type: "Canvas" } },
    { rights: address },
    { service: [{ id: address, type: "SearchService2" }] },
    { annotations: [{ items: [{ target: address, body: { id: address } }] }] },
    { sequences: [{ canvases: [{ images: [{ on: address, resource: { "@id": address } }] }] }] },
  ])("is dropped in %j", (document) => {
    const { value, faults } = safeDocument(document);
    expect(JSON.stringify(value)).not.toMatch(/alert|msgbox|passwd|blob/);
    expect(faults.length).toBeGreaterThan(0);
  });
});

test("other addresses and texts stay as they are", () => {
  const document = {
    id: "urn:uuid:1",
    label: { id: ["javascript: buku"], en: "data: a history", none: ["<Untitled>"] },
    summary: "javascript:alert(1)",
    homepage: [{ id: "https://a.example/x?y=javascript:1", type: "Text" }, { id: "/view/x" }],
    thumbnail: "scan:1.jpg",
    rights: "CC BY 4.0",
    items: [{ id: "ark:/12345/x", type: "Canvas", items: [] }],
    annotations: [
      { items: [{ target: { selector: { type: "SvgSelector", value: "<svg><path d='M0 0'/></svg>" } } }] },
    ],
  };
  expect(safeDocument(document)).toEqual({ value: document, faults: [] });
});

test.each([
  ["<p>Text</p><script>alert(1)</script>", "<p>Text</p>"],
  ['<a href="javascript:alert(1)">x</a>', "<a  >x</a>"],
  ["<a href='&#106;avascript:alert(1)'>x</a>", "<a  >x</a>"],
  ["<a href=java&Tab;script&colon;alert(1)>x</a>", "<a  >x</a>"],
  ['<img src="https://a.example/x.png" onerror="alert(1)">', '<img src="https://a.example/x.png"  >'],
  ["<img src=data:image/svg+xml,alert(1) alt=x>", "<img   alt=x>"],
  ['<p onclick="alert(1)" style="x">y</p>', "<p    >y</p>"],
  ["<svg><script>alert(1)</script></svg><b>x</b>", "<b>x</b>"],
  ['<iframe src="https://a.example"></iframe><i>x</i>', "<i>x</i>"],
  ["<!-- alert(1) --><p>x</p>", "<p>x</p>"],
])("of the HTML %j is left %j", (html, left) => {
  expect(safeHtml(html).replace(/\s+/g, " ")).toBe(left.replace(/\s+/g, " "));
});

test.each([
  "<<script></script>img src=x onerror=alert(1)>",
  "<scr<script>ipt>alert(1)</scr</script>ipt>",
  "<p><a/href=javascript:alert(1)>x</a></p>",
  "<p><a\nhref\n=\n'javascript:alert(1)'>x</a></p>",
  '<IMG/SRC="x"/ONERROR=alert(1)>',
  "<p><form action=javascript:alert(1)><button formaction=javascript:alert(1)>x</button></form></p>",
  "<math><mi xlink:href=javascript:alert(1)>x</mi></math><p>",
  `${"<b>".repeat(3)}<x onpointerenter=alert(1)>`,
])("the HTML %j runs nothing", (html) => {
  const left = safeHtml(html);
  expect(left).not.toMatch(/<[^>]*(alert|javascript|onerror)/i);
  expect(left).not.toMatch(/<(script|form|button|math|x)\b/i);
});

test.each([
  '<p>One <em>two</em> <a href="https://a.example/?a=1&amp;b=2" title="x">three</a></p>',
  '<a href="mailto:desk@a.example">write</a>',
  "a < b and c > d",
  "plain javascript:alert(1)",
])("the text %j stays as it is", (text) => {
  expect(safeHtml(text)).toBe(text);
});

test("a megabyte of HTML costs in proportion to its length", async () => {
  for (const piece of ["<a", "<!--", '<b x="', "<script", "<b onclick=1 ", "onclick=1 ", "<p>", "&#1"]) {
    const html = `<p ${piece.repeat(2 ** 20 / piece.length)}>`;
    const { cpuMs } = await costOf(async () => void safeHtml(html));
    expect([piece, cpuMs < 2000]).toEqual([piece, true]);
  }
});
