// The pages of /view in Chromium: both viewers show what an address or a content state names, and nothing
// comes from elsewhere.

import {
  copyFileSync,
  mkdirSync,
  mkdtempSync,
  readdirSync,
  readFileSync,
  rmSync,
  statSync,
  writeFileSync,
} from "node:fs";
import { createRequire } from "node:module";
import { tmpdir } from "node:os";
import { join } from "node:path";
import type { Browser, BrowserContextOptions, Page } from "playwright-core";
import sharp from "sharp";
import { afterAll, beforeAll, describe, expect, test } from "vitest";
import { encodeState } from "../../src/iiif/content-state/encode.ts";
import { type Built, buildProgram } from "../cli/built.ts";
import { fixturesFolder } from "../host.ts";
import { launch } from "./launching.ts";
import { drawFrames } from "./screen.ts";
import { chequered, seen } from "./viewers/picture.ts";

/** `secret`, by libxcrypt. */
const hash = "$2b$04$Xkp3ABVhFCWRnWTnZdVnVOrssyTXKBkR8ymWvhDrv.quIcpqbRo9G";
const colours = [
  [255, 140, 0],
  [0, 200, 120],
  [60, 120, 255],
] as const;

let built: Built;
let url: string;
let folder: string;
let browser: Browser;

beforeAll(async () => {
  folder = mkdtempSync(join(tmpdir(), "smalti-view-"));
  const masters = join(folder, "masters");
  mkdirSync(join(masters, "book"), { recursive: true });
  mkdirSync(join(folder, "states"));
  mkdirSync(join(masters, "staff"));
  mkdirSync(join(masters, "torn"));
  for (const [at, colour] of colours.entries()) {
    const picture = await chequered(colour);
    for (const name of ["book", "staff"]) writeFileSync(join(masters, name, `${at + 1}.png`), picture);
  }
  copyFileSync(join(fixturesFolder, "base.png"), join(masters, "torn", "1.png"));
  copyFileSync(join(fixturesFolder, "bad-trunc-50.jpg"), join(masters, "torn", "2.jpg"));
  const config = join(folder, "smalti.yaml");
  writeFileSync(
    config,
    `sources:
  - { name: open, type: filesystem, root: ${JSON.stringify(masters)} }
content_state: { store: { enabled: true, dir: ${JSON.stringify(join(folder, "states"))}, write_token: secret } }
auth:
  profiles:
    staff: { pattern: active, label: { en: [Reading room] }, heading: { en: [Reading room] }, description: { en: [For research.] }, confirm_label: Let me in, access_service: { backend: builtin, users: { ann: "${hash}" } } }
  rules:
    - { match: "staff/*", profile: staff }
presentation: { title: { en: [The archive], de: [Das Archiv] }, show_gated: locked }
`,
  );
  built = await buildProgram();
  url = (await built.serve(["-config", config])).url.replace("127.0.0.1", "localhost");
  browser = await launch();
});

afterAll(async () => {
  await browser?.close();
  built?.remove();
  rmSync(folder, { recursive: true, force: true });
});

interface Opened {
  readonly page: Page;
  /** Paths of all requests. */
  readonly asked: string[];
  /** Unexpected events: requests to other hosts, violations of the policy, errors. */
  readonly faults: string[];
}

async function open(path: string, options: BrowserContextOptions = {}): Promise<Opened> {
  const context = await browser.newContext({
    viewport: { width: 1280, height: 800 },
    locale: "en-GB",
    ...options,
  });
  const page = await context.newPage();
  const asked: string[] = [];
  const faults: string[] = [];
  page.on("request", (request) => {
    const { origin, pathname, protocol } = new URL(request.url());
    if (protocol.startsWith("http") && origin !== url) faults.push(`request ${request.url()}`);
    asked.push(pathname);
  });
  page.on("response", (response) => {
    if (response.status() >= 500) faults.push(`${response.status()} ${response.url()}`);
  });
  page.on("pageerror", (error) => faults.push(`error ${error.message}`));
  page.on("console", (message) => {
    if (message.text().startsWith("violated ")) faults.push(message.text());
  });
  await page.addInitScript(() =>
    addEventListener("securitypolicyviolation", ({ violatedDirective, blockedURI }) =>
      console.log(`violated ${violatedDirective} ${blockedURI}`),
    ),
  );
  await page.goto(url + path);
  return { page, asked, faults };
}

