// Attacks that need a browser, on gated images, tokens or a session: by pages of another site, by a shared
// cookie, and by requests during a logout.

import { mkdtempSync, readFileSync, rmSync } from "node:fs";
import { createServer, type Server } from "node:http";
import type { AddressInfo } from "node:net";
import { tmpdir } from "node:os";
import { join } from "node:path";
import type { BrowserContext, Page } from "playwright-core";
import { afterAll, beforeAll, expect, test } from "vitest";
import { launchWithForeignCookies, type OpenBrowser } from "./launching.ts";
import { quietOf } from "./screen.ts";
import { type GatedImages, gatedImages } from "./viewers/gated-images.ts";

let browser: OpenBrowser;
let images: GatedImages;
let folder: string;
const servers: Server[] = [];
/**
 * Origins of the viewer, which may have tokens, and of a site that may not. Both are other sites than that of
 * the images.
 */
let viewer: string;
let evil: string;
/** Pages of the evil site, by path. */
const evilPages: Record<string, string> = {};
const evilVisits: string[] = [];
/**
 * A server of the attackers that scripts of all pages may contact: its documents, and the tokens that it was
 * sent.
 */
let collector: string;
const collected: { documents: readonly object[]; readonly tokens: string[] } = { documents: [], tokens: [] };
const loginBarSource = readFileSync(
  new URL("../../static/viewer/shims/login-bar.js", import.meta.url),
  "utf8",
);

beforeAll(async () => {
  folder = mkdtempSync(join(tmpdir(), "smalti-adversary-"));
  viewer = await siteOf(() => "<title>Viewer</title>");
  evil = await siteOf((path) => {
    evilVisits.push(path);
    return `<title>Evil</title>${evilPages[path] ?? ""}`;
  });
  collector = await listen(
    createServer(({ url = "", headers }, response) => {
      if (headers.authorization !== undefined) collected.tokens.push(headers.authorization);
      const [, n] = /^\/(\d+)\/info\.json$/.exec(url) ?? [];
      const probed = { type: "AuthProbeResult2", status: 401, substitute: [{ id: "x" }] };
      response.setHeader("Access-Control-Allow-Origin", "*");
      response.setHeader("Access-Control-Allow-Headers", "Authorization");
      response.end(JSON.stringify(n === undefined ? probed : collected.documents[Number(n)]));
    }),
  );
  images = await gatedImages(folder, viewer);
  browser = await launchWithForeignCookies(folder);
});

afterAll(async () => {
  await browser?.close();
  await images?.close();
  for (const server of servers) server.close();
  rmSync(folder, { recursive: true, force: true });
});

/** Serves pages on a free port. */
function siteOf(html: (path: string) => string): Promise<string> {
  return listen(
    createServer((request, response) => {
      response.setHeader("Content-Type", "text/html");
      response.end(`<!doctype html>${html(request.url ?? "/")}`);
    }),
  );
}

async function listen(server: Server): Promise<string> {
  servers.push(server);
  await new Promise<void>((resolve) => server.listen(0, "127.0.0.1", resolve));
  return `http://127.0.0.1:${(server.address() as AddressInfo).port}`;
}

const tile = (name = "termsOnly", width = 40) =>
  `${images.url}/iiif/3/${name}%2F1.png/full/${width},/0/default.jpg`;

/** Another browser that sends cookies everywhere. */
async function newBrowser(): Promise<{ context: BrowserContext; page: Page }> {
  const context = await browser.newContext();
  return { context, page: await context.newPage() };
}

/** Agrees to the terms of `termsOnly`, or of another profile. */
async function agree(page: Page, profile = "termsOnly"): Promise<void> {
  await page.goto(`${images.url}/iiif/auth/login/${profile}`);
  await page.click("button");
  await page.waitForSelector("h1:has-text('You have access')");
}

const statusOf = async (page: Page, url: string) => (await page.goto(url))?.status();

const cookieOf = async (context: BrowserContext) =>
  (await context.cookies(images.url)).find(({ name }) => name === "service_session");

