// Sessions as files or objects: one for each session, one for each token, and one more by which a session finds its tokens.
//
//   sessions/<session>          the session
//   tokens/<token>              the token
//   bound/<session>/<token>     the token again
//
// Names are digests. Only one process may use them: what takes several steps is kept apart in memory.

import { createLru } from "../../imaging/lib/lru.ts";
import { forEachConcurrently } from "../../lib/concurrency/concurrent.ts";
import { createOneAtATime } from "./one-at-a-time.ts";
import { readSession, readToken, writeSession, writeToken } from "./records.ts";
import type { SessionStore, TokenRecord } from "./store.ts";

/** Where records lie, by names with `/`. Methods throw where the place does not answer. */
export interface RecordPlace {
  /** undefined where there is none, or nothing that could be one. */
  read(name: string): Promise<string | undefined>;
  write(name: string, text: string): Promise<void>;
  /** No error where there is none. */
  remove(name: string): Promise<void>;
  /** Last parts of the names of the records in a folder; none where there is no such folder. */
  list(folder: string): AsyncIterable<string>;
  /** Removes a folder that is empty, where a place has folders. */
  removeFolder?(folder: string): Promise<void>;
}

const atOnce = 8;
/** Tokens whose order is remembered, of all sessions; those of sessions that asked for none for long are forgotten first. */
const rememberedTokens = 200_000;

export interface ObjectSessionsOptions {
  /** Tokens of one session that this process issued; the oldest of them go first. */
  readonly maxTokens?: number;
}

/** Throws unless a place returns what was written. Leaves nothing behind. */
export async function checkPlace(place: RecordPlace, problem: string): Promise<void> {
  const name = `checks/${crypto.randomUUID()}`;
  await place.write(name, name);
  const back = await place.read(name);
  await place.remove(name);
  if (back !== name) throw new Error(problem);
}

export interface ObjectSessions extends Omit<SessionStore, "count" | "check"> {
  /** Removes the tokens of a session that is not there. */
  removeOrphans(session: string): Promise<void>;
}

/** A store over what lies in the place already. */
export function objectSessions(
  place: RecordPlace,
  { maxTokens = 1000 }: ObjectSessionsOptions = {},
): ObjectSessions {
  const oneAtATime = createOneAtATime();
  /** Keys of the tokens of a session, the oldest first. */
  const issued = createLru<string, readonly string[]>(rememberedTokens);

  const find = async (key: string) => {
    const text = await place.read(`sessions/${key}`);
    return text === undefined ? undefined : readSession(text);
  };
  const removeToken = async (key: string, session: string) => {
    // In this order, what is left by a failure is found again.
    await place.remove(`tokens/${key}`);
    await place.remove(`bound/${session}/${key}`);
  };
  const removeTokens = async (session: string) => {
    await forEachConcurrently(place.list(`bound/${session}`), atOnce, (key) => removeToken(key, session));
    await place.removeFolder?.(`bound/${session}`);
  };
  const end = async (key: string) => {
    // First of all: without it, none of its tokens is good for anything.
    await place.remove(`sessions/${key}`);
    issued.delete(key);
    await removeTokens(key);
  };
  const makeRoom = async (session: string) => {
    const [oldest = "", ...others] = issued.get(session) ?? [];
    if (others.length + 1 < maxTokens) return;
    await removeToken(oldest, session);
    issued.set(session, others, others.length);
  };

  return {
    find,
    async findByToken(key) {
      const text = await place.read(`tokens/${key}`);
      const token = text === undefined ? undefined : readToken(text);
      const session = token && (await find(token.session));
      return session && { token: token as TokenRecord, session };
    },
    begin: (key, session, before) =>
      oneAtATime(before ?? key, async () => {
        if (before !== undefined && !(await find(before))) return false;
        await place.write(`sessions/${key}`, writeSession(session));
        if (before !== undefined) await end(before);
        return true;
      }),
    addToken: (key, token) =>
      oneAtATime(token.session, async () => {
        if (!(await find(token.session))) return false;
        await makeRoom(token.session);
        const text = writeToken(token);
        await place.write(`bound/${token.session}/${key}`, text);
        await place.write(`tokens/${key}`, text);
        const own = [...(issued.get(token.session) ?? []), key];
        issued.set(token.session, own, own.length);
        return true;
      }),
    removeToken,
    end: (key) => oneAtATime(key, () => end(key)),
    async endMatching(matches) {
      let ended = 0;
      await forEachConcurrently(place.list("sessions"), atOnce, (key) =>
        oneAtATime(key, async () => {
          const session = await find(key);
          if (!session || !matches(session)) return;
          await end(key);
          ended++;
        }),
      );
      return ended;
    },
    removeOrphans: (key) =>
      oneAtATime(key, async () => {
        if (!(await find(key))) await removeTokens(key);
      }),
  };
}
