// The text of a page as annotations of its canvas, as viewers read it.

import { normalize } from "@iiif/parser";
import { describe, expect, test } from "vitest";
import {
  type CanvasText,
  type OcrFormat,
  ocrType,
  textMembers,
  textPage,
  withText,
} from "../../../src/iiif/presentation/canvas-text.ts";
import { manifestOf } from "../../../src/iiif/presentation/derive.ts";
import { pieceAddress, presentationPaths } from "../../../src/iiif/presentation/mounts.ts";
import { version2 } from "../../../src/iiif/presentation/v2/document.ts";
import fc from "../../properties.ts";
import { anyText } from "../search/facts.ts";
import { expectValid, type Read } from "./checked.ts";
import { base, context, image } from "./facts.ts";
import { problemsOf3 } from "./rules-3.ts";

const document = `${base}/iiif/presentation/3/book`;
const canvas = { id: `${document}/canvas/1`, width: 3000, height: 4000 };
const address = `${canvas.id}/lines`;

const text: CanvasText = {
  canvas,
  language: "la",
  lines: [
    {
      text: "arma virumque cano",
      box: [500.4, 1100.2, 900, 99.5],
      words: [
        { text: "arma", box: [500, 1100, 200, 100] },
        { text: "virumque", box: [750, 1100, 300, 100] },
        { text: "cano" },
      ],
    },
    { text: "sing, goddess", box: [500, 1300, 800, 100], language: "en", words: [{ text: "sing," }] },
  ],
};

const sent = (value: unknown): Read => JSON.parse(JSON.stringify(value));

describe("a page of lines", () => {
  test("has an annotation for each line with its box and language", () => {
    const page = sent(textPage(text, "line", address));
    expect(page).toEqual({
      "@context": [
        "http://iiif.io/api/extension/text-granularity/context.json",
        "http://iiif.io/api/presentation/3/context.json",
      ],
      id: address,
      type: "AnnotationPage",
      label: { en: ["Text of this page"] },
      items: [
        {
          id: `${address}#1`,
          type: "Annotation",
          motivation: "supplementing",
          textGranularity: "line",
          body: { type: "TextualBody", value: "arma virumque cano", format: "text/plain", language: "la" },
          target: `${canvas.id}#xywh=500,1100,901,100`,
        },
        {
          id: `${address}#2`,
          type: "Annotation",
          motivation: "supplementing",
          textGranularity: "line",
          body: { type: "TextualBody", value: "sing, goddess", format: "text/plain", language: "en" },
          target: `${canvas.id}#xywh=500,1300,800,100`,
        },
      ],
    });
    const { entities }: Read = normalize(structuredClone(page));
    expect(entities.AnnotationPage[address].items).toHaveLength(2);
  });

  test("is a list of what paints the canvas in 2.1, as viewers look for it", () => {
    const list: Read = sent(version2(textPage(text, "line", address), base));
    const document2 = `${base}/iiif/presentation/2/book`;
    expect(list).toMatchObject({
      "@context": "http://iiif.io/api/presentation/2/context.json",
      "@id": `${document2}/canvas/1/lines`,
      "@type": "sc:AnnotationList",
    });
    expect(list.resources[0]).toEqual({
      "@id": `${document2}/canvas/1/lines#1`,
      "@type": "oa:Annotation",
      motivation: "sc:painting",
      resource: {
        "@type": "cnt:ContentAsText",
        chars: "arma virumque cano",
        format: "text/plain",
        language: "la",
      },
      on: `${document2}/canvas/1#xywh=500,1100,901,100`,
    });
  });

  test("is one annotation of the whole text if no line has a box", () => {
    const lines = ["One", "Two"].map((text) => ({ text, words: [] }));
    const { items } = sent(textPage({ canvas, lines }, "line", address));
    expect(items).toMatchObject([
      { textGranularity: "page", body: { value: "One\nTwo" }, target: canvas.id },
    ]);
    expect(items[0].body).not.toHaveProperty("language");
  });

  test("is empty for an empty page", () => {
    expect(textPage({ canvas, lines: [] }, "line", address).items).toEqual([]);
  });

  test("begins no element in a viewer, whatever the text is (trap 7)", () => {
    fc.assert(
      fc.property(anyText, (line) => {
        const lines = [{ text: line, box: [0, 0, 1, 1] as const, words: [{ text: line }] }];
        for (const granularity of ["line", "word"] as const)
          for (const { body } of sent(textPage({ canvas, lines }, granularity, address)).items)
            expect(body.value).not.toMatch(/<[A-Za-z/!?]|<$|\p{Surrogate}/u);
      }),
      { numRuns: 50 },
    );
  });
});

