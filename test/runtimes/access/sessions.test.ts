// Sessions in Redis, over a socket and over HTTP, in a bucket, and in a folder, on every runtime: each server
// finds those that this process began in the same store. And those in memory, which begin with logins.

import { readdirSync, statSync } from "node:fs";
import { join } from "node:path";
import { afterAll, beforeAll, describe, expect, it } from "vitest";
import { createFingerprints } from "../../../src/server/access/fingerprints.ts";
import { createKiosks } from "../../../src/server/access/logins/kiosk.ts";
import { profileOptions } from "../../../src/server/access/profiles/options.ts";
import { buildSessions } from "../../../src/server/access/sessions/index.ts";
import { sessionOptions } from "../../../src/server/access/sessions/options.ts";
import { nodeFiles } from "../../../src/server/platform/files/node-files.ts";
import { chosenRuntimes, type Runtime } from "../runtimes.ts";
import { runtimesFor } from "../selection.ts";
import { startServer } from "../server.ts";
import { type SharedStores, startStores } from "../stores.ts";

let servers: SharedStores;
beforeAll(async () => {
  servers = await startStores();
});
afterAll(() => servers?.close());

type Store = "Redis" | "Redis over REST" | "a bucket" | "a folder";

const stores: readonly (readonly [Store, (folder: string) => object])[] = [
  [
    "Redis",
    () => ({
      backend: "redis",
      redis: { addr: `127.0.0.1:${servers.redis.port}`, password_env: "REDIS_PASSWORD", timeout: "10s" },
    }),
  ],
  [
    "Redis over REST",
    () => ({
      backend: "redis",
      redis: { url: servers.front.url, token_env: "UPSTASH_REDIS_REST_TOKEN", timeout: "10s" },
    }),
  ],
  [
    "a bucket",
    () => ({
      backend: "s3",
      s3: {
        bucket: servers.bucket.bucket,
        region: servers.bucket.region,
        endpoint: servers.bucket.url,
        path_style: true,
        session_token_env: "AWS_SESSION_TOKEN",
        timeout: "10s",
      },
    }),
  ],
  ["a folder", (path) => ({ backend: "filesystem", path })],
];

const path = "/iiif/3/base.png/0,0,20,20/max/0/default.png";
const profiles = "{ p: { pattern: clickthrough, access_service: { backend: builtin } } }";
const extraOf = (session: object) =>
  `auth: { session: ${JSON.stringify(session)}, profiles: ${profiles}, rules: [{ match: base.png, profile: p }] }`;

const isIn = (store: Store | "memory", runtime: Runtime) =>
  runtimesFor(`sessions in ${store}`).includes(runtime);
const runtimes = chosenRuntimes().filter((runtime) =>
  (["memory", ...stores.map(([name]) => name)] as const).some((store) => isIn(store, runtime)),
);

