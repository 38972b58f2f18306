// Explanations of a request's base URL: parts, headers and doubts, compared with the function that makes it.

import { describe, expect, test } from "vitest";
import { parseRange } from "../../../../src/base/network/ip-range.ts";
import { baseUrl, type ProxyTrust } from "../../../../src/server/api/http/client/client.ts";
import { explainBaseUrl, type UrlExplanation } from "../../../../src/server/api/http/client/public-url.ts";
import fc from "../../../properties.ts";

interface Asked {
  readonly url?: string;
  readonly headers?: Readonly<Record<string, string>>;
  readonly peer?: string;
  readonly proxies?: readonly string[];
  readonly base?: string;
  readonly hasLogins?: boolean;
}

function explained({
  url = "http://images.test/admin/doctor",
  headers = {},
  peer = "10.0.0.1",
  proxies = [],
  base = "",
  hasLogins = false,
}: Asked): UrlExplanation & { readonly base: string } {
  const request = new Request(url, { headers });
  const trust: ProxyTrust = { proxies: proxies.map(parseRange), baseUrl: base };
  const made = baseUrl(request, peer, trust) ?? "";
  return { ...explainBaseUrl(request, { base: made, peer, trust, hasLogins }), base: made };
}

const codes = (asked: Asked) => explained(asked).doubts.map(({ code }) => code);
const fromOf = (asked: Asked) => explained(asked).parts.map(({ from }) => from);

describe("the parts of the public URL", () => {
  test("are those of base_url if it is set, whatever the request says", () => {
    const asked = { base: "https://a.example/images", headers: { "X-Forwarded-Host": "b.example" } };
    expect(fromOf(asked)).toEqual(["base_url", "base_url", "base_url"]);
    expect(explained(asked).headers).toMatchObject([{ name: "X-Forwarded-Host", counts: false }]);
  });

  test("come from the headers of a trusted proxy, each independently", () => {
    const asked = {
      proxies: ["10.0.0.0/8"],
      headers: { "X-Forwarded-Proto": "https", "X-Forwarded-Prefix": "/images" },
    };
    expect(explained(asked).base).toBe("https://images.test/images");
    expect(fromOf(asked)).toEqual(["X-Forwarded-Proto", "the field Host", "X-Forwarded-Prefix"]);
  });

  test("come from Forwarded of a trusted proxy, unless an older field takes precedence", () => {
    const headers = { Forwarded: "for=192.0.2.1;host=a.example;proto=https", "X-Forwarded-Path": "/images" };
    const asked = { proxies: ["10.0.0.0/8"], headers };
    expect(explained(asked).base).toBe("https://a.example/images");
    expect(fromOf(asked)).toEqual(["Forwarded", "Forwarded", "X-Forwarded-Path"]);
    const both = explained({ ...asked, headers: { ...headers, "X-Forwarded-For": "192.0.2.1" } });
    expect(both.base).toBe("http://images.test/images");
    expect(both.headers[0]).toMatchObject({ counts: false, why: expect.stringContaining("take precedence") });
  });

  test("never come from the headers of another", () => {
    const asked = { proxies: ["192.0.2.0/24"], headers: { "X-Forwarded-Proto": "https" } };
    expect(fromOf(asked)[0]).toBe("the connection to this service");
    expect(codes(asked)).toContain("untrusted_proxy");
  });

  const header = fc.constantFrom(
    undefined,
    "",
    "https",
    "http",
    "ftp",
    "a.example",
    "A.example:8443",
    "/x/y",
    "..",
    "8443",
    "80",
    "b c",
  );
  const element = fc.constantFrom(
    undefined,
    "",
    "for=192.0.2.1;proto=https",
    'host="a.example:81"',
    "proto=https;host=b.example, for=10.0.0.3",
    "for=10.0.0.2;proto=ftp, for=10.0.0.2;host=c.example",
    'host="a b"',
    'for="',
  );
  test("put together are the base URL, and no header counts that does not change it", () => {
    fc.assert(
      fc.property(
        fc.record({
          proto: header,
          host: header,
          port: header,
          prefix: header,
          basepath: header,
          path: header,
        }),
        element,
        fc.constantFrom(["10.0.0.0/8"], ["192.0.2.0/24"], []),
        fc.constantFrom("", "https://z.example/p"),
        (sent, forwarded, trusted, base) => {
          const all = Object.entries(sent).map(([name, value]) => [`x-forwarded-${name}`, value]);
          const headers: Record<string, string> = Object.fromEntries(
            [...all, ["forwarded", forwarded]].filter(([, value]) => value !== undefined),
          );
          const asked = { headers, base, proxies: trusted };
          const found = explained(asked);
          const [scheme, host, path] = found.parts.map(({ value }) => value);
          expect(`${scheme}://${host}${path}`).toBe(found.base);
          // Without the headers that do not count, the base URL is the same.
          const counting = new Set(
            found.headers.filter(({ counts }) => counts).map(({ name }) => name.toLowerCase()),
          );
          const kept = Object.fromEntries(Object.entries(headers).filter(([name]) => counting.has(name)));
          expect(explained({ ...asked, headers: kept }).base).toBe(found.base);
        },
      ),
      { numRuns: 2000 },
    );
  });
});

