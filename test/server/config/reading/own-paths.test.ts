// Warnings about a `base_url` that ends in a path of the service itself.

import { expect, test } from "vitest";
import { loadConfig } from "../../../../src/server/config/reading/load.ts";
import { configWarnings } from "../../../../src/server/config/reading/warnings.ts";

const warningsOf = (base: string, aliases = "[]") => {
  const { config } = loadConfig(`base_url: "${base}"\naliases: ${aliases}`, {});
  if (!config) throw new Error("expected a valid configuration");
  return configWarnings(config)
    .filter(({ where, text }) => where === "base_url" && /ends in/.test(text))
    .map(({ text }) => text);
};

test.each([
  ["/iiif/3", "/iiif/3"],
  ["/iiif/3/", "/iiif/3"],
  ["/iiif/2", "/iiif/2"],
  ["/iiif", "/iiif"],
  ["/iiif/presentation/3", "/iiif/presentation/3"],
  ["/iiif/presentation", "/iiif/presentation"],
  ["/iiif/3/scan.tif/info.json", "/iiif/3/scan.tif/info.json"],
  ["/iiif/auth", "/iiif/auth"],
  ["/view", "/view"],
  ["/view/", "/view"],
  ["/admin", "/admin"],
  ["/mcp", "/mcp"],
  ["/health", "/health"],
  ["/content-state", "/content-state"],
  ["/images/iiif/3", "/iiif/3"],
  ["/images/admin/", "/admin"],
])("a base_url that ends in %s is reported with the address to write", (path, own) => {
  const before = `https://images.example.org${path.startsWith("/images") ? "/images" : ""}`;
  const [message, ...others] = warningsOf(`https://images.example.org${path}`);
  expect(message).toContain(`ends in ${own},`);
  expect(message).toContain(`write ${before},`);
  expect(others).toEqual([]);
});

test("the path of an alias at the end of base_url is reported", () => {
  const aliases = "[{ prefix: /cantaloupe/, version: 2 }]";
  expect(warningsOf("https://images.example.org/cantaloupe", aliases)).toHaveLength(1);
  expect(warningsOf("https://images.example.org/cantaloupe")).toEqual([]);
});

test.each(["", "/iiif-server", "/images", "/viewer", "/iiif/images", "/admin/images", "/3", "/iiif/4"])(
  "%j at the end of base_url is not reported",
  (path) => {
    expect(warningsOf(`https://images.example.org${path}`)).toEqual([]);
  },
);
