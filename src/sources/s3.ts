// Masters in a bucket of an S3-compatible store.

import { until } from "../lib/concurrency/concurrent.ts";
import { type Bucket, openBucket, S3Error } from "../lib/network/s3.ts";
import { bucketOf } from "../lib/network/s3-options.ts";
import type { Platform } from "../platform/platform.ts";
import { keySegments } from "./key.ts";
import { fileKind, isHidden, isUnlisted } from "./listing.ts";
import type { S3SourceOptions } from "./options.ts";
import { validatorIn } from "./origin/master-state.ts";
import { originError, type Remote } from "./remote.ts";
import { getRange, type RetryPolicy, usualRetries } from "./remote-http.ts";
import type { Source, SourceEntry } from "./source.ts";

/** One request with its body ends after this, whatever the policy of its tries. */
const longestMs = 60_000;

/** Entries of one folder that a listing shows at most; larger folders are told to be too large. */
const mostEntries = 100_000;

/**
 * Reads and lists masters below `key_prefix` of a bucket. Throws ServiceError `source`: origin_denied for 401 and 403 (which S3 also
 * gives for keys that are not there, where the credentials may not list), origin_bad_answer where the bucket itself is not there.
 */
export function s3Remote(
  options: S3SourceOptions,
  { env }: Pick<Platform, "env">,
  retries: RetryPolicy = usualRetries,
): Remote & Required<Pick<Source, "list">> {
  const bucket = openBucket({ ...bucketOf(options, env), timeoutMs: longestMs });
  const objectOf = (key: string) => `${options.key_prefix}${keySegments(key).join("/")}`;

  return {
    checkKey: (key) => void keySegments(key),
    get: (key, range, known, signal, traceHeaders) =>
      getRange(
        (headers, limit) => answerOf(bucket, objectOf(key), headers, limit),
        { range, known, signal, traceHeaders },
        retries,
      ),
    async list(folder, enough = () => false, validators = false) {
      const segments = folder === "" ? [] : keySegments(folder.replace(/\/$/, ""));
      if (segments.some(isHidden)) return undefined;
      const prefix = `${options.key_prefix}${segments.map((segment) => `${segment}/`).join("")}`;
      const entries: SourceEntry[] = [];
      let found = false;
      try {
        for await (const { key, size, etag } of until(bucket.list(prefix, "/"), enough)) {
          found = true;
          const rest = key.slice(prefix.length);
          const name = rest.replace(/\/$/, "");
          // A key that ends in / and has no bytes is how some tools make a folder.
          if (name === "" || isUnlisted(name)) continue;
          const isFile = rest === name;
          entries.push({
            name,
            kind: isFile ? fileKind(name) : "directory",
            ...(validators && isFile && etag && { validator: validatorIn(etag, size) }),
          });
          if (entries.length > mostEntries) throw originError("origin_bad_answer", "too many entries");
        }
      } catch (error) {
        throw refused(error);
      }
      // S3 has no folders: what has nothing in it is not there, but for the top.
      return found || folder === "" ? entries.sort((a, b) => (a.name < b.name ? -1 : 1)) : undefined;
    },
    async check(signal) {
      try {
        await bucket.listingPage({ "max-keys": "1", prefix: options.key_prefix }, signal);
      } catch (error) {
        throw error instanceof S3Error
          ? error
          : new Error("the bucket's service does not answer. Start it, or correct endpoint and region.");
      }
    },
  };
}

/** What the bucket is part of, for cache keys. */
export const s3Fingerprint = ({ bucket, region, endpoint, key_prefix }: S3SourceOptions): string =>
  `s3 ${endpoint || region} ${bucket} ${key_prefix}`;

/** The answer to a GET, whatever its status. */
async function answerOf(
  bucket: Bucket,
  key: string,
  asked: Readonly<Record<string, string>>,
  signal: AbortSignal,
): Promise<Response> {
  const { "Accept-Encoding": _, ...ranged } = asked;
  // fetch itself asks for identity where there is a range; a second one would change what is signed.
  const headers = "Range" in asked ? ranged : asked;
  try {
    return await bucket.request("GET", key, { headers, signal });
  } catch (error) {
    if (!(error instanceof S3Error)) throw error;
    if (error.code === "NoSuchBucket" || error.status < 400) throw refused(error);
    return new Response(null, { status: error.status, statusText: error.code });
  }
}

/** An error of the service in the words of sources. */
function refused(error: unknown): unknown {
  if (!(error instanceof S3Error)) return error;
  if (error.status === 401 || error.status === 403) return originError("origin_denied", error);
  return originError(error.status >= 500 ? "origin_unavailable" : "origin_bad_answer", error);
}
