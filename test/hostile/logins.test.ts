// Attacks on logins: guesses from one network, from fifty and from networks without end, while readers log
// in. Each sends requests to the whole service; nothing depends on how long they take.

import { mkdtempSync, readdirSync, readFileSync, rmSync } from "node:fs";
import { tmpdir } from "node:os";
import { join } from "node:path";
import { afterEach, describe, expect, test } from "vitest";
import { networkOf } from "../../src/base/network/client-network.ts";
import { LoginFailures, ranks } from "../../src/server/access/logins/failures.ts";
import { createVerifier } from "../../src/server/access/passwords/verifier.ts";
import { basic } from "../admin/operator.ts";
import { type Served, served } from "../served.ts";
import { hashes, servedWithAuth } from "../server/api/auth/served.ts";

const running: Served[] = [];
const folders: string[] = [];
afterEach(async () => {
  for (const { service } of running.splice(0)) await service.close();
  for (const folder of folders.splice(0)) rmSync(folder, { recursive: true, force: true, maxRetries: 5 });
});
const started = async (app: Promise<Served>) => {
  const ready = await app;
  running.push(ready);
  return ready;
};
const newFolder = () => {
  const folder = mkdtempSync(join(tmpdir(), "smalti-hostile-"));
  folders.push(folder);
  return folder;
};

const logIn = (app: Served, peer: string, username: string, password: string) =>
  app.get("/iiif/auth/login/staff", {
    peer,
    method: "POST",
    headers: { "Sec-Fetch-Site": "same-origin", "Content-Type": "application/x-www-form-urlencoded" },
    body: new URLSearchParams({ username, password }),
  });
const statusOf = async (response: Promise<Response>) => (await response).status;

/** Networks of attackers, each of a site of its own. */
const attacker = (n: number) => `10.${n >> 16}.${(n >> 8) & 255}.${n & 255}`;

describe("guesses at one user's password", () => {
  test.each([
    ["one network", () => attacker(0)],
    ["fifty networks", (n: number) => attacker(n % 50)],
    ["fifty networks of one IPv6 site", (n: number) => `2001:db8:1:${(n % 50).toString(16)}::1`],
    ["a new network each time", attacker],
  ])("from %s keep no reader out who comes from a new network", async (_, addressOf) => {
    const app = await started(servedWithAuth());
    let entered = 0;
    for (let n = 0; n < 140; n++) {
      expect([401, 429]).toContain(await statusOf(logIn(app, addressOf(n), "ann", `guess ${n}`)));
      if (n % 20 === 19 && (await statusOf(logIn(app, `203.0.113.${n}`, "ann", "secret"))) === 200) entered++;
    }
    expect(entered).toBe(7);
  });

  test("from one network are soon refused, concurrent ones too", async () => {
    const app = await started(servedWithAuth());
    const statuses: number[] = [];
    for (let n = 0; n < 6; n++)
      statuses.push(
        ...(await Promise.all([0, 1, 2].map(() => statusOf(logIn(app, attacker(0), "ann", "no"))))),
      );
    expect(statuses.filter((status) => status === 401).length).toBeLessThan(10);
    expect(statuses).toContain(429);
  });

  test("are counted however long the names are, and whatever they contain", async () => {
    const app = await started(servedWithAuth());
    for (const name of [
      "x".repeat(16_000),
      "\u0000",
      "ann\n",
      "%00",
      "constructor",
      "__proto__",
      "é".repeat(500),
    ])
      expect([401, 413, 429]).toContain(await statusOf(logIn(app, attacker(1), name, "no")));
    expect(await statusOf(logIn(app, attacker(2), "ann", "secret"))).toBe(200);
  });
});

describe("wrong logins that fill the queue of passwords", () => {
  /** The queue of a service with two processors, and the turns that logins have in it. */
  const queue = () => {
    const verifier = createVerifier({ platform: { parallelism: 2 }, ranks });
    const failures = new LoginFailures();
    const order: string[] = [];
    /** Checks a password, with the turn of a login that fails. */
    const check = async (name: string, address: string, isKnown = false) => {
      const attempt = failures.attempt(address, `staff/${name}`, isKnown);
      if ("waitMs" in attempt) return;
      const turn = { client: networkOf(address, 64), rank: attempt.rank };
      await verifier.verify("no", hashes.bcrypt, undefined, turn).then(
        () => order.push(name),
        () => order.push(`${name} is refused`),
      );
    };
    return { check, order };
  };

  test("of one network delay a reader by two checks, and refuse none", async () => {
    const { check, order } = queue();
    const attack = Array.from({ length: 100 }, (_, n) => check(`guess ${n}`, attacker(0)));
    await Promise.all([...attack, check("reader", "203.0.113.5")]);
    expect(order.indexOf("reader")).toBeLessThanOrEqual(2);
  });

  test("of two hundred networks refuse no reader whom the network is known to, or who has no neighbours that fail", async () => {
    const { check, order } = queue();
    // As those that one provider rents out.
    const attack = Array.from({ length: 200 }, (_, n) => check(`guess ${n}`, `192.0.2.${n}`));
    await Promise.all([...attack, check("known", "203.0.113.5", true), check("new", "198.51.100.7")]);
    expect(order.filter((name) => name.endsWith("refused")).length).toBeGreaterThan(100);
    const checked = order.filter((name) => !name.endsWith("refused"));
    expect(checked.indexOf("known")).toBe(1);
    // After those that came before it and had no such neighbours either.
    expect(checked.indexOf("new")).toBeLessThan(10);
  });
});