async function screenshot(page: Page, name: string): Promise<void> {
  if (process.env.SCREENSHOTS)
    await page.screenshot({ path: join(process.env.SCREENSHOTS, `view-${name}.png`) });
}

interface View {
  readonly canvasId?: string;
  readonly region?: readonly [x: number, y: number, width: number, height: number];
}

/** Returns what the viewer claims to show. */
const shown = (page: Page) =>
  page.evaluate(() => (globalThis as unknown as { shownView?: () => View }).shownView?.());

const book = () => `${url}/iiif/presentation/3/book`;
const canvas = (number: number) => `${book()}/canvas/${number}`;

/** Regions of tiles that were asked for of a page of the book. */
const tiles = (asked: readonly string[], number: number) =>
  asked.flatMap((path) => {
    const [, region] =
      new RegExp(`^/iiif/[23]/book%2F${number}\\.png/(\\d+,\\d+,\\d+,\\d+)/`).exec(path) ?? [];
    return region === undefined ? [] : [region.split(",").map(Number) as [number, number, number, number]];
  });

/** In the middle of the picture, so that the screen around it is no other part. */
const region = [608, 456, 256, 192] as const;
const centre = [608 + 128, 456 + 96] as const;

const detailed = () => ({
  id: `${canvas(2)}#xywh=${region.join(",")}`,
  type: "Canvas",
  partOf: [{ id: book(), type: "Manifest" }],
});

/** OpenSeadragon in Mirador's windows. */
interface Windows {
  readonly refs: Readonly<Record<string, { readonly current: OpenSeadragon }>>;
}
interface OpenSeadragon {
  readonly viewport: { goHome(): void };
  addOnceHandler(event: "animation-finish", handler: () => void): void;
}

interface Viewer {
  turn(page: Page): Promise<void>;
  /** Does what opens the window of a login. */
  offer(page: Page): Promise<void>;
  /** Name of the button that turns the page. */
  readonly next: string;
}

const viewers: Readonly<Record<string, Viewer>> = {
  mirador: {
    turn: (page) => page.getByRole("button", { name: "Next item" }).click(),
    async offer(page) {
      await page.getByText("Continue", { exact: true }).click();
      await page.getByRole("button", { name: "Let me in" }).click();
    },
    next: "Next item",
  },
  uv: {
    turn: (page) => page.locator("button.next").filter({ visible: true }).first().click(),
    offer: (page) => page.getByText("Let me in").filter({ visible: true }).click(),
    next: "Next Image",
  },
};

