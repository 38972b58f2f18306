// Names of files that are being written, as src/server/platform/files/ makes them.

/** True for the name of a file that is being written. One is left if the process ends during the write. */
export const isTemporaryName = (name: string): boolean => /^\.\d+-\d+-[0-9a-f-]{36}\.tmp$/.test(name);