describe("networks that users have logged in from", () => {
  test("are known after a restart, and are kept without names and addresses", async () => {
    const folder = newFolder();
    const service = () => servedWithAuth({ more: `session: { backend: filesystem, path: ${folder} }` });
    const before = await started(service());
    const known = async (app: Served, user: string, address: string) => {
      const { logins, knownNetworks } = app.service.auth!;
      const hash = (await logins.passwordsOf("staff")?.hashFor(user)) ?? "";
      return knownNetworks.has({ user: `staff/${user}`, hash, address });
    };
    expect(await statusOf(logIn(before, "203.0.113.5", "ann", "secret"))).toBe(200);
    expect(await statusOf(logIn(before, "203.0.113.6", "ann", "wrong"))).toBe(401);
    expect(await statusOf(logIn(before, "203.0.113.6", "eve", "wrong"))).toBe(401);
    const after = await started(service());
    expect(await known(after, "ann", "203.0.113.5")).toBe(true);
    expect(await known(after, "ann", "203.0.113.6")).toBe(false);
    expect(await known(after, "eve", "203.0.113.6")).toBe(false);
    expect(await known(after, "jörg ✓", "203.0.113.5")).toBe(false);
    const kept = readdirSync(folder, { recursive: true, withFileTypes: true })
      .filter((entry) => entry.isFile() && entry.parentPath.endsWith("networks"))
      .map(({ parentPath, name }) => name + readFileSync(join(parentPath, name), "utf8"));
    expect(kept).toHaveLength(1);
    expect(kept[0]).not.toMatch(/ann|203\.0/);
  });
});

describe("guesses at the operator's password", () => {
  const env = { SERVICE_ADMIN_USER: "admin", SERVICE_ADMIN_PASS: "correct horse" };
  const visit = (app: Served, peer: string, password: string, user = "admin") =>
    statusOf(app.get("/admin/", { peer, headers: { Authorization: basic(user, password) } }));

  test.each([
    ["one network", () => attacker(0)],
    ["fifty networks", (n: number) => attacker(n % 50)],
    ["a new network each time", attacker],
  ])("from %s keep the operator out of no new network", async (_, addressOf) => {
    const app = await started(served("", env));
    for (let n = 0; n < 140; n++) expect([401, 429]).toContain(await visit(app, addressOf(n), `guess ${n}`));
    expect(await visit(app, "203.0.113.5", "correct horse")).toBe(200);
  });
});

describe("wrong tokens for writing", () => {
  const token = "e3b0c44298fc1c149afbf4c8996fb924";
  const state = { id: "https://images.example.org/iiif/presentation/3/a", type: "Manifest" };
  const keep = (app: Served, peer: string, sent?: string) =>
    app.get("/content-state", {
      peer,
      method: "POST",
      headers: { "Content-Type": "application/json", ...(sent && { Authorization: `Bearer ${sent}` }) },
      body: JSON.stringify(state),
    });
  const service = () =>
    started(
      served(
        `content_state: { enabled: true, store: { enabled: true, dir: ${newFolder()}, write_token_env: WRITE } }`,
        {
          WRITE: token,
        },
      ),
    );

  test("of one network make it wait, with the right one too, and no other network", async () => {
    const app = await service();
    for (let n = 0; n < 10; n++) expect(await statusOf(keep(app, attacker(0)))).toBe(401);
    const late: Response[] = [];
    for (let n = 0; n < 12; n++) {
      const { status } = await keep(app, attacker(0), `guess ${n}`);
      expect(n < 5 ? [401] : [401, 429]).toContain(status);
      if (status === 429) late.push(await keep(app, attacker(0), token));
    }
    const refused = late.find(({ status }) => status === 429);
    expect(Number(refused?.headers.get("Retry-After"))).toBeGreaterThan(0);
    expect(await refused?.json()).toMatchObject({ code: "write_token_wait" });
    expect(await statusOf(keep(app, "203.0.113.5", token))).toBe(201);
  });

  test("of others delay nobody, and concurrent right ones count as no failures", async () => {
    const app = await service();
    for (let n = 0; n < 140; n++)
      expect([401, 429]).toContain(await statusOf(keep(app, attacker(n), `guess ${n}`)));
    const all = await Promise.all(
      Array.from({ length: 20 }, () => statusOf(keep(app, "203.0.113.5", token))),
    );
    expect(new Set(all)).toEqual(new Set([201]));
  });
});
