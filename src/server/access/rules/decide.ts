// Decides who may have which image by rules and logins: first the rule, then the identity.

import { type IpRange, isInRanges } from "../../../base/index.ts";
import { type Access, type Caller, type Decision, publicGrant } from "../access.ts";
import { bearerToken, cookieValues } from "../credentials.ts";
import type { Kiosks } from "../logins/kiosk.ts";
import type { Profile } from "../profiles/profile.ts";
import type { Session, Sessions } from "../session.ts";
import type { Requirement } from "./requirement.ts";

export interface DecideParts {
  /** Returns what an identifier requires, or undefined if it is public. */
  requirementOf(identifier: string): Requirement | undefined;
  readonly kiosks: Pick<Kiosks, "allows" | "counts">;
  readonly sessions: Pick<Sessions, "find" | "findByToken">;
  readonly cookieName: string;
  /** Only these may name readers by a header; empty means anybody. */
  readonly proxies: readonly IpRange[];
}

/** The part of a request that sessions are found by, and that decides which of their logins count. */
export type Presenter = Pick<Caller, "header" | "reader">;

/**
 * The access rules of `auth:`. Public identifiers, and gated ones requested without cookie and token, are
 * decided immediately. Throws `busy` (code sessions_unavailable) if the caller presents a cookie or token
 * while the session store does not respond.
 */
export function rulesAccess(parts: DecideParts): Access {
  return {
    decide(caller) {
      const requirement = parts.requirementOf(caller.identifier);
      return requirement ? decideOn(parts, caller, requirement) : publicGrant;
    },
    ruleFor: (identifier) => parts.requirementOf(identifier)?.refused,
  };
}

/** Decides on everything that has a requirement. Throws as {@link rulesAccess} does. */
export function decideOn(
  parts: Omit<DecideParts, "requirementOf">,
  caller: Caller,
  requirement: Requirement,
): Decision | Promise<Decision> {
  const { profiles, granted, refused } = requirement;
  if (profiles.some((profile) => isLetIn(parts, profile, caller))) return granted;
  return hasCredentials(parts, caller) ? decideByLogin(parts, caller, requirement) : refused;
}

/**
 * True if a profile lets a caller in without a login: by a header of the proxy, or by the client's address.
 */
function isLetIn(
  { kiosks, proxies }: Pick<DecideParts, "kiosks" | "proxies">,
  { name, access_service: service }: Profile,
  caller: Caller,
): boolean {
  if (service.backend === "header") return namesReader(caller, service.header, proxies);
  return kiosks.allows(name, caller.reader);
}

async function decideByLogin(
  parts: Omit<DecideParts, "requirementOf">,
  caller: Caller,
  { profiles, granted, refused }: Requirement,
): Promise<Decision> {
  for await (const { session } of sessionsOf(parts, caller)) {
    const grants = session.grants.filter((grant) => profiles.some(({ name }) => name === grant.profile));
    if (grants.length === 0) continue;
    // Not after a click, which costs a crawler nothing.
    if (grants.some(({ user }) => user !== "")) caller.visitor?.welcome();
    return granted;
  }
  return refused;
}

function hasCredentials({ cookieName }: Pick<DecideParts, "cookieName">, { header }: Presenter): boolean {
  const bearer = header("authorization");
  if (bearer !== undefined && bearerToken(bearer) !== undefined) return true;
  return cookieValues(header("cookie"), cookieName).length > 0;
}

export interface FoundSession {
  /** With the grants that count for the request. */
  readonly session: Session;
  /** True if it also has a login to a kiosk, which does not count since the request comes from outside. */
  readonly isAway: boolean;
  /** Value of the cookie that named it; absent if a token did. */
  readonly id?: string;
}

/**
 * Yields the live sessions that a request presents, that of its token first. Each is looked up on demand. The
 * stored session stays as it is, so a login to a kiosk counts again when its reader returns.
 */
export async function* sessionsOf(
  { sessions, kiosks, cookieName }: Pick<DecideParts, "sessions" | "kiosks" | "cookieName">,
  { header, reader }: Presenter,
): AsyncGenerator<FoundSession> {
  const resultOf = (session: Session) => {
    const grants = session.grants.filter(({ profile }) => kiosks.counts(profile, reader));
    const isAway = grants.length < session.grants.length;
    return { session: isAway ? { ...session, grants } : session, isAway };
  };
  const token = bearerToken(header("authorization"));
  const byToken = token === undefined ? undefined : await sessions.findByToken(token);
  if (byToken) yield resultOf(byToken);
  for (const id of cookieValues(header("cookie"), cookieName)) {
    const session = await sessions.find(id);
    if (session) yield { ...resultOf(session), id };
  }
}

/** Apache writes `(null)` if the variable that a header is set from has no value (mod_headers). */
const nobody: ReadonlySet<string> = new Set(["", "(null)"]);

/**
 * Separators of joined header lines (Fetch Standard, "get a header"). If the first or last line is empty, the
 * space may have been trimmed.
 */
const joined = /^,|, |,$/;

/**
 * True if a header names the reader of a request. False if the header came in several lines, one of which may
 * be the client's own: therefore no name may contain a comma followed by a space, or begin or end with a
 * comma. With `proxies`, only these are trusted.
 */
function namesReader(
  { header, peer }: Pick<Caller, "header" | "peer">,
  name: string,
  proxies: readonly IpRange[],
): boolean {
  const value = header(name)?.trim() ?? "";
  if (nobody.has(value) || joined.test(value)) return false;
  return proxies.length === 0 || (peer !== undefined && isInRanges(peer, proxies));
}
