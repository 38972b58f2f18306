// Facts of a JPEG 2000 file that a comparison needs, read independently of the codec: sizes, steps and
// wavelets of its codestream.

const marker = { siz: 0xff51, cod: 0xff52, coc: 0xff53, sot: 0xff90 };

/** Boxes from `at` up to `end` (ITU-T T.800 I.4), for as long as they follow each other. */
function* boxes(file, at, end) {
  while (at + 8 <= end) {
    let length = file.readUInt32BE(at);
    let head = 8;
    if (length === 1 && at + 16 <= end) {
      length = Number(file.readBigUInt64BE(at + 8));
      head = 16;
    }
    const next = length === 0 ? end : at + length;
    if (next < at + head) return;
    yield { type: file.toString("latin1", at + 4, at + 8), at, body: at + head, end: Math.min(next, end) };
    at = next;
  }
}

/** True if the file begins with a box rather than a codestream. */
export const isBoxed = (file) => file.length > 4 && file.readUInt32BE(0) !== 0xff4fff51;

/**
 * Copies a boxed file and renames its colour specification: decoders then know components, palette and
 * channel definitions, but not the colour space, and convert nothing.
 */
export function withoutColour(file) {
  const copy = Buffer.from(file);
  for (const header of boxes(copy, 0, copy.length))
    if (header.type === "jp2h")
      for (const { type, at } of boxes(copy, header.body, header.end))
        if (type === "colr") copy.write("none", at + 4, "latin1");
  return copy;
}

/** True if a channel definition names an opacity that the colours were multiplied by (table I.16). */
export function isPremultiplied(file) {
  if (!isBoxed(file)) return false;
  for (const header of boxes(file, 0, file.length))
    if (header.type === "jp2h")
      for (const { type, body, end } of boxes(file, header.body, header.end))
        if (type === "cdef")
          for (let row = body + 2; row + 6 <= end; row += 6)
            if (file.readUInt16BE(row + 2) === 2) return true;
  return false;
}

/**
 * Returns facts of the main header (A.5.1, A.6.1, A.6.2): the picture on the reference grid, the steps and
 * depths of its components, and if all of them use the 5/3 wavelet. Throws if there is no main header.
 */
export function mainHeader(file) {
  let start = 0;
  if (isBoxed(file)) start = [...boxes(file, 0, file.length)].find(({ type }) => type === "jp2c").body;
  const siz = start + 4;
  if (file.readUInt16BE(start + 2) !== marker.siz) throw new Error("expected SIZ behind SOC");
  const [right, bottom, left, top] = [4, 8, 12, 16].map((at) => file.readUInt32BE(siz + at));
  const components = Array.from({ length: file.readUInt16BE(siz + 36) }, (_, i) => {
    const [depth, dx, dy] = file.subarray(siz + 38 + 3 * i);
    return { bits: (depth & 0x7f) + 1, signed: depth > 0x7f, dx, dy };
  });
  let reversible = true;
  // Markers 0xFF30 to 0xFF3F have no length (table A.1).
  const lengthAt = (at) => (file[at + 1] >> 4 === 3 ? 0 : file.readUInt16BE(at + 2));
  for (let at = start + 2; file.readUInt16BE(at) !== marker.sot; at += 2 + lengthAt(at)) {
    const wide = components.length > 256 ? 2 : 1;
    const offset = { [marker.cod]: 13, [marker.coc]: 9 + wide }[file.readUInt16BE(at)];
    if (offset) reversible &&= file[at + offset] === 1;
  }
  return { left, top, right, bottom, components, reversible };
}
