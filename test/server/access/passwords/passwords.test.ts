// Names and passwords of a profile, on real worker threads and in place.
// @module-tag slow

import { mkdirSync, mkdtempSync, rmSync, writeFileSync } from "node:fs";
import { tmpdir } from "node:os";
import { join } from "node:path";
import { pathToFileURL } from "node:url";
import { afterAll, afterEach, beforeAll, describe, expect, it } from "vitest";
import { build } from "../../../../scripts/build.mjs";
import { silentLog } from "../../../../src/base/telemetry/log.ts";
import { openPasswords, type Passwords } from "../../../../src/server/access/passwords/index.ts";
import {
  createVerifier,
  type Verifier,
  type VerifierOptions,
} from "../../../../src/server/access/passwords/verifier.ts";
import { nodePlatform } from "../../../../src/server/platform/node.ts";

const directory = mkdtempSync(join(tmpdir(), "smalti-passwords-"));
const threaded = { ...nodePlatform(pathToFileURL(`${directory}/`)), parallelism: 2 };
const { startWorker: _, ...inPlace } = threaded;

beforeAll(async () => {
  await build({ outdir: directory, only: "password-thread", quiet: true });
});
afterAll(() => rmSync(directory, { recursive: true, force: true, maxRetries: 5 }));
const open: Verifier[] = [];
afterEach(() => {
  for (const verifier of open.splice(0)) verifier.close();
});

const verifierOf = (options: Partial<VerifierOptions> = {}) => {
  const verifier = createVerifier({ platform: threaded, ...options });
  open.push(verifier);
  return verifier;
};

// `openssl passwd -apr1 -salt abcdefgh hello`, and test vectors of Openwall's crypt_blowfish.
const hello = "$apr1$abcdefgh$cy3DSYyOwfhsyu7QOMQzd.";
const uu = "$2a$05$CCCCCCCCCCCCCCCCCCCCC.E5YPO9kmyuRGyh0XouQYb4YMJKvyOeW";
const users = { ann: uu, bob: hello };
const key = "auth.profiles.staff.access_service";

const passwordsOf = (
  options: { users?: Record<string, string>; htpasswd_file?: string },
  { verifier = verifierOf(), log = silentLog, now = (): number => 0 } = {},
) => {
  const all = { users: {}, htpasswd_file: "", ...options };
  return openPasswords(all, { platform: threaded, log, verifier, key, now });
};

const isRight = async (passwords: Passwords, user: string, password: string) =>
  (await passwords.verify(user, password)) !== undefined;

describe.each([
  ["in a worker", () => verifierOf()],
  ["in place", () => verifierOf({ platform: inPlace })],
])("a password that is checked %s", (_, verifier) => {
  it("is correct for its user alone", async () => {
    const passwords = await passwordsOf({ users }, { verifier: verifier() });
    const answers = await Promise.all(
      [
        ["ann", "U*U"],
        ["bob", "hello"],
        ["ann", "hello"],
        ["bob", "U*U"],
        ["ann", ""],
        ["ann", "U*u"],
        ["Ann", "U*U"],
        ["eve", "U*U"],
        ["eve", "hello"],
        ["", ""],
        ["__proto__", "U*U"],
        ["constructor", "x"],
        ["ann", uu],
        ["ann", "U*U".padEnd(100_000, "x")],
      ].map(([user = "", password = ""]) => isRight(passwords, user, password)),
    );
    expect(answers).toEqual([true, true, ...Array.from({ length: 12 }, () => false)]);
  });

  it("is wrong for everybody if there are no users", async () => {
    const file = join(directory, "empty");
    writeFileSync(file, "# nobody yet\n");
    const passwords = await passwordsOf({ htpasswd_file: file }, { verifier: verifier() });
    expect(await isRight(passwords, "ann", "U*U")).toBe(false);
  });
});

