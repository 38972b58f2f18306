// The bytes of a document, whole or, for manifests that are too long for that, one batch of canvases after the other.

import type { Resource } from "../../iiif/presentation/model.ts";
import type { PresentationVersion } from "../../iiif/presentation/mounts.ts";
import { version2 } from "../../iiif/presentation/v2/document.ts";
import { sha256, toHex } from "../../lib/bytes/digest.ts";
import type { Made } from "../../manifests/documents/making.ts";

export interface DocumentBody {
  /** Quoted. */
  readonly etag: string;
  /** All bytes, or a function that begins a stream of them. */
  readonly bytes: Uint8Array<ArrayBuffer> | (() => ReadableStream<Uint8Array>);
}

/** Canvases that a stream writes at once. */
const batch = 100;

/** Raised whenever the canvases of a long manifest are written otherwise. */
const longVersion = 1;

const utf8 = new TextEncoder();

/**
 * The body of a document in a version of the Presentation API, as a media type; undefined where that version has no such
 * resource. `base`: public URL of the service, without a / at its end.
 */
export async function bodyOf(
  { document, document2, long }: Made,
  version: PresentationVersion,
  type: string,
  base: string,
): Promise<DocumentBody | undefined> {
  const written = version === 2 ? (document2 ?? version2(document, base)) : document;
  if (written === undefined) return undefined;
  if (!long) {
    const bytes = utf8.encode(JSON.stringify(written));
    const digest = await sha256(bytes);
    return { etag: etagOf(type, toHex(digest)), bytes };
  }
  const head = JSON.stringify(version === 2 ? withCanvases(written) : written);
  const digest = await sha256(`${longVersion} ${head} ${long.identity()}`);
  return {
    etag: etagOf(type, toHex(digest)),
    bytes: () => streamOf(textsOf(head, long.canvases(), version, base)),
  };
}

/** The same document in two types has two tags. */
const etagOf = (type: string, digest: string) =>
  `"${digest.slice(0, 32)}${type.startsWith("application/ld+json") ? "-ld" : ""}"`;

/** Where the canvases of a manifest stand; it has no other empty list of that name when it is derived. */
const emptyList = { 2: '"canvases":[]', 3: '"items":[]' } as const;

/** A manifest of 2.1 with an empty list of canvases, which is left out where there are none. */
function withCanvases(manifest: Resource): Resource {
  const [sequence] = manifest.sequences as readonly Resource[];
  return { ...manifest, sequences: [{ ...sequence, canvases: [] }] };
}

function* textsOf(
  head: string,
  canvases: Iterable<Resource>,
  version: PresentationVersion,
  base: string,
): Generator<string> {
  const end = head.lastIndexOf(emptyList[version]) + emptyList[version].length - 1;
  yield head.slice(0, end);
  let separator = "";
  for (const canvas of canvases) {
    yield separator + JSON.stringify(version === 2 ? canvas2(canvas, base) : canvas);
    separator = ",";
  }
  yield head.slice(end);
}

/** The context stands in front of the whole manifest. */
function canvas2(canvas: Resource, base: string): Resource | undefined {
  const { "@context": _, ...written } = version2(canvas, base) ?? {};
  return written;
}

/** Texts as bytes, made when they are asked for. */
function streamOf(texts: Iterator<string>): ReadableStream<Uint8Array> {
  return new ReadableStream<Uint8Array>(
    {
      pull(controller) {
        let text = "";
        for (let n = 0; n < batch; n++) {
          const { done, value } = texts.next();
          if (done) {
            if (text) controller.enqueue(utf8.encode(text));
            return controller.close();
          }
          text += value;
        }
        controller.enqueue(utf8.encode(text));
      },
    },
    { highWaterMark: 1 },
  );
}
