// The role that the surroundings of the process give it: which of the ways is set up, and its credentials.

import type { Env, Platform } from "../../platform.ts";
import { container } from "./container.ts";
import { CredentialsError, type CredentialsProvider } from "./credentials.ts";
import { instance } from "./instance.ts";
import { renewedCredentials } from "./renewed.ts";
import type { Send } from "./small-request.ts";
import type { Way, WayHost } from "./way.ts";
import { webIdentity } from "./web-identity.ts";

/** In the order of the AWS SDKs. The first one that is set up is used, and no other if it fails. */
const ways: readonly Way[] = [webIdentity, container, instance];

/** What the ways need of a runtime. */
export type RoleHost = Pick<Platform, "files" | "checkedGet" | "keepAlive">;

const keysUnset = "the environment (AWS_ACCESS_KEY_ID and AWS_SECRET_ACCESS_KEY are not set)";

/** What to do if there are no credentials at all. */
const advice = (mayBePublic: boolean) =>
  `Set these variables, or give this machine, container or pod a role${mayBePublic ? ", or set anonymous: true if anybody may read the bucket" : ""}.`;

/** Providers by environment and region, so that all buckets of a service share them. */
const known = new WeakMap<Env, Map<string, CredentialsProvider>>();

/**
 * Returns the credentials of the role of this process, without a request. Throws CredentialsError if no way
 * is set up. `mayBePublic`: advice may name `anonymous`.
 */
export function roleCredentials(
  env: Env,
  region: string,
  host: RoleHost,
  mayBePublic: boolean,
): CredentialsProvider {
  const byRegion = known.get(env) ?? new Map<string, CredentialsProvider>();
  known.set(env, byRegion);
  const name = `${region} ${mayBePublic}`;
  const provider = byRegion.get(name) ?? providerOf(env, region, host, mayBePublic);
  byRegion.set(name, provider);
  return provider;
}

function providerOf(env: Env, region: string, host: RoleHost, mayBePublic: boolean): CredentialsProvider {
  const absent = ways.map((way) => [way, absenceOf(way, env, host)] as const);
  const way = absent.find(([, absence]) => absence === undefined)?.[0];
  const others = absent.flatMap(([{ name }, absence]) => (absence ? [`${name} (${absence})`] : []));
  if (!way)
    throw new CredentialsError(
      `There are no credentials for the bucket. Tried: ${[keysUnset, ...others].join(", ")}. ${advice(mayBePublic)}`,
    );
  const wayHost = wayHostOf(env, region, host);
  const fetch = async () => {
    try {
      return await way.fetch(wayHost);
    } catch (error) {
      if (!(error instanceof CredentialsError)) throw error;
      const tried = [keysUnset, ...others, `${way.name} (${error.message})`].join(", ");
      throw new CredentialsError(
        `There are no credentials for the bucket. Tried: ${tried}. ${advice(mayBePublic)}`,
        { cause: error.cause },
      );
    }
  };
  return renewedCredentials({ fetch, keepAlive: host.keepAlive });
}

/** The metadata service of an instance is asked only by runtimes that connect to addresses themselves. */
function absenceOf(way: Way, env: Env, { checkedGet }: RoleHost): string | undefined {
  return way === instance && !checkedGet ? "this runtime does not ask it" : way.absence(env);
}

function wayHostOf(env: Env, region: string, { files, checkedGet }: RoleHost): WayHost {
  const send: Send = (url, init) => fetch(url, { ...init, redirect: "manual" });
  return {
    env,
    region,
    // Every address comes from AWS or the environment, none from a request. It is connected to past any
    // proxy, which would be on another machine. Sources do not share these connections, nor their rule.
    direct: checkedGet?.(() => true) ?? send,
    send,
    now: Date.now,
    async readText(path) {
      const bytes = await files?.readFile(path).catch(() => undefined);
      return bytes && new TextDecoder().decode(bytes);
    },
  };
}
