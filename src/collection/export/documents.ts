// Exports the manifests and collections of folders and images, and the derivatives that they name.

import { ServiceError } from "../../errors.ts";
import { mainPrefix } from "../../iiif/image/mounts.ts";
import { objectsOf, textOf } from "../../iiif/presentation/json.ts";
import type { Resource } from "../../iiif/presentation/model.ts";
import { documentAddress, presentationPaths, presentationRoot } from "../../iiif/presentation/mounts.ts";
import { withMaster } from "../../images/open.ts";
import { prepare, type RenderParts, render } from "../../images/render.ts";
import { canvasesOf } from "../../manifests/documents/making.ts";
import type { Manifests } from "../../manifests/manifests.ts";
import { endsWork } from "../tally.ts";
import type { ExportedImage } from "./image.ts";
import { documentFile } from "./names.ts";
import { anonymous } from "./reader.ts";
import { documentAt, type NamedDerivative, rewriteDocument } from "./rewrite.ts";
import type { Target } from "./target.ts";

export interface DocumentsExport {
  readonly manifests: Manifests;
  readonly parts: RenderParts;
  readonly target: Target;
  readonly version: 2 | 3;
  /** Address of the exported folder, without a trailing /. */
  readonly base: string;
  readonly images: ReadonlyMap<string, ExportedImage>;
  readonly signal: AbortSignal;
  /** True to replace files of others that are where documents are written. */
  readonly replaces: boolean;
  /** Notes a document or a derivative that could not be exported. */
  readonly fail: (identifier: string, error: unknown) => void;
}

/** Public URL of documents before they are rewritten; the domain never resolves (RFC 2606). */
const from = "https://export.invalid";

export interface ExportedDocuments {
  /** Files of the documents that were named. */
  readonly files: readonly string[];
  /** Identifiers of all documents. */
  readonly found: { readonly size: number; has(id: string): boolean };
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
  try {
    return await exportAll(exported, identifiers);
  } finally {
    await target.dropAside();
  }
}

async function exportAll(
  exported: DocumentsExport,
  identifiers: readonly string[],
): Promise<ExportedDocuments> {
  const { target, version, base, images, signal, fail } = exported;
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
  const queue = [...identifiers];
  const files: string[] = [];
  for (let id = queue.shift(); id !== undefined; id = queue.shift()) {
    if (found.has(id)) continue;
    const name = id;
    const isMade = await attempt(name, async () => {
      const document = await documentOf(exported, name);
      found.set(name, await target.setAside(jsonOf(document)));
      queue.push(...referencesOf(document));
    });
    isComplete &&= isMade;
  }
  const foreign = exported.replaces ? new Set() : await foreignFiles(target, found.keys());
  const noted = [...((await target.documents()) ?? []), ...found.keys()].filter((id) => !foreign.has(id));
  // Noted before, so that an interrupted run takes none of them for a file of others.
  await target.noteDocuments(new Set(noted));
  const hasDocument = (id: string) => found.has(id);
  const derivatives = new Map<string, NamedDerivative>();
  for (const [id, read] of found)
    await attempt(id, async () => {
      signal.throwIfAborted();
      if (foreign.has(id)) throw foreignError(documentFile(id));
      const document = JSON.parse(new TextDecoder().decode(await read())) as Resource;
      const rewritten = rewriteDocument(document, { from, to: base, version, images, hasDocument });
      for (const one of rewritten.derivatives) derivatives.set(one.path, one);
      await target.write(documentFile(id), jsonOf(rewritten.document));
      if (identifiers.includes(id)) files.push(documentFile(id));
    });
  for (const one of derivatives.values())
    await attempt(one.identifier, () => exportDerivative(exported, one));
  return { files, found, isComplete };
}

/** Returns the documents in whose place there is a file that no earlier run has written. */
async function foreignFiles(target: Target, ids: Iterable<string>): Promise<ReadonlySet<string>> {
  const own = await target.documents();
  const foreign = new Set<string>();
  // Without a note, the folder was empty when the export began.
  if (!own) return foreign;
  for (const id of ids)
    if (!own.has(id) && (await target.has(documentFile(id)).catch(() => false))) foreign.add(id);
  return foreign;
}

const foreignError = (file: string) =>
  new ServiceError(
    "unsupported",
    `A file ${file} is there that is not of an export. Move it away, or give --force to replace it.`,
    { code: "export_foreign_file" },
  );

const jsonOf = (document: Resource) => new TextEncoder().encode(`${JSON.stringify(document, null, 1)}\n`);

/** Returns a document as an anonymous reader gets it, with all of its canvases. */
async function documentOf({ manifests, parts, signal }: DocumentsExport, id: string): Promise<Resource> {
  const address = documentAddress(from, id);
  const raw = address.slice((from + presentationRoot[3]).length);
  const context = { base: from, imagePrefixes: mainPrefix, limits: parts.sizes.limits };
  const presented = await manifests.present(presentationPaths(raw), anonymous(id, signal), context);
  const made = await presented.make();
  if (!made.canvases) return made.document;
  const items: Resource[] = [];
  for await (const batch of canvasesOf(made).batches()) items.push(...batch);
  return { ...made.document, items };
}

/** Returns the identifiers of documents that a document lists, and of annotations that it names. */
function referencesOf(document: Resource): readonly string[] {
  const listed = document.type === "Collection" ? objectsOf(document.items) : [];
  const canvases = document.type === "Manifest" ? objectsOf(document.items) : [];
  const annotations = [document, ...canvases].flatMap((each) => objectsOf(each.annotations));
  return [...listed, ...annotations].flatMap((each) => {
    const id = Array.isArray(each.items) ? undefined : documentAt(textOf(each.id) ?? "", from);
    return id === undefined ? [] : [id];
  });
}

async function exportDerivative(
  { parts, target, signal }: DocumentsExport,
  { identifier, request, path }: NamedDerivative,
): Promise<void> {
  if (await target.has(path)) return;
  await withMaster(parts, anonymous(identifier, signal), async (master) => {
    if (master.grant.tier === "substitute" || master.identifier !== identifier)
      throw new ServiceError("unauthorized", "Readers without a login see another image instead.", {
        code: "access_denied",
      });
    const prepared = await prepare(parts, master, request, signal);
    await target.write(path, (await render(parts, master, prepared, signal)).bytes);
  });
}
