// One fault in each set-up, most of them of the proxy in front: the doctor names it, at the step that fails,
// and says what to change.
// @module-tag slow

import { execFile } from "node:child_process";
import { mkdtempSync, readFileSync, rmSync } from "node:fs";
import { createServer } from "node:http";
import { createServer as createTlsServer } from "node:https";
import { tmpdir } from "node:os";
import { join } from "node:path";
import { promisify } from "node:util";
import { afterEach, describe, expect, test } from "vitest";
import type { Finding } from "../../../src/base/findings/finding.ts";
import { findingLines } from "../../../src/cli/commands/findings-text.ts";
import { clientId, clientSecret, startProvider } from "../../servers/oidc.ts";
import {
  end,
  listen,
  type Passed,
  type Passing,
  type Site,
  type SiteOptions,
  startSite,
  viewer,
} from "./proxied.ts";

const ending: (() => Promise<unknown>)[] = [];
afterEach(async () => {
  for (const each of ending.splice(0).reverse()) await each();
});

async function site(options: Partial<SiteOptions> = {}): Promise<Site> {
  const started = await startSite({ profile: click, ...options });
  ending.push(started.close);
  return started;
}

const click = "{ pattern: clickthrough, access_service: { backend: builtin } }";
const isImage = ({ url }: Passing) => url.endsWith(".jpg");
const isToken = ({ url }: Passing) => /^\/iiif\/auth\/(v1\/)?token/.test(url);

/** Changes a header of each matching response, or removes it if undefined. */
const header =
  (name: string, value: string | undefined, fits: (passing: Passing) => boolean = () => true) =>
  ({ headers }: Passed, passing: Passing) => {
    if (!fits(passing)) return;
    if (value === undefined) delete headers[name];
    else headers[name] = value;
  };

/** Changes the cookies that responses set. */
const cookies =
  (change: (line: string) => string) =>
  ({ headers }: Passed) => {
    const set = headers["set-cookie"] as string[] | undefined;
    if (set) headers["set-cookie"] = set.map(change);
  };

interface Problem {
  readonly step?: string | undefined;
  readonly code: string | undefined;
}

const problemsOf = (findings: readonly Finding[]): Problem[] =>
  findings.flatMap((finding) =>
    finding.level === "problem" ? [{ step: finding.where, code: finding.code }] : [],
  );

