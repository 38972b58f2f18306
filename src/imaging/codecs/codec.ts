// What a format is to the rest of the service: bytes to pixels and back.

import type { ByteSource } from "../lib/byte-source.ts";
import type { Metadata, MetadataKinds } from "../metadata/metadata.ts";
import type { PixelBuffer } from "../pipeline/pixels.ts";
import type { Kernels } from "../pipeline/step.ts";
import type { JobStages } from "../stages.ts";
import type { ImageHeader, SourceFormat } from "./image-header.ts";
import type { WorkerModule } from "./modules.ts";
import type { EncodeOptions, MasterPage, NamedMaster, ReadRequest, RenderPlan } from "./plan.ts";

/** What `decode` returns. */
export interface Decoded extends PixelBuffer {
  /** The file ended early or is damaged, and something else stands for what is missing. */
  readonly incomplete?: boolean;
}

/** An encoded derivative; `incomplete` as in {@link Decoded}. */
export interface Encoded {
  readonly bytes: Uint8Array;
  readonly incomplete?: boolean | undefined;
  /** The worker that read the file saw after the last read that nothing was written to it. */
  readonly unchanged?: boolean;
}

/** What codecs need of the platform: compiled modules and the platform's deflate. */
export interface CodecHost {
  wasm(name: WorkerModule): WebAssembly.Module;
  /** zlib format (RFC 1950), level 1 to 9. */
  deflate(data: Uint8Array, level: number): Promise<Uint8Array>;
  /** Hears that the profile of a master turned out not to be usable, and why. */
  ignoredProfile?(master: NamedMaster, reason: string): void;
}

/**
 * How a job reads the sidecar of its master. What it parses may stay in memory under `id`, which changes with
 * the bytes.
 */
export interface SidecarAccess {
  readonly id: string;
  /** There is none: a job makes what it needs by itself. */
  readonly absent?: boolean;
  /** For the job that builds it: bytes that it may take. Parts that would take more are left out. Default: any number. */
  readonly memory?: number | undefined;
  /** Parts that are too large to stand in the entry; absent where there is no room for such parts. */
  readonly blocks?: SidecarBlocks | undefined;
  /** The entry. */
  load(): Promise<Uint8Array>;
  /** The entry or one of its blocks is lost, or is not of this file: it has to be made again. */
  reportLoss?(): void;
}

/** The blocks of a sidecar: its larger parts, beside the entry, by number. */
export interface SidecarBlocks {
  /** Bytes that all blocks of one sidecar may take. */
  readonly room: number;
  /** undefined: not there, or no longer. */
  load(block: number): Promise<Uint8Array | undefined>;
  /** For the job that builds it; takes the bytes over, and resolves when the next block may come. */
  keep(block: number, bytes: Uint8Array): Promise<void>;
}

/** Reductions that `decode` delivers cheaply. */
export interface Scales {
  /** Those of a page beside 1, ascending, for answers that hold colour in half its size or not. */
  of(header: ImageHeader, halvesColour: boolean): readonly Reduction[];
}

export interface Reduction {
  readonly factor: number;
  readonly quality: ReductionQuality;
}

/**
 * How good the pixels of a reduction are, so that the plan knows what has to follow. `level`: as good as a
 * resampling to their size (stored levels, wavelet resolutions). `exact`: as good where nothing is resampled
 * after them, else as `frequencies`: the high ones were left out, and a step of the good filter has to
 * follow. `averages`: of boxes, which want a larger step of it.
 */
export type ReductionQuality = "level" | "exact" | "frequencies" | "averages";

/**
 * How a read continues while its file has no sidecar yet; the pixels are the same. `none`: the file has no
 * sidecar. `begin`: the job makes what it needs of the sidecar by itself and leaves it to the job that builds
 * the sidecar next; other reads wait meanwhile (a sequential JPEG). `apart`: the job answers from the file
 * alone, whether or not a sidecar is being built (a progressive JPEG at 1/8). `wait`: the sidecar is built
 * first, since the read would have to do the same work (a progressive JPEG, quantiles of a TIFF).
 */
export type SidecarWay = "none" | "begin" | "apart" | "wait";

/**
 * All that is derived from a page of a master so that later reads of it are cheap: access points, reduced
 * levels, a copy with random access. It lies in the origin slot, never in the source.
 */
export interface SidecarFormat {
  /** `room` as in {@link SidecarBlocks}; of what needs more for its blocks nothing is kept. */
  way(read: ReadRequest, fileSize: number, room: number): SidecarWay;
  /**
   * Builds the entry from the whole file: small but for its blocks, storable, checked when it is loaded.
   * Empty where this file has none that can be kept. Goes on from what an earlier job with the same id has
   * made.
   */
  build(bytes: ByteSource, master: MasterPage, access?: SidecarAccess): Promise<Uint8Array>;
  /** Estimated peak bytes of `build`, which leaves out parts that would take more than `allows` says. */
  memory(header: ImageHeader, fileSize: number, allows: (bytes: number) => boolean): number;
  /**
   * Nanoseconds that `build` takes for each pixel of the master, as measured with photographs on a server's
   * processor.
   */
  nsPerPixel(header: ImageHeader): number;
}

