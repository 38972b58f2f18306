// A format as one record: all facts about it, and what creates its decoder and encoder. Everything else
// derives from the table of these records: formats.ts.

import type { ByteSource } from "../../base/index.ts";
import type { Shape } from "../pipeline/shape.ts";
import type { OutputPolicy } from "../plan/policy.ts";
import type { Decoder, Encoder } from "./codec.ts";
import type { FindCut } from "./cut.ts";
import type { ReadFacts } from "./file-facts.ts";
import type { EncodeOptions } from "./plan.ts";
import type { CodecTools } from "./tools.ts";

export interface Format {
  /** Name for people: "JPEG 2000". */
  readonly title: string;
  /** Absent for a format that is only written. */
  readonly read?: Reading;
  /** Absent for a format that is only read. */
  readonly write?: Writing;
}

/** How a format is read. */
export interface Reading {
  /** Extensions of masters, in lower case. */
  readonly extensions: readonly string[];
  /** True if the first `headLength` bytes of a file have this format. */
  recognises(head: Uint8Array): boolean;
  /**
   * Last bytes of a sound file, a function that reads its length from its header, or "any" if it may end in
   * anything.
   */
  readonly end: readonly number[] | ((read: ByteSource["read"]) => Promise<number>) | "any";
  readonly findCut: FindCut;
  readonly readFacts: ReadFacts;
  /** True if the pages of a file are separate images, instead of frames of one. */
  readonly hasSheets: boolean;
  /** Nanoseconds for each of `decodedPixels`, measured with photographs on a server processor. */
  readonly nsPerPixel: number;
  decoder(tools: CodecTools): Decoder;
}

/** How a format is written. */
export interface Writing {
  readonly mediaType: string;
  /** Extensions under which programs expect the written files, in lower case. */
  readonly extensions: readonly string[];
  /** True if image information lists the format. */
  readonly advertised: boolean;
  /** True if a server writes it only if its configuration names it. */
  readonly optIn: boolean;
  /** True if language models accept its images. */
  readonly forModels: boolean;
  /** Nanoseconds per pixel of the derivative, measured with photographs on a server processor. */
  readonly nsPerPixel: number | ((derivative: Shape) => number);
  /** Returns the estimated bytes that `encode` takes besides pixels and file. Absent: none. */
  memory?(derivative: Shape): number;
  readonly maxSide: number;
  /** Bits per sample that `encode` accepts; the plan reduces others first. */
  readonly depths: readonly (8 | 16)[];
  /** True if it stores derivatives of black and white alone with 1 bit. */
  readonly bilevel: boolean;
  /** False if the plan has to flatten transparent pixels. */
  readonly alpha: boolean;
  /** True if gray is written as RGB, so that a gray profile does not fit. */
  readonly rgbOnly: boolean;
  /** False if derivatives cannot have the profile of their master, so that colours are converted. */
  readonly profiles: boolean;
  /** True if the option `chroma` decides how it stores colours. */
  readonly halvesChroma: boolean;
  /** Field of the policy that is its quality; undefined for a format that has no choice of it. */
  readonly quality: keyof Pick<OutputPolicy, "jpegQuality" | "webpQuality" | "avifQuality"> | undefined;
  /** True if its loss hides the lowest bit-planes of a master. */
  readonly hidesLowBits: boolean;
  /** True if the bytes depend on the host's deflate. */
  readonly deflates: boolean;
  /** True if `encodeRows` can write a derivative of this size. Absent: it never can. */
  byRows?(options: EncodeOptions, size: { readonly width: number; readonly height: number }): boolean;
  encoder(tools: CodecTools): Encoder;
}
