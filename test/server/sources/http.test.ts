// The hosts that an http source may reach: by name, and addresses at each connection.

import { afterAll, beforeAll, describe, expect, test } from "vitest";
import { nodePlatform } from "../../../src/server/platform/node.ts";
import { addressRule, isAllowedHost, parseHost } from "../../../src/server/sources/addresses.ts";
import { httpRemote } from "../../../src/server/sources/http.ts";
import { type HttpSourceOptions, locationOf, sourceOptions } from "../../../src/server/sources/options.ts";
import type { RetryPolicy } from "../../../src/server/sources/remote-http.ts";
import { hang } from "../../limits.ts";
import { masterOf, type Origin, startOrigin } from "../../servers/origin.ts";

const platform = nodePlatform(new URL("../../../dist/", import.meta.url));
const once: RetryPolicy = { attempts: 1, attemptMs: 2000, pauseMs: 1 };
const range = { offset: 0, length: 10 };
const content = new TextEncoder().encode("0123456789");

let origin: Origin;
let other: Origin;
beforeAll(async () => {
  origin = await startOrigin({ "a.jpg": masterOf(content), "a b/ü&+.jpg": masterOf(content) });
  other = await startOrigin({ "a.jpg": masterOf(content) });
});
afterAll(() => Promise.all([origin.close(), other.close()]));

function optionsOf(options: Record<string, unknown>): HttpSourceOptions {
  const [parsed] = sourceOptions.parse([{ name: "web", type: "http", ...options }]);
  return parsed as HttpSourceOptions;
}

const remote = (options: Record<string, unknown>, env: Record<string, string> = {}) =>
  httpRemote(optionsOf(options), { ...platform, env }, once);

describe("addresses", () => {
  const closed = [
    ..."0.0.0.0 0.1.2.3 10.0.0.1 10.255.255.255 100.64.0.1 127.0.0.1 127.9.9.9 169.254.169.254 172.16.0.1".split(
      " ",
    ),
    ..."172.31.255.255 192.0.0.1 192.168.1.1 198.18.0.1 203.0.113.9 224.0.0.1 255.255.255.255".split(" "),
    ..."::1 :: fc00::1 fd12::1 fe80::1 ff02::1 ::ffff:127.0.0.1 ::ffff:10.0.0.1 64:ff9b::7f00:1 2002:7f00:1::".split(
      " ",
    ),
    ..."::7f00:1 2001:db8::1 3fff::1 5f00::1 fec0::1 fe80::1%eth0 nonsense 1.2.3 01.2.3.4".split(" "),
  ];
  const open = "1.1.1.1 8.8.8.8 93.184.216.34 172.15.0.1 172.32.0.1 2606:4700::1 2a00:1450::5".split(" ");
  test.each(closed)("%s is blocked", (address) => expect(addressRule([], false)(address)).toBe(false));
  test.each(open)("%s is allowed", (address) => expect(addressRule([], false)(address)).toBe(true));

  test("allow_private opens private networks and this machine, never link-local, special and multicast", () => {
    const rule = addressRule([], true);
    for (const address of [
      "10.0.0.1",
      "127.0.0.1",
      "192.168.1.1",
      "172.20.0.1",
      "100.64.0.1",
      "::1",
      "fd12::1",
    ])
      expect(rule(address), address).toBe(true);
    for (const address of [
      "169.254.169.254",
      "169.254.170.2",
      "169.254.170.23",
      "fd00:ec2::254",
      "fd00:ec2::23",
      "fe80::1",
      "0.0.0.0",
      "224.0.0.1",
      "::",
      "64:ff9b::a00:1",
      "nonsense",
    ])
      expect(rule(address), address).toBe(false);
  });

  test("an address that the operator wrote is open, its neighbours are not", () => {
    const rule = addressRule(["169.254.1.2", "example.org", "[fe80::5]"], false);
    expect(["169.254.1.2", "fe80::5", "169.254.1.3", "fe80::6"].map(rule)).toEqual([
      true,
      true,
      false,
      false,
    ]);
  });
});

describe("hosts", () => {
  test.each([
    ["example.org", "https://example.org/x", true],
    ["example.org", "http://EXAMPLE.org/x", true],
    ["example.org", "https://example.org:8443/x", false],
    ["example.org:8443", "https://example.org:8443/x", true],
    ["example.org:443", "https://example.org/x", true],
    ["example.org:443", "http://example.org/x", false],
    ["example.org", "https://evil-example.org/x", false],
    ["example.org", "https://example.org.evil.net/x", false],
    ["example.org", "https://a.example.org/x", false],
    ["[::1]:80", "http://[::1]/x", true],
  ])("%s for %s: %s", (host, url, allowed) => {
    const parsed = parseHost(host);
    expect(parsed && isAllowedHost(new URL(url), [parsed])).toBe(allowed);
  });

  test.each(["", "http://x", "a/b", "a@b", "a b", "x:99999999", "[::1", "a:b"])("%j is not a host", (text) =>
    expect(parseHost(text)).toBeUndefined(),
  );
});

