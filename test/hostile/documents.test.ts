// @module-tag slow
// Megabytes of manifest files, on the thread that serves requests: documents, descriptions, and HTML in them.

import { describe, expect, test } from "vitest";
import { plainText } from "../../src/iiif/presentation/plain-text.ts";
import { storedDocuments } from "../../src/iiif/presentation/stored.ts";
import { version2 } from "../../src/iiif/presentation/v2/document.ts";
import { withhold } from "../../src/iiif/presentation/withheld.ts";
import { type ManifestFile, manifestFileOf } from "../../src/server/manifests/folders/manifest-file.ts";
import { createYamlReader } from "../../src/server/manifests/folders/yaml-reader.ts";
import { toComparable, wordsOf } from "../../src/server/manifests/search/words.ts";
import { costOf } from "./cost.ts";
import { fill, filled } from "./texts.ts";

const { read } = createYamlReader({ platform: {} });
const base = "http://localhost";

const readFile = (text: string): Promise<ManifestFile> =>
  manifestFileOf(
    { name: "manifest.json", validator: "1", bytes: new TextEncoder().encode(text), isJson: true },
    read,
  );

/** Reads a manifest file, and makes the documents of both versions of it. */
async function documentsOf(text: string): Promise<unknown> {
  const file = await readFile(text);
  file.describe("manifest");
  file.describe("collection");
  const stored = file.stored && storedDocuments(file.stored, "a/b", base);
  const open = stored && withhold(stored.document, () => true);
  return [file.faults(), stored && version2(stored.document, base), open];
}

const document = (type: string, members: string) =>
  `{"@context":"http://iiif.io/api/presentation/3/context.json","id":"x","type":"${type}","label":{"none":["a"]},${members}}`;
const items = (type: string, item: (n: number) => string) =>
  document(type, `"items":[${filled((n) => `${n === 0 ? "" : ","}${item(n)}`)}]`);
const withId = (id: string) => document("Collection", '"items":[]').replace('"id":"x"', `"id":"${id}"`);

const documents = {
  "images of a description": `{"canvases":{${filled((n) => `"i${n}.tif":{"lable":5},`)}"z":{}}}`,
  "metadata of a description": `{"metadata":[${filled(() => '{"label":1},')}{}]}`,
  "sound metadata": `{"metadata":[${filled((n) => `{"label":"l${n}","value":"<b>v</b>"},`)}{"label":"a","value":"b"}]}`,
  "unsafe metadata": `{"metadata":[${filled((n) => `{"label":"l${n}","value":"<b onclick=a>v</b>"},`)}{"label":"a","value":"b"}]}`,
  "languages of a label": `{"label":{${filled((n) => `"a-${n}":"b",`)}"en":"a"}}`,
  "ranges of a description": `{"ranges":[${filled((n) => `{"label":"${n}","from":"a"},`)}{}]}`,
  homepages: `{"homepage":[${filled((n) => `"http://a/${n}",`)}"http://a/"]}`,
  "a homepage of fragments": `{"homepage":"http://a/${fill("#")}\\n#"}`,
  "a link of queries": `{"rendering":"http://a/${fill("?")}\\n?","seeAlso":"http://a/${fill("?")}\\n?"}`,
  "a homepage of blanks": `{"homepage":"${fill(" ")}javascript:a"}`,
  "empty canvases": items("Manifest", () => '{"type":"Canvas","items":[]}'),
  canvases: items(
    "Manifest",
    (n) => `{"id":"http://a/${n}","type":"Canvas","height":9,"width":9,"items":[]}`,
  ),
  manifests: items("Collection", (n) => `{"id":"http://a/${n}","type":"Manifest","label":{"none":["${n}"]}}`),
  "unsafe manifests": items(
    "Collection",
    (n) => `{"id":"file:${n}","type":"Manifest","label":{"none":["<b onclick=a>"]}}`,
  ),
  annotations: items(
    "AnnotationPage",
    (n) =>
      `{"id":"http://a/${n}","type":"Annotation","motivation":"supplementing","body":{"type":"TextualBody","value":"<b>a</b>"},"target":"http://a/c#xywh=1,1,1,1"}`,
  ),
  "empty annotations": items("AnnotationPage", () => '{"type":"Annotation"}'),
  ranges: document(
    "Manifest",
    `"items":[{"type":"Canvas"}],"structures":[${filled((n) => `{"type":"Range","id":"r${n}","items":[{"type":"Range","id":"r${n + 1}"}]},`)}{}]`,
  ),
  "an id of steps": withId(`/iiif/presentation/3${fill("/a")}`),
  "an id of one letter": document("Manifest", `"items":[{"type":"Canvas","id":"http://a/${fill("a")}#"}]`),
  "an id of points": withId(`http://a${fill("/..")}`),
  "an id of percent signs": withId(`http://a/${fill("%2F")}`),
  "canvases of 2.1": `{"@context":"http://iiif.io/api/presentation/2/context.json","@type":"sc:Manifest","@id":"x","label":"a","sequences":[{"canvases":[${filled((n) => `{"@id":"c${n}","@type":"sc:Canvas","height":9,"width":9,"images":[]},`)}{}]}]}`,
  "ranges of 2.1": `{"@context":"http://iiif.io/api/presentation/2/context.json","@type":"sc:Manifest","@id":"x","label":"a","sequences":[{"canvases":[{"@id":"c"}]}],"structures":[${filled((n) => `{"@id":"r${n}","@type":"sc:Range","ranges":["r${n + 1}"]},`)}{}]}`,
} as const satisfies Readonly<Record<string, string>>;

