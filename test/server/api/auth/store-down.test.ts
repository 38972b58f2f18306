// The authorization services while the session store does not respond: nobody is let in, and nobody is
// reported as logged out.

import { afterAll, beforeAll, expect, test } from "vitest";
import type { Served } from "../../../served.ts";
import { browserOf, postedBy, servedWithAuth, viewer } from "./served.ts";

let app: Served;
beforeAll(async () => {
  // Nothing listens at port 1.
  app = await servedWithAuth({
    more: "session: { backend: redis, redis: { addr: '127.0.0.1:1', timeout: 200ms } }",
  });
});
afterAll(() => app.service.close());

const Cookie = `service_session=${"A".repeat(43)}`;
const html = { Accept: "text/html" };
const asking = `?messageId=1&origin=${encodeURIComponent(viewer)}`;

test.each([
  ["a login", "/iiif/auth/login/terms", {}, {}],
  ["a login with a password", "/iiif/auth/v1/login/staff", { username: "ann", password: "secret" }, {}],
  ["a login with a session before it", "/iiif/auth/login/terms", {}, { Cookie }],
  ["a login by address", "/iiif/auth/login/room", undefined, {}],
])("%s is 503 and sets no cookie", async (_, target, form, headers: Record<string, string>) => {
  const visit = (more: Record<string, string>) =>
    browserOf(app).visit(target, {
      ...(form && { form }),
      peer: "192.0.2.1",
      headers: { ...headers, ...more },
    });
  const response = await visit({});
  expect(response.status).toBe(503);
  expect(Number(response.headers.get("Retry-After"))).toBeGreaterThan(0);
  expect(response.headers.get("Set-Cookie")).toBeNull();
  expect(response.headers.get("Cache-Control")).toBe("no-store");
  expect((await response.json()).code).toBe("sessions_unavailable");
  const page = await visit(html);
  expect([page.status, page.headers.get("Content-Type")]).toEqual([503, "text/html; charset=utf-8"]);
});

test("viewers learn that tokens are unavailable, in the words of either version", async () => {
  const headers = { Cookie };
  const by = browserOf(app);
  expect((await postedBy(await by.visit(`/iiif/auth/token${asking}`, { headers }))).message).toMatchObject({
    type: "AuthAccessTokenError2",
    profile: "unavailable",
  });
  expect((await postedBy(await by.visit(`/iiif/auth/v1/token${asking}`, { headers }))).message).toMatchObject(
    {
      error: "unavailable",
    },
  );
  const plain = await by.visit("/iiif/auth/v1/token", { headers });
  expect([plain.status, plain.headers.get("Retry-After")]).toEqual([503, "1"]);
  expect(await plain.json()).toEqual({ error: "unavailable", description: expect.any(String) });
});

test("a logout is 503, and still removes the cookie", async () => {
  for (const [target, method] of [
    ["/iiif/auth/logout", "GET"],
    ["/iiif/auth/v1/logout", "GET"],
    ["/iiif/auth/logout", "POST"],
  ] as const)
    for (const Accept of ["*/*", "text/html"]) {
      const response = await browserOf(app).visit(target, { method, headers: { Cookie, Accept } });
      expect([target, response.status]).toEqual([target, 503]);
      expect(response.headers.get("Set-Cookie")).toMatch(
        /^service_session=; Path=\/; Expires=Thu, 01 Jan 1970 00:00:00 GMT; Secure/,
      );
      expect(Number(response.headers.get("Retry-After"))).toBeGreaterThan(0);
      expect(response.headers.get("Cache-Control")).toBe("no-store");
    }
});

test("requests without a session work", async () => {
  const by = browserOf(app);
  for (const target of ["/iiif/auth/login/staff", "/iiif/auth/login/terms", "/iiif/auth/logout"])
    expect([target, (await by.visit(target)).status]).toEqual([target, 200]);
  expect((await (await by.visit("/iiif/auth/probe/agree%2Fbase.png")).json()).status).toBe(401);
  expect(
    (await by.visit("/iiif/auth/login/staff", { form: { username: "ann", password: "no" } })).status,
  ).toBe(401);
  expect((await (await by.visit("/iiif/auth/v1/token")).json()).error).toBe("missingCredentials");
});
