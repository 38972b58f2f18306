// Sessions that an operator ends while their readers log in.

import { expect, test } from "vitest";
import { heapSessions } from "../../../../src/server/access/sessions/heap.ts";
import { createSessions } from "../../../../src/server/access/sessions/sessions.ts";
import type { SessionStore } from "../../../../src/server/access/sessions/store.ts";

const grant = (profile: string) => ({
  profile,
  user: "",
  fingerprint: "f",
  grantedAt: 0,
  expiresAt: Number.MAX_SAFE_INTEGER,
});

/**
 * A store that lists its sessions first, as folders and buckets do, and ends them after something else has
 * happened.
 */
function listingStore(meanwhile: () => Promise<unknown>): SessionStore {
  const store = heapSessions();
  const keys: string[] = [];
  return {
    ...store,
    begin(key, session, before) {
      keys.push(key);
      return store.begin(key, session, before);
    },
    async endMatching(matches) {
      const listed = [...keys];
      await meanwhile();
      let ended = 0;
      for (const key of listed) {
        const session = await store.find(key);
        if (!session || !matches(session)) continue;
        await store.end(key);
        ended++;
      }
      return ended;
    },
  };
}

test.each([{ profile: "staff" }, {}])(
  "a login while sessions are being ended takes over none of them: %j",
  async (of) => {
    const held: string[] = [];
    const store = listingStore(async () => {
      held.push((await sessions.logIn(grant("terms"), held.at(-1))).id);
    });
    const sessions = createSessions({ store, ttlMs: 60_000 });
    held.push((await sessions.logIn(grant("staff"))).id);
    expect(await sessions.endAll(of)).toBeGreaterThan(0);
    const found = await Promise.all(held.map((id) => sessions.find(id)));
    expect(found.flatMap((session) => session?.grants ?? []).filter((g) => g.profile === "staff")).toEqual(
      [],
    );
    // Later logins take over what there is, as usual.
    const { id } = await sessions.logIn(grant("guests"), (await sessions.logIn(grant("terms"))).id);
    expect((await sessions.find(id))?.grants.map(({ profile }) => profile)).toEqual(["terms", "guests"]);
  },
);