describe.each(runtimes)("smalti on $name", (runtime) => {
  it.each(stores.filter(([name]) => isIn(name, runtime)))(
    "finds and loses the sessions in %s",
    async (name, optionsOf) => {
      // On workerd a path is below the directory.
      const server = await startServer(runtime, {
        extra: extraOf(optionsOf(runtime.hosted ? "/images/deep" : "images/deep")),
      });
      try {
        const { url, directory } = server;
        const own = join(directory, "images", "deep");
        const { sessions } = buildSessions(sessionOptions.parse(optionsOf(own)), 3_600_000, {
          platform: { env: process.env, files: nodeFiles() },
          log: { warn: (message, fields) => expect.unreachable(`${message} ${JSON.stringify(fields)}`) },
        });
        const statusWith = async (id: string) => {
          const response = await fetch(`${url}${path}`, { headers: { cookie: `service_session=${id}` } });
          await response.arrayBuffer();
          return response.status;
        };
        const profile = profileOptions.parse({
          pattern: "clickthrough",
          access_service: { backend: "builtin" },
        });
        const fingerprint = await createFingerprints({
          profileOf: (name) => ({ name, ...profile }),
          logins: { passwordsOf: () => undefined, externalOf: () => undefined, oidcOf: () => undefined },
          kiosks: createKiosks({}),
        }).of("p", "ann");
        const grantOf = (profile: string) => ({
          profile,
          user: "ann",
          fingerprint: fingerprint ?? "",
          grantedAt: Date.now(),
          expiresAt: Date.now() + 3_600_000,
        });
        const { id } = await sessions.logIn(grantOf("p"));
        const other = await sessions.logIn(grantOf("another"));
        // On workerd a listing counts for a second.
        await expect.poll(() => statusWith(id)).toBe(200);
        expect(await statusWith(other.id)).toBe(401);
        expect(await statusWith("A".repeat(43))).toBe(401);
        if (name === "a folder" && !runtime.hosted) {
          await fetch(`${url}/iiif/auth/v1/token`, { headers: { cookie: `service_session=${id}` } });
          const tokens = join(own, "v1", "tokens");
          const [token = ""] = readdirSync(tokens);
          const modes = [tokens, join(tokens, token)].map((path) => statSync(path).mode & 0o777);
          expect(modes).toEqual([0o700, 0o600]);
        }
        const next = await sessions.logIn(grantOf("another"), id);
        await expect.poll(() => statusWith(next.id)).toBe(200);
        await expect.poll(() => statusWith(id)).toBe(401);
        await sessions.logOut(next.id);
        await expect.poll(() => statusWith(next.id)).toBe(401);
        await sessions.close();
      } finally {
        await server.close();
      }
    },
  );

  if (!isIn("memory", runtime)) return;

  it("stores its own sessions in memory, after a click and after passwords of both kinds", async () => {
    // `openssl passwd -apr1 -salt abcdefgh hello`, and a test vector of Openwall's crypt_blowfish.
    const users = {
      bob: "$apr1$abcdefgh$cy3DSYyOwfhsyu7QOMQzd.",
      ann: "$2a$05$CCCCCCCCCCCCCCCCCCCCC.E5YPO9kmyuRGyh0XouQYb4YMJKvyOeW",
    };
    const active = { pattern: "active", access_service: { backend: "builtin", users } };
    const click = { pattern: "clickthrough", access_service: { backend: "builtin" } };
    const rules = [
      { match: "base.png", profile: "staff" },
      { match: "gif-static.gif", profile: "terms" },
    ];
    const auth = { profiles: { staff: active, terms: click }, rules };
    const server = await startServer(runtime, { extra: `auth: ${JSON.stringify(auth)}` });
    try {
      const logIn = async (profile: string, form: Record<string, string>, cookie = "") => {
        const response = await fetch(`${server.url}/iiif/auth/login/${profile}`, {
          method: "POST",
          body: new URLSearchParams(form),
          headers: cookie ? { cookie } : {},
          redirect: "manual",
        });
        await response.arrayBuffer();
        return { status: response.status, cookie: response.headers.get("set-cookie")?.split(";")[0] ?? "" };
      };
      const statuses = (cookie: string) =>
        Promise.all(
          ["base.png", "gif-static.gif"].map(async (name) => {
            const target = `${server.url}/iiif/3/${name}/0,0,20,20/max/0/default.png`;
            const response = await fetch(target, { headers: { cookie } });
            await response.arrayBuffer();
            return response.status;
          }),
        );
      expect((await logIn("staff", { username: "ann", password: "hello" })).status).toBe(401);
      expect((await logIn("staff", { username: "eve", password: "U*U" })).status).toBe(401);
      const bob = await logIn("staff", { username: "bob", password: "hello" });
      const ann = await logIn("staff", { username: "ann", password: "U*U" });
      expect([bob.status, ann.status]).toEqual([200, 200]);
      expect(await statuses(bob.cookie)).toEqual([200, 401]);
      const both = await logIn("terms", {}, ann.cookie);
      expect(await statuses(both.cookie)).toEqual([200, 200]);
      expect(await statuses(ann.cookie)).toEqual([401, 401]);
      await fetch(`${server.url}/iiif/auth/logout`, { method: "POST", headers: { cookie: both.cookie } });
      expect(await statuses(both.cookie)).toEqual([401, 401]);
      expect(await statuses(bob.cookie)).toEqual([200, 401]);
      for (const secret of ["U*U", users.ann, users.bob]) expect(server.output()).not.toContain(secret);
    } finally {
      await server.close();
    }
  });
});
