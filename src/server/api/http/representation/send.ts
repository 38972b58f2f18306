// Texts over HTTP: documents, pages and problems, with validators and, if the client accepts it, compressed
// (RFC 9110, sections 8.4, 8.8 and 13).

import type { Compression, ContentEncoding } from "../../../../base/index.ts";
import { type RequestContext, recordSent } from "../context.ts";
import { acceptedEncodings } from "./accept.ts";
import { isNotModified, type Validators, validatorHeaders } from "./conditional.ts";
import { bodyOf } from "./paced-body.ts";

/** Bytes from which a body is compressed: a smaller one fits into the first packets anyway. */
const least = 1024;

/** The whole text, or a function that starts a stream of a long one. */
export type TextBody = string | Uint8Array<ArrayBuffer> | (() => ReadableStream<Uint8Array>);

export interface Sending {
  /** Value of Content-Type. */
  readonly type: string;
  readonly status?: number;
  /** Headers that a 304 has too, without validators. */
  readonly headers: Readonly<Record<string, string>>;
  /** Validators of the uncompressed text: each encoding has its own ETag. */
  readonly validators?: Validators | undefined;
  /**
   * false: sent uncompressed, since it repeats request values next to something that only this caller may
   * know (BREACH).
   */
  readonly compressed?: boolean;
}

/** Returns the response with a text, or 304 if the client has it. HEAD has the headers of GET. */
export async function sendText(
  c: RequestContext,
  body: TextBody,
  { type, status = 200, headers, validators, compressed = true }: Sending,
): Promise<Response> {
  const compression = c.get("compression");
  const all: Record<string, string> = { ...headers, "X-Content-Type-Options": "nosniff" };
  if (compression) all.Vary = all.Vary ? `Accept-Encoding, ${all.Vary}` : "Accept-Encoding";
  const bytes = typeof body === "string" ? utf8.encode(body) : body;
  const isLong = typeof bytes === "function" || bytes.length >= least;
  const encodings = compression && compressed && isLong ? acceptedEncodings(c) : [];
  const [encoding] = encodings;
  if (validators) {
    const held = validatorsHeldBy(c.req.raw.headers, validators, encodings);
    Object.assign(all, validatorHeaders(held ?? withEncoding(validators, encoding)));
    if (held) return new Response(null, { status: 304, headers: all });
  }
  all["Content-Type"] = type;
  if (encoding) all["Content-Encoding"] = encoding;
  // Without this, workerd compresses the body again. Other runtimes ignore it.
  const init = { status, headers: all, ...(encoding && { encodeBody: "manual" }) };
  const isHead = c.req.method === "HEAD";
  if (typeof bytes === "function") {
    if (isHead) return new Response(null, init);
    return new Response(compression && encoding ? compression.stream(bytes(), encoding) : bytes(), init);
  }
  const whole = compression && encoding ? await compressOnce(compression, bytes, encoding) : bytes;
  all["Content-Length"] = String(whole.length);
  return new Response(isHead ? null : bodyOf(c, recordSent(c, whole)), init);
}

const utf8 = new TextEncoder();

/**
 * Compressed bodies, cached for as long as the uncompressed bytes are: a cached manifest is compressed once.
 */
const compressedBodies = {
  br: new WeakMap<Uint8Array, Uint8Array<ArrayBuffer>>(),
  gzip: new WeakMap<Uint8Array, Uint8Array<ArrayBuffer>>(),
} as const satisfies Readonly<Record<ContentEncoding, unknown>>;

async function compressOnce(
  compression: Compression,
  bytes: Uint8Array,
  encoding: ContentEncoding,
): Promise<Uint8Array<ArrayBuffer>> {
  const known = compressedBodies[encoding].get(bytes);
  if (known) return known;
  const made = await compression.whole(bytes, encoding);
  compressedBodies[encoding].set(bytes, made);
  return made;
}

/**
 * Returns the validators of the client's copy, in one of these encodings or uncompressed, or undefined if it
 * has another. The 304 names the ETag that the client knows, so that a cache with several encodings finds the
 * right one (RFC 9111, section 4.3.4).
 */
function validatorsHeldBy(
  headers: Headers,
  validators: Validators,
  encodings: readonly ContentEncoding[],
): Validators | undefined {
  return [...encodings, undefined]
    .map((encoding) => withEncoding(validators, encoding))
    .find((one) => isNotModified(headers, one));
}

/**
 * Returns the validators with the tag of an encoding: other bytes need another strong tag (RFC 9110, section
 * 8.8.3.3).
 */
function withEncoding(validators: Validators, encoding: ContentEncoding | undefined): Validators {
  if (!encoding) return validators;
  return { ...validators, etag: validators.etag.replace(/"$/, `-${encoding}"`) };
}
