// The command `sessions end`: ends logins in a store shared with the service.

import { type Platform, parseDuration, silentLog } from "../../base/index.ts";
import { buildSessions, type Config, type GrantFilter } from "../../server/index.ts";
import { command, configFlag, type Result } from "./command.ts";
import { CommandError, inWords, UsageError } from "./command-error.ts";
import { readConfig } from "./read-config.ts";

export const sessionsEnd = command({
  name: "sessions end",
  summary: "log readers out: all of a profile, one user, or everybody",
  more: "sessions in the memory of the service end on its page /admin/auth instead",
  examples: ["smalti sessions end -config smalti.yaml --profile staff --user ann"],
  json: "their number",
  flags: {
    profile: { kind: "text", value: "NAME", text: "sessions with a login to this profile" },
    user: {
      kind: "text",
      value: "NAME",
      text: "sessions of this user; with --profile, those with this user's login to it",
    },
    all: { kind: "switch", text: "all sessions" },
    config: configFlag,
  },
  async run({ platform, flags: { profile, user, all, config: file } }) {
    // Requires an explicit choice, so that nobody is logged out by mistake.
    if (all === (profile !== undefined || user !== undefined))
      throw new UsageError(
        "sessions end needs --profile NAME, --user NAME, both, or --all; see smalti sessions end --help",
      );
    const { config } = await readConfig(platform, { file });
    const of = { ...(profile !== undefined && { profile }), ...(user !== undefined && { user }) };
    return inWords(endSessions(config, platform, of));
  },
});

/**
 * Ends the sessions, and returns their number. Throws CommandError if this process cannot reach them.
 */
async function endSessions({ auth }: Config, platform: Platform, of: GrantFilter): Promise<Result> {
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
    const doubt = isUnknown ? `; the configuration has no profile ${profile}` : "";
    return { text: `${ended} ${ended === 1 ? "session" : "sessions"} ended${doubt}\n`, data: { ended } };
  } finally {
    await sessions.close();
  }
}
