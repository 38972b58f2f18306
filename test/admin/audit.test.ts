// Who did what: lines of the log and the page /admin/audit.

import { mkdtempSync, rmSync, writeFileSync } from "node:fs";
import { tmpdir } from "node:os";
import { join } from "node:path";
import bcrypt from "bcryptjs";
import { afterAll, beforeEach, describe, expect, test } from "vitest";
import { createAudit } from "../../src/admin/audit/audit.ts";
import { type LogFields, silentLog } from "../../src/base/telemetry/log.ts";
import type { RequestContext } from "../../src/server/api/http/context.ts";
import { served } from "../served.ts";
import { asOperator, basic, operator } from "./operator.ts";

const folder = mkdtempSync(join(tmpdir(), "audit-"));
afterAll(() => rmSync(folder, { recursive: true }));
const path = join(folder, "operators");
writeFileSync(path, `eve:${bcrypt.hashSync("eve's own", 4)}\n`);
const yaml = `admin: { htpasswd_file: ${JSON.stringify(path)} }\nauth: { profiles: { p: { pattern: clickthrough, access_service: { backend: builtin } } } }`;
const eve = { Authorization: basic("eve", "eve's own") };
const form = { "Content-Type": "application/x-www-form-urlencoded" };

let lines: LogFields[] = [];
beforeEach(() => {
  lines = [];
});
const note = (message: string, fields?: LogFields | (() => LogFields)) => {
  if (message === "audit" && fields) lines.push(typeof fields === "function" ? fields() : fields);
};
const log = { ...silentLog, info: note, warn: note };

describe("the audit", () => {
  test.each([
    ["/admin/cache/purge-image", "identifier=base.png", "purge_image", "base.png", "done"],
    ["/admin/cache/purge-image", "identifier=nothing.png", "purge_image", "nothing.png", "failed"],
    ["/admin/cache/purge-folder", "folder=nowhere", "purge_folder", "nowhere", "failed"],
    ["/admin/cache/purge-all", "cache=info", "purge_cache", "info", "done"],
    ["/admin/cache/purge", "cache=render&key=k", "purge_entry", "render k", "failed"],
    ["/admin/auth/end", "profile=p", "end_sessions", "profile p, all users", "done"],
    ["/admin/auth/end", "user=reader", "end_sessions", "profile any, one user", "done"],
    ["/admin/auth/end", "", "end_sessions", "profile any, all users", "failed"],
  ])(
    "of %s with %s names the operator, the act and its result",
    async (page, body, action, target, result) => {
      const { get } = await served(yaml, operator, { log });
      await get(page, { method: "POST", headers: { ...form, ...asOperator }, body, peer: "192.0.2.77" });
      expect(lines).toMatchObject([
        { event: "authn_login_success", operator: "ada", result: "done" },
        { event: "authz_admin", operator: "ada", role: "change", action, target, result },
      ]);
      expect(JSON.stringify(lines)).not.toMatch(/192\.0\.2\.77|reader/);
      expect(lines[1]?.id).toMatch(/^[0-9a-f]{10}-/);
    },
  );

  test("of a script names the image", async () => {
    const { get } = await served(yaml, operator, { log });
    const headers = { ...asOperator, "Content-Type": "application/json" };
    const body = JSON.stringify({ identifier: "base.png" });
    await get("/admin/api/purge", { method: "POST", headers, body });
    expect(lines[1]).toMatchObject({ action: "purge_image", target: "base.png", result: "done" });
  });

  test("has refusals of a role, and wrong logins without what was typed as the name", async () => {
    const { get } = await served(yaml, operator, { log });
    await get("/admin/cache/purge-all", { method: "POST", headers: { ...form, ...eve }, body: "cache=info" });
    await get("/admin/", { headers: { Authorization: basic("pa55word", "x") } });
    await get("/admin/");
    expect(lines).toMatchObject([
      { event: "authn_login_success", operator: "eve", role: "look" },
      { event: "authz_fail", operator: "eve", action: "purge_cache", result: "refused" },
      { event: "authn_login_fail", operator: undefined, result: "refused" },
    ]);
    expect(JSON.stringify(lines)).not.toContain("pa55word");
  });

  test("is on a page that says since when, also for those who may only look", async () => {
    const { get } = await served(yaml, operator, { log });
    const headers = { ...form, ...asOperator };
    const body = `identifier=${encodeURIComponent("a\n<b>\u202ec")}`;
    await get("/admin/cache/purge-image", { method: "POST", headers, body });
    const text = await (await get("/admin/audit", { headers: eve })).text();
    expect(text).toContain("purge_image");
    expect(text).toContain("a\\u{a}&lt;b&gt;\\u{202e}c");
    expect(text).toContain("Nothing is left out.");
  });

  test("keeps acts in memory however many wrong logins come, and counts what it left out", () => {
    const audit = createAudit({ log: silentLog });
    const c = { get: (name: string) => (name === "id" ? "1" : undefined) } as unknown as RequestContext;
    audit.note(c, "authz_admin", { action: "purge_image", result: "done" });
    for (let tries = 0; tries < 1000; tries++) audit.note(c, "authn_login_fail");
    expect(audit.latest().filter(({ action }) => action === "purge_image")).toHaveLength(1);
    expect(audit.latest().length + audit.leftOut()).toBe(1001);
    expect(audit.leftOut()).toBeGreaterThan(0);
  });

  test("has a login once an hour for a name and a network", () => {
    let time = 0;
    const audit = createAudit({ log: silentLog }, () => time);
    const c = { get: (name: string) => (name === "id" ? "1" : undefined) } as unknown as RequestContext;
    for (const minutes of [0, 59, 61]) {
      time = minutes * 60_000;
      audit.noteLogin(c);
    }
    expect(audit.latest()).toHaveLength(2);
  });
});
