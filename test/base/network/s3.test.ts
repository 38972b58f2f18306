import { afterEach, describe, expect, it } from "vitest";
import { type BucketOptions, openBucket } from "../../../src/base/network/s3.ts";
import { bucketOf, keyPrefixOption, withoutCredentials } from "../../../src/base/network/s3-options.ts";
import { type S3Server, startS3, testAccount } from "../../servers/s3.ts";
import { signatureOf } from "../../servers/s3-signature.ts";

// Requests and signatures of the documentation of Amazon S3, "Signature Calculations for the Authorization
// Header", section "Examples: Signature calculations".
const documented = {
  account: {
    accessKeyId: "AKIAIOSFODNN7EXAMPLE",
    secretAccessKey: "wJalrXUtnFEMI/K7MDENG/bPxRfiCYEXAMPLEKEY",
  },
  host: "examplebucket.s3.amazonaws.com",
  datetime: "20130524T000000Z",
  empty: "e3b0c44298fc1c149afbf4c8996fb92427ae41e4649b934ca495991b7852b855",
  requests: [
    {
      method: "GET",
      key: "test.txt",
      query: {},
      headers: { range: "bytes=0-9" },
      body: "",
      signature: "f0e8bdb87c964420e857bd35b5d6ed310bd44f0170aba48dd91039c6036bdb41",
    },
    {
      method: "PUT",
      key: "test$file.text",
      query: {},
      headers: { date: "Fri, 24 May 2013 00:00:00 GMT", "x-amz-storage-class": "REDUCED_REDUNDANCY" },
      body: "Welcome to Amazon S3.",
      signature: "98ad721746da40c64f1a55b78f14c238d841ea1380cd77a1b5971af0ece108bd",
    },
    {
      method: "GET",
      key: "",
      query: { lifecycle: "" },
      headers: {},
      body: "",
      signature: "fea454ca298b7da1c68078a5d1bdbfbbe0d65c699e0f91ac7a200a0136783543",
    },
    {
      method: "GET",
      key: "",
      query: { "max-keys": "2", prefix: "J" },
      headers: {},
      body: "",
      signature: "34b48302e7b5fa45bde8084f4b7868a86f0a534bc59db6670ed5711ef69dc6f7",
    },
  ],
} as const;

describe("the signature of a request", () => {
  it.each(documented.requests)("equals the documentation's: $method $key $query", async (example) => {
    const sent: { url: string; headers: Headers }[] = [];
    const bucket = openBucket({
      bucket: "examplebucket",
      region: "us-east-1",
      endpoint: "https://s3.amazonaws.com",
      pathStyle: false,
      credentials: documented.account,
      timeoutMs: 120_000,
      now: () => Date.UTC(2013, 4, 24),
      fetch: async (url, init) => {
        sent.push({ url: String(url), headers: new Headers(init?.headers) });
        return new Response("");
      },
    });
    const { method, key, query, headers } = example;
    const body = example.body ? { body: new TextEncoder().encode(example.body) } : {};
    await bucket.request(method, key, { query, headers, ...body });
    expect(sent[0]?.headers.get("authorization")).toMatch(new RegExp(`Signature=${example.signature}$`));
    expect(new URL(sent[0]?.url ?? "").host).toBe(documented.host);
  });

  // The fake is held to the same examples, so that it is no weaker than the service.
  it.each(documented.requests)("satisfies the test server: $method $key $query", (example) => {
    const hashes: Record<string, string> = {
      "": documented.empty,
      "Welcome to Amazon S3.": "44ce7dd67c959e0d3524ffac1771dfbba87d2b6b4b4e99e42034a8b803f8b072",
    };
    const headers = {
      ...example.headers,
      host: documented.host,
      "x-amz-content-sha256": hashes[example.body] as string,
      "x-amz-date": documented.datetime,
    };
    const query = new URLSearchParams(example.query).toString();
    const request = { method: example.method, target: `/${example.key}?${query}`, headers };
    const key = { ...documented.account, region: "us-east-1", datetime: documented.datetime };
    expect(signatureOf(request, Object.keys(headers).sort(), key)).toBe(example.signature);
  });
});

