// The paths of the stream of changes, which no other file spells out.

/** Path of the stream; its pages follow after a /. */
export const changesPath = "/iiif/changes";

const pagePrefix = `${changesPath}/page/`;

/** Returns the address of the stream; `base`: the public URL of the service, without a trailing /. */
export const changesAddress = (base: string): string => base + changesPath;

/** Returns the address of a page of the stream, by its number from 0, the oldest. */
export const changesPageAddress = (base: string, page: number): string => `${base}${pagePrefix}${page}`;

/** Returns the number of the page that a path names; undefined for any other path. */
export function changesPageOf(path: string): number | undefined {
  const rest = path.startsWith(pagePrefix) ? path.slice(pagePrefix.length) : "";
  return /^(?:0|[1-9]\d{0,8})$/.test(rest) ? Number(rest) : undefined;
}
