// Opens masters by their identifiers and reads their header facts; decodes no pixels.

import {
  asServiceError,
  type ByteSource,
  createLru,
  fileTooLarge,
  inFewReads,
  type Lru,
  ServiceError,
  withServiceErrors,
} from "../../base/index.ts";
import { splitPage } from "../../iiif/index.ts";
import {
  type Codecs,
  type Decoder,
  headLength,
  type ImageHeader,
  lacksItsEnd,
  readableTitles,
  scaleFactorsOf,
} from "../../imaging/index.ts";
import { type Caller, type Grant, publicGrant } from "../access/access.ts";
import type { Sources } from "../sources/index.ts";
import type { Source, SourceImage } from "../sources/source.ts";
import type { Slot } from "../stores/slot.ts";
import { awaitWithoutPermit, readWithoutPermit } from "../workers/permit.ts";
import type { Admission, JobNeeds } from "./admission/admit.ts";
import type { EstimatedWork } from "./admission/cost.ts";
import type { JobVisitor } from "./admission/shared-visitors.ts";
import { factsKey, type MasterKey, settledVersion } from "./cache-keys.ts";
import { exceedingTexts } from "./words.ts";

/** An opened master. Its owner closes its image, even while work shared with others still reads it. */
export interface Master extends MasterKey {
  readonly identifier: string;
  readonly source: Source;
  readonly image: SourceImage;
  /** Caller for whom it was opened. */
  readonly caller?: Caller | undefined;
  /** All visitors that wait for what is made of it; undefined if that is the caller alone. */
  readonly waiting?: JobVisitor | undefined;
}

/** A master with the access that its caller is granted. */
export interface GrantedMaster extends Master {
  readonly grant: Grant;
}

/** Returns the request of a job on a master for a permit and memory. */
export function needsOf(
  { caller, waiting, image, source }: Master,
  memory: number,
  work: EstimatedWork,
): JobNeeds {
  const visitor = waiting ?? caller?.visitor;
  return { memory, work, client: caller?.client, visitor, remote: image.remote && source.name };
}

/**
 * Runs work on a master whose jobs take the turns of the best of all visitors that wait for the same, which
 * `key` names.
 */
export async function waitTogether<M extends Master, T>(
  admission: Pick<Admission, "share">,
  key: string,
  master: M,
  work: (master: M) => Promise<T>,
): Promise<T> {
  const visitor = master.waiting ?? master.caller?.visitor;
  if (!visitor) return work(master);
  const { all, leave } = admission.share(key, visitor);
  try {
    return await work({ ...master, waiting: all });
  } finally {
    leave();
  }
}

export interface DescribeParts {
  readonly codecs: Codecs;
  readonly info: Slot;
  /** Admission of probes. */
  readonly probes: Admission;
  /** Maximum area of a master in pixels, which a reload may change; 0 for no limit. */
  readonly masters: { readonly maxPixelArea: number };
}

/** Location of a master according to a hook. */
export interface MasterLocation extends Pick<Master, "source" | "key" | "page"> {}

/**
 * Opens the master of an identifier. If a hook has named its location, that is `location`; false means that
 * there is no such image. Without one, a file of exactly that name takes precedence, and `name;n` is page n
 * of `name`. Makes no access decision: code that serves requests opens masters with `withMaster` (open.ts).
 * Throws `not-found`.
 */
export async function openMaster(
  sources: Sources,
  identifier: string,
  caller?: Caller,
  grant: Grant = publicGrant,
  location?: MasterLocation | false,
): Promise<GrantedMaster> {
  const openAt = async ({ source, key }: Pick<MasterLocation, "source" | "key">, page: number) => {
    const image = await source.open(key, caller?.signal, caller?.trace);
    return image && { identifier, source, key, page, image, validator: image.validator, caller, grant };
  };
  if (location === undefined) {
    const literal = await openAt(sources.resolve(identifier), 1);
    if (literal) return literal;
    const paged = splitPage(identifier);
    const page = paged && (await openAt(sources.resolve(paged.identifier), paged.page));
    if (page) return page;
  } else {
    const named = location && (await openAt(location, location.page));
    if (named) return named;
  }
  throw new ServiceError(
    "not-found",
    "There is no image with this identifier. Check its spelling; a / in it may be written as %2F.",
    {
      code: "image_not_found",
    },
  );
}

