import { execFileSync } from "node:child_process";
import {
  mkdirSync,
  readdirSync,
  readFileSync,
  renameSync,
  rmSync,
  statSync,
  symlinkSync,
  utimesSync,
  writeFileSync,
} from "node:fs";
import { join } from "node:path";
import { afterEach, beforeEach, describe, expect, it } from "vitest";
import { folderSessions } from "../../../../src/server/access/sessions/folder.ts";
import { createSessions } from "../../../../src/server/access/sessions/sessions.ts";
import { nodeFiles } from "../../../../src/server/platform/files/node-files.ts";
import { sessionsContract } from "../../../contracts/sessions.ts";
import { type Folder, filesBelow, temporaryFolder } from "../../stores/filesystem/folder.ts";

const files = nodeFiles();

sessionsContract(
  "a folder",
  async ({ now }) => {
    const folder = await temporaryFolder();
    const make = () => folderSessions({ files, path: folder.path, now });
    return {
      store: make(),
      again: make,
      contents: async () =>
        (await filesBelow(folder.path)).map((file) => `${file}\n${readFileSync(file, "utf8")}\n`).join(""),
      cleanUp: folder.remove,
    };
  },
  { byProfile: true },
);

let folder: Folder;
let time = Date.UTC(2030, 0, 1);
const now = () => time;
const ttlMs = 3_600_000;
beforeEach(async () => {
  folder = await temporaryFolder();
  time = Date.UTC(2030, 0, 1);
});
afterEach(() => folder.remove());

const open = () => {
  const store = folderSessions({ files, path: folder.path, now });
  const sessions = createSessions({ store, ttlMs, now });
  const logIn = (before?: string) =>
    sessions.logIn(
      {
        profile: "p",
        user: "ann",
        fingerprint: "0123456789abcdef0123456789abcdef",
        grantedAt: time,
        expiresAt: time + ttlMs,
      },
      before,
    );
  return { store, sessions, logIn };
};
const sessionFile = () => {
  const [name = ""] = readdirSync(join(folder.path, "v1/sessions"));
  return join(folder.path, "v1/sessions", name);
};

