// What a format is to the rest of the service: bytes to pixels and back.

import type { ByteSource } from "../lib/byte-source.ts";
import type { JobStages } from "../lib/job-clock.ts";
import type { PixelBuffer } from "../pipeline/pixels.ts";
import type { Kernels } from "../pipeline/step.ts";
import type { BlockKinds, Blocks } from "./blocks.ts";
import type { ImageHeader, SourceFormat } from "./image-header.ts";
import type { WorkerModule } from "./modules.ts";
import type { EncodeOptions, NamedMaster, ReadRequest, RenderPlan } from "./plan.ts";

/** What `decode` returns. */
export interface Decoded extends PixelBuffer {
  /** The file ended early or is damaged, and something else stands for what is missing. */
  readonly incomplete?: boolean;
}

/** An encoded derivative; `incomplete` as in {@link Decoded}. */
export interface Encoded {
  readonly bytes: Uint8Array;
  readonly incomplete?: boolean;
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

/** The stored index of one master. What is parsed from it may be kept under `id`, which changes with the bytes. */
export interface IndexAccess {
  readonly id: string;
  /** There is none: a job makes what it needs by itself. */
  readonly absent?: boolean;
  /** For the job that makes the index: with all that makes reads cheaper, see {@link Codec.gains}; `load` gives the one that there is. */
  readonly full?: boolean;
  /** What is too large to stand in the index; missing where it cannot have such parts. */
  readonly blocks?: IndexBlocks;
  load(): Promise<Uint8Array>;
  /** The index or one of its blocks is lost or is not this file's: it is to be made again. */
  unfit?(): void;
}

/** Bytes that are kept beside an index, in blocks by number. */
export interface IndexBlocks {
  /** Bytes that all blocks of one index may take. */
  readonly room: number;
  /** undefined: not there, or no longer. */
  load(block: number): Promise<Uint8Array | undefined>;
  /** For the job that makes the index; takes the bytes over, and resolves when the next block may come. */
  keep(block: number, bytes: Uint8Array): Promise<void>;
}

/**
 * How a read goes on while its file has no index yet; the pixels are the same. `none`: nothing is kept of the file. `begin`: the job
 * makes what it needs of the index by itself, keeps it for the index job that follows, and other reads wait meanwhile.
 * `apart`: the job answers from the file alone, whether or not an index is being made. `wait`: the index job comes first, since
 * the read would have to do its work.
 */
export type Indexing = "none" | "begin" | "apart" | "wait";

/**
 * One format. Factories take the host: `jpegCodec(host)`. Instances of modules live inside and are thrown away
 * after any error. Errors: ServiceError `decode` (damaged), `unsupported` (sound, but cannot be served right),
 * `encode`, `source` (from the bytes).
 */
export interface Codec {
  readonly format: SourceFormat;
  /** Whether the first 64 bytes of a file are of this format. */
  recognises(head: Uint8Array): boolean;
  /** Header facts of a page, from at most 256 KiB of a file that keeps its header in front. Throws `not-found`, code page_not_found. */
  probe(bytes: ByteSource, page: number): Promise<ImageHeader>;
  /** Scale factors at which `decode` can deliver cheaply; ascending, always with 1. */
  scaleFactors(header: ImageHeader): readonly number[];
  /**
   * Those of `scaleFactors` whose pixels are as good as a resampling to their size (stored levels, wavelet
   * resolutions): the plan uses them as they are. Others, and all but 1 where this is absent, want one step of the good
   * filter after them.
   */
  ownScales?(header: ImageHeader): readonly number[];
  /**
   * Those of `scaleFactors` whose pixels are as good as a resampling where nothing is resampled after them, for answers that
   * hold colour in half their size or not. The plan prefers them to reducing from a larger scale.
   */
  exactScales?(header: ImageHeader, halvesColour: boolean): readonly number[];
  /** How many times the answer's size `decode` is to deliver at least at other scales; the plan decides where absent. */
  readonly headroom?: number;
  /** Bytes of the largest file that `decode` takes, where it needs the whole file in memory. */
  readonly mostBytes?: number;
  /** Estimated peak bytes of `decode`, result included, whatever is kept of the file. `fileSize` is the master's length. */
  memory(read: ReadRequest, fileSize: number): number;
  /**
   * Full-size pixels that `decode` has to decode for a read, however few it returns: those of the region where the file gives
   * access to it, else more. Pixels that are decoded at a reduced scale count for less.
   */
  decodedPixels(read: ReadRequest): number;
  /**
   * The region at 1/scaleFactor: exactly ceil(width/scaleFactor) by ceil(height/scaleFactor) pixels, as stored (no orientation
   * applied), the same ones with an index and without. Throws ServiceError `unsupported`, code whole_file_wanted, where the file
   * is to be read with `whole`.
   */
  decode(bytes: ByteSource, read: ReadRequest, index?: IndexAccess): Promise<Decoded>;
  /**
   * What makes later regions cheap: made once from the whole file, small but for its blocks, storable, checked when it is
   * loaded. Empty where this file has none that can be kept. Goes on from what an earlier job with the same id has made.
   */
  index?(bytes: ByteSource, header: ImageHeader, access?: IndexAccess): Promise<Uint8Array>;
  /**
   * Whether a full index would make a read cheaper than this one does, which serves it all the same; undefined: there is none
   * yet. Absent where there is but one kind.
   */
  gains?(index: Uint8Array | undefined, read: ReadRequest, fileSize: number): boolean;
  /** Estimated peak bytes of `index`, of a full one unless `full` is false; present with it. */
  indexMemory?(header: ImageHeader, full?: boolean): number;
  /** Present with `index`. `room` as in {@link IndexBlocks}; of what needs more for its blocks nothing is kept. */
  indexing?(read: ReadRequest, fileSize: number, room: number): Indexing;
  /** A whole job with less than the general way from pixels to pixels, where this file and plan allow; else undefined. */
  derive?(
    bytes: ByteSource,
    plan: RenderPlan,
    index: IndexAccess | undefined,
    kernels: Kernels,
    stages?: JobStages,
  ): Promise<Encoded | undefined>;
  /**
   * The blocks that the file carries beside its pixels; all kinds where none are named. Damaged ones are left out. At most
   * `mostBlockBytes` are read.
   */
  blocks?(bytes: ByteSource, header: ImageHeader, kinds?: BlockKinds): Promise<Blocks>;
  /** An encoded file with these blocks put in, in place of its own of the same kinds. Present with `encode`. */
  embed?(encoded: Uint8Array, blocks: Blocks): Promise<Uint8Array>;
  /** 1 to 4 bands (gray, gray+alpha, rgb, rgb+alpha), 8 or 16 bit as `encodes` says. */
  encode?(pixels: PixelBuffer, options: EncodeOptions): Promise<Uint8Array>;
  /** What `encode` takes; the plan flattens and reduces before. Present with `encode`. */
  readonly encodes?: {
    readonly alpha: boolean;
    readonly depths: readonly (8 | 16)[];
    readonly maxSide: number;
    /** Gray is written as RGB, so that a gray profile does not fit. */
    readonly rgbOnly?: true;
    /** The bytes depend on the deflate of the host. */
    readonly deflates?: true;
  };
}
