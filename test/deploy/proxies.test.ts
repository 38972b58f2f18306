// What the examples for proxies have in common. test/server/api/operation/proxies.test.ts runs them.

import { readFileSync } from "node:fs";
import { expect, test } from "vitest";

const read = (name: string) => readFileSync(new URL(`../../deploy/proxy/${name}`, import.meta.url), "utf8");

test("Caddy leaves the addresses uncompressed that nginx does", () => {
  const [, names = ""] = /location ~\* \^\/\(([^)]+)\)/.exec(read("nginx.conf")) ?? [];
  expect(names.split("|").length).toBeGreaterThan(2);
  const [, paths = ""] = /@compressible not path (.+)/.exec(read("Caddyfile")) ?? [];
  expect(paths.split(" ")).toEqual(expect.arrayContaining(names.split("|").map((name) => `/${name}/*`)));
});
