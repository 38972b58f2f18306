// The Chromium of this machine, and how it is started for tests: without a network of its own.

import { existsSync, mkdirSync, mkdtempSync, writeFileSync } from "node:fs";
import { join } from "node:path";
import { type BrowserContext, chromium } from "playwright-core";

const program = ["/usr/bin/chromium", "/usr/bin/chromium-browser", "/usr/bin/google-chrome"].find((path) =>
  existsSync(path),
);

/** Options of `chromium.launch`; nothing is asked of hosts that a test did not name. */
export const launching = {
  executablePath: program ?? "chromium",
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

/** A browser that sends the cookies of third parties, as the settings of its profile in a new folder say; private windows never do. */
export function launchWithForeignCookies(folder: string): Promise<BrowserContext> {
  const profile = mkdtempSync(join(folder, "profile-"));
  mkdirSync(join(profile, "Default"));
  const preferences = { profile: { cookie_controls_mode: 0, block_third_party_cookies: false } };
  writeFileSync(join(profile, "Default/Preferences"), JSON.stringify(preferences));
  return chromium.launchPersistentContext(profile, { ...launching, locale: "en-GB" });
}
