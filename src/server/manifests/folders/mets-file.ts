// The METS file next to images: the order of the pages, their labels, and their files of text.

import { createPauses, type Finding } from "../../../base/index.ts";
import { type MetsPage, readMets, TextFileError } from "../../../text/index.ts";
import type { Source } from "../../sources/source.ts";
import { inside } from "../locations.ts";
import { foldName } from "../texts/text-files.ts";
import type { Listing } from "./listing.ts";
import { problem } from "./manifest-file-text.ts";
import { withoutExtension } from "./text-names.ts";

/** A page of a METS file that is one of the images of its folder. */
export interface OrderedPage {
  /** Name of the image. */
  readonly image: string;
  readonly label?: string;
  /** Names of its files of text, without folders; those that other pages have too are left out. */
  readonly texts: readonly string[];
}

/** A parsed METS file. */
export interface MetsOrder {
  readonly name: string;
  readonly validator: string;
  readonly size: number;
  readonly pages: readonly MetsPage[];
  /** Why nothing of it can be used. */
  readonly fault?: Finding;
}

/** Bytes of a file that is read. */
const maxBytes = 16 * 2 ** 20;
/** Bytes between two pauses: about 2 ms. */
const pieceBytes = 64 * 1024;

const isMets = (name: string) => /(?:^|[._-])mets\.xml$/i.test(name);

/**
 * Returns the first METS file of a folder of images, or undefined. `known`: the previous result, which stays
 * while its file is unchanged. Throws what the source throws.
 */
export async function readMetsFile(
  source: Source,
  key: string,
  { images, texts }: Pick<Listing, "images" | "texts">,
  { known, signal }: { readonly known?: MetsOrder | undefined; readonly signal?: AbortSignal | undefined },
): Promise<MetsOrder | undefined> {
  const listed = images.length > 0 ? texts.find(({ name }) => isMets(name)) : undefined;
  if (!listed) return undefined;
  const { name } = listed;
  const isKnown = (validator: string | undefined) => known?.name === name && known.validator === validator;
  if (isKnown(listed.validator)) return known;
  const file = await source.open(inside({ source, key }, name).key, signal);
  if (!file) return undefined;
  try {
    const { validator } = file;
    if (isKnown(validator)) return known;
    const bytes = await file.bytes.read(0, maxBytes + 1);
    const read = { name, validator, size: bytes.length };
    if (bytes.length > maxBytes) return { ...read, size: 0, pages: [], fault: tooLarge };
    try {
      return { ...read, pages: (await readMets(piecesOf(bytes), { name })) ?? [] };
    } catch (error) {
      if (!(error instanceof TextFileError)) throw error;
      return { ...read, pages: [], fault: problem(error.message) };
    }
  } finally {
    await file.close();
  }
}

const tooLarge = problem(`expected a METS file of at most ${maxBytes / 2 ** 20} MiB; received a larger one`);

async function* piecesOf(bytes: Uint8Array): AsyncGenerator<Uint8Array> {
  const pause = createPauses();
  for (let at = 0; at < bytes.length; at += pieceBytes) {
    yield bytes.subarray(at, at + pieceBytes);
    await pause();
  }
}

const ordered = new WeakMap<MetsOrder, { readonly images: object; readonly pages: readonly OrderedPage[] }>();

/**
 * Returns the pages that are images of a folder, each once: by their names, else by those without extension,
 * since a METS file may list the images in another format.
 */
export function orderedPages(mets: MetsOrder, images: Listing["images"]): readonly OrderedPage[] {
  const known = ordered.get(mets);
  if (known?.images === images) return known.pages;
  const byName = new Map(images.map(({ name }) => [foldName(name), name]));
  const byStem = new Map<string, string | undefined>();
  for (const { name } of images) {
    const stem = foldName(withoutExtension(name));
    byStem.set(stem, byStem.has(stem) ? undefined : name);
  }
  const found = new Map<string, OrderedPage>();
  const isOfOnePage = textsOfOnePage(mets.pages);
  for (const { images: listed, texts, label } of mets.pages) {
    const names = listed.map(({ name }) => foldName(name));
    const image =
      names.map((name) => byName.get(name)).find((name) => name !== undefined) ??
      names.map((name) => byStem.get(withoutExtension(name))).find((name) => name !== undefined);
    if (image === undefined || found.has(image)) continue;
    const own = texts.map(({ name }) => name).filter(isOfOnePage);
    found.set(image, { image, ...(label !== undefined && { label }), texts: own });
  }
  const pages = [...found.values()];
  ordered.set(mets, { images, pages });
  return pages;
}

/**
 * Returns what finds out whether a text belongs to the pages of one image alone: nothing says where in a file
 * for several images the text of each is, and readers of one may not be readers of the others.
 */
function textsOfOnePage(pages: readonly MetsPage[]): (name: string) => boolean {
  const owners = new Map<string, string>();
  for (const [at, { images, texts }] of pages.entries()) {
    const owner = images[0] ? foldName(images[0].name) : String(at);
    for (const { name } of texts) owners.set(name, (owners.get(name) ?? owner) === owner ? owner : "");
  }
  return (name) => owners.get(name) !== "";
}
