// Client address and base URL, with and without proxies.

import { describe, expect, test } from "vitest";
import { parseRange } from "../../../../src/base/network/ip-range.ts";
import { type Log, silentLog } from "../../../../src/base/telemetry/log.ts";
import { baseUrl, clientAddress, type ProxyTrust } from "../../../../src/server/api/http/client/client.ts";
import { served } from "../../../served.ts";

const trust = (proxies: string[] = [], base = ""): ProxyTrust => ({
  proxies: proxies.map(parseRange),
  baseUrl: base,
});

describe("the client's address", () => {
  const from = (peer: string | undefined, chain: string | undefined, proxies: string[]) =>
    clientAddress(new Headers(chain === undefined ? {} : { "X-Forwarded-For": chain }), peer, trust(proxies));

  test.each([
    // no trusted proxy: the peer, whatever it says
    ["192.0.2.1", "203.0.113.9", [], "192.0.2.1"],
    // a peer that is not a proxy may send anything
    ["192.0.2.1", "203.0.113.9", ["10.0.0.0/8"], "192.0.2.1"],
    ["10.0.0.1", undefined, ["10.0.0.0/8"], "10.0.0.1"],
    ["10.0.0.1", "", ["10.0.0.0/8"], "10.0.0.1"],
    ["10.0.0.1", "203.0.113.9", ["10.0.0.0/8"], "203.0.113.9"],
    // addresses left of the first untrusted one were sent by the client and are ignored
    ["10.0.0.1", "1.1.1.1, 203.0.113.9", ["10.0.0.0/8"], "203.0.113.9"],
    ["10.0.0.1", "1.1.1.1, 203.0.113.9, 10.0.0.2", ["10.0.0.0/8"], "203.0.113.9"],
    ["10.0.0.1", "10.0.0.3,10.0.0.2", ["10.0.0.0/8"], "10.0.0.3"],
    ["::1", "2001:db8::7", ["::1"], "2001:db8::7"],
    // ports that some proxies append
    ["10.0.0.1", "203.0.113.9:51234", ["10.0.0.0/8"], "203.0.113.9"],
    ["10.0.0.1", "[2001:db8::7]:51234", ["10.0.0.0/8"], "2001:db8::7"],
    // other spellings of one address
    ["10.0.0.1", "2001:DB8:0::0007", ["10.0.0.0/8"], "2001:db8::7"],
    ["10.0.0.1", "::ffff:203.0.113.9", ["10.0.0.0/8"], "203.0.113.9"],
    ["10.0.0.1", "203.0.113.9, ::FFFF:a00:2", ["10.0.0.0/8"], "203.0.113.9"],
    // a value that is not an address may hide anyone: neither the proxy nor an address left of it is the
    // client
    ["10.0.0.1", '"[2001:db8::7]"', ["10.0.0.0/8"], undefined],
    ["10.0.0.1", "203.0.113.9, unknown", ["10.0.0.0/8"], undefined],
    ["10.0.0.1", "203.0.113.9, , 10.0.0.2", ["10.0.0.0/8"], undefined],
    ["10.0.0.1", "unknown, 203.0.113.9", ["10.0.0.0/8"], "203.0.113.9"],
  ])("of peer %s with X-Forwarded-For %j and proxies %j is %s", (peer, chain, proxies, client) =>
    expect(from(peer, chain, proxies)).toBe(client),
  );

  test("is unknown if the runtime does not report the peer", () =>
    expect(from(undefined, "203.0.113.9", ["0.0.0.0/0"])).toBeUndefined());
});

/** A host name of that many characters, whose labels are short. */
const longName = (length: number) => `${"label-of-ten.".repeat(30).slice(0, length - 1)}x`;