/** Reading what files hold beside their pixels. */
export interface MetadataReader {
  /** All kinds where none are named. Damaged ones are left out. Reads at most `mostMetadataBytes`. */
  read(bytes: ByteSource, header: ImageHeader, kinds?: MetadataKinds): Promise<Metadata>;
}

/** A file that is written from rows in order. */
export interface RowStream {
  /** Takes the next rows, packed, any number of them. Returns the bytes that are ready, perhaps none. */
  rows(data: Uint8Array): Uint8Array;
  /** Returns the last bytes, once every row has come. */
  finish(): Uint8Array;
}

/** Writing files of a format. */
export interface Encoder {
  /** 1 to 4 bands (gray, gray+alpha, rgb, rgb+alpha), 8 or 16 bit as `encodes` says. */
  encode(pixels: PixelBuffer, options: EncodeOptions): Promise<Uint8Array>;
  /**
   * Writes the same file from rows, for answers that `encodes.byRows` allows. Absent: `encode` needs all
   * rows.
   */
  encodeRows?(shape: Omit<PixelBuffer, "data">, options: EncodeOptions): RowStream;
  /** An encoded file with this metadata in place of its own of the same kinds. */
  embed(encoded: Uint8Array, metadata: Metadata): Promise<Uint8Array>;
  /** What `encode` takes; the plan flattens and reduces before. */
  readonly encodes: EncodableKinds;
}

export interface EncodableKinds {
  readonly alpha: boolean;
  readonly depths: readonly (8 | 16)[];
  readonly maxSide: number;
  /** Whether `encodeRows` can write an answer of this size. Absent: it never can. */
  byRows?(options: EncodeOptions, size: { readonly width: number; readonly height: number }): boolean;
  /** Gray is written as RGB, so that a gray profile does not fit. */
  readonly rgbOnly?: true;
  /** The bytes depend on the deflate of the host. */
  readonly deflates?: true;
}

/**
 * One format: what every one has, and groups of what some have. A format lacks a group as a whole or has all
 * of it. Factories take the host: `jpegCodec(host)`. Instances of modules live inside and are thrown away
 * after any error. Errors: ImagingError `decode` (damaged), `unsupported` (sound, but cannot be served
 * right), `encode`, `source` (from the bytes).
 */
export interface Codec {
  readonly format: SourceFormat;
  /** Whether the first 64 bytes of a file are of this format. */
  recognises(head: Uint8Array): boolean;
  /**
   * Header facts of a page, from at most 256 KiB of a file that keeps its header in front. Throws
   * `not-found`, code page_not_found.
   */
  probe(bytes: ByteSource, page: number): Promise<ImageHeader>;
  /**
   * Estimated peak bytes of `decode`, result included, whatever is kept of the file. `fileSize` is the
   * master's length.
   */
  memory(read: ReadRequest, fileSize: number): number;
  /** Bytes of the largest file that `decode` takes, where it needs the whole file in memory. */
  readonly mostBytes?: number;
  /**
   * Full-size pixels that `decode` has to decode for a read, however few it returns: those of the region
   * where the file gives access to it, else more. Pixels that are decoded at a reduced scale count for less.
   */
  decodedPixels(read: ReadRequest): number;
  /**
   * The region at 1/scaleFactor: exactly ceil(width/scaleFactor) by ceil(height/scaleFactor) pixels, as
   * stored (no orientation applied), the same ones with a sidecar and without. Throws `wholeFileError` where
   * the file has to be read with `whole`.
   */
  decode(bytes: ByteSource, read: ReadRequest, sidecar?: SidecarAccess): Promise<Decoded>;
  /**
   * A whole job with less than the general way from pixels to pixels, where this file and plan allow; else
   * undefined.
   */
  derive?(
    bytes: ByteSource,
    plan: RenderPlan,
    sidecar: SidecarAccess | undefined,
    kernels: Kernels,
    stages?: JobStages,
  ): Promise<Encoded | undefined>;
  /**
   * A read may be divided at multiples of this many full-size rows, and little is decoded twice. A multiple
   * of the scale factor. undefined, or absent: each part would have to decode all that lies above it.
   */
  rowsApart?(read: Pick<ReadRequest, "header" | "scaleFactor">): number | undefined;
  /** Absent: every read decodes full-size pixels. */
  readonly scales?: Scales;
  /** Absent: every read has the whole file to work with, and nothing else. */
  readonly sidecar?: SidecarFormat;
  readonly metadata?: MetadataReader;
  /** Absent: masters only. */
  readonly write?: Encoder;
}

/** Factors at which `decode` can deliver cheaply: ascending, always with 1. */
export function scaleFactorsOf({ scales }: Pick<Codec, "scales">, header: ImageHeader): readonly number[] {
  return [1, ...(scales?.of(header, false) ?? []).map(({ factor }) => factor)];
}
