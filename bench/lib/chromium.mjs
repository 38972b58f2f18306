// Playwright's Chromium, from the packages of the browser tests, for scripts that look at pages.

import { createRequire } from "node:module";
import { installPackages } from "../../scripts/packages.mjs";

installPackages("test/browser");

export const { chromium } = createRequire(new URL("../../test/browser/package.json", import.meta.url))(
  "playwright-core",
);
