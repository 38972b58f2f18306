// Which files are archives, by their names alone.

/** True if a file of this name is read as an archive. Comic books are ZIP files, too. */
export const isArchiveName = (name: string): boolean => /[^/]\.(zip|cbz)$/i.test(name);
