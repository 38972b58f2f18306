// The bytes of a document: whole or, for very long manifests, one batch of canvases after another.

import { createPauses, sha256, toHex } from "../../../base/index.ts";
import { type PresentationVersion, type Resource, version2 } from "../../../iiif/index.ts";
import type { Canvases, Made } from "../../manifests/documents/making.ts";
import { streamOf } from "../http/representation/streamed-body.ts";

export interface DocumentBody {
  /** Quoted; absent for a long manifest that has never been written completely. */
  readonly etag?: string | undefined;
  /**
   * All bytes, or a function that starts a stream of them. `failed` receives the error that ends the stream
   * early, unless its reader left.
   */
  readonly bytes:
    | Uint8Array<ArrayBuffer>
    | ((failed: (error: unknown) => void) => ReadableStream<Uint8Array>);
}

/** Form of a document. */
export interface BodyForm {
  readonly version: PresentationVersion;
  /** Media type. */
  readonly type: string;
  /** Public URL of the service, without a trailing /. */
  readonly base: string;
}

const utf8 = new TextEncoder();

/**
 * Returns the body of a document in a version of the Presentation API, as a media type; undefined if that
 * version has no such resource. `written` receives the body of a manifest that is never held as a whole once
 * its stream has ended, and its size in memory: deflated, it is a twentieth of what is sent.
 */
export async function bodyOf(
  { document, document2, canvases, services = document.services }: Made,
  { version, type, base }: BodyForm,
  written: ((body: DocumentBody, weight: number) => void) | undefined,
): Promise<DocumentBody | undefined> {
  const pause = createPauses();
  await pause();
  const own = version === 2 ? (document2 ?? version2(document, base, services)) : document;
  if (own === undefined) return undefined;
  if (!canvases) {
    await pause();
    const bytes = utf8.encode(JSON.stringify(own));
    return { etag: etagOf(type, toHex(await sha256(bytes))), bytes };
  }
  const head = JSON.stringify(own);
  const texts = {
    write: (canvas: Resource) => (version === 2 ? canvas2(canvas, base, services) : canvas),
    list: emptyList[version],
  };
  const parts = () => encodeTexts(textsOf(head, canvases, texts));
  if (!written) return { bytes: (failed) => streamOf(parts(), { failed }) };
  return { bytes: (failed) => streamOf(noteParts(parts(), type, written), { failed }) };
}

/**
 * Yields the same parts and keeps them deflated until all have passed. Their ETag is a chain of digests,
 * since they are never held together.
 */
async function* noteParts(
  parts: AsyncIterable<Bytes>,
  type: string,
  written: (body: DocumentBody, weight: number) => void,
): AsyncGenerator<Bytes> {
  const deflated: Bytes[] = [];
  let digest = "";
  for await (const part of parts) {
    digest = toHex(await sha256(digest + toHex(await sha256(part))));
    deflated.push(await runThrough(part, new CompressionStream("deflate")));
    yield part;
  }
  const weight = deflated.reduce((sum, { length }) => sum + length, 0);
  const inflateParts = async function* () {
    for (const part of deflated) yield await runThrough(part, new DecompressionStream("deflate"));
  };
  written({ etag: etagOf(type, digest), bytes: (failed) => streamOf(inflateParts(), { failed }) }, weight);
}

type Bytes = Uint8Array<ArrayBuffer>;

async function runThrough(bytes: Bytes, coder: CompressionStream | DecompressionStream): Promise<Bytes> {
  const coded = new Blob([bytes]).stream().pipeThrough(coder);
  return new Uint8Array(await new Response(coded).arrayBuffer());
}

async function* encodeTexts(texts: AsyncIterable<string>): AsyncGenerator<Bytes> {
  for await (const text of texts) yield utf8.encode(text);
}

/** Returns the ETag of a document, which differs between the two types that it is sent as. */
const etagOf = (type: string, digest: string) =>
  `"${digest.slice(0, 32)}${type.startsWith("application/ld+json") ? "-ld" : ""}"`;

/** Position of the canvases of a manifest; a derived one has no other empty list of that name. */
const emptyList = { 2: '"canvases":[]', 3: '"items":[]' } as const;

async function* textsOf(
  head: string,
  canvases: Canvases,
  { write, list }: { readonly write: (canvas: Resource) => unknown; readonly list: string },
): AsyncGenerator<string> {
  const end = head.lastIndexOf(list) + list.length - 1;
  yield head.slice(0, end);
  let separator = "";
  for await (const some of canvases.batches()) {
    if (some.length === 0) continue;
    const texts = some.map((canvas) => JSON.stringify(write(canvas)));
    yield separator + texts.join(",");
    separator = ",";
  }
  yield head.slice(end);
}

/** The context is at the front of the whole manifest. */
function canvas2(canvas: Resource, base: string, services: unknown): Resource | undefined {
  const { "@context": _, ...written } = version2(canvas, base, services) ?? {};
  return written;
}
