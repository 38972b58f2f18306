// The field Forwarded (RFC 7239): who asked for what, as each proxy on the way appended it. Only the part
// that trusted proxies have written counts, which is its end.

import { type IpRange, isInRanges, normaliseIp } from "../../../../base/index.ts";

/** What trusted proxies report in the field Forwarded. */
export interface Forwarding {
  /** The client's address as `normaliseIp` returns it; undefined if a proxy hides it or it is none. */
  readonly client: string | undefined;
  /** The scheme and the host that the client used, not checked; "" if no trusted proxy names it. */
  readonly proto: string;
  readonly host: string;
}

/** Longest field that is read, in characters. */
export const maxForwarded = 4096;

/** Fields that proxies send in place of Forwarded. If a request has one, they count and it does not. */
const older = ["x-forwarded-for", "x-forwarded-proto", "x-forwarded-host", "x-forwarded-port"];

/** True if a request has the field Forwarded and none of the fields that take precedence. */
export const hasForwarded = (headers: Headers): boolean =>
  !!headers.get("forwarded")?.trim() && !older.some((name) => headers.get(name)?.trim());

/**
 * Returns what trusted proxies report in Forwarded; undefined if the field does not count: there is none, it
 * came from another peer, or the request also has X-Forwarded-For, -Proto, -Host or -Port. Most proxies send
 * those and pass on a Forwarded of the client.
 *
 * The last element is the peer's. The one before it counts if the client that it names is a trusted proxy,
 * and so on; the outermost of them decides. An element that breaks the grammar may hide any client.
 */
export function readForwarded(
  headers: Headers,
  peer: string | undefined,
  proxies: readonly IpRange[],
): Forwarding | undefined {
  if (peer === undefined || !hasForwarded(headers) || !isInRanges(peer, proxies)) return undefined;
  const text = headers.get("forwarded") ?? "";
  // A quote that is not closed may contain anything, the elements of proxies too.
  const elements = text.length > maxForwarded ? [] : (splitUnquoted(text, ",") ?? []);
  let client: string | undefined = elements.length > 0 ? peer : undefined;
  let [proto, host] = ["", ""];
  for (const element of elements.reverse()) {
    if (!client || !isInRanges(client, proxies)) break;
    const pairs = parseElement(element);
    client = nodeAddress(pairs?.get("for") ?? "");
    proto = pairs?.get("proto") ?? proto;
    host = pairs?.get("host") ?? host;
  }
  return { client, proto, host };
}

/** True if a field is short enough to be read, and every element follows the grammar (section 4). */
export const isForwarded = (text: string): boolean =>
  text.length <= maxForwarded && (splitUnquoted(text, ",")?.every((each) => parseElement(each)) ?? false);

/** A parameter: a token, and a value as it is or in quotes. Unquoted ports and brackets are accepted. */
const pairForm = /^[ \t]*([!#$%&'*+.^_`|~0-9a-z-]+)=(?:"((?:[^"\\]|\\.)*)"|([^\s"\\]+))[ \t]*$/i;

/**
 * Returns the parameters of an element by their names in lower case; undefined if it breaks the grammar, has
 * none, or has one of them twice.
 */
function parseElement(element: string): ReadonlyMap<string, string> | undefined {
  const pairs = new Map<string, string>();
  for (const pair of splitUnquoted(element, ";") ?? []) {
    if (pair.trim() === "") continue; // the grammar allows it
    const [, name, quoted, bare = ""] = pairForm.exec(pair) ?? [];
    const known = name?.toLowerCase();
    if (known === undefined || pairs.has(known)) return undefined;
    pairs.set(known, quoted?.replace(/\\(.)/g, "$1") ?? bare);
  }
  return pairs.size > 0 ? pairs : undefined;
}

/** Splits a text at a separator outside of quoted strings; undefined if a string does not end. */
function splitUnquoted(text: string, separator: "," | ";"): string[] | undefined {
  const parts: string[] = [];
  let [begin, isQuoted] = [0, false];
  for (let i = 0; i < text.length; i++) {
    const character = text[i];
    if (isQuoted && character === "\\") i++;
    else if (character === '"') isQuoted = !isQuoted;
    else if (character === separator && !isQuoted) {
      parts.push(text.slice(begin, i));
      begin = i + 1;
    }
  }
  return isQuoted ? undefined : [...parts, text.slice(begin)];
}

/**
 * Returns the address of a node (section 6), which may have a port or an obfuscated one; undefined for
 * `unknown`, obfuscated names such as `_hidden`, and IPv6 without brackets, whose last group may be a port.
 */
function nodeAddress(node: string): string | undefined {
  const [, address = ""] = /^(\[[^[\]]*\]|[^:]*)(?::(?:\d{1,5}|_[\w.-]+))?$/.exec(node) ?? [];
  return normaliseIp(address);
}
