// The operator's page Doctor in Chromium, behind a proxy that does not say under which path it serves: with
// its script and without.

import axe from "axe-core";
import type { Browser, Page } from "playwright-core";
import { afterAll, beforeAll, expect, test } from "vitest";
import { operator } from "../admin/operator.ts";
import { type Site, startSite } from "../doctor/login/proxied.ts";
import { launch } from "./launching.ts";
import { overflow } from "./screen.ts";

let browser: Browser;
let site: Site;

beforeAll(async () => {
  site = await startSite({
    profile: "{ pattern: clickthrough, access_service: { backend: builtin } }",
    folder: "/images",
    address: 'addr: ":9"',
    env: operator,
  });
  browser = await launch();
});
afterAll(async () => {
  await browser?.close();
  await site?.close();
});

async function withPage<T>(
  options: { readonly script?: boolean; readonly width?: number; readonly scheme?: "light" | "dark" },
  work: (page: Page) => Promise<T>,
) {
  const { script = true, width = 1000, scheme = "light" } = options;
  const context = await browser.newContext({
    javaScriptEnabled: script,
    viewport: { width, height: 800 },
    colorScheme: scheme,
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

test("a script reports that the browser's address differs from that of ids", async () => {
  const origin = new URL(site.base).origin;
  await withPage({}, async (page) => {
    await expect
      .poll(() => page.textContent("#seen-now"))
      .toContain(
        `This page was opened at ${site.base}, but ids for requests from here begin with ${origin}.`,
      );
  });
});

test("without a script the field says which header the proxy has to send", async () => {
  await withPage({ script: false }, async (page) => {
    expect(await page.isVisible("#seen-now")).toBe(false);
    await page.fill("#q", `${site.base}/admin/doctor`);
    await page.click("text=Examine");
    expect(await page.textContent("#compared.bad")).toContain("X-Forwarded-Prefix: /images");
  });
});

/** Returns what axe-core finds. The page's policy would refuse the script. */
async function violations(page: Page): Promise<string[]> {
  const found = await page.evaluate<axe.AxeResults>(`${axe.source}; axe.run()`);
  return found.violations.map(({ id, nodes }) => `${id}: ${nodes.map(({ html }) => html).join(", ")}`);
}

test.each([
  [400, "light"],
  [400, "dark"],
  [1400, "light"],
  [1400, "dark"],
] as const)(
  "one field examines logins and images, and nothing hinders readers at %i px in %s",
  async (width, scheme) => {
    await withPage({ width, scheme }, async (page) => {
      expect(await violations(page)).toEqual([]);
      await page.fill("#q", "login closed/base.png");
      await page.press("#q", "Enter");
      // Nothing listens at the requested address: the first step says so.
      await expect.poll(() => page.locator('[data-code="unreachable"]').count()).toBeGreaterThan(0);
      expect(await overflow(page)).toBeLessThanOrEqual(0);
      expect(await violations(page)).toEqual([]);
      await page.fill("#q", "closed/base.png");
      await page.press("#q", "Enter");
      await page.getByRole("link", { name: "The page of closed/base.png" }).waitFor();
      expect(await overflow(page)).toBeLessThanOrEqual(0);
      expect(await violations(page)).toEqual([]);
    });
  },
);
