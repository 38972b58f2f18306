// One bucket of an S3-compatible store over fetch: AWS Signature 4 with the hash of every body, listing with
// pages.

import { AwsV4Signer } from "aws4fetch";
import { sha256, toHex } from "../bytes/digest.ts";
import { unlessAborted } from "../concurrency/bounded-wait.ts";
import type { CredentialsProvider, S3Credentials } from "./aws/credentials.ts";
import { elementsOf, textOf } from "./xml-elements.ts";

export interface BucketOptions {
  readonly bucket: string;
  readonly region: string;
  /** URL of the service; empty: AWS in that region. */
  readonly endpoint: string;
  /** True if the bucket is in the path instead of the host name. */
  readonly pathStyle: boolean;
  /** undefined: requests are not signed, for buckets that anybody may read. */
  readonly credentials: S3Credentials | CredentialsProvider | undefined;
  /** Longest time for one request with its body. */
  readonly timeoutMs: number;
  readonly fetch?: typeof fetch;
  /** Milliseconds since 1970. */
  readonly now?: () => number;
}

export interface RequestParts {
  readonly query?: Readonly<Record<string, string>>;
  readonly headers?: Readonly<Record<string, string>>;
  readonly body?: Uint8Array;
  /** Ends the request early, besides the time-out. */
  readonly signal?: AbortSignal;
}

export interface ListedObject {
  readonly key: string;
  readonly size: number;
  /** With its quotes, as in the header. */
  readonly etag: string;
}

export interface Bucket {
  /**
   * Returns the response to a request for an object, or for the bucket if the key is empty, with any status
   * below 300, or 304. Any other status throws S3Error; an unreachable service throws the runtime's error.
   * Throws CredentialsError if the credentials of a role cannot be had.
   */
  request(method: string, key: string, parts?: RequestParts): Promise<Response>;
  /** Returns all bytes of an object, or undefined if there is none. */
  get(key: string): Promise<Uint8Array | undefined>;
  put(key: string, body: Uint8Array): Promise<void>;
  /** Returns false if there was no object. */
  delete(key: string): Promise<boolean>;
  /**
   * Returns one page of a listing (ListObjectsV2), as XML. Also throws S3Error if the service responds with
   * 200 and then fails: the body is an error document then.
   */
  listingPage(query: Readonly<Record<string, string>>, signal?: AbortSignal): Promise<string>;
  /**
   * Yields objects whose keys have the prefix, in the order of their keys. With a delimiter, keys that have
   * it later on are combined into one, up to it.
   */
  list(prefix: string, delimiter?: string): AsyncIterable<ListedObject>;
}

/** A refusal of the service. The message is for the operator and contains neither key nor secret. */
export class S3Error extends Error {
  override readonly name = "S3Error";
  readonly status: number;
  /** Code of S3, such as `NoSuchKey`. */
  readonly code: string;
  /** Retry-After as sent. */
  readonly retryAfter: string | undefined;

  /** `region`: the region of the bucket, if it differs. */
  constructor(status: number, code: string, region?: string, retryAfter?: string) {
    const advice = region
      ? `Set region to ${region}, where the bucket is.`
      : (adviceFor[code] ?? "Look up the code in the documentation of the service.");
    super(`The S3 service answered ${status} ${code}. ${advice}`);
    this.status = status;
    this.code = code;
    this.retryAfter = retryAfter;
  }
}

const checkCredentials = "Check the variables that the *_env settings name.";

/** Advice for operators by error code. */
const adviceFor: Readonly<Record<string, string>> = {
  AccessDenied:
    "Allow these credentials s3:ListBucket on the bucket, and s3:GetObject, s3:PutObject and s3:DeleteObject on its objects.",
  Forbidden: "Give these credentials access to the bucket and its objects.",
  NoSuchBucket: "Check bucket, region and endpoint.",
  NotFound: "Check bucket, region and endpoint.",
  PermanentRedirect: "Check the region.",
  TemporaryRedirect: "Check the region.",
  AuthorizationHeaderMalformed: "Check the region.",
  InvalidAccessKeyId: checkCredentials,
  SignatureDoesNotMatch: checkCredentials,
  InvalidToken: checkCredentials,
  ExpiredToken:
    "Set a new session token, or remove the *_env settings, so that the credentials of a role are used and renewed.",
  RequestTimeTooSkewed: "Set the clock of this machine.",
  SlowDown: "Try later.",
  ServiceUnavailable: "Try later.",
  InternalError: "Try later.",
};