/**
 * Returns the header facts of a master from the info slot, or else probes its first bytes and stores the
 * facts. Throws `unsupported` if the file is of no supported format or kind, `decode` if its header cannot be
 * read, `not-found` for a missing page, `too-large` above image.max_pixel_area.
 */
export async function describe(
  parts: DescribeParts,
  master: Master,
  signal?: AbortSignal,
): Promise<ImageHeader> {
  const header = await inspect(parts, master, signal);
  checkSupported(parts, header);
  return header;
}

/** Throws `too-large` above image.max_pixel_area, and `unsupported`, as {@link describe} does. */
export function checkSupported(
  parts: Pick<DescribeParts, "masters">,
  header: Pick<ImageHeader, "width" | "height" | "scalable" | "unsupported">,
): void {
  checkArea(header, parts.masters.maxPixelArea);
  if (header.unsupported)
    throw new ServiceError("unsupported", header.unsupported, { code: "unsupported_image" });
}

/**
 * Returns the header facts like {@link describe}, but also those of unsupported kinds and too large masters,
 * for callers that decode no pixels. Throws `unsupported` if the file is of no supported format, `decode` and
 * `not-found`.
 */
export async function inspect(
  parts: DescribeParts,
  master: Master,
  signal?: AbortSignal,
): Promise<ImageHeader> {
  const key = await factsKey(master);
  const parsed = parsedHeadersOf(parts.info);
  let header = parsed.get(key.variant);
  if (!header) {
    let made: string | undefined;
    const known = await waitTogether(parts.probes, key.variant, master, (own) =>
      parts.info.getOrMake(
        key.name,
        key.variant,
        (work) =>
          parts.probes.run(needsOf(own, 0, probing), work, async (permit) => {
            const { bytes } = master.image;
            const read = permit ? readWithoutPermit(bytes, awaitWithoutPermit(permit), work) : bytes;
            made = JSON.stringify(await probe(parts, read, master));
            return encoder.encode(made);
          }),
        { signal },
      ),
    );
    header = JSON.parse(made ?? decoder.decode(known)) as ImageHeader;
    parsed.set(key.variant, header, known.length);
  }
  const problem = problemOfSize(header);
  if (problem) throw problem;
  return header;
}

/**
 * Returns `decode` if a header has no size: a codec that misreads a hostile file must not reach documents and
 * jobs. A header that is unsupported need not have one.
 */
export function problemOfSize({
  width,
  height,
  unsupported,
}: Pick<ImageHeader, "width" | "height" | "unsupported">): ServiceError | undefined {
  const isSide = (pixels: number) => Number.isSafeInteger(pixels) && pixels > 0;
  if (unsupported !== undefined || (isSide(width) && isSide(height))) return undefined;
  return new ServiceError(
    "decode",
    `Expected an image of whole numbers of pixels, received one of ${width} x ${height}.`,
    { code: "damaged_header" },
  );
}

/** Parts that decide whether a master can be served. */
export type ServableParts = Pick<DescribeParts, "codecs"> & {
  readonly admission: Pick<Admission, "allows">;
};

/**
 * Throws `too-large` if no derivative of the master can be rendered: its file is longer than its decoder
 * accepts, or the cheapest read would need more than image.memory_budget. Needed only before responses that
 * promise derivatives; cached ones are still served.
 */
export function checkServable(
  parts: ServableParts,
  { image, page }: Pick<Master, "image" | "page">,
  header: ImageHeader,
): void {
  const fileSize = image.bytes.size ?? 0;
  const codec = parts.codecs.decoder(header.format);
  const scaleFactor = scaleFactorsOf(codec, header).at(-1) ?? 1;
  // Nearly always the smallest scale is the cheapest, and affordable: no other has to be estimated then.
  const usual = memoryAt(codec, header, page, fileSize, scaleFactor);
  const memory = parts.admission.allows(usual) ? usual : leastMemory(codec, header, page, fileSize);
  checkMemory(parts, header.format, fileSize, memory);
}

/** Throws as {@link checkServable} does, given the bytes of the cheapest read. */
export function checkMemory(
  { codecs, admission }: ServableParts,
  format: ImageHeader["format"],
  fileSize: number,
  memory: number,
): void {
  const codec = codecs.decoder(format);
  if (fileSize > (codec.maxBytes ?? Number.POSITIVE_INFINITY))
    throw asServiceError(fileTooLarge(codec.maxBytes!));
  if (!admission.allows(memory))
    throw new ServiceError(
      "too-large",
      "Every picture of this image would need more memory than the service may use for images. The operator can raise image.memory_budget.",
      { code: "memory_budget" },
    );
}

