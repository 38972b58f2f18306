// @module-tag slow
import { afterAll, beforeAll, describe, expect, test, vi } from "vitest";
import { createCounts } from "../../../../src/base/telemetry/count.ts";
import { buildSources } from "../../../../src/server/sources/index.ts";
import { sourceOptions } from "../../../../src/server/sources/options.ts";
import { blockSize } from "../../../../src/server/sources/origin/cache.ts";
import type { Source } from "../../../../src/server/sources/source.ts";
import { heapStore } from "../../../../src/server/stores/heap.ts";
import { createSlot, type Slot, slotCounts } from "../../../../src/server/stores/slot.ts";
import { sourceContract } from "../../../contracts/source.ts";
import { masterOf, type Origin, startOrigin } from "../../../servers/origin.ts";
import { startS3 } from "../../../servers/s3.ts";
import { expectBytes, httpSource, open, originWith, pattern, platform, slotOver } from "./over-origin.ts";

const content = pattern(5000);

describe("over a web server", () => {
  let origin: Origin;
  let source: Source;
  beforeAll(async () => {
    origin = await startOrigin({ "folder/a b.jpg": masterOf(content) });
    source = httpSource(origin);
  });
  afterAll(() => origin.close());
  sourceContract("http", { source: () => source, key: "folder/a b.jpg", content: () => content });
});

describe("over a bucket", () => {
  let close = async () => {};
  let source: Source;
  beforeAll(async () => {
    const s3 = await startS3();
    close = s3.close;
    s3.put("scans/folder/a b+ü&.jpg", content);
    const { account } = s3;
    const parsed = sourceOptions.parse([
      {
        name: "vault",
        type: "s3",
        bucket: s3.bucket,
        region: s3.region,
        endpoint: s3.url,
        path_style: true,
        key_prefix: "scans/",
        session_token_env: "TOKEN",
      },
    ]);
    const env = {
      AWS_ACCESS_KEY_ID: account?.accessKeyId,
      AWS_SECRET_ACCESS_KEY: account?.secretAccessKey,
      TOKEN: account?.sessionToken,
    };
    source = buildSources(parsed, { ...platform, env }, slotOver()).default;
  });
  afterAll(() => close());
  sourceContract("s3", { source: () => source, key: "folder/a b+ü&.jpg", content: () => content });
});

