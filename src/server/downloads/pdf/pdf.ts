// Writes a PDF file of images page by page: no page is held after it has been passed on. Built to the rules
// of PDF/A-2b (ISO 19005-2).

import type { PageText } from "../../../text/index.ts";
import type { Piece } from "../pieces.ts";
import { fontObjects } from "./font-objects.ts";
import { imageObjects, matrixOf, type PdfImage } from "./image-objects.ts";
import { informationOf, type PdfFacts, xmpOf } from "./metadata.ts";
import { ObjectFile } from "./object-file.ts";
import { type OutlineItem, outlineObjects } from "./outline.ts";
import { decimal, dictionary, ref, textString } from "./syntax.ts";
import { TextCodes } from "./text-codes.ts";
import { textLayer } from "./text-layer.ts";

export interface PdfPage {
  readonly label: string;
  /** Upright size in pixels, in which the boxes of its text are. */
  readonly width: number;
  readonly height: number;
  /** Pixels per inch, for the size of the page. */
  readonly resolution: number;
  /** Absent if it cannot be shown: the page is then a crossed box, and its text is `problem`. */
  readonly image?: PdfImage | undefined;
  readonly problem?: string | undefined;
  readonly text?: PageText | undefined;
}

export interface PdfDocument {
  readonly facts: PdfFacts;
  /** 16 bytes as hexadecimal digits, which depend on all that the file is made of. */
  readonly id: string;
  readonly isLeftward: boolean;
  readonly outline: readonly OutlineItem[];
  /** The sRGB profile. */
  readonly srgb: Uint8Array;
  /** Returns bytes in the form of zlib (RFC 1950), which the filter FlateDecode takes. */
  readonly deflate: (bytes: Uint8Array) => Promise<Uint8Array>;
  /** Called when the page before has been passed on. */
  readonly pages: AsyncIterable<PdfPage>;
}

/** Pages below one node of the page tree, so that readers find a page in two steps. */
const pagesPerNode = 64;
/** Sides of pages in points that all readers accept (ISO 32000-1, annex C). */
const sides = { min: 3, max: 14_400 } as const;

/** Yields a file. Throws what `pages` throws; the file is then cut. */
export async function* pdfPieces(document: PdfDocument): AsyncGenerator<Piece> {
  const file = new ObjectFile();
  yield file.start();
  const [catalog, root] = [file.reserve(), file.reserve()];
  const codes = new TextCodes();
  const profiles = new Map<string, number>();
  const numbers: number[] = [];
  const labels: string[] = [];
  const nodes: { readonly number: number; readonly kids: number[] }[] = [];
  let font: number | undefined;

  for await (const page of document.pages) {
    if (numbers.length % pagesPerNode === 0) nodes.push({ number: file.reserve(), kids: [] });
    const node = nodes.at(-1) as (typeof nodes)[number];
    const { points, width, height } = sizeOf(page);
    const own = file.reserve();
    const drawn: string[] = [];
    const resources: Record<string, string> = {};
    if (page.image) {
      const image = file.reserve();
      yield* imageObjects(file, image, page.image, profiles);
      drawn.push(`q ${matrixOf(page.image.orientation, width, height)} cm /I Do Q\n`);
      resources.XObject = dictionary({ I: ref(image) });
    } else drawn.push(crossedBox(width, height));
    const text = page.image ? page.text : problemText(page);
    const layer = text ? textLayer(text, points, codes) : "";
    if (layer !== "") {
      font ??= file.reserve();
      drawn.push(layer);
      resources.Font = dictionary({ F: ref(font) });
    }
    const content = file.reserve();
    yield* file.stream(
      content,
      { Filter: "/FlateDecode" },
      await document.deflate(new TextEncoder().encode(drawn.join(""))),
    );
    yield file.object(
      own,
      dictionary({
        Type: "/Page",
        Parent: ref(node.number),
        MediaBox: `[0 0 ${decimal(width)} ${decimal(height)}]`,
        Resources: dictionary(resources),
        Contents: ref(content),
      }),
    );
    node.kids.push(own);
    numbers.push(own);
    labels.push(page.label);
  }

  for (const { number, kids } of nodes) yield file.object(number, pagesNode(kids, kids.length, ref(root)));
  yield file.object(
    root,
    pagesNode(
      nodes.map(({ number }) => number),
      numbers.length,
    ),
  );
  if (font !== undefined) yield* fontObjects(file, font, codes, document.deflate);
  const { facts, outline } = document;
  const contents = outline.length > 0 ? file.reserve() : undefined;
  if (contents !== undefined) yield* outlineObjects(file, contents, outline, numbers);
  const [metadata, srgb, information] = [file.reserve(), file.reserve(), file.reserve()];
  const packet = new TextEncoder().encode(xmpOf(facts));
  yield* file.stream(metadata, { Type: "/Metadata", Subtype: "/XML" }, packet);
  yield* file.stream(srgb, { N: "3" }, document.srgb);
  yield file.object(information, informationOf(facts));
  const intent = dictionary({
    Type: "/OutputIntent",
    S: "/GTS_PDFA1",
    OutputConditionIdentifier: "(sRGB IEC61966-2.1)",
    Info: "(sRGB IEC61966-2.1)",
    DestOutputProfile: ref(srgb),
  });
  const direction = document.isLeftward ? "/R2L" : "/L2R";
  yield file.object(
    catalog,
    dictionary({
      Type: "/Catalog",
      Pages: ref(root),
      PageLabels: `<< /Nums [${labels.map((label, at) => `${at} << /P ${textString(label)} >>`).join(" ")}] >>`,
      Metadata: ref(metadata),
      OutputIntents: `[${intent}]`,
      ViewerPreferences: dictionary({ DisplayDocTitle: "true", Direction: direction }),
      ...(facts.language !== undefined && { Lang: textString(facts.language) }),
      ...(contents !== undefined && { Outlines: ref(contents), PageMode: "/UseOutlines" }),
    }),
  );
  yield file.end(catalog, information, document.id);
}

const pagesNode = (kids: readonly number[], count: number, parent?: string): string =>
  dictionary({
    Type: "/Pages",
    Parent: parent,
    Kids: `[${kids.map(ref).join(" ")}]`,
    Count: String(count),
  });

/** Returns the size of a page in points, and how many points a pixel has. */
function sizeOf({ width, height, resolution }: PdfPage) {
  const wanted = 72 / resolution;
  const max = sides.max / Math.max(width, height);
  const min = sides.min / Math.min(width, height);
  const points = Math.min(max, Math.max(min, wanted));
  return { points, width: width * points, height: Math.max(height * points, 0) };
}

/** The sign of a missing picture, which needs no language. */
function crossedBox(width: number, height: number): string {
  const [x, y] = [width / 4, height / 4].map(decimal);
  const [right, top] = [(width * 3) / 4, (height * 3) / 4].map(decimal);
  const [w, h] = [width / 2, height / 2].map(decimal);
  return `q 0.5 G 1 w ${x} ${y} ${w} ${h} re ${x} ${y} m ${right} ${top} l ${x} ${top} m ${right} ${y} l S Q\n`;
}

function problemText({ width, height, problem }: PdfPage): PageText | undefined {
  if (problem === undefined) return undefined;
  const words = problem.split(/\s+/).map((text) => ({ text }));
  const size = Math.max(1, width / 40);
  const box = [0, height / 2, Math.min(width, (problem.length * size) / 2), size] as const;
  return { width, height, lines: [{ block: 0, box, words }] };
}
