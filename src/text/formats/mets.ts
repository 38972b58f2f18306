// METS (loc.gov/standards/mets, 1.12): the order of pages, with the names of their images and files of text.

import { numberOf } from "./edges.ts";
import { createIntake, type FileOptions, readFileOf } from "./intake.ts";
import { type Attributes, createMarkup, type ElementTable, type MarkupHandler } from "./markup.ts";
import { type ReadFile, tooLargeText } from "./text-bounds.ts";

/** A file that a METS file lists. */
export interface MetsFile {
  /** Name without folders, as in its address. */
  readonly name: string;
  /** What its group is for, such as `DEFAULT`, `FULLTEXT` or `OCR-D-GT-PAGE`: not standardized. */
  readonly group: string;
}

export interface MetsPage {
  /** As printed, or as the institution counts it. */
  readonly label?: string;
  /** In several sizes, perhaps: in the order of the file. */
  readonly images: readonly MetsFile[];
  readonly texts: readonly MetsFile[];
}

/** Takes a METS file in pieces of any size and returns its pages. */
export interface MetsReader {
  /** Returns false if the rest of the file does not matter. @throws TextFileError for a damaged file. */
  write(bytes: Uint8Array): boolean;
  /**
   * Returns the pages in their order; undefined if the file is no METS file. @throws TextFileError as above.
   */
  end(): readonly MetsPage[] | undefined;
}

type Kind = "image" | "text" | "other";

