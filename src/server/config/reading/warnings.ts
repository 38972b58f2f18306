// Valid settings that are probably not what their author wants.

import {
  doubtAt,
  doubtsAt,
  type Env,
  type Finding,
  guessableSecret,
  isSafeTransport,
  type Platform,
  parseDuration,
  parseUrl,
} from "../../../base/index.ts";
import { accessDoubts, refusedPatterns } from "../../access/doubts/index.ts";
import { doubtfulOperator } from "../operator.ts";
import type { Config } from "../schema.ts";
import { ownPathWarnings } from "./own-paths.ts";

interface Rule {
  readonly path: readonly string[];
  readonly text: string;
  readonly applies: (config: Config, runtime: Platform["name"]) => boolean;
}

const rules: readonly Rule[] = [
  {
    path: ["image", "max_output_height"],
    text: "clients that follow the standard may ignore it alone; set image.max_output_width as well (Image API 3.0, section 5.3: maxHeight requires maxWidth)",
    applies: ({ image }) => image.max_output_height > 0 && image.max_output_width === 0,
  },
  {
    path: ["base_url"],
    text: "logins need https: browsers keep no session cookie from a plain http address, except for localhost. Put a proxy with a certificate in front, and set this to its https address",
    applies: ({ auth, base_url }) => auth !== undefined && isUntrustedHttp(base_url),
  },
  {
    path: ["cache", "changes"],
    text: "the stream of changes begins again at each start while it is in memory, and harvesters fetch all manifests again; keep it in files, in Redis or in a bucket",
    applies: ({ cache, presentation }) => presentation.changes.enabled && cache.changes.backend === "heap",
  },
  {
    path: ["presentation", "changes", "enabled"],
    text: "on workerd nothing looks for changes, since no work may go on between requests; it serves what other servers write to the same cache",
    applies: ({ presentation }, runtime) => presentation.changes.enabled && runtime === "workerd",
  },
  {
    path: ["crawlers", "verified"],
    text: "on workerd no names are looked up, so that domains verify nobody; use ranges_file",
    applies: ({ crawlers }, runtime) =>
      runtime === "workerd" && crawlers.verified.some(({ domains }) => domains.length > 0),
  },
  {
    path: ["http", "keep_alive"],
    text: "has no effect on Deno, which never closes idle connections; let a proxy in front close those of clients",
    applies: ({ http }, runtime) => runtime === "deno" && http.keep_alive !== "75s",
  },
  {
    path: ["http", "keep_alive"],
    text: "Bun keeps no time above 250s: it leaves idle connections open until clients close them. Use Node, or make sure that only a load balancer can connect",
    applies: ({ http }, runtime) => runtime === "bun" && parseDuration(http.keep_alive) > 250_000,
  },
];

/** True if browsers treat an address as insecure (Secure Contexts, section 3.1). */
function isUntrustedHttp(address: string): boolean {
  const url = parseUrl(address);
  return url !== undefined && !isSafeTransport(url);
}

/**
 * Returns doubts about values that are accepted. `runtime`: name of the platform; `env`: the variables that
 * hold secrets. Their texts contain no secrets.
 */
export function configWarnings(config: Config, runtime: Platform["name"] = "node", env: Env = {}): Finding[] {
  return [
    ...rules.filter(({ applies }) => applies(config, runtime)).map(({ path, text }) => doubtAt(path, text)),
    ...ownPathWarnings(config),
    ...accessWarnings(config, runtime, env),
    ...(config.auth ? refusedPatterns(config.auth) : []),
    ...doubtfulToken(config, env),
    ...doubtfulLinkKeys(config, env),
    ...doubtfulOperator(env, config.admin),
  ];
}

/** Warns of a token for writing that can be guessed. */
function doubtfulToken({ content_state: { store } }: Config, env: Env): readonly Finding[] {
  const key = store.write_token_env === "" ? "write_token" : "write_token_env";
  const token = store.write_token_env === "" ? store.write_token : env[store.write_token_env];
  const guessable = store.enabled && token ? guessableSecret(token.trim()) : undefined;
  return doubtsAt(["content_state", "store", key], guessable && `the token for writing ${guessable}`);
}

/** Warns of keys of signed links that can be guessed. */
function doubtfulLinkKeys({ signed_links: { keys } }: Config, env: Env): readonly Finding[] {
  return keys.flatMap(({ secret_env: name }, at) => {
    const guessable = env[name] && guessableSecret(env[name].trim());
    return doubtsAt(["signed_links", "keys", at, "secret_env"], guessable && `the secret ${guessable}`);
  });
}

/** The warnings about access. */
export function accessWarnings(config: Config, runtime: Platform["name"] = "node", env: Env = {}): Finding[] {
  const { auth } = config;
  return auth ? accessDoubts({ ...config, auth }, { runtime, env }) : [];
}
