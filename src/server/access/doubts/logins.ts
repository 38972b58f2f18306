// Doubts about logins: secrets that can be guessed, pages that others can read, substitutes that hide
// nothing.

import { doubtAt, doubtsAt, type Finding, guessableSecret, isSafeTransport } from "../../../base/index.ts";
import type { ProfileOptions } from "../profiles/options.ts";
import type { AccessLocation, AccessSettings } from "./settings.ts";

/** Yields doubts about each profile on its own, and about secrets that two of them share. */
export function* loginDoubts({ auth }: AccessSettings, { env }: AccessLocation): Iterable<Finding> {
  for (const [name, profile] of Object.entries(auth.profiles))
    for (const { keys, says } of profileRows)
      yield* doubtsAt(["auth", "profiles", name, ...keys], says(profile));
  yield* doubtfulSecrets(auth.profiles, env);
}

/**
 * Warns of patterns that published clients refuse, since Authorization Flow 2.0 does not define them (section
 * 3.1: `profile`). Logins work and protect the same, so this is no doubt about access.
 */
export function refusedPatterns({ profiles, strict_profiles }: AccessSettings["auth"]): readonly Finding[] {
  const names = Object.keys(profiles).filter((name) => profiles[name]?.pattern === "clickthrough");
  return doubtsAt(
    ["auth", "strict_profiles"],
    strict_profiles || names.length === 0
      ? undefined
      : `is not set, so image information says clickthrough for ${names.join(", ")}, which Authorization Flow 2.0 does not define and its clients refuse; set it to true, and they offer the same button as a login`,
  );
}

interface Row {
  /** Keys below the profile. */
  readonly keys: readonly string[];
  /** Returns what is wrong, or undefined. */
  readonly says: (profile: ProfileOptions) => string | undefined;
}

const profileRows: readonly Row[] = [
  {
    keys: ["substitute", "max_size"],
    says: ({ substitute: { max_size } }) =>
      hidesNothing(max_size)
        ? "shows readers without access the whole image, or almost; set a size such as !200,200, or remove the rule"
        : undefined,
  },
  {
    keys: ["access_service", "users"],
    says: ({ access_service: service }) =>
      service.backend === "builtin" && service.htpasswd_file !== "" && Object.keys(service.users).length > 0
        ? "is ignored because htpasswd_file is set: users who are added here cannot log in; remove one of the two"
        : undefined,
  },
  {
    keys: ["access_service", "url"],
    says: ({ access_service: service }) =>
      service.backend === "external" && !isSafeTransport(new URL(service.url))
        ? "is http, so anyone on the way to it can read logins and use them; write its https address"
        : undefined,
  },
  {
    keys: ["access_service", "user_claim"],
    says: ({ access_service: service }) => {
      if (service.backend !== "oidc") return undefined;
      const { user_claim, scopes } = service;
      const scope = claimScopes.find(([, claims]) => claims.includes(user_claim))?.[0];
      return scope === undefined || scopes.includes(scope)
        ? undefined
        : `is ${user_claim}, which providers send for the scope ${scope} only, so nobody can log in; add ${scope} to scopes`;
    },
  },
];

/** Claims by scope (OpenID Connect Core 1.0, section 5.4). */
const claimScopes: readonly (readonly [scope: string, claims: readonly string[]])[] = [
  ["profile", ["name", "family_name", "given_name", "nickname", "preferred_username", "profile"]],
  ["email", ["email"]],
  ["phone", ["phone_number"]],
];

/** Side in pixels that hardly any master exceeds. */
const wholeSide = 6000;

function hidesNothing(size: string): boolean {
  if (/^\^?max$/.test(size)) return true;
  const percent = /^\^?pct:(.+)$/.exec(size)?.[1];
  if (percent !== undefined) return Number(percent) >= 100;
  if (size === "") return false;
  const sides = [...size.matchAll(/\d+/g)].map(Number);
  return Math.min(...sides) >= wholeSide;
}

/** Yields doubts about signing secrets: those that can be guessed, and those that two profiles share. */
function* doubtfulSecrets(
  profiles: Readonly<Record<string, ProfileOptions>>,
  env: AccessLocation["env"],
): Iterable<Finding> {
  const seen = new Map<string, string>();
  for (const [name, { access_service: service }] of Object.entries(profiles)) {
    if (service.backend !== "external" && service.backend !== "oidc") continue;
    const key = service.backend === "external" ? "callback_secret_env" : "client_secret_env";
    const variable = service.backend === "external" ? service.callback_secret_env : service.client_secret_env;
    const secret = env[variable];
    const path = ["auth", "profiles", name, "access_service", key];
    // Readers see signatures made with it, and can try to guess the secret for as long as they like.
    const guessable = secret && guessableSecret(secret);
    if (guessable) yield doubtAt(path, `the secret in ${variable} ${guessable}`);
    if (secret && secret !== secret.trim())
      yield doubtAt(
        path,
        `the secret in ${variable} begins or ends with white space, such as the line break of a file, which the other side probably does not have; remove it`,
      );
    if (service.backend !== "external") continue;
    // A signature does not name its profile: one that gives access to this profile gives access to the other.
    const mark = secret ? `value ${secret}` : `variable ${variable}`;
    const other = seen.get(mark);
    seen.set(mark, name);
    if (other !== undefined)
      yield doubtAt(
        path,
        `is that of the profile ${other} too, so access to one gives access to the other; give each its own secret`,
      );
  }
}
