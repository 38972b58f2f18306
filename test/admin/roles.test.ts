// Further operators in a file, and what those who may only look are refused.

import { mkdtempSync, rmSync, writeFileSync } from "node:fs";
import { tmpdir } from "node:os";
import { join } from "node:path";
import bcrypt from "bcryptjs";
import { afterAll, describe, expect, test } from "vitest";
import { posts } from "../../src/admin/posts.ts";
import { mountAdmin } from "../../src/admin/routes.ts";
import type { Route } from "../../src/server/api/http/context.ts";
import { served } from "../served.ts";
import { asOperator, basic, operator } from "./operator.ts";

const folder = mkdtempSync(join(tmpdir(), "operators-"));
afterAll(() => rmSync(folder, { recursive: true }));

const hashOf = (password: string) => bcrypt.hashSync(password, 4);
const [bobs, eves] = [hashOf("bob's own"), hashOf("eve's own")];
const bob = { Authorization: basic("bob", "bob's own") };
const eve = { Authorization: basic("eve", "eve's own") };

let files = 0;
const fileWith = (text: string): string => {
  const path = join(folder, `operators-${files++}`);
  writeFileSync(path, text);
  return path;
};
const both = `bob:${bobs}\neve:${eves}\n`;
const configured = (path: string) =>
  `admin: { htpasswd_file: ${JSON.stringify(path)}, change: [bob] }\nauth: { profiles: { p: { pattern: clickthrough, access_service: { backend: builtin } } } }`;

const form = { "Content-Type": "application/x-www-form-urlencoded" };

describe("the table of what has an effect", () => {
  test("has a row for each route with a POST, and no others", async () => {
    const { service } = await served(configured(fileWith(both)), operator);
    const added: Route[] = [];
    mountAdmin({ add: (route: Route) => void added.push(route) } as never, service);
    const paths = added.filter(({ post }) => post).map(({ path }) => path);
    expect(paths.sort()).toEqual(Object.keys(posts).sort());
  });

  test("needs the role change for everything that is no page", () => {
    const looking = Object.keys(posts).filter((path) => posts[path]?.role === "look");
    expect(looking.sort()).toEqual(["/admin/*", "/admin/doctor"]);
  });
});

describe("an operator who may only look", () => {
  test("sees each page, without a form that has an effect", async () => {
    const { get } = await served(configured(fileWith(both)), operator);
    for (const page of ["/admin/", "/admin/config", "/admin/cache", "/admin/auth", "/admin/view/base.png"]) {
      const [looks, changes] = await Promise.all(
        [eve, bob].map(async (headers) =>
          (await (await get(page, { headers })).text()).replace(/<form[^>]* method="get".*?<\/form>/gs, ""),
        ),
      );
      expect(looks, page).toContain("Logged in as eve, who may only look.");
      expect(changes, page).toContain("Logged in as bob.");
      expect(looks, page).not.toMatch(/<button type="submit"/);
      if (page !== "/admin/") expect(changes, page).toMatch(/<button type="submit"/);
    }
  });

  test.each(Object.keys(posts).filter((path) => posts[path]?.role === "change"))(
    "is refused %s, which somebody else may use",
    async (path) => {
      const { get } = await served(configured(fileWith(both)), operator);
      const post = (headers: Record<string, string>) =>
        get(path, { method: "POST", headers: { ...form, ...headers }, body: "" });
      const refused = await post({ ...eve, Accept: "text/html" });
      expect(refused.status).toBe(403);
      expect(refused.headers.get("Content-Type")).toContain("text/html");
      const problem = (await (await post({ ...eve, Accept: "application/json" })).json()) as { code: string };
      expect(problem.code).toBe("role_required");
      expect((await post(bob)).status).not.toBe(403);
      expect((await post(asOperator)).status).not.toBe(403);
    },
  );

  test("asks the doctor about an image, not about logins", async () => {
    const { get } = await served(configured(fileWith(both)), operator);
    const ask = async (q: string) => {
      const init = { method: "POST", headers: { ...form, ...eve }, body: `q=${q}` };
      const { status } = await get("/admin/doctor", init);
      return status;
    };
    expect([await ask("base.png"), await ask("login")]).toEqual([200, 403]);
  });

  test("may change something after a reload that says so", async () => {
    const { get, service } = await served(configured(fileWith(both)), operator);
    const init = { method: "POST", headers: { ...form, ...eve }, body: "" };
    expect((await get("/admin/cache/purge", init)).status).toBe(403);
    const config = service.config();
    service.reload({ ...config, admin: { ...config.admin, change: ["eve"] } });
    expect((await get("/admin/cache/purge", init)).status).not.toBe(403);
    expect((await get("/admin/cache/purge", { ...init, headers: { ...form, ...bob } })).status).toBe(403);
  });
});

test("a name that is in the environment too has the password of the environment alone", async () => {
  const { get } = await served(configured(fileWith(`ada:${bobs}\n`)), operator);
  expect((await get("/admin/", { headers: asOperator })).status).toBe(200);
  expect((await get("/admin/", { headers: { Authorization: basic("ada", "bob's own") } })).status).toBe(401);
});

test("without SERVICE_ADMIN_USER the file admits nobody", async () => {
  const { get } = await served(configured(fileWith(both)), {});
  expect((await get("/admin/", { headers: bob })).status).toBe(404);
});