/** Fault, set-up, the one problem that is found, and words of what to change. */
const faults: readonly (readonly [string, Partial<SiteOptions>, Problem, RegExp])[] = [
  [
    "base_url has another scheme, as behind a proxy with https",
    { address: "base_url: https://127.0.0.1:1" },
    { step: "info.json", code: "wrong_scheme" },
    /base_url is https:\/\/127\.0\.0\.1:1: write/,
  ],
  [
    "a proxy that says no host",
    { address: "", before: ({ headers }) => void (headers.host = "inside.example") },
    { step: "info.json", code: "wrong_host" },
    /base_url: "http:.*X-Forwarded-Host.*trusted_proxies \(now 127\.0\.0\.2\)/,
  ],
  [
    "a proxy that says its folder, but is not trusted",
    {
      address: "",
      folder: "/images",
      trusted: "10.0.0.0/8",
      before: ({ headers }) => void (headers["x-forwarded-prefix"] = "/images"),
    },
    { step: "info.json", code: "wrong_path" },
    /X-Forwarded-Prefix, and list the proxy's own address.*\(now 10\.0\.0\.0\/8\)/,
  ],
  [
    "a proxy that takes Authorization off",
    { before: ({ headers }) => void delete headers.authorization },
    { step: "access", code: "token_not_passed" },
    /pass the Authorization header/,
  ],
  [
    "a proxy that takes Cookie off",
    { before: (passing) => void (isToken(passing) && delete passing.headers.cookie) },
    { step: "token", code: "cookie_not_passed" },
    /pass the Cookie header/,
  ],
  [
    "a cache for pictures that takes Cookie off",
    { before: (passing) => void (isImage(passing) && delete passing.headers.cookie) },
    { step: "access", code: "image_unchanged" },
    /for images too/,
  ],
  [
    "a proxy that takes Set-Cookie off",
    { after: header("set-cookie", undefined) },
    { step: "cookie", code: "cookie_stripped" },
    /pass Set-Cookie on/,
  ],
  [
    "a cookie for another folder",
    { folder: "/images", auth: `cors: { token_origins: ["${viewer}"] }\n  cookie: { path: /other }` },
    { step: "cookie", code: "cookie_path" },
    /Remove auth\.cookie\.path, which is \/other/,
  ],
  [
    "a proxy that makes cookies SameSite=Lax",
    { after: cookies((line) => line.replace("SameSite=None", "SameSite=Lax")) },
    { step: "cookie", code: "cookie_same_site" },
    /pass Set-Cookie on unchanged/,
  ],
  [
    "a proxy that makes cookies insecure",
    { after: cookies((line) => line.replace("Secure; ", "")) },
    { step: "cookie", code: "cookie_secure" },
    /proxy_cookie_flags/,
  ],
  [
    "a proxy that gives cookies a domain",
    { after: cookies((line) => `${line}; Domain=example.net`) },
    { step: "cookie", code: "cookie_domain" },
    /proxy_cookie_domain/,
  ],
  [
    "a proxy that changes Cache-Control of pictures",
    { after: header("cache-control", "public, max-age=3600", isImage) },
    { step: "access", code: "cache_control" },
    /pass Cache-Control on/,
  ],
  [
    "a proxy that replaces Vary",
    { after: header("vary", "Accept-Encoding", ({ url }) => url.endsWith("info.json")) },
    { step: "info.json", code: "vary" },
    /pass Vary on/,
  ],
  [
    "a cache that answers for the probe",
    { after: header("age", "17", ({ url }) => url.includes("/probe/")) },
    { step: "probe", code: "cached" },
    /obey Cache-Control/,
  ],
  [
    "a viewer that token_origins lacks",
    { auth: 'cors: { token_origins: ["https://other.example.org"] }' },
    { step: "token", code: "token_origins" },
    new RegExp(`Add "${viewer}" to auth\\.cors\\.token_origins`),
  ],
  [
    "a viewer that probe_origins lacks",
    { auth: `cors: { token_origins: ["${viewer}"], probe_origins: ["https://other.example.org"] }` },
    { step: "probe", code: "probe_origins" },
    new RegExp(`Add "${viewer}" to auth\\.cors\\.probe_origins`),
  ],
  [
    "a proxy that takes the headers for other origins off",
    { after: header("access-control-allow-origin", undefined, ({ url }) => url.endsWith("info.json")) },
    { step: "info.json", code: "cors" },
    /pass Access-Control-\* headers on/,
  ],
  [
    "a proxy that adds the headers for other origins once more",
    { after: header("access-control-allow-origin", "*, *", ({ url }) => url.endsWith("info.json")) },
    { step: "info.json", code: "cors_doubled" },
    /remove it at the proxy/,
  ],
  [
    "a proxy that answers OPTIONS by itself",
    { before: ({ method }) => (method === "OPTIONS" ? { status: 405 } : undefined) },
    { step: "probe", code: "preflight" },
    /pass OPTIONS requests/,
  ],
  [
    "a proxy that adds X-Frame-Options",
    { after: header("x-frame-options", "SAMEORIGIN", isToken) },
    { step: "token", code: "frame_options" },
    /remove it at the proxy/,
  ],
  [
    "a proxy that adds a Content-Security-Policy about frames",
    { after: header("content-security-policy", "frame-ancestors 'self'", isToken) },
    { step: "token", code: "frame_policy" },
    /add no Content-Security-Policy/,
  ],
  [
    "a proxy that adds a Content-Security-Policy about scripts",
    { after: header("content-security-policy", "default-src 'self'", isToken) },
    { step: "token", code: "script_policy" },
    /add no Content-Security-Policy/,
  ],
  [
    "a proxy that replaces answers of status 401 by a page",
    {
      after: (passed) => {
        if (passed.status !== 401) return;
        passed.headers["content-type"] = "text/html";
        passed.body = Buffer.from("<h1>401</h1>");
        delete passed.headers["content-length"];
      },
    },
    { step: "info.json", code: "error_replaced" },
    /proxy_intercept_errors/,
  ],
  [
    "a proxy that leaves the services of 1.0 out of info.json",
    {
      after: (passed, { url }) => {
        if (!url.endsWith("info.json")) return;
        const document = JSON.parse(passed.body.toString()) as { service: unknown[] };
        document.service.pop();
        passed.body = Buffer.from(JSON.stringify(document));
        delete passed.headers["content-length"];
      },
    },
    { step: "info.json", code: "services1_missing" },
    /rewrites info\.json/,
  ],
  [
    "a token page that posts nothing",
    {
      after: (passed, passing) => {
        if (!isToken(passing)) return;
        passed.body = Buffer.from("<!doctype html><title>Token</title>");
        delete passed.headers["content-length"];
      },
    },
    { step: "token", code: "replaced" },
    /must not replace, filter or answer/,
  ],
  [
    "redirects in a circle",
    {
      before: ({ url }) =>
        url.endsWith("info.json")
          ? { status: 301, headers: { location: url.replace("/iiif/3/", "/iiif//3/") } }
          : url.startsWith("/iiif//3/")
            ? { status: 301, headers: { location: url.replace("//3/", "/3/") } }
            : undefined,
    },
    { step: "info.json", code: "redirect_loop" },
    /leads back to the same address/,
  ],
  [
    "a redirect to another host",
    {
      before: ({ url }) =>
        url.endsWith("info.json")
          ? { status: 302, headers: { location: "https://sso.example.org/?next=x" } }
          : undefined,
    },
    { step: "info.json", code: "redirect" },
    /https:\/\/sso\.example\.org is the public address/,
  ],
  [
    "a clock that is two hours behind",
    { after: (passed) => void (passed.headers.date = new Date(Date.now() - 7_200_000).toUTCString()) },
    { step: "clock", code: "clock" },
    /NTP/,
  ],
  [
    "two servers with sessions of their own",
    { replicas: 2, ...inTurns() },
    { step: "token", code: "session_unknown" },
    /heap, which they cannot share. Choose redis/,
  ],
  [
    "a session store that does not respond",
    {
      // Nothing listens at port 1.
      auth: `cors: { token_origins: ["${viewer}"] }\n  session: { backend: redis, redis: { addr: "127.0.0.1:1", timeout: 50ms } }`,
    },
    { step: "login", code: "session_store" },
    /check auth\.session/,
  ],
  [
    "a service that does not know who has access",
    {
      before: ({ url }) =>
        url.includes("/probe/")
          ? {
              status: 200,
              headers: { "content-type": "application/json" },
              body: Buffer.from('{"type":"AuthProbeResult2","status":503}'),
            }
          : undefined,
    },
    { step: "probe", code: "undecided" },
    /authorize hook fails, or the session store/,
  ],
  [
    "a service that does not run behind the proxy",
    { before: ({ url }) => (url.includes("/probe/") ? { status: 502 } : undefined) },
    { step: "probe", code: "gateway" },
    /upstream/,
  ],
  [
    "a proxy with a password of its own",
    {
      before: ({ url }) =>
        url.includes("/login/") ? { status: 401, headers: { "www-authenticate": "Basic" } } : undefined,
    },
    { step: "login", code: "proxy_login" },
    /remove it from the paths below/,
  ],
  [
    "a header that comes through from outside",
    {
      profile: "{ pattern: external, access_service: { backend: header, header: X-Reader } }",
    },
    { step: "login", code: "header_forged" },
    /set X-Reader in every request/,
  ],
  [
    "a header that the proxy sends for everybody",
    {
      profile: "{ pattern: external, access_service: { backend: header } }",
      before: ({ headers }) => void (headers["x-forwarded-user"] = "nobody"),
    },
    { step: "probe", code: "open_to_all" },
    /only for readers that it knows/,
  ],
  [
    "a cache that keeps the image of one reader for all",
    keptPictures(),
    { step: "access", code: "cached_for_others" },
    /obey Cache-Control: private/,
  ],
  [
    "a cache that keeps the refusal of an image",
    { ...keptPictures({ refusals: true }) },
    { step: "access", code: "image_unchanged" },
    /not to cache protected responses/,
  ],
  [
    "two servers that do not know each other's tokens",
    { replicas: 2, ...inTurns(({ headers }) => headers.authorization !== undefined) },
    { step: "access", code: "session_unknown" },
    /redis for all of them/,
  ],
  [
    "a logout that the proxy answers",
    { before: ({ url }) => (url.endsWith("/logout") ? { status: 200 } : undefined) },
    { step: "logout", code: "logout" },
    /pass the logout on/,
  ],
  [
    "a proxy that replaces Origin",
    { before: ({ headers }) => void (headers.origin &&= "https://inside.example") },
    { step: "login", code: "cross_site" },
    /pass Host and Origin unchanged/,
  ],
  [
    "a proxy that leaves its folder before the paths",
    { folder: "/images", before: (passing) => void (passing.url = `/images${passing.url}`) },
    { step: "probe", code: "not_there" },
    /strip it before it forwards/,
  ],
  [
    "a proxy that renames cookies",
    { after: cookies((line) => `proxied_${line}`) },
    { step: "cookie", code: "cookie_renamed" },
    /not to rename cookies/,
  ],
  [
    "a proxy that keeps pictures for its own pages",
    { after: header("cross-origin-resource-policy", "same-origin", ({ url }) => url.endsWith("info.json")) },
    { step: "info.json", code: "resource_policy" },
    /not to add this header/,
  ],
  [
    "a kiosk that sees the address of a proxy that is not trusted",
    {
      profile:
        "{ pattern: kiosk, access_service: { backend: builtin }, kiosk: { allowed_ips: [203.0.113.0/24] } }",
      trusted: "10.0.0.0/8",
      // It claims to be this machine in the reading room.
      before: ({ headers }) => void (headers["x-forwarded-for"] = "203.0.113.7"),
    },
    { step: "login", code: "client_address" },
    /trusted_proxies is 10\.0\.0\.0\/8\. Write the proxy's own address there/,
  ],
  [
    "a kiosk that anybody enters who claims to be there",
    {
      profile:
        "{ pattern: kiosk, access_service: { backend: builtin }, kiosk: { allowed_ips: [192.0.2.1] } }",
      before: ({ headers }) =>
        void (headers["x-forwarded-for"] = String(headers["x-forwarded-for"]).split(",")[0]),
    },
    { step: "login", code: "forged_address" },
    /\$proxy_add_x_forwarded_for/,
  ],
  [
    "a kiosk that anybody enters by the field Forwarded, which a proxy passes on",
    {
      profile:
        "{ pattern: kiosk, access_service: { backend: builtin }, kiosk: { allowed_ips: [192.0.2.1] } }",
      before: ({ headers }) => {
        for (const name of Object.keys(headers)) if (name.startsWith("x-forwarded-")) delete headers[name];
        return undefined;
      },
    },
    { step: "login", code: "forged_address" },
    /no Forwarded of the client/,
  ],
];