test("a page of words has their boxes, or those of their lines", () => {
  const { items } = sent(textPage(text, "word", `${canvas.id}/words`));
  expect(
    items.map(({ body, target, textGranularity }: Read) => [
      body.value,
      body.language,
      target.split("#")[1],
      textGranularity,
    ]),
  ).toEqual([
    ["arma", "la", "xywh=500,1100,200,100", "word"],
    ["virumque", "la", "xywh=750,1100,300,100", "word"],
    ["cano", "la", "xywh=500,1100,901,100", "word"],
    ["sing,", "en", "xywh=500,1300,800,100", "word"],
  ]);
});

/** True if mirador-textoverlay draws from a linked file, as its code decides. */
const isDrawn = ({ format, profile = "" }: Read) =>
  format === "application/xml+alto" ||
  format === "text/vnd.hocr+html" ||
  profile.startsWith("http://www.loc.gov/standards/alto/") ||
  profile.startsWith("http://kba.cloud/hocr-spec/");

describe("a canvas with text", () => {
  const derived: Read = manifestOf({ id: "book", label: "book", canvases: [image("book/1.jpg")] }, context);
  const own = { id: `${base}/other`, type: "AnnotationPage" };
  const described = { ...derived.items[0], annotations: [own] };
  const file = { format: "alto", isDrawable: true } as const;
  const members = textMembers(document, 1, { file, language: "de" });
  const withLines: Read = withText(described, members);

  test("names its lines first, since TIFY reads one page of annotations (trap 9)", () => {
    expect(withLines.annotations).toEqual([
      { id: address, type: "AnnotationPage", label: { en: ["Text of this page"] } },
      own,
    ]);
  });

  test("is valid in both versions", () => {
    const manifest = { ...derived, items: [withLines] };
    const written = expectValid(manifest);
    expect(problemsOf3(sent(manifest))).toEqual([]);
    const [canvas2] = written.sequences[0].canvases;
    expect(canvas2.otherContent[0]).toMatchObject({
      "@id": `${base}/iiif/presentation/2/book/canvas/1/lines`,
      "@type": "sc:AnnotationList",
    });
    expect(canvas2.rendering).toMatchObject({ format: "text/plain" });
    expect(canvas2.seeAlso).toMatchObject({ profile: "http://www.loc.gov/standards/alto/" });
  });

  test.each(["alto", "page", "hocr"] as const)("links a file of %s that viewers may draw from", (format) => {
    const [link]: Read = textMembers(document, 1, { file: { format, isDrawable: true } }).seeAlso;
    expect(link.format).toBe(ocrType({ format, isDrawable: true }));
    expect(isDrawn(link)).toBe(format !== "page");
  });

  test.each(["alto", "page", "hocr"] as const)(
    "links a file of %s in another size as one that no viewer draws from (trap 8)",
    (format: OcrFormat) => {
      const [link]: Read = textMembers(document, 1, { file: { format, isDrawable: false } }).seeAlso;
      expect(isDrawn(link)).toBe(false);
      expect(link).not.toHaveProperty("profile");
      expect(["application/xml", "text/html"]).toContain(link.format);
    },
  );

  test("has no link to a file if its text has none", () => {
    expect(textMembers(document, 1, {})).not.toHaveProperty("seeAlso");
  });

  test.each(["lines", "words", "text", "ocr"] as const)("has %s at an address of their own", (kind) => {
    const path = pieceAddress("/book", { kind, number: 12 });
    expect(presentationPaths(path)).toContainEqual({
      id: "book",
      of: "book",
      extent: "whole",
      piece: { kind, number: 12 },
    });
  });
});
