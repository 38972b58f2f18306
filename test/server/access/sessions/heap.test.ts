import { describe, expect, it } from "vitest";
import { heapSessions } from "../../../../src/server/access/sessions/heap.ts";
import { createSessions } from "../../../../src/server/access/sessions/sessions.ts";
import { sessionsContract } from "../../../contracts/sessions.ts";

sessionsContract("memory", async ({ now }) => ({ store: heapSessions({ now }) }), { byProfile: true });

const ttlMs = 60_000;

function full(options: { readonly maxRecords: number; readonly maxTokens?: number }) {
  const clock = { time: Date.UTC(2030, 0, 1) };
  const now = () => clock.time;
  const store = heapSessions({ ...options, now });
  const grant = () => ({
    profile: "p",
    user: "",
    fingerprint: "0123456789abcdef0123456789abcdef",
    grantedAt: now(),
    expiresAt: now() + ttlMs,
  });
  const sessions = createSessions({ store, ttlMs, now });
  return { clock, sessions, logIn: (before?: string) => sessions.logIn(grant(), before) };
}

describe("sessions in memory that is full", () => {
  it("refuse a login, and leave all others logged in", async () => {
    const { sessions, logIn, clock } = full({ maxRecords: 3 });
    const ids = [await logIn(), await logIn(), await logIn()].map(({ id }) => id);
    await expect(logIn()).rejects.toMatchObject({ kind: "busy", code: "sessions_full" });
    for (const id of ids) expect(await sessions.find(id)).toBeDefined();
    await sessions.logOut(ids[0] ?? "");
    ids[0] = (await logIn()).id;
    // A reader with a session may log in to something else.
    ids[1] = (await logIn(ids[1])).id;
    for (const id of ids) expect(await sessions.find(id)).toBeDefined();
    clock.time += ttlMs;
    expect(await sessions.find((await logIn()).id)).toBeDefined();
  });

  it("end the oldest token of the session that requests another, and no other session's", async () => {
    const { sessions, logIn } = full({ maxRecords: 6 });
    const [one, two, third] = [await logIn(), await logIn(), await logIn()];
    const token = async (id: string) => (await sessions.issueToken(id, ttlMs))?.id ?? "";
    const [a, b, c] = [await token(one.id), await token(one.id), await token(two.id)];
    const d = await token(one.id);
    const found = await Promise.all([a, b, c, d].map((each) => sessions.findByToken(each)));
    expect(found.map((each) => each !== undefined)).toEqual([false, true, true, true]);
    await expect(token(third.id)).rejects.toMatchObject({ kind: "busy", code: "sessions_full" });
  });
});

describe("tokens in memory", () => {
  it("leave half of the room to sessions, whichever session they belong to", async () => {
    const { sessions, logIn, clock } = full({ maxRecords: 8 });
    const [one, two] = [await logIn(), await logIn()];
    const token = async (id: string, ms = ttlMs) => (await sessions.issueToken(id, ms))?.id ?? "";
    const tokens: string[] = [];
    for (let i = 0; i < 9; i++) tokens.push(await token(one.id, ttlMs / 2));
    const found = await Promise.all(tokens.map((each) => sessions.findByToken(each)));
    expect(found.filter((each) => each !== undefined).length).toBe(4);
    await expect(token(two.id)).rejects.toMatchObject({ kind: "busy", code: "sessions_full" });
    await logIn();
    await logIn();
    await expect(logIn()).rejects.toMatchObject({ kind: "busy", code: "sessions_full" });
    clock.time += ttlMs / 2;
    expect(await token(two.id)).not.toBe("");
  });
});

it("a session in memory has a bounded number of tokens, of which the oldest are removed", async () => {
  const { sessions, logIn } = full({ maxRecords: 100, maxTokens: 3 });
  const { id } = await logIn();
  const tokens: string[] = [];
  for (let i = 0; i < 5; i++) tokens.push((await sessions.issueToken(id, ttlMs))?.id ?? "");
  const found = await Promise.all(tokens.map((token) => sessions.findByToken(token)));
  expect(found.map((each) => each !== undefined)).toEqual([false, false, true, true, true]);
});
