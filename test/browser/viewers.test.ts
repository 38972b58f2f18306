// Mirador and Universal Viewer on another origin, in Chromium: what readers see before a login, after it, and after a logout.

import { mkdirSync, mkdtempSync, rmSync, writeFileSync } from "node:fs";
import { tmpdir } from "node:os";
import { join } from "node:path";
import type { Locator, Page, Request } from "playwright-core";
import sharp from "sharp";
import { afterAll, beforeAll, describe, expect, test } from "vitest";
import { type Built, buildProgram } from "../cli/built.ts";
import { contrast } from "./contrast.ts";
import { launchWithForeignCookies } from "./launching.ts";
import { chequered, seen } from "./viewers/picture.ts";
import { type ViewerSite, viewerSite } from "./viewers/served.ts";

/** `secret`, by libxcrypt. */
const hash = "$2b$04$Xkp3ABVhFCWRnWTnZdVnVOrssyTXKBkR8ymWvhDrv.quIcpqbRo9G";
/** Of substitutes: a sixteenth of the pictures, so that their squares are gone. */
const most = 100;

let built: Built;
let site: ViewerSite;
let folder: string;

beforeAll(async () => {
  folder = mkdtempSync(join(tmpdir(), "smalti-viewers-"));
  const masters = join(folder, "masters");
  mkdirSync(masters);
  writeFileSync(join(masters, "1.png"), await chequered([255, 140, 0]));
  writeFileSync(join(masters, "2.png"), await chequered([0, 200, 120]));
  site = await viewerSite(["1.png", "2.png"]);
  const config = join(folder, "smalti.yaml");
  const folders = ["terms", "termsOnly", "staff", "staffOnly"];
  const profile = (pattern: string, title: string, access: string, more = "") =>
    `{ pattern: ${pattern}, label: { en: [${title}] }, heading: { en: ["${title} of the library"] }, description: { en: ["For research and teaching."] }, confirm_label: Let me in, access_service: { backend: builtin${access} }${more} }`;
  const small = `, substitute: { max_size: "!${most},${most}" }`;
  const users = `, users: { ann: "${hash}" }`;
  writeFileSync(
    config,
    `sources:
${folders.map((name) => `  - { name: ${name}, type: filesystem, root: ${JSON.stringify(masters)}, prefix: ${name}/ }`).join("\n")}
auth:
  cors: { token_origins: ["${site.origin}"] }
  profiles:
    terms: ${profile("clickthrough", "Terms of use", "", small)}
    termsOnly: ${profile("clickthrough", "Terms of use", "")}
    staff: ${profile("active", "Reading room", users, small)}
    staffOnly: ${profile("active", "Reading room", users)}
  rules:
${folders.map((name) => `    - { match: "${name}/*", profile: ${name} }`).join("\n")}
`,
  );
  built = await buildProgram();
  site.images = (await built.serve(["-config", config])).url.replace("127.0.0.1", "localhost");
});

afterAll(() => {
  built?.remove();
  site?.close();
  rmSync(folder, { recursive: true, force: true });
});

/** Sizes of the pictures that a page asked for since the last call, each decoded. */
function answersTo(page: Page): () => Promise<{ width: number; height: number }[]> {
  let answers: Promise<{ width: number; height: number } | undefined>[] = [];
  const sizeOf = async (request: Request) => {
    const response = await request.response();
    if (!response || response.status() >= 400) return undefined;
    const { width, height } = await sharp(await response.body()).metadata();
    return { width, height };
  };
  page.on("request", (request) => {
    // What the viewer no longer needs it may have given up.
    if (/\/iiif\/3\/.*\.(jpg|png)$/.test(request.url())) answers.push(sizeOf(request).catch(() => undefined));
  });
  return async () => {
    const asked = answers;
    answers = [];
    return (await Promise.all(asked)).filter((each) => each !== undefined);
  };
}

const isSmall = ({ width, height }: { width: number; height: number }) => width <= most && height <= most;