describe.each(Object.entries(viewers))("%s", (viewer, { turn, offer, next }) => {
  const at = (path: string) => `${path}${path.includes("?") ? "&" : "?"}viewer=${viewer}`;

  test.each([
    ["a manifest", (): string => "/view/book", 1],
    ["a canvas", (): string => "/view/book/canvas/2", 2],
    [
      "an encoded state of a manifest",
      () => `/view/?iiif-content=${encodeState({ id: book(), type: "Manifest" })}`,
      1,
    ],
    [
      "an encoded state of a canvas",
      () =>
        `/view/?iiif-content=${encodeState({ id: canvas(3), type: "Canvas", partOf: [{ id: book(), type: "Manifest" }] })}`,
      3,
    ],
  ] as const)("shows %s, whole", async (_, path, number) => {
    const { page, asked, faults } = await open(at(path()));
    await expect.poll(() => shown(page)).toEqual({ canvasId: canvas(number) });
    await expect
      .poll(() =>
        asked.some(
          (each) =>
            each.startsWith(`/iiif/3/book%2F${number}.png/`) ||
            each.startsWith(`/iiif/2/book%2F${number}.png/`),
        ),
      )
      .toBe(true);
    await expect.poll(async () => seen(await page.screenshot())).not.toBe("nothing");
    expect(faults).toEqual([]);
    await page.context().close();
  });

  test("says that a picture is damaged in part while it is on screen", async () => {
    const { page, faults } = await open(at("/view/torn"), { locale: "de" });
    const at1 = `${url}/iiif/presentation/3/torn/canvas/1`;
    await expect.poll(() => shown(page)).toMatchObject({ canvasId: at1 });
    const notice = page.locator("#damaged");
    expect(await notice.isVisible()).toBe(false);
    await page.goto(url + at("/view/torn/canvas/2"));
    await expect.poll(() => notice.isVisible()).toBe(true);
    expect(await notice.textContent()).toContain("zum Teil beschädigt");
    await expect
      .poll(() => shown(page))
      .toMatchObject({ canvasId: `${url}/iiif/presentation/3/torn/canvas/2` });
    expect(await notice.isVisible()).toBe(true);
    await screenshot(page, `damaged-${viewer}`);
    expect(faults).toEqual([]);
    await page.context().close();
  });

  test("says so too once the reader turns to such a picture", async () => {
    const { page } = await open(at("/view/torn"));
    const canvasAt = (number: number) => `${url}/iiif/presentation/3/torn/canvas/${number}`;
    await expect.poll(() => shown(page)).toMatchObject({ canvasId: canvasAt(1) });
    await turn(page);
    await expect.poll(() => page.locator("#damaged").isVisible()).toBe(true);
    await page.context().close();
  });

  test.each([
    ["an encoded state", async () => `/view/?iiif-content=${encodeState(detailed())}`],
    [
      "a state that the service keeps",
      async () => {
        const kept = await fetch(`${url}/content-state`, {
          method: "POST",
          headers: { "Content-Type": "application/json", Authorization: "Bearer secret" },
          body: JSON.stringify(detailed()),
        });
        const { uri } = (await kept.json()) as { uri: string };
        return `/view/?iiif-content=${encodeURIComponent(uri)}`;
      },
    ],
  ] as const)("shows the region of %s, of which tiles arrive", async (name, path) => {
    const { page, asked, faults } = await open(at(await path()));
    await expect
      .poll(async () => {
        const view = await shown(page);
        const [x, y, w, h] = view?.region ?? [0, 0, 0, 0];
        const covers = x <= region[0] + 2 && y <= region[1] + 2 && x + w >= 862 && y + h >= 646;
        const isCentred = Math.abs(x + w / 2 - centre[0]) < 4 && Math.abs(y + h / 2 - centre[1]) < 4;
        // It fills the screen one way.
        const fits = w < region[2] * 1.1 || h < region[3] * 1.1;
        return { canvasId: view?.canvasId, covers, isCentred, fits };
      })
      .toEqual({ canvasId: canvas(2), covers: true, isCentred: true, fits: true });
    const isOverCentre = ([x = 0, y = 0, w = 0, h = 0]: readonly number[]) =>
      x <= centre[0] && y <= centre[1] && x + w > centre[0] && y + h > centre[1];
    await expect.poll(() => tiles(asked, 2).some(isOverCentre)).toBe(true);
    expect([tiles(asked, 1), tiles(asked, 3)]).toEqual([[], []]);
    expect(faults).toEqual([]);
    await screenshot(page, `${viewer}-${name.replaceAll(" ", "-")}`);
    await page.context().close();
  });

  test("turns the page, and a link to the view then leads back to it", async () => {
    const { page, faults } = await open(at("/view/book"));
    await expect.poll(() => shown(page)).toEqual({ canvasId: canvas(1) });
    await turn(page);
    await expect.poll(async () => (await shown(page))?.canvasId).toBe(canvas(2));
    await page.click("#share-open");
    expect(await page.isChecked('[name="extent"][value="item"]')).toBe(true);
    await page.check('[value="page"]');
    const link = await page.inputValue("#share-link");
    expect(JSON.parse(await page.inputValue("#share-state"))).toMatchObject({
      id: canvas(2),
      type: "Canvas",
    });
    expect(await page.inputValue("#share-embed")).toMatch(/^<iframe src="[^"]+&#38;embed=1"/);
    await page.keyboard.press("Escape");
    // A choice is for one link.
    await page.click("#share-open");
    expect(await page.isChecked('[name="extent"][value="item"]')).toBe(true);
    await page.keyboard.press("Escape");
    await page.goto(`${link}&viewer=${viewer}`);
    await expect.poll(async () => (await shown(page))?.canvasId).toBe(canvas(2));
    expect(faults).toEqual([]);
    await page.context().close();
  });

  test("lets the other viewer open with the same region", async () => {
    const { page } = await open(at(`/view/?iiif-content=${encodeState(detailed())}`));
    await expect.poll(async () => (await shown(page))?.region?.length).toBe(4);
    const before = await shown(page);
    await page.click("#share-open");
    expect(await page.isChecked('[name="extent"][value="view"]')).toBe(true);
    expect(JSON.parse(await page.inputValue("#share-state"))).toMatchObject({
      id: `${canvas(2)}#xywh=${before?.region?.join(",")}`,
    });
    await page.keyboard.press("Escape");
    await page.click("#change");
    await page.waitForURL((to) => !to.href.includes(`viewer=${viewer}`));
    const middle = (view?: View) => {
      const [x, y, w, h] = view?.region ?? [0, 0, 0, 0];
      return [Math.round((x + w / 2) / 10), Math.round((y + h / 2) / 10)];
    };
    await expect.poll(async () => middle(await shown(page))).toEqual(middle(before));
    await page.context().close();
  });

  test("is reachable by the keyboard, including all of the bar", async () => {
    const { page } = await open(at("/view/book"));
    await page
      .locator(`[aria-label="${next}"], [title="${next}"]`)
      .filter({ visible: true })
      .first()
      .waitFor();
    const names = new Set<string>();
    for (let n = 0; n < 80 && !(names.has("Share") && names.has(next)); n++) {
      await page.keyboard.press("Tab");
      names.add(
        await page.evaluate(() => {
          const { activeElement: on } = document;
          return on?.getAttribute("aria-label") ?? on?.getAttribute("title") ?? on?.textContent?.trim() ?? "";
        }),
      );
    }
    for (const name of ["Share", "Download", "Manifest", next]) expect([...names]).toContain(name);
    expect([...names].some((name) => name.startsWith("IIIF: "))).toBe(true);
    expect([...names].some((name) => name.startsWith("Open in "))).toBe(true);
    await page.focus("#share-open");
    await page.keyboard.press("Enter");
    expect(await page.evaluate(() => document.activeElement?.closest("dialog")?.id)).toBe("share");
    await page.keyboard.press("Escape");
    expect(await page.evaluate(() => document.activeElement?.id)).toBe("share-open");
    await page.context().close();
  });

  test("fits into 400 pixels, with all of the bar on screen", async () => {
    const { page } = await open(at("/view/book"), { viewport: { width: 400, height: 800 } });
    await expect.poll(async () => seen(await page.screenshot())).not.toBe("nothing");
    expect(await page.evaluate(() => document.documentElement.scrollWidth)).toBeLessThanOrEqual(400);
    for (const act of await page.locator(".bar .act").all()) {
      const box = await act.boundingBox();
      expect(box && box.x >= 0 && box.x + box.width <= 400 && box.height >= 24).toBe(true);
    }
    await screenshot(page, `${viewer}-400`);
    await page.context().close();
  });

  test("logs in at a gated item, shows its other pages too, and logs out", async () => {
    const { page, faults } = await open(at("/view/staff"));
    const shows = (expected: string) =>
      expect.poll(async () => seen(await page.screenshot()), { interval: 250 }).toBe(expected);
    const [popup] = await Promise.all([page.waitForEvent("popup"), offer(page)]);
    await shows("nothing");
    const closed = popup.waitForEvent("close");
    await popup.fill("#username", "ann");
    await popup.fill("#password", "secret");
    // The window may close while the click is still being waited for.
    await popup.click("button").catch(() => {});
    await closed;
    await shows("full");
    const broken = () =>
      page.evaluate(
        () =>
          [...document.querySelectorAll<HTMLImageElement>("#viewer img[src*='/iiif/']")].filter(
            ({ complete, naturalWidth, offsetParent }) => offsetParent && (!complete || naturalWidth === 0),
          ).length,
      );
    await expect.poll(broken).toBe(0);
    await screenshot(page, `${viewer}-logged-in`);
    await page.click("#download-open");
    await page.locator("#downloads a").first().waitFor();
    await page.keyboard.press("Escape");
    await turn(page);
    await expect.poll(async () => (await shown(page))?.canvasId).toMatch(/canvas\/2$/);
    await shows("full");
    const [goodbye] = await Promise.all([
      page.waitForEvent("popup"),
      page.getByRole("button", { name: "Log out" }).click(),
    ]);
    await goodbye.getByText("You are logged out").waitFor();
    await goodbye.close();
    await shows("nothing");
    expect(faults).toEqual([]);
    await page.context().close();
  });
});

