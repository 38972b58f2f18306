// The field Forwarded (RFC 7239), and the path headers of Cantaloupe: what of them counts, and for whom.

import { describe, expect, test } from "vitest";
import { parseRange } from "../../../../src/base/network/ip-range.ts";
import { type Log, silentLog } from "../../../../src/base/telemetry/log.ts";
import { baseUrl, clientAddress, type ProxyTrust } from "../../../../src/server/api/http/client/client.ts";
import { readForwarded } from "../../../../src/server/api/http/client/forwarded.ts";
import fc from "../../../properties.ts";
import { served } from "../../../served.ts";

const trust = (...proxies: string[]): ProxyTrust => ({ proxies: proxies.map(parseRange), baseUrl: "" });
const inner = trust("10.0.0.0/8");

const clientOf = (headers: Record<string, string>, peer = "10.0.0.1", by = inner) =>
  clientAddress(new Headers(headers), peer, by);
const baseOf = (headers: Record<string, string>, peer = "10.0.0.1", by = inner) =>
  baseUrl(new Request("http://internal:8080/x", { headers }), peer, by);

describe("the client's address in Forwarded", () => {
  test.each([
    // RFC 7239, sections 4, 6 and 7.1
    ['for="_gazonk"', undefined],
    ['For="[2001:db8:cafe::17]:4711"', "2001:db8:cafe::17"],
    ["for=192.0.2.60;proto=http;by=203.0.113.43", "192.0.2.60"],
    ["for=192.0.2.43, for=198.51.100.17", "198.51.100.17"],
    ['for="192.0.2.43:47011"', "192.0.2.43"],
    ["for=_hidden, for=_SEVKISEK", undefined],
    ["for=unknown", undefined],
    ['for="unknown:_port"', undefined],
    ['for="[2001:db8:cafe::17]"', "2001:db8:cafe::17"],
    ['for="192.0.2.43:_obf.us-cated"', "192.0.2.43"],
    // trusted proxies are passed over, from the right
    ["for=1.1.1.1, for=192.0.2.43, for=10.0.0.3", "192.0.2.43"],
    ["for=192.0.2.43,for=10.0.0.3 ,\tfor=10.0.0.2", "192.0.2.43"],
    ["for=10.0.0.3", "10.0.0.3"],
    ['for=evil, for="[::ffff:10.0.0.2]"', undefined],
    // a hop that is hidden may hide anyone, and nothing before it counts
    ["for=192.0.2.43, for=unknown, for=10.0.0.2", undefined],
    ["for=192.0.2.43, proto=https", undefined],
    ["for=192.0.2.43, ", undefined],
    ["for=192.0.2.43,, for=10.0.0.2", undefined],
    // what the client sent cannot harm what the proxy appended
    ["for=;;;===, for=198.51.100.17", "198.51.100.17"],
    ['for="a, for=b", for=198.51.100.17', "198.51.100.17"],
    ['for="a\\", for=b", for=198.51.100.17', "198.51.100.17"],
    // nor pass for it
    ['for="192.0.2.43, for=198.51.100.17', undefined],
    ["for=192.0.2.43;for=198.51.100.17", undefined],
    ["for=192.0.2.43;FOR=198.51.100.17", undefined],
    ["for =192.0.2.43", undefined],
    ["192.0.2.43", undefined],
    ["for=2001:db8::17", undefined], // may end with a port
    ["for=192.0.2.43:470111", undefined],
    ['for="[192.0.2.43"', undefined],
    // forms that are seen although the grammar has them otherwise
    ["for=192.0.2.43:47011", "192.0.2.43"],
    ["for=[2001:db8::17]:4711", "2001:db8::17"],
    ["for=192.0.2.43; proto=https;", "192.0.2.43"],
    ['for="\\1\\92.0.2.43"', "192.0.2.43"],
  ])("%s is %s", (field, client) => expect(clientOf({ Forwarded: field })).toBe(client));

  test("is the peer's if the peer is no trusted proxy, or none is named", () => {
    const headers = { Forwarded: "for=192.0.2.43" };
    expect(clientOf(headers, "203.0.113.1")).toBe("203.0.113.1");
    expect(clientOf(headers, "10.0.0.1", trust())).toBe("10.0.0.1");
  });

  test("does not count in a request that has one of the older fields, which most proxies send", () => {
    const forwarded = { Forwarded: "for=192.0.2.43;host=evil.example;proto=https" };
    expect(clientOf({ ...forwarded, "X-Forwarded-For": "198.51.100.17" })).toBe("198.51.100.17");
    expect(clientOf({ ...forwarded, "X-Forwarded-Host": "a.example" })).toBe("10.0.0.1");
    expect(baseOf({ ...forwarded, "X-Forwarded-For": "198.51.100.17" })).toBe("http://internal:8080");
    expect(baseOf({ ...forwarded, "X-Forwarded-Proto": "http" })).toBe("http://internal:8080");
    expect(baseOf({ ...forwarded, "X-Forwarded-Host": "a.example" })).toBe("http://a.example");
    // An empty one says nothing, and a prefix is not what Forwarded can name.
    expect(clientOf({ ...forwarded, "X-Forwarded-For": "" })).toBe("192.0.2.43");
    expect(baseOf({ ...forwarded, "X-Forwarded-Prefix": "/p" })).toBe("https://evil.example/p");
  });

  test("is unknown if the field has more than 4096 characters, whatever it ends with", () => {
    const fill = (length: number) =>
      `for="${"x".repeat(length - 'for="", for=192.0.2.43'.length)}", for=192.0.2.43`;
    expect(fill(4096)).toHaveLength(4096);
    expect(clientOf({ Forwarded: fill(4096) })).toBe("192.0.2.43");
    expect(clientOf({ Forwarded: fill(4097) })).toBeUndefined();
  });

  test("never is one that a client wrote before what its proxy appends", () => {
    const written = fc.string({ unit: fc.constantFrom(...'for=host\\";, []:1.0_'.split("")), maxLength: 60 });
    fc.assert(
      fc.property(written, (text) => {
        const { client, host = "" } =
          readForwarded(
            new Headers({ Forwarded: `${text}, for=198.51.100.17` }),
            "10.0.0.1",
            inner.proxies,
          ) ?? {};
        expect([client, host]).toEqual([client === undefined ? undefined : "198.51.100.17", ""]);
      }),
      { numRuns: 3000 },
    );
  });
});

