import { afterEach, describe, expect, it } from "vitest";
import { type BucketOptions, openBucket } from "../../../src/base/network/s3.ts";
import { s3Store } from "../../../src/server/stores/s3.ts";
import { storeContract } from "../../contracts/store.ts";
import { type Fault, type S3Server, startS3, testAccount } from "../../servers/s3.ts";

/** Longer than any test may take. */
const timeoutMs = 120_000;

function storeOn({ url, bucket, region }: S3Server, over: Partial<BucketOptions> = {}, clock?: () => number) {
  const credentials = testAccount;
  return s3Store({
    bucket: openBucket({ bucket, region, endpoint: url, pathStyle: true, credentials, timeoutMs, ...over }),
    prefix: "a prefix/",
    ...(clock ? { now: clock } : {}),
  });
}

storeContract(
  "s3",
  async ({ now }) => {
    const server = await startS3({ pageSize: 2 });
    return { store: storeOn(server, {}, now), cleanUp: server.close };
  },
  { lacks: ["clear", "usage"] },
);

const value = new Uint8Array(5000).map((_, i) => i * 7);
let server: S3Server | undefined;
afterEach(async () => {
  await server?.close();
  server = undefined;
});

const opened = async () => {
  server = await startS3({ pageSize: 3 });
  return { server, store: storeOn(server) };
};

describe("the objects of an s3 store", () => {
  it("are one for each entry, named by hashes alone", async () => {
    const { server, store } = await opened();
    await store.set("../../x y", "<&>", value);
    await store.set("../../x y", "", value);
    const keys = [...server.objects.keys()];
    expect(keys.length).toBe(2);
    for (const key of keys) expect(key).toMatch(/^a prefix\/v1(\/[0-9a-f]{32}){3}$/);
  });

  it("are removed page by page with their name, and foreign objects are not", async () => {
    const { server, store } = await opened();
    for (let i = 0; i < 8; i++) await store.set("a", `${i}`, value);
    await store.set("b", "", value);
    server.put("a prefix/v1/notes.txt", value);
    expect(await store.delete("a")).toBe(8);
    expect(server.objects.size).toBe(2);
    expect(await store.get("b", "")).toEqual(value);
  });

  it("cost one request for an entry that is read or written", async () => {
    const { server, store } = await opened();
    await store.set("a", "", value);
    await store.get("a", "");
    await store.get("b", "");
    expect(server.seen.map(({ method, status }) => [method, status])).toEqual([
      ["PUT", 200],
      ["GET", 200],
      ["GET", 404],
    ]);
  });
});

describe("a replaced object", () => {
  it.each([
    ["shorter", (body: Uint8Array) => body.slice(0, -1)],
    ["longer", (body: Uint8Array) => Uint8Array.of(...body, 0)],
    ["changed", (body: Uint8Array) => body.map((byte, i) => (i === 3000 ? byte ^ 1 : byte))],
    ["empty", () => new Uint8Array()],
    ["of another format version", (body: Uint8Array) => body.map((byte, i) => (i === 6 ? byte + 1 : byte))],
  ])("is a miss and is removed: %s", async (_, damage) => {
    const { server, store } = await opened();
    await store.set("a", "", value);
    const [[key, object] = expect.fail("nothing was stored")] = server.objects;
    server.put(key, damage(object.body));
    expect(await store.get("a", "")).toBeUndefined();
    expect(server.objects.size).toBe(0);
  });

  it("is a miss when it is another entry's", async () => {
    const { server, store } = await opened();
    await store.set("a", "", value);
    const [key = ""] = server.objects.keys();
    await store.set("b", "", value);
    const other = [...server.objects].find(([each]) => each !== key)?.[1];
    server.put(key, other?.body ?? new Uint8Array());
    expect(await store.get("a", "")).toBeUndefined();
    expect(await store.get("b", "")).toEqual(value);
  });
});

describe("a bucket that fails", () => {
  const faults: [string, Fault, "throws" | "misses" | "gives"][] = [
    ["is busy", { refuse: { status: 503, code: "SlowDown" } }, "throws"],
    ["is broken", { refuse: { status: 500, code: "InternalError" } }, "throws"],
    ["does not allow it", { refuse: { status: 403, code: "AccessDenied" } }, "throws"],
    ["never answers", { delayMs: 600_000 }, "throws"],
    ["breaks off at once", { cutAfter: 0 }, "throws"],
    ["breaks off in the middle", { cutAfter: 2500 }, "throws"],
    ["sends other bytes", { garble: true }, "misses"],
    ["states another ETag", { etag: '"0"' }, "gives"],
  ];
  it.each(faults)("never returns wrong bytes: it %s", async (_, fault, outcome) => {
    const { server, store } = await opened();
    await store.set("a", "", value);
    server.fault = ({ method }) => (method === "GET" ? fault : undefined);
    const reader = fault.delayMs ? storeOn(server, { timeoutMs: 200 }) : store;
    const got = await reader.get("a", "").catch(() => "throws");
    expect(got).toEqual({ throws: "throws", misses: undefined, gives: value }[outcome]);
    server.fault = () => undefined;
    if (outcome === "throws") expect(await store.get("a", "")).toEqual(value);
  });

  it("fails its check, with advice and without a secret", async () => {
    const { server, store } = await opened();
    server.fault = ({ method }) =>
      method === "PUT" ? { refuse: { status: 403, code: "AccessDenied" } } : undefined;
    await expect(store.check()).rejects.toThrow("s3:PutObject");
    server.fault = () => undefined;
    const stranger = storeOn(server, { credentials: { ...testAccount, secretAccessKey: "other-secret" } });
    const error = await stranger.check().catch((error: Error) => error);
    expect(String(error)).toContain("SignatureDoesNotMatch");
    expect(String(error)).not.toContain("other-secret");
  });
});

describe("entries that are added to a bucket", () => {
  it("are refused by a service that would overwrite them, and nothing is left of the check", async () => {
    server = await startS3({ ignoresConditions: true });
    const store = storeOn(server);
    await expect(store.add("a", "", value)).rejects.toThrow("ignores If-None-Match");
    expect(server.objects.size).toBe(0);
  });

  it("cost one request each, once the service is known to heed conditions", async () => {
    const { server, store } = await opened();
    await store.add("a", "", value);
    server.seen.length = 0;
    expect(await store.add("b", "", value)).toBe(true);
    expect(server.seen.map(({ method, status }) => [method, status])).toEqual([["PUT", 200]]);
  });
});
