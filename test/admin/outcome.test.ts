// The outcome of a form reaches one page, signed.

import { Hono } from "hono";
import { expect, test } from "vitest";
import { createOutcomes } from "../../src/admin/outcome.ts";
import type { Env } from "../../src/server/api/http/context.ts";

const outcomes = createOutcomes({ user: "ada", password: "stein" });

/** A service with a form and a page that reads what came of it. */
function app(base: string, own = outcomes) {
  const app = new Hono<Env>();
  app.use((c, next) => {
    c.set("base", base);
    return next();
  });
  app.post("/", (c) =>
    own.redirect(c, "/admin/cache", {
      state: "done",
      text: "Purged.",
      details: Array.from({ length: 1000 }, (_, at) => `entry ${at} \u00fc`),
    }),
  );
  app.get("/", async (c) => c.json((await own.read(c)) ?? null));
  return app;
}

test("travels in a short-lived cookie that scripts and other paths do not see", async () => {
  const answer = await app("https://images.example.org/iiif-server").request("/", { method: "POST" });
  expect([answer.status, answer.headers.get("Location")]).toEqual([303, "/iiif-server/admin/cache"]);
  const cookie = answer.headers.get("Set-Cookie") as string;
  expect(cookie.split("; ").slice(1)).toEqual([
    "Path=/iiif-server/admin",
    "Max-Age=60",
    "HttpOnly",
    "SameSite=Strict",
    "Secure",
  ]);
  // The size that browsers accept (RFC 6265, section 6.1).
  expect(cookie.length).toBeLessThan(4096);
});

test.each([
  ["https://images.example.org", "http://10.0.0.7:8080", false],
  ["http://10.0.0.7:8080", "https://images.example.org", true],
])(
  "with %s as public URL and %s in the browser, can be stored and forgotten",
  async (base, Origin, secure) => {
    const service = app(base);
    const answer = await service.request("/", { method: "POST", headers: { Origin } });
    const [Cookie = "", ...attributes] = (answer.headers.get("Set-Cookie") as string).split("; ");
    expect(attributes.includes("Secure")).toBe(secure);
    const { forget } = (await (await service.request("/", { headers: { Cookie } })).json()) as {
      forget: string;
    };
    // Over http a browser rejects a Secure cookie (RFC 6265bis, section 5.7), and would show the outcome
    // again.
    expect(forget).not.toContain("Secure");
  },
);

test("is read by the next page, and forgotten", async () => {
  const service = app("http://localhost:8080");
  const answer = await service.request("/", { method: "POST" });
  const [Cookie = ""] = (answer.headers.get("Set-Cookie") as string).split(";");
  const read = (await (await service.request("/", { headers: { Cookie } })).json()) as {
    outcome: { text: string; details: string[] };
    forget: string;
  };
  expect(read.outcome.text).toBe("Purged.");
  expect(read.outcome.details[0]).toBe("entry 0 \u00fc");
  expect(read.outcome.details.at(-1)).toMatch(/^and \d+ more$/);
  expect(read.forget).toBe("smalti_outcome=; Path=/admin; Max-Age=0; HttpOnly; SameSite=Strict");
});

test("is ignored if it was changed, or signed with another password", async () => {
  const answer = await app("http://localhost:8080").request("/", { method: "POST" });
  const [Cookie = ""] = (answer.headers.get("Set-Cookie") as string).split(";");
  const other = app("http://localhost:8080", createOutcomes({ user: "ada", password: "holz" }));
  expect(await (await other.request("/", { headers: { Cookie } })).json()).toBeNull();
  const [head, payload = "", signature] = Cookie.split(".");
  const forged = Buffer.from(
    Buffer.from(payload, "base64url").toString().replace("Purged.", "Gone."),
  ).toString("base64url");
  const changed = await app("http://localhost:8080").request("/", {
    headers: { Cookie: `${head}.${forged}.${signature}` },
  });
  expect(await changed.json()).toBeNull();
});
