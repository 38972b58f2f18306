// What is valid in a configuration, but probably not what its author wants.

import { isLoopbackHost, isSafeTransport } from "../../lib/network/loopback.ts";
import type { Platform } from "../../platform/platform.ts";
import { doubtfulOperator } from "../operator.ts";
import type { Config } from "../schema.ts";
import { type Problem, pathText } from "./problems.ts";

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

/** Where readers are told apart by their addresses, which a proxy hides unless it is trusted to say them. */
function hiddenReaders({ auth, base_url, trusted_proxies }: Config, runtime: Platform["name"]): Problem[] {
  const named = [...trusted_proxies, ...(auth?.trusted_proxies ?? [])];
  // workerd speaks https by itself; on the others that takes a proxy.
  if (!auth || named.length > 0 || runtime === "workerd" || !isPublicHttps(base_url)) return [];
  const own = Object.values(auth.profiles).filter(({ access_service: { backend } }) => backend === "builtin");
  const patterns = new Set(own.map(({ pattern }) => pattern));
  const follows = [
    ...(patterns.has("active") ? ["one reader's wrong passwords make everybody wait"] : []),
    ...(patterns.has("kiosk") ? ["kiosk.allowed_ips lets in everybody or nobody"] : []),
  ];
  if (follows.length === 0) return [];
  const message = `base_url is https, which takes a proxy in front of this service, but none is named, so that all readers have the address of the proxy: ${follows.join(", and ")}. Write the addresses of the proxy here, such as [127.0.0.1] for one on the same machine, and let it send X-Forwarded-For`;
  return [{ path: "trusted_proxies", message }];
}

function isPublicHttps(address: string): boolean {
  if (!URL.canParse(address)) return false;
  const { protocol, hostname } = new URL(address);
  return protocol === "https:" && !isLoopbackHost(hostname);
}

/** Whether browsers take an address for one whose secrets others can read (Secure Contexts, section 3.1). */
function isUntrustedHttp(address: string): boolean {
  if (!URL.canParse(address)) return false;
  return !isSafeTransport(new URL(address));
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

type Env = Readonly<Record<string, string | undefined>>;

/** Characters of a secret below which it is doubted. */
const shortSecret = 16;

/** Secrets that signatures are made with: short ones, and those that two profiles share. */
function doubtfulSecrets({ auth }: Config, env: Env): Problem[] {
  const seen = new Map<string, string>();
  return Object.entries(auth?.profiles ?? {}).flatMap(([name, { access_service: service }]) => {
    if (service.backend !== "external" && service.backend !== "oidc") return [];
    const [key, variable] =
      service.backend === "external"
        ? (["callback_secret_env", service.callback_secret_env] as const)
        : (["client_secret_env", service.client_secret_env] as const);
    const secret = env[variable];
    const found: string[] = [];
    // Readers see signatures that were made with it, and may try secrets on them for as long as they like.
    if (secret && secret.length < shortSecret)
      found.push(
        `the secret in ${variable} has ${secret.length} characters, which can be found by trying; take 32 random bytes, such as those of openssl rand -hex 32`,
      );
    if (service.backend === "external") {
      // A signature says nothing of its profile: one that gives access to this gives it to that.
      const mark = secret ? `value ${secret}` : `variable ${variable}`;
      const other = seen.get(mark);
      seen.set(mark, name);
      if (other !== undefined)
        found.push(
          `is that of the profile ${other} too, so that who may have one may have the other; give each a secret of its own`,
        );
    }
    const path = pathText(["auth", "profiles", name, "access_service", key]);
    return found.map((message) => ({ path, message }));
  });
}

/**
 * Keys whose values are accepted all the same, each with the reason for a doubt. `runtime`: the name of the platform; `env`: the
 * variables that hold secrets. No message holds a secret.
 */
export function configWarnings(config: Config, runtime: Platform["name"] = "node", env: Env = {}): Problem[] {
  const doubted = rules
    .filter(({ applies }) => applies(config))
    .map(({ path, message }) => ({ path, message }));
  return [
    ...doubted,
    ...hiddenReaders(config, runtime),
    ...wholeSubstitutes(config),
    ...doubtfulSecrets(config, env),
    ...doubtfulOperator(env),
  ];
}