/** Kinds of files by media type, and by the end of the name if that says nothing. */
const kinds: readonly (readonly [kind: Kind, mediaType: RegExp, name: RegExp])[] = [
  ["image", /^image\//i, /\.(?:tiff?|jpe?g|jp2|jpx|j2k|jph|png|gif|webp|avif)$/i],
  [
    "text",
    /^(?:text\/(?:xml|html|plain)|application\/(?:xml|xhtml\+xml|(?:x-)?alto\+xml|vnd\.prima\.page\+xml)|text\/vnd\.hocr)/i,
    /\.(?:xml|alto|hocr|html?|txt)$/i,
  ],
];

function kindOf(mediaType: string, name: string): Kind {
  const byType = kinds.find(([, types]) => types.test(mediaType));
  return (byType ?? kinds.find(([, , names]) => names.test(name)))?.[0] ?? "other";
}

interface OpenFile {
  readonly id: string | undefined;
  readonly mediaType: string;
  readonly group: string;
  name: string | undefined;
}

/** A division of a structure: a page, or what may be one if no division says so. */
interface Division {
  readonly isPage: boolean;
  readonly order: number | undefined;
  readonly label: string | undefined;
  readonly fileIds: Set<string>;
}

/** Creates the reader of a METS file. Files without an address, and of other kinds, are left out. */
export function createMetsReader(options: FileOptions): MetsReader {
  let finish: (() => readonly MetsPage[]) | undefined;
  const intake = createIntake(readFileOf(options), (root, file) => {
    if (root?.slice(root.indexOf(":") + 1) !== "mets") return undefined;
    const handler = createMets(file);
    finish = handler.finish;
    return createMarkup("xml", file, handler);
  });
  return {
    write: intake.write,
    end() {
      intake.end();
      return finish?.();
    },
  };
}

/** Reads a METS file from its pieces, as {@link createMetsReader} does. */
export async function readMets(
  pieces: AsyncIterable<Uint8Array> | Iterable<Uint8Array>,
  options: FileOptions,
): Promise<readonly MetsPage[] | undefined> {
  const reader = createMetsReader(options);
  for await (const piece of pieces) if (!reader.write(piece)) break;
  return reader.end();
}

/** What has been read, and the elements around the present one. */
interface MetsState {
  readonly file: ReadFile;
  readonly files: Map<string, { readonly kind: Kind; readonly file: MetsFile }>;
  /** Uses of the groups around. */
  readonly groups: string[];
  listed: OpenFile | undefined;
  /** Divisions of the first physical structure, else of the first one of any type that has pages. */
  divisions: readonly Division[];
  isPhysical: boolean;
  structure: { readonly isPhysical: boolean; readonly divisions: Division[] } | undefined;
  readonly around: Division[];
  count: number;
}

const opens: ElementTable<(state: MetsState, attributes: Attributes) => void> = {
  fileGrp: ({ groups }, { USE, ID }) => groups.push(USE ?? ID ?? groups.at(-1) ?? ""),
  file(state, { ID, MIMETYPE = "", USE }) {
    state.listed = {
      id: ID,
      mediaType: MIMETYPE,
      group: state.groups.at(-1) || (USE ?? ""),
      name: undefined,
    };
  },
  FLocat({ listed }, attributes) {
    if (listed) listed.name ??= nameOf(addressOf(attributes));
  },
  structMap(state, { TYPE = "" }) {
    state.structure = { isPhysical: /^physical$/i.test(TYPE), divisions: [] };
  },
  div: openDivision,
  fptr: refer,
  area: refer,
};

const closes: ElementTable<(state: MetsState) => void> = {
  fileGrp: ({ groups }) => groups.pop(),
  file: closeFile,
  div: ({ around }) => around.pop(),
  structMap: closeStructure,
};

function createMets(file: ReadFile): MarkupHandler & { finish(): readonly MetsPage[] } {
  const state: MetsState = {
    file,
    files: new Map(),
    groups: [],
    listed: undefined,
    divisions: [],
    isPhysical: false,
    structure: undefined,
    around: [],
    count: 0,
  };
  return {
    open(name, attributes) {
      if (Object.hasOwn(opens, name)) opens[name]!(state, attributes);
    },
    close(name) {
      if (Object.hasOwn(closes, name)) closes[name]!(state);
    },
    text() {},
    finish: () => removeDuplicates(pagesIn(state.divisions)).map((division) => pageOf(state, division)),
  };
}

function countOne(state: MetsState): void {
  if (++state.count > state.file.bounds.listed) throw tooLargeText(state.file, "listed", "files and pages");
}

function openDivision(state: MetsState, { TYPE = "", ORDER, ORDERLABEL, LABEL }: Attributes): void {
  const { structure, around } = state;
  if (!structure) return;
  countOne(state);
  const inside = around.findLast(({ isPage }) => isPage);
  const own: Division = {
    isPage: /^page$/i.test(TYPE),
    order: numberOf(ORDER),
    label: ORDERLABEL || LABEL || undefined,
    fileIds: new Set(),
  };
  // Areas of a page, and pages in pages, are parts of the outermost one.
  around.push(inside ?? own);
  if (!inside) structure.divisions.push(own);
}

function refer(state: MetsState, { FILEID }: Attributes): void {
  const division = state.around.at(-1);
  if (!division || FILEID === undefined || division.fileIds.has(FILEID)) return;
  countOne(state);
  division.fileIds.add(FILEID);
}

function closeFile(state: MetsState): void {
  const { listed, files } = state;
  state.listed = undefined;
  if (!listed) return;
  const { id, name, group, mediaType } = listed;
  if (id === undefined || name === undefined || files.has(id)) return;
  countOne(state);
  files.set(id, { kind: kindOf(mediaType, name), file: { name, group } });
}

function closeStructure(state: MetsState): void {
  const { structure, around, isPhysical, divisions } = state;
  state.structure = undefined;
  around.length = 0;
  if (!structure || isPhysical) return;
  const hasPages = structure.divisions.some((division) => division.isPage);
  if (!structure.isPhysical && (!hasPages || divisions.length > 0)) return;
  state.divisions = structure.divisions;
  state.isPhysical = structure.isPhysical;
}

function pageOf({ files }: MetsState, { fileIds, label }: Division): MetsPage {
  const listed = [...fileIds].flatMap((id) => files.get(id) ?? []);
  const filesOf = (kind: Kind) => listed.filter((one) => one.kind === kind).map((one) => one.file);
  return { ...(label !== undefined && { label }), images: filesOf("image"), texts: filesOf("text") };
}

/** Returns the divisions that are pages, or else those with files, by ORDER if all have one. */
function pagesIn(divisions: readonly Division[]): readonly Division[] {
  const pages = divisions.filter(({ isPage }) => isPage);
  const used = pages.length > 0 ? pages : divisions.filter(({ fileIds }) => fileIds.size > 0);
  const areOrdered = used.every(({ order }) => order !== undefined);
  return areOrdered ? used.toSorted((a, b) => a.order! - b.order!) : used;
}

/** Removes pages that have the files of an earlier one: Kitodo has listed single pages twice. */
function removeDuplicates(divisions: readonly Division[]): readonly Division[] {
  const seen = new Set<string>();
  return divisions.filter(({ fileIds }) => {
    const key = [...fileIds].join(" ");
    if (key !== "" && seen.has(key)) return false;
    seen.add(key);
    return true;
  });
}

/** Returns the value of `xlink:href`, with any prefix. */
function addressOf(attributes: Attributes): string | undefined {
  const key = Object.keys(attributes).find((name) => name === "href" || name.endsWith(":href"));
  return key === undefined ? undefined : attributes[key];
}

/** Returns the name in an address or a path of any system; undefined if it has none. */
function nameOf(address: string | undefined): string | undefined {
  const isUrl = /^[a-z][a-z\d+.-]+:/i.test(address ?? "");
  const path = isUrl ? address?.replace(/[?#].*$/s, "") : address;
  const name = path?.trim().split(/[\\/]/).at(-1) ?? "";
  try {
    return decodeURIComponent(name) || undefined;
  } catch {
    return name;
  }
}
