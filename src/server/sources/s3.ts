// Masters in a bucket of an S3-compatible store.

import {
  type Bucket,
  bucketOf,
  CredentialsError,
  certificateFault,
  openBucket,
  type Platform,
  S3Error,
  takeUntil,
} from "../../base/index.ts";
import { keySegments } from "./key.ts";
import { fileKind, isHidden, isUnlisted } from "./listing.ts";
import type { S3SourceOptions } from "./options.ts";
import { validatorIn } from "./origin/master-state.ts";
import { originError, type Remote } from "./remote.ts";
import { getRange, type RetryPolicy, usualRetries } from "./remote-http.ts";
import type { Source, SourceEntry } from "./source.ts";

/** Time limit in milliseconds of one request and its body, whatever the retry policy. */
const maxMs = 60_000;

/** A range of an empty object is refused; other refusals of a bucket have nothing to do with ranges. */
const refusals: ReadonlySet<number> = new Set([416, 501]);

/** Maximum number of entries of a folder in a listing; a larger folder is an error. */
const maxEntries = 100_000;

/**
 * Creates the remote of an S3 source, which reads and lists masters below `key_prefix` of a bucket. Throws
 * ServiceError `source` with the codes origin_denied for status 401 and 403 (which S3 also returns for
 * missing keys if the credentials do not allow listing), and origin_bad_answer if the bucket does not exist.
 */
export function s3Remote(
  options: S3SourceOptions,
  platform: Pick<Platform, "env" | "files" | "checkedGet" | "keepAlive">,
  retries: RetryPolicy = usualRetries,
): Remote & Required<Pick<Source, "list">> {
  const bucket = openBucket({ ...bucketOf(options, platform.env, platform), timeoutMs: maxMs });
  const objectOf = (key: string) => `${options.key_prefix}${keySegments(key).join("/")}`;

  return {
    checkKey: (key) => void keySegments(key),
    get: (key, range, known, signal, traceHeaders) =>
      getRange(
        (headers, limit) => responseOf(bucket, objectOf(key), headers, limit),
        { range, known, signal, traceHeaders, refusals },
        retries,
      ),
    async list(folder, enough = () => false, validators = false) {
      const segments = folder === "" ? [] : keySegments(folder.replace(/\/$/, ""));
      if (segments.some(isHidden)) return undefined;
      const prefix = `${options.key_prefix}${segments.map((segment) => `${segment}/`).join("")}`;
      const entries: SourceEntry[] = [];
      let found = false;
      try {
        for await (const { key, size, etag } of takeUntil(bucket.list(prefix, "/"), enough)) {
          found = true;
          const rest = key.slice(prefix.length);
          const name = rest.replace(/\/$/, "");
          // Some tools represent a folder by an empty object whose key ends in /.
          if (name === "" || isUnlisted(name)) continue;
          const isFile = rest === name;
          entries.push({
            name,
            kind: isFile ? fileKind(name) : "directory",
            ...(validators && isFile && etag && { validator: validatorIn(etag, size) }),
          });
          if (entries.length > maxEntries) throw originError("origin_bad_answer", "too many entries");
        }
      } catch (error) {
        throw toRefusal(error);
      }
      // S3 has no folders: an empty one does not exist, except the top.
      return found || folder === "" ? entries.sort((a, b) => (a.name < b.name ? -1 : 1)) : undefined;
    },
    async check(signal) {
      try {
        await bucket.listingPage({ "max-keys": "1", prefix: options.key_prefix }, signal);
      } catch (error) {
        if (error instanceof S3Error || error instanceof CredentialsError) throw error;
        const fault = certificateFault(error);
        throw new Error(
          fault
            ? `the certificate of the bucket's service ${fault}.`
            : "the bucket's service does not respond. Start it, or correct endpoint and region.",
        );
      }
    },
  };
}

/** Returns the part of the configuration that cache keys contain. */
export const s3Fingerprint = ({ bucket, region, endpoint, key_prefix }: S3SourceOptions): string =>
  `s3 ${endpoint || region} ${bucket} ${key_prefix}`;

/** Returns the response to a GET request, whatever its status. */
async function responseOf(
  bucket: Bucket,
  key: string,
  asked: Readonly<Record<string, string>>,
  signal: AbortSignal,
): Promise<Response> {
  const { "Accept-Encoding": _, ...ranged } = asked;
  // fetch itself requests identity encoding for ranges; a second header would change what is signed.
  const headers = "Range" in asked ? ranged : asked;
  try {
    return await bucket.request("GET", key, { headers, signal });
  } catch (error) {
    if (!(error instanceof S3Error)) throw toRefusal(error);
    if (error.code === "NoSuchBucket" || error.status < 400) throw toRefusal(error);
    const headers = error.retryAfter === undefined ? {} : { "Retry-After": error.retryAfter };
    return new Response(null, { status: error.status, statusText: error.code, headers });
  }
}

/** Translates an error of S3, or of its credentials, into an error of sources. */
function toRefusal(error: unknown): unknown {
  // What was read before may still be served, and another attempt would fail in the same way.
  if (error instanceof CredentialsError) return originError("origin_unavailable", error);
  const fault = certificateFault(error);
  if (fault)
    return originError("origin_unavailable", new Error(`the certificate of the bucket's service ${fault}.`));
  if (!(error instanceof S3Error)) return error;
  if (error.status === 401 || error.status === 403) return originError("origin_denied", error);
  return originError(error.status >= 500 ? "origin_unavailable" : "origin_bad_answer", error);
}
