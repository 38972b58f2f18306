// Web servers as they are: with odd refusals of ranges, odd types and codings, and too much to do.

import type { IncomingMessage, ServerResponse } from "node:http";
import { afterEach, describe, expect, test } from "vitest";
import { httpRemote } from "../../../src/server/sources/http.ts";
import { userAgentOf } from "../../../src/server/sources/index.ts";
import { type HttpSourceOptions, sourceOptions } from "../../../src/server/sources/options.ts";
import { fixture } from "../../host.ts";
import { hang } from "../../limits.ts";
import { served } from "../../served.ts";
import { masterOf, type Origin } from "../../servers/origin.ts";
import { startS3 } from "../../servers/s3.ts";
import { expectBytes, httpSource, open, originWith, pattern, platform } from "./origin/over-origin.ts";

const content = pattern(700_000);
const toClose: { close(): Promise<void> }[] = [];
afterEach(async () => {
  for (const one of toClose.splice(0)) await one.close();
});

/** Answers requests with a range by itself, others as usual. */
function toRanges(
  origin: Origin,
  answer: (request: IncomingMessage, response: ServerResponse) => void,
): void {
  origin.behaviour.instead = (request, response) => {
    if (request.headers.range === undefined) return undefined;
    answer(request, response);
    return true;
  };
}

describe("a server that refuses ranges", () => {
  test.each([400, 403, 405, 406, 416, 500, 501])(
    "by status %i is asked for the whole file",
    async (status) => {
      const origin = await originWith({ a: masterOf(content) });
      toRanges(origin, (_, response) => response.writeHead(status).end("no ranges"));
      const source = httpSource(origin);
      const { bytes } = await open(source, "a");
      expect(bytes.size).toBe(content.length);
      expectBytes(await bytes.read(300_000, 50_000), content.slice(300_000, 350_000));
      expect(origin.asked.at(-1)?.headers).not.toHaveProperty("if-range");
    },
  );

  test.each([400, 403, 416, 501])(
    "by status %i is asked again after revalidate, by conditions alone",
    async (status) => {
      const origin = await originWith({ a: masterOf(content) });
      toRanges(origin, (_, response) => response.writeHead(status).end());
      const source = httpSource(origin, { revalidate: "0s" });
      const { validator } = await open(source, "a");
      const { bytes, validator: same } = await open(source, "a");
      expect(same).toBe(validator);
      expect(origin.asked.at(-1)).toMatchObject({ status: 304 });
      expectBytes(await bytes.read(0, content.length), content);
    },
  );

  test.each([
    [403, "origin_denied"],
    [400, "origin_bad_answer"],
    [416, "origin_bad_answer"],
    [500, "origin_unavailable"],
  ])("and the whole file too, by status %i, has refused it", async (status, code) => {
    const origin = await originWith({ a: masterOf(content) });
    origin.behaviour.instead = (_, response) => {
      response.writeHead(status).end();
      return true;
    };
    await expect(httpSource(origin).open("a")).rejects.toMatchObject({ kind: "source", code });
  });

  test("later on, after it has sent some, has refused the file", async () => {
    const origin = await originWith({ a: masterOf(pattern(9_000_000)) });
    const { bytes } = await open(httpSource(origin), "a");
    toRanges(origin, (_, response) => response.writeHead(403).end());
    origin.since();
    await expect(bytes.read(5_000_000, 10)).rejects.toMatchObject({ code: "origin_denied" });
    expect(origin.since().requests).toBe(1);
  });
});

describe("a range without the length of the file", () => {
  const unsized = (origin: Origin, data: Uint8Array, headers: Record<string, string> = {}) =>
    toRanges(origin, (request, response) => {
      const [, first = "", last = ""] = /bytes=(\d+)-(\d+)/.exec(request.headers.range ?? "") ?? [];
      const part = data.subarray(Number(first), Number(last) + 1);
      response
        .writeHead(206, {
          etag: '"1"',
          ...headers,
          "content-range": `bytes ${first}-${Number(first) + part.length - 1}/*`,
        })
        .end(part);
    });

  test.each([100, 700_000, 9_000_000])(
    "is accepted; the length of %i comes from one other request",
    async (size) => {
      const data = pattern(size);
      const origin = await originWith({ a: masterOf(data) });
      unsized(origin, data);
      const { bytes } = await open(httpSource(origin), "a");
      expect(bytes.size).toBe(size);
      expectBytes(
        await bytes.read(Math.floor(size / 2), 50),
        data.slice(Math.floor(size / 2), Math.floor(size / 2) + 50),
      );
      expect(origin.asked.filter(({ headers }) => headers.range === undefined).length).toBe(1);
    },
  );

  test("is dropped if the file has another state by then", async () => {
    const origin = await originWith({ a: masterOf(content, { etag: '"2"' }) });
    unsized(origin, pattern(700_000, 5));
    const { bytes } = await open(httpSource(origin), "a");
    expectBytes(await bytes.read(0, content.length), content);
  });

  test("and without one for the whole file leads to one response", async () => {
    const origin = await originWith({ a: masterOf(content) });
    origin.behaviour.lengths = false;
    unsized(origin, content);
    const { bytes } = await open(httpSource(origin), "a");
    expect(bytes.size).toBe(content.length);
  });
});

