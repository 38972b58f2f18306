// Login by the client's address, without a page.

import { chooseText, readerOf } from "../pages/reader.ts";
import { returnToOf, say } from "../pages/responses.ts";
import { logIn } from "./attempt.ts";
import type { LoginAttempt, Way } from "./way.ts";

async function enter(attempt: LoginAttempt): Promise<Response> {
  const { c, parts, profile } = attempt;
  if (parts.auth.kiosks.allows(profile.name, c.get("reader"))) return logIn(attempt, "", returnToOf(c));
  const reader = readerOf(c);
  const { words, language } = reader;
  const { note } = profile;
  const shown =
    typeof note === "string" ? (note === "" ? undefined : { text: note }) : chooseText(note, reader);
  return say(
    c,
    {
      heading: chooseText(profile.heading, reader) ?? { text: words.notHere, language },
      texts: [{ text: words.onlyHere, language }, shown],
    },
    { status: 401 },
  );
}

export const kioskWay: Way = { get: enter, post: enter };
