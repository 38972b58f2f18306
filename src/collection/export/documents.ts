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
  /** Notes a document or a derivative that could not be exported. */
  readonly fail: (identifier: string, error: unknown) => void;
}

/** Public URL of documents before they are rewritten; the domain never resolves (RFC 2606). */
const from = "https://export.invalid";

/**
 * Exports the documents of the given identifiers and all below them. Returns the files of those that were
 * named. Errors are noted.
 */
export async function exportDocuments(
  exported: DocumentsExport,
  identifiers: readonly string[],
): Promise<{ readonly files: readonly string[]; readonly documents: number }> {
  const { target, version, base, images, signal, fail } = exported;
  const found = new Map<string, Resource>();
  const queue = [...identifiers];
  const files: string[] = [];
  for (let id = queue.shift(); id !== undefined; id = queue.shift()) {
    if (found.has(id)) continue;
    const document = await documentOf(exported, id).catch((error: unknown) => {
      if (signal.aborted) throw error;
      fail(id as string, error);
    });
    if (!document) continue;
    found.set(id, document);
    queue.push(...referencesOf(document));
  }
  const hasDocument = (id: string) => found.has(id);
  const derivatives = new Map<string, NamedDerivative>();
  for (const [id, document] of found) {
    const rewritten = rewriteDocument(document, { from, to: base, version, images, hasDocument });
    for (const one of rewritten.derivatives) derivatives.set(one.path, one);
    await target.write(documentFile(id), jsonOf(rewritten.document));
    if (identifiers.includes(id)) files.push(documentFile(id));
  }
  for (const one of derivatives.values())
    await exportDerivative(exported, one).catch((error: unknown) => {
      if (signal.aborted) throw error;
      fail(one.identifier, error);
    });
  return { files, documents: found.size };
}

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
