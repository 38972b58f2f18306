// A strict S3 for tests: signatures with token, time and payload hash, ranges, conditions, paged listing, and
// faults on demand. Path style, and host style for names below the host.

import { createHash } from "node:crypto";
import { createServer, type IncomingMessage, type ServerResponse } from "node:http";
import type { AddressInfo } from "node:net";
import { type Account, type RawRequest, type Refusal, refusalOf } from "./s3-signature.ts";

export interface StoredObject {
  readonly body: Uint8Array;
  readonly etag: string;
  readonly modified: Date;
}

/** The fault of one request. */
export interface Fault {
  /** Answered instead, as the error of that code. */
  readonly refuse?: Refusal;
  /** Milliseconds before the response begins. */
  readonly delayMs?: number;
  /** The number of bytes of the body that are sent before the connection breaks. */
  readonly cutAfter?: number;
  /** Sent instead of the right ETag. */
  readonly etag?: string;
  /** Bytes sent instead of the right ones, of the same length. */
  readonly garble?: boolean;
}

export interface Seen {
  readonly method: string;
  readonly key: string;
  readonly range: string | undefined;
  status: number;
}

export interface S3Options {
  readonly bucket?: string;
  readonly region?: string;
  /** undefined: requests need no signature, and none is looked at. */
  readonly account?: Account | undefined;
  /** Most keys of one page of a listing. */
  readonly pageSize?: number;
  /** True if listings honour encoding-type, which not all services do. */
  readonly urlEncoding?: boolean;
  /** True if writes ignore their conditions, as those of some services do. */
  readonly ignoresConditions?: boolean;
}

export interface S3Server {
  /** Endpoint for path style. */
  readonly url: string;
  readonly bucket: string;
  readonly region: string;
  /** Whose requests are accepted from now on. */
  account: Account | undefined;
  /** Access keys whose session tokens have expired. */
  readonly expired: Set<string>;
  readonly objects: Map<string, StoredObject>;
  /** Sent with every object. */
  headers: Readonly<Record<string, string>>;
  /** Every request that came, in order. */
  readonly seen: Seen[];
  /** Chooses the fault of a request; called once for each. */
  fault: (request: { readonly method: string; readonly key: string }) => Fault | undefined;
  put(key: string, body: Uint8Array): void;
  close(): Promise<void>;
}

export const testAccount: Account = {
  accessKeyId: "AKIAIOSFODNN7EXAMPLE",
  secretAccessKey: "wJalrXUtnFEMI/K7MDENG/bPxRfiCYEXAMPLEKEY",
  sessionToken: "session/token+of=the test",
};

