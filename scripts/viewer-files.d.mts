// Types of viewer-files.mjs, for its tests.

/** Names of the packages. */
export const viewerPackages: readonly string[];

/** Copies the viewers from `packages`, a folder such as node_modules, below `target`. */
export function copyViewers(packages: string, target: string): Promise<void>;

/** What the files of each package say of the software that is bundled in them. */
export function viewerNotices(packages: string): Promise<Record<string, string[]>>;
