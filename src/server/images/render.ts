// Makes one derivative, from request to bytes: the main flow of the service.

import { asServiceError, ServiceError } from "../../base/index.ts";
import {
  canonicalParameters,
  type Geometry,
  type ImageRequest,
  resolve,
  type SizeRules,
  withDetailOf,
} from "../../iiif/index.ts";
import {
  type Codecs,
  type Encoded,
  type ImageHeader,
  isWholeFileError,
  type OutputPolicy,
  orWhole,
  planRender,
  type RenderPlan,
  rotatedSize,
  shownSize,
  writingOf,
  type writtenFormats,
} from "../../imaging/index.ts";
import type { Slot } from "../stores/slot.ts";
import type { Pool } from "../workers/pool.ts";
import type { Admission } from "./admission/admit.ts";
import { renderWork } from "./admission/cost.ts";
import { type EntryKey, entityTag, masterVersion, renderKey, settledVersion } from "./cache-keys.ts";
import { type CachedDerivative, fromEntry, toEntry } from "./cached-derivative.ts";
import type { DamagedMasters } from "./damaged-masters.ts";
import {
  type DescribeParts,
  describe,
  type GrantedMaster,
  type Master,
  needsOf,
  waitTogether,
} from "./describe.ts";
import type { IgnoredProfiles } from "./ignored-profiles.ts";
import type { LatestRenders, RenderRecord } from "./latest-renders.ts";
import type { OpenParts } from "./open.ts";
import type { Overlay } from "./overlay/overlay.ts";
import type { Overlays } from "./overlay/overlays.ts";
import type { Sidecars } from "./sidecar/sidecars.ts";

export interface RenderParts extends OpenParts, DescribeParts {
  readonly codecs: Codecs;
  readonly pool: Pool;
  readonly sidecars: Sidecars;
  readonly render: Slot;
  readonly admission: Admission;
  readonly policy: OutputPolicy;
  /** Absent if no derivative can have an overlay. */
  readonly overlays?: Overlays | undefined;
  readonly ignoredProfiles: IgnoredProfiles;
  readonly latest: LatestRenders;
  readonly damaged: DamagedMasters;
  /** Returns the name of the deflate implementation that encodes derivatives. */
  readonly deflateIdentity: () => Promise<string>;
  readonly sizes: SizeRules;
  /** Formats that requests may name. */
  readonly formats: typeof writtenFormats;
  /** Formats that image information recommends, in order. */
  readonly preferredFormats: readonly string[];
  readonly timeoutMs: number;
}

/** Everything known of a derivative before any pixel is decoded. */
export interface Prepared {
  readonly header: ImageHeader;
  readonly request: ImageRequest;
  /** Geometry of the derivative; coarser than requested if access limits the detail. */
  readonly geometry: Geometry;
  /** `region/size/rotation/quality.format` in the canonical spelling. */
  readonly canonical: string;
  /** Overlay of the derivative; undefined if it has none. */
  readonly overlay: Overlay | undefined;
  readonly etag: string;
  readonly key: EntryKey;
}

/**
 * Resolves a request for an opened master, within the access of the caller. Throws `bad-request` and
 * `too-large` for requests that the image or the limits do not allow, and what `describe` throws.
 */
export async function resolveRequest(
  parts: RenderParts,
  master: GrantedMaster,
  request: ImageRequest,
  signal?: AbortSignal,
): Promise<Pick<Prepared, "header" | "request" | "geometry" | "canonical">> {
  const header = await describe(parts, master, signal);
  if (header.colour?.ignored) parts.ignoredProfiles.tell(masterVersion(master), header.colour.ignored);
  const upright = shownSize(header, parts.policy);
  const asked = resolve(request, upright, parts.sizes);
  const { maxSize } = master.grant;
  const geometry = maxSize ? withDetailOf(asked, maxSize, upright) : asked;
  const canonical = canonicalParameters(request, asked, upright, {
    gray: header.interpretation === "gray",
  });
  return { header, request, geometry, canonical };
}

/**
 * Resolves a request and determines the overlay and the cache key of the derivative. Throws what
 * `resolveRequest` throws, and `hook` (code overlay_failed); both before any cached derivative is used and
 * before a conditional request is answered.
 */
