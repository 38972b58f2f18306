// Types of packages.mjs, for the tests.

/**
 * Installs the packages of folders of this project where they are missing or of another lock file. Throws if
 * npm fails.
 */
export function installPackages(...folders: readonly string[]): void;

/** Path of a program that the packages of a folder bring; installs them first. */
export function packagedProgram(folder: string, name: string): string;