describe("a name that is not there", () => {
  it("costs a check of a hash that is there, always of the same one, and of each of them for some name", async () => {
    const asked: string[] = [];
    const real = verifierOf();
    const verifier: Verifier = {
      ...real,
      verify(password, hash, signal) {
        asked.push(hash);
        return real.verify(password, hash, signal);
      },
    };
    const passwords = await passwordsOf({ users }, { verifier });
    for (const user of ["eve", "eve", "eve", ...Array.from({ length: 30 }, (_, i) => `u${i}`)])
      expect(await isRight(passwords, user, user === "eve" ? "U*U" : "hello")).toBe(false);
    expect(asked.length).toBe(33);
    expect(new Set(asked)).toEqual(new Set([uu, hello]));
    expect(new Set(asked.slice(0, 3)).size).toBe(1);
    // A second list, as in another process or after a restart.
    const others = await passwordsOf({ users }, { verifier });
    for (let i = 0; i < 30; i++) await others.verify(`u${i}`, "hello");
    expect(asked.slice(33)).toEqual(asked.slice(3, 33));
  });
});

describe("a password file", () => {
  const put = (name: string, text: string) => {
    const file = join(directory, name);
    writeFileSync(file, text);
    return file;
  };

  it("counts instead of the users of the configuration", async () => {
    const file = put("wins", `bob:${uu}\n`);
    const passwords = await passwordsOf({ users, htpasswd_file: file });
    expect(await isRight(passwords, "bob", "U*U")).toBe(true);
    expect(await isRight(passwords, "bob", "hello")).toBe(false);
    expect(await isRight(passwords, "ann", "U*U")).toBe(false);
  });

  it("may have comments, empty lines, Windows line ends, more fields, and names in any script", async () => {
    const file = put("forms", `# staff\r\n\r\nÄnn Ö:${uu}\r\nbob:${hello}:Bob:x\r\n  \nbob:${uu}`);
    const passwords = await passwordsOf({ htpasswd_file: file });
    expect(await isRight(passwords, "Änn Ö", "U*U")).toBe(true);
    expect(await isRight(passwords, "bob", "hello")).toBe(true);
    expect(await isRight(passwords, "bob", "U*U")).toBe(false);
    expect(await isRight(passwords, "# staff", "U*U")).toBe(false);
  });

  it("is read again after a change, and the previous list stays if it is broken", async () => {
    const lines: string[] = [];
    const note = (message: string, fields: unknown) =>
      void lines.push(`${message} ${JSON.stringify(fields)}`);
    const log = { ...silentLog, info: note, error: note };
    let time = 0;
    const file = put("changes", `ann:${uu}\n`);
    const passwords = await passwordsOf({ htpasswd_file: file }, { log, now: () => time });
    const rights = async () => [
      await isRight(passwords, "ann", "U*U"),
      await isRight(passwords, "bob", "hello"),
    ];
    const change = (text: string) => {
      put("changes", text);
      time += 1000;
    };
    expect(await rights()).toEqual([true, false]);
    change(`ann:${uu}\nbob:${hello}\n`);
    expect(await rights()).toEqual([true, true]);
    await passwords.check();
    change("ann:{SHA}5en6G6MezRroT3XKqkdPOmY/BfQ=\nbob:top-secret\n");
    expect(await rights()).toEqual([true, true]);
    await expect(passwords.check()).rejects.toThrow("line 1: ");
    change(`bob:${hello}\n`);
    expect(await rights()).toEqual([false, true]);
    rmSync(file);
    time += 1000;
    expect(await rights()).toEqual([false, true]);
    await expect(passwords.check()).rejects.toThrow("does not exist");
    const told = lines.join("\n");
    expect(told).toContain("SHA-1");
    for (const secret of ["5en6G6Mez", "top-secret", hello, uu, "U*U"]) expect(told).not.toContain(secret);
  });

  it.each([
    ["a plaintext password", "ann:top-secret", /line 1: .*plaintext/],
    ["crypt", `bob:${hello}\nann:rqXexS6ZhobKA`, /line 2: .*crypt/],
    ["SHA-1", "ann:{SHA}5en6G6MezRroT3XKqkdPOmY/BfQ=", /line 1: .*SHA-1/],
    ["no hash", "ann", /line 1: expected a name, a colon and a hash/],
    ["no name", `:${uu}`, /line 1: expected a name/],
  ])("with %s is refused at the start, by key and line", async (_, text, message) => {
    const error: Error = await passwordsOf({ htpasswd_file: put("refused", text) }).then(
      () => expect.unreachable("it was taken"),
      (error) => error,
    );
    expect(error.message).toMatch(message);
    expect(error.message).toContain(`${key}.htpasswd_file`);
    for (const secret of ["top-secret", "rqXexS6ZhobKA", "5en6G6Mez"])
      expect(String(error.stack)).not.toContain(secret);
  });

  it("that is missing, is a folder, or is not in UTF-8 is refused at the start", async () => {
    const refuses = (file: string, message: RegExp) =>
      expect(passwordsOf({ htpasswd_file: file })).rejects.toThrow(message);
    await refuses(join(directory, "missing"), /does not exist/);
    await refuses(directory, /htpasswd_file/);
    const latin = join(directory, "latin");
    writeFileSync(latin, Buffer.from(`\xc4nn:${uu}\n`, "latin1"));
    await refuses(latin, /UTF-8/);
  });

  it("is not the only list that is checked at the start", async () => {
    await expect(passwordsOf({ users: { ann: "top-secret" } })).rejects.toThrow(
      /users\.ann: .*plaintext password$/,
    );
  });
});

