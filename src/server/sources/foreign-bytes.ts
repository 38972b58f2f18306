// Responses that are no master: a page in its place, or its bytes in a coding. The first bytes decide, not
// only what the headers say.

/** Bytes at the beginning that are looked at, as in the MIME Sniffing Standard. */
const lookedAt = 512;

/** Tags with which pages begin (MIME Sniffing Standard, section 7.1). */
const tags =
  "!doctype html|html|head|body|title|meta|link|script|style|iframe|h1|div|font|table|a|b|br|p|!--";
const pageForm = new RegExp(`^(\\xef\\xbb\\xbf)?\\s*(<\\?xml[^>]*>\\s*)?<(${tags})([\\s/>]|(?<=!--))`, "i");

/** True for a byte that no text has (MIME Sniffing Standard, section 3). */
const isBinary = (byte: number) => byte < 0x20 && ![0x09, 0x0a, 0x0c, 0x0d, 0x1b].includes(byte);

/**
 * True if a response is a web page: its bytes are HTML, or it says so and its bytes are text. `beginning`:
 * its first bytes.
 */
export function isPage(beginning: Uint8Array, contentType: string | null): boolean {
  const start = beginning.subarray(0, lookedAt);
  if (pageForm.test(String.fromCharCode(...start))) return true;
  return /^\s*(text\/html|application\/xhtml)/i.test(contentType ?? "") && !start.some(isBinary);
}

/** The content codings of the registry of IANA (RFC 9110, section 8.4.1) that change bytes. */
const codings: ReadonlySet<string> = new Set(
  "aes128gcm br compress dcb dcz deflate exi gzip pack200-gzip x-compress x-gzip zstd".split(" "),
);

/** First bytes of what a coding makes: gzip, compress and zstd. */
const marks = [
  [0x1f, 0x8b],
  [0x1f, 0x9d],
  [0x28, 0xb5, 0x2f, 0xfd],
] as const;

/**
 * True if the bytes of a response are in a coding, so that they differ from those of the file. Names that are
 * no content coding, such as `aws-chunked`, `utf-8` or `binary`, do not count: many tools store them with an
 * object. `aws-chunked` shows that the header is that of the upload; then the first bytes decide.
 */
export function isEncoded(contentEncoding: string | null, beginning: Uint8Array): boolean {
  const names = (contentEncoding ?? "")
    .toLowerCase()
    .split(",")
    .map((name) => name.trim());
  if (!names.some((name) => codings.has(name))) return false;
  if (!names.includes("aws-chunked")) return true;
  return marks.some((mark) => mark.every((byte, i) => beginning[i] === byte));
}