test("an image that a kiosk opens to a machine outside of it is open to all", async () => {
  const started = await site({
    profile:
      "{ pattern: kiosk, access_service: { backend: builtin }, kiosk: { allowed_ips: [127.0.0.0/8] } }",
  });
  const codes = async (client: string) =>
    problemsOf(await started.examine({ client })).map(({ step, code }) => `${step} ${code}`);
  expect(await codes("127.0.0.1")).toEqual([]);
  expect(await codes("198.51.100.7")).toEqual(
    expect.arrayContaining(["probe open_to_all", "login client_address"]),
  );
});

/** Sends every other request to the other server. */
function inTurns(fits: (passing: Passing) => boolean = isToken): Partial<SiteOptions> {
  const ports: number[] = [];
  let n = 0;
  return {
    before: (passing) => {
      if (fits(passing)) passing.port = ports[n++ % 2] ?? passing.port;
    },
    listening: (all) => void ports.push(...all),
  };
}

/** A cache by address alone. */
function keptPictures({ refusals = false } = {}): Partial<SiteOptions> {
  const kept = new Map<string, Passed>();
  return {
    before: ({ url }) => kept.get(url),
    after: (passed, passing) => {
      if (isImage(passing) && (refusals || passed.status === 200)) kept.set(passing.url, passed);
    },
  };
}

