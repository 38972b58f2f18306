// The frame of a JPEG file: its size and components, as in a frame header (ITU-T T.81, B.2.2).

import { damagedJpgHeader } from "../../damaged.ts";
import { marker, word } from "./walk.ts";

export interface Component {
  readonly id: number;
  /** Sampling factors, 1 to 4. */
  readonly h: number;
  readonly v: number;
  readonly quantSelector: number;
  /** Size in samples (A.1.1). */
  readonly width: number;
  readonly height: number;
}

export interface FrameHeader {
  /** File offset of the marker. */
  readonly at: number;
  /** Second byte of the marker, a key of {@link frameKinds}. */
  readonly code: number;
  readonly progressive: boolean;
  /** Bits per sample. */
  readonly precision: number;
  readonly width: number;
  /** Height in pixels; 0 if the file states it only after the first scan (B.2.5). */
  readonly height: number;
  readonly components: readonly Component[];
  /** Largest sampling factors of all components. */
  readonly hMax: number;
  readonly vMax: number;
}

/** Meaning of the components, determined as libjpeg does. */
export type JpegColour = "gray" | "ycc" | "rgb" | "cmyk" | "ycck";

/** A frame whose colours are known. */
export interface Frame extends FrameHeader {
  readonly colour: JpegColour;
}

/** Kinds of frame by the second byte of their marker; `refused` explains why a kind cannot be decoded. */
export const frameKinds: Readonly<
  Record<number, { readonly variant: string; readonly arithmetic?: true; readonly refused?: string }>
> = {
  192: { variant: "baseline" },
  193: { variant: "extended" },
  194: { variant: "progressive" },
  195: { variant: "lossless", refused: "lossless JPEG" },
  197: { variant: "hierarchical", refused: "hierarchical JPEG" },
  198: { variant: "hierarchical progressive", refused: "hierarchical JPEG" },
  199: { variant: "hierarchical lossless", refused: "hierarchical JPEG" },
  201: { variant: "arithmetic", arithmetic: true },
  202: { variant: "arithmetic progressive", arithmetic: true },
  203: { variant: "arithmetic lossless", arithmetic: true, refused: "lossless JPEG" },
  205: { variant: "arithmetic hierarchical", arithmetic: true, refused: "hierarchical JPEG" },
  206: { variant: "arithmetic hierarchical progressive", arithmetic: true, refused: "hierarchical JPEG" },
  207: { variant: "arithmetic hierarchical lossless", arithmetic: true, refused: "hierarchical JPEG" },
  247: { variant: "jpeg-ls", refused: "JPEG-LS" },
};

/** True for the frame markers of ITU-T T.81: those from C0 to CF except DHT, JPG and DAC. */
export const isFrame = (code: number) =>
  code >= 0xc0 && code <= 0xcf && code !== marker.dht && code !== marker.jpg && code !== 0xcc;

/**
 * Parses the frame header in a segment of `length` bytes at `at`. Throws ImagingError `decode`, code
 * damaged_header.
 */
export function readFrameHeader(
  body: Uint8Array,
  {
    at,
    code,
    length = 0,
  }: { readonly at: number; readonly code: number; readonly length: number | undefined },
): FrameHeader {
  const count = body[5] ?? 0;
  if (body.length < length - 2) throw damagedJpgHeader("a frame header", "the end of the file");
  if (length !== 8 + 3 * count || count === 0)
    throw damagedJpgHeader(
      `a frame header of ${8 + 3 * count} bytes for ${count} components`,
      `${length} bytes`,
    );
  const specified = Array.from({ length: count }, (_, i) => {
    const [id = 0, factors = 0, quantSelector = 0] = body.subarray(6 + 3 * i, 9 + 3 * i);
    return { id, h: factors >> 4, v: factors & 15, quantSelector };
  });
  if (specified.some(({ h, v }) => h < 1 || h > 4 || v < 1 || v > 4))
    throw damagedJpgHeader(
      "sampling factors from 1 to 4",
      specified.map(({ h, v }) => `${h}x${v}`).join(", "),
    );
  const width = word(body, 3);
  if (width === 0) throw damagedJpgHeader("a width of 1 or more", "0");
  const hMax = Math.max(...specified.map(({ h }) => h));
  const vMax = Math.max(...specified.map(({ v }) => v));
  const components = specified.map((each) => ({
    ...each,
    width: Math.ceil((width * each.h) / hMax),
    height: 0,
  }));
  const progressive = frameKinds[code]?.variant === "progressive";
  const frame = { at, code, progressive, precision: body[0]!, width, height: 0, components, hMax, vMax };
  return frameOfHeight(frame, word(body, 1));
}

/** Returns the frame with another size. */
export function frameOfSize<T extends FrameHeader>(frame: T, width: number, height: number): T {
  const components = frame.components.map((each) => ({
    ...each,
    width: Math.ceil((width * each.h) / frame.hMax),
  }));
  return frameOfHeight({ ...frame, width, components }, height);
}

/** Returns the frame with another height. */
export function frameOfHeight<T extends FrameHeader>(frame: T, height: number): T {
  const components = frame.components.map((each) => ({
    ...each,
    height: Math.ceil((height * each.v) / frame.vMax),
  }));
  return { ...frame, height, components };
}
