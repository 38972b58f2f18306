// The library: opens files, reads them, makes derivatives and builds sidecars on the calling thread.
// README.md has an example.

import { type ByteSource, ImagingError, memoryBytes } from "../base/index.ts";
import type { CodecHost, Decoded, Decoder, Encoded, SidecarAccess } from "./codecs/codec.ts";
import { scaleFactorsOf } from "./codecs/codec.ts";
import { headLength, readableTitles, type SourceFormat, writingOf } from "./codecs/formats.ts";
import type { ImageHeader, Rectangle } from "./codecs/image-header.ts";
import { createCodecs } from "./codecs/index.ts";
import type { ReadRequest, RenderPlan } from "./codecs/plan.ts";
import { orWhole } from "./codecs/whole-file.ts";
import { type DerivativeRequest, planDerivative } from "./plan/derivative.ts";
import { runTask } from "./render/job.ts";

/** All bytes of a file, or ranges of them on demand. */
export type FileBytes = Uint8Array | ByteSource;

/**
 * Data derived from a master so that reads of its regions are cheap. It is plain data, to be stored next to
 * the file.
 */
export interface Sidecar {
  readonly entry: Uint8Array;
  /** Larger parts, by number. */
  readonly blocks: ReadonlyMap<number, Uint8Array>;
}

/** Header facts of a file, whose format is a row of the table of formats. */
export type MasterHeader = ImageHeader & { readonly format: SourceFormat };

export interface OpenOptions {
  /** Page number, from 1; 1 by default. */
  readonly page?: number;
  /** Sidecar of this page of this file. One that does not match is ignored. */
  readonly sidecar?: Sidecar;
}

export interface Imaging {
  /**
   * Returns the facts in the header of a page, from the first bytes of a file. Throws ImagingError
   * `unsupported` for an unknown format, `decode` for a damaged header, `not-found` for a page that the file
   * does not have, and `source`.
   */
  probe(file: FileBytes, page?: number): Promise<MasterHeader>;
  /** Opens a page of a file for reading. Throws as `probe` does. */
  open(file: FileBytes, options?: OpenOptions): Promise<Master>;
}

/**
 * A page of a file. Its methods throw ImagingError: `bad-request` for arguments out of range, `decode` for
 * damaged files, `unsupported` for valid ones that cannot be read correctly, `too-large`, and `source` if
 * bytes cannot be read.
 */
export interface Master {
  readonly header: MasterHeader;
  /** Reductions at which `read` decodes fewer pixels, in ascending order from 1. */
  readonly scaleFactors: readonly number[];
  /**
   * Returns decoded pixels as stored, before orientation: ceil(width/scaleFactor) by
   * ceil(height/scaleFactor). The region is in full-size pixels, and is the whole image by default; its edges
   * must be multiples of `scaleFactor`, or edges of the image.
   */
  read(region?: Rectangle, scaleFactor?: number): Promise<Decoded>;
  /** Returns the plan of a derivative; its `memory` is the estimated peak bytes. */
  plan(request: DerivativeRequest): RenderPlan;
  /**
   * Returns an encoded derivative. It is `incomplete` if part of the file is missing or damaged, and shown as
   * gray or white.
   */
  derive(request: DerivativeRequest): Promise<Encoded>;
  /** Builds the sidecar of the page from the whole file; undefined for formats and files that have none. */
  buildSidecar(): Promise<Sidecar | undefined>;
}

