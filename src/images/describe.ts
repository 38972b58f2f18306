// From an identifier to an opened master and its header facts; nothing here decodes a pixel.

import { type Caller, type Grant, publicGrant } from "../access/access.ts";
import { asServiceError, ServiceError, withServiceErrors } from "../errors.ts";
import { splitPage } from "../iiif/image/path.ts";
import { scaleFactorsOf } from "../imaging/codecs/codec.ts";
import type { Codecs } from "../imaging/codecs/codecs.ts";
import { lacksItsEnd } from "../imaging/codecs/file-end.ts";
import type { ImageHeader } from "../imaging/codecs/image-header.ts";
import { type ByteSource, fileTooLarge } from "../imaging/lib/byte-source.ts";
import { createLru, type Lru } from "../imaging/lib/lru.ts";
import type { Sources } from "../sources/index.ts";
import type { Source, SourceImage } from "../sources/source.ts";
import type { Slot } from "../stores/slot.ts";
import { awaitingWithout, readingWithout } from "../workers/place.ts";
import type { Admission, Demand } from "./admission/admit.ts";
import type { Work } from "./admission/cost.ts";
import { factsKey, type MasterKey } from "./cache-keys.ts";

/** An opened master. Whoever gets one closes its image, also while work that others share still reads it. */
export interface Master extends MasterKey {
  readonly identifier: string;
  readonly source: Source;
  readonly image: SourceImage;
  /** Whom it was opened for. */
  readonly caller?: Caller | undefined;
}

/** A master together with what its caller may have of it. */
export interface GrantedMaster extends Master {
  readonly grant: Grant;
}

/** What work on a master asks of a gate. */
export function demandOf({ caller, image, source }: Master, memory: number, work: Work): Demand {
  return { memory, work, client: caller?.client, remote: image.remote && source.name };
}

export interface DescribeParts {
  readonly codecs: Codecs;
  readonly info: Slot;
  /** The bound on probes. */
  readonly probes: Admission;
  /** Largest source area in pixels; 0: no limit. */
  readonly maxPixelArea: () => number;
}

/** Where a hook says that a master is. */
export interface Place extends Pick<Master, "source" | "key" | "page"> {}

/**
 * Opens the master of an identifier: at `place` where a hook has named one, nowhere where that is false. Else a file of exactly
 * that name wins, and `name;n` is page n of `name`. Decides nothing: surfaces open masters with `withMaster` (open.ts).
 * Throws `not-found`.
 */
