// Chooses the overlay of a derivative and loads its image, which is decoded once and again whenever its file
// changes. Any failure is an error of the request, so that no derivative is sent without its overlay.

import {
  type ByteSource,
  createLru,
  createSingleFlight,
  memoryBytes,
  messageOf,
  type Platform,
  readAll,
  ServiceError,
  type Size,
  sha256,
  toHex,
  withDeadline,
  withServiceErrors,
} from "../../../base/index.ts";
import {
  type Codecs,
  type Encoded,
  headLength,
  type ImageHeader,
  type OverlayImage,
  orWhole,
  type ReadRequest,
  type RenderPlan,
  readableTitles,
} from "../../../imaging/index.ts";
import type { Sources } from "../../sources/index.ts";
import type { Job } from "../../workers/pool.ts";
import type { Master } from "../describe.ts";
import {
  locationOfOverlay,
  type OverlayOptions,
  type OverlaySettings,
  overlaySettingsOf,
} from "./options.ts";
import type { Overlay } from "./overlay.ts";

export interface Overlays {
  /**
   * Returns the overlay of a derivative of this size; undefined if it has none. Throws ServiceError `hook`
   * (code overlay_failed) if the overlay image is missing, broken or too large, and `cancelled`.
   */
  of(master: Master, derivative: Size, signal?: AbortSignal): Promise<Overlay | undefined>;
  /** True if derivatives may change even if neither their master nor the configuration does. */
  mayChange(): boolean;
  /** Resolves if the configured overlay image can be used; throws an Error with the reason otherwise. */
  check(): Promise<void>;
}

export interface OverlayParts {
  readonly options: OverlayOptions;
  readonly sources: Sources;
  readonly platform: Pick<Platform, "files" | "keepAlive">;
  readonly codecs: Codecs;
  /** Runs the job that decodes an overlay image. */
  readonly decode: (job: Job, signal: AbortSignal) => Promise<Pick<Encoded, "bytes">>;
  readonly log: { error(message: string, fields?: Readonly<Record<string, unknown>>): void };
  /**
   * The overlay hook, asked for each request while `has` returns true; the result undefined means the
   * configured settings.
   */
  readonly hook?: {
    has(): boolean;
    ask(master: Master): Promise<unknown>;
    /** Logs that the hook's result is unusable, and returns the error to throw. */
    unusable(master: Master, reason: string): ServiceError;
  };
  /** Milliseconds for which a checked overlay image counts as unchanged; default 1000. */
  readonly revalidateMs?: number;
}

/** Maximum size of an overlay image in pixels; `maxFileBytes` limits its file. */
export const maxPixels = 2 ** 22;
const maxFileBytes = 32 << 20;
/** Total bytes of cached decoded images; the least recently used are dropped first. */
const cacheBytes = 64 << 20;
/** Weight of an entry in addition to its pixels. */
const entryBytes = 1024;
/**
 * Time limit in milliseconds for reading and decoding an overlay image; beyond it the image counts as
 * unreadable.
 */
const limitMs = 10_000;

/**
 * Milliseconds during which a file may change again under the same modification time, since file systems may
 * store times in seconds.
 */
const freshMs = 2500;

/** Result of checking an overlay image: its pixels, or the reason why it has none. */
type CheckedOverlay =
  | {
      readonly until: number;
      readonly validator: string;
      /** True if the file was written so recently that its validator may not distinguish the next write. */
      readonly isFresh: boolean;
      readonly image: OverlayImage;
    }
  | { readonly until: number; readonly problem: string };

/** An overlay file at the time of a check. */
interface OverlayFile {
  readonly validator: string;
  readonly modified: Date | undefined;
  read(signal: AbortSignal): Promise<Uint8Array>;
  close(): Promise<void>;
}