/** Creates the library with a host's WebAssembly modules and zlib. */
export function createImaging(host: CodecHost): Imaging {
  const codecs = createCodecs(host);
  let opened = 0;
  /** Names of files while they are in use, so that their pages are found once. */
  const versions = new WeakMap<FileBytes, string>();
  const versionOf = (file: FileBytes): string => {
    const version = versions.get(file) ?? `${++opened}`;
    versions.set(file, version);
    return version;
  };

  const codecOf = async (bytes: ByteSource): Promise<Decoder> => {
    const codec = codecs.recognise(await bytes.read(0, headLength));
    if (codec) return codec;
    throw new ImagingError("unsupported", `Expected a ${readableTitles()} file; received none of these.`);
  };

  const open = async (file: FileBytes, { page = 1, sidecar }: OpenOptions = {}): Promise<Master> => {
    const bytes = sourceOf(file);
    const codec = await codecOf(bytes);
    const header = (await codec.probe(bytes, page, versionOf(file))) as MasterHeader;
    // Parsed parts of a file stay in memory under this id.
    const access = accessTo(sidecar, `${++opened}`);
    const fileSize = bytes.size ?? 0;
    const plan = (request: DerivativeRequest): RenderPlan => {
      const encoder = writingOf(request.format);
      const made = planDerivative({ header, page, fileSize, decoder: codec, encoder }, request);
      return { ...made, read: { ...made.read, version: access.id } };
    };
    return {
      header,
      scaleFactors: scaleFactorsOf(codec, header),
      plan,
      async read(region = { x: 0, y: 0, width: header.width, height: header.height }, scaleFactor = 1) {
        const read = { header, page, region, scaleFactor, version: access.id };
        checkRead(read, scaleFactorsOf(codec, header));
        return orWhole((whole) => codec.decode(bytes, whole ? { ...read, whole } : read, access));
      },
      async derive(request) {
        const made = plan(request);
        return orWhole((whole) => {
          const read = whole ? ({ ...made.read, whole } as const) : made.read;
          const task = { kind: "render", plan: { ...made, read } } as const;
          return runTask(task, { codecs, bytes, sidecar: access });
        });
      },
      async buildSidecar() {
        const blocks = new Map<number, Uint8Array>();
        const building: SidecarAccess = {
          ...accessTo(undefined, `${++opened}`),
          blocks: {
            room: Number.POSITIVE_INFINITY,
            load: async (number) => blocks.get(number),
            keep: async (number, block) => void blocks.set(number, block),
          },
        };
        const entry = await codec.sidecar?.build(bytes, { header, page }, building);
        return entry && entry.length > 0 ? { entry, blocks } : undefined;
      },
    };
  };

  return {
    open,
    async probe(file, page = 1) {
      const bytes = sourceOf(file);
      return (await codecOf(bytes)).probe(bytes, page, versionOf(file)) as Promise<MasterHeader>;
    },
  };
}

const sourceOf = (file: FileBytes): ByteSource => (file instanceof Uint8Array ? memoryBytes(file) : file);

function accessTo(sidecar: Sidecar | undefined, id: string): SidecarAccess {
  if (!sidecar) return { id, absent: true, load: async () => new Uint8Array() };
  const { entry, blocks } = sidecar;
  return {
    id,
    load: async () => entry,
    blocks: {
      room: Number.POSITIVE_INFINITY,
      load: async (number) => blocks.get(number),
      keep: async () => {},
    },
  };
}

function checkRead({ header, region, scaleFactor }: ReadRequest, factors: readonly number[]): void {
  if (!factors.includes(scaleFactor))
    throw new ImagingError(
      "bad-request",
      `Expected a scale factor of ${factors.join(", ")}; received ${scaleFactor}.`,
    );
  const isEdge = (at: number, end: number) => Number.isInteger(at / scaleFactor) || at === end;
  const { x, y, width, height } = region;
  const isInside =
    [x, y, width, height].every(Number.isInteger) &&
    Math.min(x, y) >= 0 &&
    Math.min(width, height) >= 1 &&
    x + width <= header.width &&
    y + height <= header.height;
  const isOnGrid =
    Number.isInteger(x / scaleFactor) &&
    Number.isInteger(y / scaleFactor) &&
    isEdge(x + width, header.width) &&
    isEdge(y + height, header.height);
  if (!isInside || !isOnGrid)
    throw new ImagingError(
      "bad-request",
      `Expected a region inside of ${header.width} by ${header.height} with edges at multiples of ${scaleFactor}; received x, y, width, height ${x}, ${y}, ${width}, ${height}.`,
    );
}
