// Reads password files of Apache's htpasswd: lines of name and hash.

import { hashFault } from "./hash-forms.ts";

/**
 * Returns the hash of each name; the first one counts if a name is repeated. Skips empty lines and lines that
 * begin with #. Throws an Error with the line and its fault, without name and hash.
 */
export function readHtpasswd(bytes: Uint8Array): ReadonlyMap<string, string> {
  let text: string;
  try {
    text = new TextDecoder("utf-8", { fatal: true }).decode(bytes);
  } catch {
    throw new Error("expected text in UTF-8");
  }
  const hashes = new Map<string, string>();
  for (const [at, line] of text.split(/\r?\n/).entries()) {
    if (/^\s*(#|$)/.test(line)) continue;
    const [, name, hash = ""] = /^([^:]+):([^:]*)/.exec(line) ?? [];
    const fault = name === undefined ? "expected a name, a colon and a hash" : hashFault(hash.trim());
    if (name === undefined || fault !== undefined) throw new Error(`line ${at + 1}: ${fault}`);
    if (!hashes.has(name)) hashes.set(name, hash.trim());
  }
  return hashes;
}
