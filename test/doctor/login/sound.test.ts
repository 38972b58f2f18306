// A set-up in which everything is in order, for each way of logging in: the doctor finds no problem.

import { createServer } from "node:http";
import { afterEach, describe, expect, test } from "vitest";
import { hashes } from "../../server/api/auth/served.ts";
import { clientId, clientSecret, type OidcProvider, startProvider } from "../../servers/oidc.ts";
import { end, listen, type Site, type SiteOptions, startSite, viewer } from "./proxied.ts";

const ending: (() => Promise<unknown>)[] = [];
afterEach(async () => {
  for (const each of ending.splice(0).reverse()) await each();
});

async function site(options: SiteOptions): Promise<Site> {
  const started = await startSite(options);
  ending.push(started.close);
  return started;
}

const problems = (findings: Awaited<ReturnType<Site["examine"]>>) =>
  findings.filter(({ level }) => level === "problem");
const stepsOf = (findings: Awaited<ReturnType<Site["examine"]>>) =>
  findings.map(({ where, code }) => (code === "ok" ? where : `${where} ${code}`));

const whole = [
  "address",
  "probe",
  "info.json",
  "image",
  "login",
  "cookie",
  "token",
  "access",
  "logout",
  "clock",
];
const asFarAsLogin = ["address", "probe", "info.json", "image", "login", "token", "clock"];

describe.each([[""], ["/images"], ["/a/b"]])("below the path %j", (folder) => {
  test.each([
    ["a click", "{ pattern: clickthrough, access_service: { backend: builtin } }"],
    [
      "a click before which less is shown",
      '{ pattern: clickthrough, access_service: { backend: builtin }, substitute: { max_size: "!50,50" } }',
    ],
    [
      "an address",
      "{ pattern: kiosk, access_service: { backend: builtin }, kiosk: { allowed_ips: [127.0.0.0/8] } }",
    ],
  ])("%s: all steps are in order", async (_, profile) => {
    const findings = await (await site({ profile, folder })).examine();
    expect(problems(findings)).toEqual([]);
    expect(stepsOf(findings)).toEqual(whole);
  });

  const password = `{ pattern: active, access_service: { backend: builtin, users: { ann: "${hashes.bcrypt}" } } }`;

  test("a password: as far as the form, or all of it with the password of somebody", async () => {
    const active = await site({ profile: password, folder });
    const findings = await active.examine();
    expect(problems(findings)).toEqual([]);
    expect(stepsOf(findings)).toEqual(asFarAsLogin);
    const credentials = { username: "ann", password: "secret" };
    const known = await active.examine({ credentials });
    expect(problems(known)).toEqual([]);
    expect(stepsOf(known)).toEqual(whole);
    expect(JSON.stringify(known)).not.toContain("secret");
  });

  test("a password, if the rule names other profiles before it", async () => {
    const others = {
      terms: "{ pattern: clickthrough, access_service: { backend: builtin } }",
      staff: password,
    };
    const several = await site({ profile: password, folder, others });
    const findings = await several.examine({ credentials: { username: "ann", password: "secret" } });
    expect(problems(findings)).toEqual([]);
    expect(stepsOf(findings)).toEqual(whole);
  });

  test("a header: it is removed from clients' requests", async () => {
    const findings = await (
      await site({ profile: "{ pattern: external, access_service: { backend: header } }", folder })
    ).examine();
    expect(problems(findings)).toEqual([]);
    expect(stepsOf(findings)).toEqual(["address", "probe", "info.json", "image", "login", "clock"]);
  });

  test("a page of the operator's: as far as that page", async () => {
    const page = createServer((_, response) =>
      response.writeHead(401, { "WWW-Authenticate": "Basic" }).end(),
    );
    const port = await listen(page);
    ending.push(() => end(page));
    const findings = await (
      await site({
        profile: `{ pattern: active, access_service: { backend: external, url: "http://127.0.0.1:${port}/login?for=images", callback_secret_env: CALLBACK } }`,
        folder,
        env: { CALLBACK: "shared between both" },
      })
    ).examine();
    expect(problems(findings)).toEqual([]);
    expect(stepsOf(findings)).toEqual(asFarAsLogin);
  });

  test("OpenID Connect: as far as the page of the provider", async () => {
    let provider: OidcProvider | undefined;
    const options = async (base: string) => {
      provider = await startProvider({ callbacks: [`${base}/iiif/auth/callback/way`] });
      ending.push(provider.stop);
      return provider.issuer;
    };
    // The provider has to know the address of the service, which is known once the proxy listens.
    const before = await startSite({
      profile: "{ pattern: clickthrough, access_service: { backend: builtin } }",
      folder,
    });
    await before.close();
    const issuer = await options(before.base);
    const oidc = await site({
      profile: `{ pattern: active, access_service: { backend: oidc, issuer: "${issuer}", client_id: ${clientId}, client_secret_env: CLIENT } }`,
      folder,
      port: Number(new URL(before.base).port),
      env: { CLIENT: clientSecret },
    });
    const findings = await oidc.examine();
    expect(problems(findings)).toEqual([]);
    expect(stepsOf(findings)).toEqual(asFarAsLogin);
    expect(findings.find(({ where }) => where === "login")?.text).toContain(issuer);
  });
});

