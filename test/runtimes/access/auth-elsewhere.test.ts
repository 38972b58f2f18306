// Logging in elsewhere on every runtime: at an OpenID Connect provider, and on a page that signs who somebody
// is.

import { createHmac } from "node:crypto";
import { afterAll, beforeAll, describe, expect, it } from "vitest";
import { createCookieJar } from "../../server/api/auth/cookie-jar.ts";
import { clientId, clientSecret, type OidcProvider, startProvider } from "../../servers/oidc.ts";
import { runtimesFor } from "../selection.ts";
import { type Started, startServer } from "../server.ts";

const base = "https://images.example.org";
const callback = "/iiif/auth/callback/";
const secret = "page";

let provider: OidcProvider;
beforeAll(async () => {
  provider = await startProvider({ callbacks: [`${base}${callback}members`] });
});
afterAll(() => provider.stop());

const extra = () => `base_url: ${base}
auth:
  profiles:
    members: { pattern: active, access_service: { backend: oidc, issuer: "${provider.issuer}", client_id: ${clientId}, client_secret_env: OIDC_CLIENT_SECRET, user_claim: preferred_username } }
    partner: { pattern: active, access_service: { backend: external, url: "https://login.example.net/", callback_secret_env: CALLBACK_SECRET } }
    lost: { pattern: active, access_service: { backend: oidc, issuer: "http://localhost:9", client_id: a, client_secret_env: OIDC_CLIENT_SECRET } }
  rules:
    - { match: base.png, profile: members }
    - { match: gif-static.gif, profile: partner }
`;

describe.each(runtimesFor("logins elsewhere"))("smalti on $name with logins elsewhere", (runtime) => {
  let server: Started;
  beforeAll(async () => {
    server = await startServer(runtime, {
      extra: extra(),
      env: { OIDC_CLIENT_SECRET: clientSecret, CALLBACK_SECRET: secret },
    });
  });
  afterAll(() => server?.close());

  /** A browser that takes this server for that of the public URL. */
  const reader = () => {
    const jar = createCookieJar();
    const visit = async (target: string) => {
      const headers = { Cookie: jar.header(target) };
      const response = await fetch(server.url + target, { redirect: "manual", headers });
      jar.take(response);
      return {
        status: response.status,
        location: response.headers.get("Location"),
        html: await response.text(),
      };
    };
    return { jar, visit };
  };
  const image = (name: string) => `/iiif/3/${name}/full/20,/0/default.jpg`;

  it("logs in at a provider, several readers concurrently, even after its keys have changed", async () => {
    const comeBack = async (visit: ReturnType<typeof reader>["visit"]) => {
      const away = await visit("/iiif/auth/login/members?return_to=/mine");
      expect(away.status).toBe(303);
      return provider.logIn(away.location ?? "");
    };
    const one = async () => {
      const { jar, visit } = reader();
      expect((await visit(image("base.png"))).status).toBe(401);
      const back = await comeBack(visit);
      const done = await visit(back.pathname + back.search);
      expect([done.status, done.location]).toEqual([303, `${base}/mine`]);
      expect([...jar.values.keys()]).toEqual(["service_session"]);
      expect((await visit(image("base.png"))).status).toBe(200);
      expect((await visit(back.pathname + back.search)).status).toBe(401);
    };
    await Promise.all([one(), one(), one(), one()]);
    await provider.rotateKeys();
    // Keys are not asked for more often than every five seconds.
    const statusOfNext = async () => {
      const { visit } = reader();
      const back = await comeBack(visit);
      return (await visit(back.pathname + back.search)).status;
    };
    await expect.poll(statusOfNext, { interval: 500 }).toBe(303);
    await one();
  });

  it("reports when the reader turns back, or the provider is missing", async () => {
    const { visit } = reader();
    const away = await visit("/iiif/auth/login/members");
    const back = await provider.logIn(away.location ?? "", { deny: "consent" });
    const refused = await visit(back.pathname + back.search);
    expect([refused.status, refused.html.includes("You did not agree")]).toEqual([401, true]);
    const lost = await visit("/iiif/auth/login/lost");
    expect([lost.status, lost.html.includes("is not responding right now")]).toEqual([503, true]);
    const ready = await fetch(`${server.url}/ready`);
    expect(ready.status).toBe(200);
    const { providers } = (await ready.json()) as { providers: { name: string; healthy: boolean }[] };
    expect(providers).toMatchObject([
      { name: "members", healthy: true },
      { name: "lost", healthy: false },
    ]);
  });

  it("logs in by a page that signs, and by no other", async () => {
    const { visit } = reader();
    const away = await visit("/iiif/auth/login/partner?return_to=/mine");
    expect(new URL(away.location ?? "").searchParams.get("callback")).toBe(`${base}${callback}partner`);
    const expires = Math.floor(Date.now() / 1000) + 60;
    const sign = (user: string) =>
      createHmac("sha256", secret).update(`${user}|${expires}`).digest("base64url");
    const at = (user: string, signature: string) =>
      `${callback}partner?${new URLSearchParams({ user, expires: String(expires), signature })}`;
    expect((await visit(at("jörg", sign("ann")))).status).toBe(401);
    const done = await visit(at("jörg ✓", sign("jörg ✓")));
    expect([done.status, done.location]).toEqual([303, `${base}/mine`]);
    expect((await visit(image("gif-static.gif"))).status).toBe(200);
  });
});
