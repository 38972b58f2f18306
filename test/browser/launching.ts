// The Chromium of this machine, started for tests without a network.

import { existsSync, mkdirSync, mkdtempSync, writeFileSync } from "node:fs";
import { join } from "node:path";
import { type Browser, type BrowserContext, chromium } from "playwright-core";
import { hang } from "../limits.ts";

const inFolder = (name: string) => `/usr/bin/${name}`;
const windowed = ["chromium", "chromium-browser", "google-chrome"].map(inFolder).find(existsSync);

/** Options of `chromium.launch`; nothing is asked of hosts that a test did not name. */
const options = {
  timeout: hang,
  args: [
    "--no-sandbox",
    "--disable-gpu",
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

/** Starts Chromium. Its pages wait for what a test expects as long as a busy machine needs. */
export async function launch(options = launching): Promise<Browser> {
  const browser = await chromium.launch(options);
  const newContext = browser.newContext.bind(browser);
  // Browser.newPage calls it too.
  browser.newContext = async (...given) => {
    const context = await newContext(...given);
    context.setDefaultTimeout(hang);
    return context;
  };
  return browser;
}

/** A browser that sends the cookies of third parties. */
export interface OpenBrowser {
  /** A window with an empty cookie jar. */
  newContext(): Promise<BrowserContext>;
  close(): Promise<void>;
}

const locale = "en-GB";

/**
 * Starts Chromium with third-party cookies. The headless shell always sends them; full Chromium sends them if
 * its profile's settings allow it, so each context has a new profile folder: private windows never send them.
 */
export async function launchWithForeignCookies(folder: string): Promise<OpenBrowser> {
  if (launching !== whole) {
    const browser = await launch();
    return { newContext: () => browser.newContext({ locale }), close: () => browser.close() };
  }
  const contexts: BrowserContext[] = [];
  return {
    async newContext() {
      const profile = mkdtempSync(join(folder, "profile-"));
      mkdirSync(join(profile, "Default"));
      const preferences = { profile: { cookie_controls_mode: 0, block_third_party_cookies: false } };
      writeFileSync(join(profile, "Default/Preferences"), JSON.stringify(preferences));
      const context = await chromium.launchPersistentContext(profile, { ...whole, locale });
      context.setDefaultTimeout(hang);
      contexts.push(context);
      return context;
    },
    async close() {
      await Promise.all(contexts.map((context) => context.close()));
    },
  };
}