describe("the base URL", () => {
  test.each([
    ["host=images.example.org;proto=https", "https://images.example.org"],
    ["Host=Images.Example.org;PROTO=HTTPS", "https://images.example.org"],
    ['host="images.example.org:8443";proto=https', "https://images.example.org:8443"],
    ["host=images.example.org:8443", "http://images.example.org:8443"],
    ['host="[2001:db8:0::1]:81"', "http://[2001:db8::1]:81"],
    ["proto=https", "https://internal:8080"],
    ["proto=javascript", "http://internal:8080"],
    // the outermost trusted proxy that names one decides
    ["for=192.0.2.1;host=a.example;proto=https, for=10.0.0.2;host=b.example;proto=http", "https://a.example"],
    ["for=192.0.2.1, for=10.0.0.2;host=b.example;proto=https", "https://b.example"],
    // what came before the trusted proxies is the client's
    ["host=evil.example;proto=https, for=192.0.2.1", "http://internal:8080"],
    ["for=10.0.0.9;host=evil.example, for=192.0.2.1;host=a.example", "http://a.example"],
    ["host=evil.example, for=unknown;host=a.example", "http://a.example"],
    // hosts have the same bounds as in Host
    ["host=user@evil.example", "http://internal:8080"],
    ['host="evil.example/path"', "http://internal:8080"],
    ['host="a;b"', "http://internal:8080"],
    [`host=${"label-of-ten.".repeat(20)}`, "http://internal:8080"],
    ["host=a.example;host=b.example", "http://internal:8080"],
  ])("with Forwarded: %s is %s", (field, base) => expect(baseOf({ Forwarded: field })).toBe(base));

  test.each([
    [{ "X-Forwarded-Path": "/iiif-server" }, "http://internal:8080/iiif-server"],
    [{ "X-Forwarded-Path": "/" }, "http://internal:8080"],
    [{ "X-Forwarded-Path": "/a/b/, /c" }, "http://internal:8080/a/b"],
    [{ "X-Forwarded-BasePath": "/iiif-server" }, "http://internal:8080/iiif-server"],
    [{ "X-Forwarded-Path": "/a/../b" }, "http://internal:8080"],
    [{ "X-Forwarded-Path": "/a%2Fb" }, "http://internal:8080"],
    [{ "X-Forwarded-Path": '/"><script>' }, "http://internal:8080"],
    [{ "X-Forwarded-Path": `/${"p".repeat(199)}` }, `http://internal:8080/${"p".repeat(199)}`],
    [{ "X-Forwarded-Path": `/${"p".repeat(200)}` }, "http://internal:8080"],
    // -Prefix, then -BasePath, then -Path: the first one that is there decides
    [{ "X-Forwarded-Prefix": "/p", "X-Forwarded-Path": "/q" }, "http://internal:8080/p"],
    [{ "X-Forwarded-Prefix": "/", "X-Forwarded-Path": "/p/iiif/3/x" }, "http://internal:8080"],
    [{ "X-Forwarded-BasePath": "/p", "X-Forwarded-Path": "/q" }, "http://internal:8080/p"],
    [{ "X-Forwarded-Proto": "HTTPS", "X-Forwarded-Path": "/p" }, "https://internal:8080/p"],
  ] as [Record<string, string>, string][])("with %j from a trusted proxy is %s", (headers, base) =>
    expect(baseOf(headers)).toBe(base),
  );

  test.each(["Forwarded", "X-Forwarded-Path", "X-Forwarded-BasePath"])(
    "follows %s from nobody but the proxies that are named",
    (name) => {
      const headers = { [name]: name === "Forwarded" ? "host=evil.example;proto=https" : "/evil" };
      for (const by of [inner, trust()])
        expect(baseOf(headers, "203.0.113.1", by)).toBe("http://internal:8080");
    },
  );
});

