// Passes of our viewer: whose tiles they help, and whose not.

import { afterEach, beforeEach, expect, test, vi } from "vitest";
import { createPasses, type Passes } from "../../../../src/server/api/http/client/passes.ts";

beforeEach(() => vi.useFakeTimers({ now: 1_800_000_000_000, toFake: ["Date"] }));
afterEach(() => vi.useRealTimers());

const client = "192.0.2.7";
const base = "https://images.example.org/iiif-server";
const secret = "a secret of all servers";

const cookieOf = (setCookie: string) => setCookie.split(";")[0] as string;
/** Resolves once a pass was verified, which goes on behind the request that brings it. */
const has = async (passes: Passes, cookie: string, from = client) => {
  const headers = new Headers({ Cookie: cookie });
  passes.has(headers, from);
  const control = new Headers({ Cookie: cookieOf(await passes.issue("198.51.100.1", base)) });
  await expect.poll(() => passes.has(control, "198.51.100.1")).toBe(true);
  return passes.has(headers, from);
};

test("a pass is valid for the network that it was issued to, at all servers with the secret", async () => {
  const cookie = cookieOf(await createPasses(secret).issue(client, base));
  expect(await has(createPasses(secret), cookie)).toBe(true);
  expect(await has(createPasses(secret), `a=1; ${cookie}; b=2`, "192.0.2.200")).toBe(true);
  expect(await has(createPasses(secret), cookie, "192.0.3.7")).toBe(false);
  expect(await has(createPasses("another"), cookie)).toBe(false);
});

test("a pass ends after a quarter of an hour", async () => {
  const passes = createPasses(secret);
  const cookie = cookieOf(await passes.issue(client, base));
  expect(await has(passes, cookie)).toBe(true);
  vi.setSystemTime(1_800_000_000_000 + 901_000);
  expect(await has(passes, cookie)).toBe(false);
  expect(await has(createPasses(secret), cookie)).toBe(false);
});

test("a changed, long or foreign value is no pass", async () => {
  const passes = createPasses(secret);
  const cookie = cookieOf(await passes.issue(client, base));
  for (const value of [
    `${cookie}x`,
    cookie.replace(/.(?=.{5}$)/, "_"),
    "smalti_pass=",
    `smalti_pass=${"a".repeat(10_000)}`,
  ])
    expect(await has(passes, value)).toBe(false);
});

test("a flood of wrong values does not make a valid pass forgotten", async () => {
  const passes = createPasses(secret);
  const cookie = cookieOf(await passes.issue(client, base));
  expect(await has(passes, cookie)).toBe(true);
  for (let n = 0; n < 5000; n++) passes.has(new Headers({ Cookie: `smalti_pass=${n}` }), client);
  expect(passes.has(new Headers({ Cookie: cookie }), client)).toBe(true);
});

test("thousands of valid passes of other networks do not make a valid pass forgotten", async () => {
  const passes = createPasses(secret);
  const cookie = cookieOf(await passes.issue(client, base));
  expect(await has(passes, cookie)).toBe(true);
  const foreign = await Promise.all(
    Array.from({ length: 4200 }, async (_, n) =>
      cookieOf(await passes.issue(`2001:db8:1:${n.toString(16)}::1`, base)),
    ),
  );
  for (const each of foreign)
    expect(await passes.find(new Headers({ Cookie: each }), "198.51.100.9")).toBe("none");
  expect(passes.has(new Headers({ Cookie: cookie }), client)).toBe(true);
});

test("a pass that was tried in another network is valid back in its own", async () => {
  const cookie = cookieOf(await createPasses(secret).issue(client, base));
  const passes = createPasses(secret);
  expect(await has(passes, cookie, "192.0.3.7")).toBe(false);
  expect(await has(passes, cookie)).toBe(true);
});

test("readers of one network have passes of their own", async () => {
  const passes = createPasses(secret);
  const cookies: string[] = [];
  for (let n = 0; n < 20; n++) {
    vi.setSystemTime(1_800_000_000_000 + n * 1000);
    cookies.push(cookieOf(await passes.issue(client, base)));
  }
  expect(new Set(cookies).size).toBe(20);
  for (const cookie of cookies)
    expect(await passes.find(new Headers({ Cookie: cookie }), client)).toBe("valid");
  for (const cookie of cookies) expect(passes.has(new Headers({ Cookie: cookie }), client)).toBe(true);
});

test("the cookie goes to this service alone, and names nobody", async () => {
  const cookie = await createPasses(secret).issue(client, base);
  expect(cookie).toMatch(/; Path=\/iiif-server; Max-Age=900; HttpOnly; SameSite=Lax; Secure$/);
  const [, payload = ""] = cookieOf(cookie).split(".");
  expect(Object.keys(JSON.parse(Buffer.from(payload, "base64url").toString()))).toEqual(["network", "exp"]);
  expect(await createPasses(secret).issue(client, "http://localhost:8080")).toMatch(
    /; Path=\/; .*SameSite=Lax$/,
  );
});
