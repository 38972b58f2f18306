// The files of static/ over HTTP: precompressed, with tags and addresses derived from their content.

import { type ContentEncoding, type Platform, sha256, toHex } from "../../../base/index.ts";
import { type RequestContext, recordSent, type StaticFiles } from "./context.ts";
import { noSuchPage, Refusal } from "./problem.ts";
import { acceptedEncodings } from "./representation/accept.ts";
import { isNotModified, validatorHeaders } from "./representation/conditional.ts";
import { bodyOf } from "./representation/paced-body.ts";
import { requestedRange } from "./representation/ranges.ts";

/**
 * Media types by extension; nothing else is served. `scripts/static-files.mjs` compresses those marked
 * `compressed`.
 */
const types: Readonly<Record<string, { readonly type: string; readonly compressed?: true }>> = {
  css: { type: "text/css; charset=utf-8", compressed: true },
  js: { type: "text/javascript; charset=utf-8", compressed: true },
  mjs: { type: "text/javascript; charset=utf-8", compressed: true },
  json: { type: "application/json", compressed: true },
  svg: { type: "image/svg+xml", compressed: true },
  txt: { type: "text/plain; charset=utf-8", compressed: true },
  gif: { type: "image/gif" },
  ico: { type: "image/x-icon" },
  jpg: { type: "image/jpeg" },
  png: { type: "image/png" },
  webp: { type: "image/webp" },
  woff2: { type: "font/woff2" },
  // Examples of the documentation, which a browser shows as text but would download with the type of RFC
  // 9512.
  yaml: { type: "text/plain; charset=utf-8", compressed: true },
  yml: { type: "text/plain; charset=utf-8", compressed: true },
  conf: { type: "text/plain; charset=utf-8", compressed: true },
  caddyfile: { type: "text/plain; charset=utf-8", compressed: true },
};

/**
 * Files of packages in a folder with the version in its name, such as `viewer/mirador-4.0.0/`, which never
 * change.
 */
const isVersioned = (path: string) => /^viewer\/[a-z]+-\d+\.\d+\.\d+\//.test(path);

/** The bundled master is in static/ too, and is served as an image, by its identifier. */
const isServed = (path: string) => /^[\w./-]+$/.test(path) && !path.startsWith("sample/");

/** Returns the content type of a path; undefined if it is not served. */
const kindOf = (path: string) => (isServed(path) ? types[/\.([a-z0-9]+)$/.exec(path)?.[1] ?? ""] : undefined);

/** Returns the requested range of bytes; undefined for all. Throws a Refusal with status 416. */
function rangeOf(c: RequestContext, bytes: Uint8Array, etag: string) {
  const range = requestedRange(c.req.raw.headers, bytes.length, etag);
  if (range !== "unsatisfiable") return range;
  throw new Refusal({
    status: 416,
    code: "range_not_satisfiable",
    detail: `Expected a range of bytes that begins within the ${bytes.length} bytes of this file; received one beyond them. Ask for less.`,
    headers: { "Content-Range": `bytes */${bytes.length}` },
  });
}

/** `asset` reads files of static/ by relative path; `app.js.br` is a compressed `app.js`. */
export function createStaticFiles(asset: Platform["asset"]): StaticFiles {
  /** Versions by path. Values, not promises: on workerd no request may wait for I/O of another. */
  const versions = new Map<string, string>();

  async function versionOf(path: string): Promise<string | undefined> {
    const known = versions.get(path);
    if (known !== undefined) return known;
    const bytes = await asset(path);
    if (!bytes) return undefined;
    const version = (await digest(bytes)).slice(0, 16);
    versions.set(path, version);
    return version;
  }

  /** Reads the bytes in the first available encoding, or uncompressed. */
  async function read(
    path: string,
    encodings: readonly ContentEncoding[],
  ): Promise<{ bytes: Uint8Array; encoding?: ContentEncoding } | undefined> {
    for (const encoding of encodings) {
      const bytes = await asset(`${path}.${suffixes[encoding]}`);
      if (bytes) return { bytes, encoding };
    }
    const bytes = await asset(path);
    return bytes && { bytes };
  }

  return {
    async address(path) {
      if (isVersioned(path)) return `/static/${path}`;
      // Unreadable files cost the page its style, not the reader the page.
      const version = await versionOf(path).catch(() => undefined);
      return `/static/${version === undefined ? "" : `@${version}/`}${path}`;
    },

    async respond(c, asked) {
      const [, version, path = ""] = /^(?:@([0-9a-f]{16})\/)?(.*)$/.exec(asked) ?? [];
      const kind = kindOf(path);
      const file = kind && (await read(path, kind.compressed ? acceptedEncodings(c) : []));
      if (!file) throw new Refusal(noSuchPage);
      const { bytes, encoding } = file;
      // Another version belongs to the previous build, or to a file that refers to this one by a relative
      // address.
      const isLasting = isVersioned(path) || (version !== undefined && version === (await versionOf(path)));
      const etag = `"${(await digest(bytes)).slice(0, 32)}"`;
      const headers: Record<string, string> = {
        ...validatorHeaders({ etag }),
        "Accept-Ranges": "bytes",
        "Cache-Control": isLasting ? "public, max-age=31536000, immutable" : "public, max-age=3600",
        "X-Content-Type-Options": "nosniff",
        ...(kind.compressed && { Vary: "Accept-Encoding" }),
      };
      if (isNotModified(c.req.raw.headers, { etag })) return new Response(null, { status: 304, headers });
      const range = c.req.method === "GET" ? rangeOf(c, bytes, etag) : undefined;
      const part = range ? bytes.subarray(range.first, range.last + 1) : bytes;
      headers["Content-Type"] = kind.type;
      headers["Content-Length"] = String(part.length);
      if (encoding) headers["Content-Encoding"] = encoding;
      if (range) headers["Content-Range"] = `bytes ${range.first}-${range.last}/${bytes.length}`;
      return new Response(bodyOf(c, recordSent(c, part as Uint8Array<ArrayBuffer>)), {
        status: range ? 206 : 200,
        headers,
        // Without this, workerd compresses the body again. Other runtimes ignore it.
        ...(encoding && { encodeBody: "manual" }),
      });
    },
  };
}

/** File name extensions of the encodings. */
const suffixes: Readonly<Record<ContentEncoding, string>> = { br: "br", gzip: "gz" };

const digest = async (bytes: Uint8Array) => toHex(await sha256(bytes));
