// Exports the manifests and collections of folders and images, and the derivatives that they name.

import {
  documentAddress,
  mainPrefix,
  objectsOf,
  presentationPaths,
  presentationRoot,
  type Resource,
  textOf,
} from "../../../iiif/index.ts";
import {
  canvasesOf,
  endsWork,
  type Manifests,
  prepare,
  type RenderParts,
  render,
  withMaster,
} from "../../../server/index.ts";
import { anonymousCaller } from "../reader.ts";
import { createContents } from "./document-contents.ts";
import type { ExportedImage } from "./image.ts";
import { gatedError, type LeftOutNotes } from "./left-out.ts";
import { documentFile, imageFolder, isCanvasPiece, isRawText, textPieceOf } from "./names.ts";
import { documentAt, type NamedDerivative, rewriteDocument } from "./rewrite.ts";
import { isOpen } from "./stale.ts";
import { foreignError, type Target } from "./target.ts";

export interface DocumentsExport {
  readonly manifests: Manifests;
  readonly parts: RenderParts;
  readonly target: Target;
  readonly version: 2 | 3;
  /** Address of the exported folder, without a trailing /. */
  readonly base: string;
  readonly images: ReadonlyMap<string, ExportedImage>;
  /** Images and documents that only readers with a login may see. */
  readonly leftOut: LeftOutNotes;
  readonly signal: AbortSignal;
  /** True to replace files of others that are where documents are written. */
  readonly replaces: boolean;
  /** True to export the words of canvases as annotations, in addition to the lines. */
  readonly words: boolean;
  /** Notes a document or a derivative that could not be exported. */
  readonly fail: (identifier: string, error: unknown) => void;
}

/** Public URL of documents before they are rewritten; the domain never resolves (RFC 2606). */
const from = "https://export.invalid";

export interface ExportedDocuments {
  /** Files of the documents that were named. */
  readonly start: readonly string[];
  /** Identifiers of the documents that there are. */
  readonly found: { has(id: string): boolean };
  /** Identifiers of those that were written. */
  readonly written: ReadonlySet<string>;
  /** Identifiers of the images of which documents name derivatives beyond those of level 0. */
  readonly named: ReadonlySet<string>;
  /** Derivatives that were made or are there, and that anyone may see. */
  readonly derivatives: readonly NamedDerivative[];
  /** Identifiers of those that need a login, or all of whose images do. */
  readonly refused: ReadonlySet<string>;
  /** False if a document could not be made, so that those below it are not known. */
  readonly isComplete: boolean;
}

/**
 * Exports the documents of the given identifiers and all below them. Errors are noted; throws `cancelled` and
 * FatalError. Holds one document at a time.
 */
export async function exportDocuments(
  exported: DocumentsExport,
  identifiers: readonly string[],
): Promise<ExportedDocuments> {
  const { target } = exported;
  const noted = new Set(await target.notes.documents());
  try {
    return await exportAll(exported, identifiers, noted);
  } finally {
    await target.notes.noteDocuments(noted);
    await target.dropAside();
  }
}

async function exportAll(
  exported: DocumentsExport,
  identifiers: readonly string[],
  noted: Set<string>,
): Promise<ExportedDocuments> {
  const { target, version, base, images, leftOut, signal, fail } = exported;
  const attempt = async (id: string, work: () => Promise<void>) => {
    try {
      await work();
      return true;
    } catch (error) {
      if (signal.aborted || endsWork(error)) throw error;
      fail(id, error);
      return false;
    }
  };
  // Which documents there are is known once all are made.
  const found = new Map<string, () => Promise<Uint8Array>>();
  let isComplete = true;
  const refused = new Set<string>();
  const contents = createContents({ from, images, leftOut });
  const queue = [...identifiers];
  for (let id = queue.shift(); id !== undefined; id = queue.shift()) {
    if (found.has(id) || refused.has(id)) continue;
    const name = id;
    const isMade = await attempt(name, async () => {
      const document = await documentOf(exported, name);
      if (document === undefined) {
        refused.add(name);
        leftOut.note("document", name || documentFile(name));
        return;
      }
      if (document instanceof Uint8Array) {
        found.set(name, await target.setAside(document));
        return;
      }
      contents.add(name, document);
      found.set(name, await target.setAside(jsonOf(document)));
      queue.push(...referencesOf(document));
    });
    isComplete &&= isMade || textPieceOf(name) !== undefined;
  }
  // Manifests no longer name the texts of images that need a login now.
  for (const id of noted)
    if (textPieceOf(id) !== undefined && !found.has(id) && (await isRefused(exported, id))) refused.add(id);
  const start: string[] = [];
  const written = new Set<string>();
  const empty = contents.empty((id) => found.has(id));
  for (const [id, reason] of empty) {
    leftOut.note("document", id || documentFile(id));
    if (reason === "gated") refused.add(id);
  }
  const hasDocument = (id: string) => found.has(id) && !empty.has(id);
  const derivatives = new Map<string, NamedDerivative>();
  const admitted = new Map<string, () => Promise<Uint8Array>>();
  for (const [id, read] of found)
    await attempt(id, async () => {
      if (!hasDocument(id)) return;
      const file = documentFile(id);
      if (!exported.replaces && !noted.has(id) && (await target.has(file)))
        throw foreignError(file, ", or give --force to replace it");
      admitted.set(id, read);
    });
  // Noted before, so that the next run knows the files if this process ends before the last is written.
  await target.notes.noteDocuments(new Set([...noted, ...admitted.keys()]));
  for (const [id, read] of admitted)
    await attempt(id, async () => {
      signal.throwIfAborted();
      if (isRawText(id)) {
        await target.write(documentFile(id), await read());
        noted.add(id);
        written.add(id);
        return;
      }
      const document = JSON.parse(new TextDecoder().decode(await read())) as Resource;
      const options = { from, to: base, version, images, hasDocument };
      const isLeftOut = await gatedNames(exported, rewriteDocument(document, options).derivatives);
      const rewritten = rewriteDocument(document, { ...options, isLeftOut });
      for (const one of rewritten.derivatives) derivatives.set(one.path, one);
      await target.write(documentFile(id), jsonOf(rewritten.document));
      noted.add(id);
      written.add(id);
      if (identifiers.includes(id)) start.push(documentFile(id));
    });
  const named = new Set<string>();
  const there: NamedDerivative[] = [];
  for (const one of derivatives.values()) {
    named.add(one.identifier);
    if (await attempt(one.identifier, () => exportDerivative(exported, one))) there.push(one);
  }
  return { start, found, written, named, derivatives: there, refused, isComplete };
}