describe("checks of passwords", () => {
  it("run a few at a time, and those that find the queue full are refused", async () => {
    let started = 0;
    const platform = {
      parallelism: 8,
      startWorker: (entry?: Parameters<typeof threaded.startWorker & object>[0]) => {
        started++;
        return (threaded.startWorker as NonNullable<typeof threaded.startWorker>)(entry);
      },
    };
    const verifier = verifierOf({ platform, maxWaiting: 3 });
    const all = await Promise.allSettled(Array.from({ length: 8 }, () => verifier.verify("U*U", uu)));
    expect(all.filter(({ status }) => status === "fulfilled").length).toBe(5);
    for (const each of all)
      if (each.status === "rejected") expect(each.reason).toMatchObject({ kind: "busy" });
    expect(await verifier.verify("U*U", uu)).toBe(true);
    expect(started).toBe(2);
  });

  it("leave the queue when their request ends", async () => {
    const verifier = verifierOf();
    const ended = new AbortController();
    const running = verifier.verify("U*U", uu);
    const waiting = verifier.verify("U*U", uu, ended.signal);
    ended.abort();
    await expect(waiting).rejects.toMatchObject({ kind: "cancelled" });
    expect(await running).toBe(true);
  });

  it.each([
    ["dies", "process.exit(3);"],
    ["cannot start", "import './missing.js';"],
    ["does not answer", "setInterval(() => {}, 1000);"],
  ])("fail if the worker %s, and the next one gets another worker", async (name, code) => {
    const place = join(directory, name.replaceAll(" ", "-"));
    mkdirSync(place);
    writeFileSync(join(place, "password-thread.js"), code);
    writeFileSync(join(place, "package.json"), '{"type":"module"}');
    const broken = nodePlatform(pathToFileURL(`${place}/`));
    let uses = broken;
    const platform = {
      parallelism: 1,
      startWorker: (...args: Parameters<NonNullable<typeof broken.startWorker>>) =>
        (uses.startWorker as NonNullable<typeof broken.startWorker>)(...args),
    };
    const verifier = verifierOf({ platform, ...(name === "does not answer" && { replyMs: 300 }) });
    const error = await verifier.verify("U*U", uu).catch((error: unknown) => error);
    expect(error).toMatchObject({ kind: "busy", code: "password_unchecked" });
    expect(JSON.stringify([String((error as Error).cause), (error as Error).stack])).not.toContain("U*U");
    uses = threaded;
    const patient = name === "does not answer" ? verifierOf() : verifier;
    expect(await patient.verify("U*U", uu)).toBe(true);
  });
});