/** The address of this machine as readers of the kiosk have it. */
const clients: Readonly<Record<string, string>> = {
  "a kiosk that sees the address of a proxy that is not trusted": "203.0.113.7",
};

describe("the doctor names the fault", () => {
  test.each(faults)("%s", async (name, options, problem, change) => {
    const started = await site(options);
    const client = clients[name];
    const findings = await started.examine(client === undefined ? {} : { client });
    const found = problemsOf(findings);
    expect(found).toContainEqual(problem);
    const words = findings.flatMap((finding) =>
      finding.level === "problem" && finding.code === problem.code ? [finding.advice] : [],
    );
    expect(words[0]).toMatch(change);
    // Nothing that comes later hides it, and nothing before it is blamed.
    expect(found[0]).toEqual(problem);
    for (const secret of started.secrets) expect(JSON.stringify(findings)).not.toContain(secret);
  });
});

describe("the doctor reports external faults", () => {
  const external = (url: string): Partial<SiteOptions> => ({
    profile: `{ pattern: active, access_service: { backend: external, url: "${url}", callback_secret_env: CALLBACK } }`,
    env: { CALLBACK: "shared between both" },
  });
  const page = async (answer: { readonly status: number; readonly aheadMs?: number }) => {
    const server = createServer((_, response) => {
      const date = new Date(Date.now() + (answer.aheadMs ?? 0)).toUTCString();
      response.writeHead(answer.status, { Date: date }).end();
    });
    const port = await listen(server);
    ending.push(() => end(server));
    return `http://127.0.0.1:${port}/login`;
  };

  test("an unreachable page of the operator's", async () => {
    // Nothing listens at port 1.
    const findings = await (await site(external("http://127.0.0.1:1/login"))).examine();
    expect(problemsOf(findings)).toEqual([{ step: "login", code: "login_unreachable" }]);
  });

  test("one that is not there", async () => {
    const findings = await (await site(external(await page({ status: 404 })))).examine();
    expect(problemsOf(findings)).toEqual([{ step: "login", code: "login_broken" }]);
  });

  test("a page whose clock is ten minutes ahead, so that its signatures are valid for too long", async () => {
    const url = await page({ status: 200, aheadMs: 600_000 });
    const findings = await (await site(external(url))).examine();
    expect(problemsOf(findings)).toEqual([{ step: "login", code: "clock_elsewhere" }]);
    expect(JSON.stringify(findings)).toMatch(/(59\d|60\d) s ahead of that of the service/);
  });

  test("a callback below another path than that of the service", async () => {
    const url = await page({ status: 200 });
    const findings = await (await site({ ...external(url), folder: "/images", address: "" })).examine();
    expect(problemsOf(findings)).toContainEqual({ step: "login", code: "wrong_path" });
  });

  const oidc = (issuer: string): Partial<SiteOptions> => ({
    profile: `{ pattern: active, access_service: { backend: oidc, issuer: "${issuer}", client_id: ${clientId}, client_secret_env: CLIENT } }`,
    env: { CLIENT: clientSecret },
  });
  const provider = async () => {
    const started = await startProvider({ callbacks: ["http://127.0.0.1:1/iiif/auth/callback/way"] });
    ending.push(started.stop);
    return started;
  };

  test("a provider that calls itself otherwise", async () => {
    const { issuer } = await provider();
    const findings = await (await site(oidc(issuer.replace("localhost", "127.0.0.1")))).examine();
    expect(problemsOf(findings)).toEqual([{ step: "login", code: "issuer" }]);
    expect(JSON.stringify(findings)).toContain(issuer);
  });

  test("a provider with a login page of plain http", async () => {
    const started = await provider();
    const document = (await (
      await fetch(`${started.issuer}/.well-known/openid-configuration`)
    ).json()) as object;
    const wrong = { ...document, authorization_endpoint: "http://login.example.org/auth" };
    started.answer = (path) => (path.includes("openid-configuration") ? Response.json(wrong) : undefined);
    const findings = await (await site(oidc(started.issuer))).examine();
    expect(problemsOf(findings)).toEqual([{ step: "login", code: "issuer" }]);
    expect(JSON.stringify(findings)).toContain("http://login.example.org/auth as its authorization_endpoint");
  });

  test("a provider that does not respond", async () => {
    const findings = await (await site(oidc("http://127.0.0.1:1"))).examine();
    expect(problemsOf(findings)).toEqual([{ step: "login", code: "provider_unreachable" }]);
  });

  test("a provider that does not know the address to come back to", async () => {
    const { issuer } = await provider();
    const started = await site(oidc(issuer));
    const findings = await started.examine();
    expect(problemsOf(findings)).toEqual([{ step: "login", code: "provider_refuses" }]);
    expect(JSON.stringify(findings)).toContain(`${started.base}/iiif/auth/callback/way`);
    expect(JSON.stringify(findings)).not.toContain(clientSecret);
  });
});

