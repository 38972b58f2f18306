// Foreign IIIF clients, each as published and on a site of another origin, against the built program: a
// manifest, a collection, odd names, and images behind a login.

import { execFile } from "node:child_process";
import { mkdtempSync, rmSync } from "node:fs";
import { tmpdir } from "node:os";
import { join } from "node:path";
import { fileURLToPath } from "node:url";
import { promisify } from "node:util";
import type { Page } from "playwright-core";
import sharp from "sharp";
import { afterAll, beforeAll, describe, expect, test } from "vitest";
import { launchWithForeignCookies, type OpenBrowser } from "../launching.ts";
import { type Colour, folders, type Service, startService } from "./service.ts";
import { type ClientPage, type ClientSite, clientSite } from "./site.ts";

let folder: string;
let site: ClientSite;
let service: Service;
/** A service with `login_services: images`, which Mirador 3 needs. */
let atImages: Service;
let browser: OpenBrowser;

beforeAll(async () => {
  folder = mkdtempSync(join(tmpdir(), "smalti-clients-"));
  site = await clientSite();
  service = await startService(folder, site.origin);
  atImages = await startService(join(folder, "at-images"), site.origin, "images");
  browser = await launchWithForeignCookies(folder);
});

afterAll(async () => {
  await browser?.close();
  service?.close();
  atImages?.close();
  site?.close();
  rmSync(folder, { recursive: true, force: true });
});

/** Opens the page of a client in a fresh context, calls `act`, and closes it. */
async function open(client: ClientPage, of: string, act: (page: Page) => Promise<void>): Promise<void> {
  const context = await browser.newContext();
  const page = await context.newPage();
  await page.setViewportSize({ width: 1000, height: 700 });
  await page.goto(site.address(client, of));
  try {
    await act(page);
  } finally {
    if (process.env.SCREENSHOTS)
      await page.screenshot({
        path: join(process.env.SCREENSHOTS, `${client}-${new URL(of).pathname.replace(/\W+/g, "-")}.png`),
      });
    await context.close();
  }
}

/** Returns the share of a page that is of a colour, which pictures have and clients do not. */
async function shareOf(page: Page, [red, green, blue]: Colour): Promise<number> {
  const { data, info } = await sharp(await page.screenshot())
    .removeAlpha()
    .raw()
    .toBuffer({ resolveWithObject: true });
  let seen = 0;
  for (let i = 0; i < data.length; i += 3)
    if (Math.abs(data[i]! - red) + Math.abs(data[i + 1]! - green) + Math.abs(data[i + 2]! - blue) <= 12)
      seen++;
  return seen / (info.width * info.height);
}

/** Waits until a tenth of the page, or another share, shows a colour: more than a thumbnail. */
const expectPicture = (page: Page, colour: Colour, share = 0.1) =>
  expect.poll(() => shareOf(page, colour)).toBeGreaterThan(share);

const [orange] = Object.values(folders.plain.pictures);
const manifestClients = ["mirador-3", "mirador-4", "uv", "clover", "tify", "vault"] as const;
const imageClients = ["openseadragon", "openlayers", "leaflet"] as const;

describe.each(manifestClients)("%s", (client) => {
  test.each(["plain", "odd"] as const)("shows the first picture of the manifest: %s names", (name) =>
    open(client, service.document(folders[name].path), (page) => expectPicture(page, orange!)),
  );

  test("shows the reduced picture of a manifest behind a login, or why there is none", () => {
    const { document } = client === "mirador-3" ? atImages : service;
    return open(client, document(folders.gated.path), async (page) => {
      // It asks the probe first, and never shows a substitute.
      if (client === "vault") await page.getByText("Please come in").waitFor();
      else await expectPicture(page, orange!);
    });
  });
});

describe.each(["mirador-3", "mirador-4", "uv", "clover", "tify"] as const)("%s", (client) => {
  test("shows a collection: its parts by name, or the first picture below it", () =>
    open(client, service.document("shelf"), async (page) => {
      const seen = async () =>
        (await page.getByText("two", { exact: true }).filter({ visible: true }).count()) > 0 ||
        (await shareOf(page, orange!)) > 0.1;
      // By the keyboard: the list of settings may cover it for a moment, or for good. Mirador 4 sometimes
      // opens the collection by itself, and then has no button.
      const button = page.getByRole("button", { name: "Show collection" }).filter({ visible: true });
      const opened = async () => {
        if (await seen()) return true;
        if (client === "mirador-4" && (await button.count()) > 0) await button.first().press("Enter");
        return seen();
      };
      await expect.poll(opened).toBe(true);
    }));
});

describe.each(imageClients)("%s", (client) => {
  test.each(["plain", "odd", "gated"] as const)("shows an image: %s", (name) => {
    const { pictures } = folders[name];
    return open(client, service.image(folders[name], Object.keys(pictures)[0]!), (page) =>
      // a substitute of 100 by 75 pixels may be shown as it is
      expectPicture(page, orange!, name === "gated" ? 0.008 : 0.1),
    );
  });

  test("shows a gated image by a signed link, with each of its tiles", async () => {
    const address = await service.signed(folders.gated, "1.png", 800);
    const context = await browser.newContext();
    const page = await context.newPage();
    const failed: string[] = [];
    let tiles = 0;
    page.on("response", (response) => {
      if (!response.url().startsWith(`${service.url}/`)) return;
      if (response.status() >= 400 || !response.url().startsWith(address)) failed.push(response.url());
      if (response.url().endsWith(".jpg")) tiles++;
    });
    await page.goto(site.address(client, address));
    await expectPicture(page, orange!);
    expect([failed, tiles > 0]).toEqual([[], true]);
    await context.close();
  });
});

const libraries = fileURLToPath(new URL("libraries.mjs", import.meta.url));
const run = promisify(execFile);

interface Found {
  readonly type: string;
  readonly id: string;
  readonly label?: string;
  readonly canvases?: readonly { readonly id: string; readonly image: string; readonly width: number }[];
  readonly members?: readonly { readonly id: string; readonly type: string }[];
}

const readBy = async (library: string, address: string): Promise<Found> =>
  JSON.parse((await run(process.execPath, [libraries, library, address])).stdout);

describe.each(["manifesto", "vault", "cozy"])("the library %s", (library) => {
  test.each(["plain", "odd", "gated"] as const)(
    "reads a manifest under the address that it asked: %s",
    async (name) => {
      const { path, pictures } = folders[name];
      const address = service.document(path);
      const found = await readBy(library, address);
      expect(found).toMatchObject({ type: "Manifest", id: address, label: path });
      expect(found.canvases?.map(({ width }) => width)).toEqual(Object.keys(pictures).map(() => 1600));
      for (const { id, image } of found.canvases ?? []) {
        expect(id.startsWith(`${address}/canvas/`)).toBe(true);
        const service = image.replace(/\/full\/.*$/, "");
        expect((await fetch(`${service}/info.json`)).status).toBe(200);
      }
    },
  );

  test("reads a collection and the manifests that it lists", async () => {
    const address = service.document("shelf");
    const { type, id, members } = await readBy(library, address);
    expect({ type, id }).toEqual({ type: "Collection", id: address });
    expect(members?.map((member) => member.id)).toEqual([`${address}/one`, `${address}/two`]);
    for (const member of members ?? []) expect((await readBy(library, member.id)).canvases).toHaveLength(1);
  });
});
