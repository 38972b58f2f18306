// Types of site.mjs, for its tests.

/** Writes the site into a folder. `start`: address of the service's start page, relative to the site. */
export function buildSite(target: string, options?: { readonly start?: string }): Promise<void>;
