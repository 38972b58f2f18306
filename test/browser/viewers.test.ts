// Mirador and Universal Viewer in Chromium: what readers see before a login, after it and after a logout. The
// table of docs/how-to/viewer-logins.md lists the expectations.

import { mkdtempSync, readdirSync, readFileSync, rmSync } from "node:fs";
import { tmpdir } from "node:os";
import { join } from "node:path";
import type { BrowserContext, Page } from "playwright-core";
import { afterAll, beforeAll, describe, expect, test } from "vitest";
import { sampled } from "../sampled.ts";
import { contrast } from "./contrast.ts";
import { launchWithForeignCookies, type OpenBrowser } from "./launching.ts";
import { quietOf } from "./screen.ts";
import { answersTo, isSmall } from "./viewers/answers.ts";
import { type GatedImages, gatedImages, type Login, logins, pictures } from "./viewers/gated-images.ts";
import { seen } from "./viewers/picture.ts";
import { shims, type ViewerSite, viewerSite } from "./viewers/served.ts";
import { type Cell, documentedTable } from "./viewers/table.ts";
import { type Viewer, viewers } from "./viewers/viewers.ts";

let images: GatedImages;
let site: ViewerSite;
let folder: string;
let browser: OpenBrowser;
/** One for all tests; each begins without cookies. */
let context: BrowserContext;

beforeAll(async () => {
  folder = mkdtempSync(join(tmpdir(), "smalti-viewers-"));
  site = await viewerSite(pictures);
  images = await gatedImages(folder, site.origin);
  site.images = images.url;
  browser = await launchWithForeignCookies(folder);
  context = await browser.newContext();
  // Browsers of readers open one window for each click and block others. To this one, opening a page counts
  // as a click.
  await context.addInitScript(() => {
    const { open } = window;
    let isClicked = false;
    addEventListener("click", ({ isTrusted }) => (isClicked ||= isTrusted), true);
    window.open = (...where) => {
      const isAllowed = isClicked;
      isClicked = false;
      return isAllowed ? open.apply(window, where) : null;
    };
  });
});

afterAll(async () => {
  await browser?.close();
  await images?.close();
  site?.close();
  rmSync(folder, { recursive: true, force: true });
});

async function newPage(): Promise<Page> {
  await context.clearCookies();
  const page = await context.newPage();
  await page.setViewportSize({ width: 1280, height: 800 });
  return page;
}

test("the service has the files that pages with viewers need, as they are tried here", async () => {
  for (const name of readdirSync(shims))
    expect(await (await fetch(`${images.url}/static/viewer/shims/${name}`)).text()).toBe(
      readFileSync(join(shims, name), "utf8"),
    );
});

test("the button of Universal Viewer's login can be read", async () => {
  const page = await newPage();
  await page.goto(site.page("uv", "termsOnly"));
  const [colour, behind] = await page
    .locator(".overlay")
    .getByText("Let me in")
    .filter({ visible: true })
    .evaluate((button) => {
      const { color, backgroundColor } = getComputedStyle(button);
      return [color, backgroundColor] as const;
    });
  expect(contrast(colour, behind)).toBeGreaterThanOrEqual(4.5);
  await page.close();
});

test("the bar has a button for each of several ways in, and either of them leads in", async () => {
  const page = await newPage();
  await page.goto(site.page("uv", "staffOrPartner"));
  const buttons = page.locator(".login-bar button");
  await buttons.nth(1).waitFor();
  expect(await buttons.allTextContents()).toEqual(["Reading room", "Partners"]);
  const [popup] = await Promise.all([page.waitForEvent("popup"), buttons.nth(1).click()]);
  await Promise.all([popup.waitForEvent("close"), logins.partner.act(popup).catch(() => {})]);
  await expect.poll(async () => seen(await page.screenshot())).toBe("full");
  await page.close();
});

const words = { nothing: "blank", degraded: "reduced", full: "whole" } as const;
const shows = async (page: Page) => words[await seen(await page.screenshot())];

/** Describes what a page shows and offers, in the words of the table. */
async function look(page: Page): Promise<string> {
  const offer = await page.evaluate(() => {
    const found = [...document.querySelectorAll<HTMLElement>("button, a")].filter(
      (each) => /^(Let me in|Continue)$/i.test(each.textContent?.trim() ?? "") && each.checkVisibility(),
    );
    if (found.length === 0) return "";
    return found.some((each) => each.closest(".overlay")) ? ", dialogue" : ", bar";
  });
  return (await shows(page)) + offer;
}

async function logIn(page: Page, viewer: Viewer, { act }: Login): Promise<void> {
  const [popup] = await Promise.all([page.waitForEvent("popup"), viewer.ask(page)]);
  // The window may close while the click is still being waited for.
  await Promise.all([popup.waitForEvent("close"), act?.(popup).catch(() => {})]);
}

async function logOut(page: Page): Promise<void> {
  const [goodbye] = await Promise.all([
    page.waitForEvent("popup"),
    page.getByRole("button", { name: "Log out" }).click(),
  ]);
  await goodbye.getByText("You are logged out").waitFor();
  await goodbye.close();
}

async function walk(
  name: string,
  viewer: Viewer,
  login: Login,
  { isIn, before, after }: Cell,
): Promise<void> {
  const page = await newPage();
  if (isIn) {
    await page.goto(`${images.url}/iiif/auth/login/${name}`);
    await login.act?.(page);
    await page.getByText("You have access").waitFor();
  }
  const quiet = quietOf(page, { mayCircle: viewer.name === "UV" });
  const answers = answersTo(page);
  const poll = { interval: 250 };
  const [first = ""] = before.split(",");
  await page.goto(viewer.address({ site, images: images.url, name }));
  await quiet();
  await expect.poll(() => look(page), poll).toBe(before);
  if (process.env.SCREENSHOTS)
    await page.screenshot({
      path: `${process.env.SCREENSHOTS}/viewers-${viewer.name.replace(/\W+/g, "-")}-${name}.png`,
    });
  if (first !== "whole") expect((await answers()).every(isSmall)).toBe(true);
  if (after) {
    await logIn(page, viewer, login);
    if (after === "whole") {
      await expect.poll(() => shows(page), poll).toBe("whole");
      expect((await answers()).some((size) => !isSmall(size))).toBe(true);
      await viewer.turn(page);
      await quiet();
      await expect.poll(() => shows(page), poll).toBe("whole");
      await answers();
      await logOut(page);
      await answers();
      await expect.poll(() => look(page), poll).toBe(before);
      expect((await answers()).every(isSmall)).toBe(true);
    } else {
      await quiet();
      expect(await shows(page)).toBe(first);
      await page.reload();
      await quiet();
      await expect.poll(() => shows(page), poll).toBe(after === "reload" ? "whole" : first);
    }
  }
  for (const each of context.pages().slice(1)) await each.close();
}

/** Returns one row whose reader logs in in the window, and one of another kind. */
function drawn(viewer: string) {
  const rows = documentedTable(viewer);
  const [active, still] = [rows.filter(({ after }) => after), rows.filter(({ after }) => !after)];
  return [...sampled(`logins, ${viewer}`, active, 1), ...sampled(`sights, ${viewer}`, still, 1)];
}

describe.each(viewers)("$name", (viewer) => {
  test.each(drawn(viewer.name))(
    "$way, $denial: $text",
    // The viewers themselves sometimes lose a response on a busy machine.
    { retry: 2 },
    async ({ folder: name, login, ...cell }) => {
      await walk(name, viewer, logins[login], cell);
    },
  );
});
