// Sessions as files or objects: one for each session, one for each token, one more that leads from a session
// to its tokens, and one for the known networks of a user.
//
//   sessions/<session>          the session
//   tokens/<token>              the token
//   bound/<session>/<token>     the token again
//   networks/<user>             the known networks of a user
//
// Names are digests. Only one process may use them: operations of several steps are serialized in memory.

import { createLru, forEachConcurrently } from "../../../base/index.ts";
import { withNetwork } from "./networks.ts";
import { readNetworks, readSession, readToken, writeNetworks, writeSession, writeToken } from "./records.ts";
import type { SessionStore, TokenRecord } from "./store.ts";

/** Storage of records, by names with `/`. Methods throw if the storage does not respond. */
export interface RecordStore {
  /** Returns undefined if there is no record, or nothing that could be one. */
  read(name: string): Promise<string | undefined>;
  write(name: string, text: string): Promise<void>;
  /** Does nothing if the record does not exist. */
  remove(name: string): Promise<void>;
  /** Yields the last parts of the names of the records in a folder; nothing if there is no such folder. */
  list(folder: string): AsyncIterable<string>;
  /** Removes an empty folder, if the storage has folders. */
  removeFolder?(folder: string): Promise<void>;
}

const atOnce = 8;
/**
 * Tokens of all sessions whose order is remembered; those of sessions that have not asked for one for longest
 * are forgotten first.
 */
const rememberedTokens = 200_000;

export interface ObjectSessionsOptions {
  /** Maximum tokens of one session issued by this process; the oldest are removed first. */
  readonly maxTokens?: number;
}

/** Throws unless the storage returns what was written. Leaves nothing behind. */
export async function checkRecords(records: RecordStore, problem: string): Promise<void> {
  const name = `checks/${crypto.randomUUID()}`;
  await records.write(name, name);
  const back = await records.read(name);
  await records.remove(name);
  if (back !== name) throw new Error(problem);
}

export interface ObjectSessions extends Omit<SessionStore, "count" | "check"> {
  /** Removes the tokens of a missing session. */
  removeOrphans(session: string): Promise<void>;
}

/** Creates a store over the records that the storage already contains. */
export function objectSessions(
  records: RecordStore,
  { maxTokens = 1000 }: ObjectSessionsOptions = {},
): ObjectSessions {
  const oneAtATime = createOneAtATime();
  /** Keys of the tokens of a session, the oldest first. */
  const issued = createLru<string, readonly string[]>(rememberedTokens);

  const find = async (key: string) => {
    const text = await records.read(`sessions/${key}`);
    return text === undefined ? undefined : readSession(text);
  };
  const networksOf = async (user: string) => {
    const text = await records.read(`networks/${user}`);
    return text === undefined ? undefined : readNetworks(text);
  };
  const removeToken = async (key: string, session: string) => {
    // This order ensures that leftovers of a failure can be found.
    await records.remove(`tokens/${key}`);
    await records.remove(`bound/${session}/${key}`);
  };
  const removeTokens = async (session: string) => {
    await forEachConcurrently(records.list(`bound/${session}`), atOnce, (key) => removeToken(key, session));
    await records.removeFolder?.(`bound/${session}`);
  };
  const end = async (key: string) => {
    // First, because without it its tokens are worthless.
    await records.remove(`sessions/${key}`);
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
      const text = await records.read(`tokens/${key}`);
      const token = text === undefined ? undefined : readToken(text);
      const session = token && (await find(token.session));
      return session && { token: token as TokenRecord, session };
    },
    begin: (key, session, before) =>
      oneAtATime(before ?? key, async () => {
        if (before !== undefined && !(await find(before))) return false;
        await records.write(`sessions/${key}`, writeSession(session));
        if (before !== undefined) await end(before);
        return true;
      }),
    addToken: (key, token) =>
      oneAtATime(token.session, async () => {
        if (!(await find(token.session))) return false;
        await makeRoom(token.session);
        const text = writeToken(token);
        await records.write(`bound/${token.session}/${key}`, text);
        await records.write(`tokens/${key}`, text);
        const own = [...(issued.get(token.session) ?? []), key];
        issued.set(token.session, own, own.length);
        return true;
      }),
    removeToken,
    end: (key) => oneAtATime(key, () => end(key)),
    async endMatching(matches) {
      let ended = 0;
      await forEachConcurrently(records.list("sessions"), atOnce, (key) =>
        oneAtATime(key, async () => {
          const session = await find(key);
          if (!session || !matches(session)) return;
          await end(key);
          ended++;
        }),
      );
      return ended;
    },
    findNetwork: async (user, network) => (await networksOf(user))?.get(network),
    rememberNetwork: (user, network, { expiresAt }) =>
      oneAtATime(`networks/${user}`, async () => {
        const networks = withNetwork(await networksOf(user), network, expiresAt);
        await records.write(`networks/${user}`, writeNetworks(networks));
      }),
    removeOrphans: (key) =>
      oneAtATime(key, async () => {
        if (!(await find(key))) await removeTokens(key);
      }),
  };
}

/** Runs `work` once all earlier operations of the same key have ended, and returns its result. */
type OneAtATime = <T>(key: string, work: () => Promise<T>) => Promise<T>;

/** Creates a queue for each key in use. */
export function createOneAtATime(): OneAtATime {
  const last = new Map<string, Promise<unknown>>();
  return async (key, work) => {
    const before = last.get(key);
    const own = before ? before.then(work, work) : work();
    last.set(key, own);
    try {
      return await own;
    } finally {
      if (last.get(key) === own) last.delete(key);
    }
  };
}