/** Returns the estimated peak bytes of the cheapest read of a page. */
export function leastMemory(codec: Decoder, header: ImageHeader, page: number, fileSize: number): number {
  const needs = scaleFactorsOf(codec, header).map((factor) =>
    memoryAt(codec, header, page, fileSize, factor),
  );
  return Math.min(...needs);
}

/** Returns the estimated peak bytes of reading one pixel at a scale. */
function memoryAt(
  codec: Decoder,
  header: ImageHeader,
  page: number,
  fileSize: number,
  scaleFactor: number,
): number {
  const [width, height] = [Math.min(header.width, scaleFactor), Math.min(header.height, scaleFactor)];
  return codec.memory({ header, page, region: { x: 0, y: 0, width, height }, scaleFactor }, fileSize);
}

/**
 * Limit for the cached parsed headers, in bytes of their JSON; every tile of an image needs the same header.
 */
const maxParsed = 8 * 2 ** 20;
const parsedHeaders = new WeakMap<Slot, Lru<string, ImageHeader>>();

const purges = new WeakMap<Slot, number>();

/** Drops the parsed headers of a purged slot; headers that are being loaded are not kept either. */
export function forgetHeaders(info: Slot): void {
  parsedHeaders.delete(info);
  purges.set(info, purgesOf(info) + 1);
}

/**
 * Returns the number of purges of a slot's facts. Facts cached elsewhere are valid only while it stays the
 * same.
 */
export const purgesOf = (info: Slot): number => purges.get(info) ?? 0;

/** Returns the parsed headers of a slot by variant, which changes with the file. */
function parsedHeadersOf(slot: Slot): Lru<string, ImageHeader> {
  let parsed = parsedHeaders.get(slot);
  if (!parsed) parsedHeaders.set(slot, (parsed = createLru(maxParsed)));
  return parsed;
}

/**
 * Identifies the bytes of a master for what codecs keep of them on this thread. A purge of the facts reaches
 * it.
 */
export const tableVersion = (info: Slot, master: Omit<MasterKey, "page">): string =>
  `${purgesOf(info)} ${settledVersion(master, undefined, 0)}`;

/** Estimate of a probe, which reads a few headers. */
export const probing: EstimatedWork = { kind: "probe", ms: 1 };

/**
 * Bytes at the start of a file that are read together, enough for the header of nearly all files, and those
 * of each further read.
 */
const [frontLength, laterLength] = [32 * 1024, 16 * 1024];

async function probe(
  { codecs, info }: Pick<DescribeParts, "codecs" | "info">,
  source: ByteSource,
  master: Master,
): Promise<ImageHeader> {
  const { page, image } = master;
  const noun = master.source.backend === "s3" ? "object" : "file";
  // The blocks of a remote master stay in memory anyway.
  const bytes = image.remote ? source : await inFewReads(source, frontLength, laterLength);
  const head = await bytes.read(0, headLength);
  const codec = codecs.recognise(head);
  if (!codec)
    throw new ServiceError(
      "unsupported",
      head.length === 0
        ? `This ${noun} is empty: expected a ${readableTitles()} image, received 0 bytes.`
        : `This file is not a ${readableTitles()} image.`,
      {
        code: "unsupported_format",
      },
    );
  const header = await withServiceErrors(() => codec.probe(bytes, page, tableVersion(info, master)));
  // Skipped for a remote master: reading its end would cost a separate request.
  const lacksEnd = !image.remote && (await lacksItsEnd(bytes, header.format));
  return lacksEnd ? { ...header, incomplete: true } : header;
}

/** True if a picture is larger than those that are opened; tiles and levels make it one of any size. */
export const exceedsArea = (
  { width, height, scalable }: Pick<ImageHeader, "width" | "height" | "scalable">,
  limit: number,
): boolean => limit > 0 && !scalable && width * height > limit;

function checkArea(header: Parameters<typeof exceedsArea>[0], limit: number): void {
  if (!exceedsArea(header, limit)) return;
  const [area, max] = exceedingTexts(header.width * header.height, limit);
  throw new ServiceError(
    "too-large",
    `The source image has ${area}, more than the ${max} that this service opens. The operator can raise image.max_pixel_area.`,
    { code: "source_too_large" },
  );
}

const encoder = new TextEncoder();
const decoder = new TextDecoder();