describe("the URL", () => {
  test("has each segment percent-encoded and the slashes preserved", async () => {
    const answer = await remote({ url: `${origin.url}/{identifier}` }).get("a b/ü&+.jpg", range);
    expect(answer).toMatchObject({ kind: "part", bytes: content });
  });

  test.each([
    "ftp://example.org/{identifier}",
    "https://example.org/masters",
    "https://{identifier}/x",
    "https://user:pw@example.org/{identifier}",
    "{identifier}/x",
    "/x/{identifier}",
    "https://example.org/x#{identifier}",
  ])("%s is refused as a template", (url) =>
    expect(sourceOptions.safeParse([{ name: "web", type: "http", url }]).success).toBe(false),
  );

  test("may be the identifier itself, of allowed hosts only", async () => {
    const web = remote({ url: "{identifier}", allowed_hosts: [`127.0.0.1:${origin.port}`] });
    expect(await web.get(`${origin.url}/a.jpg`, range)).toMatchObject({ bytes: content });
    await expect(web.get(`${other.url}/a.jpg`, range)).rejects.toMatchObject({ code: "origin_not_allowed" });
    await expect(web.get("https://example.com/a.jpg", range)).rejects.toMatchObject({
      code: "origin_not_allowed",
    });
    for (const bad of [
      "a.jpg",
      "ftp://x/y",
      `http://u:p@127.0.0.1:${origin.port}/a.jpg`,
      `${origin.url}/../a.jpg`,
      `${origin.url}/x/./a.jpg`,
      "http:///x",
      "http://\\x/y",
    ])
      await expect(async () => web.checkKey(bad), bad).rejects.toMatchObject({ code: "bad_identifier" });
  });
});

describe("resolution of a name", () => {
  test("private addresses are refused at the connection, unless allow_private", async () => {
    const url = `http://localhost:${origin.port}/{identifier}`;
    const before = origin.asked.length;
    await expect(remote({ url }).get("a.jpg", range)).rejects.toMatchObject({
      kind: "source",
      code: "origin_not_allowed",
    });
    expect(origin.asked.length, "nothing was asked").toBe(before);
    expect(await remote({ url, allow_private: true }).get("a.jpg", range)).toMatchObject({ bytes: content });
  });

  test("a URL identifier with an address of this machine is refused though its host is allowed by another name", async () => {
    const web = remote({ url: "{identifier}", allowed_hosts: [`localhost:${origin.port}`] });
    for (const host of ["127.0.0.1", "[::1]", "2130706433", "0x7f.1", "localhost"])
      await expect(web.get(`http://${host}:${origin.port}/a.jpg`, range), host).rejects.toMatchObject({
        code: "origin_not_allowed",
      });
  });
});

describe("redirects", () => {
  const redirect = (to: string, status = 302) => {
    origin.behaviour.instead = (request, response) => {
      if (request.url !== "/moved") return undefined;
      response.writeHead(status, { location: to }).end();
      return true;
    };
  };
  const web = (options: Record<string, unknown> = {}, env: Record<string, string> = {}) =>
    remote({ url: `${origin.url}/{identifier}`, ...options }, env).get("moved", range);

  test.each([301, 302, 303, 307, 308])("%i within the host is followed", async (status) => {
    redirect("/a.jpg", status);
    expect(await web()).toMatchObject({ bytes: content });
  });

  test("to another host is followed only when it is allowed, without credentials", async () => {
    redirect(`${other.url}/a.jpg`);
    await expect(web()).rejects.toMatchObject({ code: "origin_not_allowed" });
    const options = {
      allowed_hosts: [`127.0.0.1:${other.port}`],
      headers: { Cookie: "c=1", "X-Api-Key": "k", "User-Agent": "smalti" },
      auth_env: "TOKEN",
    };
    expect(await web(options, { TOKEN: "Bearer secret" })).toMatchObject({ bytes: content });
    expect(origin.asked.at(-1)?.headers).toMatchObject({ authorization: "Bearer secret", cookie: "c=1" });
    const seen = other.asked.at(-1)?.headers ?? {};
    expect(seen).toMatchObject({ "user-agent": "smalti", range: "bytes=0-9" });
    for (const name of ["authorization", "cookie", "x-api-key"]) expect(seen).not.toHaveProperty(name);
  });

  test.each([
    "http://169.254.169.254/latest/meta-data",
    "http://169.254.170.2/v2/credentials",
    "http://[fd00:ec2::254]/latest/meta-data",
    "file:///etc/passwd",
    "ftp://127.0.0.1/x",
    "http://[",
  ])("to %s is refused", async (to) => {
    redirect(to);
    await expect(web()).rejects.toMatchObject({ code: "origin_not_allowed" });
  });

  test("in a circle end", async () => {
    redirect("/moved");
    const before = origin.asked.length;
    await expect(web()).rejects.toMatchObject({ code: "origin_bad_answer" });
    expect(origin.asked.length - before).toBe(6);
  });
});