test("an image that breaks off is the service's own error, and no proxy is blamed", async () => {
  const findings = await (await site()).examine({ identifier: "closed/bad-trunc-50.png" });
  expect(problemsOf(findings)).toEqual([{ step: "access", code: "service_error" }]);
  const text = JSON.stringify(findings);
  expect(text).toContain("status 500, decode: ");
  expect(text).toContain("--identifier");
});

test("an address of plain http other than this machine is a fault in itself", async () => {
  const findings = await (await site()).examine({ base: "http://images.invalid" });
  expect(problemsOf(findings)).toEqual([
    { step: "address", code: "no_https" },
    { step: "probe", code: "unreachable" },
  ]);
});

test("a name that this machine cannot resolve is reported as that, and not as a stopped service", async () => {
  const findings = await (await site()).examine({ base: "https://images.invalid" });
  expect(findings.find(({ code }) => code === "unreachable")).toMatchObject({
    where: "probe",
    text: expect.stringMatching(/^the name images\.invalid cannot be resolved on this machine \(E\w+\)$/),
    advice: expect.stringMatching(/--url\.$/),
  });
});

test("a server that accepts a request and never responds is abandoned after five seconds", async () => {
  const server = createServer(() => {});
  const port = await listen(server);
  ending.push(() => end(server));
  const findings = await (await site()).examine({ base: `http://127.0.0.1:${port}` });
  expect(problemsOf(findings)).toEqual([{ step: "probe", code: "no_answer" }]);
});