describe("the doubt", () => {
  test.each([
    ["X-Forwarded-Proto that is not trusted", { "X-Forwarded-Proto": "https" }],
    ["Forwarded", { Forwarded: 'for=192.0.2.1;proto="https"' }],
    ["X-Forwarded-Ssl", { "X-Forwarded-Ssl": "on" }],
    ["CF-Visitor", { "CF-Visitor": '{"scheme":"https"}' }],
    ["a page that the browser had by https", { Referer: "https://images.test/admin/" }],
    ["Sec-Fetch-Site, which browsers send by https alone", { "Sec-Fetch-Site": "none" }],
  ])("is http behind TLS, according to %s", (_, headers) => {
    expect(codes({ headers, proxies: ["192.0.2.0/24"] })).toContain("http_behind_tls");
  });

  test("is not http to this machine itself, for which browsers send Sec-Fetch-Site too", () => {
    const found = codes({ url: "http://localhost:8080/admin/doctor", headers: { "Sec-Fetch-Site": "none" } });
    expect(found).not.toContain("http_behind_tls");
    expect(found).toContain("loopback");
  });

  test("is that anybody may choose the ids, if nothing is set", () => {
    expect(explained({ headers: { "X-Forwarded-Host": "evil.example" } }).doubts).toContainEqual(
      expect.objectContaining({ code: "anybody_says", level: "problem" }),
    );
    expect(explained({}).doubts).toContainEqual(
      expect.objectContaining({ code: "anybody_says", level: "note" }),
    );
  });

  test("is a header that no proxy should send", () => {
    const found = explained({ proxies: ["10.0.0.1"], headers: { "X-Forwarded-Prefix": "/a/../b" } });
    expect(found.doubts).toMatchObject([{ code: "broken_header", level: "problem" }]);
  });

  test.each([
    ["Forwarded", 'host="a;b"'],
    ["Forwarded", 'for="192.0.2.1'],
    ["X-Forwarded-Path", "/a/../b"],
  ])("is %s: %s, as no proxy should send it", (name, value) => {
    const found = explained({ proxies: ["10.0.0.1"], headers: { [name]: value } });
    expect(found.doubts).toMatchObject([{ code: "broken_header", level: "problem" }]);
  });

  test("is not that a proxy hides its client in Forwarded", () => {
    const found = codes({
      url: "https://images.test/admin/doctor",
      proxies: ["10.0.0.1"],
      headers: { Forwarded: "for=_hidden" },
    });
    expect(found).toEqual(["public_url"]);
  });

  test("is another host than base_url names", () => {
    expect(codes({ base: "https://a.example" })).toEqual(["other_host"]);
  });

  test("is http if readers log in", () => {
    expect(codes({ base: "http://images.test", hasLogins: true })).toEqual(["logins_over_http"]);
  });

  test("is absent if base_url is the address in the browser, by https", () => {
    expect(
      codes({ base: "https://images.test", headers: { "Sec-Fetch-Site": "none" }, hasLogins: true }),
    ).toEqual(["public_url"]);
  });
});

test("the network of a proxy is named, its address is not", () => {
  const found = explained({
    peer: "203.0.113.77",
    proxies: ["10.0.0.1"],
    headers: { "X-Forwarded-Proto": "https" },
  });
  expect(JSON.stringify(found)).toContain("203.0.113.0/24");
  expect(JSON.stringify(found)).not.toContain("203.0.113.77");
});