test("a range is accepted whatever the case of its unit is", async () => {
  // Names of range units are case-insensitive (RFC 9110, section 14.1).
  const origin = await originWith({ a: masterOf(content) });
  toRanges(origin, (request, response) => {
    const [, first = "", last = ""] = /bytes=(\d+)-(\d+)/.exec(request.headers.range ?? "") ?? [];
    const part = content.subarray(Number(first), Number(last) + 1);
    const range = `Bytes ${first}-${Number(first) + part.length - 1}/${content.length}`;
    response.writeHead(206, { etag: '"1"', "content-range": range }).end(part);
  });
  const { bytes } = await open(httpSource(origin), "a");
  expectBytes(await bytes.read(300_000, 50_000), content.slice(300_000, 350_000));
});

describe("the first bytes", () => {
  const jpeg = fixture("jpg-baseline-420.jpg");
  const typed = async (type: string, data: Uint8Array, ranges = true) => {
    const origin = await originWith({ a: masterOf(data, { type }) });
    origin.behaviour.ranges = ranges;
    return httpSource(origin);
  };

  test.each([true, false])(
    "make an image of a response that says it is HTML (ranges: %s)",
    async (ranges) => {
      const { bytes } = await open(await typed("text/html; charset=UTF-8", jpeg, ranges), "a");
      expectBytes(await bytes.read(0, jpeg.length), jpeg);
    },
  );

  test.each([
    ["image/jpeg", true],
    ["image/jpeg", false],
    ["text/html", true],
    ["application/octet-stream", false],
  ])("make a page of a response of type %s (ranges: %s)", async (type, ranges) => {
    const page = new TextEncoder().encode(`<!DOCTYPE html><title>Sign in</title>${" ".repeat(400_000)}`);
    const source = await typed(type, page, ranges);
    await expect(source.open("a")).rejects.toMatchObject({ code: "origin_not_image" });
  });

  test("make a page of a response that arrives letter by letter", async () => {
    const origin = await originWith({});
    origin.behaviour.instead = (_, response) => {
      response.writeHead(200, { "content-type": "image/jpeg", etag: '"1"', "content-length": "15" });
      response.write("<", () => setImmediate(() => response.end("!doctype html>")));
      return true;
    };
    await expect(httpSource(origin).open("a")).rejects.toMatchObject({ code: "origin_not_image" });
  });

  test.each([
    ["aws-chunked", true],
    ["utf-8", true],
    ["aws-chunked,gzip", true],
    ["gzip", false],
  ])("of a response with Content-Encoding %s are those of the file: %s", async (coding, accepted) => {
    const origin = await originWith({ a: masterOf(content) });
    origin.behaviour.instead = (_, response) => {
      response.setHeader("content-encoding", coding);
      return undefined;
    };
    const opened = open(httpSource(origin), "a").then(({ bytes }) => bytes.read(0, content.length));
    if (accepted) expectBytes(await opened, content);
    else await expect(opened).rejects.toMatchObject({ code: "origin_bad_answer" });
  });
});

describe("a request", () => {
  const headersOf = async (options: object, agent?: string) => {
    const origin = await originWith({ a: masterOf(content) });
    const [parsed] = sourceOptions.parse([
      { name: "web", type: "http", url: `${origin.url}/{identifier}`, ...options },
    ]);
    const remote = httpRemote(parsed as HttpSourceOptions, platform, undefined, agent);
    await remote.get("a", { offset: 0, length: 10 });
    await remote.check(AbortSignal.timeout(hang));
    const [read, check] = origin.asked.map(({ headers }) => [headers["user-agent"], headers.accept]);
    expect(check).toEqual(read);
    return read;
  };

  test("names the service, its version and its address, and says that it wants an image", async () => {
    expect(userAgentOf("1.2.3", "https://images.example.org/iiif/")).toBe(
      "smalti/1.2.3 (+https://images.example.org/iiif)",
    );
    expect(userAgentOf("1.2.3", "")).toBe("smalti/1.2.3");
    expect(await headersOf({}, "smalti/1.2.3 (+https://images.example.org)")).toEqual([
      "smalti/1.2.3 (+https://images.example.org)",
      "image/*, */*;q=0.8",
    ]);
  });

  test("has the headers of the operator instead", async () => {
    expect((await headersOf({ user_agent: "museum/1 (+mailto:x@example.org)" }, "smalti/1"))?.[0]).toBe(
      "museum/1 (+mailto:x@example.org)",
    );
    expect(await headersOf({ headers: { "user-agent": "other", ACCEPT: "image/tiff" } }, "smalti/1")).toEqual(
      ["other", "image/tiff"],
    );
  });

  test.each(["two\nlines", "snow ☃"])("cannot have the User-Agent %j", (user_agent) => {
    const one = { name: "web", type: "http", url: "https://example.org/{identifier}", user_agent };
    expect(sourceOptions.safeParse([one]).success).toBe(false);
  });

  test("of the service has its version and base_url", async () => {
    const origin = await originWith({ a: masterOf(fixture("jpg-gray.jpg")) });
    const app = await served(
      `base_url: "https://images.example.org"\nsources: [{ name: web, type: http, url: "${origin.url}/{identifier}" }]\ncache: { origin: { backend: heap } }`,
    );
    toClose.push(app.service);
    expect((await app.get("/iiif/3/a/info.json", { host: "images.example.org" })).status).toBe(200);
    expect(origin.asked[0]?.headers["user-agent"]).toBe("smalti/dev (+https://images.example.org)");
  });
});

