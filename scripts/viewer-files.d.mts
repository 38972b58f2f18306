// Types of viewer-files.mjs, for its tests.

import type { BundledPackage } from "./bundle-contents.d.mts";

/** The packages that are vendored, with their folders. */
export const viewerPackages: readonly BundledPackage[];

/** Throws if the files below `at`, by default the project, are not exactly those of the manifest. */
export function checkViewers(at?: string): void;

/** What the files of each package say of the software that is bundled in them. */
export function viewerNotices(): Record<string, string[]>;
