// Types of static-files.mjs, for the tests of static files.

/** Writes `NAME.br` and `NAME.gz` beside each text file below a folder, where they are smaller than it. */
export function compressFiles(folder: string): Promise<void>;
