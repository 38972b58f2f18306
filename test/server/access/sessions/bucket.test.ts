// @module-tag slow
import { afterEach, describe, expect, it } from "vitest";
import { openBucket } from "../../../../src/base/network/s3.ts";
import { bucketSessions } from "../../../../src/server/access/sessions/bucket.ts";
import { createSessions } from "../../../../src/server/access/sessions/sessions.ts";
import { sessionsContract } from "../../../contracts/sessions.ts";
import { type S3Server, startS3, testAccount } from "../../../servers/s3.ts";

const storeOn = ({ url, bucket, region }: S3Server, account = testAccount) =>
  bucketSessions({
    bucket: openBucket({
      bucket,
      region,
      endpoint: url,
      pathStyle: true,
      credentials: account,
      timeoutMs: 120_000,
    }),
    prefix: "a prefix/",
  });

sessionsContract(
  "a bucket",
  async () => {
    const server = await startS3({ pageSize: 3 });
    return {
      store: storeOn(server),
      again: () => storeOn(server),
      contents: async () =>
        [...server.objects].map(([key, { body }]) => `${key}\n${Buffer.from(body).toString()}\n`).join(""),
      cleanUp: server.close,
    };
  },
  { byProfile: false },
);

let server: S3Server | undefined;
afterEach(async () => {
  await server?.close();
  server = undefined;
});

const ttlMs = 3_600_000;
const open = async () => {
  server = await startS3({ pageSize: 3 });
  const clock = { time: Date.UTC(2030, 0, 1) };
  const now = () => clock.time;
  const sessions = createSessions({ store: storeOn(server), ttlMs, now });
  const logIn = () =>
    sessions.logIn({
      profile: "p",
      user: "ann",
      fingerprint: "0123456789abcdef0123456789abcdef",
      grantedAt: now(),
      expiresAt: now() + ttlMs,
    });
  return { server, sessions, logIn, clock };
};

describe("sessions in a bucket", () => {
  it("cost one request to find", async () => {
    const { server, sessions, logIn } = await open();
    const { id } = await logIn();
    const before = server.seen.length;
    await sessions.find(id);
    expect(server.seen.slice(before).map(({ method }) => method)).toEqual(["GET"]);
  });

  it("are removed, with their tokens, when they are read after their end", async () => {
    const { server, sessions, logIn, clock } = await open();
    const { id } = await logIn();
    for (let i = 0; i < 5; i++) await sessions.issueToken(id, ttlMs);
    const other = await logIn();
    const token = await sessions.issueToken(other.id, 1000);
    clock.time += 1000;
    expect(await sessions.findByToken(token?.id ?? "")).toBeUndefined();
    expect(server.objects.size).toBe(12);
    clock.time += ttlMs;
    for (const each of [id, other.id]) expect(await sessions.find(each)).toBeUndefined();
    expect(server.objects.size).toBe(0);
  });

  it.each([
    ["garbage", "{{{"],
    ["of another version", '{"version":4,"createdAt":0,"expiresAt":9e15,"grants":[]}'],
    ["empty", ""],
  ])("do not exist if their object is %s", async (_, text) => {
    const { server, sessions, logIn } = await open();
    const { id } = await logIn();
    const token = await sessions.issueToken(id, ttlMs);
    for (const key of [...server.objects.keys()])
      if (key.includes("/sessions/")) server.put(key, new TextEncoder().encode(text));
    expect(await sessions.find(id)).toBeUndefined();
    expect(await sessions.findByToken(token?.id ?? "")).toBeUndefined();
  });

  it("do not end if the bucket refuses to remove them, and the caller gets the error", async () => {
    const { server, sessions, logIn } = await open();
    const { id } = await logIn();
    server.fault = ({ method }) =>
      method === "DELETE" ? { refuse: { status: 403, code: "AccessDenied" } } : undefined;
    await expect(sessions.logOut(id)).rejects.toThrow("AccessDenied");
    server.fault = () => undefined;
    await sessions.logOut(id);
    expect(await sessions.find(id)).toBeUndefined();
  });

  it.each(["GET", "PUT", "DELETE"])("fail their check if %s is refused", async (refused) => {
    const { server, sessions } = await open();
    server.fault = ({ method }) =>
      method === refused ? { refuse: { status: 403, code: "AccessDenied" } } : undefined;
    await expect(sessions.check()).rejects.toThrow("AccessDenied");
  });
});
