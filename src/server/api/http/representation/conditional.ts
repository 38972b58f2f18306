// Conditional requests (RFC 9110, section 13).

export interface Validators {
  /** Quoted. */
  readonly etag: string;
  /** In whole seconds, like HTTP dates. */
  readonly modified?: Date | undefined;
}

/**
 * Returns `Last-Modified` of a response made from a master under settings that this process has used since
 * `settledMs`: the later of the two times. An earlier process may have had other settings, which nothing
 * available on all runtimes records; so a restart costs one revalidation. Returns undefined during the second
 * of that time, since two states may share it (RFC 9110, section 8.8.2.2), and for times in the future.
 */
export function lastModified(master: Date | undefined, settledMs: number): Date | undefined {
  if (!master) return undefined;
  const second = Math.floor(Math.max(master.getTime(), settledMs) / 1000) * 1000;
  return second + 1000 <= Date.now() ? new Date(second) : undefined;
}

/**
 * True if the client's copy is still valid: If-None-Match by weak comparison takes precedence over
 * If-Modified-Since. A date has to equal the one sent now, not just be later: another server of the same
 * address may have sent it under other settings, and an older file may replace a master.
 */
export function isNotModified(headers: Headers, validators: Validators): boolean {
  const noneMatch = headers.get("if-none-match");
  if (noneMatch !== null) {
    if (noneMatch.trim() === "*") return true;
    const own = removeWeakMark(validators.etag);
    return (noneMatch.match(/(?:W\/)?"[^"]*"/g) ?? []).some((tag) => removeWeakMark(tag) === own);
  }
  const since = headers.get("if-modified-since");
  return since !== null && Date.parse(since) === validators.modified?.getTime();
}

const removeWeakMark = (tag: string) => tag.replace(/^W\//, "");

/** Returns the headers that a 200 and its 304 share. */
export function validatorHeaders(validators: Validators): Record<string, string> {
  const headers: Record<string, string> = { ETag: validators.etag };
  if (validators.modified) headers["Last-Modified"] = validators.modified.toUTCString();
  return headers;
}