/** Creates the overlays of a service, without reading any. */
export function createOverlays(parts: OverlayParts): Overlays {
  const { options, log, hook, revalidateMs = 1000 } = parts;
  const { folder: _, ...configured } = options;
  const asks = () => hook?.has() === true;
  const known = createLru<string, CheckedOverlay>(cacheBytes);
  const flights = createSingleFlight<CheckedOverlay>(parts.platform.keepAlive);

  /** Checks the file of an overlay image, and decodes it if it has changed. Throws only `cancelled`. */
  const look = async (
    location: string,
    before: CheckedOverlay | undefined,
    signal: AbortSignal,
  ): Promise<CheckedOverlay> => {
    try {
      return await withDeadline(limitMs, async () => {
        const found = await find(parts, location, signal);
        try {
          const { validator, modified } = found;
          const until = Date.now() + revalidateMs;
          const isFresh = modified !== undefined && Date.now() - modified.getTime() < freshMs;
          const old = before && "image" in before ? before : undefined;
          if (old?.validator === validator && !old.isFresh) return { ...old, until };
          const file = await found.read(signal);
          const digest = toHex(await sha256(file));
          const image =
            old?.image.digest === digest ? old.image : await decodeOverlay(parts, file, digest, signal);
          return { until, validator, isFresh, image };
        } finally {
          await found.close();
        }
      });
    } catch (error) {
      if (error instanceof ServiceError && error.kind === "cancelled") throw error;
      const problem = messageOf(error);
      return { until: Date.now() + revalidateMs, problem };
    }
  };

  /** Checks an overlay image again and caches the result. */
  const lookAgain = async (location: string, signal: AbortSignal): Promise<CheckedOverlay> => {
    const before = known.get(location);
    const now = await look(location, before, signal);
    known.set(location, now, entryBytes + ("image" in now ? now.image.data.length : 0));
    return now;
  };

  /**
   * Returns the current pixels of an overlay image, or those of up to `revalidateMs` ago. Logs a failure
   * once.
   */
  const picture = async (location: string, signal?: AbortSignal): Promise<OverlayImage> => {
    let now = known.get(location);
    if (!now || Date.now() >= now.until) {
      const before = now;
      now = await flights.run(
        location,
        async (work) => {
          const found = await lookAgain(location, work);
          if ("problem" in found && !(before && "problem" in before && before.problem === found.problem))
            log.error("an overlay cannot be used; images that need it are not sent", {
              place: location,
              error: found.problem,
            });
          return found;
        },
        signal,
      );
    }
    if ("image" in now) return now.image;
    throw overlayError(now.problem);
  };

  const settingsFor = async (master: Master): Promise<OverlaySettings | undefined> => {
    const said = hook && asks() ? await hook.ask(master) : undefined;
    if (!hook || said === undefined || said === null) return configured.image === "" ? undefined : configured;
    try {
      return overlaySettingsOf(said, options);
    } catch (error) {
      throw hook.unusable(master, (error as Error).message);
    }
  };

  return {
    mayChange: () => asks() || configured.image !== "",
    async of(master, derivative, signal) {
      if (!asks() && configured.image === "") return undefined;
      const settings = await settingsFor(master);
      if (!settings || Math.min(derivative.width, derivative.height) < settings.min_size) return undefined;
      return { settings, image: await picture(settings.image, signal) };
    },
    async check() {
      const now = await lookAgain(configured.image, new AbortController().signal);
      if ("problem" in now) throw new Error(`${now.problem}; correct the file or overlay.image`);
    },
  };
}

/** Returns the error for the client; it does not contain `cause`, which is for the log. */
function overlayError(cause: string): ServiceError {
  return new ServiceError(
    "hook",
    "The mark that this service puts on its images could not be applied, so the image is not sent. Ask the operator of this service.",
    { code: "overlay_failed", cause },
  );
}