test("a page of another site can show a gated image to its reader, but read neither that nor a token", async () => {
  const { context, page } = await newBrowser();
  await agree(page);
  await page.goto(`${evil}/`);
  const addresses = [
    tile(),
    `${images.url}/iiif/3/termsOnly%2F1.png/info.json`,
    `${images.url}/iiif/2/termsOnly%2F1.png/info.json`,
    `${images.url}/iiif/auth/probe/termsOnly%2F1.png`,
    `${images.url}/iiif/auth/v1/token`,
    `${images.url}/iiif/auth/token?messageId=1&origin=${evil}`,
  ];
  const read = await page.evaluate(
    (urls) =>
      Promise.all(
        urls.map((url) =>
          fetch(url, { credentials: "include" }).then(
            ({ status }) => status,
            () => "not read",
          ),
        ),
      ),
    addresses,
  );
  expect(read).toEqual(addresses.map(() => "not read"));
  const shown = (mode: string | null) =>
    page.evaluate(
      async ([url, mode]) => {
        const image = new Image();
        image.crossOrigin = mode as string | null;
        image.src = url as string;
        try {
          await image.decode();
        } catch {
          return "not shown";
        }
        const canvas = document.createElement("canvas").getContext("2d") as CanvasRenderingContext2D;
        canvas.drawImage(image, 0, 0);
        try {
          return canvas.getImageData(0, 0, 1, 1).data.length;
        } catch (error) {
          return (error as Error).name;
        }
      },
      [tile(), mode],
    );
  expect(await shown(null)).toBe("SecurityError");
  expect(await shown("anonymous")).toBe("not shown");
  expect(await shown("use-credentials")).toBe("not shown");
  await context.close();
});

test("a page of another site cannot log a reader in, nor hold the login in a frame", async () => {
  const target = `${images.url}/iiif/auth/login/termsOnly`;
  evilPages["/post"] =
    `<form method="post" action="${target}"></form><script>document.forms[0].submit()</script>`;
  evilPages["/frame"] = `<iframe src="${target}"></iframe>`;
  const { context, page } = await newBrowser();
  const [response] = await Promise.all([page.waitForResponse(target), page.goto(`${evil}/post`)]);
  expect(response.status()).toBe(403);
  await page.goto(`${evil}/frame`);
  const [, frame] = page.frames();
  expect(await frame?.locator("button").count()).toBe(0);
  expect(await cookieOf(context)).toBeUndefined();
  await context.close();
});

test("a token is posted to a page of the viewer that holds the token page itself, and to no other", async () => {
  const token = (origin: string) =>
    `${images.url}/iiif/auth/token?messageId=1&origin=${encodeURIComponent(origin)}`;
  const { context, page } = await newBrowser();
  await agree(page);
  /** Returns what pages at all depths receive from token pages that a page opens, in each of the ways. */
  const heard = async (place: string, urls: readonly string[], ways: readonly string[]) => {
    await page.goto(place);
    return page.evaluate(
      async ([urls, ways]) => {
        const messages: unknown[] = [];
        addEventListener("message", ({ data }) => messages.push(data));
        const hold = (set: (frame: HTMLIFrameElement) => void) =>
          new Promise<void>((resolve) => {
            const frame = document.createElement("iframe");
            frame.onload = () => resolve();
            set(frame);
            document.body.append(frame);
          });
        const relay = (url: string) =>
          `<script>addEventListener("message", ({ data }) => parent.postMessage(data, "*"))</script><iframe src="${url.replaceAll("&", "&amp;")}"></iframe>`;
        const act: Record<string, (url: string) => unknown> = {
          frame: (url) => hold((frame) => (frame.src = url)),
          sandboxed: (url) =>
            hold((frame) => {
              frame.setAttribute("sandbox", "allow-scripts");
              frame.src = url;
            }),
          "in a sandbox": (url) =>
            hold((frame) => {
              frame.setAttribute("sandbox", "allow-scripts");
              frame.srcdoc = relay(url);
            }),
          "in a document of data": (url) =>
            hold((frame) => (frame.src = `data:text/html,${encodeURIComponent(relay(url))}`)),
        };
        for (const way of ways) await Promise.all(urls.map((url) => act[way]?.(url)));
        // Messages posted earlier have arrived once this one has.
        const last = new Promise<void>((resolve) =>
          addEventListener("message", ({ data }) => data === "last" && resolve()),
        );
        await hold((frame) => (frame.srcdoc = `<script>parent.postMessage("last", "*")</script>`));
        await last;
        return messages.filter((each) => JSON.stringify(each).includes("accessToken")).length;
      },
      [urls, ways] as const,
    );
  };
  const own = [token(viewer)];
  expect(await heard(viewer, own, ["frame"])).toBe(1);
  expect(await heard(viewer, own, ["in a sandbox", "in a document of data"])).toBe(0);
  const all = [viewer, evil, images.url, "null", `${viewer}.evil.example`, "*"].map(token);
  expect(await heard(`${evil}/`, all, ["frame", "sandboxed", "in a sandbox", "in a document of data"])).toBe(
    0,
  );
  await context.close();
});

