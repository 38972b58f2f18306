// The orientation in an XMP packet (XMP specification part 1, C.2.5 and 7.9.2.1; part 2, TIFF properties).

/** `tiff:Orientation` as an attribute or an element; any other namespace prefix is nowhere in use. */
const property = /\btiff:Orientation\s*(?:=\s*["']\s*(\d+)\s*["']|>\s*(\d+)\s*<)/;

/** Returns 1 to 8; 1 if it is out of range; undefined if the packet, in UTF-8, has none. */
export function xmpOrientation(packet: Uint8Array): number | undefined {
  const found = property.exec(new TextDecoder().decode(packet));
  if (!found) return undefined;
  const value = Number(found[1] ?? found[2]);
  return value >= 1 && value <= 8 ? value : 1;
}