test("an untrusted certificate", async () => {
  const folder = mkdtempSync(join(tmpdir(), "smalti-doctor-tls-"));
  const [key, certificate] = [join(folder, "key.pem"), join(folder, "certificate.pem")];
  const made = ["req", "-x509", "-newkey", "rsa:2048", "-nodes", "-days", "1", "-subj", "/CN=localhost"];
  await promisify(execFile)("openssl", [...made, "-keyout", key, "-out", certificate]);
  const files = { key: readFileSync(key), cert: readFileSync(certificate) };
  rmSync(folder, { recursive: true });
  const server = createTlsServer(files, (_, response) => void response.end());
  const port = await listen(server);
  ending.push(() => end(server));
  const findings = await (await site()).examine({ base: `https://127.0.0.1:${port}` });
  expect(problemsOf(findings)).toEqual([{ step: "probe", code: "certificate" }]);
});

test("no host is contacted only because a response links to it", async () => {
  let asked = 0;
  const server = createServer((_, response) => {
    asked++;
    response.end();
  });
  const elsewhere = `http://127.0.0.1:${await listen(server)}/`;
  ending.push(() => end(server));
  const led = await site({ before: () => ({ status: 302, headers: { location: elsewhere } }) });
  expect(problemsOf(await led.examine()).map(({ code }) => code)).toContain("redirect");
  const named = await site({
    after: (passed) => {
      passed.body = Buffer.from(passed.body.toString().replaceAll(/http:\/\/127\.0\.0\.1:\d+\//g, elsewhere));
      delete passed.headers["content-length"];
    },
  });
  expect(problemsOf(await named.examine()).map(({ code }) => code)).toContain("wrong_host");
  expect(asked).toBe(0);
});

test.each([
  ["nothing", ""],
  ["null", "null"],
  ["a list", "[[]]"],
  [
    "other types",
    '{ "type": "AuthProbeResult2", "status": {}, "id": "x", "width": "wide", "service": [null, 1, "a", {}] }',
  ],
  [
    "services without an end",
    `{ "id": "x", "width": 1, "service": ${'[{"service":'.repeat(20_000)}1${"}]".repeat(20_000)} }`,
  ],
  ["many unfinished forms", `<form>${"<input ".repeat(200_000)}postMessage({`.repeat(2)],
])("responses of %s are problems, and end nothing else", async (_, body) => {
  const odd = await site({
    before: () => ({
      body: Buffer.from(body),
      headers: { "set-cookie": ["=;;=", "service_session=a; path"], "cache-control": "a\u009b2J" },
    }),
  });
  const findings = await odd.examine();
  expect(problemsOf(findings).map(({ step }) => step)).toContain("info.json");
  // Nor do they command a terminal.
  // biome-ignore lint/suspicious/noControlCharactersInRegex: that is what must not be there
  expect(findingLines(findings).join("\n")).not.toMatch(/[\u0000-\u0009\u000b-\u001f\u007f-\u009f]/);
});