export async function openMaster(
  sources: Sources,
  identifier: string,
  caller?: Caller,
  grant: Grant = publicGrant,
  place?: Place | false,
): Promise<GrantedMaster> {
  const openAt = async ({ source, key }: Pick<Place, "source" | "key">, page: number) => {
    const image = await source.open(key, caller?.signal, caller?.trace);
    return image && { identifier, source, key, page, image, validator: image.validator, caller, grant };
  };
  if (place === undefined) {
    const literal = await openAt(sources.resolve(identifier), 1);
    if (literal) return literal;
    const paged = splitPage(identifier);
    const page = paged && (await openAt(sources.resolve(paged.identifier), paged.page));
    if (page) return page;
  } else {
    const named = place && (await openAt(place, place.page));
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
 * Header facts of a master: from the info slot, else probed from its first bytes and remembered.
 * Throws `unsupported` for kinds that are refused, `decode` for what is no image, `not-found` for a page that is not
 * there, `too-large` over image.max_pixel_area.
 */
export async function describe(
  parts: DescribeParts,
  master: Master,
  signal?: AbortSignal,
): Promise<ImageHeader> {
  const header = await inspect(parts, master, signal);
  checkArea(header, parts.maxPixelArea());
  if (header.unsupported)
    throw new ServiceError("unsupported", header.unsupported, { code: "unsupported_image" });
  return header;
}

/** The same for those who only look at the facts: also of masters that are refused or too large. Throws `decode` and `not-found` alike. */
export async function inspect(
  parts: DescribeParts,
  master: Master,
  signal?: AbortSignal,
): Promise<ImageHeader> {
  const key = await factsKey(master);
  const parsed = parsedOf(parts.info);
  let header = parsed.get(key.variant);
  if (!header) {
    const known = await parts.info.getOrMake(
      key.name,
      key.variant,
      (work) =>
        parts.probes.run(demandOf(master, 0, probing), work, async (place) => {
          const { bytes } = master.image;
          const read = place ? readingWithout(bytes, awaitingWithout(place), work) : bytes;
          return encode(await probe(parts.codecs, read, master));
        }),
      { signal },
    );
    header = decode(known);
    parsed.set(key.variant, header, known.length);
  }
  return header;
}

/**
 * Throws `too-large` where no picture of a described master can be rendered: its file is longer than its decoder takes, or
 * the cheapest read would need more than image.memory_budget. For answers that promise pictures; those that are cached are
 * served all the same.
 */
export function checkServable(
  parts: Pick<DescribeParts, "codecs"> & { readonly admission: Pick<Admission, "allows"> },
  { image, page }: Master,
  header: ImageHeader,
): void {
  const codec = parts.codecs.byFormat(header.format);
  const fileSize = image.bytes.size ?? 0;
  if (fileSize > (codec.mostBytes ?? Number.POSITIVE_INFINITY))
    throw asServiceError(fileTooLarge(codec.mostBytes!));
  const cheapest = scaleFactorsOf(codec, header).map((scaleFactor) => {
    const [width, height] = [Math.min(header.width, scaleFactor), Math.min(header.height, scaleFactor)];
    return codec.memory({ header, page, region: { x: 0, y: 0, width, height }, scaleFactor }, fileSize);
  });
  if (!parts.admission.allows(Math.min(...cheapest)))
    throw new ServiceError(
      "too-large",
      "Every picture of this image would need more memory than the service may use for images. The operator can raise image.memory_budget.",
      { code: "memory_budget" },
    );
}

/** Bytes of JSON whose headers stay parsed, since every tile of an image asks for the same one. */
const parsedKept = 8 * 2 ** 20;
const parsedHeaders = new WeakMap<Slot, Lru<string, ImageHeader>>();

const purges = new WeakMap<Slot, number>();

/** Parsed headers count no longer: what their slot held was purged. Those that are being had meanwhile are not kept either. */
export function forgetHeaders(info: Slot): void {
  parsedHeaders.delete(info);
  purges.set(info, purgesOf(info) + 1);
}

/** How often facts of a slot were purged: what is remembered of them elsewhere counts only while that is the same. */
export const purgesOf = (info: Slot): number => purges.get(info) ?? 0;

/** The headers that were lately had from a slot, by variant, which changes with the file. */
function parsedOf(slot: Slot): Lru<string, ImageHeader> {
  let parsed = parsedHeaders.get(slot);
  if (!parsed) parsedHeaders.set(slot, (parsed = createLru(parsedKept)));
  return parsed;
}

/** A probe reads a few headers. */
const probing: Work = { kind: "probe", ms: 1 };

/** Bytes at the front of a file that show its format. */
const headLength = 64;

async function probe(
  codecs: Codecs,
  bytes: ByteSource,
  { page, image }: Pick<Master, "page" | "image">,
): Promise<ImageHeader> {
  const head = await bytes.read(0, headLength);
  const codec = codecs.recognise(head);
  if (!codec)
    throw new ServiceError(
      "unsupported",
      head.length === 0
        ? "This file is empty: expected a JPEG, PNG, TIFF, WebP, GIF or JPEG 2000 image."
        : "This file is not a JPEG, PNG, TIFF, WebP, GIF or JPEG 2000 image.",
      {
        code: "unsupported_format",
      },
    );
  const header = await withServiceErrors(() => codec.probe(bytes, page));
  // The end of a remote master would cost a request of its own.
  const lacksEnd = !image.remote && (await lacksItsEnd(bytes, header.format));
  return lacksEnd ? { ...header, incomplete: true } : header;
}

function checkArea(header: ImageHeader, limit: number): void {
  const area = header.width * header.height;
  if (limit > 0 && area > limit)
    throw new ServiceError(
      "too-large",
      `The source image has ${area} pixels, more than the ${limit} that this service opens. The operator can raise image.max_pixel_area.`,
      { code: "source_too_large" },
    );
}

const encode = (header: ImageHeader) => new TextEncoder().encode(JSON.stringify(header));
const decode = (bytes: Uint8Array) => JSON.parse(new TextDecoder().decode(bytes)) as ImageHeader;
