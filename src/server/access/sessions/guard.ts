// Guards a session store that fails or hangs: callers wait for a bounded time and then learn that it is
// unavailable, never that nobody is logged in.

import { type CircuitOptions, createCircuit, ServiceError, withDeadline } from "../../../base/index.ts";
import type { SessionStore } from "./store.ts";

/** Milliseconds. */
export interface SessionDeadlines {
  /** Deadline of the lookup that each gated request does. */
  readonly read: number;
  /** Deadline of a login, a token or a logout, which take several steps on some stores. */
  readonly write: number;
  readonly check: number;
}

/** Readers return soon after the store recovers. */
const pauses: CircuitOptions = { pauseMs: 500, maxPauseMs: 4000 };

/** `failed` receives errors for the log. */
export function guardedSessions(
  store: SessionStore,
  deadlines: SessionDeadlines,
  failed: (error: unknown) => void,
): SessionStore {
  // A refusal worded for the reader is not a failure of the store.
  const counts = (error: unknown) => !(error instanceof ServiceError);
  const reads = createCircuit({ ...pauses, counts });
  const writes = createCircuit({ ...pauses, counts });

  const orUnavailable = async <T>(act: () => Promise<T>): Promise<T> => {
    try {
      return await act();
    } catch (error) {
      if (error instanceof ServiceError) throw error;
      failed(error);
      throw new ServiceError("busy", "Your login cannot be checked at the moment. Try again shortly.", {
        code: "sessions_unavailable",
        cause: error,
      });
    }
  };
  const guard = <T>(kind: "read" | "write", act: () => Promise<T>): Promise<T> =>
    orUnavailable(() => (kind === "read" ? reads : writes).run(() => withDeadline(deadlines[kind], act)));
  const { sweep } = store;

  return {
    find: (key) => guard("read", () => store.find(key)),
    findByToken: (key) => guard("read", () => store.findByToken(key)),
    begin: (key, session, before) => guard("write", () => store.begin(key, session, before)),
    addToken: (key, token) => guard("write", () => store.addToken(key, token)),
    removeToken: (key, session) => guard("write", () => store.removeToken(key, session)),
    end: (key) => guard("write", () => store.end(key)),
    findNetwork: (user, network) => guard("read", () => store.findNetwork(user, network)),
    rememberNetwork: (user, network, lifetime) =>
      guard("write", () => store.rememberNetwork(user, network, lifetime)),
    // Takes time in proportion to the number of sessions; each of its steps has its own bound.
    endMatching: (matches) => orUnavailable(() => store.endMatching(matches)),
    // A large count may be late, which says nothing about logins.
    count: () => orUnavailable(() => withDeadline(deadlines.write, () => store.count())),
    ...(sweep && { sweep: () => sweep() }),
    async check() {
      await withDeadline(deadlines.check, () => store.check());
      reads.close();
      writes.close();
    },
    close: async () => store.close?.(),
  };
}