export async function prepare(
  parts: RenderParts,
  master: GrantedMaster,
  request: ImageRequest,
  signal?: AbortSignal,
): Promise<Prepared> {
  const resolved = await resolveRequest(parts, master, request, signal);
  const { geometry, canonical } = resolved;
  // Awaits nothing if there is no overlay, since every tile takes this path.
  const overlay = parts.overlays?.mayChange()
    ? await parts.overlays.of(master, derivativeSize(geometry, request), signal)
    : undefined;
  const deflate = writingOf(request.format).deflates ? await parts.deflateIdentity() : undefined;
  const key = await renderKey({ version: request.version, canonical }, master, parts.policy, geometry, {
    deflate,
    overlay,
  });
  master.caller?.stages?.end("describe");
  return { ...resolved, overlay, key, etag: entityTag(key) };
}

/** Returns the size of a derivative after rotation. */
const derivativeSize = ({ size }: Geometry, { rotation }: ImageRequest) =>
  rotatedSize(size.width, size.height, rotation.degrees);

export interface Derivative {
  readonly bytes: Uint8Array;
  /**
   * True if it was rendered for this request: it comes neither from the render slot nor from a simultaneous
   * request.
   */
  readonly made: boolean;
  /** True if its master ended early, is damaged, or changed while it was read; it must not be cached. */
  readonly incomplete: boolean;
}

/**
 * Returns a prepared derivative from the render slot, or else plans it, waits for admission by its cost and
 * renders it in the pool. Throws `too-large`, `busy`, `timeout`, `cancelled`, `decode`, `encode`, `source`.
 */
export async function render(
  parts: RenderParts,
  master: GrantedMaster,
  prepared: Prepared,
  signal?: AbortSignal,
): Promise<Derivative> {
  const { key } = prepared;
  const stages = master.caller?.stages;
  let made = false;
  const make = async (own: GrantedMaster, work: AbortSignal) => {
    made = true;
    stages?.end("lookup");
    const { bytes, incomplete, unchanged } = await derive(parts, own, prepared, work).catch(
      async (error: unknown) => {
        const isFailure = error instanceof ServiceError && error.kind === "decode";
        if (isFailure && (await master.image.hasChanged?.()) !== true)
          parts.damaged.noteFailed(master.identifier, masterVersion(master), error);
        throw error;
      },
    );
    const isDamaged = incomplete === true || prepared.header.incomplete === true;
    // A file that is being written is not damaged: its next version counts.
    const hasChanged = (!unchanged || isDamaged) && (await master.image.hasChanged?.()) === true;
    const isSuspect = isDamaged || hasChanged;
    if (!isDamaged) parts.damaged.noteSound(master.identifier, masterVersion(master));
    else if (!hasChanged) parts.damaged.note(master.identifier, masterVersion(master));
    return toEntry({
      bytes,
      ignoredProfile: parts.ignoredProfiles.of(masterVersion(master)),
      incomplete: isSuspect,
    });
  };
  const visitor = master.caller?.visitor;
  if (visitor) {
    const known = await parts.render.get(key.name, key.variant);
    if (known) {
      const { bytes, incomplete = false } = openCached(parts, master, known);
      return { bytes, made: false, incomplete };
    }
    const { width, height } = prepared.geometry.size;
    await visitor.enter((width * height) / 1e6, signal);
  }
  const keeps = (value: Uint8Array) => !fromEntry(value).incomplete;
  const found = await waitTogether(parts.admission, `${key.name} ${key.variant}`, master, (own) =>
    parts.render.getOrMake(key.name, key.variant, (work) => make(own, work), {
      signal,
      keeps,
      watch: stages,
    }),
  );
  const { bytes, incomplete = false } = openCached(parts, master, found);
  return { bytes, made, incomplete };
}

/** Returns the cached bytes of a prepared derivative, if any. */
export async function findCached(
  parts: RenderParts,
  master: Master,
  { key }: Prepared,
): Promise<Uint8Array | undefined> {
  const found = await parts.render.get(key.name, key.variant);
  return found && openCached(parts, master, found).bytes;
}

/** Returns the image of a cached derivative, and records the ignored profile that its entry notes. */
function openCached(parts: RenderParts, master: Master, found: Uint8Array): CachedDerivative {
  const entry = fromEntry(found);
  if (entry.ignoredProfile !== undefined)
    parts.ignoredProfiles.tell(masterVersion(master), entry.ignoredProfile);
  return entry;
}