/** Codes for responses without a body (HEAD), or without XML. */
const codeOf: Readonly<Record<number, string>> = {
  301: "PermanentRedirect",
  307: "TemporaryRedirect",
  403: "Forbidden",
  404: "NotFound",
  412: "PreconditionFailed",
  416: "InvalidRange",
  500: "InternalError",
  503: "ServiceUnavailable",
};

/** Codes that mean a missing object, not a missing bucket. */
const absent: ReadonlySet<string> = new Set(["NoSuchKey", "NotFound"]);

/** Codes by which a service refuses the temporary credentials of a role, which new ones may cure. */
const refusals: ReadonlySet<string> = new Set([
  "ExpiredToken",
  "ExpiredTokenException",
  "TokenRefreshRequired",
  "InvalidToken",
  "InvalidTokenId",
  "InvalidAccessKeyId",
]);

const emptyHash = sha256("").then(toHex);

/** A request before it is signed. `hash`: that of its body, in hex. */
interface Prepared {
  readonly method: string;
  readonly url: string;
  readonly headers: Readonly<Record<string, string>>;
  readonly hash: string;
  readonly body: Uint8Array | undefined;
  readonly signal: AbortSignal | undefined;
}

/** A refusal of the service. `region`: where the bucket is, if the service says so. */
interface Refused {
  readonly status: number;
  readonly code: string;
  readonly region?: string;
  readonly retryAfter?: string;
}

/** Reads a response with a status of at least 300 but 304; returns undefined for any other. */
async function refusalIn(response: Response): Promise<Refused | undefined> {
  if (response.ok || response.status === 304) return undefined;
  const region = response.headers.get("x-amz-bucket-region") ?? "";
  const retryAfter = response.headers.get("retry-after");
  return {
    status: response.status,
    code: await errorCode(response),
    ...(/^[a-z0-9-]{1,40}$/.test(region) && { region }),
    ...(retryAfter !== null && { retryAfter }),
  };
}

/** Returns a bucket, without a request to it. */
export function openBucket(options: BucketOptions): Bucket {
  const { region, credentials: given, timeoutMs, now = Date.now } = options;
  const send = options.fetch ?? fetch;
  const base = baseUrl(options);
  const provider = given && "renew" in given ? given : undefined;
  const fixed = given && "renew" in given ? undefined : given;
  /** Keys derived for a day, region and service. */
  const derived = new WeakMap<S3Credentials, Map<string, ArrayBuffer>>();
  const signingKeysOf = (credentials: S3Credentials) => {
    const keys = derived.get(credentials) ?? new Map<string, ArrayBuffer>();
    derived.set(credentials, keys);
    return keys;
  };

  const exchange = async (
    { method, url, headers, hash, body, signal }: Prepared,
    credentials: S3Credentials | undefined,
  ): Promise<Response> => {
    const signed = credentials
      ? (
          await new AwsV4Signer({
            method,
            url,
            headers: { ...headers, "x-amz-content-sha256": hash },
            accessKeyId: credentials.accessKeyId,
            secretAccessKey: credentials.secretAccessKey,
            ...(credentials.sessionToken && { sessionToken: credentials.sessionToken }),
            region,
            service: "s3",
            datetime: new Date(now()).toISOString().replace(/[:-]|\.\d{3}/g, ""),
            cache: signingKeysOf(credentials),
            // Changing the range of a request on its way would change the meaning of its response.
            allHeaders: true,
          }).sign()
        ).headers
      : headers;
    const late = AbortSignal.timeout(timeoutMs);
    return send(url, {
      method,
      headers: signed,
      // The cast is safe: BodyInit only excludes a SharedArrayBuffer, which our arrays never use.
      ...(body ? { body: body as Uint8Array<ArrayBuffer> } : {}),
      redirect: "manual",
      signal: signal ? AbortSignal.any([late, signal]) : late,
    });
  };

  const request: Bucket["request"] = async (method, key, { query = {}, headers = {}, body, signal } = {}) => {
    const url = new URL(`${base}${key.split("/").map(encodeURIComponent).join("/")}`);
    url.search = queryOf(query);
    const hash = body ? toHex(await sha256(body)) : await emptyHash;
    const prepared = { method, url: url.href, headers, hash, body, signal };
    const used = provider ? await unlessLeft(provider.get(), signal) : fixed;
    let response = await exchange(prepared, used);
    let refused = await refusalIn(response);
    // The refusal of a HEAD request has no body, and so no code.
    const mayBeCured =
      refused && (refusals.has(refused.code) || (method === "HEAD" && /^40[03]$/.test(`${refused.status}`)));
    const renewed = provider && used && mayBeCured && (await unlessLeft(provider.renew(used), signal));
    if (renewed) {
      response = await exchange(prepared, renewed);
      refused = await refusalIn(response);
    }
    if (!refused) return response;
    const elsewhere = refused.region === region ? undefined : refused.region;
    throw new S3Error(refused.status, refused.code, elsewhere, refused.retryAfter);
  };

  /** Returns undefined if there is no such object. */
  const unlessAbsent = async <T>(act: () => Promise<T>): Promise<T | undefined> => {
    try {
      return await act();
    } catch (error) {
      if (error instanceof S3Error && absent.has(error.code)) return undefined;
      throw error;
    }
  };

  const listingPage: Bucket["listingPage"] = async (query, signal) => {
    const response = await request("GET", "", {
      query: { "list-type": "2", ...query },
      ...(signal && { signal }),
    });
    const page = await response.text();
    if (!page.includes("<ListBucketResult"))
      throw new S3Error(response.status, codeIn(page, response.status));
    return page;
  };

  return {
    request,
    listingPage,
    get: (key) => unlessAbsent(async () => new Uint8Array(await (await request("GET", key)).arrayBuffer())),
    async put(key, body) {
      const headers = { "content-type": "application/octet-stream" };
      await discard(await request("PUT", key, { headers, body }));
    },
    async delete(key) {
      // DELETE does not report if the object existed.
      const head = await unlessAbsent(() => request("HEAD", key));
      if (!head) return false;
      await discard(head);
      await discard(await request("DELETE", key));
      return true;
    },
    async *list(prefix, delimiter) {
      let token: string | undefined;
      do {
        const page = await listingPage({
          "encoding-type": "url",
          prefix,
          ...(delimiter === undefined ? {} : { delimiter }),
          ...(token === undefined ? {} : { "continuation-token": token }),
        });
        // Not every service honours encoding-type; those that do say so.
        const encoded = textOf(page, "EncodingType") === "url";
        const keyIn = (entry: string, name: string) => {
          const text = textOf(entry, name);
          return encoded ? decodeURIComponent(text.replaceAll("+", " ")) : text;
        };
        for (const entry of elementsOf(page, "CommonPrefixes"))
          yield { key: keyIn(entry, "Prefix"), size: 0, etag: "" };
        for (const entry of elementsOf(page, "Contents"))
          yield {
            key: keyIn(entry, "Key"),
            size: Number(textOf(entry, "Size")),
            etag: textOf(entry, "ETag"),
          };
        const next = textOf(page, "IsTruncated") === "true" ? textOf(page, "NextContinuationToken") : "";
        if (next !== "" && next === token) throw new Error("The S3 service repeats a page of its listing.");
        token = next || undefined;
      } while (token !== undefined);
    },
  };
}

