// Photoshop image resources, in which JPEG, PNG and TIFF files keep IPTC IIM (Adobe Photoshop File Formats,
// "Image Resources").

import { concatenate } from "../../base/index.ts";
import { hasText, latin1 } from "./metadata-bytes.ts";

const signature = "8BIM";
const iptcId = 0x0404;

/**
 * Returns the IPTC data sets among resources; undefined if there are none or the resources are broken before
 * them.
 */
export function iptcOf(resources: Uint8Array): Uint8Array | undefined {
  const view = new DataView(resources.buffer, resources.byteOffset, resources.length);
  for (let at = 0; at + 12 <= resources.length && hasText(resources, signature, at); ) {
    const id = view.getUint16(at + 4);
    const name = resources[at + 6]! + 1;
    const size = at + 6 + name + (name & 1);
    if (size + 4 > resources.length) return undefined;
    const start = size + 4;
    const length = view.getUint32(size);
    if (start + length > resources.length) return undefined;
    if (id === iptcId) return length > 0 ? resources.slice(start, start + length) : undefined;
    at = start + length + (length & 1);
  }
  return undefined;
}

/** IPTC data sets as a resource. */
export function iptcResource(iptc: Uint8Array): Uint8Array {
  const head = new Uint8Array(12);
  head.set(latin1(signature));
  const view = new DataView(head.buffer);
  view.setUint16(4, iptcId); // then an empty name of two bytes
  view.setUint32(8, iptc.length);
  return concatenate([head, iptc, new Uint8Array(iptc.length & 1)]);
}
