// The formats of text, as rows of a table: told apart by the root element, not by its namespace.

import { createAlto } from "./alto.ts";
import type { PageHandler } from "./file-page.ts";
import { createHocr } from "./hocr.ts";
import { createPageXml } from "./page-xml.ts";
import type { ReadFile } from "./text-bounds.ts";

interface Format {
  /** Local names of root elements, in lower case; several for parts of an HTML document. */
  readonly roots: readonly string[];
  readonly mode: "xml" | "html";
  readonly create: (file: ReadFile) => PageHandler;
}

export const markupFormats = {
  alto: { roots: ["alto"], mode: "xml", create: createAlto },
  page: { roots: ["pcgts"], mode: "xml", create: createPageXml },
  hocr: { roots: ["html", "head", "body", "div", "span", "p", "meta"], mode: "html", create: createHocr },
} as const satisfies Readonly<Record<string, Format>>;

export type MarkupFormat = keyof typeof markupFormats;

/** Formats of text that can be read. */
export type TextFormat = MarkupFormat | "plain";

const byRoot: ReadonlyMap<string, MarkupFormat> = new Map(
  Object.entries(markupFormats).flatMap(([format, { roots }]) =>
    roots.map((root) => [root, format as MarkupFormat]),
  ),
);

/** Returns the format of a file whose root element has this name, with or without a prefix. */
export const formatOf = (root: string): MarkupFormat | undefined =>
  byRoot.get(root.slice(root.indexOf(":") + 1).toLowerCase());