describe("caching", () => {
  test("a fresh cached master costs no request, even in another process over the same slot", async () => {
    const origin = await originWith({ a: masterOf(content) });
    const slot = slotOver();
    const first = await open(httpSource(origin, { slot }), "a");
    expectBytes(await first.bytes.read(100, 50), content.slice(100, 150));
    await slot.whenSettled();
    expect(origin.since().requests).toBe(1);
    const again = await open(httpSource(origin, { slot }), "a");
    expect(again.validator).toBe(first.validator);
    expectBytes(await again.bytes.read(0, 5000), content);
    expect(origin.since().requests).toBe(0);
  });

  test("the beginning comes with the first request; neighbouring blocks come with one more, repeated reads with none", async () => {
    const data = pattern(40 * blockSize + 77);
    const origin = await originWith({ a: masterOf(data) });
    const { bytes } = await open(httpSource(origin), "a");
    expect(origin.since()).toEqual({ requests: 1, bytes: 2 * blockSize });
    const from = 10 * blockSize - 5;
    expectBytes(await bytes.read(from, 4 * blockSize), data.slice(from, from + 4 * blockSize));
    expect(origin.since()).toEqual({ requests: 1, bytes: 5 * blockSize });
    expectBytes(await bytes.read(from + 1000, 100), data.slice(from + 1000, from + 1100));
    expect(origin.since().requests).toBe(0);
    // The gaps between cached blocks and beyond them: two holes, two requests.
    expectBytes(await bytes.read(8 * blockSize, 8 * blockSize), data.slice(8 * blockSize, 16 * blockSize));
    expect(origin.since()).toEqual({ requests: 2, bytes: 3 * blockSize });
    expectBytes(await bytes.read(data.length - 10, 100), data.slice(-10));
  });

  test("concurrent readers share one flight for each block", async () => {
    const data = pattern(30 * blockSize);
    const origin = await originWith({ a: masterOf(data) });
    origin.behaviour.delayMs = 20;
    const source = httpSource(origin);
    const images = await Promise.all(Array.from({ length: 12 }, () => open(source, "a")));
    expect(origin.since().requests).toBe(1);
    const parts = await Promise.all(
      images.map(({ bytes }, i) => bytes.read(20 * blockSize + i, 2 * blockSize)),
    );
    for (const [i, part] of parts.entries())
      expectBytes(part, data.slice(20 * blockSize + i, 22 * blockSize + i));
    // Three blocks: the first reader requests two of them if its read ends on a block edge, and another
    // reader the third.
    expect(origin.since().bytes).toBe(3 * blockSize);
  });

  test("sequential reads are read ahead, each block once", async () => {
    const data = pattern(200 * blockSize);
    const origin = await originWith({ a: masterOf(data) });
    const { bytes } = await open(httpSource(origin), "a");
    const step = 65_536;
    for (let at = 0; at < data.length; at += step)
      if (Buffer.compare(await bytes.read(at, step), data.subarray(at, at + step)) !== 0)
        throw new Error(`wrong bytes at ${at}`);
    const { requests, bytes: sent } = origin.since();
    expect(sent).toBe(data.length);
    expect(requests).toBeLessThan(20);
  });

  test("a small master is fetched whole as soon as more than its beginning is wanted", async () => {
    const data = pattern(1_500_000);
    const origin = await originWith({ a: masterOf(data) });
    const { bytes } = await open(httpSource(origin), "a");
    await bytes.read(1_000_000, 10);
    expect(origin.since().requests).toBe(2);
    expectBytes(await bytes.read(0, data.length), data);
    expect(origin.since().requests).toBe(0);
  });

  test("without a slot everything still works", async () => {
    const data = pattern(5 * blockSize);
    const origin = await originWith({ a: masterOf(data) });
    const none = createSlot({
      name: "origin",
      store: undefined,
      counts: createCounts(...slotCounts),
      ttl: 0,
      log: { warn() {} },
    });
    const { bytes } = await open(httpSource(origin, { slot: none }), "a");
    expectBytes(await bytes.read(0, data.length), data);
  });

  test("blocks of another origin under the same name are not used", async () => {
    const slot = slotOver();
    const one = await originWith({ a: masterOf(content) });
    const other = await originWith({ a: masterOf(pattern(5000, 9)) });
    await (await open(httpSource(one, { slot }), "a")).bytes.read(0, 10);
    await slot.whenSettled();
    const image = await open(httpSource(other, { slot }), "a");
    expectBytes(await image.bytes.read(0, 5000), pattern(5000, 9));
  });

  test("a block of the wrong length or an invalid state is fetched again", async () => {
    const data = pattern(4 * blockSize);
    const origin = await originWith({ a: masterOf(data) });
    const store = heapStore({ maxBytes: 2 ** 26 });
    const broken: Slot = {
      ...slotOver(store),
      get: async () => new TextEncoder().encode('{"facts":{"size":3}}'),
    };
    const { bytes } = await open(httpSource(origin, { slot: broken }), "a");
    expectBytes(await bytes.read(0, data.length), data);
  });
});

