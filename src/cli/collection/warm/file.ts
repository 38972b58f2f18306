// Fills the caches for one file: the facts of its header, its sidecar, and what viewers request first.

import { ServiceError, type Size } from "../../../base/index.ts";
import {
  type ImageRequest,
  type SizeRequest,
  type SizeRules,
  scaleFactors,
  thumbnailBox,
  tilesOfLevel,
  tileWithin,
  usualRequest,
} from "../../../iiif/index.ts";
import { type ImageHeader, shownSize } from "../../../imaging/index.ts";
import {
  checkServable,
  describe,
  factsKey,
  findCached,
  type GrantedMaster,
  operatorCaller,
  pagesOf,
  prepare,
  publicGrant,
  type RenderParts,
  render,
  unnoted,
  withMaster,
} from "../../../server/index.ts";

/** What to make, according to the caches that outlive the process. */
export interface WarmWork {
  readonly sidecars: boolean;
  /** Number of levels whose tiles are made, in addition to the thumbnail; undefined: none. */
  readonly levels: number | undefined;
  /** The setting `presentation.pages`. */
  readonly pages: "all" | "first";
}

/** Counts of what was made and found for a file, with all its pages. */
export interface WarmOutcome {
  /** Header facts that were not in the cache yet. */
  readonly factsMade: number;
  readonly sidecarsMade: number;
  readonly sidecarsFound: number;
  readonly derivativesMade: number;
  readonly derivativesFound: number;
}

/**
 * Fills the caches for a file and its pages. What they hold already is not made again. Throws the error of
 * the first page that cannot be opened, described or rendered.
 */
export async function warmFile(
  parts: RenderParts,
  identifier: string,
  work: WarmWork,
  signal: AbortSignal,
): Promise<WarmOutcome> {
  let total = nothingWarmed;
  const warmPage = (page: string) =>
    withMaster(asReader(parts, page), operatorCaller(page, signal), async (master) => {
      const key = await factsKey(master);
      if (!(await parts.info.get(key.name, key.variant)))
        total = addOutcomes(total, { ...nothingWarmed, factsMade: 1 });
      const header = await describe(parts, master, signal);
      const pages = pagesOf(master, header, work.pages);
      if (pages.length > 1) return pages;
      checkServable(parts, master, header);
      total = addOutcomes(total, await warmMaster(parts, { master, header }, work, signal));
      return [];
    });
  for (const page of await warmPage(identifier)) await warmPage(page);
  return total;
}

/**
 * Returns parts that open a master as a reader who may see it: derivatives of gated images have their own
 * entries.
 */
function asReader(parts: RenderParts, identifier: string): RenderParts {
  const isGated = parts.access.ruleFor?.(identifier) !== undefined;
  const grant = isGated ? ({ ...publicGrant, tier: "full" } as const) : publicGrant;
  return { ...parts, access: { decide: () => grant }, decisions: unnoted };
}

async function warmMaster(
  parts: RenderParts,
  { master, header }: { readonly master: GrantedMaster; readonly header: ImageHeader },
  { sidecars, levels }: WarmWork,
  signal: AbortSignal,
): Promise<WarmOutcome> {
  const sidecar = sidecars ? await ensureSidecar(parts, master, header, signal) : undefined;
  let [made, found] = [0, 0];
  const size = shownSize(header, parts.policy);
  // If the sidecar is refused, one derivative is rendered: its error says why.
  const rendered = levels ?? (sidecar === "refused" ? 0 : undefined);
  for (const request of rendered === undefined ? [] : firstViews(size, parts.sizes, rendered)) {
    const prepared = await prepare(parts, master, request, signal);
    if (await findCached(parts, master, prepared)) {
      found++;
      continue;
    }
    const derivative = await render(parts, master, prepared, signal);
    // An incomplete derivative is served, but not stored.
    if (derivative.incomplete) throw damagedError();
    if (derivative.made) made++;
  }
  return {
    ...nothingWarmed,
    sidecarsMade: sidecar === "made" ? 1 : 0,
    sidecarsFound: sidecar === "found" ? 1 : 0,
    derivativesMade: made,
    derivativesFound: found,
  };
}

/**
 * Builds the sidecar of a master if it has none. Returns undefined if files of this kind have none, or it
 * could not be stored; "refused" if none could be built from this file.
 */
async function ensureSidecar(
  { sidecars }: RenderParts,
  master: GrantedMaster,
  header: ImageHeader,
  signal: AbortSignal,
): Promise<"made" | "found" | "refused" | undefined> {
  const before = await sidecars.state(master, header);
  if (before === undefined || before.state === "unavailable") return undefined;
  return sidecars.buildAll(master, header, signal);
}

/** Returns the error of a derivative that stands for damaged pixels. */
export const damagedError = () =>
  new ServiceError(
    "decode",
    "Part of the picture could not be decoded: the file is damaged or ends early. Replace the file.",
    { code: "decode" },
  );

/** The outcome of no work. */
export const nothingWarmed: WarmOutcome = {
  factsMade: 0,
  sidecarsMade: 0,
  sidecarsFound: 0,
  derivativesMade: 0,
  derivativesFound: 0,
};

const addOutcomes = (one: WarmOutcome, other: WarmOutcome): WarmOutcome => ({
  factsMade: one.factsMade + other.factsMade,
  sidecarsMade: one.sidecarsMade + other.sidecarsMade,
  sidecarsFound: one.sidecarsFound + other.sidecarsFound,
  derivativesMade: one.derivativesMade + other.derivativesMade,
  derivativesFound: one.derivativesFound + other.derivativesFound,
});

/**
 * Yields the requests for the thumbnail, and for the tiles of the `levels` smallest levels: the first of them
 * is the whole image in one tile. `image`: the upright size.
 */
function* firstViews(image: Size, rules: SizeRules, levels: number): Generator<ImageRequest> {
  const isSmall = image.width <= thumbnailBox && image.height <= thumbnailBox;
  const size: SizeRequest = isSmall
    ? { kind: "max", upscale: false }
    : { kind: "confined", width: thumbnailBox, height: thumbnailBox, upscale: false };
  yield { ...usualRequest, region: { kind: "full" }, size };
  const side = tileWithin(rules);
  if (side === undefined) return;
  const smallest = scaleFactors(image, side).slice().reverse().slice(0, levels);
  for (const scaleFactor of smallest)
    for (const { region, size } of tilesOfLevel(image, side, scaleFactor))
      yield {
        ...usualRequest,
        region: { kind: "pixels", ...region },
        size: { kind: "exact", ...size, upscale: false },
      };
}