describe("a bucket", () => {
  let server: S3Server;
  afterEach(() => server.close());

  const open = async (over: Partial<BucketOptions> = {}, options: Parameters<typeof startS3>[0] = {}) => {
    server = await startS3(options);
    const { url: endpoint, bucket, region } = server;
    return openBucket({
      bucket,
      region,
      endpoint,
      pathStyle: true,
      credentials: testAccount,
      timeoutMs: 120_000,
      ...over,
    });
  };
  const text = (bytes: Uint8Array | undefined) => bytes && new TextDecoder().decode(bytes);
  const bytes = (value: string) => new TextEncoder().encode(value);

  it.each(["a/b.jpg", "with space & +plus", "ümläut/日本", "a%2Fb", "it's (1)!*", "q?x=1#f", "=&;"])(
    "stores, returns and removes the object %j",
    async (key) => {
      const bucket = await open();
      expect(await bucket.get(key)).toBeUndefined();
      await bucket.put(key, bytes(key));
      expect([...server.objects.keys()]).toEqual([key]);
      expect(text(await bucket.get(key))).toBe(key);
      expect(await bucket.delete(key)).toBe(true);
      expect(await bucket.delete(key)).toBe(false);
    },
  );

  it.each([true, false])(
    "lists all pages of a prefix, whatever the keys contain (encoded: %s)",
    async (urlEncoding) => {
      const bucket = await open({}, { pageSize: 3, urlEncoding });
      const keys = ["p/a b", "p/a&b", "p/a+b", "p/<x>", "p/é", "p/100%", "p/z%20", "p/zz"].sort();
      for (const key of [...keys, "q/other", "p"]) server.put(key, bytes(key));
      const found = [];
      for await (const object of bucket.list("p/")) found.push(object);
      expect(found.map((object) => object.key).sort()).toEqual(keys);
      expect(found.map((object) => object.size)).toEqual(found.map((object) => bytes(object.key).length));
      expect(found[0]?.etag).toBe(server.objects.get(found[0]?.key ?? "")?.etag);
      expect(server.seen.length).toBe(3);
    },
  );

  it.each(["with space/", "a+b/", "it's (1)!*/", "100%&=/", "é/"])(
    "lists the prefix %j, signed as it is sent",
    async (prefix) => {
      const bucket = await open();
      for (const key of [`${prefix}x`, "other"]) server.put(key, bytes(key));
      const found = [];
      for await (const { key } of bucket.list(prefix)) found.push(key);
      expect(found).toEqual([`${prefix}x`]);
    },
  );

  it("reads ranges and conditions through the request", async () => {
    const bucket = await open();
    await bucket.put("a", bytes("0123456789"));
    const part = await bucket.request("GET", "a", { headers: { range: "bytes=2-4" } });
    expect([part.status, await part.text()]).toEqual([206, "234"]);
    const etag = part.headers.get("etag") ?? "";
    expect((await bucket.request("GET", "a", { headers: { "if-none-match": etag } })).status).toBe(304);
    await expect(bucket.request("GET", "a", { headers: { "if-match": '"other"' } })).rejects.toMatchObject({
      status: 412,
    });
    await expect(
      bucket.request("PUT", "a", { headers: { "if-none-match": "*" }, body: bytes("x") }),
    ).rejects.toMatchObject({ code: "PreconditionFailed" });
    await expect(bucket.request("GET", "a", { headers: { range: "bytes=10-" } })).rejects.toMatchObject({
      status: 416,
    });
  });

  it("needs no credentials if anybody may read", async () => {
    const bucket = await open({ credentials: undefined }, { account: undefined });
    await bucket.put("a", bytes("x"));
    expect(text(await bucket.get("a"))).toBe("x");
  });

  it.each([
    [
      "a wrong secret",
      { credentials: { ...testAccount, secretAccessKey: "wrong" } },
      "SignatureDoesNotMatch",
    ],
    ["a wrong key", { credentials: { ...testAccount, accessKeyId: "AKIANOBODY" } }, "InvalidAccessKeyId"],
    ["a wrong token", { credentials: { ...testAccount, sessionToken: "old" } }, "InvalidToken"],
    ["no signature", { credentials: undefined }, "AccessDenied"],
    ["a clock that is late", { now: () => Date.now() - 16 * 60_000 }, "RequestTimeTooSkewed"],
    ["another region", { region: "us-east-1" }, "AuthorizationHeaderMalformed"],
    ["another bucket", { bucket: "nothing" }, "NoSuchBucket"],
  ])("is refused with %s, and reports that without key or secret", async (_, over, code) => {
    const bucket = await open(over);
    const error = await bucket.get("a").then(
      () => undefined,
      (error: Error) => error,
    );
    expect(error).toMatchObject({ name: "S3Error", code });
    for (const secret of [testAccount.secretAccessKey, testAccount.sessionToken ?? "", "AKIA"])
      expect(String(error)).not.toContain(secret);
  });

  it("throws if the response is late, breaks off, or redirects", async () => {
    const hasty = await open({ timeoutMs: 200 });
    server.put("a", new Uint8Array(100_000));
    server.fault = () => ({ delayMs: 600_000 });
    await expect(hasty.get("a")).rejects.toMatchObject({ name: "TimeoutError" });
    await server.close();
    const bucket = await open();
    server.put("a", new Uint8Array(100_000));
    server.fault = () => ({ cutAfter: 50_000 });
    await expect(bucket.get("a")).rejects.toThrow();
    server.fault = () => ({ refuse: { status: 301, code: "PermanentRedirect" } });
    await expect(bucket.get("a")).rejects.toThrow("Check the region");
    server.fault = () => ({ refuse: { status: 301, code: "PermanentRedirect", region: "eu-south-2" } });
    await expect(bucket.get("a")).rejects.toThrow("Set region to eu-south-2");
    server.fault = () => ({ refuse: { status: 403, code: "ExpiredToken", region: server.region } });
    await expect(bucket.get("a")).rejects.toThrow("new session token");
  });

  it("is in the host name or in the path, below the endpoint or at AWS", async () => {
    await open();
    const urls: string[] = [];
    const record: typeof fetch = async (url) => {
      urls.push(String(url));
      return new Response("");
    };
    const base = {
      bucket: "b.1",
      region: "eu-west-3",
      credentials: undefined,
      timeoutMs: 120_000,
      fetch: record,
    };
    for (const endpoint of ["", "http://minio.test:9000/s3/", "http://[::1]:9000"])
      for (const pathStyle of [true, false])
        await openBucket({ ...base, endpoint, pathStyle }).request("GET", "x/y z");
    expect(urls).toEqual([
      "https://s3.eu-west-3.amazonaws.com/b.1/x/y%20z",
      "https://b.1.s3.eu-west-3.amazonaws.com/x/y%20z",
      "http://minio.test:9000/s3/b.1/x/y%20z",
      "http://b.1.minio.test:9000/s3/x/y%20z",
      "http://[::1]:9000/b.1/x/y%20z",
      "http://[::1]:9000/b.1/x/y%20z",
    ]);
  });
});

describe("the settings of a bucket", () => {
  const settings = {
    bucket: "b",
    region: "r",
    endpoint: "",
    path_style: false,
    anonymous: false,
    access_key_env: "KEY",
    secret_key_env: "SECRET",
    session_token_env: "TOKEN",
  };

  it("name the variables of the credentials", () => {
    const env = { KEY: "k", SECRET: "s", TOKEN: "t" };
    expect(bucketOf(settings, env).credentials).toEqual({
      accessKeyId: "k",
      secretAccessKey: "s",
      sessionToken: "t",
    });
    expect(() => bucketOf(settings, { KEY: "k" })).toThrow("SECRET");
    expect(bucketOf(withoutCredentials({ ...settings, anonymous: true }), {}).credentials).toBeUndefined();
  });

  it.each([
    ["", true],
    ["cache/", true],
    ["a/b-", true],
    ["..", false],
    ["a/../b/", false],
    ["./a", false],
    ["/a", false],
    ["a//", false],
  ])("take the prefix %j: %s", (prefix, taken) =>
    expect(keyPrefixOption.safeParse(prefix).success).toBe(taken),
  );
});