/** Starts a server with one empty bucket on a free port of 127.0.0.1. */
export async function startS3(options: S3Options = {}): Promise<S3Server> {
  const { bucket = "cache", region = "eu-test-1", pageSize = 1000, urlEncoding = true } = options;
  const { ignoresConditions = false } = options;
  const account = "account" in options ? options.account : testAccount;
  const objects = new Map<string, StoredObject>();
  const server = createServer((request, response) => {
    answer(request, response).catch(() => response.destroy());
  });
  await new Promise<void>((resolve) => server.listen(0, "127.0.0.1", resolve));

  const fake: S3Server = {
    url: `http://127.0.0.1:${(server.address() as AddressInfo).port}`,
    bucket,
    region,
    account,
    expired: new Set(),
    objects,
    headers: {},
    seen: [],
    fault: () => undefined,
    put(key, body) {
      const etag = `"${createHash("md5").update(body).digest("hex")}"`;
      objects.set(key, { body, etag, modified: new Date() });
    },
    close: () =>
      new Promise((resolve) => {
        server.close(() => resolve());
        server.closeAllConnections();
      }),
  };

  async function answer(request: IncomingMessage, response: ServerResponse): Promise<void> {
    const raw = rawOf(request);
    const { name, key, query } = placeOf(raw);
    const seen: Seen = { method: raw.method, key, range: raw.headers.range, status: 0 };
    fake.seen.push(seen);
    const parts: Uint8Array[] = [];
    for await (const part of request) parts.push(part);
    const body = new Uint8Array(Buffer.concat(parts));
    const fault = fake.fault({ method: raw.method, key }) ?? {};
    if (fault.delayMs) await new Promise((resolve) => setTimeout(resolve, fault.delayMs).unref());
    const { account } = fake;
    const [, id = ""] = /Credential=([^/]+)/.exec(raw.headers.authorization ?? "") ?? [];
    const expired = fake.expired.has(id) ? { status: 403, code: "ExpiredToken" } : undefined;
    const refused = fault.refuse ?? expired ?? (account && refusalOf(raw, body, account, region, Date.now()));
    const reply = refused
      ? refusal(refused)
      : name !== bucket
        ? refusal({ status: 404, code: "NoSuchBucket" })
        : key === ""
          ? list(query)
          : act(raw, key, body);
    seen.status = reply.status;
    send(response, raw.method, reply, fault);
  }

  const withHeaders = (reply: Reply): Reply => ({ ...reply, headers: { ...reply.headers, ...fake.headers } });

  function act(raw: RawRequest, key: string, body: Uint8Array): Reply {
    const stored = objects.get(key);
    switch (raw.method) {
      case "GET":
      case "HEAD":
        return stored ? withHeaders(give(stored, raw.headers)) : refusal({ status: 404, code: "NoSuchKey" });
      case "PUT": {
        if (raw.headers["if-none-match"] === "*" && stored && !ignoresConditions)
          return refusal({ status: 412, code: "PreconditionFailed" });
        const match = raw.headers["if-match"];
        if (match !== undefined && match !== stored?.etag)
          return refusal({ status: stored ? 412 : 404, code: stored ? "PreconditionFailed" : "NoSuchKey" });
        fake.put(key, body);
        return { status: 200, headers: { etag: (objects.get(key) as StoredObject).etag } };
      }
      case "DELETE":
        objects.delete(key);
        return { status: 204 };
      default:
        return refusal({ status: 405, code: "MethodNotAllowed" });
    }
  }

  function list(query: URLSearchParams): Reply {
    if (query.get("list-type") !== "2") return refusal({ status: 400, code: "InvalidArgument" });
    const prefix = query.get("prefix") ?? "";
    const after = query.get("continuation-token") ?? query.get("start-after") ?? "";
    const most = Math.min(pageSize, Number(query.get("max-keys") ?? 1000));
    const bytesOf = (text: string) => Buffer.from(text);
    const keys = [...objects.keys()]
      .filter((key) => key.startsWith(prefix) && Buffer.compare(bytesOf(key), bytesOf(after)) > 0)
      .sort((a, b) => Buffer.compare(bytesOf(a), bytesOf(b)));
    const encoded = urlEncoding && query.get("encoding-type") === "url";
    const write = encoded ? encodeURIComponent : escapeXml;
    const delimiter = query.get("delimiter") ?? "";
    /** Returns how a key is listed: itself, or the common prefix up to the next delimiter. */
    const shown = (key: string) => {
      const end = delimiter === "" ? -1 : key.indexOf(delimiter, prefix.length);
      return end < 0 ? key : key.slice(0, end + delimiter.length);
    };
    const page: string[] = [];
    let lastKey = "";
    for (const key of keys) {
      if (page.at(-1) === shown(key)) {
        lastKey = key;
        continue;
      }
      if (page.length === most) break;
      page.push(shown(key));
      lastKey = key;
    }
    const contents = page.map((key) => {
      if (!objects.has(key)) return `<CommonPrefixes><Prefix>${write(key)}</Prefix></CommonPrefixes>`;
      const { body, etag, modified } = objects.get(key) as StoredObject;
      return `<Contents><Key>${write(key)}</Key><LastModified>${modified.toISOString()}</LastModified><ETag>${escapeXml(etag)}</ETag><Size>${body.length}</Size><StorageClass>STANDARD</StorageClass></Contents>`;
    });
    const more = lastKey !== (keys.at(-1) ?? "");
    const next = more ? `<NextContinuationToken>${escapeXml(lastKey)}</NextContinuationToken>` : "";
    return {
      status: 200,
      headers: { "content-type": "application/xml" },
      body: Buffer.from(
        `<?xml version="1.0" encoding="UTF-8"?>\n<ListBucketResult xmlns="http://s3.amazonaws.com/doc/2006-03-01/"><Name>${bucket}</Name><Prefix>${write(prefix)}</Prefix><KeyCount>${page.length}</KeyCount><MaxKeys>${most}</MaxKeys>${encoded ? "<EncodingType>url</EncodingType>" : ""}<IsTruncated>${more}</IsTruncated>${contents.join("")}${next}</ListBucketResult>`,
      ),
    };
  }

  return fake;
}

