// XMP that is longer than a JPEG segment: a main packet refers to the rest by a GUID (XMP specification part
// 3, 1.1.3.1).

import { sha256, toHex } from "../../../../base/index.ts";

const open = "<rdf:RDF";
const close = "</rdf:RDF>";
const pointer = /xmpNote:HasExtendedXMP="[^"]*"|<xmpNote:HasExtendedXMP>[^<]*<\/xmpNote:HasExtendedXMP>/;
const guid = /xmpNote:HasExtendedXMP(?:="|='|>)\s*([0-9A-Fa-f]{32})/;

/** Returns the GUID of the extension that a main packet refers to; undefined if there is none. */
export function extensionOf(packet: Uint8Array): string | undefined {
  return guid.exec(new TextDecoder().decode(packet))?.[1]?.toUpperCase();
}

/**
 * Merges the properties of both packets into one. Returns the main packet if either does not have the usual
 * form.
 */
export function joinXmp(packet: Uint8Array, rest: Uint8Array): Uint8Array {
  const main = new TextDecoder().decode(packet);
  const more = new TextDecoder().decode(rest);
  const from = more.indexOf(">", more.indexOf(open)) + 1;
  const to = more.lastIndexOf(close);
  const at = main.lastIndexOf(close);
  if (!more.includes(open) || to < from || at < 0) return packet;
  const head = main.slice(0, at);
  const found = pointer.exec(head);
  const own = found ? head.slice(0, found.index).trimEnd() + head.slice(found.index + found[0].length) : head;
  return new TextEncoder().encode(own + more.slice(from, to) + main.slice(at));
}

/** Splits a long packet in two: the main packet only refers to the rest, which is the packet itself. */
export async function splitXmp(
  packet: Uint8Array,
): Promise<{ main: Uint8Array; guid: string; rest: Uint8Array }> {
  // The GUID should be an MD5 digest, which the platform does not offer; readers only compare it.
  const guid = toHex((await sha256(packet)).subarray(0, 16)).toUpperCase();
  const main =
    '<x:xmpmeta xmlns:x="adobe:ns:meta/"><rdf:RDF xmlns:rdf="http://www.w3.org/1999/02/22-rdf-syntax-ns#">' +
    '<rdf:Description rdf:about="" xmlns:xmpNote="http://ns.adobe.com/xmp/note/" ' +
    `xmpNote:HasExtendedXMP="${guid}"/></rdf:RDF></x:xmpmeta>`;
  return { main: new TextEncoder().encode(main), guid, rest: packet };
}