describe("a master that changes", () => {
  test("is detected after revalidate, by ETag, and not before", async () => {
    const origin = await originWith({ a: masterOf(content, { etag: '"1"' }) });
    const source = httpSource(origin, { revalidate: "0s" });
    const before = await open(source, "a");
    origin.masters.set("a", masterOf(pattern(5000, 3), { etag: '"2"' }));
    const after = await open(source, "a");
    expect(after.validator).not.toBe(before.validator);
    expectBytes(await after.bytes.read(0, 5000), pattern(5000, 3));
    const kept = httpSource(origin);
    const one = await open(kept, "a");
    origin.masters.set("a", masterOf(content, { etag: '"3"' }));
    expect((await open(kept, "a")).validator).toBe(one.validator);
  });

  test("unchanged ones cost one request without a body", async () => {
    const origin = await originWith({
      tagged: masterOf(content),
      dated: masterOf(content, { etag: undefined, modified: new Date("2024-05-01T10:00:00Z") }),
    });
    for (const key of ["tagged", "dated"]) {
      const source = httpSource(origin, { revalidate: "0s" });
      const { validator } = await open(source, key);
      origin.since();
      expect((await open(source, key)).validator).toBe(validator);
      expect(origin.since()).toEqual({ requests: 1, bytes: 0 });
    }
  });

  test("is detected without ETag and date by its bytes", async () => {
    const origin = await originWith({ a: masterOf(content, { etag: undefined }) });
    const source = httpSource(origin, { revalidate: "0s" });
    const { validator } = await open(source, "a");
    expect((await open(source, "a")).validator).toBe(validator);
    origin.masters.set("a", masterOf(pattern(5000, 1), { etag: undefined }));
    expect((await open(source, "a")).validator).not.toBe(validator);
  });

  test.each([
    ["with another ETag", { etag: '"2"' }],
    ["with a weak ETag", { etag: 'W/"2"' }],
    ["that is shorter", { etag: '"2"', size: 2 * blockSize + 1 }],
  ])(
    "while it is read (%s) causes an error, never mixed bytes, and the next open sees it",
    async (_, facts) => {
      const data = pattern(30 * blockSize);
      const origin = await originWith({
        a: masterOf(data, { etag: facts.etag.startsWith("W") ? 'W/"1"' : '"1"' }),
      });
      const source = httpSource(origin);
      const image = await open(source, "a");
      const next = pattern(30 * blockSize, 5);
      origin.masters.set("a", masterOf(next, facts));
      await expect(image.bytes.read(20 * blockSize, 10)).rejects.toMatchObject({
        kind: "changed",
        code: "source_changed",
      });
      const again = await open(source, "a");
      const { size = 0 } = again.bytes;
      expectBytes(await again.bytes.read(size - 10, 10), next.slice(size - 10, size));
    },
  );

  test("that is missing is not requested again for 10 s, unless it is purged", async () => {
    vi.useFakeTimers({ toFake: ["Date"] });
    try {
      const origin = await originWith({});
      const source = httpSource(origin);
      for (let i = 0; i < 3; i++) expect(await source.open("late")).toBeUndefined();
      expect(origin.since().requests).toBe(1);
      origin.masters.set("late", masterOf(content));
      vi.setSystemTime(Date.now() + 9_999);
      source.purge?.("other");
      expect(await source.open("late")).toBeUndefined();
      vi.setSystemTime(Date.now() + 1);
      await open(source, "late");

      expect(await source.open("later")).toBeUndefined();
      origin.masters.set("later", masterOf(content));
      source.purge?.("later");
      await open(source, "later");
    } finally {
      vi.useRealTimers();
    }
  });

  test("that is missing is requested each time if revalidate is 0", async () => {
    const origin = await originWith({});
    const source = httpSource(origin, { revalidate: "0s" });
    for (let i = 0; i < 2; i++) expect(await source.open("never")).toBeUndefined();
    expect(origin.since().requests).toBe(2);
  });

  test("that disappears is missing", async () => {
    const origin = await originWith({ a: masterOf(content) });
    const source = httpSource(origin, { revalidate: "0s" });
    await open(source, "a");
    origin.masters.delete("a");
    expect(await source.open("a")).toBeUndefined();
  });
});