interface Reply {
  readonly status: number;
  readonly headers?: Readonly<Record<string, string>>;
  readonly body?: Uint8Array;
}

function rawOf(request: IncomingMessage): RawRequest {
  const headers = Object.fromEntries(
    Object.entries(request.headers).map(([name, value]) => [name, String(value)]),
  );
  return { method: request.method ?? "", target: request.url ?? "", headers };
}

/** Bucket and key of a request: a numeric or bare host means path style. */
function placeOf({ target, headers }: RawRequest) {
  const [path = "", query = ""] = target.split(/\?(.*)/s);
  const [host = ""] = (headers.host ?? "").split(":");
  const decoded = path.split("/").slice(1).map(decodeURIComponent);
  const inHost = /^(.+)\.localhost$/.exec(host)?.[1];
  const [name = "", ...rest] = inHost === undefined ? decoded : [inHost, ...decoded];
  return { name, key: rest.join("/"), query: new URLSearchParams(query) };
}

/** A stored object under the conditions and the range of the request (RFC 9110, sections 13 and 14). */
function give({ body, etag, modified }: StoredObject, headers: RawRequest["headers"]): Reply {
  const facts = { etag, "last-modified": modified.toUTCString(), "accept-ranges": "bytes" };
  const lists = (value: string | undefined) => value?.split(",").map((each) => each.trim());
  const match = lists(headers["if-match"]);
  if (match && !match.includes("*") && !match.includes(etag))
    return refusal({ status: 412, code: "PreconditionFailed" });
  const noneMatch = lists(headers["if-none-match"]);
  if (noneMatch && (noneMatch.includes("*") || noneMatch.includes(etag)))
    return { status: 304, headers: facts };
  const ranged = headers.range !== undefined && (headers["if-range"] ?? etag) === etag;
  const [, first = "", last = ""] = (ranged && /^bytes=(\d*)-(\d*)$/.exec(headers.range ?? "")) || [];
  if (first === "" && last === "") return { status: 200, headers: facts, body };
  const begin = first === "" ? Math.max(0, body.length - Number(last)) : Number(first);
  const end = first === "" || last === "" ? body.length : Math.min(body.length, Number(last) + 1);
  if (begin >= body.length || begin >= end) return refusal({ status: 416, code: "InvalidRange" });
  return {
    status: 206,
    headers: { ...facts, "content-range": `bytes ${begin}-${end - 1}/${body.length}` },
    body: body.subarray(begin, end),
  };
}

function refusal({ status, code, region, retryAfter }: Refusal): Reply {
  const xml = `<?xml version="1.0" encoding="UTF-8"?>\n<Error><Code>${code}</Code><Message>refused by the test</Message><RequestId>1</RequestId></Error>`;
  const headers = {
    "content-type": "application/xml",
    ...(region ? { "x-amz-bucket-region": region } : {}),
    ...(retryAfter ? { "retry-after": retryAfter } : {}),
  };
  return { status, headers, body: Buffer.from(xml) };
}

function send(response: ServerResponse, method: string, reply: Reply, fault: Fault): void {
  const right = reply.body ?? new Uint8Array();
  const body = fault.garble ? right.map((byte) => byte ^ 0x55) : right;
  const headers = {
    ...reply.headers,
    ...(fault.etag ? { etag: fault.etag } : {}),
    ...(reply.status === 204 || reply.status === 304 ? {} : { "content-length": String(body.length) }),
  };
  response.writeHead(reply.status, headers);
  if (method === "HEAD") response.end();
  else if (fault.cutAfter === undefined) response.end(body);
  else response.write(body.subarray(0, fault.cutAfter), () => response.destroy());
}

function escapeXml(text: string): string {
  return text.replace(/[<>&"']/g, (character) => `&#${character.charCodeAt(0)};`);
}
