// Logins after what vouched for them has changed, or an operator has ended them: the next request is refused,
// whichever store keeps the sessions.
// @module-tag slow

import { mkdirSync, mkdtempSync, rmSync } from "node:fs";
import { tmpdir } from "node:os";
import { join } from "node:path";
import { afterAll, afterEach, beforeAll, describe, expect, test } from "vitest";
import { loadConfig } from "../../../../src/server/config/reading/load.ts";
import { asOperator, operator } from "../../../admin/operator.ts";
import { fixturesFolder } from "../../../host.ts";
import { type Served, served } from "../../../served.ts";
import { type RedisServer, startRedis } from "../../../servers/redis.ts";
import { type S3Server, startS3 } from "../../../servers/s3.ts";
import { hashes } from "./served.ts";

const keys = { accessKeyId: "AKIDEXAMPLE", secretAccessKey: "secret" };
const env = {
  ...operator,
  KEY: keys.accessKeyId,
  SECRET: keys.secretAccessKey,
  CALLBACK: "0123456789abcdef0123456789abcdef",
  CLIENT: "of the client",
};
let folder: string;
let redis: RedisServer;
let bucket: S3Server;
const running: Served[] = [];
beforeAll(async () => {
  folder = mkdtempSync(join(tmpdir(), "smalti-revoked-"));
  redis = await startRedis();
  bucket = await startS3({ account: keys });
});
afterEach(async () => {
  await Promise.all(running.splice(0).map(({ service }) => service.close()));
});
afterAll(async () => {
  await Promise.all([redis?.close(), bucket?.close()]);
  rmSync(folder, { recursive: true, force: true, maxRetries: 5 });
});

/** The lines of `auth.session` for a separate store. */
const stores: Readonly<Record<string, (name: string) => string>> = {
  heap: () => "{ backend: heap }",
  filesystem(name) {
    mkdirSync(join(folder, name), { recursive: true });
    return `{ backend: filesystem, path: ${JSON.stringify(join(folder, name))} }`;
  },
  redis: (name) =>
    `{ backend: redis, redis: { addr: "127.0.0.1:${redis.port}", timeout: 60s, prefix: ${name}/ } }`,
  s3: (name) =>
    `{ backend: s3, s3: { bucket: ${bucket.bucket}, prefix: ${name}/, endpoint: "${bucket.url}", path_style: true, timeout: 60s, region: ${bucket.region}, access_key_env: KEY, secret_key_env: SECRET } }`,
};

/** A profile for each way, and the picture that it opens. */
const ways = {
  staff: `{ pattern: active, access_service: { backend: builtin, users: { ann: "${hashes.bcrypt}" } } }`,
  partner:
    "{ pattern: active, access_service: { backend: external, url: https://login.example.org/a, callback_secret_env: CALLBACK } }",
  campus:
    "{ pattern: active, access_service: { backend: oidc, issuer: https://id.example.org, client_id: images, client_secret_env: CLIENT } }",
  room: "{ pattern: kiosk, access_service: { backend: builtin }, kiosk: { allowed_ips: [198.51.100.0/24] } }",
  terms: "{ pattern: clickthrough, access_service: { backend: builtin } }",
} as const;
type Way = keyof typeof ways;
const pictures: { readonly [W in Way]: string } = {
  staff: "base.png",
  partner: "gif-static.gif",
  campus: "webp-lossy.webp",
  room: "jpg-progressive.jpg",
  terms: "jpg-baseline-420.jpg",
};

const configOf = (
  session: string,
  changed: Partial<Record<Way, string>>,
) => `base_url: https://images.example.org
sources: [{ name: files, type: filesystem, root: ${JSON.stringify(fixturesFolder)} }]
auth:
  session: ${session}
  profiles: { ${Object.entries({ ...ways, ...changed })
    .map(([name, text]) => `${name}: ${text}`)
    .join(", ")} }
  rules: [${Object.entries(pictures)
    .map(([profile, match]) => `{ match: ${match}, profile: ${profile} }`)
    .join(", ")}]
`;

async function start(session: string, changed = {}, variables = {}): Promise<Served> {
  const app = await served(configOf(session, changed), { ...env, ...variables });
  running.push(app);
  return app;
}

/** A session that has logged in by all ways, as the Cookie header, and a token of it. */
async function logIn({ service }: Served) {
  const { sessions, fingerprints } = service.auth!;
  const now = Date.now();
  let id: string | undefined;
  for (const profile of Object.keys(ways)) {
    const fingerprint = (await fingerprints.of(profile, "ann")) ?? "";
    const grant = { profile, user: "ann", fingerprint, grantedAt: now, expiresAt: now + 600_000 };
    id = (await sessions.logIn(grant, id)).id;
  }
  const token = await sessions.issueToken(id ?? "", 600_000);
  return { Cookie: `service_session=${id}`, Authorization: `Bearer ${token?.id}` };
}

/**
 * Returns the kinds of login whose picture this session still opens; cookie and token have to agree. A kiosk
 * is not among them, since its login counts only where the address opens the picture anyway.
 */
