// Additional prefixes that the Image API may have.

import { describe, expect, test } from "vitest";
import { loadConfig } from "../../../src/server/config/reading/load.ts";

const load = (...prefixes: string[]) => {
  const items = prefixes.map((prefix) => `  - { prefix: ${JSON.stringify(prefix)}, version: 2 }\n`);
  return loadConfig(`aliases:\n${items.join("")}`, {});
};

describe("an alias", () => {
  test.each(["/cantaloupe/iiif/2/", "/loris/", "/a:b/", "/~user/im$g/(x)/", "/iiifx/", "/3/", "/IIIF/2/"])(
    "can be %s",
    (prefix) => expect(load(prefix).config?.aliases).toEqual([{ prefix, version: 2 }]),
  );

  test.each([
    ["", "begins and ends with /"],
    ["/", "begins and ends with /"],
    ["//", "begins and ends with /"],
    ["a/", "begins and ends with /"],
    ["/a", "begins and ends with /"],
    ["/a//b/", "single slashes"],
    ["/a/../b/", ". and .. segments"],
    ["/./", ". and .. segments"],
    ["/a*/", "not as a pattern"],
    ["/*/", "not as a pattern"],
    ["/{id}/", "not as a pattern"],
    ["/a b/", "not as a pattern"],
    ["/b\u00fccher/", "not as a pattern"],
    ["/a%2Fb/", "not as a pattern"],
    ["/a?b/", "not as a pattern"],
    ["/a\\b/", "not as a pattern"],
    ...[
      "/iiif/",
      "/iiif/3/",
      "/iiif/2/x/",
      "/health/",
      "/ready/",
      "/static/",
      "/metrics/",
      "/admin/x/",
      "/view/",
      "/mcp/",
      "/content-state/",
      "/robots.txt/",
      "/favicon.ico/",
    ].map((prefix) => [prefix, `/${prefix.split("/")[1]} belongs to the service`]),
  ])("cannot be %j", (prefix, reason) => {
    const { problems } = load("/fine/", prefix as string);
    expect(problems).toHaveLength(1);
    expect(problems?.[0]?.where).toBe("aliases.1.prefix");
    expect(problems?.[0]?.text).toContain(reason);
    expect(problems?.[0]?.text).toContain(`received ${JSON.stringify(prefix)}`);
  });

  test("can be listed only once", () => {
    expect(load("/a/", "/b/", "/a/").problems).toMatchObject([
      {
        where: "aliases.2.prefix",
        text: expect.stringContaining("aliases.0 already has this one"),
      },
    ]);
    expect(load("/a/", "/a/b/").problems).toBeUndefined();
  });
});