describe("the base URL", () => {
  const from = (headers: Record<string, string>, proxies: string[] = [], peer = "192.0.2.1", base = "") =>
    baseUrl(new Request("http://internal:8080/x?y", { headers }), peer, trust(proxies, base));

  test.each([
    [{}, "http://internal:8080"],
    [{ "X-Forwarded-Proto": "https" }, "https://internal:8080"],
    [{ "X-Forwarded-Proto": "HTTPS" }, "https://internal:8080"],
    [{ "X-Forwarded-Proto": "https, http" }, "https://internal:8080"],
    [{ "X-Forwarded-Proto": "javascript" }, "http://internal:8080"],
    [{ "X-Forwarded-Host": "images.example.org" }, "http://images.example.org"],
    [{ "X-Forwarded-Host": "images.example.org:8443, inner" }, "http://images.example.org:8443"],
    [{ "X-Forwarded-Host": "[2001:db8::1]:81" }, "http://[2001:db8::1]:81"],
    [
      { "X-Forwarded-Proto": "https", "X-Forwarded-Host": "images.example.org:443" },
      "https://images.example.org",
    ],
    [{ "X-Forwarded-Host": "images.example.org:80" }, "http://images.example.org"],
    [{ "X-Forwarded-Host": "a.org", "X-Forwarded-Port": "8443" }, "http://a.org:8443"],
    [{ "X-Forwarded-Host": "a.org:81", "X-Forwarded-Port": "8443" }, "http://a.org:81"],
    [
      { "X-Forwarded-Proto": "https", "X-Forwarded-Host": "a.org", "X-Forwarded-Port": "443" },
      "https://a.org",
    ],
    [{ "X-Forwarded-Host": "A.Org.", "X-Forwarded-Port": "70000" }, "http://a.org."],
    [{ "X-Forwarded-Host": "[2001:DB8:0::1]", "X-Forwarded-Port": "81" }, "http://[2001:db8::1]:81"],
    [{ "X-Forwarded-Host": 'evil"><script>' }, "http://internal:8080"],
    [{ "X-Forwarded-Host": "a.org:99999" }, "http://internal:8080"],
    [{ "X-Forwarded-Host": "1.2.3.256" }, "http://internal:8080"],
    [{ "X-Forwarded-Host": "a..org" }, "http://internal:8080"],
    [{ "X-Forwarded-Host": "[zz]" }, "http://internal:8080"],
    [{ "X-Forwarded-Host": "a;b" }, "http://internal:8080"],
    [{ "X-Forwarded-Prefix": "/./x" }, "http://internal:8080"],
    [{ "X-Forwarded-Host": "user@evil.org" }, "http://internal:8080"],
    [{ "X-Forwarded-Host": "evil.org/path" }, "http://internal:8080"],
    [{ "X-Forwarded-Prefix": "/iiif-server" }, "http://internal:8080/iiif-server"],
    [{ "X-Forwarded-Prefix": "/a/b/" }, "http://internal:8080/a/b"],
    [{ "X-Forwarded-Prefix": "/" }, "http://internal:8080"],
    [{ "X-Forwarded-Prefix": "//evil.org" }, "http://internal:8080/evil.org"],
    [{ "X-Forwarded-Prefix": "/../x" }, "http://internal:8080"],
    [{ "X-Forwarded-Prefix": '/"><script>' }, "http://internal:8080"],
    [{ "X-Forwarded-Prefix": "/~ann/b%C3%BCcher" }, "http://internal:8080/~ann/b%C3%BCcher"],
    [{ "X-Forwarded-Prefix": "/a/%2E%2e/b" }, "http://internal:8080"],
    [{ "X-Forwarded-Prefix": "/a%2Fb" }, "http://internal:8080"],
    [{ "X-Forwarded-Prefix": "/a%5cb" }, "http://internal:8080"],
    [{ "X-Forwarded-Prefix": "/a//b" }, "http://internal:8080"],
    [{ "X-Forwarded-Prefix": "/100%" }, "http://internal:8080"],
    [{ "X-Forwarded-Prefix": "/%C3" }, "http://internal:8080"],
    [{ "X-Forwarded-Prefix": `/${"p".repeat(199)}` }, `http://internal:8080/${"p".repeat(199)}`],
    [{ "X-Forwarded-Prefix": `/${"p".repeat(200)}` }, "http://internal:8080"],
    [{ "X-Forwarded-Prefix": `/${"p/".repeat(100)}` }, "http://internal:8080"],
    [{ "X-Forwarded-Host": longName(253) }, `http://${longName(253)}`],
    [{ "X-Forwarded-Host": `${longName(253)}:65535` }, `http://${longName(253)}:65535`],
    [{ "X-Forwarded-Host": longName(253), "X-Forwarded-Port": "81" }, `http://${longName(253)}:81`],
    [{ "X-Forwarded-Host": longName(254) }, "http://internal:8080"],
    [{ "X-Forwarded-Host": "h".repeat(63) }, `http://${"h".repeat(63)}`],
    [{ "X-Forwarded-Host": "h".repeat(64) }, "http://internal:8080"],
  ] as [Record<string, string>, string][])("with %j from anyone is %s", (headers, base) =>
    expect(from(headers)).toBe(base),
  );

  const named = (host: string, url = "http://127.0.0.1:8080/x") => {
    const request = new Request(url);
    const headers = new Headers({ Host: host });
    return baseUrl({ url: request.url, headers } as Request, "192.0.2.1", trust());
  };

  test.each([
    ["images.example.org", "http://images.example.org"],
    ["Images.Example.ORG:80", "http://images.example.org"],
    ["images.example.org:8443", "http://images.example.org:8443"],
    ["a.org:", "http://a.org"],
    ["[2001:DB8:0:0::1]:81", "http://[2001:db8::1]:81"],
    ["", "http://127.0.0.1:8080"],
  ])("with Host %j is %s", (host, base) => expect(named(host)).toBe(base));

  test.each([
    ["X-Forwarded-Host", longName(254)],
    ["X-Forwarded-Host", "a;b"],
    ["X-Forwarded-Prefix", `/${"p".repeat(200)}`],
    ["X-Forwarded-Prefix", "/a/../b"],
  ])("logs once that %s is ignored, with the beginning of its value: %j", async (name, value) => {
    const warnings: [string, unknown][] = [];
    const log = { ...silentLog, warn: (...args: [string, unknown]) => void warnings.push(args) } as Log;
    const app = await served("log: { requests: false }", {}, { log });
    for (let i = 0; i < 3; i++) await app.get("/health", { headers: { [name]: value } });
    const about = warnings.filter(([message]) => message.startsWith(`${name} is ignored: expected a `));
    expect(about.map(([, fields]) => fields)).toEqual([
      { received: value.slice(0, 60), characters: value.length },
    ]);
  });

  test("logs nothing about headers that it need not read, or that are empty", async () => {
    const warnings: string[] = [];
    const log = { ...silentLog, warn: (message: string) => void warnings.push(message) } as Log;
    const headers = { "X-Forwarded-Host": "a;b", "X-Forwarded-Prefix": "/.." };
    for (const yaml of ["base_url: https://images.example.org", "trusted_proxies: [10.0.0.1]"]) {
      const app = await served(yaml, {}, { log });
      await app.get("/health", { headers });
    }
    const app = await served("", {}, { log });
    await app.get("/health", { headers: { "X-Forwarded-Host": "", "X-Forwarded-Prefix": "/" } });
    expect(warnings.filter((message) => message.includes("X-Forwarded"))).toEqual([]);
  });

  const all = {
    "X-Forwarded-Proto": "https",
    "X-Forwarded-Host": "a.org",
    "X-Forwarded-Prefix": "/p",
  };

  test("follows only trusted proxies once some are named", () => {
    expect(from(all, ["10.0.0.0/8"], "192.0.2.1")).toBe("http://internal:8080");
    expect(from(all, ["10.0.0.0/8"], "10.0.0.1")).toBe("https://a.org/p");
  });

  test("is the configured one whatever a request says", () =>
    expect(from(all, [], "10.0.0.1", "https://images.example.org/x")).toBe("https://images.example.org/x"));
});