describe("a record in a folder", () => {
  const forms: [string, (file: string) => void][] = [
    ["empty", (file) => writeFileSync(file, "")],
    ["garbage", (file) => writeFileSync(file, "\x00\xff{{{")],
    ["JSON of something else", (file) => writeFileSync(file, '[null, {"version":1}]')],
    ["null", (file) => writeFileSync(file, "null")],
    ["longer than any", (file) => writeFileSync(file, " ".repeat(65 * 1024) + readFileSync(file, "utf8"))],
    ["of another version", (file) => rewrite(file, (record) => ({ ...record, version: 4 }))],
    [
      "of the version before, which does not say what vouched for a login",
      (file) => rewriteGrant(file, { fingerprint: undefined, pattern: "active", backend: "builtin" }, 2),
    ],
    ["with a grant that does not say it", (file) => rewriteGrant(file, { fingerprint: undefined })],
    ["with a fingerprint that is no text", (file) => rewriteGrant(file, { fingerprint: 5 })],
    ["without grants", (file) => rewrite(file, ({ grants: _, ...record }) => record)],
    ["with a broken grant", (file) => rewrite(file, (record) => ({ ...record, grants: [{ profile: "p" }] }))],
    ["without an end", (file) => rewrite(file, (record) => ({ ...record, expiresAt: "never" }))],
    [
      "a pipe",
      (file) => {
        rmSync(file);
        execFileSync("mkfifo", [file]);
      },
    ],
    [
      "a folder",
      (file) => {
        rmSync(file);
        mkdirSync(join(file, "within"), { recursive: true });
        writeFileSync(join(file, "within/precious"), "x");
      },
    ],
    [
      "a link to a record",
      (file) => {
        renameSync(file, join(folder.path, "elsewhere"));
        symlinkSync(join(folder.path, "elsewhere"), file);
      },
    ],
    [
      "a link to a device",
      (file) => {
        rmSync(file);
        symlinkSync("/dev/zero", file);
      },
    ],
    [
      "a link that leads nowhere",
      (file) => {
        rmSync(file);
        symlinkSync("/nowhere", file);
      },
    ],
  ];
  const rewrite = (file: string, change: (record: Record<string, unknown>) => unknown) =>
    writeFileSync(file, JSON.stringify(change(JSON.parse(readFileSync(file, "utf8")))));
  /** `undefined` takes a field away. */
  const rewriteGrant = (file: string, fields: Record<string, unknown>, version = 2) =>
    rewrite(file, ({ grants, ...record }) => ({
      ...record,
      version,
      grants: (grants as object[]).map((grant) => ({ ...grant, ...fields })),
    }));

  it.each(forms)(
    "that is %s is not a session for its tokens, the next login, the sweep or the count",
    async (_, damage) => {
      const { store, sessions, logIn } = open();
      const { id } = await logIn();
      const token = await sessions.issueToken(id, ttlMs);
      damage(sessionFile());
      expect(await sessions.find(id)).toBeUndefined();
      expect(await sessions.findByToken(token?.id ?? "")).toBeUndefined();
      expect(await sessions.issueToken(id, ttlMs)).toBeUndefined();
      expect((await sessions.count()).total).toBe(0);
      await store.sweep?.();
      const next = await logIn(id);
      expect((await sessions.find(next.id))?.grants.length).toBe(1);
      await sessions.logOut(id);
      expect((await sessions.count()).total).toBe(1);
    },
  );

  it("is not touched if it is a folder or a link elsewhere", async () => {
    const { store, sessions, logIn } = open();
    const { id } = await logIn();
    const file = sessionFile();
    rmSync(file);
    mkdirSync(file);
    writeFileSync(join(file, "precious"), "x");
    await store.sweep?.();
    await sessions.logOut(id);
    expect(readFileSync(join(file, "precious"), "utf8")).toBe("x");
  });
});

describe("the sweep of a folder", () => {
  it("removes only expired records", async () => {
    const { store, sessions, logIn } = open();
    const first = await logIn();
    await sessions.issueToken(first.id, ttlMs);
    time += ttlMs / 2;
    const second = await logIn();
    await sessions.issueToken(second.id, 1000);
    const kept = await sessions.issueToken(second.id, ttlMs);
    expect((await filesBelow(folder.path)).length).toBe(8);
    await store.sweep?.();
    expect((await filesBelow(folder.path)).length).toBe(8);
    time += ttlMs / 2;
    await store.sweep?.();
    const left = (await filesBelow(folder.path)).map((file) => file.split("/").at(-3));
    expect(left.toSorted()).toEqual(["bound", "v1", "v1"].toSorted());
    expect(await sessions.findByToken(kept?.id ?? "")).toBeDefined();
    time += ttlMs;
    await store.sweep?.();
    expect(await filesBelow(folder.path)).toEqual([]);
    expect(readdirSync(join(folder.path, "v1/bound"))).toEqual([]);
  });

  it("removes the networks of a user when the last of them is no longer known", async () => {
    const { store, sessions } = open();
    const [user = "", here = "", there = ""] = ["1", "2", "3"].map((digit) => digit.repeat(64));
    await sessions.rememberNetwork(user, here, ttlMs);
    await store.sweep?.();
    time += ttlMs / 2;
    await sessions.rememberNetwork(user, there, ttlMs);
    time += ttlMs / 2;
    await store.sweep?.();
    expect(await sessions.knowsNetwork(user, here)).toBe(false);
    expect(await sessions.knowsNetwork(user, there)).toBe(true);
    expect((await filesBelow(folder.path)).length).toBe(1);
    time += ttlMs / 2;
    await store.sweep?.();
    expect(await filesBelow(folder.path)).toEqual([]);
  });

  it("removes tokens whose session was lost, and half-written files of a crash an hour ago", async () => {
    const { store, sessions, logIn } = open();
    const { id } = await logIn();
    await sessions.issueToken(id, ttlMs);
    rmSync(sessionFile());
    const stray = join(folder.path, "v1/sessions/.12-3-0f8fad5b-d9cb-469f-a165-70867728950e.tmp");
    const mine = join(folder.path, "v1/sessions/notes.txt");
    for (const file of [stray, mine]) {
      writeFileSync(file, "x");
      utimesSync(file, (time - 2 * 3_600_000) / 1000, (time - 2 * 3_600_000) / 1000);
    }
    await store.sweep?.();
    expect(await filesBelow(folder.path)).toEqual([mine]);
  });
});