describe("servers of all kinds", () => {
  test.each([
    ["with lengths", true],
    ["without lengths", false],
  ])("without ranges, %s: read once as a whole, then from the cache", async (_, lengths) => {
    const data = pattern(10 * blockSize + 5);
    const origin = await originWith({ a: masterOf(data) });
    Object.assign(origin.behaviour, { ranges: false, lengths });
    const slot = slotOver();
    const { bytes } = await open(httpSource(origin, { slot }), "a");
    expectBytes(await bytes.read(7 * blockSize - 3, 10), data.slice(7 * blockSize - 3, 7 * blockSize + 7));
    expectBytes(await bytes.read(0, data.length), data);
    await slot.whenSettled();
    expect(origin.since().requests).toBe(1);
  });

  test("without ranges and cache: read as a whole again", async () => {
    const data = pattern(300 * blockSize); // more than stays in memory
    const origin = await originWith({ a: masterOf(data) });
    origin.behaviour.ranges = false;
    const tiny = slotOver(heapStore({ maxBytes: 1000 }));
    const { bytes } = await open(httpSource(origin, { slot: tiny }), "a");
    expectBytes(await bytes.read(5, 10), data.slice(5, 15));
    expect(origin.since().requests).toBe(2);
  });

  test("an empty file is an empty master", async () => {
    const origin = await originWith({ a: masterOf(new Uint8Array()) });
    const { bytes } = await open(httpSource(origin), "a");
    expect(bytes.size).toBe(0);
    expect(await bytes.read(0, 64)).toEqual(new Uint8Array());
  });

  test.each([
    ["a web page", { "content-type": "text/html; charset=utf-8" }, 200, "origin_not_image"],
    ["compressed", { "content-type": "image/tiff", "content-encoding": "gzip" }, 200, "origin_bad_answer"],
    ["another range", { "content-range": "bytes 5-9/100" }, 206, "origin_bad_answer"],
    ["no range", { "content-range": "bytes */100" }, 206, "origin_bad_answer"],
    [
      "a refusal of the range of a file that is not empty",
      { "content-range": "bytes */100" },
      416,
      "origin_bad_answer",
    ],
    ["a refusal of the range without the length of the file", {}, 416, "origin_bad_answer"],
    ["denied", {}, 403, "origin_denied"],
    ["not signed in", {}, 401, "origin_denied"],
    ["a teapot", {}, 418, "origin_bad_answer"],
  ])("a response that is %s is an error and is not cached", async (_, headers, status, code) => {
    const origin = await originWith({ a: masterOf(content) });
    origin.behaviour.instead = (_request, response) => {
      response.writeHead(status, headers as Record<string, string>).end("0123456789");
      return true;
    };
    const source = httpSource(origin);
    await expect(source.open("a")).rejects.toMatchObject({ kind: "source", code });
    origin.behaviour.instead = undefined;
    expectBytes(await (await open(source, "a")).bytes.read(0, 5000), content);
  });

  test.each([500, 502, 503, 504, 429, 408])("status %i is tried again", async (status) => {
    const origin = await originWith({ a: masterOf(content) });
    origin.behaviour.instead = (_request, response, nth) => {
      if (nth > 1) return undefined;
      response.writeHead(status).end();
      return true;
    };
    expectBytes(await (await open(httpSource(origin), "a")).bytes.read(0, 5000), content);
    expect(origin.since().requests).toBe(3);
  });

  test("a body that is cut off is tried again, and never cached in part", async () => {
    const data = pattern(20 * blockSize);
    const origin = await originWith({ a: masterOf(data) });
    const source = httpSource(origin);
    const { bytes } = await open(source, "a");
    let cut = 0;
    origin.behaviour.instead = (request, response) => {
      if (cut++ > 0) return undefined;
      const [, first = "", last = ""] = /bytes=(\d+)-(\d+)/.exec(request.headers.range ?? "") ?? [];
      response.writeHead(206, {
        etag: '"1"',
        "content-range": `bytes ${first}-${last}/${data.length}`,
        "content-length": String(Number(last) - Number(first) + 1),
      });
      response.write(data.subarray(Number(first), Number(first) + 1000), () => response.destroy());
      return true;
    };
    expectBytes(await bytes.read(9 * blockSize, 4000), data.slice(9 * blockSize, 9 * blockSize + 4000));
    expect(cut).toBe(2);
  });

  test("one that stays broken is an error after a few tries, and works when it is back", async () => {
    const origin = await originWith({ a: masterOf(content) });
    origin.behaviour.instead = (_request, response) => {
      response.destroy();
      return true;
    };
    const source = httpSource(origin);
    await expect(source.open("a")).rejects.toMatchObject({ kind: "source", code: "origin_unavailable" });
    expect(origin.since().requests).toBe(3);
    await expect(source.check()).rejects.toThrow(/does not respond/);
    origin.behaviour.instead = undefined;
    await expect(source.check()).resolves.toBeUndefined();
    expectBytes(await (await open(source, "a")).bytes.read(0, 10), content.slice(0, 10));
  });

  test("one that is unreachable is not requested repeatedly for cached masters, and is used again when it recovers", async () => {
    const origin = await originWith({ a: masterOf(content), b: masterOf(content) });
    const away = () => {
      origin.behaviour.instead = (_request, response) => {
        response.writeHead(503).end();
        return true;
      };
    };
    const source = httpSource(origin, { revalidate: "0s" });
    const { validator } = await open(source, "a");
    away();
    origin.since();
    for (let i = 0; i < 5; i++) expect((await open(source, "a")).validator).toBe(validator);
    expect(origin.since().requests).toBe(3);
    await expect(source.open("b")).rejects.toMatchObject({ code: "origin_unavailable" });
    const strict = httpSource(origin, { revalidate: "0s", stale_if_error: "0s" });
    origin.behaviour.instead = undefined;
    await open(strict, "a");
    away();
    await expect(strict.open("a")).rejects.toMatchObject({ code: "origin_unavailable" });
    // A refusal is a response: cached blocks are not served after it.
    origin.behaviour.instead = (_request, response) => {
      response.writeHead(403).end();
      return true;
    };
    const refused = httpSource(origin, { revalidate: "0s" });
    await expect(refused.open("a")).rejects.toMatchObject({ code: "origin_denied" });
  });

  test("a read of many megabytes is fetched in steps, each byte once", async () => {
    const data = pattern(300 * blockSize + 3);
    const origin = await originWith({ a: masterOf(data) });
    const { bytes } = await open(httpSource(origin), "a");
    expectBytes(await bytes.read(0, data.length), data);
    expect(origin.since().bytes).toBe(data.length);
  });

  test("a caller that leaves does not take the response from the others", async () => {
    const origin = await originWith({ a: masterOf(content) });
    origin.behaviour.delayMs = 50;
    const source = httpSource(origin);
    const leaving = new AbortController();
    const gone = source.open("a", leaving.signal);
    const stays = source.open("a");
    leaving.abort();
    await expect(gone).rejects.toMatchObject({ kind: "cancelled" });
    expect((await stays)?.bytes.size).toBe(5000);
    expect(origin.since().requests).toBe(1);
  });
});

