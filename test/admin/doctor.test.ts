// /admin/doctor: the public URL as one request shows it, the comparison without a script, and the logins
// walked through.

import { afterAll, beforeAll, describe, expect, test } from "vitest";
import { questionOf } from "../../src/admin/doctor/question.ts";
import { compareAddresses } from "../../src/admin/doctor/seen-address.ts";
import { ServiceError } from "../../src/base/errors.ts";
import { type Site, startSite } from "../doctor/login/proxied.ts";
import { served } from "../served.ts";
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

  test.each([
    "https://b.example/images/admin/doctor",
    "https://b.example/images/iiif/3/base.png/full/max/0/default.jpg",
    "https://b.example/images/view/base.png",
  ])("is compared with %s without a script", async (typed) => {
    const text = await page("base_url: https://a.example", {}, `?q=${encodeURIComponent(typed)}`);
    expect(text).toContain("The address that you entered begins with https://b.example/images");
    expect(text).toContain("X-Forwarded-Host: b.example, X-Forwarded-Prefix: /images");
  });
});

describe("a question", () => {
  const base = "https://a.example/images";
  const old = [{ prefix: "/old/", version: 2 }] as const;
  test.each([
    ["maps/sheet 1.tif", { image: "maps/sheet 1.tif" }],
    ["https://masters.example/a b.tif", { image: "https://masters.example/a b.tif" }],
    [`${base}/iiif/3/maps%2Fa.tif/info.json`, { seen: base, image: "maps/a.tif" }],
    [`${base}/iiif/2/a.tif/full/max/0/default.jpg?x=y`, { seen: base, image: "a.tif" }],
    ["http://b.example/old/a.tif/info.json", { seen: "http://b.example", image: "a.tif" }],
    [`${base}/iiif/presentation/3/maps/a.tif`, { seen: base, image: "maps/a.tif" }],
    [`${base}/view/maps/a.tif`, { seen: base, image: "maps/a.tif" }],
    [`${base}/admin/view/maps/a.tif`, { seen: base, image: "maps/a.tif" }],
    [`${base}/admin/`, { seen: base }],
    [`${base}/static/docs/`, { seen: base }],
    ["https://b.example/", { seen: "https://b.example" }],
    ["login", { logins: { origin: "", identifier: "" } }],
    ["Logins https://viewer.example", { logins: { origin: "https://viewer.example", identifier: "" } }],
    ["login maps/sheet 1.tif", { logins: { origin: "", identifier: "maps/sheet 1.tif" } }],
    [
      "log-in https://viewer.example/ a.tif",
      { logins: { origin: "https://viewer.example/", identifier: "a.tif" } },
    ],
    ["logins.tif", { image: "logins.tif" }],
  ])("%j is recognised by its form", (text, question) => {
    expect(questionOf(text, base, old)).toEqual(question);
  });

  test.each(["../a.tif", "javascript:/a\\b", `${base}/iiif/3/%zz/info.json`, `${base}/view/..%2Fa`])(
    "%j is impossible",
    (text) => {
      expect(() => questionOf(text, base, old)).toThrow(ServiceError);
    },
  );

  const app = served("", operator);
  const ask = async (q: string, headers: Record<string, string> = {}) =>
    (await app).get("/admin/doctor", {
      method: "POST",
      headers: { ...asOperator, "Content-Type": "application/x-www-form-urlencoded", ...headers },
      body: new URLSearchParams({ q }).toString(),
    });

  test("about an image has its findings, and a link to its page", async () => {
    const response = await ask("bad-trunc-50.jpg");
    expect(response.status).toBe(200);
    const html = await response.text();
    expect(codes(html).length).toBeGreaterThan(0);
    expect(html).toContain('href="/admin/view/bad-trunc-50.jpg"');
    expect(html).toContain('value="bad-trunc-50.jpg"');
  });

  test("about a missing image proposes the nearest of its folder, and no page of it", async () => {
    const html = await (await ask("bad-trunk-50.jpg")).text();
    expect(codes(html)[0]).toBe("open_image_not_found");
    expect(html).toContain("Did you mean bad-trunc-50.jpg?");
    expect(html).toContain('href="/admin/doctor?q=bad-trunc-50.jpg"');
    expect(html).not.toContain("The page of");
    const far = await (await ask("something-else-altogether.jpg")).text();
    expect(far).not.toMatch(/Did you mean|The page of/);
  });

  test("that is impossible is 422 with the reason at the field, as text", async () => {
    const response = await ask("../<b>");
    expect(response.status).toBe(422);
    const html = await response.text();
    expect(html).toMatch(/id="q-wrong"[^>]*>Expected an identifier/);
    expect(html).toContain('value="../&lt;b&gt;"');
  });

  test("needs the operator, and comes from no page of another site", async () => {
    expect((await ask("base.png", { Authorization: "Basic eDp5" })).status).toBe(401);
    expect((await ask("base.png", { Origin: "https://evil.example" })).status).toBe(403);
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

  const ask = async (q: string) => {
    const response = await fetch(`${site.base}/admin/doctor`, {
      method: "POST",
      headers: asOperator,
      body: new URLSearchParams({ q }),
    });
    return { status: response.status, text: await response.text() };
  };

  test("are walked through at the service's own address, and the results are shown step by step", async () => {
    const { status, text } = await ask("login closed/base.png");
    expect(status).toBe(200);
    for (const step of ["probe", "login", "cookie", "token", "access", "logout"])
      expect(text).toContain(`<strong>way: ${step}</strong>`);
    expect(codes(text)).toContain("ok");
    for (const secret of site.secrets.filter((each) => each !== "")) expect(text).not.toContain(secret);
  });

  test("of a viewer whose origin gets no token are a problem", async () => {
    const { text } = await ask("login https://other.example closed/base.png");
    expect(text).toMatch(/\d+ problems? (was|were) found, as a viewer at https:\/\/other\.example/);
  });

  test("are not tried for an impossible identifier, which the field says", async () => {
    const { status, text } = await ask("login ../closed");
    expect(status).toBe(422);
    expect(text).toMatch(/id="q-wrong"[^>]*>[^<]*identifier/);
  });

  test("are not tried by a link, which another site may have", async () => {
    const text = await (await fetch(`${site.base}/admin/doctor?q=login`, { headers: asOperator })).text();
    expect(text).toContain('value="login"');
    expect(codes(text)).not.toContain("ok");
  });

  test("are examined one at a time", async () => {
    const both = await Promise.all([1, 2].map(() => ask("login closed/base.png")));
    expect(both.filter(({ text }) => text.includes("already running"))).toHaveLength(1);
  });

  test("do not apply without a section auth", async () => {
    const app = await served("", operator);
    const page = await (await app.get("/admin/doctor", { headers: asOperator })).text();
    expect(page).toContain("there is no section auth");
  });
});