it("a session in a folder has a bounded number of tokens, of which the oldest are removed", async () => {
  const store = folderSessions({ files, path: folder.path, now, maxTokens: 3 });
  const sessions = createSessions({ store, ttlMs, now });
  const { id } = await sessions.logIn({
    profile: "p",
    user: "",
    fingerprint: "0123456789abcdef0123456789abcdef",
    grantedAt: time,
    expiresAt: time + ttlMs,
  });
  const other = await sessions.logIn({
    profile: "p",
    user: "",
    fingerprint: "0123456789abcdef0123456789abcdef",
    grantedAt: time,
    expiresAt: time + ttlMs,
  });
  const tokens: string[] = [];
  for (let i = 0; i < 5; i++) tokens.push((await sessions.issueToken(id, ttlMs))?.id ?? "");
  const kept = await sessions.issueToken(other.id, ttlMs);
  const found = await Promise.all([...tokens, kept?.id ?? ""].map((token) => sessions.findByToken(token)));
  expect(found.map((each) => each !== undefined)).toEqual([false, false, true, true, true, true]);
  expect((await filesBelow(folder.path)).length).toBe(2 + 2 * 4);
});

describe("a folder of sessions", () => {
  it("fails its check if it is missing, is a file, or cannot be written", async () => {
    const check = (path: string) =>
      folderSessions({ files, path })
        .check()
        .then(
          () => "passed",
          (error: Error) => error.message,
        );
    expect(await check(join(folder.path, "missing"))).toContain("does not exist");
    writeFileSync(join(folder.path, "file"), "");
    expect(await check(join(folder.path, "file"))).toContain("is a file");
    mkdirSync(join(folder.path, "taken"));
    writeFileSync(join(folder.path, "taken/v1"), "");
    expect(await check(join(folder.path, "taken"))).toContain("cannot be written");
    expect(await check(folder.path)).toBe("passed");
  });

  it("that has disappeared is a fault, and logs nobody out", async () => {
    const { sessions, logIn } = open();
    const { id } = await logIn();
    const away = `${folder.path}-away`;
    renameSync(folder.path, away);
    await expect(sessions.find(id)).rejects.toThrow("does not exist");
    await expect(sessions.findByToken(id)).rejects.toThrow("does not exist");
    renameSync(away, folder.path);
    expect(await sessions.find(id)).toBeDefined();
  });
});

it("lets nobody but its own user read sessions and tokens", async () => {
  const { sessions, logIn } = open();
  const { id } = await logIn();
  await sessions.issueToken(id, 60_000);
  const below = readdirSync(folder.path, { recursive: true, encoding: "utf8" });
  const modes = below.map((name) => {
    const { mode } = statSync(join(folder.path, name));
    return [name.replace(/[0-9a-f]{64}/g, "*"), (mode & 0o777).toString(8)];
  });
  expect(Object.fromEntries(modes)).toEqual({
    v1: "700",
    "v1/sessions": "700",
    "v1/sessions/*": "600",
    "v1/tokens": "700",
    "v1/tokens/*": "600",
    "v1/bound": "700",
    "v1/bound/*": "700",
    "v1/bound/*/*": "600",
  });
});
