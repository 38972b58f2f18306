// Steps of a diagnosis, each of them bounded, none of them fatal.

import {
  type ByteSource,
  cancelledError,
  ServiceError,
  withDeadline,
  withServiceErrors,
} from "../../base/index.ts";
import { checkIdentifier } from "../../iiif/index.ts";
import { type Decoder, describeProfile, findCut, formats, type ImageHeader } from "../../imaging/index.ts";
import {
  asOperator,
  awaitWithoutPermit,
  exceedsArea,
  type GrantedMaster,
  inspect,
  locateMaster,
  masterVersion,
  nearIdentifier,
  needsOf,
  operatorCaller,
  type RenderParts,
  readWithoutPermit,
  tileLayersWork,
  withMaster,
} from "../../server/index.ts";
import { expectedCosts } from "./costs.ts";
import type { DiagnosisFacts, DiagnosisStep, Settings } from "./known.ts";
import { type Measured, measure } from "./measure.ts";

/** Facts found so far; grows with each step, so that facts found before the deadline are kept. */
type GatheredFacts = { -readonly [K in keyof DiagnosisFacts]: DiagnosisFacts[K] } & {
  readonly failures: Map<DiagnosisStep, ServiceError>;
};

/** Estimate of reading headers and metadata: short work, but it may wait for a source. */
const looking = { kind: "look", ms: 5 } as const;

/**
 * Examines an image for at most `limitMs`. Never rejects because of the image, its source or a hook: their
 * errors are among the failures. Throws `cancelled` if the signal aborts.
 */
export async function lookAt(
  parts: RenderParts,
  identifier: string,
  { measures, limitMs, signal }: { measures: boolean; limitMs: number; signal?: AbortSignal | undefined },
): Promise<DiagnosisFacts> {
  const found: GatheredFacts = { identifier, failures: new Map(), settings: settingsOf(parts, identifier) };
  const limit = new AbortController();
  const leave = () => limit.abort(signal?.reason);
  signal?.addEventListener("abort", leave, { once: true });
  let step: DiagnosisStep = "identifier";
  const take = async <T>(look: DiagnosisStep, act: () => Promise<T>): Promise<T | undefined> => {
    step = look;
    try {
      return await act();
    } catch (error) {
      found.failures.set(look, asKnown(error));
      return undefined;
    }
  };
  try {
    await withDeadline(limitMs, () => walk(parts, found, take, measures, limit.signal), lateError(limitMs));
  } catch (error) {
    if (signal?.aborted) throw cancelledError(signal);
    found.failures.set(step, asKnown(error));
  } finally {
    limit.abort();
    signal?.removeEventListener("abort", leave);
  }
  // A copy: steps that continue after the deadline do not change the result.
  return { ...found, failures: new Map(found.failures) };
}

