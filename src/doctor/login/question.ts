// Input of the login doctor, from the configuration or from the operator: whom to ask, and as which viewer.

import {
  type Finding,
  findingLine,
  isLoopbackHost,
  normaliseIp,
  type Platform,
  parseUrl,
} from "../../base/index.ts";
import { checkIdentifier } from "../../iiif/index.ts";
import {
  type AuthOptions,
  accessWarnings,
  type Config,
  parseAddress,
  type Sources,
} from "../../server/index.ts";
import { findTargets, NothingToExamine, targetsAt } from "./targets.ts";
import { type RuleParts, unmatchedRules } from "./unmatched-rules.ts";

/**
 * Returns the service's own address, without a / at its end: base_url, or else its address on this machine.
 */
export function ownAddress({ base_url, addr }: Pick<Config, "base_url" | "addr">): string {
  if (base_url !== "") return base_url.replace(/\/+$/, "");
  const { hostname = "localhost", port } = parseAddress(addr);
  const host = /^(0\.0\.0\.0|::)$/.test(hostname) ? "localhost" : hostname;
  return `http://${host.includes(":") ? `[${host}]` : host}:${port}`;
}

/** Returns the origin of an http or https address; undefined for another text. */
export function viewerOrigin(text: string): string | undefined {
  const url = parseUrl(text);
  return url && /^https?:$/.test(url.protocol) ? url.origin : undefined;
}

/**
 * Returns the address of this machine as the service at `base` sees it, if the connection stays on this
 * machine.
 */
export function loopbackClient(base: string): string | undefined {
  const { hostname } = new URL(base);
  return isLoopbackHost(hostname) && hostname !== "localhost" ? normaliseIp(hostname) : undefined;
}

/** The parts of a service that its login examination uses. */
export interface ExaminedService {
  readonly config: Config;
  readonly platform: Pick<Platform, "name" | "env">;
  readonly sources: Sources;
  readonly hooks?: { has(name: "resolve" | "authorize"): boolean } | undefined;
}

/** The service to examine, and the question. */
export interface LoginExamination {
  readonly auth: AuthOptions;
  /** Public URL of the service, without a trailing /. */
  readonly base: string;
  /** Origin of a viewer. */
  readonly origin: string;
  /** Identifier of an image; one of each profile if absent. */
  readonly identifier?: string | undefined;
  /** Address of this machine as the service sees it, if known. */
  readonly client?: string | undefined;
}

/**
 * Returns doubts about logins in the configuration, and the findings of each step of each login. Throws
 * NothingToExamine if no rule names the identifier, or no rule names any, and `identifier_refused` if it
 * cannot be one.
 */
export async function examineLogins(
  { config, platform, sources, hooks }: ExaminedService,
  { auth, base, origin, identifier, client }: LoginExamination,
): Promise<readonly Finding[]> {
  const rules = { auth, sources, lists: !hooks?.has("resolve") };
  const targets =
    identifier === undefined ? await findTargets(rules) : targetsAt(checkIdentifier(identifier), rules);
  const doubts = await settingsDoubts(config, platform, rules);
  if (targets.length + doubts.length === 0)
    throw new NothingToExamine("no rule of auth.rules names an identifier that could be requested");
  const { SERVICE_DOCTOR_USERNAME: username, SERVICE_DOCTOR_PASSWORD: password } = platform.env;
  const options = {
    auth,
    baseUrl: config.base_url,
    trustedProxies: config.trusted_proxies,
    hooked: hooks?.has("authorize") === true,
    ...(username && password && { credentials: { username, password } }),
    ...(client !== undefined && { client }),
  };
  const { examine } = await import("./diagnose.ts");
  return [...doubts, ...(await examine({ options, base, origin, targets }))];
}

/** Includes rules that match no image. Reads sources for at most two seconds. */
async function settingsDoubts(
  config: Config,
  platform: ExaminedService["platform"],
  rules: RuleParts,
): Promise<Finding[]> {
  const doubts = [...accessWarnings(config, platform.name, platform.env), ...(await unmatchedRules(rules))];
  return doubts.map((doubt) => ({
    where: "settings",
    level: "problem",
    code: doubt.where === "trusted_proxies" ? doubt.where : "settings",
    text: findingLine(doubt),
    expected: "settings that pass smalti check",
    advice: "Correct it in the configuration and restart.",
  }));
}
