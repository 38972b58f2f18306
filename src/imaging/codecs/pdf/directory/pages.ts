// The page tree of a PDF (ISO 32000-2, section 7.7.3).

import { ImagingError } from "../../../../base/index.ts";
import { damagedPdf } from "../../damaged.ts";
import { arrayOf, countOf, isReference, type PdfDictionary, type PdfValue } from "../syntax/values.ts";
import type { PdfFile } from "./file.ts";

const maxDepth = 64;
/** Pages of a file that are served. */
const maxPages = 100_000;
/** Attributes that pages inherit from nodes above them (section 7.7.3.4). */
const inherited = ["Resources", "MediaBox", "CropBox", "Rotate"] as const;

/** A page with what it inherits. */
export type PdfPage = PdfDictionary;

/** Pages of a file; `cut` if it has more. */
export interface PageCount {
  readonly pages: number;
  readonly cut?: "limit";
}

/** Returns the number of pages. Throws ImagingError `decode` if there is no page tree, or it is empty. */
export async function countPages(file: PdfFile): Promise<PageCount> {
  const { node } = await rootOf(file);
  const stated = countOf(await file.resolve(node.get("Count"))) ?? 0;
  // Each page is an object.
  const pages = Math.min(stated, file.table.size, maxPages);
  if (pages === 0) throw damagedPdf("at least one page", "none");
  return pages === maxPages && stated > maxPages ? { pages, cut: "limit" } : { pages };
}

interface Node {
  readonly node: PdfDictionary;
  readonly attributes: PdfDictionary;
}

async function rootOf(file: PdfFile): Promise<Node> {
  const catalog = await file.dictionary(file.table.trailer.get("Root"));
  const root = await file.dictionary(catalog?.get("Pages"));
  if (!root) throw damagedPdf("a page tree", "none");
  return { node: root, attributes: attributesOf(root, new Map()) };
}

function attributesOf(node: PdfDictionary, above: PdfDictionary): PdfDictionary {
  const attributes = new Map(above);
  for (const key of inherited) if (node.has(key)) attributes.set(key, node.get(key)!);
  return attributes;
}

const kidsOf = async (file: PdfFile, node: PdfDictionary) =>
  node.has("Kids") ? (arrayOf(await file.resolve(node.get("Kids"))) ?? []) : undefined;

/**
 * Returns page `number`, from 1 on, of a file that has as many. It reads the nodes above the page, and next
 * to these the ones before it. Throws ImagingError `decode`, and `not-found` if there are fewer.
 */
export async function findPage(file: PdfFile, number: number): Promise<PdfPage> {
  let left = number;
  let { node, attributes } = await rootOf(file);
  for (let depth = 0; depth < maxDepth; depth++) {
    const kids = (await kidsOf(file, node)) ?? [];
    const isFlat = countOf(await file.resolve(node.get("Count"))) === kids.length;
    const next = (isFlat && (await leafAt(file, kids, left))) || (await descend(file, kids, left));
    // /Count may be larger than the number of pages.
    if (!next && number > 1)
      throw new ImagingError("not-found", `Expected a page of this PDF file, received ${number}.`, {
        code: "page_not_found",
      });
    if (!next) break;
    attributes = attributesOf(next.node, attributes);
    if (next.left === undefined) return new Map([...next.node, ...attributes]);
    ({ node, left } = next as Required<Step>);
  }
  throw damagedPdf(`page ${number} in the page tree`, "none");
}

/** The node that leads to a page, and the page's number among those below it; absent for the page itself. */
interface Step {
  readonly node: PdfDictionary;
  readonly left?: number;
}

/** Returns the page at an index if it is one: a node whose pages are as many as its kids has pages alone. */
async function leafAt(file: PdfFile, kids: readonly PdfValue[], left: number): Promise<Step | undefined> {
  const node = await file.dictionary(kids[left - 1]);
  return node && !node.has("Kids") ? { node } : undefined;
}

async function descend(file: PdfFile, kids: readonly PdfValue[], number: number): Promise<Step | undefined> {
  let left = number;
  for (const kid of kids) {
    // Kids are indirect references (section 7.7.3.2).
    const node = isReference(kid) ? await file.dictionary(kid) : undefined;
    if (!node) continue;
    const count = node.has("Kids") ? (countOf(await file.resolve(node.get("Count"))) ?? 0) : 1;
    if (left <= count) return node.has("Kids") ? { node, left } : { node };
    left -= count;
  }
  return undefined;
}

/**
 * Yields the pages in order, and the ImagingError of one that cannot be read. Throws what the source
 * throws.
 */
export async function* pagesInOrder(file: PdfFile): AsyncGenerator<PdfPage | ImagingError> {
  const above: { readonly kids: readonly PdfValue[]; at: number; readonly attributes: PdfDictionary }[] = [];
  const root = await rootOf(file);
  above.push({ kids: (await kidsOf(file, root.node)) ?? [], at: 0, attributes: root.attributes });
  for (let level = above.at(-1); level; level = above.at(-1)) {
    const kid = level.kids[level.at++];
    if (kid === undefined) {
      above.pop();
      continue;
    }
    if (!isReference(kid)) continue;
    try {
      const node = await file.dictionary(kid);
      if (!node) continue;
      const attributes = attributesOf(node, level.attributes);
      const kids = await kidsOf(file, node);
      if (!kids) {
        yield new Map([...node, ...attributes]);
        file.renew();
      } else if (above.length < maxDepth) above.push({ kids, at: 0, attributes });
      else throw damagedPdf(`at most ${maxDepth} nodes above a page`, "more");
    } catch (error) {
      if (!(error instanceof ImagingError) || error.kind === "source") throw error;
      yield error;
    }
  }
}
