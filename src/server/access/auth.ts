// Access as configured in `auth:`, built once and used by surfaces, pages and decisions.

import {
  createSeldom,
  type IpRange,
  type LanguageMap,
  type Log,
  parseDuration,
  parseRange,
} from "../../base/index.ts";
import { inLanguages } from "../../iiif/index.ts";
import type { Access, Caller, Decision } from "./access.ts";
import { createFingerprints, type Fingerprints } from "./fingerprints.ts";
import { heldSessions } from "./held-grants.ts";
import { createKiosks, type Kiosks } from "./logins/kiosk.ts";
import { createKnownNetworks, type KnownNetworks } from "./logins/known-networks.ts";
import type { Logins } from "./logins/logins.ts";
import { createNewSessions, type NewSessions } from "./new-sessions.ts";
import type { AuthOptions } from "./options.ts";
import type { Profile } from "./profiles/profile.ts";
import { decideOn, type FoundSession, type Presenter, rulesAccess, sessionsOf } from "./rules/decide.ts";
import { createRequirement, type Requirement } from "./rules/requirement.ts";
import { createRules, profilesOf, type Rule } from "./rules/rules.ts";
import type { Session, Sessions } from "./session.ts";

export interface Auth {
  readonly options: AuthOptions;
  /** The institution that readers log in to; empty if the configuration does not name one. */
  readonly institution: LanguageMap;
  /** Sessions without the grants that no longer hold. */
  readonly sessions: Sessions;
  /** Limits how many sessions the clients of a network may begin. */
  readonly newSessions: NewSessions;
  readonly logins: Logins;
  readonly knownNetworks: KnownNetworks;
  readonly kiosks: Kiosks;
  readonly fingerprints: Fingerprints;
  /** Rules and logins, without the authorize hook. */
  readonly access: Access;
  /**
   * Proxies whose X-Forwarded-For is trusted for access by address. Only these may name readers by a header.
   */
  readonly proxies: readonly IpRange[];
  /**
   * Returns what a rule requires for an identifier, or undefined if the identifier is public. Rules with the
   * same profiles share one object.
   */
  requirementOf(identifier: string): Requirement | undefined;
  /** What the rules require, each once. */
  readonly requirements: readonly Requirement[];
  /** Decides on everything that has a requirement. Throws as `access` does. */
  decideOn(requirement: Requirement, caller: Caller): Decision | Promise<Decision>;
  /** Returns a profile by its name, as used in the address of its login. */
  profileOf(name: string): Profile | undefined;
  /**
   * Returns the live session of a request's cookie, with the value of that cookie. Throws `busy` if the store
   * does not respond.
   */
  findSession(presenter: Presenter): Promise<Required<FoundSession> | undefined>;
  /** Returns the live sessions of all cookies of a request. */
  findSessions(presenter: Presenter): Promise<readonly Required<FoundSession>[]>;
  /**
   * Returns what viewers of an origin may have tokens for, or undefined for nothing. `own` is the origin of
   * the service.
   */
  tokensFor(origin: string, own: string): TokenReach | undefined;
  /** Lifetime of a session in milliseconds. */
  readonly sessionTtlMs: number;
  /** Returns the lifetime of a session's token in milliseconds: the shortest among its profiles. */
  tokenTtlMs(session: Session): number;
}

/** All grants of a session, or only those of these profiles. */
export type TokenReach = "all" | readonly string[];

export interface AuthParts {
  readonly options: AuthOptions;
  readonly sessions: Sessions;
  readonly logins: Logins;
  readonly log: Pick<Log, "warn">;
  /** Label of `presentation.provider`. */
  readonly institution?: string | LanguageMap;
  /** The top-level setting `trusted_proxies`. */
  readonly trustedProxies?: readonly string[];
  /** Other identifiers of the same master, to which the same rules must apply. */
  readonly spellings?: (identifier: string) => readonly string[];
}

/** Builds it from validated options. */
export function createAuth({
  options,
  sessions: all,
  logins,
  log,
  institution = "",
  trustedProxies = [],
  spellings,
}: AuthParts): Auth {
  const profiles = new Map<string, Profile>(
    Object.entries(options.profiles).map(([name, profile]) => [name, { name, ...profile }]),
  );
  const requirements = new Map<string, Requirement>();
  const requirementBy = (rule: Rule) => {
    const names = profilesOf(rule);
    const known =
      requirements.get(names.join()) ??
      createRequirement(names.map((name) => profiles.get(name)) as [Profile, ...Profile[]]);
    requirements.set(names.join(), known);
    return known;
  };
  const match = createRules(
    options.rules.map((rule) => ({ match: rule.match, requirement: requirementBy(rule) })),
  );
  const requirementOf = (identifier: string) => match(identifier, spellings?.(identifier))?.requirement;
  const profileOf = (name: string) => profiles.get(name);
  const kiosks = createKiosks(options.profiles);
  const fingerprints = createFingerprints({ profileOf, logins, kiosks });
  const sessions = heldSessions(all, fingerprints);
  const proxies = [...trustedProxies, ...options.trusted_proxies].map(parseRange);
  const parts = { requirementOf, kiosks, sessions, cookieName: options.cookie.name, proxies };
  async function* sessionsOfCookies(presenter: Presenter) {
    for await (const { id, ...found } of sessionsOf(parts, onlyCookie(presenter)))
      if (id !== undefined) yield { ...found, id };
  }
  const byClick = [...profiles.values()]
    .filter(({ pattern }) => pattern === "clickthrough")
    .map(({ name }) => name);
  const sessionTtlMs = parseDuration(options.session_ttl);
  const seldom = createSeldom(60_000);
  const warnOfRefusal = () => {
    if (seldom("sessions"))
      log.warn(
        "a network has started as many sessions as allowed and has to wait; if that is a proxy of yours, name it in trusted_proxies",
      );
  };
  return {
    options,
    institution: inLanguages(institution),
    sessions,
    newSessions: createNewSessions({ ttlMs: sessionTtlMs, onRefused: warnOfRefusal }),
    logins,
    knownNetworks: createKnownNetworks(all),
    kiosks,
    fingerprints,
    access: rulesAccess(parts),
    proxies,
    requirementOf,
    requirements: [...requirements.values()],
    decideOn: (requirement, caller) => decideOn(parts, caller, requirement),
    profileOf,
    async findSession(presenter) {
      for await (const found of sessionsOfCookies(presenter)) return found;
      return undefined;
    },
    async findSessions(presenter) {
      const found: Required<FoundSession>[] = [];
      for await (const each of sessionsOfCookies(presenter)) found.push(each);
      return found;
    },
    tokensFor(origin, own) {
      const { token_origins, clickthrough_origins: agreed } = options.cors;
      // The service's own pages always may: they have the cookie anyway.
      if (origin === own || token_origins.includes(origin)) return "all";
      return agreed.includes("*") || agreed.includes(origin) ? byClick : undefined;
    },
    sessionTtlMs,
    tokenTtlMs({ grants }) {
      const own = grants.map(({ profile }) => profiles.get(profile)?.token_ttl ?? options.token_ttl);
      return Math.min(...(own.length > 0 ? own : [options.token_ttl]).map(parseDuration));
    },
  };
}

/** Tokens are not accepted for issuing further tokens or for logging out. */
const onlyCookie = ({ header, reader }: Presenter): Presenter => ({
  reader,
  header: (name) => (name.toLowerCase() === "cookie" ? header(name) : undefined),
});