async function walk(
  parts: RenderParts,
  found: GatheredFacts,
  take: <T>(look: DiagnosisStep, act: () => Promise<T>) => Promise<T | undefined>,
  measures: boolean,
  signal: AbortSignal,
): Promise<void> {
  const { identifier, failures } = found;
  const caller = operatorCaller(identifier, signal);
  await take("identifier", async () => checkIdentifier(identifier));
  if (failures.size > 0) return;
  if (parts.hooks?.has("resolve")) {
    const mapped = await take("hook", () => locateMaster(parts, caller));
    if (failures.size > 0) return;
    found.hook = mapped ? "mapped" : mapped === false ? "no image" : "no opinion";
  }
  await take("open", () =>
    withMaster(asOperator(parts), caller, async (master) => {
      found.master = masterFacts(master);
      const header = await take("header", () => inspect(parts, master, signal));
      if (!header) return;
      found.header = header;
      const codec = parts.codecs.decoder(header.format);
      await parts.probes.run(needsOf(master, 0, looking), signal, async (permit) => {
        const { bytes } = master.image;
        const read = permit ? readWithoutPermit(bytes, awaitWithoutPermit(permit), signal) : bytes;
        found.file = await take("file", () =>
          withServiceErrors(async () => formats[header.format]?.read?.readFacts(read, header, master.page)),
        );
        found.cut = header.unsupported
          ? undefined
          : await take("file", () => withServiceErrors(() => findCut(read, header)));
        found.drawnPages = await take("file", () =>
          withServiceErrors(() => countDrawnPages(codec, read, header)),
        );
        const blocks = await take("metadata", () =>
          withServiceErrors(async () => codec.metadata?.read(read, header, "all")),
        );
        found.metadata = Object.fromEntries(
          Object.entries(blocks ?? {}).flatMap(([kind, block]) => (block ? [[kind, block.length]] : [])),
        );
        found.profile = blocks?.icc && describeProfile(blocks.icc);
      });
      found.latest = parts.latest.of(masterVersion(master));
      found.damage = parts.damaged.of(master.identifier, masterVersion(master));
      if (header.unsupported || exceedsArea(header, parts.masters.maxPixelArea)) return;
      found.sidecar = await take(
        "sidecar",
        async () => (await parts.sidecars.state(master, header)) ?? ({ state: "none" } as const),
      );
      found.sidecarMs = tileLayersWork(parts.codecs.decoder(header.format), header);
      // Tiles have their final cost once the first of them has built the sidecar; costs are shown for that
      // state.
      const costs = await take("costs", () =>
        expectedCosts(parts, master, found.sidecar?.state !== "unavailable"),
      );
      found.costs = costs;
      const failure = parts.damaged.failureOf(master.identifier, masterVersion(master));
      if (failure && !measures) failures.set("measure", failure);
      if (!measures || !costs) return;
      const builds = found.sidecar?.state === "absent" || found.sidecar?.state === "building";
      const note = (each: Measured) => {
        found.measured = [...(found.measured ?? []).filter(({ what }) => what !== each.what), each];
      };
      await take("measure", () => measure(parts, master, { header, costs, builds }, signal, note));
      found.sidecar = await take(
        "sidecar",
        async () => (await parts.sidecars.state(master, header)) ?? ({ state: "none" } as const),
      );
    }),
  );
  // The names that a hook maps are not those of files.
  if (failures.get("open")?.code !== "image_not_found" || found.hook === "mapped") return;
  const near = await nearIdentifier(parts.sources, identifier);
  if (near !== undefined) found.near = near;
}

/** Pages of a file that are looked at. */
const maxPages = 20;

/** Counts the pages that are drawn; undefined if the file has one page, or formats have no such pages. */
async function countDrawnPages(
  codec: Decoder,
  bytes: ByteSource,
  { pages }: ImageHeader,
): Promise<DiagnosisFacts["drawnPages"]> {
  if (!codec.probePages || pages < 2) return undefined;
  let [count, of] = [0, 0];
  for await (const page of codec.probePages(bytes, Math.min(pages, maxPages))) {
    of++;
    if ("drawn" in page && page.drawn !== undefined) count++;
  }
  return { count, of };
}

function masterFacts({ source, key, page, image }: GrantedMaster): NonNullable<DiagnosisFacts["master"]> {
  const { size } = image.bytes;
  return {
    source: source.name,
    backend: source.backend,
    key,
    page,
    remote: image.remote === true,
    ...(size !== undefined && { size }),
    ...(image.modified && { modified: image.modified }),
  };
}

function settingsOf(parts: RenderParts, identifier: string): Settings {
  const { policy, sizes, hooks, access } = parts;
  const profile = access.ruleFor?.(identifier)?.profile;
  return {
    policy,
    limits: sizes.limits,
    maxPixelArea: parts.masters.maxPixelArea,
    ...(profile !== undefined && { profile }),
    hooks: (["authorize", "overlay"] as const).filter((name) => hooks?.has(name)),
  };
}

const lateError = (ms: number) =>
  new ServiceError("timeout", `The diagnosis was stopped after ${ms / 1000} s, its time limit.`, {
    code: "diagnosis_timeout",
  });

/** Returns a neutral error for a bug: even then a diagnosis of an unusual file is useful. */
function asKnown(error: unknown): ServiceError {
  return error instanceof ServiceError
    ? error
    : new ServiceError("decode", "The doctor could not read this: it does not know this form of file.", {
        cause: error,
      });
}