test("a page of another site that holds the viewer gets no token through it", async () => {
  const { context, page } = await newBrowser();
  evilPages["/holds"] = `<iframe src="${viewer}"></iframe>`;
  await agree(page);
  await page.goto(`${evil}/holds`);
  const held = page.frames().find((frame) => frame.url().startsWith(viewer));
  const url = `${images.url}/iiif/auth/token?messageId=1&origin=${encodeURIComponent(viewer)}`;
  const messages = await held?.evaluate(async (url) => {
    const messages: unknown[] = [];
    addEventListener("message", ({ data }) => messages.push(data));
    const frame = document.createElement("iframe");
    const loaded = new Promise((resolve) => (frame.onload = resolve));
    frame.src = url;
    document.body.append(frame);
    await loaded;
    return messages;
  }, url);
  expect(messages).toEqual([]);
  await context.close();
});

test("with two browsers sharing one cookie, a logout in either ends both, and tokens too", async () => {
  const [one, two] = [await newBrowser(), await newBrowser()];
  await agree(one.page);
  await two.context.addCookies([(await cookieOf(one.context))!]);
  await two.page.goto(`${images.url}/`);
  const { accessToken } = await two.page.evaluate(async () => (await fetch("/iiif/auth/v1/token")).json());
  const info = `${images.url}/iiif/3/termsOnly%2F1.png/info.json`;
  const withToken = () =>
    one.page.evaluate(
      async ([url, token]) =>
        (
          await fetch(url as string, {
            headers: { Authorization: `Bearer ${token}` },
            credentials: "omit",
          })
        ).status,
      [info, accessToken],
    );
  expect(await statusOf(two.page, tile())).toBe(200);
  await one.page.goto(`${images.url}/`);
  expect(await withToken()).toBe(200);
  await one.page.goto(`${images.url}/iiif/auth/logout`);
  await one.page.goto(`${images.url}/`);
  expect(await withToken()).toBe(401);
  expect(await statusOf(one.page, tile())).toBe(401);
  expect(await statusOf(two.page, tile("termsOnly", 41))).toBe(401);
  expect(await statusOf(two.page, tile())).toBe(401);
  for (const { context } of [one, two]) await context.close();
});

test("a cookie that was planted before a login is worth nothing after it", async () => {
  const [attacker, reader] = [await newBrowser(), await newBrowser()];
  await agree(attacker.page, "terms");
  const planted = await cookieOf(attacker.context);
  await reader.context.addCookies([planted!]);
  await agree(reader.page);
  expect((await cookieOf(reader.context))?.value).not.toBe(planted?.value);
  expect(await statusOf(reader.page, tile())).toBe(200);
  expect(await statusOf(attacker.page, tile())).toBe(401);
  for (const { context } of [attacker, reader]) await context.close();
});

