// Tokens of signed links: the segment of a path that says what the link opens, until when, and who signed it.
//
// A token is base64url (RFC 4648, section 5, without padding) of: the version, 1; the length of the key id
// and the id in ASCII; the largest side in pixels and the end in seconds since 1970, 4 bytes each; the length
// of the scope, 2 bytes; and 16 bytes of a MAC. The scope itself is not repeated in it: it is the identifier
// that the link is used with, or as many of its first bytes in UTF-8 as the length says.

import { concatenate, createLru, fromBase64Url, isSameSecret, toBase64Url } from "../../../base/index.ts";

/** What a valid token grants. */
export interface Link {
  readonly keyId: string;
  /** Largest width and height of the whole image, in pixels; 0: no bound. */
  readonly maxSize: number;
  /** When the link ends, in seconds since 1970. */
  readonly expires: number;
}

/** What a link opens: one image, or all whose identifiers begin with a text that ends in `/`. */
export type LinkScope = { readonly identifier: string } | { readonly prefix: string };

export interface LinkKey {
  readonly id: string;
  readonly secret: string;
}

export interface LinkSigner {
  /**
   * Returns what a token grants for an identifier; undefined if it is malformed, of an unknown key, over, or
   * for something else.
   */
  verify(token: string, identifier: string): Promise<Link | undefined>;
  /** Returns a token. Throws a RangeError for numbers or scopes that a token cannot hold. */
  sign(link: Link, scope: LinkScope): Promise<string>;
}

/** Characters of a key id. */
export const keyIdForm = /^[A-Za-z0-9_-]{1,16}$/;

const version = 1;
const macLength = 16;
/** Bytes of a token besides those of the key id. */
const fixedLength = 2 + 4 + 4 + 2 + macLength;
/** Longest token, in characters; no longer one is decoded. */
export const maxTokenLength = Math.ceil(((fixedLength + 16) * 4) / 3);
const maxNumber = 2 ** 32 - 1;
const maxScope = 2 ** 16 - 1;
/** Begins what is signed, so that no other use of the secret makes a MAC that is valid here. */
const label = "smalti signed link\n";
const slash = 0x2f;
const utf8 = new TextEncoder();

/** Creates a signer with the keys in effect. `now`: milliseconds since 1970. */
export function createLinkSigner(keys: readonly LinkKey[], now: () => number = Date.now): LinkSigner {
  const secrets = new Map(keys.map(({ id, secret }) => [id, secret]));
  /** Links that were valid, by token and identifier: a page of tiles is verified once. */
  const verified = createLru<string, Link>(2048);

  const macOf = async (keyId: string, head: Uint8Array, scope: Uint8Array): Promise<Uint8Array> => {
    const secret = secrets.get(keyId);
    if (secret === undefined) throw new RangeError(`there is no key ${keyId}`);
    const signed = concatenate([utf8.encode(label), head, scope]);
    const mac = await crypto.subtle.sign("HMAC", await importKey(secret), signed);
    return new Uint8Array(mac).subarray(0, macLength);
  };
  const isOver = ({ expires }: Link) => expires * 1000 <= now();

  return {
    async verify(token, identifier) {
      const name = `${token} ${identifier}`;
      const before = verified.get(name);
      if (before) return isOver(before) ? undefined : before;
      const parsed = parse(token);
      if (!parsed || isOver(parsed.link) || !secrets.has(parsed.link.keyId)) return undefined;
      const scope = scopeIn(utf8.encode(identifier), parsed.scopeLength);
      if (!scope) return undefined;
      const mac = await macOf(parsed.link.keyId, parsed.head, scope);
      if (!isSameSecret(parsed.mac, mac)) return undefined;
      verified.set(name, parsed.link, 1);
      return parsed.link;
    },
    async sign({ keyId, maxSize, expires }, scope) {
      const text = "prefix" in scope ? scope.prefix : scope.identifier;
      const bytes = utf8.encode(text);
      const scopeLength = "prefix" in scope ? bytes.length : 0;
      if (!keyIdForm.test(keyId) || ![maxSize, expires].every((value) => value >= 0 && value <= maxNumber))
        throw new RangeError("a token cannot hold these numbers");
      if (text === "" || scopeLength > maxScope || ("prefix" in scope && !text.endsWith("/")))
        throw new RangeError("the beginning of identifiers ends in /");
      const head = headOf({ keyId, maxSize, expires }, scopeLength);
      return toBase64Url(concatenate([head, await macOf(keyId, head, bytes)]));
    },
  };
}

function headOf({ keyId, maxSize, expires }: Link, scopeLength: number): Uint8Array {
  const head = new Uint8Array(fixedLength - macLength + keyId.length);
  head[0] = version;
  head[1] = keyId.length;
  head.set(utf8.encode(keyId), 2);
  const numbers = new DataView(head.buffer, 2 + keyId.length);
  numbers.setUint32(0, maxSize);
  numbers.setUint32(4, expires);
  numbers.setUint16(8, scopeLength);
  return head;
}

/** Returns the parts of a token; undefined if it is malformed. */
function parse(token: string) {
  if (token.length > maxTokenLength || !/^[A-Za-z0-9_-]+$/.test(token)) return undefined;
  const bytes = fromBase64Url(token);
  const idLength = bytes?.[1] ?? 0;
  if (bytes?.[0] !== version || bytes.length !== fixedLength + idLength) return undefined;
  // Bits of the last character that no byte has would make other spellings of one token.
  if (toBase64Url(bytes) !== token) return undefined;
  const keyId = String.fromCharCode(...bytes.subarray(2, 2 + idLength));
  if (!keyIdForm.test(keyId)) return undefined;
  const numbers = new DataView(bytes.buffer, 2 + idLength);
  const link: Link = { keyId, maxSize: numbers.getUint32(0), expires: numbers.getUint32(4) };
  const headLength = bytes.length - macLength;
  return {
    link,
    scopeLength: numbers.getUint16(8),
    head: bytes.subarray(0, headLength),
    mac: bytes.subarray(headLength),
  };
}

/** Returns the part of an identifier that is signed; undefined if the scope is not that of a folder. */
function scopeIn(identifier: Uint8Array, length: number): Uint8Array | undefined {
  if (length === 0) return identifier;
  return length < identifier.length && identifier[length - 1] === slash
    ? identifier.subarray(0, length)
    : undefined;
}

const importKey = (secret: string) =>
  crypto.subtle.importKey("raw", utf8.encode(secret), { name: "HMAC", hash: "SHA-256" }, false, ["sign"]);
