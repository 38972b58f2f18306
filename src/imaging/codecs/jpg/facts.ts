// Storage of a JPEG: frame, restart interval and colours, up to the first scan (ITU-T T.81, annex B; JFIF
// 1.02).

import type { ByteSource } from "../../../base/index.ts";
import type { FileFacts } from "../file-facts.ts";
import { type FrameHeader, frameKinds, readFrameHeader } from "./markers/frame.ts";
import { isNamed, marker, walkMarkers, word } from "./markers/walk.ts";

/** Returns facts of the segments before the first scan. Throws ImagingError `decode`. */
export async function readJpegFacts(bytes: ByteSource): Promise<FileFacts> {
  const walk = walkMarkers(bytes, 2048);
  let frame: FrameHeader | undefined;
  let restartInterval = 0;
  let jfif = false;
  let adobe: number | undefined;
  for await (const segment of walk.segments(2)) {
    const { code } = segment;
    if (code === marker.sos || code === marker.eoi) break;
    const body = await walk.body(segment, maxSegment);
    if (code in frameKinds) frame ??= readFrameHeader(body, segment);
    else if (code === marker.dri) restartInterval = body.length < 2 ? 0 : word(body, 0);
    else if (code === marker.app0) jfif ||= isNamed(body, "JFIF\0", 14);
    else if (code === marker.app14 && isNamed(body, "Adobe", 12)) adobe = body[11];
  }
  if (!frame) return {};
  const { precision, components } = frame;
  return {
    container: jfif ? "JFIF" : "JPEG",
    bits: components.map(() => precision),
    colours: coloursOf(frame, jfif, adobe),
    compression: compressionOf(frame.code),
    lossless: isLossless(frame.code),
    layout: "whole",
    progressive: [0xc2, 0xc6, 0xca, 0xce].includes(frame.code),
    ...(components.length > 1 && { subsampling: subsamplingOf(frame) }),
    restartInterval,
  };
}

/** Bytes of a frame header of 255 components, the longest segment that is needed. */
const maxSegment = 6 + 3 * 255;

/**
 * Decides as libjpeg does: JFIF is YCbCr; otherwise the Adobe segment says, or else the letters of the
 * component ids.
 */
function coloursOf({ components }: FrameHeader, jfif: boolean, adobe: number | undefined): string {
  const ids = String.fromCharCode(...components.map(({ id }) => id));
  if (components.length === 1) return "gray";
  if (components.length === 4) return adobe === 2 ? "YCCK" : "CMYK";
  if (components.length !== 3) return `${components.length} components`;
  if (jfif) return "YCbCr";
  return adobe === 0 || (adobe === undefined && ids === "RGB") ? "RGB" : "YCbCr";
}

/** Table B.1 of ITU-T T.81. */
const processes: Readonly<Record<number, string>> = {
  0: "baseline DCT",
  1: "extended sequential DCT",
  2: "progressive DCT",
  3: "lossless",
  5: "hierarchical sequential DCT",
  6: "hierarchical progressive DCT",
  7: "hierarchical lossless",
};

function compressionOf(code: number): string {
  if (code === 0xf7) return "JPEG-LS";
  const arithmetic = code >= 0xc8;
  const process = code === 0xc9 ? "extended sequential DCT" : processes[code & 7];
  return `${process}, ${arithmetic ? "arithmetic" : "Huffman"} coding`;
}

const isLossless = (code: number) => [0xc3, 0xc7, 0xcb, 0xcf].includes(code);

/** Names by the sampling factors of luma if chroma has 1 by 1; other files list all factors. */
const names: Readonly<Record<string, string>> = {
  "1x1": "4:4:4",
  "2x1": "4:2:2",
  "2x2": "4:2:0",
  "1x2": "4:4:0",
  "4x1": "4:1:1",
  "4x2": "4:1:0",
};

function subsamplingOf(frame: FrameHeader): string {
  const { components } = frame;
  const [first, ...others] = components;
  const factors = components.map(({ h, v }) => `${h}x${v}`).join(" ");
  const { hMax: across, vMax: down } = frame;
  // The black of YCCK has as many samples as luma.
  const colours = others.slice(0, 2);
  const black = others[2];
  const full = [first, ...(black ? [black] : [])].every((each) => each?.h === across && each.v === down);
  const [chroma] = colours;
  const alike = colours.every(({ h, v }) => h === chroma?.h && v === chroma.v);
  if (!full || !alike || !chroma || across % chroma.h !== 0 || down % chroma.v !== 0) return factors;
  return names[`${across / chroma.h}x${down / chroma.v}`] ?? factors;
}
