// `smalti doctor auth`: its arguments, and its findings as text or JSON.

import type { Config } from "../config/schema.ts";
import { examineLogins, loopbackClient, ownAddress, viewerOrigin } from "../doctor/question.ts";
import { countFindings } from "../lib/finding.ts";
import { normalIp } from "../lib/network/ip-range.ts";
import { parseUrl } from "../lib/network/parse-url.ts";
import { silentLog } from "../lib/telemetry/log.ts";
import { buildOuterParts } from "../parts.ts";
import type { Platform } from "../platform/platform.ts";
import { UsageError } from "./command-error.ts";
import { findingLines, verdictText } from "./findings-text.ts";
import { readFlags } from "./flags.ts";

/** Arguments of the command. */
export interface DoctorQuestion {
  readonly url?: string | undefined;
  readonly origin?: string | undefined;
  readonly identifier?: string | undefined;
  readonly client?: string | undefined;
  readonly json: boolean;
}

const flags = {
  command: "doctor auth",
  values: ["url", "origin", "identifier", "client-ip", "config"],
  switches: ["json"],
};

/** Parses the arguments of `smalti doctor`. Throws UsageError for unknown ones. */
export function doctorQuestion(
  args: readonly string[],
): DoctorQuestion & { readonly file?: string | undefined } {
  const { values, switches, words } = readFlags(args, flags);
  if (words.length !== 1 || words[0] !== "auth")
    throw new UsageError(`expected doctor auth, received doctor ${words.join(" ")}; see smalti --help`);
  return {
    url: values.get("url"),
    origin: values.get("origin"),
    identifier: values.get("identifier"),
    client: values.get("client-ip"),
    file: values.get("config"),
    json: switches.has("json"),
  };
}

export interface Diagnosis {
  readonly out: string;
  /** True if a problem was found. */
  readonly failed: boolean;
}

/** Throws an Error with advice if the question cannot be asked, or the configuration cannot be built. */
export async function diagnose(
  config: Config,
  platform: Platform,
  question: DoctorQuestion,
): Promise<Diagnosis> {
  const { auth } = config;
  if (!auth) throw new Error("the configuration has no section auth, so there are no logins to examine");
  const { identifier, json } = question;
  const base = baseOf(config, question.url);
  const origin = originOf(question.origin ?? auth.cors.token_origins[0] ?? base);
  const client = clientOf(question.client, base);
  const { sources, hooks, close } = await buildOuterParts(config, platform, silentLog);
  try {
    const service = { config, platform, sources, hooks };
    const findings = await examineLogins(service, { auth, base, origin, identifier, client });
    const problems = countFindings(findings, "problem");
    const out = json
      ? JSON.stringify({ problems, findings }, null, 2)
      : [...findingLines(findings), "", verdictText(findings)].join("\n");
    return { out: `${out}\n`, failed: problems > 0 };
  } finally {
    await close();
  }
}

/** Returns the public URL: as given, as configured, or the service's address on this machine. */
function baseOf(config: Config, url: string | undefined): string {
  if (url !== undefined) {
    const address = parseUrl(url);
    if (!address || !/^https?:$/.test(address.protocol))
      throw new UsageError(
        `--url expects the public address of the service, such as https://www.example.org/images, received ${url}`,
      );
    const { origin, pathname, username, password } = address;
    if (username + password !== "")
      throw new UsageError("--url expects an address without a name and password");
    return origin + pathname.replace(/\/+$/, "");
  }
  return ownAddress(config);
}

function originOf(text: string): string {
  const origin = viewerOrigin(text);
  if (origin === undefined)
    throw new UsageError(
      `--origin expects the origin of a viewer, such as https://viewer.example.org, received ${text}`,
    );
  return origin;
}

/**
 * Returns the address of this machine as the service sees it: as given, or through an address on the same
 * machine.
 */
function clientOf(text: string | undefined, base: string): string | undefined {
  if (text === undefined) return loopbackClient(base);
  const address = normalIp(text);
  if (address === undefined)
    throw new UsageError(`--client-ip expects an address such as 192.0.2.7, received ${text}`);
  return address;
}