async function opened(app: Served, login: Awaited<ReturnType<typeof logIn>>) {
  const open: string[] = [];
  for (const way of all) {
    const picture = pictures[way];
    const statuses = await Promise.all(
      [{ Cookie: login.Cookie }, { Authorization: login.Authorization }].map(
        async (headers) => (await app.get(`/iiif/3/${picture}/full/8,/0/default.jpg`, { headers })).status,
      ),
    );
    expect(statuses[0]).toBe(statuses[1]);
    if (statuses[0] === 200) open.push(way);
  }
  return open;
}

const all = (Object.keys(ways) as Way[]).filter((way) => way !== "room");
const without = (way: Way) => all.filter((each) => each !== way);

let nth = 0;
describe.each(Object.keys(stores).filter((name) => name !== "heap"))(
  "sessions in %s, after a restart",
  (store) => {
    test.each<[string, Way | undefined, Partial<Record<Way, string>>, Record<string, string>?]>([
      ["nothing has changed", undefined, {}],
      [
        "the secret of a callback is another",
        "partner",
        {},
        { CALLBACK: "fedcba9876543210fedcba9876543210" },
      ],
      ["the page of a login is another", "partner", { partner: ways.partner.replace("/a,", "/b,") }],
      ["the issuer is another", "campus", { campus: ways.campus.replace("id.example", "id2.example") }],
      [
        "the client is another",
        "campus",
        { campus: ways.campus.replace("client_id: images", "client_id: i2") },
      ],
      [
        "the claim is another",
        "campus",
        { campus: ways.campus.replace("issuer:", "user_claim: email, issuer:") },
      ],
      ["the secret of the client is another", undefined, {}, { CLIENT: "rotated" }],
      ["a user was removed", "staff", { staff: ways.staff.replace("ann:", "bob:") }],
      ["a user has another password", "staff", { staff: ways.staff.replace(hashes.bcrypt, hashes.apr1) }],
      ["a profile has another pattern", "terms", { terms: ways.partner.replace("active", "clickthrough") }],
    ])("%s", async (_, ended, changed, variables) => {
      const session = stores[store]!(`a${nth++}`);
      const login = await logIn(await start(session));
      await running.pop()?.service.close();
      const app = await start(session, changed, variables);
      expect(await opened(app, login)).toEqual(ended ? without(ended) : all);
    });
  },
);

describe.each(Object.keys(stores))("sessions in %s", (store) => {
  test("end with a list of addresses that is changed while the service runs", async () => {
    const session = stores[store]!(`b${nth++}`);
    const app = await start(session);
    const login = await logIn(app);
    const from = async (peer: string) =>
      (await app.get(`/iiif/3/${pictures.room}/full/8,/0/default.jpg`, { peer, headers: login })).status;
    expect([await from("198.51.100.7"), await from("203.0.113.7")]).toEqual([200, 401]);
    const next = loadConfig(
      configOf(session, { room: ways.room.replace("198.51.100.0/24", "203.0.113.0/24") }),
      env,
    );
    expect(app.service.reload(next.config!)).toEqual([]);
    expect([await from("198.51.100.7"), await from("203.0.113.7")]).toEqual([401, 200]);
    expect(await opened(app, login)).toEqual(all);
  });

  test("end by the form of the operator, for one user and for a profile", async () => {
    const app = await start(stores[store]!(`c${nth++}`));
    const post = async (form: Record<string, string>) => {
      const response = await app.get("/admin/auth/end", {
        method: "POST",
        headers: { ...asOperator, Origin: "https://images.example.org" },
        body: new URLSearchParams(form),
        host: "images.example.org",
      });
      expect([response.status, response.headers.get("Location")]).toEqual([303, "/admin/auth"]);
      const [Cookie = ""] = (response.headers.get("Set-Cookie") ?? "").split(";");
      return (await app.get("/admin/auth", { headers: { ...asOperator, Cookie } })).text();
    };
    const login = await logIn(app);
    expect(await post({ profile: "", user: "" })).toMatch(
      /<div class="notice bad" role="alert" id="outcome" tabindex="-1" autofocus=""><p>No session was ended/,
    );
    const page = await app.get("/admin/auth/end", { headers: asOperator });
    expect([page.status, page.headers.get("Location")]).toEqual([303, "/admin/auth"]);
    expect(await post({ profile: "staff", user: "ann", everybody: "yes" })).toContain("No session was ended");
    expect(await post({ profile: "", user: "bob" })).toContain("0 sessions ended.");
    expect(await opened(app, login)).toEqual(all);
    expect(await post({ profile: "", user: "ann" })).toContain("1 session ended.");
    expect(await opened(app, login)).toEqual([]);
    const [second, third] = [await logIn(app), await logIn(app)];
    expect(await post({ profile: "campus", user: "" })).toContain("2 sessions ended.");
    expect([await opened(app, second), await opened(app, third)]).toEqual([[], []]);
    const fourth = await logIn(app);
    expect(await post({ profile: "", user: "", everybody: "yes" })).toContain("1 session ended.");
    expect(await opened(app, fourth)).toEqual([]);
  });
});
