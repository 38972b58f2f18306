// Names of files that browsers save (RFC 6266), from texts of any kind.

import { percentEncode } from "./image/path.ts";

/** Characters of a name that are used: file systems take 255 bytes. */
const maxChars = 100;

/**
 * Returns a text as a part of a file name: without characters that a system reserves, without dots at its
 * beginning, and cut at its end if it is long. "" if nothing is left.
 */
export function fileStem(text: string): string {
  const words = text.replace(/[\p{C}\p{Z}/\\:*?"<>|%]+/gu, " ").trim();
  return [...words].slice(0, maxChars).join("").trim().replace(/^\.+/, "_").replace(/\.+$/, "");
}

/**
 * Returns the value of a Content-Disposition header for a file that is saved: its name in ASCII, and the
 * whole name percent-encoded (RFC 8187) if it has other characters.
 */
export function attachmentNamed(name: string): string {
  const plain = name
    .normalize("NFKD")
    .replace(/\p{M}+/gu, "")
    // Wide forms of reserved characters have become these.
    .replace(/[^\x20-\x7e]+|["\\/:*?<>|%;]/g, "_");
  const encoded = percentEncode(name, /[^A-Za-z0-9!#$&+\-.^_`|~]+/gu);
  const whole = plain === name ? "" : `; filename*=UTF-8''${encoded}`;
  return `attachment; filename="${plain}"${whole}`;
}