async function sizeOf(bytes: Buffer) {
  const { format, width, height } = await sharp(bytes).metadata();
  return { format, width, height };
}

describe.each(Object.keys(viewers))("downloads in %s", (viewer) => {
  const start = async (path: string) => {
    const { page, faults } = await open(path);
    await expect.poll(async () => (await shown(page))?.canvasId).toMatch(/canvas\/2$/);
    await expect.poll(async () => (await shown(page))?.region?.length).toBe(4);
    await page.click("#download-open");
    await page.locator("#downloads a").first().waitFor();
    return { page, faults };
  };
  const save = async (page: Page, link: ReturnType<Page["locator"]>) => {
    const [download] = await Promise.all([page.waitForEvent("download"), link.click()]);
    return { name: download.suggestedFilename(), bytes: readFileSync(await download.path()) };
  };

  test("a page and the detail on screen are saved at several sizes, named by the item and the page", async () => {
    const { page, faults } = await start(`/view/?iiif-content=${encodeState(detailed())}&viewer=${viewer}`);
    const [detail, whole] = await page.locator("#downloads section").all();
    if (!detail || !whole) throw new Error("The dialogue has no two sections.");
    expect(await detail.locator("h3").textContent()).toBe("This view");
    expect(await whole.locator("h3").textContent()).toBe("This page");
    await screenshot(page, `${viewer}-download`);

    const picture = await save(page, whole.locator("a").first());
    expect(picture.name).toBe("book, 2 1600x1200.jpg");
    expect(await sizeOf(picture.bytes)).toEqual({ format: "jpeg", width: 1600, height: 1200 });
    const smaller = await save(page, whole.locator("a").nth(1));
    expect(await sizeOf(smaller.bytes)).toEqual({ format: "jpeg", width: 800, height: 600 });

    await page.selectOption("#download-format", "png");
    const part = await save(page, detail.locator("a").first());
    const [, x, y, w, h] =
      /^book, 2 \((\d+)-(\d+)-(\d+)-(\d+)\) \d+x\d+\.png$/.exec(part.name)?.map(Number) ?? [];
    // The screen has another shape than the region of the link.
    expect([x, y].map((side, at) => side !== undefined && side <= (region[at] ?? 0))).toEqual([true, true]);
    expect(await sizeOf(part.bytes)).toEqual({ format: "png", width: w, height: h });
    expect(await page.locator("#download-text").textContent()).toBe("");
    expect(faults).toEqual([]);
    await page.context().close();
  });

  test("if a picture cannot be had, no file is saved, and the dialogue says why", async () => {
    const { page } = await start(`/view/?iiif-content=${encodeState(detailed())}&viewer=${viewer}`);
    await page.route("**/full/max/0/default.jpg", (route) =>
      route.fulfill({ status: 503, json: { detail: "Too many requests wait." } }),
    );
    let saved = 0;
    page.on("download", () => saved++);
    await page.locator("#downloads section", { hasText: "This page" }).locator("a").first().click();
    await page.getByText("The picture could not be fetched. Too many requests wait.").waitFor();
    expect(saved).toBe(0);
    await page.context().close();
  });
});

