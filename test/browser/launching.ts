// The Chromium of this machine, started for tests without a network.

import { existsSync, mkdirSync, mkdtempSync, writeFileSync } from "node:fs";
import { join } from "node:path";
import {
  type Browser,
  type BrowserContext,
  type BrowserContextOptions,
  chromium,
  type Page,
} from "playwright-core";

const inFolder = (name: string) => `/usr/bin/${name}`;
const windowed = ["chromium", "chromium-browser", "google-chrome"].map(inFolder).find(existsSync);

/** Options of `chromium.launch`; nothing is asked of hosts that a test did not name. */
const options = {
  args: [
    "--no-sandbox",
    "--disable-gpu",
    // Without a GPU, WebGL is drawn in software, which took half of the CPU. Without WebGL, viewers draw on a
    // 2D canvas.
    "--disable-3d-apis",
    "--disable-quic",
    "--no-first-run",
    "--disable-background-networking",
    "--disable-component-update",
    "--disable-sync",
  ],
};

/** All of Chromium, with the settings of a profile. */
export const whole = { ...options, executablePath: windowed ?? "chromium" };

/**
 * Options of `chromium.launch`: the pages without windows around them, if that is installed, which takes a
 * third of the work.
 */
const shell = inFolder("chromium-headless-shell");
export const launching = existsSync(shell) ? { ...options, executablePath: shell } : whole;

/** Milliseconds until a window that waits for a page gives up: it hangs. */
const patience = 300_000;

let running: Browser | undefined;

/**
 * Opens a window with an empty cookie jar in the Chromium of this process, which ends with the process: the
 * files of a worker share it. Pages that can do without motion have none.
 */
export async function newContext(options: BrowserContextOptions = {}): Promise<BrowserContext> {
  if (!running?.isConnected()) running = await chromium.launch(launching);
  const context = await running.newContext({ reducedMotion: "reduce", ...options });
  context.setDefaultTimeout(patience);
  return context;
}

/** Opens a page in a new window, which closes with it. */
export async function newPage(options?: BrowserContextOptions): Promise<Page> {
  const context = await newContext(options);
  const page = await context.newPage();
  page.once("close", () => context.close());
  return page;
}

/** Closes all windows that `newContext` has opened: each file does so at its end. */
export async function closeContexts(): Promise<void> {
  await Promise.all((running?.contexts() ?? []).map((context) => context.close()));
}

/** A browser that sends the cookies of third parties. */
export interface OpenBrowser {
  /** A window with an empty cookie jar. */
  newContext(): Promise<BrowserContext>;
  close(): Promise<void>;
}

const locale = "en-GB";

/**
 * Windows with third-party cookies. The headless shell always sends them; full Chromium sends them if its
 * profile's settings allow it, so each context has a new profile folder: private windows never send them.
 */
export async function launchWithForeignCookies(folder: string): Promise<OpenBrowser> {
  if (launching !== whole) return { newContext: () => newContext({ locale }), close: closeContexts };
  const contexts: BrowserContext[] = [];
  return {
    async newContext() {
      const profile = mkdtempSync(join(folder, "profile-"));
      mkdirSync(join(profile, "Default"));
      const preferences = { profile: { cookie_controls_mode: 0, block_third_party_cookies: false } };
      writeFileSync(join(profile, "Default/Preferences"), JSON.stringify(preferences));
      const context = await chromium.launchPersistentContext(profile, {
        ...whole,
        locale,
        reducedMotion: "reduce",
      });
      context.setDefaultTimeout(patience);
      contexts.push(context);
      return context;
    },
    async close() {
      await Promise.all(contexts.map((context) => context.close()));
    },
  };
}
