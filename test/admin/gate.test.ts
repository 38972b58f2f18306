// Who may see the operator's pages, and what all their responses have in common.

import { describe, expect, test } from "vitest";
import { served } from "../served.ts";
import { basic, operator, asOperator as right } from "./operator.ts";

const pages = [
  "/admin/",
  "/admin/config",
  "/admin/cache",
  "/admin/auth",
  "/admin/visitors",
  "/admin/audit",
  "/admin/browse",
  "/admin/doctor",
];
const posts = [
  "/admin/config",
  "/admin/cache/purge",
  "/admin/cache/purge-all",
  "/admin/cache/purge-image",
  "/admin/api/purge",
  "/admin/doctor/logins",
];

describe("without an operator in the environment", () => {
  test.each([
    ["neither", {}],
    ["no password", { SERVICE_ADMIN_USER: "ada" }],
    ["an empty password", { SERVICE_ADMIN_USER: "ada", SERVICE_ADMIN_PASS: "" }],
    ["an empty name", { SERVICE_ADMIN_USER: "", SERVICE_ADMIN_PASS: "x" }],
  ])("and with %s set, no address of the pages exists", async (_, env) => {
    const { get } = await served("", env);
    for (const page of ["/admin", ...pages, "/admin/stats/stream", "/admin/view/a.tif", "/admin/static/a.js"])
      expect((await get(page, { headers: right })).status, page).toBe(404);
    for (const page of [...pages, ...posts])
      for (const method of ["POST", "HEAD", "OPTIONS", "PUT"])
        expect((await get(page, { method, headers: right })).status, `${method} ${page}`).toBe(404);
  });
});

describe("with an operator in the environment", () => {
  test("all pages ask for name and password", async () => {
    const { get } = await served("", operator);
    for (const page of [...pages, "/admin/nothing"]) {
      const answer = await get(page);
      expect(answer.status, page).toBe(401);
      expect(answer.headers.get("WWW-Authenticate")).toBe('Basic realm="smalti admin", charset="UTF-8"');
      expect(answer.headers.get("Cache-Control")).toBe("no-store");
      expect(((await answer.json()) as { code: string }).code).toBe("admin_login_required");
    }
  });

  test.each([
    ["another password", basic("ada", "rot")],
    ["another name", basic("bob", "gr\u00fcn:er Stein")],
    ["the beginning of the password", basic("ada", "gr\u00fcn")],
    ["a longer password", basic("ada", "gr\u00fcn:er Stein ")],
    ["the password twice over", basic("ada", "gr\u00fcn:er Steinada:gr\u00fcn:er Stein")],
    ["nothing", basic("", "")],
    ["no colon", `Basic ${Buffer.from("ada").toString("base64")}`],
    ["broken base64", "Basic ====="],
    ["another scheme", "Bearer abc"],
  ])("refuses %s", async (_, Authorization) => {
    const { get } = await served("", operator);
    expect((await get("/admin/", { headers: { Authorization } })).status).toBe(401);
  });

  test("admits the operator, with a page that nobody stores or frames, without inline style and script", async () => {
    const { get } = await served("", operator);
    for (const page of pages) {
      const answer = await get(page, { headers: right });
      expect(answer.status, page).toBe(200);
      expect(answer.headers.get("Cache-Control")).toBe("no-store");
      const policy = answer.headers.get("Content-Security-Policy") as string;
      expect(policy).toContain("default-src 'none'");
      expect(policy).toContain("frame-ancestors 'none'");
      expect(policy).not.toContain("unsafe-inline");
      expect(await answer.text()).not.toMatch(/<style|<script>|\son\w+=|\sstyle=/);
    }
  });

  test("leads from /admin to /admin/, below the path of the public URL", async () => {
    const { get } = await served("base_url: https://images.example.org/iiif-server", operator);
    const answer = await get("/admin");
    expect([answer.status, answer.headers.get("Location")]).toEqual([308, "/iiif-server/admin/"]);
  });

  test("reports a missing page, to the operator alone", async () => {
    const { get } = await served("", operator);
    expect((await get("/admin/nothing", { headers: right })).status).toBe(404);
    expect((await get("/admin/nothing", { method: "POST", headers: right })).status).toBe(404);
  });

  const foreign: Record<string, string>[] = [
    { "Sec-Fetch-Site": "cross-site" },
    { "Sec-Fetch-Site": "same-site", Origin: "http://localhost:8080" },
    // As browsers send it over http.
    { Origin: "http://evil.example" },
    { Origin: "null" },
  ];
  test.each([
    ["/admin/config", "application/x-www-form-urlencoded"],
    ["/admin/cache/purge", "application/x-www-form-urlencoded"],
    ["/admin/cache/purge-all", "application/x-www-form-urlencoded"],
    ["/admin/cache/purge-image", "application/x-www-form-urlencoded"],
    ["/admin/doctor/logins", "application/x-www-form-urlencoded"],
    ["/admin/api/purge", "application/json"],
  ])("refuses forms that a page of another site sends to %s, even with the password", async (page, type) => {
    const { get } = await served("", operator);
    const post = (headers: Record<string, string>) =>
      get(page, { method: "POST", headers: { ...right, "Content-Type": type, ...headers } });
    for (const headers of foreign) expect((await post(headers)).status, JSON.stringify(headers)).toBe(403);
    expect((await post({})).status).not.toBe(403);
  });

  test.each(["/admin/", "/admin/stats/stream", "/admin/view/base.png?measure=yes", "/admin/nothing"])(
    "lets pages of other sites link to %s, and not embed or fetch it",
    async (page) => {
      const { get, service } = await served("", operator);
      const ask = async (site: string, destination: string) => {
        const headers = { ...right, "Sec-Fetch-Site": site, "Sec-Fetch-Dest": destination };
        const { status } = await get(page, { method: "HEAD", headers });
        return status;
      };
      for (const site of ["cross-site", "same-site"]) {
        for (const destination of ["image", "script", "empty", "iframe"])
          expect(await ask(site, destination), destination).toBe(403);
        expect(await ask(site, "document")).not.toBe(403);
      }
      for (const destination of ["image", "empty", "document"])
        expect(await ask("same-origin", destination)).not.toBe(403);
      await service.close();
    },
  );

  test("makes a network wait that guesses, and not the operator elsewhere who was there before", async () => {
    const { get } = await served("", operator);
    expect((await get("/admin/", { headers: right, peer: "192.0.2.7" })).status).toBe(200);
    const wrong = { Authorization: basic("ada", "rot") };
    for (let tries = 0; tries < 5; tries++)
      expect((await get("/admin/", { headers: wrong, peer: "198.51.100.1" })).status).toBe(401);
    const answer = await get("/admin/", { headers: right, peer: "198.51.100.1" });
    expect(answer.status).toBe(429);
    expect(Number(answer.headers.get("Retry-After"))).toBeGreaterThan(0);
    expect((await get("/admin/", { headers: right, peer: "192.0.2.7" })).status).toBe(200);
  });

  test("does not count concurrent requests as failures", async () => {
    const { get } = await served("", operator);
    const answers = await Promise.all(
      Array.from({ length: 50 }, () => get("/admin/", { headers: right, peer: "192.0.2.9" })),
    );
    expect(answers.map(({ status }) => status)).toEqual(Array(50).fill(200));
  });
});