describe("unusable responses", () => {
  test.each([
    ["101 Switching Protocols", "Connection: upgrade\r\nUpgrade: h2c\r\n"],
    ["999 Denied", "Content-Length: 0\r\n"],
  ])("%s is an error immediately", async (status, fields) => {
    origin.behaviour.instead = (request) => {
      request.socket.write(`HTTP/1.1 ${status}\r\n${fields}\r\n`);
      return true;
    };
    const patient = httpRemote(optionsOf({ url: `${origin.url}/{identifier}` }), platform, {
      ...once,
      attemptMs: 3_600_000,
    });
    await expect(patient.get("a.jpg", range)).rejects.toMatchObject({ code: "origin_bad_answer" });
    origin.behaviour.instead = undefined;
  });

  test("a body without ranges that stalls ends with the time limit of an attempt", async () => {
    origin.behaviour.instead = (_request, response) => {
      response.writeHead(200, { "content-length": "100000" }).write("abc");
      return true;
    };
    const hasty = httpRemote(optionsOf({ url: `${origin.url}/{identifier}` }), platform, {
      ...once,
      attemptMs: 50,
    });
    const answer = await hasty.get("a.jpg", range);
    origin.behaviour.instead = undefined;
    if (answer.kind !== "whole") throw new Error(`a whole answer was expected, not ${answer.kind}`);
    await expect(new Response(answer.body).arrayBuffer()).rejects.toThrow(/within 50 ms/);
  });
});

describe("the check", () => {
  test.each([
    ["a redirect to anywhere", 302, undefined],
    ["not found", 404, undefined],
    ["an error of the server", 503, /503/],
  ])("with %s", async (_, status, problem) => {
    origin.behaviour.instead = (_request, response) => {
      response.writeHead(status, { location: "https://login.example.org/" }).end();
      return true;
    };
    const checked = remote({ url: `${origin.url}/{identifier}` }).check(AbortSignal.timeout(hang));
    if (problem) await expect(checked).rejects.toThrow(problem);
    else await expect(checked).resolves.toBeUndefined();
    origin.behaviour.instead = undefined;
  });

  test.each([
    ["no address that is allowed", "http://localhost:9/{identifier}", /allow_private/],
    ["nothing that answers", "http://127.0.0.1:9/{identifier}", /does not respond/],
  ])("of %s reports the reason, and not the address", async (_, url, problem) => {
    const error = await remote({ url })
      .check(AbortSignal.timeout(hang))
      .catch((each: Error) => each);
    expect(String(error)).toMatch(problem);
    expect(String(error)).not.toMatch(/localhost|127\.0\.0\.1/);
  });
});

test("if identifiers are URLs, no secret is sent without TLS", async () => {
  const web = remote(
    {
      url: "{identifier}",
      allowed_hosts: [`127.0.0.1:${origin.port}`],
      headers: { "User-Agent": "smalti" },
      auth_env: "TOKEN",
    },
    { TOKEN: "Bearer secret" },
  );
  expect(await web.get(`${origin.url}/a.jpg`, range)).toMatchObject({ bytes: content });
  const seen = origin.asked.at(-1)?.headers ?? {};
  expect(seen).toMatchObject({ "user-agent": "smalti" });
  expect(seen).not.toHaveProperty("authorization");
});

test.each([{ "User Agent": "x" }, { "X-A": "one\ntwo" }, { "X-A": "…" }])(
  "%j are not request headers",
  (headers) => {
    const one = { name: "web", type: "http", url: "https://example.org/{identifier}", headers };
    expect(sourceOptions.safeParse([one]).success).toBe(false);
  },
);

test("the location of masters is reported without possible keys in the query", () => {
  const url = "https://example.org/get?key=hush&id={identifier}&sig=hush";
  expect(locationOf(optionsOf({ url }))).toBe("https://example.org/get?key=***&id={identifier}&sig=***");
});

test("an unset variable is reported at start, by its name", () => {
  expect(() => remote({ url: `${origin.url}/{identifier}`, auth_env: "NOT_SET" })).toThrow(/NOT_SET/);
});
