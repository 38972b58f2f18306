import { describe, expect, test } from "vitest";
import { effectiveYaml } from "../../../src/server/config/effective.ts";
import { loadConfig } from "../../../src/server/config/reading/load.ts";
import { withAbsolutePaths } from "../../../src/server/config/reading/paths.ts";
import { configTree } from "../../../src/server/config/schema.ts";
import { leaves } from "../../../src/server/config/walk.ts";
import { locationOf } from "../../../src/server/sources/options.ts";

const accepted = (yaml: string) => {
  const { config, problems } = loadConfig(yaml, { SECRET: "s" });
  if (!config) throw new Error(JSON.stringify(problems));
  return config;
};

describe("the effective configuration", () => {
  test.each([
    "",
    'addr: "[::1]:8080"\nbase_url: "https://example.org/a:b"',
    `sources: [{ name: "2024", type: filesystem, root: '/srv/with: colon # and "quotes"', prefix: "yes/" }]`,
    "sources: [{ name: web, type: http, url: 'https://example.org/{identifier}' }, { name: b, prefix: b/, type: s3, bucket: scans, anonymous: true }]",
    "cache: { render: { backend: none }, info: { backend: heap, max_bytes: 5, ttl: 0s } }",
    "cache: { render: { backend: redis, addr: '[::1]:6379', max_memory: 5 }, info: { backend: s3, bucket: tiles, anonymous: true, timeout: 1s } }",
    "image: { depth: source, memory_budget: 1GiB }\nlog: { format: json }",
    "image: { sharpen: on, supersample: 2, linear: on }",
    "image: { sharpen: { radius: 1, amount: 0.25 } }",
    "aliases: [{ prefix: /cantaloupe/iiif/2/, version: 2 }]\ntrusted_proxies: ['::1', 10.0.0.0/8]",
  ])("of %j survives a round trip", (yaml) => {
    const config = accepted(yaml);
    expect(accepted(effectiveYaml(config))).toEqual(config);
  });

  test("shows every key", () => {
    // Keys of one form or backend appear only if it is chosen.
    const redis = "{ backend: redis, addr: 'redis:6379' }";
    const s3 = "{ backend: s3, bucket: tiles, anonymous: true }";
    const crawlers = "crawlers: { secret_env: SECRET, redis: { addr: 'redis:6379' } }";
    const auth = `auth: { profiles: {
      a: { pattern: clickthrough, token_ttl: 1m, access_service: { backend: builtin } },
      b: { pattern: external, access_service: { backend: header } },
      c: { pattern: external, access_service: { backend: external, url: "https://a.example", callback_secret_env: SECRET } },
      d: { pattern: active, access_service: { backend: oidc, issuer: "https://a.example", client_id: a, client_secret_env: SECRET } } } }`;
    const text = effectiveYaml(
      accepted(
        `image: { sharpen: {}, window: {} }\ncache: { render: ${redis}, info: ${s3} }\n${crawlers}\n${auth}`,
      ),
    );
    const outsideLists = leaves(configTree()).filter(({ path }) => !path.includes("[]"));
    for (const key of outsideLists.map(({ path }) => path.split(".").at(-1) as string))
      expect(text).toMatch(new RegExp(`^ *${key}:`, "m"));
  });
});

test("file names become absolute against the folder of the file", () => {
  const config = withAbsolutePaths(
    accepted(`
sources:
  - { name: a, type: filesystem, root: ./scans }
  - { name: b, type: filesystem, root: /srv/maps, prefix: maps/ }
cache: { render: { backend: filesystem, path: cache } }`),
    "/etc/smalti",
  );
  expect(config.sources.map(locationOf)).toEqual(["/etc/smalti/scans", "/srv/maps"]);
  expect(config.cache.render).toMatchObject({ path: "/etc/smalti/cache" });
  expect(config.cache.origin).toMatchObject({ path: "" });
});

test("values of a query are masked, the place of the identifier is not", () => {
  const text = effectiveYaml(
    accepted(
      "sources: [{ name: web, type: http, url: 'https://example.org/get?key=hunter2&id={identifier}' }]",
    ),
  );
  expect(text).toContain("https://example.org/get?key=***&id={identifier}");
  expect(text).not.toContain("hunter2");
});

test("values of headers are masked, their names are not", () => {
  const text = effectiveYaml(
    accepted(
      "sources: [{ name: web, type: http, url: 'https://example.org/{identifier}', headers: { X-Api-Key: hunter2 } }]",
    ),
  );
  expect(text).toContain('X-Api-Key: "***"');
  expect(text).not.toContain("hunter2");
});
