// The paths of the stream of changes, which no other file spells out.

/** Path of the stream; its pages follow after a /. */
export const changesPath = "/iiif/changes";

/** A page of a stream. */
export interface ChangesPageName {
  /** Id: small letters and digits. A stream that begins again has another, so that pages never change. */
  readonly stream: string;
  /** From 0, the oldest. */
  readonly number: number;
}

/** Returns the address of the stream; `base`: the public URL of the service, without a trailing /. */
export const changesAddress = (base: string): string => base + changesPath;

/** Returns the address of a page of the stream. */
export const changesPageAddress = (base: string, { stream, number }: ChangesPageName): string =>
  `${base}${changesPath}/${stream}/${number}`;

/** Returns the page of the stream that a path names; undefined for any other path. */
export function changesPageOf(path: string): ChangesPageName | undefined {
  const rest = path.startsWith(`${changesPath}/`) ? path.slice(changesPath.length + 1) : "";
  const [, stream, number] = /^([0-9a-z]{1,32})\/(0|[1-9]\d{0,8})$/.exec(rest) ?? [];
  return stream === undefined ? undefined : { stream, number: Number(number) };
}