/** What a reader does in the window of each login. */
const logins: Readonly<Record<string, (popup: Page) => Promise<void>>> = {
  terms: (popup) => popup.click("button"),
  staff: async (popup) => {
    await popup.fill("#username", "ann");
    await popup.fill("#password", "secret");
    await popup.click("button");
  },
};

interface Viewer {
  /** What offers a login. */
  offer(page: Page): Locator;
  /** Does in the viewer what opens its window for a login. */
  ask(page: Page): Promise<void>;
  logOut(page: Page): Promise<void>;
  turn(page: Page): Promise<void>;
}

const viewers: Readonly<Record<string, Viewer>> = {
  mirador: {
    offer: (page) => page.getByText("Continue", { exact: true }),
    async ask(page) {
      await page.getByText("Continue", { exact: true }).click();
      await page.getByRole("button", { name: "Let me in" }).click();
    },
    logOut: (page) => page.getByRole("button", { name: "Log out" }).click(),
    turn: (page) => page.getByRole("button", { name: "Next item" }).click(),
  },
  uv: {
    // Its own dialogue where an image is denied, else the bar.
    offer: (page) => page.getByText("Let me in").filter({ visible: true }),
    ask: (page) => viewers.uv!.offer(page).click(),
    logOut: (page) => page.getByRole("button", { name: "Log out" }).click(),
    turn: (page) => page.locator("button.next").filter({ visible: true }).first().click(),
  },
};

test("the button of Universal Viewer's login can be read", async () => {
  const context = await launchWithForeignCookies(folder);
  const page = await context.newPage();
  await page.goto(site.page("uv", "termsOnly"));
  const [colour, behind] = await viewers.uv!.offer(page).evaluate((button) => {
    const { color, backgroundColor } = getComputedStyle(button);
    return [color, backgroundColor] as const;
  });
  expect(contrast(colour, behind)).toBeGreaterThanOrEqual(4.5);
  await context.close();
});

for (const [viewer, { offer, ask, logOut, turn }] of Object.entries(viewers))
  describe.each(Object.entries(logins))(`${viewer}, with the login %s`, (name, act) => {
    test.each([
      ["degraded", name],
      ["nothing", `${name}Only`],
    ] as const)(
      "shows %s, after a login the image on all pages, and after a logout as before",
      async (before, folderName) => {
        const context = await launchWithForeignCookies(folder);
        const page = await context.newPage();
        await page.setViewportSize({ width: 1280, height: 800 });
        const answers = answersTo(page);
        const shows = async (step: string, expected: string) => {
          await expect
            .poll(async () => seen(await page.screenshot()), { timeout: 60_000, interval: 250 })
            .toBe(expected);
          if (process.env.SCREENSHOTS)
            await page.screenshot({
              path: `${process.env.SCREENSHOTS}/viewers-${viewer}-${folderName}-${step}.png`,
            });
        };
        await page.goto(site.page(viewer, folderName));
        await offer(page).waitFor();
        await shows("1-before", before);
        const first = await answers();
        expect(first.every(isSmall)).toBe(true);
        expect(first.length > 0).toBe(before === "degraded");

        const [popup] = await Promise.all([page.waitForEvent("popup"), ask(page)]);
        const closed = popup.waitForEvent("close");
        // The window may close while the click is still being waited for.
        await act(popup).catch(() => {});
        await closed;
        await shows("2-after", "full");
        expect((await answers()).some((size) => !isSmall(size))).toBe(true);
        await turn(page);
        await shows("3-turned", "full");
        await answers();

        const [goodbye] = await Promise.all([page.waitForEvent("popup"), logOut(page)]);
        await goodbye.getByText("You are logged out").waitFor();
        await answers();
        await goodbye.close();
        await shows("4-out", before);
        const last = await answers();
        expect(last.every(isSmall)).toBe(true);
        expect(last.length > 0).toBe(before === "degraded");
        await context.close();
      },
    );
  });
