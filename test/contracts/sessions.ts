// The contract of sessions, for any store. Each backend's test calls this.

import { createHash } from "node:crypto";
import { afterEach, describe, expect, it } from "vitest";
import type { LoginGrant, Sessions } from "../../src/server/access/session.ts";
import { createSessions } from "../../src/server/access/sessions/sessions.ts";
import type { SessionStore } from "../../src/server/access/sessions/store.ts";
import { seeded } from "../seeded.ts";

export interface SessionsUnderTest {
  readonly store: SessionStore;
  /**
   * Opens another store over the same data, as after a restart or in another process; absent if impossible.
   */
  again?(): SessionStore;
  /** Returns everything that is stored, as text, including names; absent if nothing leaves the process. */
  contents?(): Promise<string>;
  cleanUp?(): Promise<void>;
}

const hour = 3_600_000;
/** Keys of users and networks. */
const keys = (count: number) =>
  Array.from({ length: count }, (_, n) => n.toString(16).padStart(64, "0")) as [
    string,
    string,
    string,
    string,
    ...string[],
  ];
const ttlMs = 24 * hour;
const start = Date.UTC(2030, 0, 1);

/** `make` creates an empty store with that clock. `byProfile`: true if it counts for each profile. */
export function sessionsContract(
  backend: string,
  make: (options: { readonly now: () => number }) => Promise<SessionsUnderTest>,
  { byProfile }: { readonly byProfile: boolean },
): void {
  describe(`sessions in ${backend}`, () => {
    let time = start;
    const now = () => time;
    const opened: (() => Promise<void> | undefined)[] = [];
    const open = async () => {
      time = start;
      const made = await make({ now });
      opened.push(async () => {
        await made.store.close?.();
        await made.cleanUp?.();
      });
      const over = (store: SessionStore): Sessions => createSessions({ store, ttlMs, now });
      const again = () => {
        const other = made.again?.();
        if (other) opened.unshift(async () => other.close?.());
        return other && over(other);
      };
      return { ...made, sessions: over(made.store), again };
    };
    afterEach(async () => {
      for (const close of opened.splice(0)) await close();
    });

    const grant = (profile: string, user = "ann", forMs = ttlMs): LoginGrant => ({
      profile,
      user,
      fingerprint: "0123456789abcdef0123456789abcdef",
      grantedAt: time,
      expiresAt: time + forMs,
    });
    const profilesOf = async (sessions: Sessions, id: string) =>
      (await sessions.find(id))?.grants.map(({ profile }) => profile);

    it("are found by the id of their login, with the original grant", async () => {
      const { sessions } = await open();
      const given = grant("staff", 'Änn | \u{1f5bc}"\\ %s');
      const { id, expiresAt } = await sessions.logIn(given);
      expect(id).toMatch(/^[A-Za-z0-9_-]{43}$/);
      expect(Buffer.from(id, "base64url").length).toBe(32);
      expect(expiresAt).toBe(start + ttlMs);
      expect(await sessions.find(id)).toEqual({ createdAt: start, expiresAt, grants: [given] });
    });

    it("are found by no other text", async () => {
      const { sessions } = await open();
      const { id } = await sessions.logIn(grant("staff"));
      const digest = createHash("sha256").update(id).digest("hex");
      const others = [
        "",
        "x",
        "*",
        `${id}\0`,
        `${id}x`,
        id.slice(1),
        ` ${id}`,
        digest,
        "../".repeat(20),
        "é".repeat(43),
      ];
      others.push(id.startsWith("A") ? `B${id.slice(1)}` : `A${id.slice(1)}`);
      for (const other of others) {
        expect([other, await sessions.find(other)]).toEqual([other, undefined]);
        expect([other, await sessions.findByToken(other)]).toEqual([other, undefined]);
        expect([other, await sessions.issueToken(other, hour)]).toEqual([other, undefined]);
        await sessions.logOut(other);
      }
      expect(await profilesOf(sessions, id)).toEqual(["staff"]);
    });

    it("end for a profile, for a user, for both, and for everybody, with their tokens", async () => {
      const { sessions } = await open();
      const logIn = async (profile: string, user: string, before?: string) =>
        (await sessions.logIn(grant(profile, user), before)).id;
      const both = await logIn("terms", "", await logIn("staff", "ann"));
      const ids = [both, await logIn("staff", "bob"), await logIn("terms", ""), await logIn("guests", "ann")];
      const token = (await sessions.issueToken(both, hour))?.id ?? "";
      const live = async () =>
        (await Promise.all(ids.map((id) => sessions.find(id)))).map((found) => found !== undefined);
      expect(await sessions.endAll({ profile: "nobody" })).toBe(0);
      expect(await sessions.endAll({ profile: "terms", user: "bob" })).toBe(0);
      expect(await live()).toEqual([true, true, true, true]);
      expect(await sessions.endAll({ profile: "staff", user: "ann" })).toBe(1);
      expect(await live()).toEqual([false, true, true, true]);
      expect(await sessions.findByToken(token)).toBeUndefined();
      expect(await sessions.endAll({ user: "ann" })).toBe(1);
      expect(await sessions.endAll({ profile: "terms" })).toBe(1);
      expect(await live()).toEqual([false, true, false, false]);
      const others = await Promise.all(Array.from({ length: 30 }, (_, n) => logIn("staff", `reader ${n}`)));
      expect(await sessions.endAll({})).toBe(31);
      for (const id of [...ids, ...others]) expect(await sessions.find(id)).toBeUndefined();
      expect((await sessions.count()).total).toBe(0);
    });

    it("have tokens for some of their grants", async () => {
      const { sessions, again } = await open();
      const { id } = await sessions.logIn(grant("terms"), (await sessions.logIn(grant("staff"))).id);
      const token = (await sessions.issueToken(id, hour, ["terms", "others"]))?.id ?? "";
      for (const each of [sessions, again()])
        if (each) expect((await each.findByToken(token))?.grants).toEqual([grant("terms")]);
      expect(await profilesOf(sessions, id)).toEqual(["staff", "terms"]);
      const none = (await sessions.issueToken(id, hour, []))?.id ?? "";
      expect((await sessions.findByToken(none))?.grants).toEqual([]);
    });

    it("have a token that identifies them, and neither can be used as the other", async () => {
      const { sessions } = await open();
      const { id } = await sessions.logIn(grant("staff"));
      const token = await sessions.issueToken(id, hour);
      expect(token?.expiresAt).toBe(start + hour);
      expect(token?.id).toMatch(/^[A-Za-z0-9_-]{43}$/);
      const byToken = await sessions.findByToken(token?.id ?? "");
      expect(byToken).toEqual(await sessions.find(id));
      expect(byToken?.grants.length).toBe(1);
      expect(await sessions.find(token?.id ?? "")).toBeUndefined();
      expect(await sessions.findByToken(id)).toBeUndefined();
      expect(await sessions.issueToken(token?.id ?? "", hour)).toBeUndefined();
    });

    it("pass their unexpired grants on to the next login, and end with all their tokens", async () => {
      const { sessions } = await open();
      const first = await sessions.logIn(grant("staff", "ann", hour));
      const second = await sessions.logIn(grant("press", "bob"), first.id);
      const token = await sessions.issueToken(second.id, hour);
      expect(await profilesOf(sessions, second.id)).toEqual(["staff", "press"]);
      expect(await sessions.find(first.id)).toBeUndefined();
      time += hour;
      expect(await profilesOf(sessions, second.id)).toEqual(["press"]);
      time += 1000;
      const third = await sessions.logIn(grant("press", "eve"), second.id);
      expect(third.id).not.toBe(second.id);
      expect(third.expiresAt).toBe(time + ttlMs);
      expect((await sessions.find(third.id))?.grants).toEqual([grant("press", "eve")]);
      expect(await sessions.find(second.id)).toBeUndefined();
      expect(await sessions.findByToken(token?.id ?? "")).toBeUndefined();
      expect(await sessions.issueToken(second.id, hour)).toBeUndefined();
    });

    it("begin empty if the previous session is unknown", async () => {
      const { sessions } = await open();
      const other = await sessions.logIn(grant("staff"));
      for (const before of ["", "nonsense", other.id.replace(/.$/, (last) => (last === "A" ? "B" : "A"))]) {
        const { id } = await sessions.logIn(grant("press"), before);
        expect(await profilesOf(sessions, id)).toEqual(["press"]);
      }
      expect(await profilesOf(sessions, other.id)).toEqual(["staff"]);
    });

    it("end at their time, and tokens at theirs, but never after their session", async () => {
      const { sessions } = await open();
      const { id } = await sessions.logIn(grant("staff", "ann", 100 * ttlMs));
      const short = await sessions.issueToken(id, hour);
      time += hour - 1;
      expect(await sessions.findByToken(short?.id ?? "")).toBeDefined();
      time += 1;
      expect(await sessions.findByToken(short?.id ?? "")).toBeUndefined();
      const long = await sessions.issueToken(id, 100 * ttlMs);
      expect(long?.expiresAt).toBe(start + ttlMs);
      time = start + ttlMs - 1;
      expect(await sessions.findByToken(long?.id ?? "")).toBeDefined();
      expect(await sessions.find(id)).toBeDefined();
      time += 1;
      expect(await sessions.findByToken(long?.id ?? "")).toBeUndefined();
      expect(await sessions.find(id)).toBeUndefined();
      expect(await sessions.issueToken(id, hour)).toBeUndefined();
      const next = await sessions.logIn(grant("press"), id);
      expect(await profilesOf(sessions, next.id)).toEqual(["press"]);
    });

    it("end with a logout, with all their tokens, whatever their number, and no others", async () => {
      const { sessions, contents } = await open();
      const [one, other] = [await sessions.logIn(grant("staff")), await sessions.logIn(grant("staff"))];
      const tokens: string[] = [];
      for (let i = 0; i < 40; i++) tokens.push((await sessions.issueToken(one.id, hour))?.id ?? "");
      const kept = await sessions.issueToken(other.id, hour);
      for (const token of tokens) expect(await sessions.findByToken(token)).toBeDefined();
      await sessions.logOut(one.id);
      expect(await sessions.find(one.id)).toBeUndefined();
      for (const token of tokens) expect(await sessions.findByToken(token)).toBeUndefined();
      const left = (await contents?.()) ?? "";
      for (const secret of [one.id, ...tokens])
        expect(left).not.toContain(createHash("sha256").update(secret).digest("hex"));
      expect(await profilesOf(sessions, other.id)).toEqual(["staff"]);
      expect(await sessions.findByToken(kept?.id ?? "")).toBeDefined();
      await sessions.logOut(one.id);
    });

    it("keep only digests of their ids and tokens", async () => {
      const { sessions, contents } = await open();
      const { id } = await sessions.logIn(grant("staff", "somebody"));
      const token = await sessions.issueToken(id, hour);
      const kept = await contents?.();
      if (kept === undefined) return;
      expect(kept).toContain("somebody");
      expect(kept).toContain(createHash("sha256").update(id).digest("hex"));
      for (const secret of [id, token?.id ?? ""])
        for (const form of [secret, Buffer.from(secret, "base64url").toString("hex")])
          expect(kept).not.toContain(form);
    });

    it("know the networks from which users have logged in until their time, also after a restart", async () => {
      const { sessions, again } = await open();
      const [ann, bob, here, there] = keys(4);
      await sessions.rememberNetwork(ann, here, hour);
      await sessions.rememberNetwork(ann, there, 2 * hour);
      for (const each of [sessions, again()]) {
        if (!each) continue;
        expect(await each.knowsNetwork(ann, here)).toBe(true);
        expect(await each.knowsNetwork(ann, there)).toBe(true);
        expect(await each.knowsNetwork(bob, here)).toBe(false);
      }
      time += hour;
      expect(await sessions.knowsNetwork(ann, here)).toBe(false);
      expect(await sessions.knowsNetwork(ann, there)).toBe(true);
      await sessions.rememberNetwork(ann, here, hour);
      expect(await sessions.knowsNetwork(ann, here)).toBe(true);
      expect((await sessions.count()).total).toBe(0);
    });

    it("know the latest 32 networks of a user, also if several logins are concurrent", async () => {
      const { sessions } = await open();
      const [ann, bob, ...networks] = keys(42);
      await sessions.rememberNetwork(bob, networks[0] ?? "", hour);
      for (const network of networks.slice(0, 20)) {
        await sessions.rememberNetwork(ann, network, hour);
        time++;
      }
      await Promise.all(
        networks.slice(20).map((network) => sessions.rememberNetwork(ann, network, 2 * hour)),
      );
      const known = await Promise.all(networks.map((network) => sessions.knowsNetwork(ann, network)));
      expect(known).toEqual([...Array(8).fill(false), ...Array(32).fill(true)]);
      expect(await sessions.knowsNetwork(bob, networks[0] ?? "")).toBe(true);
    });

    it("are counted", async () => {
      const { sessions } = await open();
      expect((await sessions.count()).total).toBe(0);
      const one = await sessions.logIn(grant("staff"));
      await sessions.logIn(grant("press"), one.id);
      const two = await sessions.logIn(grant("staff"));
      await sessions.issueToken(two.id, hour);
      expect(await sessions.count()).toEqual({
        total: 2,
        ...(byProfile && { byProfile: { staff: 2, press: 1 } }),
      });
      await sessions.logOut(two.id);
      expect((await sessions.count()).total).toBe(1);
    });

    it("are found by all users of the store, and removed there immediately", async () => {
      const { sessions, again } = await open();
      const { id } = await sessions.logIn(grant("staff"));
      const token = await sessions.issueToken(id, hour);
      const other = again();
      if (!other) return;
      expect(await other.find(id)).toEqual(await sessions.find(id));
      expect(await other.findByToken(token?.id ?? "")).toBeDefined();
      await sessions.logOut(id);
      expect(await other.find(id)).toBeUndefined();
      expect(await other.findByToken(token?.id ?? "")).toBeUndefined();
    });

    it("are replaced if they exist, and by only one of several logins", async () => {
      const { sessions } = await open();
      const before = await sessions.logIn(grant("staff"));
      const unknown = before.id.replace(/.$/, (last) => (last === "A" ? "E" : "A"));
      for (const other of ["", "nonsense", unknown])
        expect(await sessions.replace(grant("press"), other)).toBeUndefined();
      const all = await Promise.all(
        Array.from({ length: 5 }, (_, i) => sessions.replace(grant(`way ${i}`), before.id)),
      );
      const replaced = all.filter((each) => each !== undefined);
      expect(replaced.length).toBe(1);
      expect(replaced[0]?.expiresAt).toBe(start + ttlMs);
      expect(await profilesOf(sessions, replaced[0]?.id ?? "")).toEqual([
        "staff",
        `way ${all.findIndex((each) => each !== undefined)}`,
      ]);
      expect((await sessions.count()).total).toBe(1);
      expect(await sessions.replace(grant("press"), before.id)).toBeUndefined();
      time = start + ttlMs;
      expect(await sessions.replace(grant("press"), replaced[0]?.id ?? "")).toBeUndefined();
    });

    it("are taken over by one of several concurrent logins", async () => {
      const { sessions } = await open();
      const before = await sessions.logIn(grant("staff"));
      const after = await Promise.all(
        Array.from({ length: 6 }, (_, i) => sessions.logIn(grant(`way ${i}`), before.id)),
      );
      const held = await Promise.all(after.map(({ id }) => profilesOf(sessions, id)));
      expect(held.filter((profiles) => profiles?.includes("staff")).length).toBe(1);
      for (const [i, profiles] of held.entries()) expect(profiles).toContain(`way ${i}`);
      expect(await sessions.find(before.id)).toBeUndefined();
    });

    it("take the place of a session that is there, and of no other", async () => {
      const { store } = await open();
      const [first = "", second = "", third = ""] = ["1", "2", "3"].map((digit) => digit.repeat(64));
      const session = { createdAt: start, expiresAt: start + ttlMs, grants: [grant("staff")] };
      expect(await store.begin(first, session)).toBe(true);
      expect(await Promise.all([second, third].map((key) => store.begin(key, session, first)))).toEqual(
        expect.arrayContaining([true, false]),
      );
      const found = await Promise.all([first, second, third].map((key) => store.find(key)));
      expect(found.filter((each) => each !== undefined)).toEqual([session]);
      expect(found[0]).toBeUndefined();
      const token = { session: first, createdAt: start, expiresAt: start + 1000 };
      expect(await store.addToken(second, token)).toBe(false);
      expect(await store.findByToken(second)).toBeUndefined();
    });

    it("do not come back when logins, tokens and logouts race", async () => {
      const { sessions } = await open();
      const random = seeded(5);
      for (let round = 0; round < 12; round++) {
        const first = await sessions.logIn(grant("staff"));
        const work = Array.from({ length: 5 }, async () => {
          const kind = random(3);
          if (kind === 0) return void (await sessions.logOut(first.id));
          if (kind === 1) return (await sessions.issueToken(first.id, hour))?.id;
          return void (await sessions.logIn(grant("press"), first.id));
        });
        const tokens = await Promise.all(work);
        await sessions.logOut(first.id);
        expect(await sessions.find(first.id)).toBeUndefined();
        expect(await sessions.issueToken(first.id, hour)).toBeUndefined();
        for (const token of tokens) if (token) expect(await sessions.findByToken(token)).toBeUndefined();
      }
    });

    it("leave nothing to take over after an earlier logout", async () => {
      const { sessions } = await open();
      const { id } = await sessions.logIn(grant("staff"));
      const ended = sessions.logOut(id);
      const [next] = await Promise.all([ended.then(() => sessions.logIn(grant("press"), id)), ended]);
      expect(await profilesOf(sessions, next.id)).toEqual(["press"]);
    });

    it("pass their check, which leaves nothing behind", async () => {
      const { sessions, contents } = await open();
      const before = await contents?.();
      await sessions.check();
      expect(await contents?.()).toEqual(before);
      expect((await sessions.count()).total).toBe(0);
    });

    it("work with many concurrent callers", async () => {
      const { sessions } = await open();
      const work = Array.from({ length: 40 }, async (_, i) => {
        const { id } = await sessions.logIn(grant(`p${i % 3}`, `user ${i}`));
        const token = await sessions.issueToken(id, hour);
        expect((await sessions.findByToken(token?.id ?? ""))?.grants[0]?.user).toBe(`user ${i}`);
        if (i % 2) await sessions.logOut(id);
        return id;
      });
      for (const [i, id] of (await Promise.all(work)).entries())
        expect((await sessions.find(id))?.grants[0]?.user).toBe(i % 2 ? undefined : `user ${i}`);
      expect((await sessions.count()).total).toBe(20);
    });
  });
}
