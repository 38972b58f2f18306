// The command `sessions end`: ends logins in a store shared with the service.

import type { GrantFilter } from "../access/session.ts";
import { buildSessions } from "../access/sessions/index.ts";
import type { Config } from "../config/schema.ts";
import { parseDuration } from "../lib/options/quantity.ts";
import { silentLog } from "../lib/telemetry/log.ts";
import type { Platform } from "../platform/platform.ts";
import { CommandError, UsageError } from "./command-error.ts";
import { readFlags } from "./flags.ts";

/** Arguments of the command. */
export interface SessionsQuestion {
  readonly of: GrantFilter;
  readonly file?: string;
}

const usage = "sessions end needs --profile NAME, --user NAME, both, or --all; see smalti sessions --help";
const flags = {
  command: "sessions end",
  more: usage,
  values: ["profile", "user", "config"],
  switches: ["all"],
};

/** Parses the arguments after `smalti sessions`. Throws UsageError for unknown ones. */
export function sessionsQuestion(args: readonly string[]): SessionsQuestion {
  const [act, ...rest] = args;
  if (act !== "end") throw new UsageError(`expected sessions end, received sessions ${act ?? ""}; ${usage}`);
  const { values, switches, words } = readFlags(rest, flags);
  if (words.length > 0) throw new UsageError(`sessions end does not know ${words[0]}; ${usage}`);
  const [profile, user, file] = flags.values.map((name) => values.get(name));
  // Requires an explicit choice, so that nobody is logged out by mistake.
  if (switches.has("all") === (profile !== undefined || user !== undefined)) throw new UsageError(usage);
  return {
    of: { ...(profile !== undefined && { profile }), ...(user !== undefined && { user }) },
    ...(file !== undefined && { file }),
  };
}

/**
 * Ends the sessions, and returns a line with their number. Throws CommandError if this process cannot reach
 * them.
 */
export async function endSessions(
  { auth }: Config,
  platform: Platform,
  { of }: SessionsQuestion,
): Promise<string> {
  if (!auth) throw new CommandError("the configuration has no section auth, so there are no sessions");
  if (auth.session.backend === "heap")
    throw new CommandError(
      "auth.session.backend is heap, so the sessions are in the memory of the service: end them on its page /admin/auth, or restart it",
    );
  const { sessions } = buildSessions(auth.session, parseDuration(auth.session_ttl), {
    platform,
    log: silentLog,
  });
  try {
    await sessions.check();
    const ended = await sessions.endAll(of);
    const { profile } = of;
    const isUnknown = profile !== undefined && !Object.hasOwn(auth.profiles, profile);
    return `${ended} ${ended === 1 ? "session" : "sessions"} ended${isUnknown ? `; the configuration has no profile ${profile}` : ""}\n`;
  } finally {
    await sessions.close();
  }
}
