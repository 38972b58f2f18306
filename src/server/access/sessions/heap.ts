// Sessions in memory, lost when the process ends. No session is evicted for another; if there is no room, a
// login has to wait.

import { ServiceError } from "../../../base/index.ts";
import type { Session, SessionCount } from "../session.ts";
import { type Networks, withNetwork } from "./networks.ts";
import type { SessionStore, TokenRecord } from "./store.ts";

export interface HeapSessionsOptions {
  /**
   * Sessions and tokens together. A session with one login takes about 570 bytes, a token 280. Tokens take at
   * most half of the room, so that requests for tokens cannot block logins.
   */
  readonly maxRecords?: number;
  /** Maximum tokens of one session; the oldest are removed first. */
  readonly maxTokens?: number;
  /** Milliseconds since 1970. */
  readonly now?: () => number;
}

interface HeapSession {
  readonly session: Session;
  /** In the order in which they were added. */
  readonly tokens: Set<string>;
}

/** Milliseconds between two searches for expired records while there is no room. */
const lookEveryMs = 1000;

/** An empty store. */
export function heapSessions(options: HeapSessionsOptions = {}): SessionStore {
  const { maxRecords = 200_000, maxTokens = 1000, now = Date.now } = options;
  const sessions = new Map<string, HeapSession>();
  const tokens = new Map<string, TokenRecord>();
  /** Known networks of users, of whom the configuration or a file names all. */
  const networks = new Map<string, Networks>();
  let looked = Number.NEGATIVE_INFINITY;

  const dropToken = (key: string) => {
    const token = tokens.get(key);
    if (!token) return;
    tokens.delete(key);
    sessions.get(token.session)?.tokens.delete(key);
  };
  const drop = (key: string) => {
    for (const token of sessions.get(key)?.tokens ?? []) tokens.delete(token);
    sessions.delete(key);
  };
  const sweep = () => {
    const time = now();
    looked = time;
    for (const [key, { session }] of sessions) if (session.expiresAt <= time) drop(key);
    for (const [key, token] of tokens) if (token.expiresAt <= time) dropToken(key);
    for (const [user, own] of networks)
      if ([...own.values()].every((expiresAt) => expiresAt <= time)) networks.delete(user);
  };
  const isOver = () => sessions.size + tokens.size >= maxRecords;
  const isOverInTokens = () => isOver() || tokens.size >= maxRecords / 2;
  const isFull = (over = isOver) => {
    if (over() && Math.abs(now() - looked) >= lookEveryMs) sweep();
    return over();
  };

  return {
    find: async (key) => sessions.get(key)?.session,
    async findByToken(key) {
      const token = tokens.get(key);
      const held = token && sessions.get(token.session);
      return held && { token, session: held.session };
    },
    async begin(key, session, before) {
      if (before !== undefined && !sessions.has(before)) return false;
      // A session that replaces another needs no additional room.
      if (before === undefined && isFull()) throw noRoom();
      if (before !== undefined) drop(before);
      sessions.set(key, { session, tokens: new Set() });
      return true;
    },
    async addToken(key, token) {
      const held = sessions.get(token.session);
      if (!held) return false;
      if (held.tokens.size >= maxTokens || isFull(isOverInTokens)) {
        const [oldest] = held.tokens;
        if (oldest === undefined) throw noRoom();
        dropToken(oldest);
      }
      held.tokens.add(key);
      tokens.set(key, token);
      return true;
    },
    removeToken: async (key) => dropToken(key),
    end: async (key) => drop(key),
    async endMatching(matches) {
      const meant = [...sessions].filter(([, { session }]) => matches(session));
      for (const [key] of meant) drop(key);
      return meant.length;
    },
    findNetwork: async (user, network) => networks.get(user)?.get(network),
    async rememberNetwork(user, network, { expiresAt }) {
      networks.set(user, withNetwork(networks.get(user), network, expiresAt));
    },
    async count() {
      const time = now();
      const live = [...sessions.values()].flatMap(({ session }) =>
        session.expiresAt > time ? [session] : [],
      );
      return countOf(live, time);
    },
    sweep: async () => sweep(),
    async check() {},
  };
}

/** Counts sessions, and for each profile those with a grant that is valid at `time`. */
export function countOf(sessions: Iterable<Session>, time: number): SessionCount {
  const byProfile = new Map<string, number>();
  let total = 0;
  for (const { grants } of sessions) {
    total++;
    for (const { profile, expiresAt } of grants)
      if (expiresAt > time) byProfile.set(profile, (byProfile.get(profile) ?? 0) + 1);
  }
  return { total, byProfile: Object.fromEntries(byProfile) };
}

const noRoom = () =>
  new ServiceError("busy", "The server holds as many logins as it can. Try again later.", {
    code: "sessions_full",
  });
