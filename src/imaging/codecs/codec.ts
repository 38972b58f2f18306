// Decoders and encoders: bytes to pixels and back.

import type { ByteSource, ImagingError, JobStages, NativeZlib } from "../../base/index.ts";
import type { Metadata, MetadataKinds } from "../metadata/metadata.ts";
import type { PixelBuffer } from "../pipeline/pixels.ts";
import type { Kernels } from "../pipeline/step.ts";
import type { ImageHeader } from "./image-header.ts";
import type { OnDemandModule, WorkerModule } from "./modules.ts";
import type { EncodeOptions, MasterPage, NamedMaster, ReadRequest, RenderPlan } from "./plan.ts";

/** Result of `decode`. */
export interface Decoded extends PixelBuffer {
  /** True if the file ended early or is damaged, and a substitute fills the missing parts. */
  readonly incomplete?: boolean;
}

/** An encoded derivative; `incomplete` as in {@link Decoded}. */
export interface Encoded {
  readonly bytes: Uint8Array;
  readonly incomplete?: boolean | undefined;
  /** True if the worker that read the file found it unchanged after the last read. */
  readonly unchanged?: boolean;
}

/**
 * An encoded derivative in pieces, of which the first contains everything before the data of its image: so
 * metadata can be embedded in that alone, and a large file is joined only once.
 */
export interface EncodedPieces {
  readonly pieces: readonly Uint8Array[];
  readonly incomplete?: boolean | undefined;
}

/** Bytes of parsed files that stay in memory unless the host says otherwise. */
export const writtenByDefault = 64 * 2 ** 20;

/** Parts of the platform that codecs need: compiled modules and zlib. */
export interface CodecHost {
  wasm(name: WorkerModule): WebAssembly.Module;
  /**
   * Loads a module that is compiled when it is first needed. Throws ImagingError `unsupported`, code
   * module_missing, if the runtime does not have it.
   */
  loadWasm(name: OnDemandModule): Promise<WebAssembly.Module>;
  /** zlib format (RFC 1950), level 1 to 9. */
  deflate(data: Uint8Array, level: number): Promise<Uint8Array>;
  /** Absent: streams are inflated by DecompressionStream. */
  readonly zlib?: NativeZlib | undefined;
  /** Bytes of parsed files that stay in memory; {@link writtenByDefault} if absent. */
  readonly cacheBytes?: number | undefined;
  /** Called with the reason if the profile of a master turns out to be unusable. */
  noteIgnoredProfile?(master: NamedMaster, reason: string): void;
}

/**
 * A job's access to a layer of the sidecar of its master. Parsed parts may stay in memory under `id`, which
 * changes with the bytes.
 */
export interface SidecarAccess {
  readonly id: string;
  /** True if there is none: a job makes the parts that it needs. */
  readonly absent?: boolean;
  /** Bytes that the job may take; unlimited by default. */
  readonly memory?: number | undefined;
  /** Parts that are too large for the entry; absent if there is no room for such parts. */
  readonly blocks?: SidecarBlocks | undefined;
  /** A layer that makes the read cheaper, or that the job builds on this one; see {@link SidecarUse}. */
  readonly faster?: SidecarAccess | undefined;
  /** The entry. `lean`: true if it may lack the levels at 1/8 and below. */
  load(lean?: boolean): Promise<Uint8Array>;
  /** Takes the entry of an absent layer from a read that has made all of it anyway. */
  keepEntry?(entry: Uint8Array): Promise<void>;
  /** Reports that the entry or one of its blocks is lost, or belongs to another file: it has to be remade. */
  reportLoss?(): void;
}

/** Blocks of a sidecar by number: its larger parts, outside of the entry. */
export interface SidecarBlocks {
  /** Bytes that all blocks of one sidecar may take. */
  readonly room: number;
  /** Returns undefined if the block is missing. */
  load(block: number): Promise<Uint8Array | undefined>;
  /** Takes ownership of a block that a job has made, and resolves when the next one may come. */
  keep(block: number, bytes: Uint8Array): Promise<void>;
}

/** Reductions that `decode` delivers cheaply. */
export interface Scales {
  /**
   * Returns the factors other than 1 by which a page can be reduced, ascending. `halvesColour`: for
   * derivatives with chroma at half size.
   */
  of(header: ImageHeader, halvesColour: boolean): readonly Reduction[];
}

export interface Reduction {
  readonly factor: number;
  readonly quality: ReductionQuality;
}

/**
 * Quality of a reduction's pixels, which decides the steps that follow. `level`: as good as a resampling to
 * their size (stored levels, wavelet resolutions). `exact`: as good if nothing is resampled after them,
 * otherwise like `frequencies`: high frequencies are missing, and a step of the good filter has to follow.
 * `averages`: box averages, which need a larger step of it.
 */
export type ReductionQuality = "level" | "exact" | "frequencies" | "averages";