describe("a server that has too much to do", () => {
  const service = async (status: number, retryAfter: string | undefined) => {
    const origin = await originWith({});
    origin.behaviour.instead = (_, response) => {
      response.writeHead(status, retryAfter === undefined ? {} : { "Retry-After": retryAfter }).end();
      return true;
    };
    const app = await served(
      `sources: [{ name: web, type: http, url: "${origin.url}/{identifier}" }]\ncache: { origin: { backend: heap } }`,
    );
    toClose.push(app.service);
    return { origin, get: app.get };
  };

  test.each([429, 503])(
    "by status %i is not asked again immediately; its Retry-After is ours",
    async (status) => {
      const { origin, get } = await service(status, "120");
      for (const path of ["info.json", "full/max/0/default.jpg"]) {
        const response = await get(`/iiif/3/a/${path}`);
        expect([response.status, response.headers.get("Retry-After")]).toEqual([500, "120"]);
        expect(await response.json()).toMatchObject({ code: "origin_unavailable" });
      }
      expect(origin.asked.length).toBe(2);
    },
  );

  test("may say so by a date", async () => {
    const { get } = await service(503, new Date(Date.now() + 90_000).toUTCString());
    const after = Number((await get("/iiif/3/a/info.json")).headers.get("Retry-After"));
    expect(after).toBeGreaterThan(60);
    expect(after).toBeLessThanOrEqual(90);
  });

  test.each([
    [503, undefined],
    [503, "soon"],
    [500, "120"],
    [404, "120"],
  ])("is the only one whose Retry-After counts: status %i, %s", async (status, retryAfter) => {
    const { get } = await service(status, retryAfter);
    expect((await get("/iiif/3/a/info.json")).headers.get("Retry-After")).toBeNull();
  });

  test("may be a bucket", async () => {
    const s3 = await startS3({ account: undefined });
    toClose.push(s3);
    s3.put("a.jpg", fixture("jpg-gray.jpg"));
    s3.fault = () => ({ refuse: { status: 503, code: "SlowDown", retryAfter: "77" } });
    const app = await served(
      `sources: [{ name: b, type: s3, bucket: ${s3.bucket}, endpoint: "${s3.url}", path_style: true, anonymous: true }]\ncache: { origin: { backend: heap } }`,
    );
    toClose.push(app.service);
    expect((await app.get("/iiif/3/a.jpg/info.json")).headers.get("Retry-After")).toBe("77");
  });
});

describe("an object of a bucket", () => {
  const bucket = async (body: Uint8Array, headers: Record<string, string> = {}) => {
    const s3 = await startS3({ account: undefined });
    toClose.push(s3);
    s3.put("a.jpg", body);
    s3.headers = headers;
    const app = await served(
      `sources: [{ name: b, type: s3, bucket: ${s3.bucket}, endpoint: "${s3.url}", path_style: true, anonymous: true }]\ncache: { origin: { backend: heap } }`,
    );
    toClose.push(app.service);
    return app.get;
  };

  test("that is empty is reported as that", async () => {
    const response = await (await bucket(new Uint8Array()))("/iiif/3/a.jpg/info.json");
    expect(response.status).toBe(501);
    expect((await response.json()).detail).toMatch(/object is empty.*0 bytes/);
  });

  test.each(["aws-chunked", "utf-8", "binary", "none", "aws-chunked,gzip"])(
    "is read although its Content-Encoding is %s",
    async (coding) => {
      const get = await bucket(fixture("jpg-gray.jpg"), { "content-encoding": coding });
      expect((await get("/iiif/3/a.jpg/full/max/0/default.png")).status).toBe(200);
    },
  );
});

describe("a master without ETag and date of more than 64 MiB", () => {
  test("is read if max_held allows it, and the error names that setting", async () => {
    const data = new Uint8Array(64 * 2 ** 20 + 1);
    const origin = await originWith({ a: masterOf(data, { etag: undefined }) });
    await expect(httpSource(origin).open("a")).rejects.toMatchObject({
      code: "origin_too_large",
      message: expect.stringMatching(/64 MiB.*max_held/),
    });
    expect((await open(httpSource(origin, { max_held: "65MiB" }), "a")).bytes.size).toBe(data.length);
    await expect(httpSource(origin, { max_held: "1MiB" }).open("a")).rejects.toMatchObject({
      message: expect.stringContaining("1 MiB"),
    });
  });
});
