import { describe, expect, it } from "vitest";
import { sessionOptions } from "../../../../src/server/access/sessions/options.ts";

const problems = (value: unknown) => {
  const { error } = sessionOptions.safeParse(value);
  return error?.issues.map(({ path, message }) => `${path.join(".")}: ${message}`) ?? [];
};

describe("auth.session", () => {
  it("defaults to memory, swept each minute", () => {
    expect(sessionOptions.parse({})).toEqual({ backend: "heap", ttl: "1m", path: "" });
  });

  it.each<[string, object]>([
    ["a folder", { backend: "filesystem", path: "/var/lib/smalti" }],
    ["a bucket", { backend: "s3", s3: { bucket: "sessions" } }],
    ["Redis", { backend: "redis", redis: { addr: "127.0.0.1:6379", password_env: "P", db: 3, tls: true } }],
    ["Redis over REST", { backend: "redis", redis: { url: "https://r.example.org", token_env: "T" } }],
  ])("can be in %s", (_, value) => expect(problems(value)).toEqual([]));

  it.each<[string, object, RegExp]>([
    ["no folder", { backend: "filesystem" }, /^path: .*auth\.session\.backend is filesystem/],
    ["no bucket", { backend: "s3" }, /^s3: .*auth\.session\.backend is s3/],
    ["no Redis", { backend: "redis" }, /^redis: .*auth\.session\.backend is redis/],
    ["two addresses", { redis: { addr: "a:1", url: "https://b", token_env: "T" } }, /^redis\.addr: /],
    ["no address", { redis: {} }, /^redis\.addr: /],
    ["a URL without a token", { redis: { url: "https://b" } }, /^redis\.token_env: /],
    ["a bucket for everybody", { s3: { bucket: "sessions", anonymous: true } }, /anonymous/],
    ["a sweep without pause", { ttl: "0s" }, /^ttl: /],
    ["a sweep that no timer waits for", { ttl: "30d" }, /^ttl: /],
    ["another backend", { backend: "memcached" }, /^backend: /],
  ])("is refused with %s", (_, value, problem) => {
    expect(problems(value).join("\n")).toMatch(problem);
  });
});