/**
 * A layer of a sidecar: parts that are made, stored and lost together. `ground`: what all reads need
 * (access points, a transcode, a packet index, quantiles). `overview`: small levels, for thumbnails.
 * `pyramid`: all levels of an image without random access. `level4`, `level2`: an image at 1/4 and 1/2.
 */
export type SidecarLayer = "ground" | "overview" | "pyramid" | "level4" | "level2";

/**
 * How a read proceeds while its layer is missing; the pixels are the same. `begin`: the job makes the parts
 * that it needs; it leaves the whole layer if it has made all of it, or else the job that builds the layer
 * next; other reads wait meanwhile (a sequential JPEG, a thumbnail of a PNG). `zoom`: the first read is from
 * the file only, since nobody may look closer; the second one waits until that has ended and the layer is
 * built (a tile of a PNG). `wait`: the layer is built first, since the read would have to do the same work
 * (a progressive JPEG, quantiles of a TIFF).
 */
export type SidecarWay = "begin" | "zoom" | "wait";

/** How a read uses the sidecar. */
export interface SidecarUse {
  /** Layers that serve the read, any of them. The first one is made if there is none. */
  readonly layers: readonly [SidecarLayer, ...SidecarLayer[]];
  readonly way: SidecarWay;
  /** A layer on these that makes the read cheaper. It is built when readers zoom in; none waits for it. */
  readonly faster?: SidecarLayer | undefined;
}

/**
 * Everything derived from a page of a master so that later reads of it are cheap: access points, reduced
 * levels, a copy with random access. It is stored in the origin slot, never in the source.
 */
export interface SidecarFormat {
  /**
   * Returns how a read uses the sidecar; undefined if it has no use for one. `room` as in
   * {@link SidecarBlocks}; a layer whose blocks need more is not stored.
   */
  use(read: ReadRequest, fileSize: number, room: number): SidecarUse | undefined;
  /**
   * Returns the layers of a page that may be built, each after those that it is built on, without those that
   * another one contains.
   */
  layers(header: ImageHeader, fileSize: number, room: number): readonly SidecarLayer[];
  /**
   * Builds the entry of a layer from the whole file: small except for its blocks, storable, verified when it
   * is loaded. Returns an empty array if this file can have none. Continues from what an earlier job with the
   * same id has made. A layer that is `faster` than others is built on the access to these, and its blocks go
   * to `access.faster`.
   */
  build(
    bytes: ByteSource,
    master: MasterPage,
    access?: SidecarAccess,
    layer?: SidecarLayer,
  ): Promise<Uint8Array>;
  /** Returns the estimated peak bytes of `build`. */
  memory(header: ImageHeader, fileSize: number, layer: SidecarLayer): number;
  /**
   * Returns the estimated peak bytes of a read from a whole layer, `rows` full-size rows at a time. If that
   * turns out to be lost and the job has no more memory, the read throws `wholeFileError`. undefined, or
   * absent: those of any read.
   */
  memoryWith?(read: ReadRequest, rows?: number): number | undefined;
  /**
   * Returns the nanoseconds of `build` per pixel of the master, as measured with photographs on a server's
   * processor.
   */
  nsPerPixel(header: ImageHeader, layer: SidecarLayer): number;
  /**
   * Returns the nanoseconds that a read takes in addition while its layer is missing. Absent: those of a
   * build.
   */
  nsWithout?(read: ReadRequest): number;
}

/** Takes the next rows, packed and of any number; they are valid until it resolves. */
export type TakeRows = (rows: PixelBuffer) => Promise<void>;

/** Reads a few rows after the other, so that large derivatives need not be in memory. */
export interface RowAccess {
  /**
   * Number of full-size rows at whose multiples a read may be divided so that little is decoded twice; a
   * multiple of the scale factor. undefined: this image has to be decoded as a whole.
   */
  apart(read: ReadRequest): number | undefined;
  /** Estimated peak bytes of `decode` with `rows` full-size rows at a time, a multiple of `apart`. */
  memory(read: ReadRequest, rows: number, fileSize: number): number;
  /**
   * Passes on the pixels of the codec's `decode` from the top down, about `rows` full-size rows at a time.
   * Resolves to true if the file ends early or is damaged, like {@link Decoded.incomplete}.
   */
  decode(
    bytes: ByteSource,
    read: ReadRequest,
    rows: number,
    take: TakeRows,
    sidecar?: SidecarAccess,
  ): Promise<boolean>;
}

/** A word that a file has on a page, and its box in pixels of the upright page. */
export interface StoredWord {
  readonly text: string;
  readonly box: readonly [x: number, y: number, width: number, height: number];
}

/** Reads the text that a file has of its pages. */
export interface WordReader {
  /** Size of the largest file that is read. */
  readonly maxBytes: number;
  /** Estimated peak bytes of `read`. */
  memory(header: ImageHeader, fileSize: number): number;
  /** Returns the lines of a page in the order of the file, each with a word at least; none without a text. */
  read(bytes: ByteSource, page: TextPage): Promise<readonly (readonly StoredWord[])[]>;
}

