// AWS Signature 4 as a service checks it, implemented from the documentation ("Authenticating Requests: Using
// the Authorization Header") and independent of our own code.

import { createHash, createHmac } from "node:crypto";

/** A request as received. */
export interface RawRequest {
  readonly method: string;
  /** Path and query as they came. */
  readonly target: string;
  /** Names in lower case. */
  readonly headers: Readonly<Record<string, string>>;
}

export interface SigningKey {
  readonly secretAccessKey: string;
  readonly region: string;
  /** `20130524T000000Z` */
  readonly datetime: string;
}

const sha256 = (data: string | Uint8Array) => createHash("sha256").update(data).digest("hex");
const hmac = (key: string | Buffer, data: string) => createHmac("sha256", key).update(data).digest();

/** Everything but unreserved characters of RFC 3986 as %XX, in capitals. */
function encode(text: string): string {
  return encodeURIComponent(text).replace(
    /[!'()*]/g,
    (character) => `%${character.charCodeAt(0).toString(16).toUpperCase()}`,
  );
}

function canonicalQuery(query: string): string {
  return query
    .split("&")
    .filter((pair) => pair !== "")
    .map((pair) => {
      const [name = "", ...value] = pair.split("=");
      return [encode(decodeURIComponent(name)), encode(decodeURIComponent(value.join("=")))] as const;
    })
    .sort(([a, x], [b, y]) => (a < b ? -1 : a > b ? 1 : x < y ? -1 : 1))
    .map((pair) => pair.join("="))
    .join("&");
}

/** Returns the signature that a request must have over these headers. */
export function signatureOf(
  { method, target, headers }: RawRequest,
  signedHeaders: readonly string[],
  { secretAccessKey, region, datetime }: SigningKey,
): string {
  const [path = "", query = ""] = target.split(/\?(.*)/s);
  const canonical = [
    method,
    path
      .split("/")
      .map((segment) => encode(decodeURIComponent(segment)))
      .join("/"),
    canonicalQuery(query),
    ...signedHeaders.map((name) => `${name}:${(headers[name] ?? "").trim().replace(/ +/g, " ")}`),
    "",
    signedHeaders.join(";"),
    headers["x-amz-content-sha256"] ?? "",
  ].join("\n");
  const scope = `${datetime.slice(0, 8)}/${region}/s3/aws4_request`;
  const toSign = ["AWS4-HMAC-SHA256", datetime, scope, sha256(canonical)].join("\n");
  const key = ["s3", "aws4_request"].reduce(
    hmac,
    hmac(hmac(`AWS4${secretAccessKey}`, datetime.slice(0, 8)), region),
  );
  return hmac(key, toSign).toString("hex");
}

export interface Account {
  readonly accessKeyId: string;
  readonly secretAccessKey: string;
  readonly sessionToken?: string;
}

/** An error as S3 names it. */
export interface Refusal {
  readonly status: number;
  readonly code: string;
  /** Told as the place of the bucket. */
  readonly region?: string;
  readonly retryAfter?: string;
}

const maxSkewMs = 15 * 60_000;

/** Why a request is refused; undefined when its signature, time, token and payload hash are all right. */
export function refusalOf(
  request: RawRequest,
  body: Uint8Array,
  account: Account,
  region: string,
  now: number,
): Refusal | undefined {
  const { headers } = request;
  const form =
    /^AWS4-HMAC-SHA256 Credential=([^/]+)\/(\d{8})\/([^/]+)\/([^/]+)\/aws4_request, ?SignedHeaders=([a-z0-9;-]+), ?Signature=([0-9a-f]{64})$/;
  const [whole, id, date, scopeRegion, service, names = "", signature] =
    form.exec(headers.authorization ?? "") ?? [];
  if (!whole) return { status: 403, code: "AccessDenied" };
  if (scopeRegion !== region || service !== "s3")
    return { status: 400, code: "AuthorizationHeaderMalformed" };
  if (id !== account.accessKeyId) return { status: 403, code: "InvalidAccessKeyId" };
  if (headers["x-amz-security-token"] !== account.sessionToken) return { status: 400, code: "InvalidToken" };
  const datetime = headers["x-amz-date"] ?? "";
  const [, y, mo, d, h, mi, s] = /^(\d{4})(\d\d)(\d\d)T(\d\d)(\d\d)(\d\d)Z$/.exec(datetime) ?? [];
  const time = Date.parse(`${y}-${mo}-${d}T${h}:${mi}:${s}Z`);
  if (!(Math.abs(time - now) <= maxSkewMs) || !datetime.startsWith(date as string))
    return { status: 403, code: "RequestTimeTooSkewed" };
  const signed = names.split(";");
  // The host and every x-amz- header must be signed, in order.
  const needed = ["host", ...Object.keys(headers).filter((name) => name.startsWith("x-amz-"))];
  if (needed.some((name) => !signed.includes(name)) || [...signed].sort().join() !== signed.join())
    return { status: 403, code: "AccessDenied" };
  const key = { secretAccessKey: account.secretAccessKey, region, datetime };
  if (signatureOf(request, signed, key) !== signature) return { status: 403, code: "SignatureDoesNotMatch" };
  const stated = headers["x-amz-content-sha256"];
  if (stated === undefined) return { status: 400, code: "MissingSecurityHeader" };
  if (stated !== sha256(body)) return { status: 400, code: "XAmzContentSHA256Mismatch" };
  return undefined;
}
