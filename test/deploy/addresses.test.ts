// The configurations that are shipped, and those that the recipes propose, say at which address readers find
// the service, so that no client chooses it.

import { readdirSync, readFileSync } from "node:fs";
import { fileURLToPath } from "node:url";
import { describe, expect, test } from "vitest";
import { parse } from "yaml";
import { blocksOf, docsPages } from "../docs/pages.ts";

const deploy = fileURLToPath(new URL("../../deploy/", import.meta.url));

/** `container/caches.yaml` is for a container without a configuration, whose address nobody knows. */
const shipped = (readdirSync(deploy, { recursive: true }) as string[]).filter((name) =>
  /(^|\/)smalti\.yaml$/.test(name),
);

test("there is a configuration for Compose, Kubernetes and systemd", () => {
  expect(shipped.toSorted()).toEqual([
    "compose/smalti.yaml",
    "kubernetes/example/smalti.yaml",
    "systemd/smalti.yaml",
  ]);
});

test.each(shipped)("deploy/%s sets base_url", (name) => {
  expect(parse(readFileSync(deploy + name, "utf8")).base_url).toMatch(/^https?:\/\/[^/]+$/);
});

test.each(["proxy/nginx.conf", "proxy/Caddyfile"])("deploy/%s says to set base_url", (name) => {
  expect(readFileSync(deploy + name, "utf8")).toMatch(/^#\s+base_url: "https:\/\/images\.example\.org"$/m);
});

describe("a recipe with sources", () => {
  const recipes = docsPages
    .filter(({ path }) => /^(how-to|start|operations|coming-from)\//.test(path))
    .flatMap((page) => blocksOf(page).map((block) => ({ ...block, place: `${page.path}:${block.line}` })))
    .filter(({ language, text }) => language === "yaml" && /^sources:/m.test(text));

  test.each(recipes)("$place sets base_url", ({ text }) => {
    expect(parse(text)).toHaveProperty("base_url");
  });
});
