// Logins after their basis has changed: the profile in the configuration, or the list of passwords.

import { mkdirSync, mkdtempSync, rmSync, writeFileSync } from "node:fs";
import { tmpdir } from "node:os";
import { join } from "node:path";
import { afterEach, beforeEach, describe, expect, test } from "vitest";
import { fixturesFolder } from "../../../host.ts";
import { type Served, served } from "../../../served.ts";
import { type Browser, browserOf, hashes } from "./served.ts";

/** `secret` by `openssl passwd -apr1 -salt another1`. */
const another = "$apr1$another1$YRolW.ue/B03Es.AJpxPb.";

let folder: string;
let running: Served[] = [];
beforeEach(() => {
  folder = mkdtempSync(join(tmpdir(), "smalti-changed-"));
  mkdirSync(join(folder, "sessions"));
  return async () => rmSync(folder, { recursive: true, force: true, maxRetries: 5 });
});
afterEach(async () => {
  for (const { service } of running.splice(0)) await service.close();
});

const passwords = (users: Readonly<Record<string, string>>) =>
  `pattern: active, access_service: { backend: builtin, users: ${JSON.stringify(users)} }`;
const own = passwords({ ann: hashes.bcrypt, bob: hashes.bcrypt });

/** A service over the sessions of the one before; `staff`: the profile of base.png. */
async function start(staff = own): Promise<Served> {
  const app = await served(
    `base_url: https://images.example.org
sources: [{ name: files, type: filesystem, root: ${JSON.stringify(fixturesFolder)} }]
auth:
  session: { backend: filesystem, path: ${JSON.stringify(join(folder, "sessions"))} }
  profiles:
    staff: { ${staff} }
    terms: { pattern: clickthrough, access_service: { backend: builtin } }
  rules: [{ match: base.png, profile: staff }, { match: gif-static.gif, profile: terms }]
`,
    { SECRET: "of at least sixteen characters" },
  );
  running.push(app);
  return app;
}

async function restart(staff?: string): Promise<Served> {
  for (const { service } of running) await service.close();
  running = [];
  return start(staff);
}

/** Logged in to both profiles, with a token of that session. */
async function logIn(app: Served, username = "ann") {
  const reader = browserOf(app);
  await reader.visit("/iiif/auth/login/terms", { form: {} });
  const { status } = await reader.visit("/iiif/auth/login/staff", { form: { username, password: "secret" } });
  expect(status).toBe(200);
  const { accessToken } = (await (await reader.visit("/iiif/auth/v1/token")).json()) as {
    accessToken: string;
  };
  return { reader, accessToken };
}

/** Statuses of base.png, by cookie and by token, and of the other image, by cookie. */
async function seen(app: Served, { reader, accessToken }: { reader: Browser; accessToken: string }) {
  const statusOf = async (name: string, headers: Record<string, string>) =>
    (await app.get(`/iiif/3/${name}/full/8,/0/default.jpg`, { headers })).status;
  const cookie = { Cookie: `service_session=${reader.cookie()}` };
  const bearer = { Authorization: `Bearer ${accessToken}` };
  return [
    await statusOf("base.png", cookie),
    await statusOf("base.png", bearer),
    await statusOf("gif-static.gif", cookie),
  ];
}

describe("after a restart a login", () => {
  test.each([
    ["counts where nothing has changed", own, 200],
    ["counts where others came, went and changed", passwords({ ann: hashes.bcrypt, eve: another }), 200],
    ["counts no more where its user was removed", passwords({ bob: hashes.bcrypt }), 401],
    ["counts no more where its user has another hash", passwords({ ann: another }), 401],
    [
      "counts no more where the profile has another pattern",
      "pattern: clickthrough, access_service: { backend: builtin }",
      401,
    ],
    [
      "counts no more where the profile has another backend",
      "pattern: active, access_service: { backend: external, url: https://login.example.org, callback_secret_env: SECRET }",
      401,
    ],
  ])("%s", async (_, staff, status) => {
    const login = await logIn(await start());
    const app = await restart(staff);
    expect(await seen(app, login)).toEqual([status, status, 200]);
  });

  test("is valid again if the change was reverted", async () => {
    const login = await logIn(await start());
    expect(await seen(await restart(passwords({ bob: another })), login)).toEqual([401, 401, 200]);
    expect(await seen(await restart(), login)).toEqual([200, 200, 200]);
  });

  test("of a removed user gets no token, since no grant is left", async () => {
    const app = await start();
    const reader = browserOf(app);
    await reader.visit("/iiif/auth/login/staff", { form: { username: "ann", password: "secret" } });
    const headers = { Cookie: `service_session=${reader.cookie()}` };
    expect((await app.get("/iiif/auth/v1/token", { headers })).status).toBe(200);
    const after = await restart(passwords({ bob: hashes.bcrypt }));
    const answer = await after.get("/iiif/auth/v1/token", { headers });
    expect([answer.status, await answer.json()]).toEqual([
      401,
      expect.objectContaining({ error: "invalidCredentials" }),
    ]);
  });
});

describe("a login by a password file", () => {
  const file = () => join(folder, "htpasswd");
  const startWith = (text: string) => {
    writeFileSync(file(), text);
    return start(
      `pattern: active, access_service: { backend: builtin, htpasswd_file: ${JSON.stringify(file())} }`,
    );
  };

  test.each([
    ["its user leaves the file", `bob:${hashes.bcrypt}\n`],
    ["its user gets another hash", `ann:${another}\nbob:${hashes.bcrypt}\n`],
  ])("ends when %s, without a restart and without another login", async (_, text) => {
    const app = await startWith(`ann:${hashes.bcrypt}\nbob:${hashes.bcrypt}\n`);
    const [ann, bob] = [await logIn(app), await logIn(app, "bob")];
    writeFileSync(file(), text);
    await expect.poll(() => seen(app, ann), { interval: 200 }).toEqual([401, 401, 200]);
    expect(await seen(app, bob)).toEqual([200, 200, 200]);
  });

  test("stays valid while the file is broken", async () => {
    const app = await startWith(`ann:${hashes.bcrypt}\n`);
    const ann = await logIn(app);
    writeFileSync(file(), "ann:plain\n");
    await expect
      .poll(async () => (await app.service.ready()).passwords?.[0]?.healthy, { interval: 200 })
      .toBe(false);
    expect(await seen(app, ann)).toEqual([200, 200, 200]);
  });
});
