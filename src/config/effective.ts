// The effective configuration for people: all defaults filled in, secrets masked.

import { stringify } from "yaml";
import { maskUrls } from "../lib/telemetry/mask-urls.ts";
import { type Config, configTree } from "./schema.ts";
import { isObject, mapParts, nodesAt, type SchemaNode } from "./walk.ts";

/**
 * YAML of the effective configuration; values that the schema marks as secret, and secrets in URLs, appear as
 * `***`.
 */
export function effectiveYaml(config: Config): string {
  return stringify(mask(config, nodesAt(configTree(), [])), { lineWidth: 0 });
}

/** Masks the secrets in a value; keys and empty texts stay. */
export function mask(value: unknown, nodes: readonly SchemaNode[], within = false): unknown {
  const secret = within || nodes.some((node) => node.secret);
  if (Array.isArray(value) || isObject(value))
    return mapParts(value, nodes, (part) => mask(part.value, part.nodes, secret));
  if (secret && value !== "") return "***";
  return typeof value === "string" ? maskUrls(value) : value;
}
