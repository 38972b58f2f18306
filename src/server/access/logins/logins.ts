// State that logins on pages of this service need besides sessions: passwords and templates, read once at
// start, and failed attempts.

import { type Check, createSeldom, type Log, messageOf, type Platform } from "../../../base/index.ts";
import { createOidcLogin, type OidcLogin } from "../oidc/login.ts";
import { passwordCheck } from "../passwords/file-check.ts";
import { openPasswords, type Passwords } from "../passwords/index.ts";
import { createVerifier } from "../passwords/verifier.ts";
import type { ProfileOptions } from "../profiles/options.ts";
import { createExternalLogin, type ExternalLogin } from "./external.ts";
import { LoginFailures, ranks } from "./failures.ts";
import { type LoginTemplate, parseLoginTemplate } from "./template.ts";

export interface Logins {
  readonly failures: LoginFailures;
  /** Returns the passwords of a profile whose readers have passwords here. */
  passwordsOf(profile: string): Passwords | undefined;
  /** Returns the operator's own login page of a profile. */
  templateOf(profile: string): LoginTemplate | undefined;
  /** Returns the login of a profile whose readers log in on a page of the operator's. */
  externalOf(profile: string): ExternalLogin | undefined;
  /** Returns the login of a profile whose readers log in at an OpenID Connect provider. */
  oidcOf(profile: string): OidcLogin | undefined;
  /**
   * Reports to the operator that a login elsewhere was not accepted: at most once a minute for each profile
   * and kind of failure.
   */
  noteRefusal(profile: string, kind: string, reason: string): void;
  readonly checks: readonly Check[];
  close(): void;
}

export interface LoginsHost {
  readonly platform: Pick<
    Platform,
    "env" | "files" | "startWorker" | "parallelism" | "connectionsEndWithRequest"
  >;
  readonly log: Pick<Log, "info" | "warn" | "error">;
}

/** Maximum bytes of a template. */
const maxTemplateBytes = 1024 * 1024;

/**
 * Reads password files and templates. Throws an Error that names the key whose value is missing or unusable.
 */
export async function openLogins(
  profiles: Readonly<Record<string, ProfileOptions>>,
  { platform, log }: LoginsHost,
): Promise<Logins> {
  const verifier = createVerifier({ platform, ranks });
  const passwords = new Map<string, Passwords>();
  const templates = new Map<string, LoginTemplate>();
  const externals = new Map<string, ExternalLogin>();
  const providers = new Map<string, OidcLogin>();
  const checks: Check[] = [];
  try {
    for (const [name, { pattern, access_service: service }] of Object.entries(profiles)) {
      const key = `auth.profiles.${name}.access_service`;
      if (service.backend === "external")
        externals.set(name, createExternalLogin(name, service, platform.env));
      if (service.backend === "oidc") {
        const login = createOidcLogin(name, service, platform.env, platform);
        providers.set(name, login);
        checks.push(providerCheck(name, `${key}.issuer`, service.issuer, login));
      }
      if (service.backend !== "builtin") continue;
      if (service.template !== "")
        templates.set(name, await readTemplate(service.template, `${key}.template`, platform.files));
      if (pattern !== "active") continue;
      const opened = await openPasswords(service, { platform, log, verifier, key });
      passwords.set(name, opened);
      if (service.htpasswd_file !== "") checks.push(passwordCheck(name, key, service.htpasswd_file, opened));
    }
  } catch (error) {
    verifier.close();
    throw error;
  }
  const seldom = createSeldom(60_000);
  return {
    failures: new LoginFailures(),
    passwordsOf: (profile) => passwords.get(profile),
    templateOf: (profile) => templates.get(profile),
    externalOf: (profile) => externals.get(profile),
    oidcOf: (profile) => providers.get(profile),
    noteRefusal(profile, kind, reason) {
      if (seldom(`${profile}/${kind}`))
        log.warn("a login from elsewhere was not accepted", { profile, reason });
    },
    checks,
    close: () => verifier.close(),
  };
}

function providerCheck(name: string, key: string, location: string, { check }: OidcLogin): Check {
  return {
    part: "providers",
    name,
    backend: "oidc",
    key,
    location,
    neededFor: "new logins",
    run: check,
  };
}

async function readTemplate(path: string, key: string, files: Platform["files"]): Promise<LoginTemplate> {
  if (!files) throw new Error(`${key}: this runtime has no access to files; remove the key`);
  try {
    const bytes = await files.readFile(path);
    if (!bytes) throw new Error("the file does not exist; create it, or correct its name");
    if (bytes.length > maxTemplateBytes)
      throw new Error(`the file has ${bytes.length} bytes, more than the ${maxTemplateBytes} that are read`);
    return parseLoginTemplate(textOf(bytes));
  } catch (error) {
    throw new Error(`${key}: ${path}: ${messageOf(error)}`, {
      cause: error,
    });
  }
}

function textOf(bytes: Uint8Array): string {
  try {
    return new TextDecoder("utf-8", { fatal: true }).decode(bytes);
  } catch {
    throw new Error("expected text in UTF-8");
  }
}