/** A page of which the text is read; `version` as in `ReadRequest`. */
export type TextPage = MasterPage & Pick<ReadRequest, "version">;

/** Reads metadata of files. */
export interface MetadataReader {
  /** Reads all kinds if none are named. Damaged ones are left out. Reads at most `maxMetadataBytes`. */
  read(bytes: ByteSource, header: ImageHeader, kinds?: MetadataKinds): Promise<Metadata>;
}

/** A file written from rows in order. */
export interface RowStream {
  /**
   * Takes any number of the next rows, packed. Returns the bytes that are ready, possibly none; first of all
   * those before the image data.
   */
  rows(data: Uint8Array): Uint8Array;
  /** Returns the last bytes, after all rows. */
  finish(): Uint8Array;
}

/** Writes files of a format. Errors: ImagingError `encode`. */
export interface Encoder {
  /** Encodes 1 to 4 bands (gray, gray+alpha, rgb, rgb+alpha), 8 or 16 bit as in `Writing`. */
  encode(pixels: PixelBuffer, options: EncodeOptions): Promise<Uint8Array>;
  /**
   * Writes the same file from rows, for derivatives that `Writing.byRows` allows. Absent: `encode` needs all
   * rows.
   */
  encodeRows?(shape: Omit<PixelBuffer, "data">, options: EncodeOptions): RowStream;
  /**
   * Returns an encoded file with this metadata in place of its own of the same kinds; of a format with
   * `encodeRows` also the first piece of one.
   */
  embed(encoded: Uint8Array, metadata: Metadata): Promise<Uint8Array>;
}

/**
 * Reads files of a format: the parts that all formats have, and groups of parts that some have. A format has
 * a group completely or not at all. Module instances are internal and are discarded after any error. Errors:
 * ImagingError `decode` (damaged), `unsupported` (sound, but cannot be served correctly), `source` (from the
 * bytes).
 */
export interface Decoder {
  /**
   * Reads the header facts of a page, from at most 256 KiB of a file whose header comes first. `version`
   * identifies the bytes of the file: where its pages are may stay in memory under it. Throws `not-found`,
   * code page_not_found.
   */
  probe(bytes: ByteSource, page: number, version?: string): Promise<ImageHeader>;
  /**
   * Yields the header facts of the first `count` pages of a file that has them, in one pass: without colours,
   * resolution and `incomplete`. For a page that cannot be read, its ImagingError. Absent: all pages have the
   * facts of the first.
   */
  probePages?(bytes: ByteSource, count: number, version?: string): AsyncGenerator<ImageHeader | ImagingError>;
  /**
   * Estimated peak bytes of `decode`, including the result, whatever is cached of the file. `fileSize` is the
   * master's length.
   */
  memory(read: ReadRequest, fileSize: number): number;
  /** Size of the largest file that `decode` accepts, if it needs the whole file in memory. */
  readonly maxBytes?: number;
  /**
   * Full-size pixels that `decode` has to decode for a read, however few it returns: those of the region if
   * the file gives access to it, otherwise more. Pixels decoded at a reduced scale count for less.
   */
  decodedPixels(read: ReadRequest): number;
  /**
   * Decodes the region at 1/scaleFactor: exactly ceil(width/scaleFactor) by ceil(height/scaleFactor) pixels,
   * as stored (no orientation applied), the same with a sidecar and without. Throws `wholeFileError` if the
   * file has to be read with `whole`.
   */
  decode(bytes: ByteSource, read: ReadRequest, sidecar?: SidecarAccess): Promise<Decoded>;
  /**
   * Does a whole job in a shorter way than through pixels, if this file and plan allow; otherwise returns
   * undefined.
   */
  derive?(
    bytes: ByteSource,
    plan: RenderPlan,
    sidecar: SidecarAccess | undefined,
    kernels: Kernels,
    stages?: JobStages,
  ): Promise<EncodedPieces | undefined>;
  /**
   * True if the values of an image have a range of their own, which derivatives may show. Absent: no image of
   * the format has one.
   */
  hasWindow?(header: ImageHeader): boolean;
  /** Absent if a read always takes the memory of all its rows. */
  readonly rows?: RowAccess;
  /** Absent if every read decodes full-size pixels. */
  readonly scales?: Scales;
  /** Absent if a read can only use the file itself. */
  readonly sidecar?: SidecarFormat;
  readonly metadata?: MetadataReader;
  /** Absent if files of the format have no text. */
  readonly words?: WordReader;
}

/** Returns the factors that `decode` delivers cheaply: ascending, always including 1. */
export function scaleFactorsOf({ scales }: Pick<Decoder, "scales">, header: ImageHeader): readonly number[] {
  return [1, ...(scales?.of(header, false) ?? []).map(({ factor }) => factor)];
}