test("a viewer on the service itself needs no origin in the settings", async () => {
  const own = await site({
    profile: "{ pattern: clickthrough, access_service: { backend: builtin } }",
    auth: "cors: {}",
  });
  expect(problems(await own.examine({ origin: new URL(own.base).origin }))).toEqual([]);
  expect(problems(await own.examine({ origin: viewer })).length).toBeGreaterThan(0);
});

test("the address may come from the proxy in place of base_url", async () => {
  const told = await site({
    profile: "{ pattern: clickthrough, access_service: { backend: builtin } }",
    folder: "/images",
    address: "",
    before: ({ headers }) =>
      void Object.assign(headers, { "x-forwarded-proto": "http", "x-forwarded-prefix": "/images" }),
  });
  expect(problems(await told.examine())).toEqual([]);
});

test.each(["bad-dims-65500.jpg", "bad-text.jpg", "bad-ihdr-mismatch.jp2"])(
  "an image that nobody can see, %s, proves nothing about the logins",
  async (name) => {
    const findings = await (
      await site({
        profile: "{ pattern: clickthrough, access_service: { backend: builtin } }",
      })
    ).examine({ identifier: `closed/${name}` });
    expect(problems(findings)).toEqual([]);
    expect(stepsOf(findings)).toEqual(whole.flatMap((step) => (step === "image" ? "image skipped" : step)));
    expect(findings.find(({ where }) => where === "image")?.text).toContain("--identifier");
  },
);

test("every session that the doctor begins has ended afterwards", async () => {
  const left = await site({ profile: "{ pattern: clickthrough, access_service: { backend: builtin } }" });
  await left.examine();
  expect(await left.apps[0]!.service.auth!.sessions.count()).toMatchObject({ total: 0 });
});

test("a kiosk that refuses an unknown machine is not a problem, and the doctor says how to verify it", async () => {
  const kiosk = await site({
    profile:
      "{ pattern: kiosk, access_service: { backend: builtin }, kiosk: { allowed_ips: [192.0.2.0/24] } }",
  });
  for (const client of [undefined, "127.0.0.1", "198.51.100.7"]) {
    const findings = await kiosk.examine({ client });
    expect([client, problems(findings)]).toEqual([client, []]);
    const login = findings.find(({ where }) => where === "login")?.text;
    expect(login).toMatch(client === undefined ? /refused.*--client-ip/ : /^refused, status 401$/);
  }
});

test("a claim to be in the room proves nothing if this machine is a trusted proxy itself", async () => {
  const kiosk = await site({
    profile:
      "{ pattern: kiosk, access_service: { backend: builtin }, kiosk: { allowed_ips: [192.0.2.0/24] } }",
    trusted: "127.0.0.0/8",
  });
  expect(problems(await kiosk.examine())).toEqual([]);
});

test("an image that is not there is said to be so, and the rest is looked at", async () => {
  const started = await site({ profile: "{ pattern: clickthrough, access_service: { backend: builtin } }" });
  const findings = await started.examine({ identifier: "closed/none.png" });
  expect(problems(findings)).toEqual([]);
  expect(stepsOf(findings)).toEqual(whole.map((step) => (step === "image" ? "image skipped" : step)));
});
