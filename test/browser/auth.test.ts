// Logging in from a viewer on another origin, in Chromium: both protocols from probe to logout; and the pages
// that readers see.

import { mkdtempSync, rmSync, writeFileSync } from "node:fs";
import { createServer, type Server } from "node:http";
import type { AddressInfo } from "node:net";
import { tmpdir } from "node:os";
import { join } from "node:path";
import type { Browser, BrowserContext, Page } from "playwright-core";
import { afterAll, beforeAll, describe, expect, test } from "vitest";
import { type Built, buildProgram } from "../cli/built.ts";
import { fixturesFolder } from "../host.ts";
import { clientId, clientSecret, type OidcProvider, startProvider } from "../servers/oidc.ts";
import { contrast } from "./contrast.ts";
import { launch, launchWithForeignCookies, type OpenBrowser, whole } from "./launching.ts";
import { overflow, quietOf } from "./screen.ts";

/** `secret`, by libxcrypt. */
const hash = "$2b$04$Xkp3ABVhFCWRnWTnZdVnVOrssyTXKBkR8ymWvhDrv.quIcpqbRo9G";

let built: Built;
let browser: Browser;
/** One that sends the cookies of third parties. */
let open: OpenBrowser;
let folder: string;
let client: Server;
/**
 * Origin of the viewer: another host than that of the images, so that their cookies are third-party cookies.
 */
let origin: string;
let images: string;
let provider: OidcProvider;

/** A small viewer: a page of another origin that uses either protocol. The test triggers its steps. */
const viewer = `<!doctype html><meta charset="utf-8"><title>Viewer</title>
<button id="open">Open</button>
<script>
const withToken = (token) => (token ? { headers: { Authorization: "Bearer " + token } } : {});
const get = async (url, token) => {
  const response = await fetch(url, withToken(token));
  return { status: response.status, body: await response.json() };
};
const shown = (url) => new Promise((resolve) => {
  const image = new Image();
  image.onload = () => resolve(image.naturalWidth);
  image.onerror = () => resolve(0);
  image.src = url + (url.includes("?") ? "&" : "?") + Math.trunc(performance.now() * 1000);
});
const token = (id) => new Promise((resolve) => {
  const frame = document.createElement("iframe");
  frame.hidden = true;
  const url = new URL(id);
  url.searchParams.set("messageId", "a <\\/script> 1");
  url.searchParams.set("origin", location.origin);
  addEventListener("message", (event) => {
    if (event.source !== frame.contentWindow) return;
    frame.remove();
    resolve({ from: event.origin, data: event.data });
  });
  frame.src = url;
  document.body.append(frame);
});
Object.assign(window, { get, shown, token });
document.querySelector("#open").onclick = () => window.open(window.toOpen, "login", "width=500,height=600");
</script>`;

interface ViewerWindow {
  toOpen: string;
  get(url: string, token?: string): Promise<{ status: number; body: Record<string, unknown> }>;
  shown(url: string): Promise<number>;
  token(id: string): Promise<{ from: string; data: Record<string, unknown> }>;
}

beforeAll(async () => {
  client = createServer((_, response) => {
    response.setHeader("Content-Type", "text/html");
    response.end(viewer);
  });
  await new Promise<void>((resolve) => client.listen(0, "127.0.0.1", resolve));
  origin = `http://127.0.0.1:${(client.address() as AddressInfo).port}`;
  folder = mkdtempSync(join(tmpdir(), "smalti-auth-pages-"));
  provider = await startProvider();
  const config = join(folder, "smalti.yaml");
  const source = (prefix: string) =>
    `  - { name: ${prefix}, type: filesystem, root: ${JSON.stringify(fixturesFolder)}, prefix: ${prefix}/ }`;
  writeFileSync(
    config,
    `trusted_proxies: ["127.0.0.1"]
sources:
${["staff", "agree", "room", "either", "members"].map(source).join("\n")}
auth:
  cors: { token_origins: ["${origin}", "${origin.replace("127.0.0.1", "localhost")}"] }
  profiles:
    staff:
      pattern: active
      label: { en: [Reading room of the library] }
      heading: { en: [Staff only], de: [Nur für Beschäftigte] }
      description: { en: ["These pictures are for people who work here.\\nAsk at the desk for a password."] }
      access_service: { backend: builtin, users: { ann: "${hash}" } }
      logo_url: /static/page/icon.svg
    terms:
      pattern: clickthrough
      label: { en: [Terms of use] }
      heading: { en: ["Before you see these pictures"] }
      description: { en: ["They may be used for research and teaching. Name the library as their source. For print and trade, ask for a licence."] }
      confirm_label: I agree
      access_service: { backend: builtin }
    room: { pattern: kiosk, heading: { en: [Only in the reading room] }, note: { en: [Ask at the desk.] }, access_service: { backend: builtin }, kiosk: { allowed_ips: [192.0.2.0/24] } }
    members: { pattern: active, label: { en: [Members] }, access_service: { backend: oidc, issuer: "${provider.issuer}", client_id: ${clientId}, client_secret_env: CLIENT } }
  rules:
    - { match: "members/*", profile: members }
    - { match: "staff/*", profile: staff }
    - { match: "agree/*", profile: terms }
    - { match: "room/*", profile: room }
    - { match: "either/*", profile: [room, staff] }
`,
  );
  built = await buildProgram();
  const { url } = await built.serve(["-config", config], { env: { CLIENT: clientSecret } });
  images = url.replace("127.0.0.1", "localhost");
  provider.register(`${images}/iiif/auth/callback/members`);
  [browser, open] = await Promise.all([launch(), launchWithForeignCookies(folder)]);
});

