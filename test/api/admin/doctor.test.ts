// /admin/doctor: the public URL as one request shows it, the comparison without a script, and the logins
// walked through.

import { afterAll, beforeAll, describe, expect, test } from "vitest";
import { compareAddresses } from "../../../src/api/admin/doctor/seen-address.ts";
import { type Site, startSite } from "../../doctor/proxied.ts";
import { served } from "../../served.ts";
import { asOperator, operator } from "./operator.ts";

const codes = (text: string) => [...text.matchAll(/data-code="([^"]+)"/g)].map(([, code]) => code);

describe("the public URL", () => {
  const page = async (yaml: string, headers: Record<string, string> = {}, query = "") => {
    const app = await served(yaml, operator);
    const response = await app.get(`/admin/doctor${query}`, { headers: { ...asOperator, ...headers } });
    expect(response.status).toBe(200);
    return response.text();
  };

  test("is shown with the deciding setting, and its headers as text", async () => {
    const text = await page("base_url: https://a.example", { "X-Forwarded-Host": "<b>.example" });
    expect(text).toContain("https://a.example/iiif/3/example.tif");
    expect(text).toContain("&lt;b&gt;.example");
    expect(codes(text)).toEqual(["other_host"]);
  });

  test("is a problem if headers of an unlisted proxy are ignored", async () => {
    const text = await page("trusted_proxies: [10.0.0.1]", { "X-Forwarded-Proto": "https" });
    expect(codes(text)).toEqual(["http_behind_tls", "untrusted_proxy"]);
  });

  test("is compared with a typed address without a script", async () => {
    const seen = encodeURIComponent("https://b.example/images/admin/doctor");
    const text = await page("base_url: https://a.example", {}, `?seen=${seen}`);
    expect(text).toContain("your browser is at https://b.example/images");
    expect(text).toContain("X-Forwarded-Host: b.example, X-Forwarded-Prefix: /images");
  });
});

describe("a typed address", () => {
  test.each([
    ["https://a.example/images/admin/doctor", "https://a.example/images"],
    ["https://a.example/images/admin/doctor?seen=x#y", "https://a.example/images/"],
    ["https://a.example/", "https://a.example"],
    ["https://a.example:443/admin/doctor", "https://a.example"],
  ])("%s matches ids that begin with %s", (typed, base) => {
    expect(compareAddresses(typed, base).same).toBe(true);
  });

  test.each(["", "images", "ftp://a.example/admin/doctor", "javascript:alert(1)", "https://a.example/other"])(
    "%j is refused with the expected form",
    (typed) => {
      expect(compareAddresses(typed, "https://a.example")).toMatchObject({ same: false, advice: [] });
    },
  );

  test("with http says that the scheme has to come from the proxy", () => {
    const { advice } = compareAddresses("https://a.example/admin/doctor", "http://a.example");
    expect(advice[1]).toContain("X-Forwarded-Proto: https,");
  });
});

describe("the logins", () => {
  let site: Site;
  beforeAll(async () => {
    site = await startSite({
      profile: "{ pattern: clickthrough, access_service: { backend: builtin } }",
      env: operator,
    });
  });
  afterAll(() => site.close());

  const ask = async (fields: Record<string, string>, base = site.base) => {
    const response = await fetch(`${base}/admin/doctor/logins`, {
      method: "POST",
      headers: asOperator,
      body: new URLSearchParams(fields),
    });
    return { status: response.status, text: await response.text() };
  };

  test("are walked through at the service's own address, and the results are shown step by step", async () => {
    const { status, text } = await ask({ origin: "", identifier: "closed/base.png" });
    expect(status).toBe(200);
    for (const step of ["probe", "login", "cookie", "token", "access", "logout"])
      expect(text).toContain(`<strong>way: ${step}</strong>`);
    expect(codes(text)).toContain("ok");
    for (const secret of site.secrets.filter((each) => each !== "")) expect(text).not.toContain(secret);
  });

  test("of a viewer whose origin gets no token are a problem", async () => {
    const { text } = await ask({ origin: "https://other.example", identifier: "closed/base.png" });
    expect(text).toMatch(/\d+ problems? (was|were) found, as a viewer at https:\/\/other\.example/);
  });

  test("are not tried if a field is wrong, which then says so", async () => {
    const bad = await ask({ origin: "viewer", identifier: "" });
    expect(bad.text).toMatch(/id="origin-wrong">Expected the origin/);
    const none = await ask({ origin: "", identifier: "../closed" });
    expect(none.text).toMatch(/id="identifier-wrong">[^<]*identifier/);
  });

  test("are examined one at a time", async () => {
    const both = await Promise.all([1, 2].map(() => ask({ origin: "", identifier: "closed/base.png" })));
    expect(both.filter(({ text }) => text.includes("already running"))).toHaveLength(1);
  });

  test("do not apply without a section auth, and a GET leads back to the page", async () => {
    const app = await served("", operator);
    const page = await (await app.get("/admin/doctor", { headers: asOperator })).text();
    expect(page).toContain("There is no section auth");
    const back = await app.get("/admin/doctor/logins", { headers: asOperator });
    expect([back.status, back.headers.get("Location")]).toEqual([303, "/admin/doctor"]);
  });
});