describe("an origin without ranges that stops sending", () => {
  test("is abandoned when the last caller leaves, and does not count as unreachable", async () => {
    const origin = await originWith({ a: masterOf(content), b: masterOf(content) });
    origin.behaviour.ranges = false;
    const source = httpSource(origin, { revalidate: "0s" });
    await open(source, "a");
    await open(source, "b");
    let closed: Promise<unknown> | undefined;
    origin.behaviour.instead = (_request, response) => {
      closed = new Promise((resolve) => response.once("close", resolve));
      response.writeHead(200, { "content-length": "100000" }).write("abc", () => leaving.abort());
      return true;
    };
    const leaving = new AbortController();
    await expect(source.open("a", leaving.signal)).rejects.toMatchObject({ kind: "cancelled" });
    await closed;
    origin.behaviour.instead = undefined;
    origin.since();
    await open(source, "b");
    expect(origin.since().requests).toBe(1);
  });
});

describe("a bucket", () => {
  const bucketSource = async (keys: readonly string[], options: Record<string, unknown> = {}) => {
    const s3 = await startS3({ account: undefined, pageSize: 3 });
    for (const key of keys) s3.put(key, content);
    const parsed = sourceOptions.parse([
      {
        name: "vault",
        type: "s3",
        bucket: s3.bucket,
        endpoint: s3.url,
        path_style: true,
        anonymous: true,
        ...options,
      },
    ]);
    return { s3, source: buildSources(parsed, { ...platform, env: {} }, slotOver()).default };
  };

  test("lists folders and images page by page, and omits hidden ones", async () => {
    const keys = [
      "scans/a.jpg",
      "scans/b/1.tif",
      "scans/b/2.tif",
      "scans/c.txt",
      "scans/.hidden",
      "scans/Thumbs.db",
    ];
    const more = Array.from({ length: 7 }, (_, i) => `scans/z${i}.png`);
    const { s3, source } = await bucketSource([...keys, ...more, "scans/b/", "elsewhere/x.jpg"], {
      key_prefix: "scans/",
    });
    expect(await source.list?.("")).toEqual([
      { name: "a.jpg", kind: "image" },
      { name: "b", kind: "directory" },
      { name: "c.txt", kind: "other" },
      ...more.map((key) => ({ name: key.slice(6), kind: "image" })),
    ]);
    expect((await source.list?.("b"))?.map(({ name }) => name)).toEqual(["1.tif", "2.tif"]);
    // In byte order .hidden and Thumbs.db precede a.jpg.
    let asked = 0;
    expect(await source.list?.("", () => ++asked === 3)).toEqual([{ name: "a.jpg", kind: "image" }]);
    expect(await source.list?.("nothing")).toBeUndefined();
    await s3.close();
  });

  test("distinguishes absent, denied, broken and wrong buckets", async () => {
    const { s3, source } = await bucketSource(["a.jpg"]);
    expect(await source.open("b.jpg")).toBeUndefined();
    s3.fault = () => ({ refuse: { status: 403, code: "AccessDenied" } });
    await expect(source.open("a.jpg")).rejects.toMatchObject({ code: "origin_denied" });
    await expect(source.check()).rejects.toThrow(/s3:ListBucket/);
    s3.fault = () => ({ refuse: { status: 400, code: "ExpiredToken" } });
    await expect(source.open("a.jpg")).rejects.toMatchObject({ cause: "status 400 ExpiredToken" });
    s3.fault = () => ({ refuse: { status: 503, code: "SlowDown" } });
    await expect(source.open("a.jpg")).rejects.toMatchObject({ code: "origin_unavailable" });
    s3.fault = () => ({ refuse: { status: 404, code: "NoSuchBucket" } });
    await expect(source.open("a.jpg")).rejects.toMatchObject({ code: "origin_bad_answer" });
    s3.fault = () => undefined;
    await expect(source.check()).resolves.toBeUndefined();
    await s3.close();
  });

  test.each([undefined, '"1"'])(
    "an error document with status 200 (ETag %s) is an error of the source",
    async (etag) => {
      const { s3, source } = await bucketSource(["a.jpg"]);
      s3.fault = () => ({ refuse: { status: 200, code: "InternalError" }, ...(etag ? { etag } : {}) });
      await expect(source.open("a.jpg")).rejects.toMatchObject({ kind: "source", code: "origin_bad_answer" });
      await expect(source.list?.("")).rejects.toMatchObject({ kind: "source", code: "origin_bad_answer" });
      await expect(source.check()).rejects.toThrow(/InternalError/);
      s3.fault = () => undefined;
      expectBytes(await (await open(source, "a.jpg")).bytes.read(0, 5000), content);
      await s3.close();
    },
  );

  test("with slow, garbled and cut responses costs an attempt or an error, never wrong bytes", async () => {
    const { s3, source } = await bucketSource(["a.jpg"]);
    let nth = 0;
    s3.fault = () => (nth++ === 0 ? { cutAfter: 100 } : { delayMs: 30 });
    const image = await source.open("a.jpg");
    expectBytes(await image?.bytes.read(0, 5000), content);
    await s3.close();
  });
});
