// Where the doctor of logins asks, and as whom: of the configuration, or as the operator says.

import { parseAddress } from "../config/address.ts";
import { accessWarnings } from "../config/reading/warnings.ts";
import type { Config } from "../config/schema.ts";
import { normalIp } from "../lib/network/ip-range.ts";
import { isLoopbackHost } from "../lib/network/loopback.ts";
import { parseUrl } from "../lib/network/parse-url.ts";
import type { Platform } from "../platform/platform.ts";
import type { Finding } from "./finding.ts";
import { type RuleParts, unmatchedRules } from "./unmatched-rules.ts";

/** The service's own address, without a / at its end: base_url, else where it listens on this machine. */
export function ownAddress({ base_url, addr }: Pick<Config, "base_url" | "addr">): string {
  if (base_url !== "") return base_url.replace(/\/+$/, "");
  const { hostname = "localhost", port } = parseAddress(addr);
  const host = /^(0\.0\.0\.0|::)$/.test(hostname) ? "localhost" : hostname;
  return `http://${host.includes(":") ? `[${host}]` : host}:${port}`;
}

/** The origin of an address of http or https; undefined for another text. */
export function viewerOrigin(text: string): string | undefined {
  const url = parseUrl(text);
  return url && /^https?:$/.test(url.protocol) ? url.origin : undefined;
}

/** The address of this machine as the service at `base` sees it, where that does not leave this machine. */
export function loopbackClient(base: string): string | undefined {
  const { hostname } = new URL(base);
  return isLoopbackHost(hostname) && hostname !== "localhost" ? normalIp(hostname) : undefined;
}

/**
 * What is doubtful about logins in the configuration itself, and rules that match no image. Looks into
 * sources for two seconds at most.
 */
export async function settingsDoubts(
  config: Config,
  platform: Pick<Platform, "name" | "env">,
  rules: RuleParts,
): Promise<Finding[]> {
  const doubts = [...accessWarnings(config, platform.name, platform.env), ...(await unmatchedRules(rules))];
  return doubts.map(({ path, message }) => ({
    step: "settings",
    state: "problem",
    code: path === "trusted_proxies" ? path : "settings",
    came: `${path}: ${message}`,
    expected: "settings that smalti check has no doubt of",
    change: "Correct it in the configuration, and restart.",
  }));
}
