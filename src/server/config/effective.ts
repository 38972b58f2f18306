// The effective configuration for people: all defaults filled in, secrets masked.

import { stringify } from "yaml";
import { maskUrls } from "../../base/index.ts";
import { type Config, configTree } from "./schema.ts";
import { isObject, mapParts, nodesAt, type SchemaNode } from "./walk.ts";

/**
 * Returns the effective configuration; values that the schema marks as secret, and secrets in URLs, appear as
 * `***`.
 */
export const effectiveConfig = (config: Config): unknown => mask(config, nodesAt(configTree(), []));

/** Returns the effective configuration as YAML, masked alike. */
export const effectiveYaml = (config: Config): string => stringify(effectiveConfig(config), { lineWidth: 0 });

/** Masks the secrets in a value; keys and empty texts stay. */
export function mask(value: unknown, nodes: readonly SchemaNode[], within = false): unknown {
  const secret = within || nodes.some((node) => node.secret);
  if (Array.isArray(value) || isObject(value))
    return mapParts(value, nodes, (part) => mask(part.value, part.nodes, secret));
  if (secret && value !== "") return "***";
  return typeof value === "string" ? maskUrls(value) : value;
}