/**
 * In the form of the signature: a blank is %20, and a + in a query is a plus, not a blank (RFC 3986, section
 * 2.1).
 */
const queryOf = (query: Readonly<Record<string, string>>): string =>
  Object.entries(query)
    .map((pair) => pair.map(encodeURIComponent).join("="))
    .join("&");

/** Waits like `fetch`: throws the reason of the signal if that aborts first. */
const unlessLeft = <T>(work: Promise<T>, signal: AbortSignal | undefined): Promise<T> =>
  unlessAborted(work, signal).catch((error: unknown) => {
    throw signal?.aborted ? signal.reason : error;
  });

/** Ends a response whose body is not read, which frees its connection. */
async function discard(response: Response): Promise<void> {
  await response.body?.cancel();
}

/**
 * URL of the empty key, with a final slash. Names below an IP address do not exist: there the bucket is in
 * the path.
 */
function baseUrl({ bucket, region, endpoint, pathStyle }: BucketOptions): string {
  const domain = region.startsWith("cn-") ? "amazonaws.com.cn" : "amazonaws.com";
  const service = new URL(endpoint || `https://s3.${region}.${domain}`);
  const path = service.pathname.replace(/\/+$/, "");
  return pathStyle || /^[\d.]+$|^\[/.test(service.hostname)
    ? `${service.protocol}//${service.host}${path}/${bucket}/`
    : `${service.protocol}//${bucket}.${service.host}${path}/`;
}

const maxErrorLength = 64 * 1024;

async function errorCode(response: Response): Promise<string> {
  const tooLong = Number(response.headers.get("content-length") ?? 0) > maxErrorLength;
  const xml = tooLong ? "" : await response.text().catch(() => "");
  return codeIn(xml, response.status);
}

/** The code that an error document names, else that of the status. */
function codeIn(xml: string, status: number): string {
  const code = textOf(xml, "Code");
  return /^[A-Za-z0-9.]{1,60}$/.test(code) ? code : (codeOf[status] ?? "Unknown");
}