test.each([1280, 400])(
  "Universal Viewer keeps to the policy in its dialogues, at %s pixels",
  async (width) => {
    const { page, faults } = await open("/view/book?viewer=uv", { viewport: { width, height: 800 } });
    await expect.poll(async () => seen(await page.screenshot())).not.toBe("nothing");
    let opened = 0;
    for (const act of [
      "settings",
      "gallery",
      "download",
      "moreInfo",
      "toggleLeftPanelButton",
      "adjustImage",
    ]) {
      const button = page.locator(`#viewer button.${act}`).filter({ visible: true }).first();
      if (!(await button.isVisible())) continue;
      // Beneath a dialogue that is still open, too.
      await button.dispatchEvent("click");
      opened++;
      await drawFrames(page, 20);
      await page.keyboard.press("Escape");
    }
    expect(opened).toBeGreaterThanOrEqual(3);
    expect(faults).toEqual([]);
    await page.context().close();
  },
);

test("the region of a link is shown again if Mirador goes back to the whole page, until the reader moves", async () => {
  const { page } = await open(`/view/?iiif-content=${encodeState(detailed())}&viewer=mirador`);
  // As OpenSeadragon does when it adds the first image. Resolves when the store knows.
  const goHome = () =>
    page.evaluate(() => {
      const { OSDReferences } = (globalThis as unknown as { Mirador: { OSDReferences: Windows } }).Mirador;
      const [window] = Object.values(OSDReferences.refs);
      return new Promise<void>((resolve) => {
        window?.current.addOnceHandler("animation-finish", () => resolve());
        window?.current.viewport.goHome();
      });
    });
  const centred = async () => {
    const [x, y, w, h] = (await shown(page))?.region ?? [0, 0, 0, 0];
    return Math.abs(x + w / 2 - centre[0]) < 4 && Math.abs(y + h / 2 - centre[1]) < 4;
  };
  await expect.poll(centred).toBe(true);
  await goHome();
  await expect.poll(centred).toBe(true);
  await page.mouse.move(400, 300);
  await page.mouse.wheel(0, -100);
  await goHome();
  await expect.poll(async () => (await shown(page))?.region).toBeUndefined();
  await page.context().close();
});