afterAll(async () => {
  await Promise.all([browser?.close(), open?.close()]);
  await provider?.stop();
  built?.remove();
  client?.close();
  rmSync(folder, { recursive: true, force: true });
});

/** Opens an address in a window of the viewer, by a click as a reader would. */
async function openWindow(page: Page, address: string): Promise<Page> {
  await page.evaluate((url) => {
    (window as unknown as ViewerWindow).toOpen = url;
  }, address);
  const [popup] = await Promise.all([page.waitForEvent("popup"), page.click("#open")]);
  await popup.waitForLoadState();
  return popup;
}

const get = (page: Page, url: string, token?: string) =>
  page.evaluate(
    ([url, token]) => (window as unknown as ViewerWindow).get(url as string, token),
    [url, token],
  );
const shown = (page: Page, url: string) =>
  page.evaluate((url) => (window as unknown as ViewerWindow).shown(url), url);
const token = (page: Page, id: string) =>
  page.evaluate((id) => (window as unknown as ViewerWindow).token(id), id);

/** A viewer in a browser that sends the cookies of third parties. */
async function newViewer(): Promise<{ context: BrowserContext; page: Page }> {
  const context = await open.newContext();
  const page = await context.newPage();
  await page.goto(origin);
  return { context, page };
}

interface Login {
  readonly identifier: string;
  /** Acts as the reader in the window. */
  act(popup: Page): Promise<void>;
}

const logins: Readonly<Record<string, Login>> = {
  password: {
    identifier: "staff%2Fbase.png",
    async act(popup) {
      await popup.fill("#username", "ann");
      await popup.fill("#password", "wrong");
      await popup.click("button");
      await popup.waitForSelector("[role=alert]");
      await popup.fill("#password", "secret");
      await popup.keyboard.press("Enter");
    },
  },
  click: { identifier: "agree%2Fbase.png", act: (popup) => popup.click("button") },
  provider: {
    identifier: "members%2Fbase.png",
    async act(popup) {
      await popup.fill("input[name=login]", "ann");
      await popup.fill("input[name=password]", "any");
      await popup.click("button");
      await popup.waitForSelector("input[name=prompt][value=consent]", { state: "attached" });
      await popup.click("button");
    },
  },
};

