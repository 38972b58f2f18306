// `smalti doctor auth`: what the operator asks, and the findings in words or as JSON.

import type { Config } from "../config/schema.ts";
import { examine } from "../doctor/diagnose.ts";
import type { Finding } from "../doctor/finding.ts";
import { loopbackClient, ownAddress, settingsDoubts, viewerOrigin } from "../doctor/question.ts";
import { problemCount, reportText } from "../doctor/report.ts";
import { findTargets, targetsAt } from "../doctor/targets.ts";
import { checkIdentifier } from "../iiif/image/path.ts";
import { normalIp } from "../lib/network/ip-range.ts";
import { parseUrl } from "../lib/network/parse-url.ts";
import { silentLog } from "../lib/telemetry/log.ts";
import { buildOuterParts } from "../parts.ts";
import type { Platform } from "../platform/platform.ts";
import { UsageError } from "./command-error.ts";

/** What the command line says. */
export interface DoctorQuestion {
  readonly url?: string;
  readonly origin?: string;
  readonly identifier?: string;
  readonly client?: string;
  readonly json: boolean;
}

/** Flags that take a value, by the part of the question that they set. */
const flags = {
  url: "url",
  origin: "origin",
  identifier: "identifier",
  "client-ip": "client",
  config: "file",
} as const;

/** Parses the arguments of `smalti doctor`. Throws UsageError for unknown ones. */
export function doctorQuestion(args: readonly string[]): DoctorQuestion & { readonly file?: string } {
  const [subject, ...rest] = args;
  if (subject !== "auth")
    throw new UsageError(`expected doctor auth, received doctor ${subject ?? ""}; see smalti --help`);
  const asked: { [part in (typeof flags)[keyof typeof flags]]?: string } = {};
  let json = false;
  for (let i = 0; i < rest.length; i++) {
    const word = rest[i] as string;
    const [, name = "", given] = /^--?([a-z-]+)(?:=(.*))?$/s.exec(word) ?? [];
    if (name === "json" && given === undefined) json = true;
    else if (Object.hasOwn(flags, name)) {
      const value = given ?? rest[++i];
      // A value that begins with - stands behind =.
      if (!value || (given === undefined && value.startsWith("-")))
        throw new UsageError(`${word} needs a value`);
      asked[flags[name as keyof typeof flags]] = value;
    } else throw new UsageError(`doctor auth does not know ${word}; see smalti --help`);
  }
  return { ...asked, json };
}

export interface Diagnosis {
  readonly out: string;
  /** Whether a problem was found. */
  readonly failed: boolean;
}

/** Throws an Error that says what to do where the question cannot be asked, or the configuration cannot be built. */
export async function diagnose(
  config: Config,
  platform: Platform,
  question: DoctorQuestion,
): Promise<Diagnosis> {
  const { auth } = config;
  if (!auth)
    throw new Error("there is no section auth in the configuration, so that there are no logins to look at");
  const base = baseOf(config, question.url);
  const origin = originOf(question.origin ?? auth.cors.token_origins[0] ?? base);
  const client = clientOf(question.client, base);
  const parts = await buildOuterParts(config, platform, silentLog);
  try {
    const lists = !parts.hooks.has("resolve");
    const about = { auth, sources: parts.sources, lists };
    const targets =
      question.identifier === undefined
        ? await findTargets(about)
        : targetsAt(checkIdentifier(question.identifier), about);
    const doubts = await settingsDoubts(config, platform, about);
    if (targets.length + doubts.length === 0)
      throw new Error("no rule of auth.rules names an identifier that could be asked for");
    const { SERVICE_DOCTOR_USERNAME: username, SERVICE_DOCTOR_PASSWORD: password } = platform.env;
    const options = {
      auth,
      baseUrl: config.base_url,
      trustedProxies: config.trusted_proxies,
      hooked: parts.hooks.has("authorize"),
      ...(username && password && { credentials: { username, password } }),
      ...(client !== undefined && { client }),
    };
    const findings = [...doubts, ...(await examine({ options, base, origin, targets }))];
    return { out: textOf(findings, question.json), failed: problemCount(findings) > 0 };
  } finally {
    await parts.close();
  }
}

const textOf = (findings: readonly Finding[], json: boolean) =>
  json
    ? `${JSON.stringify({ problems: problemCount(findings), findings }, null, 2)}\n`
    : reportText(findings);

/** The public URL: as asked for, as configured, or where the service listens on this machine. */
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

/** The address of this machine as the service has to see it: as given, or by an address that does not leave it. */
function clientOf(text: string | undefined, base: string): string | undefined {
  if (text === undefined) return loopbackClient(base);
  const address = normalIp(text);
  if (address === undefined)
    throw new UsageError(`--client-ip expects an address such as 192.0.2.7, received ${text}`);
  return address;
}
