// Documents of operators and of hooks with texts of 100 KB: what reads them takes time linear in the length.

import { describe, expect, test } from "vitest";
import { readDescription } from "../../src/iiif/presentation/description/description.ts";
import { plainText } from "../../src/iiif/presentation/plain-text.ts";
import { safeDocument } from "../../src/iiif/presentation/safe-document.ts";
import { faultsOfStored, readStored, storedDocuments } from "../../src/iiif/presentation/stored.ts";
import { version2 } from "../../src/iiif/presentation/v2/document.ts";
import { joinXmp } from "../../src/imaging/codecs/jpg/markers/extended-xmp.ts";
import { costOf } from "./cost.ts";
import { fill } from "./texts.ts";

type Build = (text: string) => Record<string, unknown>;

const service = (id: string) => [{ id, type: "ImageService3", profile: "level2" }];
const thumbnail = (id: string) => [{ id, type: "Image", service: service(id) }];
const painting = (id: string, target: string) => ({
  id: `${id}/a`,
  type: "Annotation",
  motivation: "painting",
  target,
  body: { id, type: "Image", format: id, service: service(id) },
});

/** A manifest of 3.0 that has the text in every place. */
const manifest3: Build = (text) => ({
  "@context": "http://iiif.io/api/presentation/3/context.json",
  id: "http://example.org/m",
  type: "Manifest",
  label: { [text]: [text] },
  summary: { none: [text] },
  metadata: [{ label: { none: [text] }, value: { none: [text] } }],
  requiredStatement: { label: { none: [text] }, value: { none: [text] } },
  rights: text,
  behavior: [text],
  viewingDirection: text,
  thumbnail: thumbnail(text),
  homepage: [{ id: text, type: "Text", label: { none: [text] }, format: text }],
  provider: [{ id: text, type: "Agent", label: { none: [text] }, logo: thumbnail(text) }],
  partOf: [{ id: text, type: "Collection" }],
  start: { id: text, type: "Canvas" },
  items: [
    {
      id: text,
      type: "Canvas",
      width: 1,
      height: 1,
      items: [{ id: text, type: "AnnotationPage", items: [painting(text, text)] }],
      annotations: [{ id: text, type: "AnnotationPage" }],
    },
  ],
  structures: [{ id: text, type: "Range", items: [{ id: text, type: "Canvas" }] }],
});

/** Builds a manifest of 2.1. */
const manifest2: Build = (text) => ({
  "@context": "http://iiif.io/api/presentation/2/context.json",
  "@id": "http://example.org/m",
  "@type": "sc:Manifest",
  label: text,
  description: [{ "@value": text, "@language": text }],
  metadata: [{ label: text, value: text }],
  attribution: text,
  license: text,
  viewingHint: text,
  thumbnail: { "@id": text, service: { "@id": text, "@context": text, profile: text } },
  related: { "@id": text, format: text, label: text },
  within: text,
  sequences: [
    {
      startCanvas: text,
      canvases: [
        {
          "@id": text,
          "@type": "sc:Canvas",
          label: text,
          width: 1,
          height: 1,
          images: [{ "@id": text, "@type": "oa:Annotation", on: text, resource: { "@id": text } }],
          otherContent: [{ "@id": text, "@type": "sc:AnnotationList" }],
        },
      ],
    },
  ],
  structures: [{ "@id": text, "@type": "sc:Range", label: text, canvases: [text] }],
});

const length = 100_000;
const units = [
  "a",
  "/",
  "a/",
  "a:",
  " ",
  "#",
  "?",
  "&",
  "&#",
  "%",
  "<a",
  "<a ",
  '<a "',
  "<script",
  "</",
  "<!--",
];
const texts = [...units, "a=", "a =", "=\"'", "xywh=", "1,", "-", ";", "(", "{"].flatMap((unit) => {
  const long = fill(unit, length);
  return [long, `http://example.org/${long}/`, `<p ${long}</p>`];
});

describe.each<[string, Build]>([
  ["3.0", manifest3],
  ["2.1", manifest2],
])("a manifest of %s", (_, build) => {
  test("costs less than a second, whatever text it has in all places", async () => {
    for (const text of texts) {
      const { cpuMs } = await costOf(() => {
        const { value } = safeDocument(build(text));
        const safe = value as Record<string, unknown>;
        if (faultsOfStored(safe).length > 0) return;
        const { document } = storedDocuments(readStored(safe), "a", "http://example.org");
        version2(document, "http://example.org");
      });
      if (cpuMs > 1000) expect.fail(`${text.slice(0, 40)}…: ${cpuMs} ms of CPU`);
    }
  });
});

const bytes = (text: string) => new TextEncoder().encode(text);

test.each<[string, () => unknown]>([
  ["a text of HTML", () => texts.map((text) => plainText(`<${text}<br>`))],
  [
    "the packet of XMP of a JPEG",
    () => texts.map((text) => joinXmp(bytes(`${text}</rdf:RDF>`), bytes("<rdf:RDF></rdf:RDF>"))),
  ],
  [
    "an address in a description",
    () =>
      [...texts, `${fill("#", length)}\n`].map((id) =>
        readDescription({ homepage: id, seeAlso: id }, "manifest"),
      ),
  ],
])("%s costs time linear in its length", async (_, act) => {
  expect((await costOf(act)).cpuMs).toBeLessThan(3000);
});