describe.each(Object.entries(logins))("a viewer on another origin, by %s", (_, { identifier, act }) => {
  test("walks through Authorization Flow 2.0", async () => {
    const { context, page } = await newViewer();
    const base = `${images}/iiif/3/${identifier}`;
    const info = await get(page, `${base}/info.json`);
    expect(info.status).toBe(401);
    const [probe] = info.body.service as { id: string; type: string; service: Record<string, unknown>[] }[];
    expect(probe?.type).toBe("AuthProbeService2");
    const probeId = probe?.id as string;
    const access = probe?.service[0] as { id: string; service: { id: string; type: string }[] };
    const id = (type: string) => access.service.find((each) => each.type === type)?.id as string;
    expect((await get(page, probeId)).body.status).toBe(401);
    expect(await shown(page, `${base}/full/40,/0/default.jpg`)).toBe(0);
    const denied = await token(page, id("AuthAccessTokenService2"));
    expect(denied.data).toMatchObject({ type: "AuthAccessTokenError2", profile: "missingAspect" });

    const popup = await openWindow(page, `${access.id}?origin=${encodeURIComponent(origin)}`);
    const closed = popup.waitForEvent("close");
    // The window may close while the click is still being waited for.
    await act(popup).catch(() => {});
    await closed;
    const { from, data } = await token(page, id("AuthAccessTokenService2"));
    expect(from).toBe(images);
    expect(data).toMatchObject({ type: "AuthAccessToken2", messageId: "a </script> 1" });
    const bearer = data.accessToken as string;
    expect((await get(page, probeId, bearer)).body.status).toBe(200);
    expect((await get(page, `${base}/info.json`, bearer)).status).toBe(200);
    expect(await shown(page, `${base}/full/40,/0/default.jpg`)).toBe(40);

    const out = await openWindow(page, id("AuthLogoutService2"));
    expect(await out.locator("h1").textContent()).toBe("You are logged out");
    expect((await get(page, probeId, bearer)).body.status).toBe(401);
    expect(await shown(page, `${base}/full/40,/0/default.jpg`)).toBe(0);
    await context.close();
  });

  test("walks through Authentication 1.0", async () => {
    const { context, page } = await newViewer();
    const base = `${images}/iiif/2/${identifier}`;
    const info = await get(page, `${base}/info.json`);
    expect(info.status).toBe(401);
    const login = (info.body.service as { profile?: string }[]).find(({ profile }) =>
      /\/auth\/1\/(login|clickthrough)$/.test(profile ?? ""),
    ) as unknown as { "@id": string; service: { "@id": string; profile: string }[] };
    const id = (part: string) =>
      login.service.find(({ profile }) => profile.endsWith(part))?.["@id"] as string;
    const denied = await token(page, id("token"));
    expect(denied.data).toMatchObject({ error: "missingCredentials", messageId: "a </script> 1" });

    const popup = await openWindow(page, login["@id"]);
    const closed = popup.waitForEvent("close");
    await act(popup).catch(() => {});
    await closed;
    const { from, data } = await token(page, id("token"));
    expect(from).toBe(images);
    expect(Object.keys(data).sort()).toEqual(["accessToken", "expiresIn", "messageId"]);
    const bearer = data.accessToken as string;
    expect((await get(page, `${base}/info.json`, bearer)).status).toBe(200);
    expect(await shown(page, `${base}/full/40,/0/default.jpg`)).toBe(40);
    await openWindow(page, id("logout"));
    expect((await get(page, `${base}/info.json`, bearer)).status).toBe(401);
    expect(await shown(page, `${base}/full/40,/0/default.jpg`)).toBe(0);
    await context.close();
  });
});

test("in a browser that blocks third-client cookies, a viewer of the same site logs in, one of another site does not", async () => {
  const sameSite = origin.replace("127.0.0.1", "localhost");
  const types: unknown[] = [];
  const blocking = await launch(whole);
  for (const place of [origin, sameSite]) {
    const context = await blocking.newContext({ locale: "en-GB" });
    const page = await context.newPage();
    await page.goto(place);
    const popup = await openWindow(page, `${images}/iiif/auth/login/terms`);
    const closed = popup.waitForEvent("close");
    await popup.click("button").catch(() => {});
    await closed;
    const { data } = await token(page, `${images}/iiif/auth/token`);
    types.push([data.type, data.profile]);
    await context.close();
  }
  await blocking.close();
  expect(types).toEqual([
    ["AuthAccessTokenError2", "missingAspect"],
    ["AuthAccessToken2", undefined],
  ]);
});

