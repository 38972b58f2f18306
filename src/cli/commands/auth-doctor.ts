// `smalti doctor auth`: its findings as text or JSON.

import {
  countFindings,
  findingJson,
  normaliseIp,
  type Platform,
  parseUrl,
  silentLog,
} from "../../base/index.ts";
import { examineLogins, loopbackClient, ownAddress, viewerOrigin } from "../../doctor/index.ts";
import { buildOuterParts, type Config } from "../../server/index.ts";
import { command, configFlag, type Result } from "./command.ts";
import { inWords, UsageError } from "./command-error.ts";
import { findingLines, verdictText } from "./findings-text.ts";
import { readConfig } from "./read-config.ts";

export const doctorAuth = command({
  name: "doctor auth",
  summary: "go through the logins as a viewer does, and say which step fails and why",
  examples: ["smalti doctor auth -config smalti.yaml --url https://www.example.org/images"],
  json: "the findings",
  flags: {
    url: {
      kind: "text",
      value: "URL",
      text: "public address of the service; if omitted, base_url, else the local address",
    },
    origin: {
      kind: "text",
      value: "ORIGIN",
      text: "origin of the viewer; if omitted, the first of auth.cors.token_origins",
    },
    identifier: {
      kind: "text",
      value: "ID",
      text: "an image that needs a login; if omitted, one for each profile",
    },
    "client-ip": {
      kind: "text",
      value: "ADDRESS",
      text: "the address of this machine as the service should see it, for kiosks",
    },
    config: configFlag,
  },
  async run({ platform, flags: { config: file, "client-ip": client, ...question } }) {
    const { config } = await readConfig(platform, { file });
    return inWords(diagnose(config, platform, { ...question, client }));
  },
});

interface DoctorQuestion {
  readonly url: string | undefined;
  readonly origin: string | undefined;
  readonly identifier: string | undefined;
  readonly client: string | undefined;
}

/** Throws an Error with advice if the question cannot be asked, or the configuration cannot be built. */
async function diagnose(config: Config, platform: Platform, question: DoctorQuestion): Promise<Result> {
  const { auth } = config;
  if (!auth) throw new Error("the configuration has no section auth, so there are no logins to examine");
  const { identifier } = question;
  const base = baseOf(config, question.url);
  const origin = originOf(question.origin ?? auth.cors.token_origins[0] ?? base);
  const client = clientOf(question.client, base);
  const { sources, hooks, close } = await buildOuterParts(config, platform, silentLog);
  try {
    const service = { config, platform, sources, hooks };
    const findings = await examineLogins(service, { auth, base, origin, identifier, client });
    const problems = countFindings(findings, "problem");
    const lines = [...findingLines(findings), "", verdictText(findings)];
    return {
      text: `${lines.join("\n")}\n`,
      data: { problems, findings: findings.map(findingJson.login) },
      failed: problems > 0,
    };
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
  const address = normaliseIp(text);
  if (address === undefined)
    throw new UsageError(`--client-ip expects an address such as 192.0.2.7, received ${text}`);
  return address;
}