test("a document of another site makes the bar of a viewer run no script and reveal no token", async () => {
  const { context, page } = await newBrowser();
  await agree(page);
  const own = `${images.url}/iiif/3/termsOnly%2F1.png/info.json`;
  const script = "javascript:void(top.ran = true)//";
  const theirs = `${images.url}/iiif/auth`;
  /** Services by the addresses of probe, login, tokens and logout. */
  const documents = [
    [`${collector}/probe`, `${theirs}/login/termsOnly`, `${theirs}/token`, `${theirs}/logout`],
    [`${collector}/probe`, `${theirs}/login/termsOnly`, script, `${theirs}/logout`],
    [script, `${theirs}/login/termsOnly`, script, `${theirs}/logout`],
    [`${collector}/probe`, script, `${collector}/token`, `${theirs}/logout`],
    [`${collector}/probe`, `${theirs}/login/termsOnly`, `${collector}/token`, script],
  ].map(([probe, login, tokens, logout]) => ({
    service: [
      {
        id: probe,
        type: "AuthProbeService2",
        service: [
          {
            id: login,
            type: "AuthAccessService2",
            label: { en: ["Log in"] },
            service: [
              { id: tokens, type: "AuthAccessTokenService2" },
              { id: logout, type: "AuthLogoutService2", label: { en: ["Log out"] } },
            ],
          },
        ],
      },
    ],
  }));
  collected.documents = documents;
  await page.goto(viewer);
  await page.addScriptTag({ type: "module", content: `${loginBarSource}\nwindow.loginBar = loginBar;` });
  await page.waitForFunction(() => "loginBar" in window);
  const quiet = quietOf(page);
  const states = await page.evaluate(
    async (addresses) => {
      const { loginBar } = window as unknown as {
        loginBar(element: Element, changed: () => void): { show(address: string): Promise<void> };
      };
      const states: string[] = [];
      for (const address of addresses) {
        const element = document.body.appendChild(document.createElement("div"));
        await loginBar(element, () => {}).show(address);
        const button = element.querySelector("button")!;
        states.push(element.hidden ? "hidden" : (button.textContent ?? ""));
        if (!element.hidden && states.length > 1) button.click();
      }
      return states;
    },
    [own, ...documents.map((_, n) => `${collector}/${n}/info.json`)],
  );
  await quiet();
  const seen = { states, ran: await page.evaluate(() => "ran" in window) };
  const logOut = `Log out (${new URL(images.url).host})`;
  expect(seen).toEqual({ states: [logOut, ...documents.map(() => "hidden")], ran: false });
  expect(collected.tokens).toEqual([]);
  await context.close();
});

test("requests during a logout leave nothing behind that opens an image", async () => {
  const { context, page } = await newBrowser();
  await agree(page);
  await page.goto(`${images.url}/`);
  const results = await page.evaluate(async () => {
    const status = async (width: number, headers = {}) =>
      (await fetch(`/iiif/3/termsOnly%2F1.png/full/${width},/0/default.jpg`, { headers })).status;
    const token = async () => (await (await fetch("/iiif/auth/v1/token")).json()).accessToken as string;
    const before = await token();
    const beside: Promise<unknown>[] = [];
    const tokens: Promise<string | undefined>[] = [];
    for (let i = 0; i < 20; i++) {
      beside.push(status(50 + i));
      tokens.push(token());
      if (i === 10) beside.push(fetch("/iiif/auth/logout", { method: "POST" }));
    }
    await Promise.all([...beside, ...tokens]);
    const issued = [before, ...(await Promise.all(tokens))].filter((each) => each !== undefined);
    const tried = issued.map((each, i) => status(80 + i, { Authorization: `Bearer ${each}` }));
    return { issued: issued.length, after: await Promise.all([status(79), ...tried]) };
  });
  expect(results.issued).toBeGreaterThan(0);
  expect(results.after.every((status) => status === 401)).toBe(true);
  expect(await cookieOf(context)).toBeUndefined();
  await context.close();
});

test("no way back after a login leads to another site", async () => {
  const { context, page } = await newBrowser();
  const before = evilVisits.length;
  const { host } = new URL(evil);
  const ways = [
    `${evil}/`,
    `//${host}/`,
    `/\\${host}/`,
    `\\\\${host}/`,
    `/\t/${host}/`,
    `\n//${host}/`,
    `http:${host}/`,
    `http:/\\${host}/`,
    `/./\\${host}/`,
    `/..//${host}/`,
    `${images.url}@${host}/`,
    `${viewer}@${host}/`,
    `javascript:location='${evil}/'`,
    `data:text/html,<script>location='${evil}/'</script>`,
  ];
  for (const way of ways) {
    await page.goto(`${images.url}/iiif/auth/login/termsOnly?return_to=${encodeURIComponent(way)}`);
    await Promise.all([page.waitForEvent("framenavigated"), page.click("button")]);
    await page.waitForLoadState();
    expect([way, new URL(page.url()).origin]).toEqual([way, images.url]);
  }
  expect(evilVisits.slice(before)).toEqual([]);
  await context.close();
});
