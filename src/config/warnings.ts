// What is valid in a configuration, but probably not what its author wants.

import { type Problem, pathText } from "./problems.ts";
import type { Config } from "./schema.ts";

const rules: readonly (Problem & { readonly applies: (config: Config) => boolean })[] = [
  {
    path: "image.max_output_height",
    message:
      "clients that know the standard may not obey it alone; set image.max_output_width as well (Image API 3.0, section 5.3: maxHeight requires maxWidth)",
    applies: ({ image }) => image.max_output_height > 0 && image.max_output_width === 0,
  },
  {
    path: "base_url",
    message:
      "logins need https: browsers keep no session cookie of a plain http address, but for localhost. Put a proxy with a certificate in front, and write its https address here",
    applies: ({ auth, base_url }) => auth !== undefined && isUntrustedHttp(base_url),
  },
];

/** Whether browsers take an address for one whose secrets others can read (Secure Contexts, section 3.1). */
function isUntrustedHttp(address: string): boolean {
  if (!URL.canParse(address)) return false;
  const { protocol, hostname } = new URL(address);
  return protocol === "http:" && !/^(.*\.)?localhost$|^127\.|^\[::1\]$/.test(hostname);
}

/** Substitutes that hide nothing. */
function wholeSubstitutes({ auth }: Config): Problem[] {
  return Object.entries(auth?.profiles ?? {})
    .filter(([, { substitute }]) => /^\^?(max|pct:100(\.0*)?)$/.test(substitute.max_size))
    .map(([name]) => ({
      path: pathText(["auth", "profiles", name, "substitute", "max_size"]),
      message:
        "shows those without access the whole image; name a size such as !200,200, or take the rule away",
    }));
}

/** A signature says nothing of its profile: one that gives access to this gives it to that. */
function sharedSecrets({ auth }: Config): Problem[] {
  const seen = new Map<string, string>();
  return Object.entries(auth?.profiles ?? {}).flatMap(([name, { access_service: service }]) => {
    if (service.backend !== "external") return [];
    const variable = service.callback_secret_env;
    const other = seen.get(variable);
    seen.set(variable, name);
    if (other === undefined) return [];
    const path = pathText(["auth", "profiles", name, "access_service", "callback_secret_env"]);
    return [
      {
        path,
        message: `is that of the profile ${other} too, so that who may have one may have the other; give each a secret of its own`,
      },
    ];
  });
}

/** Keys whose values are accepted all the same, each with the reason for a doubt. */
export function configWarnings(config: Config): Problem[] {
  const doubted = rules
    .filter(({ applies }) => applies(config))
    .map(({ path, message }) => ({ path, message }));
  return [...doubted, ...wholeSubstitutes(config), ...sharedSecrets(config)];
}
