// The operator's page Doctor in Chromium, behind a proxy that does not say under which path it serves: with
// its script and without.

import axe from "axe-core";
import { type Browser, chromium, type Page } from "playwright-core";
import { afterAll, beforeAll, expect, test } from "vitest";
import { operator } from "../api/admin/operator.ts";
import { type Site, startSite } from "../doctor/proxied.ts";
import { launching } from "./launching.ts";

let browser: Browser;
let site: Site;

beforeAll(async () => {
  site = await startSite({
    profile: "{ pattern: clickthrough, access_service: { backend: builtin } }",
    folder: "/images",
    address: 'addr: ":9"',
    env: operator,
  });
  browser = await chromium.launch(launching);
});
afterAll(async () => {
  await browser?.close();
  await site?.close();
});

async function withPage<T>(
  options: { readonly script?: boolean; readonly width?: number },
  work: (page: Page) => Promise<T>,
) {
  const { script = true, width = 1000 } = options;
  const context = await browser.newContext({
    javaScriptEnabled: script,
    viewport: { width, height: 800 },
    httpCredentials: { username: operator.SERVICE_ADMIN_USER, password: operator.SERVICE_ADMIN_PASS },
  });
  try {
    const page = await context.newPage();
    await page.goto(`${site.base}/admin/doctor`);
    return await work(page);
  } finally {
    await context.close();
  }
}

test("a script reports that the browser's address differs from that of ids, and fills in the form", async () => {
  const origin = new URL(site.base).origin;
  await withPage({}, async (page) => {
    await expect
      .poll(() => page.textContent("#seen-now"))
      .toContain(`is at ${site.base}, but ids begin with ${origin}.`);
    expect(await page.inputValue("#seen")).toBe(`${site.base}/admin/doctor`);
  });
});

test("without a script the form says which header the proxy has to send", async () => {
  await withPage({ script: false }, async (page) => {
    expect(await page.isVisible("#seen-now")).toBe(false);
    await page.fill("#seen", `${site.base}/admin/doctor`);
    await page.click("text=Compare");
    expect(await page.textContent("#seen-address .notice.bad")).toContain("X-Forwarded-Prefix: /images");
  });
});

test("findings of logins are read at the place of their form, in every width, and axe-core finds nothing serious", async () => {
  await withPage({ width: 400 }, async (page) => {
    await page.fill("#identifier", "closed/base.png");
    await page.click("text=Examine the logins");
    // Nothing listens at the requested address: the first step says so.
    await expect
      .poll(() => page.locator('#login-doctor [data-code="unreachable"]').count())
      .toBeGreaterThan(0);
    expect(new URL(page.url()).hash).toBe("#login-doctor");
    expect(await page.evaluate(() => document.documentElement.scrollWidth)).toBe(400);
    const session = await page.context().newCDPSession(page);
    await session.send("Page.setBypassCSP", { enabled: true });
    await page.reload();
    await page.evaluate(axe.source);
    const { violations } = await page.evaluate(() =>
      (globalThis as unknown as { axe: typeof axe }).axe.run(),
    );
    expect(violations.filter(({ impact }) => impact === "serious" || impact === "critical")).toEqual([]);
  });
});
