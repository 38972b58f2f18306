// The content streams of a page (ISO 32000-2, section 7.8.2).

import { concatenate } from "../../../../base/index.ts";
import type { PdfFile } from "../directory/file.ts";
import type { PdfPage } from "../directory/pages.ts";
import { arrayOf } from "../syntax/values.ts";
import { type Content, readOperators } from "./content.ts";

/** Bytes of the content of a page, and the streams of it, that are looked at. */
const [maxContent, maxParts] = [64 * 1024, 32];

/** Reads the content of a page. One that is too long counts as visible. */
export async function readContent(file: PdfFile, page: PdfPage): Promise<Content> {
  const content = await joinStreams(file, page);
  return content
    ? readOperators(content)
    : { images: [], hasInk: true, reason: "its content is long, or compressed in an unusual way" };
}

/** Returns the content streams as one; undefined if it is too long or has unusual filters. */
async function joinStreams(file: PdfFile, page: PdfPage): Promise<Uint8Array | undefined> {
  const contents = await file.resolve(page.get("Contents"));
  const parts = arrayOf(contents) ?? [page.get("Contents") ?? null];
  if (parts.length > maxParts) return undefined;
  const pieces: Uint8Array[] = [];
  let total = 0;
  for (const part of parts) {
    const stream = await file.stream(part);
    if (!stream) continue;
    const piece = await file.contents(stream, maxContent);
    total += piece?.length ?? 0;
    if (!piece || total > maxContent) return undefined;
    // The end of a stream ends a token.
    pieces.push(piece, Uint8Array.of(10));
  }
  return concatenate(pieces);
}