for (const [width, scheme] of [
  [1280, "light"],
  [1280, "dark"],
  [400, "light"],
  [400, "dark"],
] as const)
  test(`every page fits, can be read and names its fields, at ${width} px in ${scheme}`, async () => {
    const context = await browser.newContext({
      viewport: { width, height: 760 },
      colorScheme: scheme,
      locale: "en-GB",
    });
    const page = await context.newPage();
    const problems: string[] = [];
    page.on("console", (message) => /Content Security/.test(message.text()) && problems.push(message.text()));
    const pages: Readonly<Record<string, () => Promise<unknown>>> = {
      password: () => page.goto(`${images}/iiif/auth/login/staff`),
      wrong: async () => {
        await page.fill("#username", "a reader with quite a long name");
        await page.fill("#password", "wrong");
        await page.click("button");
        await page.waitForSelector("[role=alert]");
      },
      click: () => page.goto(`${images}/iiif/auth/login/terms`),
      done: async () => {
        await page.click("button");
        await page.waitForSelector("h1:has-text('You have access')");
      },
      kiosk: () => page.goto(`${images}/iiif/auth/login/room`),
      refused: async () => {
        await page.goto(`${images}/iiif/auth/login/members?return_to=/`);
        await page.click("text=Cancel");
        await page.waitForSelector("h1:has-text('You are not signed in')");
      },
      expired: () => page.goto(`${images}/iiif/auth/callback/members?state=x&code=y`),
      out: () => page.goto(`${images}/iiif/auth/logout`),
    };
    for (const [name, open] of Object.entries(pages)) {
      await open();
      expect(await overflow(page)).toBeLessThanOrEqual(0);
      const looks = await page.evaluate(() =>
        [
          ...document.querySelectorAll<HTMLElement>(
            ".card h1, .card p, .card a, .card label, .card button, .card input:not([type=hidden])",
          ),
        ].map((element) => {
          const style = getComputedStyle(element);
          const card = getComputedStyle(document.querySelector(".card") as Element).backgroundColor;
          const isClear = style.backgroundColor === "rgba(0, 0, 0, 0)";
          return {
            text: element.textContent || element.id,
            colour: style.color,
            behind: isClear ? card : style.backgroundColor,
            edge: element.tagName === "INPUT" ? style.borderTopColor : undefined,
            card,
          };
        }),
      );
      expect(looks.length).toBeGreaterThan(1);
      for (const { text, colour, behind, edge, card } of looks) {
        expect([name, text, contrast(colour, behind) >= 4.5]).toEqual([name, text, true]);
        if (edge) expect([name, text, contrast(edge, card) >= 3]).toEqual([name, text, true]);
      }
      for (const field of await page.locator("input:not([type=hidden])").all())
        expect(await page.locator(`label[for=${await field.getAttribute("id")}]`).count()).toBe(1);
      if (process.env.SCREENSHOTS)
        await page.screenshot({ path: `${process.env.SCREENSHOTS}/auth-${name}-${width}-${scheme}.png` });
    }
    expect(problems).toEqual([]);
    await context.close();
  });

test("a reader without a mouse and without scripts logs in, in German", async () => {
  const context = await browser.newContext({
    javaScriptEnabled: false,
    locale: "de-AT",
    // A separate address: after the failed logins of the other tests, theirs would have to wait.
    extraHTTPHeaders: { "X-Forwarded-For": "198.51.100.7" },
  });
  const page = await context.newPage();
  const back = `${images}/iiif/3/staff%2Fbase.png/full/40,/0/default.jpg`;
  await page.goto(`${images}/iiif/auth/login/staff?return_to=${encodeURIComponent(new URL(back).pathname)}`);
  expect(await page.locator("html").getAttribute("lang")).toBe("de");
  expect(await page.locator("h1").textContent()).toBe("Nur für Beschäftigte");
  expect(await page.locator(".title").getAttribute("lang")).toBe("en");
  await page.keyboard.type("ann");
  await page.keyboard.press("Tab");
  await page.keyboard.type("secret");
  await page.keyboard.press("Tab");
  await page.keyboard.press("Enter");
  await page.waitForURL(back);
  await context.close();
});

test.each(["mirador", "uv"])("%s has a note above it if the reader's address decides", async (viewer) => {
  const page = await browser.newPage();
  await page.goto(`${images}/view/room/base.png?viewer=${viewer}`);
  const note = page.locator("#problem");
  await expect.poll(() => note.textContent()).toContain("Only in the reading room. Ask at the desk.");
  expect(await note.isVisible()).toBe(true);
  // There is none in the room, and none if the viewer itself offers a login.
  for (const [path, address] of [
    ["room/base.png", "192.0.2.7"],
    ["staff/base.png", "198.51.100.8"],
  ]) {
    await page.setExtraHTTPHeaders({ "X-Forwarded-For": address as string });
    const asked = page.waitForResponse((response) => response.url().endsWith("/info.json"));
    const quiet = quietOf(page);
    await page.goto(`${images}/view/${path}?viewer=${viewer}`);
    await asked;
    await quiet();
    expect([path, await note.isVisible()]).toEqual([path, false]);
  }
  await page.close();
});

test("Universal Viewer offers the login of a rule that also has a kiosk, and opens no window", async () => {
  const page = await browser.newPage();
  const windows: string[] = [];
  page.on("popup", (popup) => windows.push(popup.url()));
  await page.goto(`${images}/view/either/base.png?viewer=uv`);
  await page.getByText("Sign in").first().waitFor();
  expect(windows).toEqual([]);
  await page.close();
});

test("a login leads back to a viewer on another origin", async () => {
  const { context, page } = await newViewer();
  await page.goto(`${images}/iiif/auth/login/terms?return_to=${encodeURIComponent(`${origin}/there`)}`);
  await page.click("button");
  await page.waitForURL(`${origin}/there`);
  await context.close();
});
