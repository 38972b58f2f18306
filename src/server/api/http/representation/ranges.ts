// Range requests (RFC 9110, section 14): one range of bytes. A request for several receives the whole
// representation (section 14.2).

/** First and last byte, inclusive. */
export interface ByteRange {
  readonly first: number;
  readonly last: number;
}

/**
 * Returns the part of a representation of `size` bytes that a GET asks for. undefined: all of it, since it
 * names no range, several, or a malformed one, or its part belongs to another representation (`If-Range`,
 * strong comparison). "unsatisfiable": no such bytes, 416.
 */
export function requestedRange(
  headers: Headers,
  size: number,
  etag: string,
): ByteRange | "unsatisfiable" | undefined {
  const condition = headers.get("If-Range");
  const parts = /^bytes=[ \t]*(\d*)-(\d*)[ \t]*$/i.exec(headers.get("Range") ?? "");
  if (!parts || (condition !== null && condition.trim() !== etag)) return undefined;
  const [, from = "", to = ""] = parts;
  if (from === "") {
    if (to === "") return undefined;
    const length = Math.min(Number(to), size);
    return length === 0 ? "unsatisfiable" : { first: size - length, last: size - 1 };
  }
  const first = Number(from);
  const last = to === "" ? Number.POSITIVE_INFINITY : Number(to);
  if (last < first) return undefined;
  return first >= size ? "unsatisfiable" : { first, last: Math.min(last, size - 1) };
}