describe("in a document", () => {
  const id = async (yaml: string, headers: Record<string, string>, peer?: string) => {
    const app = await served(yaml);
    const response = await app.get("/iiif/3/base.png/info.json", { headers, ...(peer ? { peer } : {}) });
    return { id: ((await response.json()) as { id: string }).id, vary: response.headers.get("Vary") };
  };

  test("the id follows the forwarded headers, and Vary names them", async () => {
    const answer = await id("", { "X-Forwarded-Proto": "https", "X-Forwarded-Prefix": "/p" });
    expect(answer.id).toBe("https://images.test/p/iiif/3/base.png");
    for (const name of ["Proto", "Host", "Prefix"]) expect(answer.vary).toContain(`X-Forwarded-${name}`);
  });

  test("a configured base URL counts alone, with or without its last slash", async () => {
    for (const url of ["https://images.example.org/x", "https://images.example.org/x/"]) {
      const answer = await id(`base_url: ${url}`, { "X-Forwarded-Host": "evil.org" });
      expect(answer.id).toBe("https://images.example.org/x/iiif/3/base.png");
      expect(answer.vary).not.toContain("X-Forwarded");
    }
  });

  test("headers from a peer that is no trusted proxy do not count", async () => {
    const yaml = "trusted_proxies: [10.0.0.0/8]";
    const headers = { "X-Forwarded-Host": "evil.org" };
    expect((await id(yaml, headers, "192.0.2.1")).id).toBe("http://images.test/iiif/3/base.png");
    expect((await id(yaml, headers, "10.1.1.1")).id).toBe("http://evil.org/iiif/3/base.png");
  });
});