/** Renders a derivative; plans and renders it again if the file has to be decoded as a whole. */
async function derive(
  parts: RenderParts,
  master: GrantedMaster,
  prepared: Prepared,
  work: AbortSignal,
): Promise<Encoded> {
  const { bytes, file } = master.image;
  const stages = master.caller?.stages;
  const attempt = async (whole: boolean): Promise<Encoded> => {
    const plan = planFor(parts, master, prepared, whole);
    const failedBefore = parts.damaged.reads.of(masterVersion(master), plan.read);
    if (failedBefore) throw failedBefore;
    const sidecar = whole ? undefined : await parts.sidecars.find(master, plan.read, { signal: work });
    if (sidecar) stages?.end("sidecar");
    let failed: unknown;
    let admitted = performance.now();
    try {
      const { format } = plan.read.header;
      const expected = renderWork(plan, parts.codecs.decoder(format), sidecar?.access);
      const isStored = sidecar?.state === "complete";
      const memory = admittedMemory(plan, isStored);
      const needs = needsOf(master, memory, expected);
      const encoded = await parts.admission.run(needs, work, (permit) => {
        admitted = performance.now();
        return parts.pool.run(
          {
            task: { kind: "render", plan },
            bytes,
            file,
            sidecar: isStored ? { ...sidecar.access, memory: plan.withSidecar?.reading } : sidecar?.access,
            overlay: prepared.overlay?.image,
            memory,
          },
          { signal: work, timeoutMs: parts.timeoutMs, permit, watch: stages },
        );
      });
      const tookMs = performance.now() - admitted;
      noteRender(parts, master, prepared, { expected, memory, tookMs });
      stages?.setRender({
        codec: format,
        format: plan.write.format,
        identifier: master.identifier,
        request: prepared.canonical,
      });
      return encoded;
    } catch (error) {
      failed = error;
      await noteFailedRead(parts, master, plan, { error, tookMs: performance.now() - admitted });
      throw error;
    } finally {
      sidecar?.finish?.(failed);
    }
  };
  try {
    return await orWhole(attempt);
  } catch (error) {
    // The file may be on a hanging mount: the next request then has to open it again, under the deadline of
    // the source, before another worker reads it.
    if (error instanceof ServiceError && error.kind === "timeout" && file) master.source.forget?.(master.key);
    throw error;
  }
}

/** Remembers that a read failed, unless the file has changed meanwhile or has to be decoded as a whole. */
async function noteFailedRead(
  { damaged }: RenderParts,
  master: GrantedMaster,
  { read }: RenderPlan,
  { error, tookMs }: { readonly error: unknown; readonly tookMs: number },
): Promise<void> {
  if (!(error instanceof ServiceError) || isWholeFileError(error)) return;
  if ((await master.image.hasChanged?.()) === true) return;
  damaged.reads.note(masterVersion(master), read, error, tookMs);
}

function noteRender(
  { latest, policy }: RenderParts,
  master: Master,
  { header, canonical, geometry }: Prepared,
  took: Pick<RenderRecord, "expected" | "memory" | "tookMs">,
): void {
  const upright = shownSize(header, policy);
  const { width, height } = geometry.region;
  const what = width === upright.width && height === upright.height ? "whole" : "part";
  latest.note(masterVersion(master), what, { canonical, ...took, at: Date.now() });
}

/**
 * Returns the bytes that a planned render is admitted for. `hasSidecar`: true if it has a whole sidecar, or
 * waits until one is built.
 */
export const admittedMemory = ({ memory, withSidecar }: RenderPlan, hasSidecar: boolean): number =>
  (hasSidecar ? withSidecar?.memory : undefined) ?? memory;

/**
 * Returns the plan of a prepared derivative, also to check a HEAD request without rendering. `whole`: true if
 * the file has to be decoded as a whole.
 */
export function planFor(
  parts: RenderParts,
  master: GrantedMaster,
  prepared: Pick<Prepared, "header" | "request" | "geometry" | "overlay">,
  whole = false,
): RenderPlan {
  const { header, request, geometry, overlay } = prepared;
  const { grant } = master;
  let plan: RenderPlan;
  try {
    plan = planRender({
      header,
      page: master.page,
      fileSize: master.image.bytes.size ?? 0,
      whole,
      request,
      geometry,
      policy: parts.policy,
      overlay,
      confined: grant.maxSize !== undefined,
      decoder: parts.codecs.decoder(header.format),
      encoder: writingOf(request.format),
    });
  } catch (error) {
    throw asServiceError(error);
  }
  const version = settledVersion(master, master.image.modified, Date.now());
  return { ...plan, read: { ...plan.read, ...(version && { version }) }, master: masterVersion(master) };
}