test.each([
  ["Forwarded", 'host="a;b"'],
  ["Forwarded", 'for="192.0.2.1'],
  ["Forwarded", `for="${"x".repeat(5000)}"`],
  ["X-Forwarded-Path", "/a/../b"],
])("the log says once that %s is ignored, with the beginning of its value: %j", async (name, value) => {
  const warnings: [string, unknown][] = [];
  const log = { ...silentLog, warn: (...args: [string, unknown]) => void warnings.push(args) } as Log;
  const app = await served("trusted_proxies: [10.0.0.1]", {}, { log });
  for (let i = 0; i < 3; i++) await app.get("/health", { headers: { [name]: value }, peer: "10.0.0.1" });
  const about = warnings.filter(([message]) => message.startsWith(`${name} is ignored: expected `));
  expect(about.map(([, fields]) => fields)).toEqual([
    { received: value.slice(0, 60), characters: value.length },
  ]);
});

test("the log says nothing of a proxy that hides its client, as it may", async () => {
  const warnings: string[] = [];
  const log = { ...silentLog, warn: (message: string) => void warnings.push(message) } as Log;
  const app = await served("trusted_proxies: [10.0.0.1]", {}, { log });
  for (const value of ["for=unknown", "for=_hidden;proto=https", "proto=https;by=_x"])
    await app.get("/health", { headers: { Forwarded: value }, peer: "10.0.0.1" });
  expect(warnings.filter((message) => message.includes("Forwarded is ignored"))).toEqual([]);
});

test("ids of a document follow Forwarded of a trusted proxy, and Vary names it and the path headers", async () => {
  const app = await served("trusted_proxies: [10.0.0.0/8]");
  const headers = {
    Forwarded: 'for="[2001:db8::7]";host=images.example.org;proto=https',
    "X-Forwarded-Path": "/p",
  };
  const response = await app.get("/iiif/3/base.png/info.json", { headers, peer: "10.0.0.1" });
  expect(await response.json()).toMatchObject({ id: "https://images.example.org/p/iiif/3/base.png" });
  const vary = response.headers.get("Vary")?.split(/, /);
  expect(vary).toEqual(expect.arrayContaining(["Forwarded", "X-Forwarded-Path", "X-Forwarded-BasePath"]));
});

test("a reading room admits the client that Forwarded of a trusted proxy names, and no other by it", async () => {
  const app = await served(`trusted_proxies: [10.0.0.1]
auth:
  profiles:
    room: { pattern: kiosk, access_service: { backend: builtin }, kiosk: { allowed_ips: ["192.0.2.0/24"] } }
  rules: [{ match: "base.png", profile: room }]`);
  const status = async (peer: string, headers: Record<string, string>) =>
    (await app.get("/iiif/3/base.png/full/20,/0/default.png", { headers, peer })).status;
  const login = async (peer: string, headers: Record<string, string>) =>
    (await app.get("/iiif/auth/login/room", { headers, peer, redirect: "manual" } as never)).status;
  const inRoom = { Forwarded: "for=192.0.2.7" };
  expect(await login("10.0.0.1", inRoom)).toBe(200);
  expect(await login("203.0.113.5", inRoom)).toBe(401);
  expect(await login("10.0.0.1", { Forwarded: "for=192.0.2.7, for=203.0.113.5" })).toBe(401);
  expect(await login("10.0.0.1", { ...inRoom, "X-Forwarded-For": "203.0.113.5" })).toBe(401);
  expect(await status("10.0.0.1", {})).toBe(401);
});