const jsonOf = (document: Resource) => new TextEncoder().encode(`${JSON.stringify(document, null, 1)}\n`);

/** Returns a function that is true for identifiers of images that only readers with a login may see. */
async function gatedNames(
  { parts, images, leftOut, signal }: DocumentsExport,
  named: readonly NamedDerivative[],
): Promise<(identifier: string) => boolean> {
  for (const identifier of new Set(named.map((one) => one.identifier))) {
    if (images.has(identifier) || leftOut.hasImage(identifier)) continue;
    // A hook that fails is reported when the derivative is made.
    const decide = async () => parts.access.decide(anonymousCaller(identifier, signal));
    const decision = await decide().catch(() => undefined);
    if (decision && !isOpen(decision, identifier)) leftOut.note("image", identifier);
  }
  return leftOut.hasImage;
}

/** Presents a document to an anonymous reader. */
const presentOpenly = ({ manifests, parts, signal }: DocumentsExport, id: string) => {
  const address = documentAddress(from, id);
  const raw = address.slice((from + presentationRoot[3]).length);
  const context = { base: from, imagePrefixes: mainPrefix, limits: parts.sizes.limits };
  return manifests.present(presentationPaths(raw), anonymousCaller(id, signal), context);
};

/**
 * Returns a document as an anonymous reader gets it, with all of its canvases, or the bytes of a text;
 * undefined if it needs a login.
 */
async function documentOf(exported: DocumentsExport, id: string): Promise<Resource | Uint8Array | undefined> {
  const presented = await presentOpenly(exported, id);
  if (presented.refused) return undefined;
  if (presented.raw) return (await presented.raw()).bytes;
  const made = await presented.make();
  const { canvases, document } = made;
  const items: Resource[] = [];
  if (canvases) for await (const batch of canvasesOf(made).batches()) items.push(...batch);
  const whole = canvases ? { ...document, items } : document;
  return exported.words ? withWords(whole) : whole;
}

/** True if a document exists that an anonymous reader may not read. */
const isRefused = (exported: DocumentsExport, id: string): Promise<boolean> =>
  presentOpenly(exported, id).then(
    ({ refused }) => refused !== undefined,
    () => false,
  );

/** Returns a manifest that names the words of each canvas, next to its lines. */
function withWords(document: Resource): Resource {
  if (document.type !== "Manifest") return document;
  const items = objectsOf(document.items).map((canvas) => {
    const pages = objectsOf(canvas.annotations).flatMap((page) => {
      const id = textOf(page.id) ?? "";
      const isOfLines = !Array.isArray(page.items) && textPieceOf(id) === "lines";
      return isOfLines ? [page, { ...page, id: id.replace(/lines$/, "words"), label: wordsLabel }] : [page];
    });
    return pages.length === 0 ? canvas : { ...canvas, annotations: pages };
  });
  return { ...document, items };
}

const wordsLabel = { en: ["Words of this page"] };

/**
 * Returns the identifiers of documents that a document lists, of annotations that it names, and of texts and
 * maps of its canvases.
 */
function referencesOf(document: Resource): readonly string[] {
  const listed = document.type === "Collection" ? objectsOf(document.items) : [];
  const canvases = document.type === "Manifest" ? objectsOf(document.items) : [];
  const annotations = [document, ...canvases].flatMap((each) => objectsOf(each.annotations));
  const links = canvases.flatMap(({ rendering, seeAlso }) =>
    [...objectsOf(rendering), ...objectsOf(seeAlso)].filter(({ id }) => isCanvasPiece(textOf(id) ?? "")),
  );
  return [...listed, ...annotations, ...links].flatMap((each) => {
    const id = Array.isArray(each.items) ? undefined : documentAt(textOf(each.id) ?? "", from);
    return id === undefined ? [] : [id];
  });
}

async function exportDerivative(
  { parts, target, signal }: DocumentsExport,
  { identifier, request, path }: NamedDerivative,
): Promise<void> {
  const note = await target.notes.image(identifier);
  if (!note) await target.refuseForeign(imageFolder(identifier));
  await withMaster(parts, anonymousCaller(identifier, signal), async (master) => {
    if (!isOpen(master.grant, identifier) || master.identifier !== identifier) throw gatedError();
    if (note && (await target.has(path))) return;
    const prepared = await prepare(parts, master, request, signal);
    const { bytes } = await render(parts, master, prepared, signal);
    // So that later runs know the file. The version is none that an image has.
    if (!note) await target.notes.noteImage(identifier, { version: "", complete: false });
    await target.write(path, bytes);
  });
}
