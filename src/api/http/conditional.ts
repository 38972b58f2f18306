// Conditional requests (RFC 9110, section 13).

export interface Validators {
  /** Quoted. */
  readonly etag: string;
  readonly modified?: Date;
}

/** Whether the client's copy is still good: If-None-Match by weak comparison, which wins over If-Modified-Since. */
export function isNotModified(headers: Headers, validators: Validators): boolean {
  const noneMatch = headers.get("if-none-match");
  if (noneMatch !== null) {
    if (noneMatch.trim() === "*") return true;
    const own = opaque(validators.etag);
    return (noneMatch.match(/(?:W\/)?"[^"]*"/g) ?? []).some((tag) => opaque(tag) === own);
  }
  const since = headers.get("if-modified-since");
  if (since === null || !validators.modified) return false;
  const time = Date.parse(since);
  return !Number.isNaN(time) && Math.floor(validators.modified.getTime() / 1000) * 1000 <= time;
}

const opaque = (tag: string) => tag.replace(/^W\//, "");

/** The headers that a 200 and its 304 share. */
export function validatorHeaders(validators: Validators): Record<string, string> {
  const headers: Record<string, string> = { ETag: validators.etag };
  if (validators.modified) headers["Last-Modified"] = validators.modified.toUTCString();
  return headers;
}
