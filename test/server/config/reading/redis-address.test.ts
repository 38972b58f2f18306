// Addresses of Redis under the wrong key: what the configuration says, for caches and for sessions.

import { expect, test } from "vitest";
import { loadConfig } from "../../../../src/server/config/reading/load.ts";

const cacheOf = (options: string) => `cache: { render: { backend: redis, ${options} } }`;
const sessionOf = (options: string) => `auth: { session: { backend: redis, redis: { ${options} } } }`;

const messageOf = (yaml: string, key: string): string => {
  const problem = loadConfig(yaml, {}).problems?.find(({ where }) => where?.endsWith(`.${key}`));
  return problem?.text ?? "";
};

const urls: readonly (readonly [url: string, keys: string])[] = [
  ["redis://localhost:6379", "write addr: localhost:6379 instead of url"],
  ["redis://cache.example.org", "write addr: cache.example.org:6379 instead"],
  ["redis://cache.example.org:7000/2", "write addr: cache.example.org:7000 and db: 2 instead"],
  ["rediss://cache.example.org:6380", "write addr: cache.example.org:6380 and tls: true instead"],
  ["REDISS://cache.example.org/0", "write addr: cache.example.org:6379 and tls: true instead"],
  ["redis://[::1]:6379", 'write addr: "[::1]:6379" instead'],
  ["valkey://cache.example.org:6379", "write addr: cache.example.org:6379 instead"],
  ["redis://", "write addr: HOST:PORT instead"],
  ["redis:///2", "write addr: localhost:6379 and db: 2 instead"],
];

test.each(urls)("%s as a url is reported with the keys to write", (url, keys) => {
  for (const yaml of [cacheOf, sessionOf]) {
    const message = messageOf(yaml(`url: "${url}", token_env: T`), "url");
    expect(message).toContain("Redis server");
    expect(message).toContain(keys);
  }
});

test.each(urls)("%s as an addr is reported with the keys to write", (url, keys) => {
  const message = messageOf(cacheOf(`addr: "${url}"`), "addr");
  expect(message).toContain("expected host and port alone");
  expect(message).toContain(keys.replace(/ instead.*$/, ""));
});

test("a password in the address of a Redis server is not repeated, and a variable is asked for", () => {
  for (const key of ["url", "addr"]) {
    const message = messageOf(cacheOf(`${key}: "rediss://me:s3cr3t-word@cache.example.org:6379/1"`), key);
    expect(message).toContain("addr: cache.example.org:6379, tls: true, db: 1 and password_env");
    expect(message).not.toContain("s3cr3t");
  }
});

test.each(["redis://:12345#67890@redis", "redis://:pa/ss-12345@redis", "redis://:12345?a@redis"])(
  "no part of an unencoded password is repeated of %s",
  (url) => {
    for (const key of ["url", "addr"]) {
      const message = messageOf(cacheOf(`${key}: "${url}"`), key);
      expect(message).toContain("addr: HOST:PORT and password_env");
      expect(message).not.toMatch(/12345|0\.0\.48\.57/);
    }
  },
);

test("host and port as a url are reported as those of a server", () => {
  expect(messageOf(cacheOf('url: "127.0.0.1:6379", token_env: T'), "url")).toContain("addr: 127.0.0.1:6379");
});

test("a REST service without its scheme is reported with the whole address", () => {
  expect(messageOf(cacheOf('url: "eu1-calm.upstash.io", token_env: T'), "url")).toContain(
    "write https://eu1-calm.upstash.io",
  );
});

test("the address of a REST service as an addr is reported as a url", () => {
  expect(messageOf(cacheOf('addr: "https://eu1-calm.upstash.io"'), "addr")).toContain("write it as url");
});

test("a host without a port is reported with the usual one", () => {
  expect(messageOf(cacheOf("addr: redis"), "addr")).toContain("write redis:6379");
});

test("a token is asked for a REST service alone, and said to be missing", () => {
  for (const yaml of [cacheOf, sessionOf]) {
    expect(messageOf(yaml("url: 'redis://localhost:6379'"), "token_env")).toBe("");
    expect(messageOf(yaml("url: 'https://eu1-calm.upstash.io'"), "token_env")).toMatch(
      /^is missing; expected the name [^,]*$/,
    );
  }
});
