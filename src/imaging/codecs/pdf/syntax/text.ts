// Text strings (ISO 32000-2, section 7.9.2.2).

/** Returns the text of a string in UTF-16, UTF-8 or PDFDocEncoding, of which the part in Latin-1 is read. */
export function decodeText(bytes: Uint8Array): string {
  const [first, second, third] = bytes;
  if (first === 0xfe && second === 0xff) return new TextDecoder("utf-16be").decode(bytes);
  if (first === 0xff && second === 0xfe) return new TextDecoder("utf-16le").decode(bytes);
  if (first === 0xef && second === 0xbb && third === 0xbf) return new TextDecoder().decode(bytes);
  return new TextDecoder("latin1").decode(bytes);
}