test("the bundle is under 27.5 MB without viewers and documentation, and under 38.5 MB with them", () => {
  const sizes = { viewers: 0, docs: 0, rest: 0 };
  for (const name of readdirSync(built.dist, { recursive: true }) as string[]) {
    const facts = statSync(join(built.dist, name));
    const isViewer = /^static\/viewer\/\w+-\d/.test(name);
    const part = isViewer ? "viewers" : name.startsWith("static/docs/") ? "docs" : "rest";
    if (facts.isFile()) sizes[part] += facts.size;
  }
  expect(sizes.viewers).toBeGreaterThan(4e6);
  expect(sizes.docs).toBeLessThan(3e6);
  expect(sizes.rest).toBeLessThan(27.5e6);
  expect(sizes.rest + sizes.docs + sizes.viewers).toBeLessThan(38.5e6);
});

test("from a viewer a reader gets back to the front page, logs in there and sees what is locked", async () => {
  const { page, faults } = await open("/view/book", { locale: "de" });
  await page.locator(".bar > a").click();
  expect(await page.title()).toBe("Das Archiv");
  expect(await page.getByRole("searchbox").isVisible()).toBe(true);
  const folder = page.locator(".folders li", { hasText: "staff" });
  expect(await folder.textContent()).toContain("Reading room");
  expect(await folder.locator("img").count()).toBe(0);
  await page.locator("header").getByRole("link", { name: "Anmelden" }).focus();
  await page.keyboard.press("Enter");
  await page.fill("#username", "ann");
  await page.fill("#password", "secret");
  await page.getByRole("button", { name: "Let me in" }).click();
  await page.waitForURL(/\/(view\/)?$/);
  expect(await page.title()).toBe("Das Archiv");
  await expect.poll(() => folder.locator("img").count()).toBe(1);
  await folder.getByRole("link").click();
  expect(await page.locator(".strip .picture").count()).toBe(3);
  await page.getByRole("link", { name: "Abmelden" }).click();
  await expect.poll(() => page.locator(".closed").isVisible()).toBe(true);
  expect(await page.locator(".closed").textContent()).toContain("Reading room");
  expect(faults).toEqual([]);
  await page.context().close();
});

describe("axe", () => {
  const axe = readFileSync(createRequire(import.meta.url).resolve("axe-core/axe.min.js"), "utf8");

  test.each([
    ["/view/book", "light", ""],
    ["/view/book", "dark", ""],
    ["/view/book", "light", "#share-open"],
    ["/view/book", "dark", "#download-open"],
    ["/view/book?viewer=uv", "light", ""],
    ["/view/", "light", ""],
    ["/view/", "dark", ""],
    ["/?in=staff", "light", ""],
    ["/?in=staff", "dark", ""],
    ["/?q=staff", "dark", ""],
    ["/view/nothing", "dark", ""],
  ] as const)("finds nothing serious on %s, %s %s", async (path, colorScheme, act) => {
    const { page } = await open(path, { colorScheme });
    if (path.startsWith("/view/book"))
      await expect.poll(async () => (await shown(page))?.canvasId).toBeDefined();
    if (act) await page.click(act);
    await page.evaluate(axe);
    const found = await page.evaluate(async () => {
      const { violations } = await (
        globalThis as unknown as {
          axe: { run(): Promise<{ violations: { id: string; impact: string }[] }> };
        }
      ).axe.run();
      return violations
        .filter(({ impact }) => impact === "serious" || impact === "critical")
        .map(({ id }) => id);
    });
    expect(found).toEqual([]);
    await page.context().close();
  });
});

test("the page has the image without scripts, and says so if the viewer does not load", async () => {
  const { page: plain } = await open("/view/book/canvas/2", { javaScriptEnabled: false });
  await expect.poll(async () => seen(await plain.screenshot())).not.toBe("nothing");
  await plain.getByRole("link", { name: "Next" }).click();
  expect(plain.url()).toBe(`${url}/view/book/canvas/3`);
  await plain.context().close();

  const context = await browser.newContext();
  const page = await context.newPage();
  await page.route("**/mirador.min.js", (route) => route.abort());
  await page.goto(`${url}/view/book`);
  await page.getByRole("alert").getByRole("link").waitFor();
  await context.close();
});