const html = {
  elements: fill("<a href=x>"),
  "elements in others": `${fill("<b>")}</b>`,
  "elements that do not end": `${fill("<")}<br>`,
  "quotes that do not end": `${fill("<b title='")}>`,
  "quotes of both kinds": `${fill(`<b "'`)}>`,
  "a long attribute": `<b ${fill("a")}>`,
  "many attributes": `<b ${fill("a=b ")}>`,
  "equals signs": `<b ${fill("=")}>`,
  "blanks after a sign": `<b ${fill("a=  ")}${fill(" ")}">`,
  "a long address": `<a href="${fill("&#9;")}javascript:a">`,
  references: `<b>${fill("&#1")}</b>`,
  comments: `${fill("<!--")}>`,
  scripts: `${fill("<script>")}>`,
  "ends of scripts": `<script>${fill("</script ")}>`,
  "removed elements that make others": `${fill("<scr<script></script>ipt>")}>`,
  blanks: `<b>${fill(" ")}</b>`,
} as const satisfies Readonly<Record<string, string>>;

/** The same texts with a run of one character of seven megabytes: manifest files have at most eight. */
const longer = Object.fromEntries(
  Object.entries(html).map(([name, text]) => [name, text.replace(/(.)\1{1000,}/s, (run) => run.repeat(7))]),
);

type Row = readonly [texts: Readonly<Record<string, string>>, parse: (text: string) => unknown];

const rows: Readonly<Record<string, Row>> = {
  "a manifest file": [documents, documentsOf],
  "HTML in a manifest file": [html, (text) => documentsOf(JSON.stringify({ summary: text }))],
  "long HTML in a manifest file": [longer, (text) => documentsOf(JSON.stringify({ summary: text }))],
  "HTML as plain text": [html, plainText],
  "HTML in the search": [html, (text) => [toComparable(text), wordsOf(text)]],
};

describe.each(Object.entries(rows))("a megabyte as %s costs less than a second", (_, [texts, parse]) => {
  test.each(Object.entries(texts))("%s", async (_, text) => {
    const { cpuMs } = await costOf(() => parse(text));
    expect(cpuMs).toBeLessThan(4000);
  });
});