describe("a Host field", () => {
  const hosts = [
    'a"b',
    "a/b",
    "u@evil.org",
    "a.org:99999",
    "[zz]",
    "a%2fb",
    "a\\b",
    "a.org, b.org",
    "1.2.3.256",
    "<script>",
    "a;b",
    "h".repeat(64),
    longName(254),
    `${longName(254)}:80`,
    "h.".repeat(7500),
    `[${"0:".repeat(7500)}]`,
  ];

  test.each(hosts)("of %j is refused with 400, and reaches neither links nor policies", async (host) => {
    const app = await served();
    for (const target of ["/", "/iiif/3/base.png/info.json", "/health"]) {
      const response = await app.get(target, { headers: { Host: host, Accept: "*/*" } });
      expect([response.status, ((await response.json()) as { code: string }).code]).toEqual([
        400,
        "bad_host",
      ]);
      for (const [, value] of response.headers) expect(value).not.toContain(host);
    }
  });

  test.each(["", ...hosts])("of %j does not matter if base_url is set", async (host) => {
    const app = await served("base_url: https://images.example.org/x");
    const response = await app.get("/iiif/3/base.png/info.json", { headers: { Host: host } });
    expect([response.status, ((await response.json()) as { id: string }).id]).toEqual([
      200,
      "https://images.example.org/x/iiif/3/base.png",
    ]);
    for (const [, value] of response.headers) if (host) expect(value).not.toContain(host);
  });

  test("does not matter if a proxy names a host", async () => {
    const app = await served();
    const headers = { Host: "a;b", "X-Forwarded-Host": "images.example.org" };
    const response = await app.get("/iiif/3/base.png/info.json", { headers });
    expect(await response.json()).toMatchObject({ id: "http://images.example.org/iiif/3/base.png" });
  });

  test("decides about ids", async () => {
    const app = await served();
    const response = await app.get("/iiif/3/base.png/info.json", {
      headers: { Host: "Images.Example.org:81" },
    });
    expect(await response.json()).toMatchObject({ id: "http://images.example.org:81/iiif/3/base.png" });
  });
});

describe("the cap on requests of one address", () => {
  const yaml = "trusted_proxies: [10.0.0.0/8]\nlimits: { max_in_flight_per_ip: 1 }";
  const target = "/iiif/3/base.png/full/60,/0/default.png";
  /** Statuses of two requests at the same time. */
  const both = async (first: [peer: string, hops?: string], second: [peer: string, hops?: string]) => {
    const app = await served(yaml);
    const answers = [first, second].map(([peer, hops]) =>
      app.get(target, { peer, ...(hops === undefined ? {} : { headers: { "X-Forwarded-For": hops } }) }),
    );
    return (await Promise.all(answers)).map(({ status }) => status);
  };

  test.each([
    ["spellings of one IPv6 address", "2001:db8::7", "2001:DB8:0:0::0007"],
    ["an IPv4 address and its mapped form", "203.0.113.9", "::ffff:203.0.113.9"],
    ["hops that are no addresses, behind one proxy", "unknown", "_hidden"],
  ])("counts %s together", async (_, a, b) =>
    expect(await both(["10.0.0.1", a], ["10.0.0.1", b])).toEqual([200, 429]),
  );

  test("counts hops that are no addresses under the proxy that sends them", async () => {
    expect(await both(["10.0.0.1", "unknown"], ["10.0.0.2", "unknown"])).toEqual([200, 200]);
    expect(await both(["10.0.0.1", "unknown"], ["10.0.0.1", "203.0.113.9"])).toEqual([200, 200]);
  });
});