/** Finds the file of an overlay image. Throws an Error in words for the operator if it is missing. */
async function find(
  { platform, sources }: OverlayParts,
  name: string,
  signal: AbortSignal,
): Promise<OverlayFile> {
  const location = locationOfOverlay(name);
  if ("source" in location) {
    const source = sources.byName(location.source);
    if (!source) throw new Error(`there is no source "${location.source}" to take the overlay from`);
    const image = await source.open(location.key, signal);
    if (!image) throw new Error(`the overlay is not in source "${location.source}"`);
    const { bytes, validator, modified } = image;
    return {
      validator,
      modified,
      read: () => withServiceErrors(() => readAll(bytes, maxFileBytes)),
      close: () => image.close(),
    };
  }
  const { files } = platform;
  if (!files) throw new Error("an overlay in a file needs files, to which this runtime has no access");
  const stat = async () => {
    const found = await files.stat(location.path);
    if (found?.kind !== "file") throw new Error(`the overlay is ${found ? "no file" : "not there"}`);
    const { size, modified, changed, id } = found;
    const validator = [size, modified.getTime(), changed?.getTime(), id].join(" ");
    return { size, validator, modified: changed && changed > modified ? changed : modified };
  };
  const { size, validator, modified } = await stat();
  return {
    validator,
    modified,
    async read() {
      if (size > maxFileBytes) throw new Error(`the overlay's file has more than ${maxFileBytes} bytes`);
      const bytes = await files.readFile(location.path);
      if (!bytes || (await stat()).validator !== validator)
        throw new Error("the overlay's file was replaced while it was read");
      return bytes;
    },
    close: async () => {},
  };
}

/**
 * Returns the pixels of an overlay file. Throws the errors of the codecs, and an Error if the image is too
 * large.
 */
async function decodeOverlay(
  { codecs, decode }: OverlayParts,
  file: Uint8Array,
  digest: string,
  signal: AbortSignal,
): Promise<OverlayImage> {
  const bytes: ByteSource = memoryBytes(file);
  const codec = codecs.recognise(file.subarray(0, headLength));
  if (!codec) throw new Error(`the overlay is not a ${readableTitles()} image`);
  const header = await withServiceErrors(() => codec.probe(bytes, 1));
  if (header.unsupported) throw new Error(`the overlay cannot be decoded: ${header.unsupported}`);
  if (header.width * header.height > maxPixels)
    throw new Error(
      `the overlay has ${header.width * header.height} pixels, more than the ${maxPixels} that are taken`,
    );
  const region = { x: 0, y: 0, width: header.width, height: header.height };
  const read: ReadRequest = { header, page: 1, region, scaleFactor: 1 };
  const steps = stepsOf(header);
  const area = header.width * header.height;
  const memory = codec.memory(read, file.length) + area * (header.bands * (header.depth / 8) + 8);
  const data = await orWhole((whole) => {
    const plan = { read: whole ? ({ ...read, whole } as const) : read, steps };
    return decode({ task: { kind: "overlay", plan }, bytes, memory }, signal);
  });
  const swap = header.orientation > 4;
  return {
    digest,
    width: swap ? header.height : header.width,
    height: swap ? header.width : header.height,
    data: toSharedMemory(data.bytes),
  };
}

/** Returns the steps that make an image upright, sRGB and of 8 bits. */
function stepsOf({ orientation, interpretation, colour, depth }: ImageHeader): RenderPlan["steps"] {
  const profile = colour !== undefined && !colour.srgb && colour.ignored === undefined;
  const plain = interpretation === "gray" || interpretation === "rgb";
  return [
    ...(orientation === 1 ? [] : [{ op: "orient", orientation } as const]),
    ...(profile || !plain ? [{ op: "to-srgb", profile } as const] : []),
    ...(depth === 8 ? [] : [{ op: "depth", bits: 8 } as const]),
  ];
}

/** Returns the same bytes in memory shared by all threads, if available. */
function toSharedMemory(data: Uint8Array): Uint8Array {
  if (typeof SharedArrayBuffer === "undefined") return data;
  const bytes = new Uint8Array(new SharedArrayBuffer(data.length));
  bytes.set(data);
  return bytes;
}
