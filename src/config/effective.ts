// The configuration as it counts, for people: all defaults filled in, secrets masked.

import { stringify } from "yaml";
import { maskUrls } from "../lib/mask-urls.ts";
import type { Config } from "./schema.ts";
import { leaves } from "./walk.ts";

/** YAML of the effective configuration; keys marked secret in the schema, and secrets in URLs, show as `***`. */
export function effectiveYaml(config: Config): string {
  const secrets = new Set(
    leaves()
      .filter(({ node }) => node.secret)
      .map(({ path }) => path),
  );
  return stringify(mask(config, "", secrets), { lineWidth: 0 });
}

function mask(value: unknown, path: string, secrets: ReadonlySet<string>): unknown {
  if (Array.isArray(value)) return value.map((item) => mask(item, `${path}[]`, secrets));
  if (typeof value === "object" && value !== null && secrets.has(path))
    return Object.fromEntries(Object.keys(value).map((key) => [key, "***"]));
  if (typeof value === "object" && value !== null)
    return Object.fromEntries(
      Object.entries(value).map(([key, child]) => [key, mask(child, path ? `${path}.${key}` : key, secrets)]),
    );
  if (secrets.has(path) && value !== "") return "***";
  return typeof value === "string" ? maskUrls(value) : value;
}
