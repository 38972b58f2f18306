// Where the body of a request ends (RFC 9112, section 6).

/**
 * True if a proxy may see the end of a request elsewhere than the server does, so that a second request can
 * hide in its body (RFC 9112, sections 6.1 and 11.2). `chunked` is the only coding that is known here, but
 * parsers accept lists that end with it; and HTTP/1.0 has no codings. `codings`: the whole field
 * Transfer-Encoding, if there is one.
 */
export function isMisframed(codings: string | null | undefined, httpVersion = "1.1"): boolean {
  return typeof codings === "string" && (httpVersion !== "1.1" || codings.toLowerCase() !== "chunked");
}
