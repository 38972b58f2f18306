// What browse says of a folder besides its entries: summary, metadata, rights and table of contents, as its
// documents have them.

import { ServiceError } from "../../../base/index.ts";
import {
  encodeIdentifier,
  idOf,
  imagesId,
  objectOf,
  objectsOf,
  plainText,
  presentationPaths,
  type Resource,
  textOf,
} from "../../../iiif/index.ts";
import { type Canvases, canvasesOf, type Made } from "../../manifests/documents/making.ts";
import type { Service } from "../../service.ts";
import { callerOf, type RequestContext } from "../http/context.ts";
import { documentContext } from "../http/document-context.ts";
import { matchLanguage } from "../http/representation/language.ts";
import { imageOfCanvas } from "./asked.ts";

/** Most entries of a table of contents, since each may open an image. */
const maxEntries = 100;
/** Deepest level of a table of contents that is read. */
const deepest = 8;

/** An entry of a table of contents. */
interface ContentsEntry {
  readonly label: string;
  /** Identifier of the image that it begins with, if the caller may have it. */
  readonly image?: string;
  readonly contents?: readonly ContentsEntry[];
}

/** Returns what the documents of a folder say; nothing that the caller may not read. */
export async function describeFolder(
  c: RequestContext,
  service: Service,
  identifier: string,
  ranges: readonly string[],
): Promise<Readonly<Record<string, unknown>>> {
  const made = await documentOf(c, service, identifier);
  if (!made) return {};
  const { document } = made;
  // Images next to folders have a manifest of their own.
  const images = document.type === "Collection" ? await documentOf(c, service, imagesId(identifier)) : made;
  const contents = images && (await tableOf(c, service, images, ranges));
  const pair = (of: Resource) => ({ label: textIn(of.label, ranges), value: textIn(of.value, ranges) });
  const summary = textIn(document.summary, ranges);
  const metadata = objectsOf(document.metadata).map(pair);
  const statement = objectOf(document.requiredStatement);
  return {
    ...(summary !== "" && { summary }),
    ...(metadata.length > 0 && { metadata }),
    ...(textOf(document.rights) !== undefined && { rights: document.rights }),
    ...(statement && { required_statement: pair(statement) }),
    ...contents,
  };
}

/** Returns a document that the caller may read; undefined if there is none. */
async function documentOf(
  c: RequestContext,
  service: Service,
  identifier: string,
): Promise<Made | undefined> {
  const { manifests } = service;
  if (!manifests) return undefined;
  try {
    const readings = presentationPaths(identifier.split("/").map(encodeIdentifier).join("/"));
    const context = documentContext(c, service);
    const presented = await manifests.present(readings, callerOf(c, identifier), context, "partly");
    return presented.refused ? undefined : await presented.make();
  } catch (error) {
    // The entries of a folder are of use without its texts.
    if (error instanceof ServiceError && error.kind !== "cancelled") return undefined;
    throw error;
  }
}

async function tableOf(
  c: RequestContext,
  service: Service,
  made: Made,
  ranges: readonly string[],
): Promise<{ readonly contents?: readonly ContentsEntry[]; readonly contents_cut?: true }> {
  const canvases = canvasesOf(made);
  const read = { left: maxEntries, isCut: false };
  const entryOf = async (range: Resource, level: number): Promise<ContentsEntry> => {
    const image = await firstImage(c, service, range, canvases);
    const inner = await entriesOf(rangesIn(range.items), level + 1);
    const label = textIn(range.label, ranges);
    return { label, ...(image !== undefined && { image }), ...(inner.length > 0 && { contents: inner }) };
  };
  const entriesOf = async (list: readonly Resource[], level: number): Promise<ContentsEntry[]> => {
    const entries: ContentsEntry[] = [];
    for (const range of list) {
      if (read.left === 0 || level > deepest) {
        read.isCut = true;
        break;
      }
      read.left--;
      entries.push(await entryOf(range, level));
    }
    return entries;
  };
  const contents = await entriesOf(rangesIn(made.document.structures), 1);
  return { ...(contents.length > 0 && { contents }), ...(read.isCut && { contents_cut: true }) };
}

const rangesIn = (items: unknown) => objectsOf(items).filter(({ type }) => type === "Range");

/** Returns the image of the first canvas of a range, if the caller may have it. */
async function firstImage(
  c: RequestContext,
  service: Service,
  range: Resource,
  canvases: Canvases,
): Promise<string | undefined> {
  const named = firstCanvas(range, deepest);
  const index = named === undefined ? undefined : await canvases.indexOf(named);
  const canvas = index === undefined ? undefined : await canvases.at(index);
  const image = canvas ? imageOfCanvas(c, service, canvas)?.identifier : undefined;
  if (image === undefined) return undefined;
  const { allowed } = await service.images.access.decide(callerOf(c, image));
  return allowed ? image : undefined;
}

/** Returns the id of the first canvas of a range, without its fragment. */
function firstCanvas(range: Resource, levels: number): string | undefined {
  for (const item of objectsOf(range.items)) {
    const id = item.type === "SpecificResource" ? idOf(item.source) : idOf(item);
    const found = item.type === "Range" && levels > 0 ? firstCanvas(item, levels - 1) : id;
    if (found !== undefined && item.type !== "Range") return found.split("#")[0];
    if (found !== undefined) return found;
  }
  return undefined;
}

/** Returns all texts of a language map in the language that suits a reader best, without elements of HTML. */
function textIn(map: unknown, ranges: readonly string[]): string {
  const texts = objectOf(map);
  if (!texts) return plainText(textOf(map) ?? "");
  const tags = Object.keys(texts);
  const tag = matchLanguage(ranges, tags) ?? ("none" in texts ? "none" : tags[0]);
  const list = tag === undefined ? [] : [texts[tag]].flat().filter((text) => typeof text === "string");
  return list.map((text) => plainText(String(text))).join("; ");
}
